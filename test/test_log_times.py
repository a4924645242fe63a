# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of log times in the bag of a run with a camera, an IMU and two rovers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]


def stamp_ns(content: Any) -> int | None:
    """Return the first stamp of a message [ns]; None: it has none."""
    if getattr(content, 'transforms', None):
        content = content.transforms[0]
    stamp = content.header.stamp if hasattr(content, 'header') else getattr(content, 'stamp', None)
    return None if stamp is None else stamp.sec * 10**9 + stamp.nanosec


@pytest.mark.parametrize('processes', ['one', pytest.param('many', marks=pytest.mark.slow)])
def test_log_times_rise_and_never_precede_stamps(tmp_path: Path, processes: str) -> None:
    """At the speed of the machine, where /clock is far coarser than cycles."""
    camera = {
        'type': 'camera',
        'width': 64,
        'height': 48,
        'pixel_size_m': 5e-6,
        'focal_length_m': 3e-4,
        'f_number': 4.0,
        'exposure_s': 2e-3,
        'rate_hz': 5.0,
        'noise': {'read': [5.0, 5.0, 5.0]},
    }
    eye = {'model': camera, 'mount': {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 30.0, 0.0]}}
    drives = {
        'amber': {
            **vehicle(0.0, 0.0, type='constant', speed_mps=0.3),
            'sensors': {
                'eye': eye,
                'imu': {'model': {'type': 'imu', 'rate_hz': 100.0}},
            },
        },
        'basalt': vehicle(-4.0, 0.0, type='constant', speed_mps=0.2),
    }
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0}
    scenario = write_scenario(tmp_path, drives, duration_s=3.0, light=light, recording={'sensors': True})
    bag = Bag(run_scenario(tmp_path, scenario, processes=processes).run_dir)
    before: int = 0
    counts, equal = Counter[str](), Counter[str]()
    last: dict[str, int] = {}
    for message in bag.messages():
        assert message.log_time_ns >= before, message.topic
        before = message.log_time_ns
        t_ns = stamp_ns(message.content)
        if t_ns is None:
            continue
        assert message.log_time_ns >= t_ns, (message.topic, message.log_time_ns, t_ns)
        counts[message.topic] += 1
        if message.topic in ('/amber/odom', '/basalt/odom', '/amber/ground_truth/odom'):
            equal[message.topic] += message.log_time_ns == last.get(message.topic)
            last[message.topic] = message.log_time_ns
    # A state that is published after another vehicle's next one shares its time; by /clock alone a third did.
    assert all(number < 0.1 * counts[topic] for topic, number in equal.items()), equal
    for topic in ('/amber/odom', '/basalt/odom', '/tf', '/amber/eye/image_raw', '/amber/imu/data_raw'):
        assert counts[topic] > 5, (topic, sorted(counts))
    # Topics that nothing was published on are not there.
    assert not [name for name, topic in bag.topics.items() if not topic.messages and 'cmd' in name]
