# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil windows of rigid bodies: bodies that may reach the same grid nodes share one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from regolith_terrain.grid.node_records import Floats, NodeRecords


def joint_windows(
    members: Sequence[int], position: Floats, margin: Sequence[float], spacing: float
) -> list[tuple[tuple[int, int, int, int], list[int]]]:
    """Return windows that contain all nodes within reach, each with its bodies; windows do not overlap.

    Args:
        members: Indices of the bodies.
        position: Positions of all bodies [m], shape (n, 3).
        margin: Distance from each of the members within which it needs soil [m].
        spacing: Grid node spacing [m].

    Returns:
        First row, end of the rows, first column and end of the columns of each window, and the indices of its bodies.
    """
    found: list[tuple[list[int], list[int]]] = []
    for n, far in zip(members, margin, strict=True):
        x, y = position[n, :2].tolist()
        box = [math.floor((x - far) / spacing), math.ceil((x + far) / spacing) + 1]
        box += [math.floor((y - far) / spacing), math.ceil((y + far) / spacing) + 1]
        mine = [n]
        while True:  # join with all that overlap, until none does
            hit = next((k for k, (other, _) in enumerate(found) if _overlap(box, other)), -1)
            if hit < 0:
                break
            other, more = found.pop(hit)
            box = [min(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), max(box[3], other[3])]
            mine += more
        found.append((box, sorted(mine)))
    return [((box[0], box[1], box[2], box[3]), mine) for box, mine in found]


def _overlap(a: Sequence[int], b: Sequence[int]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def joined_records(records: Sequence[NodeRecords], names: tuple[str, ...]) -> NodeRecords:
    """Return records of disjoint windows as one, sorted by (i, j)."""
    if not records:
        return NodeRecords.empty(names)
    if len(records) == 1:
        return records[0]
    i, j = np.concatenate([each.i for each in records]), np.concatenate([each.j for each in records])
    values = np.concatenate([each.table for each in records], axis=1)
    order = np.lexsort((j, i))
    return NodeRecords.from_values(i[order], j[order], values[:, order], names)
