# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of maps as messages: memory layout of the arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('std_msgs', reason='needs the environment of install/env.sh')

from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from regolith_terrain.elevation_map import ElevationMap
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.ros import map_topics

HEIGHTS = np.arange(15.0).reshape(5, 3) * 0.1
SHOWN = ElevationMap(west=-1.0, south=2.0, cell_m=0.5, heights=HEIGHTS, sinkage=HEIGHTS[::-1].copy())
STAMP = Time(sec=3, nanosec=7)


def test_image_message_first_row_is_north() -> None:
    message = map_topics.image_message(SHOWN, STAMP)
    pixels = np.frombuffer(message.data, '<f4').reshape(message.height, message.width)
    assert (message.height, message.width, message.step, message.encoding) == (3, 5, 20, '32FC1')
    assert (
        pixels[0, 4] == pytest.approx(HEIGHTS[4, 2])
        and pixels[2, 0] == HEIGHTS[0, 0]
        and pixels[2, 1] == pytest.approx(0.3)
    )
    info = map_topics.info_message(SHOWN, STAMP)
    assert (info.width, info.height, info.resolution) == (5, 3, 0.5)
    assert (info.origin.position.x, info.origin.position.y, info.origin.orientation.w) == (-1.0, 2.0, 1.0)


def test_cloud_message_points_are_at_their_nodes() -> None:
    values = np.array([[0.4, 0.1], [0.3, 0.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    records = NodeRecords.from_values(np.array([3, -2], np.int32), np.array([1, 5], np.int32), values)
    message = map_topics.cloud_message(records, 0.25, STAMP)
    points = np.frombuffer(message.data, '<f4').reshape(-1, 4)
    expected = {tuple(np.float32(row)) for row in ([0.75, 0.25, 0.3, 0.1], [-0.5, 1.25, 0.2, -0.1])}
    assert {tuple(np.round(row, 6)) for row in points} == {tuple(np.round(row, 6)) for row in expected}
    assert [field.name for field in message.fields] == ['x', 'y', 'z', 'sinkage'] and message.width == 2
    assert [field.offset for field in message.fields] == [0, 4, 8, 12] and (message.point_step, message.row_step) == (
        16,
        32,
    )


def test_grid_map_message_starts_at_maximum_x_and_y(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index (r, c) is at x = center + (size / 2 - r - 1/2) cell, y in the same way with c; column-major (Fankhauser
    2016).
    """

    def stand_in(**fields: Any) -> Any:
        place = SimpleNamespace(position=SimpleNamespace(x=0.0, y=0.0), orientation=SimpleNamespace(w=0.0))
        return SimpleNamespace(**fields, header=Header(), info=SimpleNamespace(pose=place), data=[])

    monkeypatch.setattr(map_topics, 'GridMap', stand_in)
    message = map_topics.grid_map_message(SHOWN, STAMP)
    info, at = message.info, message.info.pose.position
    assert (info.length_x, info.length_y, info.resolution) == (2.5, 1.5, 0.5) and (at.x, at.y) == (0.25, 2.75)
    assert message.layers == ['elevation', 'sinkage'] and message.header.stamp == STAMP
    for data, layer in zip(message.data, (SHOWN.heights, SHOWN.sinkage), strict=True):
        columns, rows = data.layout.dim
        assert (columns.label, columns.size, columns.stride) == ('column_index', 3, 15)
        assert (rows.label, rows.size, rows.stride) == ('row_index', 5, 5)
        table = np.array(data.data).reshape(columns.size, rows.size)
        for r in range(5):
            for c in range(3):
                x, y = at.x + (1.25 - 0.5 * (r + 0.5)), at.y + (0.75 - 0.5 * (c + 0.5))
                i, j = int((x - SHOWN.west) / 0.5), int((y - SHOWN.south) / 0.5)
                assert table[c, r] == pytest.approx(layer[i, j]), (r, c)
