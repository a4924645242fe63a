# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rock shapes for rays and wheel contact, and the selection of rocks of a site."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.lunar.rocks import RockField, Rocks
from regolith_terrain.solids.polyhedron import Polyhedron, convex_hull
from regolith_world.numerics import portable_math
from regolith_world.random import generator

Indices = NDArray[np.int64]
"""Array of indices of vertices."""

SHAPES = 12
"""Number of shapes; rock k has shape ``Rocks.shape[k] % SHAPES``."""
MOST = 60_000
"""Largest number of rocks of a site, which must fit into an instance image of 16 bits."""
FRACTION_BELOW_SURFACE = 0.3
"""Fraction of each rock's height below the surface."""
CONTACT_M = 0.05
"""Largest width of rocks that are pressed into the soil and have no contact [m]."""
_LEAST_M = 0.03
_SITE_LIMIT_M = 400.0


def icosphere(subdivisions: int) -> tuple[Floats, Indices]:
    """Return vertices and triangles of a unit sphere of 20 x 4^n triangles."""
    g = 0.5 * (1.0 + np.sqrt(5.0))
    vertices = [
        (-1, g, 0),
        (1, g, 0),
        (-1, -g, 0),
        (1, -g, 0),
        (0, -1, g),
        (0, 1, g),
        (0, -1, -g),
        (0, 1, -g),
        (g, 0, -1),
        (g, 0, 1),
        (-g, 0, -1),
        (-g, 0, 1),
    ]
    faces = [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
    points = [np.array(v) / portable_math.norm(np.array(v)) for v in vertices]
    for _ in range(subdivisions):
        middle: dict[tuple[int, int], int] = {}
        split = []
        for a, b, c in faces:
            halves = []
            for p, q in ((a, b), (b, c), (c, a)):
                key = (min(p, q), max(p, q))
                if key not in middle:
                    middle[key] = len(points)
                    m = points[p] + points[q]
                    points.append(m / portable_math.norm(m))
                halves.append(middle[key])
            ab, bc, ca = halves
            split += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = split
    return np.array(points), np.array(faces)


def rock(number: int, subdivisions: int = 3) -> tuple[Floats, Indices]:
    """Return vertices and triangles of an irregular rock of about unit radius: a cut and roughened sphere.

    Cuts create the facets and edges of broken rock. Smooth noise rounds them slightly, as micrometeorites do. Axial
    ratios are about 1 : 0.8 : 0.6, those of lunar fragments (Demidov & Basilevsky 2014 find heights of half the width).

    Args:
        number: Number of the rock; each number gives another shape.
        subdivisions: Number of subdivisions: 2 gives 320 triangles, 3 gives 1280.
    """
    rng = generator(number, 'rock', 'shape', 0)
    sphere, triangles = icosphere(subdivisions)
    radius = np.ones(len(sphere))
    for _ in range(14):
        normal = rng.standard_normal(3)
        normal /= portable_math.norm(normal)
        reach = portable_math.times(sphere, normal)
        with np.errstate(divide='ignore'):
            radius = np.minimum(radius, np.where(reach > 1e-6, rng.uniform(0.62, 0.95) / reach, np.inf))
    for frequency, size in ((2.0, 0.06), (5.0, 0.025), (11.0, 0.010)):
        waves = rng.standard_normal((6, 3)) * frequency
        radius = radius + size * np.mean(
            portable_math.each(math.sin, portable_math.times(sphere, waves.T) + rng.uniform(0.0, 6.3, 6)), axis=1
        )
    axes = np.array([1.0, rng.uniform(0.7, 0.95), rng.uniform(0.5, 0.75)])
    return sphere * radius[:, None] * axes, triangles


def scaled_rock(number: int) -> tuple[Floats, Indices]:
    """Return vertices and triangles of a rock, scaled to half widths of 1 along every axis."""
    vertices, triangles = rock(number, 2)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return (2.0 * vertices - low - high) / (high - low), triangles


@cache
def rock_hulls() -> tuple[Polyhedron, ...]:
    """Return the convex hulls of all shapes, scaled to half widths of 1 along every axis, by number."""
    return tuple(convex_hull(scaled_rock(number)[0]) for number in range(SHAPES))


def site_rocks(field: RockField, size_m: float) -> Rocks:
    """Return the rocks in a square of ``size_m`` (at most 400 m) about the origin, in order of x, then y.

    Of more than 60 000 rocks, the smallest ones of the whole site are omitted.
    """
    half = 0.5 * min(size_m, _SITE_LIMIT_M)
    least = _LEAST_M
    rocks = field.rocks_in(-half, half, -half, half, least)
    while len(rocks) > MOST:
        least *= 1.25
        rocks = field.rocks_in(-half, half, -half, half, least)
    # The order of a catalog depends on the box of the query, but the number of a rock must not.
    order = np.lexsort((rocks.y, rocks.x))
    return Rocks(**{name: values[order] for name, values in rocks.columns().items()})  # type: ignore[arg-type]


def placed(rocks: Rocks) -> tuple[Floats, Floats]:
    """Return the centers of rocks [m] and their half widths along their own axes [m], shape (n, 3) each."""
    half = 0.5 * rocks.height / (1.0 - FRACTION_BELOW_SURFACE)
    middles = np.stack((rocks.x, rocks.y, rocks.z + rocks.height - half), axis=1)
    return middles, np.stack((0.5 * rocks.diameter, 0.5 * rocks.diameter * rocks.aspect, half), axis=1)
