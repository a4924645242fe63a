# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Polygonal outlines of soil regions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def crossing(corners: Sequence[tuple[float, float]]) -> tuple[int, int] | None:
    """Return the numbers of two sides that intersect outside a common corner; None for a simple polygon.

    Side k is from corner k to the next one. Sides of zero length intersect their neighbors. So do sides that fold back
    over the previous one.

    Args:
        corners: Corners x, y [m], shape (n, 2), in order.
    """
    start = np.array(corners, dtype=np.float64)
    end = np.roll(start, -1, axis=0)
    n = len(start)
    way = end - start
    short = np.flatnonzero(~way.any(axis=1))
    if len(short):
        return int(short[0]), int(short[0] + 1) % n
    for k in range(n):
        # The next side shares a corner: it intersects only if it folds back along this one.
        ahead = way[(k + 1) % n]
        if _cross(way[k], ahead) == 0.0 and way[k][0] * ahead[0] + way[k][1] * ahead[1] < 0.0:
            return k, (k + 1) % n
        others = np.arange(k + 2, n - (k == 0))
        if not len(others):
            continue
        a, b, c, d = start[k], end[k], start[others], end[others]
        sides = _cross(b - a, c - a), _cross(b - a, d - a), _cross(d - c, a - c), _cross(d - c, b - c)
        apart = (np.maximum(a, b) < np.minimum(c, d)) | (np.minimum(a, b) > np.maximum(c, d))
        meets = (sides[0] * sides[1] <= 0.0) & (sides[2] * sides[3] <= 0.0) & ~apart.any(axis=1)
        if meets.any():
            return k, int(others[np.flatnonzero(meets)[0]])
    return None


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
