# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbor search of DEM: counting sort of balls into cells, then lists of pairs within a skin.

Rows are in ascending order for any cells, so sums over them do not depend on when the lists were built.
"""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.contact import MEMORY
from regolith_testbeds.dem.parts import PLANE, distance
from regolith_testbeds.dem.state import BodyArrays, GrainArrays, Ints, Pairs, PartPairs, empty_pairs, empty_part_pairs
from regolith_world.numerics import kernel

_MOST_CELLS_PER_BALL = 64


def find_pairs(grains: GrainArrays, old: Pairs, skin: float) -> Pairs:
    """Return pairs of balls of different grains closer than the skin [m], with kept contact memories.

    Args:
        grains: Arrays of the grains.
        old: Previous pairs; contacts keep their memory.
        skin: Largest distance of the surfaces of a pair [m].

    Raises:
        ValueError: If grains are scattered too far apart, for example after too large a step.
    """
    balls = len(grains.ball)
    low, high = grains.ball[:, :3].min(axis=0), grains.ball[:, :3].max(axis=0)
    cell = 2.0 * float(grains.ball[:, 3].max()) + skin
    shape = np.floor((high - low) / cell) + 1.0
    if not np.isfinite(shape).all() or shape.prod() > _MOST_CELLS_PER_BALL * (balls + 1000):
        raise ValueError(f'grains are spread over {np.prod(shape):.3g} cells; allowed: grains that stay together')
    counts = shape.astype(np.int64)
    begin = np.zeros(int(counts.prod()) + 1, dtype=np.int64)
    order = np.empty(balls, dtype=np.int64)
    _sort_into_cells(grains.ball, low, cell, counts, begin, order)
    per = len(grains.offset)
    start = np.zeros(balls + 1, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    _neighbors(grains.ball, per, low, cell, counts, begin, order, skin, start, none)
    pairs = empty_pairs(balls, int(start[-1]))
    pairs.start[:] = start
    _neighbors(grains.ball, per, low, cell, counts, begin, order, skin, pairs.start, pairs.other)
    _remember(pairs.start, pairs.other, pairs.slip, pairs.touching, old.start, old.other, old.slip, old.touching)
    _turn_round(pairs)
    grains.built[:] = grains.ball[:, :3]
    return pairs


def find_part_pairs(grains: GrainArrays, bodies: BodyArrays, old: PartPairs, skin: float) -> PartPairs:
    """Return the parts of bodies closer to each ball than the skin [m], with kept contact memories."""
    balls = len(grains.ball)
    start = np.zeros(balls + 1, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    _near_parts(grains.ball, bodies, skin, start, none)
    pairs = empty_part_pairs(balls, int(start[-1]))
    pairs.start[:] = start
    _near_parts(grains.ball, bodies, skin, pairs.start, pairs.part)
    _remember(pairs.start, pairs.part, pairs.slip, pairs.touching, old.start, old.part, old.slip, old.touching)
    return pairs


@kernel(views_only=True)
def _sort_into_cells(ball: Floats, low: Floats, cell: float, counts: Ints, begin: Ints, order: Ints) -> None:
    """Sort balls into cells, x fastest, by counting; writes begin (cells + 1) and order."""
    n = ball.shape[0]
    for i in range(n):
        begin[_cell_of(ball, i, low, cell, counts) + 1] += 1
    for c in range(begin.shape[0] - 1):
        begin[c + 1] += begin[c]
    for i in range(n):
        c = _cell_of(ball, i, low, cell, counts)
        order[begin[c]] = i
        begin[c] += 1
    for c in range(begin.shape[0] - 1, 0, -1):
        begin[c] = begin[c - 1]
    begin[0] = 0


@kernel(views_only=True)
def _cell_of(ball: Floats, i: int, low: Floats, cell: float, counts: Ints) -> int:
    a = min(int((ball[i, 0] - low[0]) / cell), counts[0] - 1)
    b = min(int((ball[i, 1] - low[1]) / cell), counts[1] - 1)
    c = min(int((ball[i, 2] - low[2]) / cell), counts[2] - 1)
    cell_number: int = (c * counts[1] + b) * counts[0] + a
    return cell_number


@kernel(views_only=True)
def _neighbors(
    ball: Floats,
    per: int,
    low: Floats,
    cell: float,
    counts: Ints,
    begin: Ints,
    order: Ints,
    skin: float,
    start: Ints,
    other: Ints,
) -> None:
    """Count the neighbors with larger number of each ball, or write them in ascending order if ``other`` is not
    empty.
    """
    counting = other.shape[0] == 0
    total = 0
    for i in range(ball.shape[0]):
        a = min(int((ball[i, 0] - low[0]) / cell), counts[0] - 1)
        b = min(int((ball[i, 1] - low[1]) / cell), counts[1] - 1)
        c = min(int((ball[i, 2] - low[2]) / cell), counts[2] - 1)
        row = total
        for cc in range(max(c - 1, 0), min(c + 2, counts[2])):
            for bb in range(max(b - 1, 0), min(b + 2, counts[1])):
                line = (cc * counts[1] + bb) * counts[0]
                # Cells adjacent along x are adjacent in order.
                for at in range(begin[line + max(a - 1, 0)], begin[line + min(a + 2, counts[0])]):
                    j = order[at]
                    if j <= i or j // per == i // per:
                        continue
                    reach = ball[i, 3] + ball[j, 3] + skin
                    dx, dy, dz = ball[i, 0] - ball[j, 0], ball[i, 1] - ball[j, 1], ball[i, 2] - ball[j, 2]
                    if dx * dx + dy * dy + dz * dz >= reach * reach:
                        continue
                    if not counting:
                        k = total
                        while k > row and other[k - 1] > j:
                            other[k] = other[k - 1]
                            k -= 1
                        other[k] = j
                    total += 1
        if counting:
            start[i + 1] = total


@kernel(views_only=True)
def _near_parts(ball: Floats, bodies: BodyArrays, skin: float, start: Ints, part: Ints) -> None:
    """Count the parts near each ball, or write them if ``part`` is not empty."""
    counting = part.shape[0] == 0
    total = 0
    for i in range(ball.shape[0]):
        reach = ball[i, 3] + skin
        for q in range(bodies.part_body.shape[0]):
            if bodies.part_kind[q] != PLANE:
                b = bodies.part_body[q]
                far = bodies.reach[b] + reach
                dx = ball[i, 0] - bodies.place[b, 0]
                dy = ball[i, 1] - bodies.place[b, 1]
                dz = ball[i, 2] - bodies.place[b, 2]
                if dx * dx + dy * dy + dz * dz >= far * far:
                    continue
            if distance(bodies, q, ball[i, 0], ball[i, 1], ball[i, 2])[0] >= reach:
                continue
            if not counting:
                part[total] = q
            total += 1
        if counting:
            start[i + 1] = total


@kernel(views_only=True)
def _remember(
    start: Ints,
    other: Ints,
    slip: Floats,
    touching: Ints,
    old_start: Ints,
    old_other: Ints,
    old_slip: Floats,
    old_touching: Ints,
) -> None:
    """Copy the memory of contacts from old rows to new ones; both are in ascending order."""
    for i in range(start.shape[0] - 1):
        p = old_start[i]
        for k in range(start[i], start[i + 1]):
            while p < old_start[i + 1] and old_other[p] < other[k]:
                p += 1
            if p < old_start[i + 1] and old_other[p] == other[k] and old_touching[p] != 0:
                touching[k] = 1
                for column in range(MEMORY):
                    slip[k, column] = old_slip[p, column]


@kernel(views_only=True)
def _turn_round(pairs: Pairs) -> None:
    """List the rows in which each ball is the second."""
    begin = pairs.back_start
    n = begin.shape[0] - 1
    for p in range(pairs.other.shape[0]):
        begin[pairs.other[p] + 1] += 1
    for j in range(n):
        begin[j + 1] += begin[j]
    for p in range(pairs.other.shape[0]):
        j = pairs.other[p]
        pairs.back[begin[j]] = p
        begin[j] += 1
    for j in range(n, 0, -1):
        begin[j] = begin[j - 1]
    begin[0] = 0
