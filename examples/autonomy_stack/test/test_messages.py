# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of point cloud messages and of inputs that arrive in another order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from autonomy_stack.clouds import points_of
from autonomy_stack.inputs import CLOUD, INERTIAL, WHEELS, Inputs

PLACES = np.array([[1.0, 2.0, 3.0], [-4.0, 5.5, 0.25], [np.nan, 0.0, 0.0], [7.0, 8.0, 9.0]])


def cloud(order: str, pad: int, height: int) -> SimpleNamespace:
    """Return a message with x, y, z in another order, a further field, and padded rows."""
    kind = np.dtype([('intensity', f'{order}u2'), ('z', f'{order}f8'), ('x', f'{order}f4'), ('y', f'{order}f4')])
    points = np.zeros(len(PLACES), kind)
    for axis, name in enumerate('xyz'):
        points[name] = PLACES[:, axis]
    rows = points.reshape(height, -1)
    data = b''.join(row.tobytes() + b'?' * pad for row in rows)
    numbers = {'u2': 4, 'f4': 7, 'f8': 8}
    fields = [
        SimpleNamespace(name=name, offset=kind.fields[name][1], datatype=numbers[kind.fields[name][0].str[1:]])  # type: ignore[index]
        for name in kind.names or ()
    ]
    width = rows.shape[1]
    return SimpleNamespace(
        fields=fields,
        is_bigendian=order == '>',
        point_step=kind.itemsize,
        width=width,
        height=height,
        row_step=kind.itemsize * width + pad,
        data=data,
    )


@pytest.mark.parametrize('order', ['<', '>'])
@pytest.mark.parametrize(('pad', 'height'), [(0, 1), (0, 2), (5, 2)])
def test_points_are_read_with_any_field_layout(order: str, pad: int, height: int) -> None:
    assert points_of(cloud(order, pad, height)) == pytest.approx(PLACES[[0, 1, 3]])


def test_queue_returns_inputs_in_order_of_stamps() -> None:
    inputs = Inputs(100.0, 2.0)
    for t_ms, kind in ((20, WHEELS), (500, CLOUD), (10, INERTIAL), (500, INERTIAL), (500, WHEELS), (510, INERTIAL)):
        inputs.add(t_ms * 1_000_000, kind, (t_ms, kind))
    taken = [content for _, _, content in inputs.take(500_000_000)]
    assert taken == [(10, INERTIAL), (20, WHEELS), (500, WHEELS), (500, INERTIAL), (500, CLOUD)]
    assert [t for t, _, _ in inputs.take(10**12)] == [510_000_000]


def test_queue_is_complete_once_all_sensors_have_sent_inputs() -> None:
    inputs = Inputs(100.0, 2.0)
    assert not inputs.complete(0)
    inputs.add(0, INERTIAL, None)
    inputs.add(0, CLOUD, None)
    assert inputs.complete(0) and inputs.complete(9_999_999) and not inputs.complete(10_000_000)
    inputs.add(500_000_000, INERTIAL, None)
    assert inputs.complete(499_999_999) and not inputs.complete(500_000_000)
    inputs.add(500_000_000, CLOUD, None)
    assert inputs.complete(500_000_000)


def test_queue_with_fractional_period_counts_rounded_stamps() -> None:
    """Frame 1 of 3 Hz is at 333 333 333 ns."""
    inputs = Inputs(100.0, 3.0)
    inputs.add(10**9, INERTIAL, None)
    inputs.add(333_333_333, CLOUD, None)
    assert inputs.complete(666_666_666) and not inputs.complete(666_666_667)
