# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of mass properties of bodies, and of hulls with few facets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from regolith_terrain.bodies import polyhedron_properties, reduced_hull, shapes
from regolith_terrain.solids.polyhedron import convex_hull

CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def points_of(kind: str, count: int = 60) -> np.ndarray:
    """Return points on a sphere, a cylinder or a capsule of radius 0.3 and half length 0.5."""
    angle = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    ring = np.column_stack((np.cos(angle), np.sin(angle)))
    if kind == 'cylinder':
        return np.concatenate([np.column_stack((0.3 * ring, np.full(count, z))) for z in (-0.5, 0.5)])
    rows = []
    for up in np.linspace(-0.5 * math.pi, 0.5 * math.pi, count):
        z = 0.3 * math.sin(up) + (0.0 if kind == 'sphere' else math.copysign(0.5, up))
        rows.append(np.column_stack((0.3 * math.cos(up) * ring, np.full(count, z))))
    return np.concatenate(rows)


def test_hull_of_a_box_has_its_mass_properties() -> None:
    half = np.array([0.3, 0.2, 0.1])
    solid = convex_hull(CORNERS * half)
    found, box = polyhedron_properties(solid.vertices, solid.triangles), shapes.box(half).properties
    assert found.volume == pytest.approx(box.volume, rel=1e-12)
    assert found.inertia == pytest.approx(box.inertia, abs=1e-15)
    assert np.diag(box.inertia) == pytest.approx(np.array([0.05, 0.10, 0.13]) / 3.0)


@pytest.mark.parametrize('kind', ['sphere', 'cylinder', 'capsule'])
def test_hull_of_a_fine_mesh_has_the_inertia_of_its_shape(kind: str) -> None:
    """Within 1 %: 60 facets around a circle have 0.4 % less than its area."""
    shape = {'sphere': shapes.sphere(0.3), 'cylinder': shapes.cylinder(0.3, 0.5), 'capsule': shapes.capsule(0.3, 0.5)}
    solid = convex_hull(points_of(kind))
    found, closed = polyhedron_properties(solid.vertices, solid.triangles), shape[kind].properties
    assert found.volume == pytest.approx(closed.volume, rel=0.01)
    assert found.inertia == pytest.approx(closed.inertia, rel=0.01, abs=1e-9)


def test_mass_properties_do_not_depend_on_the_origin() -> None:
    solid = convex_hull(np.random.default_rng(2).normal(size=(40, 3)))
    here = polyhedron_properties(solid.vertices, solid.triangles)
    there = polyhedron_properties(solid.vertices + (5.0, -3.0, 2.0), solid.triangles)
    assert there.volume == pytest.approx(here.volume, rel=1e-11)
    assert there.center == pytest.approx(here.center + (5.0, -3.0, 2.0), rel=1e-11)
    assert there.inertia == pytest.approx(here.inertia, rel=1e-9, abs=1e-10)


def test_inverted_and_flat_solids_are_refused() -> None:
    solid = convex_hull(CORNERS)
    with pytest.raises(ValueError, match=r'inverted .* counterclockwise'):
        polyhedron_properties(solid.vertices, solid.triangles[:, ::-1])
    with pytest.raises(ValueError, match='no volume'):
        polyhedron_properties(CORNERS * (1.0, 1.0, 0.0), solid.triangles)
    with pytest.raises(ValueError, match='no volume'):
        shapes.hull(CORNERS * (1.0, 1.0, 0.0))


def test_reduced_hull_keeps_volume_and_size() -> None:
    points = np.random.default_rng(4).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    whole, few = convex_hull(points), reduced_hull(points)
    assert len(few.vertices) == 34
    assert len(few.triangles) <= 64
    full, own = (polyhedron_properties(each.vertices, each.triangles) for each in (whole, few))
    assert own.volume == pytest.approx(full.volume, rel=1e-12)
    assert np.linalg.norm(few.vertices, axis=1).max() < 1.2


def test_hull_is_about_its_center_of_mass() -> None:
    shape = shapes.hull(CORNERS * 0.2 + (1.0, 2.0, 3.0))
    assert shape.properties.center == pytest.approx((1.0, 2.0, 3.0))
    assert shape.reach == pytest.approx(0.2 * math.sqrt(3.0))
