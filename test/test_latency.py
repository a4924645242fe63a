# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency of sensors in recorded runs: delivery times, order, content, and the state hash of the world."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

LAG_NS = 250_000_000
CAMERA = {
    'type': 'camera',
    'width': 32,
    'height': 24,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'rate_hz': 10.0,
}


def messages(folder: Path, **latency: Any) -> tuple[dict[str, list[tuple[int, int, bytes]]], str]:
    """Return log time, stamp and data of the messages of camera and IMU, and the state hash of the run."""
    late = {'latency': latency} if latency else {}
    sensors = {
        'eye': {'model': CAMERA, 'mount': {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 30.0, 0.0]}, **late},
        'imu': {'model': {'type': 'imu', 'rate_hz': 50.0}, **late},
    }
    rover = {**vehicle(0.0, 0.0, type='constant', speed_mps=0.3), 'sensors': sensors}
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0}
    folder.mkdir()
    scenario = write_scenario(folder, {'amber': rover}, duration_s=2.0, light=light, recording={'sensors': True})
    run = run_scenario(folder, scenario, processes='one')
    found: dict[str, list[tuple[int, int, bytes]]] = {'image_raw': [], 'data_raw': []}
    for message in Bag(run.run_dir).messages():
        name = message.topic.split('/')[-1]
        if name in found:
            stamp = message.content.header.stamp
            whole = message.content.data if name == 'image_raw' else message.content.angular_velocity
            data = bytes(whole) if name == 'image_raw' else repr(whole).encode()
            found[name].append((message.log_time_ns, stamp.sec * 10**9 + stamp.nanosec, data))
    return found, str(run.summary['state_hash'])


def test_messages_come_after_the_lag_and_are_the_same(tmp_path: Path) -> None:
    plain, state_hash = messages(tmp_path / 'plain')
    late, late_hash = messages(tmp_path / 'late', readout_s=0.05, lag_s=0.2)
    assert late_hash == state_hash
    for name, period_ns in (('image_raw', 100_000_000), ('data_raw', 20_000_000)):
        # Frames whose delivery time is after the end of the run are missing; the others have not changed.
        kept = [(stamp, data) for _, stamp, data in plain[name] if stamp + LAG_NS + 1_000_000 <= 2_000_000_000]
        found = [(stamp, data) for _, stamp, data in late[name]]
        assert abs(len(found) - len(kept)) <= 1 and found[: len(kept) - 1] == kept[: len(found)][: len(kept) - 1]
        # The world leads the sensors by some cycles of 20 ms, more at the start of a run. The clock of the recorder is
        # up to two cycles behind that of the sensors.
        delays = [log - stamp for log, stamp, _ in late[name]]
        assert min(delays) >= LAG_NS - 40_000_000 and max(delays) <= LAG_NS + 250_000_000 + period_ns, (name, delays)


def test_order_is_kept_with_a_jitter_larger_than_the_period_and_a_full_queue_drops(tmp_path: Path) -> None:
    found, _ = messages(tmp_path / 'late', lag_s=0.1, jitter_s=0.3, queue=2)
    for name in ('image_raw', 'data_raw'):
        stamps = [stamp for _, stamp, _ in found[name]]
        assert stamps == sorted(stamps) and len(stamps) >= 3
        gaps = [b - a for a, b in itertools.pairwise(stamps)]
        assert max(gaps) > 1.5 * min(gaps), 'frames are dropped'
