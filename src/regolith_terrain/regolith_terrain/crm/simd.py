# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""SIMD access to neighbors: eight at a time, for processors with wide registers.

A kernel gathers the neighbors within reach, eight side by side, quantity by quantity. Then it computes the same sums in
each lane, and adds the lanes in a fixed order at the end. So results depend neither on the register width nor on
threads. The compiler detects independent lanes only if all its reads and writes are at fixed positions of one array. So
eight neighbors are copied to the position of the sums. Gathering all of them first is faster than eight at a time,
because values just written one by one cannot be read in one access at once.
"""

from __future__ import annotations

import numpy as np

from regolith_terrain.crm.arrays import SOIL, XX, XY, YY, YZ, ZX, ZZ, Bytes, Floats, Neighbors, U, V, W, X, Y, Z
from regolith_world.numerics import kernel

LANES = 8
CHUNK = 96
"""Number of neighbors gathered at a time: usually all."""
# Start of eight values each: the particle's position minus the neighbor's [m], the neighbor's velocity [m/s] and stress
# [Pa], 1 for soil and 0 for markers; then sums.
DX, DY, DZ, LU, LV, LW, LXX, LYY, LZZ, LXY, LYZ, LZX, IS_SOIL, SUMS = range(0, 14 * LANES, LANES)
GATHERED = CHUNK // LANES * SUMS
"""Number of values of gathered neighbors; values of lanes and sums follow."""


@kernel(views_only=True)
def gather(
    particles: Floats,
    kind: Bytes,
    near: Neighbors,
    row: int,
    support: float,
    run: int,
    place: int,
    end: int,
    gathered: Floats,
) -> tuple[int, int, int, int]:
    """Gather neighbors within reach; return their number and the position to continue: run, place, end.

    Start with run -1, and place and end at the start of the list. The list is complete when fewer than CHUNK are found.
    Unused lanes are far out of reach.

    Args:
        particles: Particles, shape (n, 12).
        kind: SOIL or MARKER, shape (n,).
        near: Neighbor lists.
        row: Row of the particle.
        support: Square of the kernel's reach [m^2].
        run: Number of the run, -1 at the start.
        place: Position in the lists.
        end: End of the run in the lists.
        gathered: Output: values of the neighbors.
    """
    offsets = near.offsets
    x, y, z = particles[row, X], particles[row, Y], particles[row, Z]
    column = near.cell[row] // near.height
    level = near.cell[row] - column * near.height
    count = start = 0
    xr, yr = x, y
    if run >= 0:
        start = near.first[near.around[column, run] * near.height + level - 1]
        xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
    while True:
        while place < end:
            other = np.uintp(start + offsets[place])
            place += 1
            dx, dy, dz = xr - particles[other, X], yr - particles[other, Y], z - particles[other, Z]
            if dx * dx + dy * dy + dz * dz >= support:
                continue
            # Unsigned: a signed index could count from the end, which Numba would check.
            at = np.uintp((count >> 3) * SUMS + (count & 7))
            gathered[at + np.uintp(DX)] = dx
            gathered[at + np.uintp(DY)] = dy
            gathered[at + np.uintp(DZ)] = dz
            gathered[at + np.uintp(LU)] = particles[other, U]
            gathered[at + np.uintp(LV)] = particles[other, V]
            gathered[at + np.uintp(LW)] = particles[other, W]
            gathered[at + np.uintp(LXX)] = particles[other, XX]
            gathered[at + np.uintp(LYY)] = particles[other, YY]
            gathered[at + np.uintp(LZZ)] = particles[other, ZZ]
            gathered[at + np.uintp(LXY)] = particles[other, XY]
            gathered[at + np.uintp(LYZ)] = particles[other, YZ]
            gathered[at + np.uintp(LZX)] = particles[other, ZX]
            gathered[at + np.uintp(IS_SOIL)] = 1.0 if kind[other] == SOIL else 0.0
            count += 1
            if count == CHUNK:
                return count, run, place, end
        run += 1
        if run == 9:
            break
        start = near.first[near.around[column, run] * near.height + level - 1]
        xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
        end = place + 1 + offsets[place]
        place += 1
    for spare in range(count, (count + LANES - 1) // LANES * LANES):
        at = np.uintp((spare >> 3) * SUMS + (spare & 7))
        gathered[at + np.uintp(DX)] = 1e3 * (1.0 + support)
        for column in range(DY, SUMS, LANES):
            gathered[at + np.uintp(column)] = 0.0
    return count, run, place, end


@kernel(views_only=True, inline='always')
def lane_sum(lanes: Floats, at: int) -> float:
    """Return a sum over all lanes."""
    first: float = (lanes[at] + lanes[at + 1]) + (lanes[at + 2] + lanes[at + 3])
    last: float = (lanes[at + 4] + lanes[at + 5]) + (lanes[at + 6] + lanes[at + 7])
    return first + last
