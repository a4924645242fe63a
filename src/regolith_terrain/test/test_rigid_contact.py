# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid terrain: block on an incline, supported weight, rolling wheels and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from regolith_terrain import contact as terrain_contact
from regolith_terrain.contact.ground_contact import CONTACT_OK, LEFT_WINDOW, ContactSetting, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField, HeightField, Heights, PlaneField
from regolith_terrain.rigid.contact import RigidContact
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.rigid.surface import RigidArrays, depth_at
from regolith_terrain.terrain_parameters import RigidTerrainConfig

MASS, GRAVITY, STEP = 20.0, 9.81, 1e-3


def contact_of(shape: terrain_contact.Shapes, **values: float) -> RigidContact:
    soils = SoilMap(RigidTerrainConfig.model_validate(values).parameters())
    return RigidContact(ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05))


@pytest.mark.parametrize('tilt_deg', [0.0, 5.0, 20.0, 29.0, 40.0, 80.0])
@pytest.mark.parametrize('slope', [0.0, 0.2])
def test_rigid_contact_cap_has_the_lowest_point_of_its_sphere_or_rim(tilt_deg: float, slope: float) -> None:
    """A cap of 0.3 m and 0.08 m on its sphere of 0.6025 m up to 29.86 degrees, beyond that on its rim."""
    rim, deep, sunk = 0.3, 0.08, 1e-3
    sphere = (rim**2 + deep**2) / (2.0 * deep)
    cap = contact_of(terrain_contact.cap(rim, deep), damping_nspm=0.0, stiffness_npm=1e5)
    arrays = cap.arrays(SoilGrid(PlaneField(slope), 0.05, RIGID_TERRAIN_MODEL).window(-20, 21, -20, 21), 1)
    ground = Rotation.from_euler('y', -math.atan(slope)).as_matrix()  # its z is the normal
    turn = ground @ Rotation.from_euler('zx', [30.0, tilt_deg], degrees=True).as_matrix()
    normal, axis = ground[:, 2], turn[:, 2]
    tilt = math.radians(tilt_deg)
    if math.cos(tilt) >= (sphere - deep) / sphere:
        low = (sphere - deep) * axis - sphere * normal
    else:
        low = rim * (math.cos(tilt) * axis - normal) / math.sin(tilt)
    place = (-sunk - low @ normal) * normal
    wrench = terrain_contact.make_wrench()
    assert cap.press(arrays, STEP, 0, PartPose(place, turn, np.zeros(3), np.zeros(3)), wrench) == CONTACT_OK
    on_rim = wrench.stats[terrain_contact.STAT_LOADED_NODES] - 1.0  # fixed points of the rim near its lowest one
    assert on_rim == 0.0 or tilt_deg >= 40.0
    if on_rim == 0.0:
        assert wrench.force == pytest.approx(1e5 * sunk * normal, abs=1e-9 * 1e5)
        assert wrench.torque == pytest.approx(np.cross(low, 1e5 * sunk * normal), abs=1e-7 * 1e5)
    else:
        assert wrench.force @ normal >= 1e5 * sunk
    assert wrench.stats[terrain_contact.STAT_MAX_SINKAGE] == pytest.approx(sunk, rel=1e-6)


def slide(slope: float, friction: float, duration: float, stick: float = 1e-3) -> float:
    """Return the speed of a block that slides down an incline from rest without rotation [m/s]."""
    block = contact_of(terrain_contact.box(0.4, 0.4, 0.2), friction=friction, friction_displacement_m=stick)
    window = SoilGrid(PlaneField(slope), 0.05, RIGID_TERRAIN_MODEL).window(-200, 60, -20, 21)
    arrays = block.arrays(window, 1)
    angle = math.atan(slope)
    turn = np.array(
        [[math.cos(angle), 0.0, -math.sin(angle)], [0.0, 1.0, 0.0], [math.sin(angle), 0.0, math.cos(angle)]]
    )
    sunk = MASS * GRAVITY * math.cos(angle) / (4 * 2e5)  # on four corners with 200 kN/m each
    place, speed = (0.1 - sunk) * turn[:, 2], np.zeros(3)
    wrench = terrain_contact.make_wrench()
    for _ in range(round(duration / STEP)):
        assert block.press(arrays, STEP, 0, PartPose(place, turn, speed, np.zeros(3)), wrench) == CONTACT_OK
        speed += STEP * (wrench.force / MASS - (0.0, 0.0, GRAVITY))
        place += STEP * speed
    assert not window.touched.any()
    return float(-speed @ turn[:, 0])


@pytest.mark.seconds
def test_rigid_contact_block_slides_by_coulomb_friction() -> None:
    """Above the friction angle: g (sin a - mu cos a) t, plus the share of the first 10 um without full friction."""
    slope, friction = 0.5, 0.3
    along = GRAVITY * (math.sin(math.atan(slope)) - friction * math.cos(math.atan(slope)))
    assert slide(slope, friction, 1.0, 1e-5) == pytest.approx(along, rel=0.005)
    assert slide(slope, 0.0, 1.0) == pytest.approx(GRAVITY * math.sin(math.atan(slope)), rel=1e-6)


def test_rigid_contact_block_is_at_rest_below_the_friction_angle() -> None:
    """The block neither slides nor creeps: friction has a memory and does not depend on speed alone."""
    assert abs(slide(0.5, 0.6, 4.0)) < 1e-5


def test_rigid_contact_wheel_has_three_points_and_coulomb_friction() -> None:
    wheel = contact_of(terrain_contact.cylinder(0.25, 0.2), friction=0.5)
    window = SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL).window(-20, 21, -20, 21)
    arrays = wheel.arrays(window, 1)
    wrench, still = terrain_contact.make_wrench(), np.zeros(3)
    place, turn = np.array([0.013, 0.007, 0.249]), np.eye(3)
    assert wheel.press(arrays, STEP, 0, PartPose(place, turn, still, still), wrench) == CONTACT_OK
    assert wrench.stats[terrain_contact.STAT_LOADED_NODES] == 3
    assert wrench.force == pytest.approx([0.0, 0.0, 3 * 2e5 * 1e-3]) and wrench.torque == pytest.approx([0.0] * 3)
    # Spinning in place: after 25 mm of slip, 25 times friction_displacement_m, mu N drives ahead, and its torque
    # brakes.
    for _ in range(100):
        wheel.press(arrays, STEP, 0, PartPose(place, turn, still, np.array([0.0, 1.0, 0.0])), wrench)
    assert wrench.force[0] == pytest.approx(0.5 * 600.0, rel=1e-6)
    assert wrench.torque[1] == pytest.approx(-0.249 * 300.0, rel=5e-3)  # the point is 0.25 m below the axle
    # There is no resistance to rolling without slip.
    wheel.reset()
    wheel.press(arrays, STEP, 0, PartPose(place, turn, np.array([0.25, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])), wrench)
    assert wrench.force[0] == pytest.approx(0.0, abs=1e-9)


def test_rigid_contact_saves_its_memory_and_reports_leaving_the_window() -> None:
    wheel = contact_of(terrain_contact.cylinder(0.25, 0.2))
    arrays = wheel.arrays(SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL).window(-9, 10, -9, 10), 1)
    wrench, moving = terrain_contact.make_wrench(), np.array([0.1, 0.05, 0.0])
    pose = PartPose(np.array([0.0, 0.0, 0.249]), np.eye(3), moving, np.zeros(3))
    wheel.press(arrays, STEP, 0, pose, wrench)
    again = contact_of(terrain_contact.cylinder(0.25, 0.2))
    again.load(wheel.save())
    assert again.save() == wheel.save() != contact_of(terrain_contact.cylinder(0.25, 0.2)).save()
    with pytest.raises(ValueError, match=r"friction \(127 bytes\), field '_held': .*truncated"):
        again.load(wheel.save()[:-1])
    far = pose._replace(center=np.array([0.5, 0.0, 0.249]))
    assert wheel.press(arrays, STEP, 0, far, wrench) == LEFT_WINDOW
    limit = wheel.step_limit(100.0, 0.1)
    # Three springs of 200 kN/m under 100 kg, and three dampers of 1 kN s/m.
    assert limit.seconds == pytest.approx(min(2.0 * math.sqrt(100.0 / 6e5), 100.0 / 3e3))


class Edge(HeightField):
    """Level terrain at z = 0 that drops by 1 m behind a line through the origin, over one cell of 0.05 m.

    Args:
        heading: Direction of the drop, from x [rad].
        width: Width of the drop [m].
    """

    def __init__(self, heading: float = 0.0, width: float = 0.05) -> None:
        self.heading, self.width = heading, width

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        across = np.asarray(x, float) * math.cos(self.heading) + np.asarray(y, float) * math.sin(self.heading)
        return -np.clip(across / self.width, 0.0, 1.0)

    def fingerprint(self) -> str:
        return f'edge {self.heading} {self.width}'


def ground_of(field: HeightField, shape: terrain_contact.Shapes | None = None) -> tuple[RigidContact, RigidArrays]:
    contact = contact_of(shape if shape is not None else terrain_contact.box(0.4, 0.4, 0.2))
    return contact, contact.arrays(SoilGrid(field, 0.05, RIGID_TERRAIN_MODEL).window(-30, 31, -30, 31), 1)


@pytest.mark.parametrize(
    'heading', [0.6, *(pytest.param(turn, marks=pytest.mark.slow) for turn in (0.0, 0.5 * math.pi, -2.2))]
)
def test_rigid_depth_is_the_distance_to_the_surface(heading: float) -> None:
    """Reference: points 0.5 mm apart, 10 mm on steep faces: their distance is longer by up to half a mesh."""
    _, ground = ground_of(Edge(heading))
    rng = np.random.default_rng(3)
    fine = np.arange(-0.4, 0.4, 5e-4)
    row, col = fine[:, None] / 0.05 + 30.0, fine[None, :] / 0.05 + 30.0
    r, c = row.astype(int), col.astype(int)
    u, v, z = row - r, col - c, ground.level
    heights = (1 - u) * ((1 - v) * z[r, c] + v * z[r, c + 1]) + u * ((1 - v) * z[r + 1, c] + v * z[r + 1, c + 1])
    for x, y, below in rng.uniform((-0.12, -0.12, 0.0), (0.12, 0.12, 0.25), (30, 3)):
        at = (round((x + 0.4) / 5e-4), round((y + 0.4) / 5e-4))
        top = float(heights[at])
        square = (
            (fine[:, None] - fine[at[0]]) ** 2 + (fine[None, :] - fine[at[1]]) ** 2 + (heights - (top - below)) ** 2
        )
        distance = math.sqrt(square.min())
        depth, *normal = depth_at(ground, fine[at[0]], fine[at[1]], top - below)
        assert -6e-3 < depth - distance < 1e-9
        assert np.linalg.norm(normal) == pytest.approx(1.0)


def test_rigid_depth_at_a_step_face_is_the_distance_into_it() -> None:
    """From the face, 0.5 m below the top, depth is the distance into it, also below the top."""
    for heading in (0.0, 0.5 * math.pi, math.pi, -0.5 * math.pi):
        _, ground = ground_of(Edge(heading))
        along = np.array([math.cos(heading), math.sin(heading)])
        for way in (0.001, 0.02, 0.03, 0.06, 0.3):
            x, y = along * (0.025 - way)
            depth, *normal = depth_at(ground, x, y, -0.5)
            # The face is 1 m high over 0.05 m: it is inclined by 2.9 degrees.
            assert depth == pytest.approx(way * math.cos(math.atan(0.05)), rel=1e-6)
            assert normal[:2] == pytest.approx(along * math.cos(math.atan(0.05)), abs=1e-6)
    # On planes it is the distance to the tangent plane, to rounding.
    _, plane = ground_of(PlaneField(0.3))
    for x, y in np.random.default_rng(1).uniform(-0.5, 0.5, (40, 2)):
        assert depth_at(plane, x, y, 0.3 * x - 0.04)[0] == pytest.approx(0.04 / math.hypot(1.0, 0.3), rel=1e-9)


@pytest.mark.parametrize('angle_deg', [0.0, 20.0, 45.0, 80.0])
def test_rigid_contact_rim_past_an_edge_is_supported(angle_deg: float) -> None:
    """At equal distances from the edge, the load is that of level terrain, and it points from the edge to the axle."""
    still, angle = np.zeros(3), math.radians(angle_deg)
    wheel, ground = ground_of(Edge(), terrain_contact.cylinder(0.25, 0.2))
    wrench = terrain_contact.make_wrench()
    for side in (1.0, -1.0):
        turn = Rotation.from_euler('z', 0.0 if side > 0.0 else math.pi).as_matrix()
        place = np.array([0.249 * math.sin(angle), 0.0, 0.249 * math.cos(angle)])
        assert wheel.press(ground, STEP, 0, PartPose(place, turn, still, still), wrench) == CONTACT_OK
        expected = 600.0 * np.array([math.sin(angle), 0.0, math.cos(angle)])
        np.testing.assert_allclose(wrench.force, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(('lean', 'within'), [(0.0, 0.02), (0.2, 0.1), (0.7, 1e-6), (-1.4, 1e-6)])
def test_rigid_contact_edge_force_is_the_energy_gradient(lean: float, within: float) -> None:
    """A thin wheel at a heading of 0.5 rad to the edge, upright to tilted: F = -dU/dx, U = 3 k d^2 / 2 = F^2 / 6k.

    Upright, depth is perpendicular to the edge; the change of that angle is omitted: depth over distance, 2 %. With a
    lean, the search for the nearest point is in the vertical plane: within a tenth. Tilted, it is exact.
    """
    wheel, ground = ground_of(Edge(), terrain_contact.cylinder(0.25, 1e-6))
    wrench, still = terrain_contact.make_wrench(), np.zeros(3)

    def energy(place: np.ndarray, turn: np.ndarray) -> float:
        wheel.reset()
        assert wheel.press(ground, STEP, 0, PartPose(place, turn, still, still), wrench) == CONTACT_OK
        return float(wrench.force @ wrench.force) / (6.0 * 2e5)

    turn = (Rotation.from_euler('z', 0.5) * Rotation.from_euler('x', lean)).as_matrix()
    place = np.array([0.1, 0.02, 0.2 * math.cos(lean) - (0.1 if abs(lean) > 1.0 else 0.0)])
    assert energy(place, turn) > 1.0
    force = wrench.force.copy()
    slopes = [(energy(place + d, turn) - energy(place - d, turn)) / 2e-6 for d in 1e-6 * np.eye(3)]
    assert force == pytest.approx(-np.array(slopes), abs=within * np.linalg.norm(force))


@pytest.mark.parametrize('into', [0.002, 0.01, 0.03])
def test_rigid_contact_wheel_beside_a_step_is_pushed_back(into: float) -> None:
    """The axle is above the top, so the nearest point in the wheel plane is on it; the way out is sideways and short.

    The result is exact to the bisection of 0.1 m: the face is plane and inclined by 2.9 degrees.
    """
    contact, arrays = ground_of(Edge(), terrain_contact.cylinder(0.3, 1e-6))
    wrench, still, lean = terrain_contact.make_wrench(), np.zeros(3), math.atan(0.05)
    for axle_deg in (-90.0, 90.0):
        turn = Rotation.from_euler('z', axle_deg, degrees=True).as_matrix()
        # The rim reaches 0.1 m below the top, where the face is at 5 mm.
        place = np.array([0.005 - into, 0.3, 0.2])
        contact.reset()
        assert contact.press(arrays, STEP, 0, PartPose(place, turn, still, still), wrench) == CONTACT_OK
        expected = 3 * 2e5 * into * math.cos(lean) * np.array([math.cos(lean), 0.0, math.sin(lean)])
        np.testing.assert_allclose(wrench.force, expected, atol=6e5 * 2e-6)
    # If the rim is farther away than it is deep, the wheel stands on the top.
    contact.reset()
    contact.press(arrays, STEP, 0, PartPose(np.array([-0.2, 0.3, 0.2]), turn, still, still), wrench)
    np.testing.assert_allclose(wrench.force, [0.0, 0.0, 6e4], atol=1e-6)
