# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil around rocks that lie in it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from bodies_on_ground import DENSITY, one_body, run, scm_parameters, tilted

from regolith_terrain.bodies import RigidBodies, shapes
from regolith_terrain.solids import rock_shapes


@pytest.mark.parametrize('half', [0.15, 0.02], ids=['grid', 'small'])
@pytest.mark.parametrize('buried', [0.15, 0.5])
def test_rock_in_its_bed_stays_at_rest(half: float, buried: float) -> None:
    """A cube with a level underside: the soil carries its weight from the first substep, so it moves by rounding only.

    The grid computes the larger cube, points the smaller one.
    """
    points = np.array(list(itertools.product((-half, half), repeat=3)))
    rock = one_body(shapes.hull(points), DENSITY * (2.0 * half) ** 3, scm_parameters(), spacing=0.02)
    assert rock.contact.small.tolist() == [half < 0.1]
    rock.position[0] = start = np.array([0.0, 0.0, half * (1.0 - 2.0 * buried)])
    rock.in_bed[0] = True
    track = run(rock, 1.0)
    np.testing.assert_allclose(track[:, :3], np.tile(start, (len(track), 1)), atol=1e-12)
    assert np.abs(track[:, 3:]).max() < 1e-12
    assert not rock.in_bed[0]


def bedded(tilt_deg: float, scale: float = 1.0) -> tuple[RigidBodies, np.ndarray]:
    """Return an awake rock that lies in the soil with 30 % of its height, and its position, on a tilted plane."""
    shape = shapes.hull(rock_shapes.scaled_rock(3)[0] * np.array([0.12, 0.10, 0.09]) * scale)
    gravity = tilted(tilt_deg)
    bodies = one_body(shape, DENSITY * shape.properties.volume, scm_parameters(), gravity, spacing=0.02)
    low, high = shape.points.place[:, 2].min(), shape.points.place[:, 2].max()
    bodies.place(0, np.array([0.003, 0.004, -low - 0.3 * (high - low)]))
    bodies.in_bed[0] = True
    return bodies, bodies.position[0].copy()


@pytest.mark.parametrize('scale', [1.0, 0.35])
def test_shape_of_a_rock_stays_at_rest_in_its_bed(scale: float) -> None:
    """It wakes and moves by less than 0.2 mm; the soil carries its weight within 1 %. The small one uses its points."""
    bodies, start = bedded(0.0, scale)
    assert bool(bodies.contact.small[0]) == (scale < 1.0)
    run(bodies, 2.0)
    assert np.abs(bodies.position[0] - start).max() < 2e-4
    assert bodies.contact_force[0, 2] == pytest.approx(bodies.mass[0] * 1.62, rel=0.01)


def test_rock_holds_on_a_slope_and_is_torn_out_of_a_steeper_one() -> None:
    """Its bed holds it beyond the friction angle of 37 deg; no soil holds a rock that stands out by 70 % at 65 deg."""
    bodies, start = bedded(40.0)
    run(bodies, 2.0)
    assert np.abs(bodies.position[0] - start).max() < 2e-3
    bodies, start = bedded(65.0)
    run(bodies, 2.0)
    assert bodies.position[0, 0] - start[0] > 0.1


def test_rock_leaves_its_hole_and_no_mass_moves() -> None:
    """The hole has the volume of the part of the rock below the surface within 5 %, the resolution of the grid."""
    bodies, start = bedded(0.0)
    run(bodies, 0.02)
    grid, shape = bodies.ground.grid, bodies.bodies[0].shape
    axis = 0.02 * np.arange(-12, 13)
    x, y = np.meshgrid(axis, axis, indexing='ij')
    depth = -grid.levels(x, y)
    corners = shape.points.place + start
    points = np.random.default_rng(1).uniform([-0.2, -0.2, -0.1], [0.2, 0.2, 0.0], (200_000, 3))
    planes = shape.solid.normals
    away = np.sum(planes * corners[shape.solid.triangles[:, 0]], axis=1)
    inside = (points @ planes.T <= away).all(axis=1)
    assert depth.sum() * 0.02**2 == pytest.approx(inside.mean() * 0.4 * 0.4 * 0.1, rel=0.05)
    assert float(np.abs(grid.window(-12, 13, -12, 13).mass_kgpm2).max()) == 0.0
