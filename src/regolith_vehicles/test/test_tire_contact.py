# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tire contact: ground forces on a wheel of any attitude, and a rover with tires."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from regolith_terrain import contact as terrain_contact
from regolith_terrain.config import TerrainConfig
from regolith_terrain.contact.ground_contact import CONTACT_OK, LEFT_WINDOW, ContactSetting, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField, HeightField, Heights, PlaneField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.rigid.surface import find_foot, surface_at
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.tires import load_tire
from regolith_vehicles.tires.contact import TireContact
from regolith_vehicles.tires.tire import TIRES

STEP = 1e-3
CYCLE_NS = 20_000_000


@pytest.fixture
def small_tire(tmp_path: Path) -> Path:
    """Return a tire for a rover, that of the HMMWV scaled down."""
    text = TIRES.find('hmmwv_fiala').read_text()
    for old, new in (
        ('radius_m: 0.47', 'radius_m: 0.25'),
        ('width_m: 0.318', 'width_m: 0.3'),
        ('[[0, 0], [0.25, 145000]]', '[[0, 0], [0.125, 6000]]'),
        ('npm: 1160000', 'npm: 60000'),
        ('nspm: 75', 'nspm: 300'),
        ('0.235, 0.47', '0.1, 0.2'),
        ('193929', '4000'),
        ('CALPHA: 50000', 'CALPHA: 2000'),
        ('resistance_m: 0.015', 'resistance_m: 0.003'),
    ):
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / 'small.yaml'
    file.write_text(text + 'bristle: {stiffness_npm: 2.0e4, damping_nspm: 300.0}\n')
    return file


@pytest.fixture
def make_rover(small_tire: Path) -> Callable[..., Vehicle]:
    """Return a function that builds a viper with tires."""

    def make(field: object = None, gravity: float = 9.81, with_tires: int = 4, **soil: float) -> Vehicle:
        config, mjcf = load_vehicle_model('viper')
        wheels = [w.model_copy(update={'tire': str(small_tire)}) for w in config.wheels[:with_tires]]
        config = config.model_copy(update={'wheels': (*wheels, *config.wheels[with_tires:])})
        grid = SoilGrid(field if field is not None else FlatField(), 0.05, RIGID_TERRAIN_MODEL)
        return Vehicle('rover', config, mjcf, grid, RigidTerrainConfig.model_validate(soil), gravity)

    return make


def press(behavior: str, field: object, pose: PartPose, friction: float = 0.8) -> np.ndarray:
    """Return force and torque about the center of an HMMWV wheel in one step."""
    soils = SoilMap(RigidTerrainConfig(friction=friction).parameters())
    shape = terrain_contact.cylinder(0.4699, 0.3175)
    contact = TireContact(
        ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05),
        {0: load_tire('hmmwv_tmeasy', behavior)},
    )
    window = SoilGrid(field, 0.05, RIGID_TERRAIN_MODEL).window(-40, 41, -40, 41)
    wrench = terrain_contact.make_wrench()
    status = contact.press(contact.arrays(window, 1), STEP, 0, pose, wrench)
    assert status == CONTACT_OK
    return np.concatenate((wrench.force, wrench.torque))


def test_wheel_on_a_plane_matches_the_rig() -> None:
    """Force and moments of the rig at the contact, on level ground and rotated with ground and wheel."""
    yaw, camber, spin = 0.4, math.radians(3.0), 21.0
    tire = load_tire('hmmwv_tmeasy', 'reference')
    height = 0.4699 - 0.02
    depth = float(tire.vertical(height=height, camber=camber)['depth'])
    load = float(tire.vertical(height=height, camber=camber)['Fz'])
    bench = tire.start(load=load, camber=camber)
    bench.depth = depth
    there = bench.step(STEP, 10.0, 0.3, spin)
    # The contact lies below the center in the plane of the wheel.
    arm = np.array([0.0, height * math.tan(camber), -height])
    force = np.array([there['Fx'], there['Fy'], load])
    level = np.concatenate((force, np.cross(arm, force) + (there['Mx'], there['My'], there['Mz'])))
    turn = Rotation.from_euler('z', yaw)
    lean = turn * Rotation.from_euler('x', camber)
    pose = PartPose(
        np.array([0.1, -0.2, height]), lean.as_matrix(), turn.apply((10.0, 0.3, 0.0)), spin * lean.as_matrix()[:, 1]
    )
    expected = np.concatenate((turn.apply(level[:3]), turn.apply(level[3:])))
    # 1e-9 of the load: rotations in doubles.
    np.testing.assert_allclose(press('reference', FlatField(), pose), expected, atol=1e-5)
    # The whole scene on a slope of 20 degrees.
    slope = math.radians(20.0)
    tilt = Rotation.from_euler('y', -slope)
    tilted = PartPose(*(tilt.apply(v) if v.ndim == 1 else tilt.as_matrix() @ v for v in pose))
    found = press('reference', PlaneField(math.tan(slope)), tilted)
    np.testing.assert_allclose(found, np.concatenate((tilt.apply(expected[:3]), tilt.apply(expected[3:]))), atol=1e-5)


class Edge(HeightField):
    """Level ground at z = 0 that ends at x = 0 with a cliff of 3 m, one node wide."""

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        across = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))[0]
        return np.where(across > 0.01, -3.0, 0.0)

    def fingerprint(self) -> str:
        return 'edge'


@pytest.mark.parametrize('angle_deg', [0.0, 20.0, 45.0, 60.0])
def test_wheel_beyond_an_edge_is_supported_by_the_edge(angle_deg: float) -> None:
    """At equal distances from the edge the load is that on level ground, directed from the edge to the axle."""
    height, angle = 0.45, math.radians(angle_deg)
    level = press('regolith', FlatField(), PartPose(np.array([0.0, 0.0, height]), np.eye(3), np.zeros(3), np.zeros(3)))
    ahead, up = height * math.sin(angle), height * math.cos(angle)
    pose = PartPose(np.array([ahead, 0.0, up]), np.eye(3), np.zeros(3), np.zeros(3))
    force = press('regolith', Edge(), pose)[:3]
    # To rounding: the edge is a node of the grid.
    np.testing.assert_allclose(
        force, level[2] * np.array([math.sin(angle), 0.0, math.cos(angle)]), rtol=1e-6, atol=1e-6
    )


def test_wheel_over_an_edge_finds_nearest_point_at_any_heading() -> None:
    """At a heading: the nearest of 20 000 ground points in the plane of the wheel; their spacing gives 0.1 mm."""
    soils = SoilMap(RigidTerrainConfig().parameters())
    shape = terrain_contact.cylinder(0.4699, 0.3175)
    contact = TireContact(
        ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05), {0: load_tire('hmmwv_tmeasy')}
    )
    window = SoilGrid(Edge(), 0.05, RIGID_TERRAIN_MODEL).window(-40, 41, -40, 41)
    ground = contact.arrays(window, 1).rigid
    foot, s = np.zeros(3), np.linspace(-0.47, 0.47, 20_001)
    for heading in (0.0, 0.7, math.pi / 2.0, 2.5, -1.0):
        hx, hy = math.cos(heading), math.sin(heading)
        found = find_foot(ground, 0.1, 0.02, 0.3, hx, hy, 0.47, foot)
        heights = np.array([surface_at(ground, 0.1 + each * hx, 0.02 + each * hy)[0] for each in s])
        distance = np.hypot(s, 0.3 - heights)
        if found:
            assert math.hypot(foot[0], 0.3 - foot[1]) == pytest.approx(distance.min(), abs=1e-4)
        else:  # Along the edge the ground is level in the plane of the wheel.
            assert abs(heading - math.pi / 2.0) < 1e-9 and np.ptp(heights) == 0.0


def test_tire_beside_a_curb_is_pushed_back_by_its_penetration() -> None:
    """A curb below the axle, 10 mm beyond the tire center: lateral load for 10 mm, not that of the tread on top.

    To 1 %: the face of a cell of 0.05 m over 3 m leans by 1 degree.
    """
    turn = Rotation.from_euler('z', 90.0, degrees=True).as_matrix()
    still = np.zeros(3)
    # The tread reaches 0.1 m below the top, where the face is at 1.7 mm.
    place = np.array([0.1 / 60.0 - 0.01, 0.0, 0.37])
    force = press('regolith', Edge(), PartPose(place, turn, still, still))[:3]
    expected = load_tire('hmmwv_tmeasy').vertical(height=0.4699 - 0.01)['Fz']
    assert force[0] == pytest.approx(float(expected), rel=0.01)
    assert abs(force[1]) < 1e-6 and abs(force[2]) < 0.03 * force[0]
    # Where the distance exceeds the depth of the tread, it stands on the top.
    on_top = press('regolith', Edge(), PartPose(np.array([-0.3, 0.0, 0.37]), turn, still, still))[:3]
    level = press('regolith', FlatField(), PartPose(np.array([-0.3, 0.0, 0.37]), turn, still, still))[:3]
    np.testing.assert_allclose(on_top, level, atol=1e-6)


def test_tire_side_at_a_high_face_is_held_by_its_flange() -> None:
    """The flange, half a width from the center, is 5 mm in the face: 200 kN/m along its normal; the axle is below it."""
    turn = Rotation.from_euler('z', 90.0, degrees=True).as_matrix()
    radius = 0.4699 - 0.25035
    face = (1.5 + radius) / 60.0  # Position of the face at the lowest point of the flange.
    place = np.array([face - 0.005 + 0.5 * 0.3175, 0.0, -1.5])
    force = press('regolith', Edge(), PartPose(place, turn, np.zeros(3), np.zeros(3)))[:3]
    normal = np.array([60.0, 0.0, 1.0]) / math.hypot(60.0, 1.0)
    # To 1 %: the lowest of 64 points of the flange may be 0.3 mm higher than its lowest point.
    np.testing.assert_allclose(force, 2e5 * 0.005 * normal[0] * normal, atol=10.0)


def test_falling_tire_needs_no_ground_beyond_its_reach() -> None:
    """A camber of 0.2 rad, 3 m above the ground: its plane meets the ground far away, possibly beyond the window."""
    leaning = Rotation.from_euler('x', 0.9).as_matrix()
    pose = PartPose(np.array([0.5, 1.5, 0.0]), leaning, np.zeros(3), np.zeros(3))
    assert not press('regolith', Edge(), pose).any()


def test_tilting_wheel_moves_its_contact() -> None:
    """A wheel that turns about its own contact does not slide; the reference uses the velocity of the center only."""
    height = 0.45
    tilting = np.array([1.0, 0.0, 0.0])
    pose = PartPose(np.array([0.0, 0.0, height]), np.eye(3), np.cross(tilting, (0.0, 0.0, height)), tilting)
    assert abs(press('regolith', FlatField(), pose)[1]) < 1e-9
    assert abs(press('reference', FlatField(), pose)[1]) > 1000.0


def test_lifted_tire_has_no_skid_memory() -> None:
    """Skidded obliquely, lifted, set down straight: the first force is that of a new tire, bit for bit."""
    soils, shape = SoilMap(RigidTerrainConfig().parameters()), terrain_contact.cylinder(0.4699, 0.3175)
    setting = ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05)
    window = SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL).window(-40, 41, -40, 41)
    used, new = (TireContact(setting, {0: load_tire('hmmwv_tmeasy')}) for _ in range(2))
    wrench = terrain_contact.make_wrench()
    down = PartPose(np.array([0.0, 0.0, 0.45]), np.eye(3), np.array([3.0, 1.5, 0.0]), np.array([0.0, 2.0, 0.0]))
    straight = down._replace(velocity=np.array([1.0, 0.0, 0.0]), angular_velocity=np.array([0.0, 1.0 / 0.45, 0.0]))
    for _ in range(100):
        used.press(used.arrays(window, 1), STEP, 0, down, wrench)
    assert used.save() != new.save()
    used.press(used.arrays(window, 1), STEP, 0, down._replace(center=np.array([0.0, 0.0, 0.6])), wrench)
    assert used.save() == new.save() and not wrench.force.any()
    forces = []
    for contact in (used, new):
        contact.press(contact.arrays(window, 1), STEP, 0, straight, wrench)
        forces.append(np.concatenate((wrench.force, wrench.torque)))
    assert np.array_equal(*forces) and forces[0][2] > 0.0


def test_wheel_in_the_air_or_outside_the_window_has_no_force() -> None:
    lifted = PartPose(np.array([0.0, 0.0, 0.5]), np.eye(3), np.ones(3), np.ones(3))
    assert not press('regolith', FlatField(), lifted).any()
    with pytest.raises(AssertionError, match=f'assert {LEFT_WINDOW} == {CONTACT_OK}'):
        press('regolith', FlatField(), PartPose(np.array([9.0, 0.0, 0.45]), np.eye(3), np.ones(3), np.ones(3)))


def test_wheel_on_its_side_is_supported_as_rigid() -> None:
    flat = Rotation.from_euler('x', 90.0, degrees=True).as_matrix()
    pose = PartPose(np.array([0.0, 0.0, 0.158]), flat, np.zeros(3), np.zeros(3))
    assert press('regolith', FlatField(), pose)[2] > 0.0


@pytest.mark.parametrize('with_tires', [4, 2])
def test_rover_rests_on_its_tires(make_rover: Callable[..., Vehicle], with_tires: int) -> None:
    rover = make_rover(with_tires=with_tires)
    rover.place(0.0, 0.0, 0.3)
    forces, places = [], []
    for _ in range(200):
        rover.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))
        rover.commit()
        forces.append([w.normal_load for w in rover.wheel_states()])
        places.append(rover.body_state().position)
    weight = rover.body.mass * 9.81
    assert np.mean(np.sum(forces[-50:], axis=1)) == pytest.approx(weight, rel=1e-3)
    # On two tires and two hard wheels it oscillates for some time.
    assert np.ptp(np.array(places[50:]), axis=0).max() < (1e-5 if with_tires == 4 else 1e-3)
    # A tire deflects by its load over its stiffness, 48 kN/m; 100 um is due to the last oscillation.
    sinks = [w.sinkage_total for w in rover.wheel_states()][:with_tires]
    assert sinks == pytest.approx([f / 48e3 for f in forces[-1][:with_tires]], abs=1e-4)


def test_rover_on_tires_stands_on_a_slope(make_rover: Callable[..., Vehicle]) -> None:
    """Creep stays below 1 mm/min: tires hold by deflection; the wheel servos yield less."""
    rover = make_rover(PlaneField(math.tan(math.radians(15.0))), gravity=1.62)
    rover.place(0.0, 0.0, 0.0)
    places = []
    for _ in range(250):
        rover.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))
        rover.commit()
        places.append(rover.body_state().position)
    creep = np.linalg.norm(places[-1] - places[100]) / (150 * CYCLE_NS * 1e-9)
    assert 60.0 * creep < 1e-3


def test_rover_speed_matches_tire_rolling_radius(make_rover: Callable[..., Vehicle]) -> None:
    rover = make_rover()
    rover.place(0.0, 0.0, 0.0)
    for _ in range(150):
        rover.evolve(CYCLE_NS, np.full(4, 2.0), np.zeros(4))
        rover.commit()
    # Loaded by a quarter of the weight each sits 22 mm deep; the tire of Fiala rolls on its remaining radius.
    depth = rover.body.mass * 9.81 / 4.0 / 48e3
    assert rover.body_state().linear_velocity[0] == pytest.approx(2.0 * (0.25 - depth), rel=0.01)


def test_tire_memory_is_saved(make_rover: Callable[..., Vehicle]) -> None:
    rover = make_rover()
    rover.place(0.0, 0.0, 0.0)
    for _ in range(5):
        rover.evolve(CYCLE_NS, np.full(4, 1.0), np.full(4, 0.2))
        rover.commit()
    kept = rover.state()
    rover.evolve(CYCLE_NS, np.full(4, 1.0), np.zeros(4))
    after = rover.state()
    again = make_rover()
    again.restore(kept)
    assert again.state() == kept
    again.evolve(CYCLE_NS, np.full(4, 1.0), np.zeros(4))
    assert again.state() == after
    with pytest.raises(ValueError, match='truncated'):
        again.restore(kept[:-8])


@pytest.mark.slow
def test_tire_on_soil_is_a_rigid_wheel(small_tire: Path) -> None:
    """The ground selects the contact law: that of the soil on soil, that of the tire on a pad beside it."""
    pad = {'model': 'rigid', 'disc': {'center': [0.0, 3.0], 'radius_m': 1.0}}
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.05, 'regions': [pad]})
    config, mjcf = load_vehicle_model('viper')
    worn = config.model_copy(
        update={'wheels': tuple(w.model_copy(update={'tire': str(small_tire)}) for w in config.wheels)}
    )

    def stood(model: object, y: float) -> tuple[list[float], float]:
        grid = SoilGrid(FlatField(), 0.05, terrain.law)
        rover = Vehicle('rover', model, mjcf, grid, terrain.soil_map(), 9.81)  # type: ignore[arg-type]
        rover.place(0.0, y, 0.0)
        for _ in range(20):
            grid.apply(rover.evolve(CYCLE_NS, np.zeros(4), np.zeros(4)))
            rover.commit()
        return [w.sinkage_total for w in rover.wheel_states()], rover.body_state().position[2]

    assert stood(worn, 0.0) == stood(config, 0.0)
    on_pad, _ = stood(worn, 3.0)
    assert on_pad == pytest.approx([430.0 * 9.81 / 4.0 / 48e3] * 4, rel=0.1)


@pytest.mark.parametrize(
    ('tire', 'message'),
    [
        ('hmmwv_fialla', r'no such tire .*did you mean hmmwv_fiala'),
        (
            'hmmwv_fiala',
            r'has a radius of 0\.47 m, but the wheel has 0\.25 m; allowed: a tire radius of 0\.225 to 0\.275 m',
        ),
    ],
)
def test_tire_of_wrong_radius_is_refused_with_its_key(tire: str, message: str) -> None:
    config, mjcf = load_vehicle_model('viper')
    wheels = (config.wheels[0].model_copy(update={'tire': tire}), *config.wheels[1:])
    with pytest.raises(VehicleModelError, match=r'wheels\.front_left\.tire .*' + message):
        Vehicle(
            'rover',
            config.model_copy(update={'wheels': wheels}),
            mjcf,
            SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL),
            RigidTerrainConfig(),
            9.81,
        )
