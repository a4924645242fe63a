# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid bodies on static solids."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from bodies_on_ground import MOON, block, bodies_in_flight, one_body, rigid_parameters, run

from regolith_terrain.bodies import shapes
from regolith_terrain.solids.distance import nearest_on_axis, solid_distance


def test_distance_from_a_cube_is_that_of_its_face_edge_and_corner() -> None:
    near = block((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)).near(np.array([0]))
    for place, away, normal in (
        ((0.2, 0.3, 1.5), 0.5, (0.0, 0.0, 1.0)),
        ((1.3, 0.1, 1.4), 0.5, (0.6, 0.0, 0.8)),
        ((1.2, 1.4, 1.4), 0.6, (1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0)),
        ((0.9, 0.3, 0.2), -0.1, (1.0, 0.0, 0.0)),
    ):
        found = solid_distance(near, 0, *place, math.inf)
        assert found[0] == pytest.approx(away, rel=1e-12)
        assert found[1:] == pytest.approx(normal, abs=1e-12)


def test_place_on_an_axis_nearest_to_a_solid() -> None:
    near = block((0.5, -1.0, -1.0), (2.0, 1.0, 1.0), None).near(np.array([0]))
    # The edge x = 0.5, z = 1 is 0.5 m from the line, in the direction between the normals of its two faces.
    at = nearest_on_axis(near, 0, np.array([-0.6, 0.0, 0.8]), 0.8, 0.0, 0.6, 3.0)
    assert at == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize('kind', ['sphere', 'box', 'capsule', 'cylinder'])
def test_body_rests_on_a_table(kind: str) -> None:
    """Its load is its weight, and it has entered the table by less than 1 mm."""
    shape, half = {
        'sphere': (shapes.sphere(0.1), 0.1),
        'box': (shapes.box((0.15, 0.1, 0.08)), 0.08),
        'capsule': (shapes.capsule(0.08, 0.12), 0.08),
        'cylinder': (shapes.cylinder(0.1, 0.12), 0.1),
    }[kind]
    solids = block((-0.5, -0.5, 0.0), (0.5, 0.5, 0.5))
    bodies = one_body(shape, 10.0, rigid_parameters(), solids=solids)
    # Capsule and cylinder lie on their sides.
    lying = None if kind in ('sphere', 'box') else np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
    bodies.place(0, np.array([0.0, 0.0, 0.5 + half + 0.02]), lying)
    track = run(bodies, 3.0)
    assert track[-1, 2] == pytest.approx(0.5 + half, abs=1e-3)
    assert bodies.contact_force[0] == pytest.approx((0.0, 0.0, 10.0 * MOON), abs=0.02 * 10.0 * MOON)


def test_ball_rolls_down_a_ramp_with_five_sevenths_of_gravity() -> None:
    angle = math.radians(15.0)
    turn = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    bodies = one_body(shapes.sphere(0.1), 10.0, rigid_parameters(), solids=block((-3, -1, 1.0), (3, 1, 3.0), turn))
    bodies.place(0, turn @ np.array([-2.5, 0.0, 3.1]))
    track = run(bodies, 1.5)
    speed = np.linalg.norm(track[:, 3:], axis=1)
    expected = 5.0 / 7.0 * MOON * math.sin(angle)
    assert (speed[-1] - speed[24]) / (0.02 * (len(speed) - 25)) == pytest.approx(expected, rel=0.01)


def test_ball_stops_before_a_wall() -> None:
    bodies = one_body(shapes.sphere(0.1), 10.0, rigid_parameters(), solids=block((1.0, -1.0, -0.5), (1.2, 1.0, 1.0)))
    bodies.place(0, np.array([0.0, 0.0, 0.1]), velocity=(1.0, 0.0, 0.0), spin=(0.0, 10.0, 0.0))
    track = run(bodies, 3.0)
    assert 0.85 < track[:, 0].max() < 0.902


@pytest.mark.parametrize(
    ('shapes_of_both', 'reach'), [(('box', 'box'), 0.2), (('box', 'sphere'), 0.22), (('hull', 'box'), 0.2)]
)
def test_bodies_that_collide_part_with_the_larger_restitution(shapes_of_both: tuple[str, str], reach: float) -> None:
    """Relative speed after over before, on the line of their centers.

    It is smaller by up to 0.1, as for one body. Small values are larger by up to 0.15: the spring of a pair is not
    softened for its damper, because towers tremble on soft springs.
    """
    corners = np.array(list(itertools.product((-0.1, 0.1), repeat=3)))
    made = {'box': shapes.box((0.1, 0.1, 0.1)), 'sphere': shapes.sphere(0.12), 'hull': shapes.hull(corners)}
    for restitution in (0.2, 0.5, 0.8):
        one, other = (made[kind] for kind in shapes_of_both)
        bodies = bodies_in_flight((one, 20.0, restitution), (other, 12.0, 0.0))
        bodies.place(0, np.array([-0.5 * reach - 0.01, 0.0, 5.0]), velocity=(0.6, 0.0, 0.0))
        bodies.place(1, np.array([0.5 * reach + 0.01, 0.0, 5.0]), velocity=(-0.4, 0.0, 0.0))
        run(bodies, 0.2)
        apart = bodies.velocity[1, 0] - bodies.velocity[0, 0]
        assert restitution - 0.1 < apart < restitution + 0.15
        momentum = 20.0 * bodies.velocity[0] + 12.0 * bodies.velocity[1]
        assert momentum == pytest.approx((20.0 * 0.6 - 12.0 * 0.4, 0.0, 0.0), abs=1e-12)


def test_ball_that_spins_on_a_table_is_slowed_by_friction_of_its_contact() -> None:
    """3 pi / 16 mu N a, with Hertz's a = sqrt(R d) at its depth d."""
    radius, mass = 0.1, 5.0
    bodies = one_body(shapes.sphere(radius), mass, rigid_parameters(), solids=block((-1, -1, 0.0), (1, 1, 0.5)))
    bodies.place(0, np.array([0.0, 0.0, 0.5 + radius]))
    run(bodies, 0.5)
    deep = 0.5 + radius - float(bodies.position[0, 2])
    rate = 3.0 * math.pi / 16.0 * 0.5 * mass * MOON * math.sqrt(radius * deep) / (0.4 * mass * radius**2)
    bodies.spin[0] = (0.0, 0.0, rate)
    run(bodies, 0.5)
    assert bodies.spin[0, 2] == pytest.approx(0.5 * rate, rel=0.02)
    run(bodies, 1.0)
    assert abs(bodies.spin[0]).max() < 1e-6
