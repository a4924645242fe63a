# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid bodies on rigid terrain: rows 4, 5, 6 and 9 of the acceptance of bodies, restitution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_on_ground import MOON, block, one_body, rigid_parameters, run, tilted

from regolith_terrain.bodies import BodySteps, shapes
from regolith_terrain.bodies.shapes import BodyShape
from regolith_terrain.solids.point_force import damping_ratio


def test_row_4_ball_rolls_on_a_rigid_slope_with_five_sevenths_of_gravity() -> None:
    """a = 5/7 g sin(th), within 1 %; friction 0.5 holds the ball up to tan(th) = 1.75."""
    for angle in (10.0, 30.0, 55.0):
        bodies = one_body(shapes.sphere(0.15), 41.0, rigid_parameters(friction=0.5), tilted(angle))
        bodies.place(0, np.array([0.0, 0.0, 0.15]))
        track = run(bodies, 2.0)
        speeds = track[24:, 3]
        expected = 5.0 / 7.0 * MOON * math.sin(math.radians(angle))
        assert (speeds[-1] - speeds[0]) / (0.02 * (len(speeds) - 1)) == pytest.approx(expected, rel=0.01)
        assert bodies.spin[0, 1] * 0.15 == pytest.approx(speeds[-1], rel=0.02)


def test_row_4_ball_slides_on_a_steep_rigid_slope() -> None:
    """Above tan(th) = 3.5 mu: a = g (sin - mu cos), within 1 %."""
    angle = math.radians(65.0)
    bodies = one_body(shapes.sphere(0.15), 41.0, rigid_parameters(friction=0.5), tilted(65.0))
    bodies.place(0, np.array([0.0, 0.0, 0.15]))
    speeds = run(bodies, 2.0)[24:, 3]
    expected = MOON * (math.sin(angle) - 0.5 * math.cos(angle))
    assert (speeds[-1] - speeds[0]) / (0.02 * (len(speeds) - 1)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize('kind', ['box', 'hull'])
def test_row_5_block_tips_at_the_ratio_of_its_sides(kind: str) -> None:
    """tan(th) = w / h = 0.5, within 0.5 deg, where friction is large."""
    half = np.array([0.1, 0.1, 0.2])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    critical = math.degrees(math.atan(0.5))
    shape = shapes.box(half) if kind == 'box' else shapes.hull(corners)
    gravity = tilted(critical - 1.0)
    bodies = one_body(shape, 20.0, rigid_parameters(friction=5.0), gravity)
    bodies.place(0, np.array([0.0, 0.0, 0.2]), velocity=(0.0, 0.0, 0.0))
    run(bodies, 1.0)
    angle = critical - 1.0
    while abs(float(bodies.orientation[0, 1])) < 0.02:  # the slope rises by 0.1 deg/s
        angle += 0.002
        bodies.arrays.gravity[:] = tilted(angle)
        BodySteps(bodies).advance(0.02, [0])
    assert angle == pytest.approx(critical, abs=0.5)


@pytest.mark.parametrize('kind', ['box', 'hull', 'cylinder'])
def test_row_6_block_on_rigid_ground_holds_below_the_friction_angle(kind: str) -> None:
    """It slides above atan(mu), within 1 deg."""
    half = np.array([0.15, 0.15, 0.05])
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    shape = {'box': shapes.box(half), 'hull': shapes.hull(corners), 'cylinder': shapes.cylinder(0.15, 0.05)}[kind]
    critical, speed = math.degrees(math.atan(0.5)), {}
    for angle in (critical - 1.0, critical + 1.0):
        bodies = one_body(shape, 50.0, rigid_parameters(friction=0.5), tilted(angle))
        bodies.place(0, np.array([0.0, 0.0, 0.05]))
        speed[angle < critical] = abs(float(run(bodies, 3.0)[-1, 3]))
    assert speed[True] < 1e-3
    assert speed[False] > 0.03


@pytest.mark.parametrize('restitution', [0.2, 0.5, 0.8])
def test_ball_rebounds_with_its_restitution(restitution: float) -> None:
    """The height of the rebound is e^2 of the drop; the contact takes several substeps, so within 0.03 of e."""
    bodies = one_body(shapes.sphere(0.15), 41.0, rigid_parameters(stiffness_npm=1e6), restitution=restitution)
    bodies.place(0, np.array([0.0, 0.0, 0.65]))
    top, bounced = 0.0, False
    for _ in range(200):
        BodySteps(bodies).advance(0.02, [0])
        bounced = bounced or bool(bodies.velocity[0, 2] > 0.0)
        top = max(top, float(bodies.position[0, 2]) - 0.15) if bounced else 0.0
    assert math.sqrt(top / 0.5) == pytest.approx(restitution, abs=0.03)
    assert damping_ratio(restitution) < damping_ratio(0.1)


CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.15, 0.12, 0.12)
EIGHTH = math.radians(22.5)


@pytest.mark.parametrize('ground', ['rigid terrain', 'obstacle'])
@pytest.mark.parametrize(
    ('shape', 'low', 'turn'),
    [
        (shapes.box((0.15, 0.12, 0.12)), 0.12, None),
        (shapes.box((0.3, 0.3, 0.05)), 0.05, None),
        (shapes.box((0.05, 0.05, 0.4)), 0.4, None),
        (shapes.box((0.1, 0.1, 0.1)), 0.1 * math.sqrt(2.0), (math.sin(EIGHTH), 0.0, 0.0, math.cos(EIGHTH))),
        (shapes.cylinder(0.15, 0.1), 0.1, None),
        (shapes.hull(CUBE), 0.12, None),
    ],
    ids=['box', 'plate', 'column', 'edge of a box', 'cylinder', 'hull'],
)
def test_box_rebounds_with_its_restitution(
    ground: str, shape: BodyShape, low: float, turn: tuple[float, ...] | None
) -> None:
    """Several points land at once, and the body leaves at e times its speed, without a spin.

    The spring of a contact is as stiff as the substep allows, so an impact takes few substeps, and e has an error of up
    to 0.1. Dampers for the effective mass of each point alone made it larger by 0.1 to 0.25.
    """
    solids, base = (None, 0.0) if ground == 'rigid terrain' else (block((-1, -1, 0.5), (1, 1, 1)), 1.0)
    for restitution in (0.2, 0.5, 0.8):
        bodies = one_body(shape, 60.0, rigid_parameters(), gravity=1e-9, solids=solids, restitution=restitution)
        axes = None if turn is None else np.array(turn)
        bodies.place(0, np.array([0.0, 0.0, base + low + 0.01]), axes, velocity=(0.0, 0.0, -1.0))
        run(bodies, 0.2)
        assert restitution - 0.1 < bodies.velocity[0, 2] < restitution + 0.05
        assert np.abs(bodies.spin[0]).max() < 1e-6


@pytest.mark.parametrize('kind', ['sphere', 'box', 'capsule', 'cylinder', 'hull'])
def test_row_9_energy_of_a_body_in_free_flight_never_grows_on_rigid_ground(kind: str) -> None:
    random = np.random.default_rng(7)
    shape = {
        'sphere': lambda: shapes.sphere(0.1),
        'box': lambda: shapes.box((0.15, 0.1, 0.08)),
        'capsule': lambda: shapes.capsule(0.08, 0.12),
        'cylinder': lambda: shapes.cylinder(0.1, 0.12),
        'hull': lambda: shapes.hull(random.normal(size=(60, 3)) * 0.1),
    }[kind]()
    bodies = one_body(shape, 20.0, rigid_parameters(), restitution=0.6)
    turn = random.normal(size=4)
    bodies.place(0, np.array([0.0, 0.0, 0.8]), turn / np.linalg.norm(turn), spin=random.normal(size=3))
    energy = bodies.energy(0)
    flights = 0
    for _ in range(400):
        BodySteps(bodies).advance(0.02, [0])
        if np.abs(bodies.contact_force[0]).max() == 0.0:
            assert bodies.energy(0) <= energy * (1.0 + 1e-9)
            energy, flights = bodies.energy(0), flights + 1
    assert flights > 10
    if kind in ('box', 'hull'):  # the others roll on
        assert np.abs(bodies.velocity[0]).max() < 1e-3
