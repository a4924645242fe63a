# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An event camera in a recorded run: its messages, and the state hash of the world with and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

CAMERA = {
    'type': 'event_camera',
    'width': 48,
    'height': 36,
    'pixel_size_m': 8e-5,
    'focal_length_m': 3.84e-3,
    'rate_hz': 50.0,
    'max_image_rate_hz': 100.0,
}


def test_events_come_with_motion_and_do_not_change_the_world(tmp_path: Path) -> None:
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0}

    def run(name: str, **sensors: Any) -> Any:
        (tmp_path / name).mkdir()
        rover = {**vehicle(0.0, 0.0, type='constant', speed_mps=0.3), 'sensors': sensors}
        more = {'duration_s': 0.6, 'light': light, 'recording': {'sensors': True}}
        return run_scenario(tmp_path / name, write_scenario(tmp_path / name, {'amber': rover}, **more), processes='one')

    mount = {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 45.0, 0.0]}
    seen, again = (run(name, eye={'model': CAMERA, 'mount': mount}) for name in ('seen', 'again'))
    plain = run('plain')
    assert seen.summary['state_hash'] == plain.summary['state_hash']

    def messages(of: Any, topic: str) -> list[Any]:
        return [m.content for m in Bag(of.run_dir).messages() if m.topic == f'/amber/eye/{topic}']

    found = messages(seen, 'events')
    assert len(found) == len(messages(seen, 'camera_info')) == 30
    for message in found:
        assert (message.width, message.height) == (48, 36) and message.header.frame_id == 'amber/eye_optical_frame'
        t = np.array(message.t_us)
        assert len(t) == len(message.x) == len(message.y) == len(message.polarity)
        assert (np.diff(t.astype(np.int64)) >= 0).all() and t.max(initial=0) <= 20_000
        assert max(message.x, default=0) < 48 and max(message.y, default=0) < 36 and set(message.polarity) <= {0, 1}
    assert sum(len(message.x) for message in found[15:]) > 20  # the rover moves; noise makes some 6
    for one, other in zip(found, messages(again, 'events'), strict=True):
        assert all(np.array_equal(getattr(one, key), getattr(other, key)) for key in ('t_us', 'x', 'y', 'polarity'))
