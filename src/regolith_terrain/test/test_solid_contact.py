# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of wheels and blocks on fixed solids: weight, Coulomb limit, walls, edges and search."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from regolith_terrain import contact
from regolith_terrain.contact.arrays import Shapes, Wrench, make_wrench
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.solids.contact import STIFFNESS_OF_PART, add_solid_wrench
from regolith_terrain.solids.friction_memory import SolidContact
from regolith_terrain.solids.point_force import POINT_DEPTH, effective_mass
from regolith_terrain.solids.polyhedron import convex_hull, pieces
from regolith_terrain.solids.solids import Solid, Solids, solids_within

STEP = 1e-3
MU = 0.6
LEVEL = np.eye(3)


def block(low: tuple[float, float, float], high: tuple[float, float, float], friction: float = MU) -> Solids:
    """Return one box between two corners [m]."""
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    return Solids([convex_hull(corners)], [Solid(0, np.zeros(3), LEVEL, friction)])


class Body:
    """Body of one part that only translates, with explicit steps like a vehicle."""

    def __init__(
        self, solids: Solids, shape: Shapes, mass: float, turn: np.ndarray = LEVEL, stiffness: float = STIFFNESS_OF_PART
    ) -> None:
        self.contact = SolidContact(solids, shape, np.array([contact.reach(shape)]), np.array([stiffness]))
        inverse = np.zeros((1, 6, 6))
        inverse[0, :3, :3] = np.eye(3) / mass
        self.arrays = self.contact.arrays(np.arange(len(solids)), inverse)
        self.mass, self.turn = mass, turn
        self.place, self.velocity = np.zeros(3), np.zeros(3)
        self.wrench: Wrench = make_wrench()

    def press(self) -> np.ndarray:
        self.wrench.force[:] = self.wrench.torque[:] = 0.0
        add_solid_wrench(self.arrays, STEP, 0, PartPose(self.place, self.turn, self.velocity, np.zeros(3)), self.wrench)
        return self.wrench.force.copy()

    def go(self, seconds: float, gravity: np.ndarray) -> None:
        for _ in range(round(seconds / STEP)):
            self.velocity += STEP * (gravity + self.press() / self.mass)
            self.place += STEP * self.velocity


@pytest.mark.parametrize('stiffness', [STIFFNESS_OF_PART, 3e5])
def test_solid_contact_wheel_on_a_box_has_load_and_coulomb_friction(stiffness: float) -> None:
    """At rest the springs of its discs carry the weight; in sliding, friction is mu times the weight, against the
    motion.
    """
    wheel = Body(block((-1.0, -1.0, -0.5), (1.0, 1.0, 0.1)), contact.cylinder(0.25, 0.3), 50.0, stiffness=stiffness)
    wheel.place[2] = 0.35
    wheel.go(1.0, np.array([0.0, 0.0, -9.81]))
    assert wheel.press() == pytest.approx([0.0, 0.0, 50.0 * 9.81], abs=1e-6 * 490.0)
    assert 0.35 - wheel.place[2] == pytest.approx(50.0 * 9.81 / stiffness, rel=1e-6)
    # Ten times STICK_M: exp(-10) of the limit is still missing.
    wheel.velocity[:2] = 0.1 * math.cos(0.4), 0.1 * math.sin(0.4)
    for _ in range(100):
        force = wheel.press()
    assert np.hypot(*force[:2]) == pytest.approx(MU * force[2], rel=2e-4)
    assert math.atan2(force[1], force[0]) == pytest.approx(0.4 - math.pi, abs=1e-6)


@pytest.mark.parametrize(('over', 'away'), [(0.9, 0.0), (1.2, 1.0)])
def test_solid_contact_block_on_a_ramp_slides_above_the_friction_angle(over: float, away: float) -> None:
    """Below atan(mu) the block stays after friction has developed; above, it accelerates by g (sin - mu cos)."""
    angle = math.atan(over * MU)
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    ramp = convex_hull(
        [
            (x, y, z)
            for y in (-5.0, 5.0)
            for x, z in ((-50.0, -50.0), (50.0, -50.0), (50.0, 50.0 * s / c), (-50.0, -50.0 * s / c))
        ]
    )
    body = Body(Solids([ramp], [Solid(0, np.zeros(3), LEVEL, MU)]), contact.box(0.4, 0.4, 0.2), 20.0, turn)
    body.place[:] = 0.1 * turn[:, 2]
    body.go(1.0, np.array([0.0, 0.0, -9.81]))
    start, place = body.velocity.copy(), body.place.copy()
    body.go(1.0, np.array([0.0, 0.0, -9.81]))
    along = float((body.velocity - start) @ -turn[:, 0])
    assert along == pytest.approx(away * 9.81 * (s - MU * c), abs=1e-3)
    if not away:
        assert np.linalg.norm(body.place - place) < 1e-5


def test_solid_contact_wall_pushes_a_wheel_along_the_axle() -> None:
    """The way out upwards would be longer."""
    wheel = Body(block((-1.0, 0.149, -0.5), (1.0, 1.0, 2.0)), contact.cylinder(0.25, 0.3), 50.0)
    force = wheel.press()
    assert force[1] < 0.0 and force[[0, 2]] == pytest.approx([0.0, 0.0])
    assert wheel.wrench.torque == pytest.approx([0.0, 0.0, 0.0])


def test_solid_contact_edge_pushes_a_rim_along_the_radius() -> None:
    """The edge of a step at half the radius pushes a wheel back and up, 30 degrees above the horizontal."""
    wheel = Body(block((0.0, -1.0, -1.0), (2.0, 1.0, 0.125)), contact.cylinder(0.25, 0.3), 50.0)
    wheel.place[:] = -0.2 * math.cos(math.radians(30.0)) - 0.0433, 0.0, 0.25
    force = wheel.press()
    assert math.degrees(math.atan2(force[2], -force[0])) == pytest.approx(30.0, abs=0.2)
    assert wheel.arrays.found[0, POINT_DEPTH] == pytest.approx(0.25 - math.hypot(wheel.place[0], 0.125), abs=1e-9)


def test_solid_contact_points_of_a_wheel_are_on_the_rock() -> None:
    """Also beside a rock with sharp corners: a force away from it would turn it without an equal work on the wheel.

    A point is at most one distance of discs, 25 mm, off the rock.
    """
    random = np.random.default_rng(5)
    beside = 0
    for _ in range(300):
        corners = random.normal(size=(8, 3))
        corners *= 0.15 / np.linalg.norm(corners, axis=1)[:, None]
        rock = Solids([convex_hull(corners)], [Solid(0, np.zeros(3), LEVEL, MU)])
        wheel = Body(rock, contact.cylinder(0.45, 0.2), 50.0)
        wheel.place[:] = random.uniform(-0.55, 0.55), random.choice((-1.0, 1.0)) * random.uniform(0.1, 0.25), 0.0
        wheel.place[2] = random.uniform(-0.55, 0.55)
        wheel.press()
        count = int(wheel.arrays.touched[0])
        for point in wheel.arrays.found[:count]:
            assert np.linalg.norm(point[:3]) < 0.15 + 0.025
            beside += abs(point[4]) > 0.99
    assert beside > 30


def test_solid_contact_normal_of_a_rim_is_the_gradient_of_its_depth() -> None:
    """Also where an edge of the rock crosses the plane of a disc at an angle: otherwise a turning rock gains energy.

    Depths below 1 mm, so that the bend of the rim over a depth is below 0.05.
    """
    random = np.random.default_rng(2)
    seen = inclined = 0
    for _ in range(2000):
        corners = random.normal(size=(10, 3))
        corners *= 0.15 / np.linalg.norm(corners, axis=1)[:, None]
        rock = Solids([convex_hull(corners)], [Solid(0, np.zeros(3), LEVEL, MU)])
        wheel = Body(rock, contact.cylinder(0.45, 0.2), 50.0)
        angle = random.uniform(-math.pi, math.pi)
        start = np.array([0.56 * math.cos(angle), random.uniform(-0.12, 0.12), 0.56 * math.sin(angle)])

        def depths(place: np.ndarray, wheel: Body = wheel) -> dict[int, tuple[float, np.ndarray]]:
            wheel.place[:] = place
            wheel.press()
            count = int(wheel.arrays.touched[0])
            points = zip(wheel.arrays.keys[:count].tolist(), wheel.arrays.found[:count].copy(), strict=True)
            return {key: (float(point[POINT_DEPTH]), point[3:6]) for key, point in points}

        there = depths(start)
        around = [[depths(start + sign * 1e-6 * axis) for sign in (-1.0, 1.0)] for axis in np.eye(3)]
        for key, (depth, normal) in there.items():
            if depth > 1e-3 or not all(key in at for pair in around for at in pair):
                continue
            # The wheel moves out along the normal: the depth shrinks at that rate.
            gradient = np.array([(a[key][0] - b[key][0]) / 2e-6 for a, b in around])
            if any(abs(a[key][0] + b[key][0] - 2.0 * depth) > 1e-8 for a, b in around):
                continue  # a vertex of the rock passes the disc
            assert gradient == pytest.approx(normal, abs=0.05)
            seen += 1
            inclined += 0.2 < abs(normal[1]) < 0.9
    assert seen > 100 and inclined > 50


def test_effective_mass_at_a_point_matches_the_closed_form() -> None:
    """1 / (1 / m + r^2 / J): the effective mass at the end of a rod is a quarter of its mass."""
    mass, length = 3.0, 2.0
    inverse = np.diag([1.0 / mass] * 3 + [12.0 / (mass * length**2)] * 3)
    assert effective_mass(inverse, 0.0, 0.0, 1.0, 0.0, -0.5 * length, 0.0) == pytest.approx(0.25 * mass)
    assert effective_mass(inverse, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0) == pytest.approx(mass)


def test_solid_search_matches_an_exhaustive_search() -> None:
    """The cells affect only the time; results are in the order of the numbers."""
    rng = np.random.default_rng(5)
    shape = convex_hull(list(itertools.product((-1.0, 1.0), repeat=3)))
    placed = [
        Solid(0, np.append(rng.uniform(-30.0, 30.0, 2), 0.0), np.diag(rng.uniform(0.05, 3.0, 3)), 0.8)
        for _ in range(300)
    ]
    solids = Solids([shape], placed)
    balls = np.column_stack((rng.uniform(-35.0, 35.0, (5, 2)), np.zeros(5), rng.uniform(0.1, 3.0, 5)))
    low, high = solids.placed.box[:, :3], solids.placed.box[:, 3:]
    gaps = [np.linalg.norm(np.maximum(np.maximum(low - b[:3], b[:3] - high), 0.0), axis=1) - b[3] for b in balls]
    found, met = solids_within(solids.cells, solids.placed.box, balls)
    assert found.tolist() == np.flatnonzero(np.min(gaps, axis=0) <= 0.0).tolist()
    assert met.tolist() == [bool((gap <= 0.0).any()) for gap in gaps]
    assert not len(solids_within(solids.cells, solids.placed.box, np.array([[1e9, 0.0, 0.0, 1.0]]))[0])


def test_mesh_of_two_cubes_gives_two_solids() -> None:
    """Otherwise the gap between them would be filled."""
    cube = convex_hull(list(itertools.product((0.0, 1.0), repeat=3)))
    triangles = cube.vertices[cube.triangles]
    found = pieces(np.concatenate((triangles, triangles + (3.0, 0.0, 0.0))))
    assert [piece[:, 0].tolist() for piece in map(np.array, found)] == [[0.0] * 4 + [1.0] * 4, [3.0] * 4 + [4.0] * 4]
