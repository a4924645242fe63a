# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground beyond the edges of an elevation model.

There is no data. If the height of the nearest edge continued without end, every feature of the edge would extend
outward as a straight ridge or valley, and all of them would meet at the horizon. It does so for 30 m, so that vehicles
near the edge meet the heights of the posts. From there on it is averaged along the edge over as far as the place is
away. The ground is continuous, between the lowest and the highest post of the edges, and level at a distance.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.height_field import Heights
from regolith_world.numerics import kernel

KEPT_M = 30.0
"""Distance from the edge up to which its height continues as it is [m]."""
BLENDED_M = 30.0
"""Distance over which the height at the edge turns into the mean along it from there on [m]."""
_HEIGHT, _INTEGRAL = 0, 1


@kernel
def edge_profiles(posts: Heights) -> Heights:
    """Return the heights along the four edges [m] and their integrals from the first post, shape (4, 2, most posts).

    The edges are those of the first and of the last index along the first axis, then along the second one.
    """
    ni, nj = posts.shape
    out = np.zeros((4, 2, max(ni, nj)))
    for side in range(2):
        for k in range(nj):
            out[side, _HEIGHT, k] = posts[side * (ni - 1), k]
        for k in range(ni):
            out[2 + side, _HEIGHT, k] = posts[k, side * (nj - 1)]
    for edge in range(4):
        for k in range(1, out.shape[2]):
            step = 0.5 * (out[edge, _HEIGHT, k - 1] + out[edge, _HEIGHT, k])
            out[edge, _INTEGRAL, k] = out[edge, _INTEGRAL, k - 1] + step
    return out


@kernel
def _integral(profile: Heights, count: int, at: float) -> float:
    """Return the integral of the heights of an edge of ``count`` posts from its first one to a place in posts.

    The edge continues as its own mirror image beyond both ends.
    """
    last = count - 1
    turns = math.floor(at / (2.0 * last))
    at -= 2.0 * last * turns
    back = at > last
    at = min(max(2.0 * last - at if back else at, 0.0), float(last))
    k = min(int(at), last - 1)
    t = at - k
    height, rise = profile[_HEIGHT, k], profile[_HEIGHT, k + 1] - profile[_HEIGHT, k]
    part = profile[_INTEGRAL, k] + t * (height + 0.5 * t * rise)
    whole = profile[_INTEGRAL, last]
    return float(2.0 * turns * whole + (2.0 * whole - part if back else part))


@kernel
def height_beyond(
    z: float, u: float, v: float, ni: int, nj: int, spacing: float, spacing_across: float, edges: Heights
) -> float:
    """Return the height [m] at a place outside the posts.

    From :data:`KEPT_M` on it is the mean height along the edge over as far as the place is away, to both sides. Beside
    a corner both edges count, each by the square of the distance from it. The choice is specific to Regolith.

    Args:
        z: Height of the nearest place on the edge, from which it begins [m].
        u: Place along the first axis in posts.
        v: Place along the second axis in posts.
        ni: Number of posts along the first axis.
        nj: Number of posts along the second axis.
        spacing: Distance of posts along the first axis [m].
        spacing_across: Distance of posts along the second axis [m].
        edges: See :func:`edge_profiles`.

    Tests: test_raster.py::test_ground_beyond_the_edge_is_continuous_and_becomes_level.
    """
    along = max(-u, u - (ni - 1.0), 0.0) * spacing
    across = max(-v, v - (nj - 1.0), 0.0) * spacing_across
    away = math.sqrt(along * along + across * across)
    if away <= KEPT_M:
        return z
    mean = 0.0
    if along > 0.0:
        edge, half = edges[0 if u < 0.0 else 1], max(away / spacing_across, 0.5)
        part = (_integral(edge, nj, v + half) - _integral(edge, nj, v - half)) / (2.0 * half)
        mean += along * along * part
    if across > 0.0:
        edge, half = edges[2 if v < 0.0 else 3], max(away / spacing, 0.5)
        part = (_integral(edge, ni, u + half) - _integral(edge, ni, u - half)) / (2.0 * half)
        mean += across * across * part
    t = min((away - KEPT_M) / BLENDED_M, 1.0)
    return z + t * t * (3.0 - 2.0 * t) * (mean / (away * away) - z)
