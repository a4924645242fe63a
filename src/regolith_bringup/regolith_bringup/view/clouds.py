# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of point cloud messages to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {1: 'i1', 2: 'u1', 3: 'i2', 4: 'u2', 5: 'i4', 6: 'u4', 7: 'f4', 8: 'f8'}
"""NumPy types by the datatype numbers of sensor_msgs/PointField."""


def columns_of(message: Any) -> dict[str, NDArray[np.float64]]:
    """Return the values of a sensor_msgs/PointCloud2 by field, without points that have no finite position.

    Args:
        message: Point cloud.

    Raises:
        ValueError: If its points have no x, y, z.
    """
    names = [str(f.name) for f in message.fields]
    if not {'x', 'y', 'z'} <= set(names):
        raise ValueError(f'a cloud of {", ".join(names) or "nothing"}; allowed: x, y, z among its fields')
    order = '>' if message.is_bigendian else '<'
    layout = np.dtype(
        {
            'names': names,
            'formats': [order + _TYPES[int(f.datatype)] for f in message.fields],
            'offsets': [int(f.offset) for f in message.fields],
            'itemsize': int(message.point_step),
        }
    )
    raw = np.ascontiguousarray(message.data, dtype=np.uint8).tobytes()
    width, height = int(message.width), int(message.height)
    rows = [np.frombuffer(raw, layout, width, k * int(message.row_step)) for k in range(height if width else 0)]
    table = np.concatenate(rows) if rows else np.zeros(0, layout)
    finite = np.isfinite(table['x']) & np.isfinite(table['y']) & np.isfinite(table['z'])
    return {name: table[name][finite].astype(np.float64) for name in names}
