# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of point cloud messages to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_KINDS = {1: 'i1', 2: 'u1', 3: 'i2', 4: 'u2', 5: 'i4', 6: 'u4', 7: 'f4', 8: 'f8'}
"""NumPy type names of the constants of ``sensor_msgs/PointField``."""


def points_of(message: Any) -> Vector:
    """Return x, y, z of the returns of a ``sensor_msgs/PointCloud2``, shape (n, 3) [m], without misses (NaN).

    Args:
        message: Object with the fields of such a message.
    """
    order = '>' if message.is_bigendian else '<'
    fields = {field.name: field for field in message.fields}
    kind = np.dtype(
        {
            'names': ['x', 'y', 'z'],
            'formats': [order + _KINDS[fields[name].datatype] for name in 'xyz'],
            'offsets': [fields[name].offset for name in 'xyz'],
            'itemsize': message.point_step,
        }
    )
    if message.row_step == message.point_step * message.width:
        points = np.frombuffer(message.data, kind, count=message.width * message.height)
    else:
        rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.row_step)
        points = np.ascontiguousarray(rows[:, : message.point_step * message.width]).view(kind).ravel()
    out = np.stack([points[name] for name in 'xyz'], axis=-1).astype(np.float64)
    return out[np.isfinite(out).all(axis=1)]
