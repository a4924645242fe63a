# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Topic of moving soil: a point cloud whose points are the values of surfels."""

from __future__ import annotations

from typing import Any

import numpy as np

from regolith_terrain.contact.surfels import Surfels

SURFEL_TOPIC = 'soil_surfels'
"""Topic name below that of the vehicle."""
SURFEL_FIELDS = (
    'x',
    'y',
    'z',
    'normal_x',
    'normal_y',
    'normal_z',
    'radius',
    'bend_xx',
    'bend_yy',
    'bend_zz',
    'bend_xy',
    'bend_yz',
    'bend_zx',
)
"""Fields of a point, each float32: the values of :class:`regolith_terrain.contact.surfels.Surfels` in their order."""
SURFEL_BYTES = 4 * len(SURFEL_FIELDS)
"""Size of a surfel in a message [B]."""


def surfels_record(message: Any) -> tuple[int, Surfels]:
    """Return time [ns] and surfels of a sensor_msgs/PointCloud2 from a topic or a recording.

    Args:
        message: Message of the topic.

    Raises:
        ValueError: If its points have other fields.
    """
    if message.point_step != SURFEL_BYTES:
        allowed = f'{SURFEL_BYTES}, {", ".join(SURFEL_FIELDS)}'
        raise ValueError(f'point_step = {message.point_step}: does not match the fields of surfels; allowed: {allowed}')
    stamp = message.header.stamp
    table = np.frombuffer(bytes(message.data), '<f4').reshape(-1, len(SURFEL_FIELDS)).astype(np.float64)
    return stamp.sec * 10**9 + stamp.nanosec, Surfels(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7:])
