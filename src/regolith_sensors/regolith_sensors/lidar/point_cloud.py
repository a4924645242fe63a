# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A lidar's sweep as the bytes of a point cloud."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.lidar.sweep import Scan

POINT = np.dtype(
    {
        'names': ['x', 'y', 'z', 'intensity', 'ring', 'return_type', 'time', 'range'],
        'formats': ['<f4', '<f4', '<f4', '<f4', '<u2', '<u1', '<f4', '<f4'],
        'offsets': [0, 4, 8, 12, 16, 18, 20, 24],
        'itemsize': 28,
    }
)
"""One point: place in the sensor's frame at the moment of its beam [m], intensity, ring, kind of return
(:data:`regolith_sensors.lidar.sweep.RETURN_TYPES`), time since the beginning of the sweep [s], range [m]."""


def point_cloud(scan: Scan, organised: bool = False) -> NDArray[np.void]:
    """Return a sweep as points.

    :param organised: False: the returns alone, in the order of time, shape (1, n). True: every beam, rings by columns,
        shape (returns * rings, columns), the rows of a second return below those of the first; without a return x, y, z
        are NaN and the range is +inf (no return) or -inf (too near) (REP 117).
    """
    returns, columns, rings = scan.range.shape
    there = np.isfinite(scan.range.transpose(1, 2, 0))

    def arranged(values: NDArray[Any]) -> NDArray[Any]:
        if organised:
            return values.transpose(0, 2, 1).reshape(returns * rings, columns)
        return values.transpose(1, 2, 0)[there][None, :]

    # Field by field into zeros: copies of whole records leave undefined bytes between the fields.
    points = np.zeros(arranged(scan.range).shape, dtype=POINT)
    for axis, name in enumerate('xyz'):
        points[name] = arranged(scan.points[..., axis])
    for name in ('intensity', 'ring', 'return_type', 'time', 'range'):
        points[name] = arranged(getattr(scan, name))
    return points
