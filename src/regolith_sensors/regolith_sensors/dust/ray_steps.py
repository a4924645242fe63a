# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Way of rays through dust: one step per cell, with the density in the middle of the way through it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Ints, Single, Singles
from regolith_sensors.dust.density import BITS, BLOCK, BLOCKS, CELL, FIRST, HIGH, LAST, LOW, SIDE, DensityGrid
from regolith_world.numerics import kernel

_LEAST = 1e-12
START, LENGTH, DEPTH, PLACE, LEVEL, NUMBER = 0, 1, 2, 3, 6, 7
"""Columns of the steps of a ray: distance of the start and length [m], optical depth, place in the middle in cells of
its block (three columns), level, and number of the block."""
STEP_COLUMNS = 8


@kernel(views_only=True, forceinline=True)
def inverse(d: float) -> float:
    """Return the inverse of a component of a direction, whose magnitude is taken as 1e-12 at least."""
    return 1.0 / (d if abs(d) > _LEAST else _LEAST)


@kernel(views_only=True, forceinline=True)
def _walk(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    level: int,
    x: float,
    y: float,
    z: float,
    ix: float,
    iy: float,
    iz: float,
    far: float,
    written: bool,
    count: int,
    steps: Singles,
) -> tuple[int, Single]:
    """Return the number of steps written so far and the optical depth; see :func:`cross` and :func:`depth_along`.

    If ``written`` is false, no step is written.
    """
    depth = np.float32(0.0)
    x0, x1 = (levels[level, LOW] - x) * ix, (levels[level, HIGH] - x) * ix
    y0, y1 = (levels[level, LOW + 1] - y) * iy, (levels[level, HIGH + 1] - y) * iy
    z0, z1 = (levels[level, LOW + 2] - z) * iz, (levels[level, HIGH + 2] - z) * iz
    t = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), 0.0))
    far = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), far))
    if not t < far:
        return count, depth
    first, ny, nz = int(levels[level, FIRST]), int(levels[level, BLOCKS + 1]), int(levels[level, BLOCKS + 2])
    ex, ey, ez = int(levels[level, BLOCKS]) << BITS, ny << BITS, nz << BITS
    # From here on in cells.
    size = levels[level, CELL]
    scale = 1.0 / size
    ox, oy, oz = (x - levels[level, 0]) * scale, (y - levels[level, 1]) * scale, (z - levels[level, 2]) * scale
    dx, dy, dz = scale / ix, scale / iy, scale / iz
    gx, gy, gz = abs(size * ix), abs(size * iy), abs(size * iz)
    mx, my, mz = 1 if ix > 0.0 else 0, 1 if iy > 0.0 else 0, 1 if iz > 0.0 else 0
    while t < far and (not written or count < steps.shape[0]):
        # A little ahead, so that rounding does not return to the cell before.
        ahead = t + 1e-6
        i, j, k = int(math.floor(ox + dx * ahead)), int(math.floor(oy + dy * ahead)), int(math.floor(oz + dz * ahead))
        if i < 0 or j < 0 or k < 0 or i >= ex or j >= ey or k >= ez:
            break
        bi, bj, bk = i >> BITS, j >> BITS, k >> BITS
        block = lookup[first + (bi * ny + bj) * nz + bk]
        if block < 0:
            leave = min(((bi + mx << BITS) - ox) * size * ix, ((bj + my << BITS) - oy) * size * iy)
            t = max(min(leave, ((bk + mz << BITS) - oz) * size * iz), ahead)
            continue
        # Through the cells of this block.
        tx, ty, tz = (i + mx - ox) * size * ix, (j + my - oy) * size * iy, (k + mz - oz) * size * iz
        while t < far and (not written or count < steps.shape[0]):
            until = min(min(tx, ty), min(tz, far))
            p, q, r = i & LAST, j & LAST, k & LAST
            if until > t and filled[(block * BLOCK + p << 2 * BITS) + (q << BITS) + r]:
                middle = 0.5 * (t + until)
                u = min(max(ox + dx * middle - i, 0.0), 1.0)
                v = min(max(oy + dy * middle - j, 0.0), 1.0)
                w = min(max(oz + dz * middle - k, 0.0), 1.0)
                at = ((block * SIDE + p) * SIDE + q) * SIDE + r
                beta = trilinear(extinction, SIDE, at, u, v, w)
                tau = np.float32(beta * (until - t))
                depth += tau
                if written:
                    steps[count, START], steps[count, LENGTH], steps[count, DEPTH] = t, until - t, tau
                    steps[count, PLACE], steps[count, PLACE + 1], steps[count, PLACE + 2] = p + u, q + v, r + w
                    steps[count, LEVEL], steps[count, NUMBER] = level, block
                    count += 1
            t = max(until, t)
            if until >= far:
                break
            if tx <= ty and tx <= tz:
                i += 1 if mx else -1
                tx += gx
            elif ty <= tz:
                j += 1 if my else -1
                ty += gy
            else:
                k += 1 if mz else -1
                tz += gz
            if i >> BITS != bi or j >> BITS != bj or k >> BITS != bk:
                break
    return count, depth


@kernel(views_only=True)
def cross(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    level: int,
    x: float,
    y: float,
    z: float,
    ix: float,
    iy: float,
    iz: float,
    far: float,
    count: int,
    steps: Singles,
) -> int:
    """Write the steps of a ray through the cells with dust of a level; return the number of steps written so far.

    Args:
        levels: See :class:`DensityGrid`.
        lookup: See :class:`DensityGrid`.
        filled: See :class:`DensityGrid`.
        extinction: See :class:`DensityGrid`.
        level: Index of the level.
        x: Start of the ray relative to the scene origin [m].
        y: The same along y.
        z: The same along z.
        ix: Inverse of the unit direction, see :func:`inverse`.
        iy: The same along y.
        iz: The same along z.
        far: Distance at which the ray ends [m].
        count: Number of steps written before.
        steps: Output: steps, whose columns are named above, shape (most, 8).

    Source: amanatides1987.
    Checked by: test_dust_optics.py::test_slab_has_its_transmission.
    """
    return int(_walk(levels, lookup, filled, extinction, level, x, y, z, ix, iy, iz, far, True, count, steps)[0])


@kernel(views_only=True, forceinline=True)
def trilinear(values: Singles, side: int, at: int, u: float, v: float, w: float) -> Any:
    """Return a value between eight points of a cube with ``side`` points along each edge; ``at`` is the lowest one."""
    low = (1.0 - w) * values[at] + w * values[at + 1]
    next_low = (1.0 - w) * values[at + side] + w * values[at + side + 1]
    at += side * side
    high = (1.0 - w) * values[at] + w * values[at + 1]
    next_high = (1.0 - w) * values[at + side] + w * values[at + side + 1]
    return (1.0 - u) * ((1.0 - v) * low + v * next_low) + u * ((1.0 - v) * high + v * next_high)


@kernel(views_only=True, forceinline=True)
def _copy(steps: Singles, source: int, target: int) -> None:
    for column in range(STEP_COLUMNS):
        steps[target, column] = steps[source, column]


@kernel(views_only=True)
def cross_all(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    x: float,
    y: float,
    z: float,
    dx: float,
    dy: float,
    dz: float,
    far: float,
    steps: Singles,
) -> int:
    """Write the steps of a ray through all levels, in the order of their starts; return their number.

    See :func:`cross`, and :func:`most_steps` for the length of the output.

    Tests: test_dust_optics.py::test_steps_of_all_levels_are_in_order.
    """
    count, ix, iy, iz = 0, inverse(dx), inverse(dy), inverse(dz)
    for level in range(levels.shape[0]):
        before = count
        count = cross(levels, lookup, filled, extinction, level, x, y, z, ix, iy, iz, far, before, steps)
        if before == 0 or count == before:
            continue
        # Merge from the end. The steps of this level go out of the way first.
        shift = steps.shape[0] - count
        for k in range(count - 1, before - 1, -1):
            _copy(steps, k, k + shift)
        here, end = before - 1, steps.shape[0] - 1
        for k in range(count - 1, -1, -1):
            if end < before + shift:
                break
            if here >= 0 and steps[here, START] > steps[end, START]:
                _copy(steps, here, k)
                here -= 1
            else:
                _copy(steps, end, k)
                end -= 1
    return count


@kernel(views_only=True)
def depth_along(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    x: float,
    y: float,
    z: float,
    dx: float,
    dy: float,
    dz: float,
    far: float,
) -> Single:
    """Return the optical depth of a ray, see :func:`cross`.

    Tests: test_dust_optics.py::test_steps_of_all_levels_are_in_order.
    """
    depth, ix, iy, iz = np.float32(0.0), inverse(dx), inverse(dy), inverse(dz)
    none = levels[:0]
    for level in range(levels.shape[0]):
        depth += _walk(levels, lookup, filled, extinction, level, x, y, z, ix, iy, iz, far, False, 0, none)[1]
    return depth


def most_steps(grid: DensityGrid) -> int:
    """Return the length of outputs that have space for the steps of any ray, and for merging them."""
    return 2 * sum(BLOCK * int(shape.sum()) + 8 for shape in grid.levels[:, BLOCKS:FIRST])
