# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Detail of meshes that is finer than their triangles: fractured facets of rocks, and dust on vehicles.

Both change the look alone. Shapes, ranges and classes are those of the triangles. They are functions of places in the
frame of the mesh, so they turn and move with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from regolith_sensors.arrays import Single, Singles
from regolith_sensors.surfaces.meshes import Mesh, corner_normals
from regolith_world.numerics import kernel
from regolith_world.random import mix_bits

CORNER_NORMALS, CORNER_DUST, CORNER_PLACES, PER_HALF, CORNER_COLUMNS = 0, 9, 12, 21, 22
"""Columns of the corners of a triangle: normals (9), shares of dust (3), places in the mesh frame [m] (9); and the
inverse of half the mesh's largest extent [1/m]."""

_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_FRACTURE = (
    (np.float32(2.3), np.float32(0.75)),
    (np.float32(5.7), np.float32(0.5)),
    (np.float32(9.7), np.float32(0.7)),
    (np.float32(31.0), np.float32(0.6)),
)
"""Cells per half extent of a rock, and their strength: two levels of facets, then two of smooth bumps."""
_SPOTS = ((np.float32(2.9), np.float32(0.5)), (np.float32(13.0), np.float32(0.35)))
"""Spots of dust per meter, and how much they change its share."""
_FACET_KEY, _GRIT_KEY, _SPOT_KEY = np.uint64(0xFACE), np.uint64(0x6217), np.uint64(0xD057)
_TO_UNIT = np.float32(2.0**-21)
_BITS = np.uint64(0x1FFFFF)


def corner_table(mesh: Mesh) -> Singles:
    """Return the columns of the corners of a mesh's triangles, shape (m, 22)."""
    table = np.zeros((len(mesh.triangles), CORNER_COLUMNS), np.float32)
    if not len(table):
        return table
    table[:, CORNER_NORMALS:CORNER_DUST] = corner_normals(mesh)
    if mesh.dust is not None:
        table[:, CORNER_DUST:CORNER_PLACES] = mesh.dust
    table[:, CORNER_PLACES:PER_HALF] = mesh.vertices[mesh.triangles].reshape(-1, 9)
    table[:, PER_HALF] = 2.0 / max(float(np.ptp(mesh.vertices, axis=0).max()), 1e-6)
    return table


@kernel(views_only=True, forceinline=True)
def _cell(x: Single) -> int:
    n = int(x)
    return n - 1 if x < np.float32(n) else n


@kernel(views_only=True, forceinline=True)
def _word(key: np.uint64, i: int, j: int, k: int) -> Any:
    """Return random bits of a cell of a lattice."""
    # The cells of a mesh are fewer than 2^20 along each axis.
    place = (np.uint64(i + 1048576) << np.uint64(42)) + (np.uint64(j + 1048576) << np.uint64(21))
    return mix_bits(place + np.uint64(k + 1048576) + mix_bits(key))


@kernel(views_only=True, forceinline=True)
def _parts(word: np.uint64) -> tuple[Single, Single, Single]:
    """Return three numbers in [0, 1) of the bits of a word."""
    a, b, c = word & _BITS, (word >> np.uint64(21)) & _BITS, (word >> np.uint64(42)) & _BITS
    return np.float32(a) * _TO_UNIT, np.float32(b) * _TO_UNIT, np.float32(c) * _TO_UNIT


@kernel(views_only=True)
def facet(key: np.uint64, x: Single, y: Single, z: Single) -> tuple[Single, Single, Single]:
    """Return the tilt of the facet at a place: three numbers in [-1, 1], the same within a Voronoi cell of unit size.

    Source: worley1996.
    Checked by: test_mesh_detail.py::test_facets_are_flat_cells_of_unit_size.
    """
    i, j, k = _cell(x), _cell(y), _cell(z)
    least, nearest = np.float32(1e9), np.uint64(0)
    for a in range(i - 1, i + 2):
        for b in range(j - 1, j + 2):
            for c in range(k - 1, k + 2):
                word = _word(key, a, b, c)
                u, v, w = _parts(word)
                u, v, w = np.float32(a) + u - x, np.float32(b) + v - y, np.float32(c) + w - z
                away2 = u * u + v * v + w * w
                if away2 < least:
                    least, nearest = away2, word
    u, v, w = _parts(mix_bits(nearest))
    return _TWO * u - _ONE, _TWO * v - _ONE, _TWO * w - _ONE


@kernel(views_only=True)
def _smooth_noise(key: np.uint64, x: Single, y: Single, z: Single) -> tuple[Single, Single, Single]:
    """Return three numbers in [-1, 1] that change smoothly over cells of unit size."""
    i, j, k = _cell(x), _cell(y), _cell(z)
    u, v, w = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    u, v = u * u * (np.float32(3.0) - _TWO * u), v * v * (np.float32(3.0) - _TWO * v)
    w = w * w * (np.float32(3.0) - _TWO * w)
    p = q = r = -_ONE
    for corner in range(8):
        a, b, c = corner >> 2, corner >> 1 & 1, corner & 1
        weight = _TWO * (u if a else _ONE - u) * (v if b else _ONE - v) * (w if c else _ONE - w)
        first, second, third = _parts(_word(key, i + a, j + b, k + c))
        p, q, r = p + weight * first, q + weight * second, r + weight * third
    return p, q, r


@kernel(views_only=True)
def fracture(x: Single, y: Single, z: Single, footprint: Single) -> tuple[Single, Single, Single]:
    """Return the tilt of the surface of a rock, three numbers of about one half.

    Args:
        x: Place in half extents of the rock.
        y: The same along y.
        z: The same along z.
        footprint: Width of a pixel on it, in the same unit. Facets narrower than that fade.
    """
    out_x = out_y = out_z = _ZERO
    for level in range(4):
        dense, strength = _FRACTURE[level]
        shown = strength * min(max(_ONE - footprint * dense, _ZERO), _ONE)
        if shown > _ZERO:
            if level < 2:
                u, v, w = facet(_FACET_KEY + np.uint64(1 + level), dense * x, dense * y, dense * z)
            else:
                u, v, w = _smooth_noise(_GRIT_KEY + np.uint64(level - 1), dense * x, dense * y, dense * z)
            out_x, out_y, out_z = out_x + shown * u, out_y + shown * v, out_z + shown * w
    return out_x, out_y, out_z


@kernel(views_only=True)
def spotted(share: Single, x: Single, y: Single, z: Single, footprint: Single) -> Single:
    """Return the share of dust at a place of a mesh, 0 to 0.95, where its mean share around that place is given.

    Args:
        share: Mean share.
        x: Place in the mesh frame [m].
        y: The same along y.
        z: The same along z.
        footprint: Width of a pixel on it [m]. Spots narrower than that fade.
    """
    change = _ZERO
    key = _SPOT_KEY
    for dense, strength in _SPOTS:
        shown = strength * min(max(_ONE - footprint * dense, _ZERO), _ONE)
        key += np.uint64(1)
        if shown > _ZERO:
            value, _, _ = _smooth_noise(key, dense * x, dense * y, dense * z)
            change += shown * value
    return min(max(share * (_ONE + change), _ZERO), np.float32(0.95))


@kernel(views_only=True, forceinline=True)
def bulge(corners: Singles, matrix: Singles, b: Single, c: Single, x: Single, y: Single, z: Single) -> Single:
    """Return the height of the smooth surface above a point of a triangle, so that facets do not shadow themselves.

    It is the mean of the heights of the three tangent planes above the point, as far as they are above it.

    Args:
        corners: Row of :func:`corner_table`.
        matrix: Row-major matrix that transforms normals to the world, shape (9,).
        b: Barycentric coordinate of the second corner.
        c: That of the third corner.
        x: Point in the mesh frame [m].
        y: The same along y.
        z: The same along z.

    Source: hanika2021.
    Checked by: test_mesh_detail.py::test_ball_has_no_facets_at_its_terminator.
    """
    height = _ZERO
    for n in range(3):
        share = _ONE - b - c if n == 0 else (b if n == 1 else c)
        p, q, r = corners[3 * n], corners[3 * n + 1], corners[3 * n + 2]
        at = CORNER_PLACES + 3 * n
        below = p * (corners[at] - x) + q * (corners[at + 1] - y) + r * (corners[at + 2] - z)
        if below > _ZERO:
            wx = matrix[0] * p + matrix[1] * q + matrix[2] * r
            wy = matrix[3] * p + matrix[4] * q + matrix[5] * r
            wz = matrix[6] * p + matrix[7] * q + matrix[8] * r
            height += share * below / math.sqrt(max(wx * wx + wy * wy + wz * wz, np.float32(1e-12)))
    return height
