# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil windows of rigid bodies: bodies that may reach the same grid nodes share one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

Indices = NDArray[np.int64]


def joint_windows(
    members: Indices, position: Floats, margin: Floats, spacing: float
) -> list[tuple[tuple[int, int, int, int], list[int]]]:
    """Return windows that contain all nodes within reach, each with its bodies; windows do not overlap.

    Args:
        members: Indices of the bodies, ascending, shape (k,).
        position: Positions of all bodies [m], shape (n, 3).
        margin: Distance from each of the members within which it needs soil [m], shape (k,).
        spacing: Grid node spacing [m].

    Returns:
        First row, end of the rows, first column and end of the columns of each window, and the indices of its bodies.
    """
    low, high = position[members, :2] - margin[:, None], position[members, :2] + margin[:, None]
    box = np.empty((len(members), 4), dtype=np.int64)
    box[:, ::2], box[:, 1::2] = np.floor(low / spacing), np.ceil(high / spacing) + 1
    window = np.empty(len(members), dtype=np.int64)
    _join_overlapping(box, window)
    found: dict[int, list[int]] = {}
    for n, k in zip(members.tolist(), window.tolist(), strict=True):
        found.setdefault(k, []).append(n)
    return [((a, b, c, d), found[k]) for k, (a, b, c, d) in enumerate(box.tolist()) if k in found]


@kernel(views_only=True)
def _join_overlapping(box: Indices, window: Indices) -> None:
    """Join boxes until none overlap: write the last box of each union to ``window`` and the union to its row.

    Args:
        box: In/out: first row, end row, first column and end column of each box, shape (k, 4).
        window: Output: row of the union that contains each box, shape (k,).
    """
    for k in range(box.shape[0]):
        window[k] = k
        other = 0
        while other < k:
            if (
                window[other] != other
                or box[k, 0] >= box[other, 1]
                or box[other, 0] >= box[k, 1]
                or box[k, 2] >= box[other, 3]
                or box[other, 2] >= box[k, 3]
            ):
                other += 1
                continue
            for a in range(0, 4, 2):
                box[k, a], box[k, a + 1] = min(box[k, a], box[other, a]), max(box[k, a + 1], box[other, a + 1])
            for n in range(k):
                if window[n] == other:
                    window[n] = k
            other = 0
