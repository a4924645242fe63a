# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Volume, center of mass and inertia of homogeneous solids; hulls with few facets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.polyhedron import Polyhedron, convex_hull
from regolith_world.objects import box_inertia, capsule_inertia, cylinder_inertia, sphere_inertia

MOST_VERTICES = 34
"""Largest number of vertices of a hull: a convex hull of 34 vertices has at most 64 triangles."""


class MassProperties(NamedTuple):
    """Volume and, for unit mass, inertia of a homogeneous solid."""

    volume: float
    """Volume [m^3]."""
    center: Floats
    """Center of mass [m], shape (3,)."""
    inertia: Floats
    """Inertia about the center of mass per unit of mass [m^2], shape (3, 3)."""


def sphere_properties(radius: float) -> MassProperties:
    """Return those of a sphere [m]."""
    return MassProperties(4.0 / 3.0 * math.pi * radius**3, np.zeros(3), sphere_inertia(1.0, radius))


def box_properties(half: Floats) -> MassProperties:
    """Return those of a box with these half lengths [m], shape (3,)."""
    return MassProperties(8.0 * float(half[0] * half[1] * half[2]), np.zeros(3), box_inertia(1.0, half))


def cylinder_properties(radius: float, half: float) -> MassProperties:
    """Return those of a cylinder about z with this half length [m]."""
    volume = 2.0 * math.pi * radius * radius * half
    return MassProperties(volume, np.zeros(3), cylinder_inertia(1.0, radius, half))


def capsule_properties(radius: float, half: float) -> MassProperties:
    """Return those of a capsule about z whose straight part has this half length [m]."""
    volume = 2.0 * math.pi * radius * radius * (half + 2.0 / 3.0 * radius)
    return MassProperties(volume, np.zeros(3), capsule_inertia(1.0, radius, half))


def polyhedron_properties(vertices: Floats, triangles: NDArray[np.int64]) -> MassProperties:
    """Return those of a closed polyhedron, as sums over the tetrahedra of its facets and the origin.

    Args:
        vertices: Vertices [m], shape (n, 3).
        triangles: Corners of the facets, counterclockwise from outside, shape (m, 3).

    Raises:
        ValueError: If the facets enclose no volume, or are wound clockwise (an inverted solid).

    Source: mirtich1996.
    Checked by: test_bodies_shapes.py::test_hull_of_a_box_has_its_mass_properties,
    test_bodies_shapes.py::test_mass_properties_do_not_depend_on_the_origin.
    """
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b, c in vertices[triangles]:
        six = float(
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        total = a + b + c
        volume += six / 6.0
        first += six / 24.0 * total
        for corner in (a, b, c, total):
            second += six / 120.0 * corner[:, None] * corner[None, :]
    size = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 0.0
    if not volume > 1e-9 * size**3:
        problem = 'is inverted (its facets are clockwise from outside)' if volume < 0.0 else 'has no volume'
        raise ValueError(f'a solid of {volume:.3g} m^3 {problem}; allowed: facets counterclockwise from outside')
    center = first / volume
    moments = second / volume - center[:, None] * center[None, :]
    return MassProperties(volume, center, np.eye(3) * float(moments[0, 0] + moments[1, 1] + moments[2, 2]) - moments)


def reduced_hull(points: ArrayLike) -> Polyhedron:
    """Return the convex hull of points [m], with at most 64 triangles and the volume of the full hull.

    A hull of more than 34 vertices keeps the extreme ones along the axes. The vertex that is farthest outside of those
    kept follows, one after the other. The result is scaled about its center of mass.

    Raises:
        ValueError: If the points have no volume.

    Source: mirtich1996.
    Checked by: test_bodies_shapes.py::test_reduced_hull_keeps_volume_and_size.
    """
    whole = convex_hull(points)
    vertices = whole.vertices
    if len(vertices) <= MOST_VERTICES:
        return whole
    kept = sorted({int(pick(vertices[:, axis])) for axis in range(3) for pick in (np.argmin, np.argmax)})
    for more in range(len(vertices)):  # extreme vertices along the axes may lie in one plane
        if len(kept) >= 4 and _is_solid(vertices[kept]):
            break
        kept = sorted({*kept, more})
    while len(kept) < MOST_VERTICES:
        hull = convex_hull(vertices[kept])
        corner = hull.vertices[hull.triangles[:, 0]]
        outside = np.max(
            np.einsum('vk,tk->vt', vertices, hull.normals) - np.einsum('tk,tk->t', corner, hull.normals), axis=1
        )
        kept = sorted({*kept, int(np.argmax(outside))})
    hull = convex_hull(vertices[kept])
    own, full = polyhedron_properties(hull.vertices, hull.triangles), polyhedron_properties(vertices, whole.triangles)
    scale = (full.volume / own.volume) ** (1.0 / 3.0)
    return convex_hull(own.center + scale * (hull.vertices - own.center))


def _is_solid(points: Floats) -> bool:
    try:
        convex_hull(points)
    except ValueError:
        return False
    return True
