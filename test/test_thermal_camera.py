# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A thermal camera in a recorded run: its messages, and the state hash of the world with and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]


def test_images_repeat_bit_for_bit_and_do_not_change_the_world(tmp_path: Path) -> None:
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0}

    def run(name: str, **sensors: Any) -> Any:
        (tmp_path / name).mkdir()
        rover = {**vehicle(0.0, 0.0, type='constant', speed_mps=0.3), 'sensors': sensors}
        more = {'duration_s': 1.0, 'light': light, 'recording': {'sensors': True}}
        return run_scenario(tmp_path / name, write_scenario(tmp_path / name, {'amber': rover}, **more), processes='one')

    model = {'type': 'thermal_camera', 'width': 64, 'height': 48, 'rate_hz': 2.0}
    eye = {
        'model': model,
        'mount': {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 20.0, 0.0]},
        'outputs': ['image', 'radiance'],
    }
    runs = [run('seen', eye=eye), run('again', eye=eye)]
    plain = run('plain')
    assert {each.summary['state_hash'] for each in runs} == {plain.summary['state_hash']}
    images: list[list[Any]] = []
    for each in runs:
        messages = list(Bag(each.run_dir).messages())
        images.append([m.content for m in messages if m.topic == '/amber/eye/image_raw'])
        infos = [m.content for m in messages if m.topic == '/amber/eye/camera_info']
        assert len([m for m in messages if m.topic == '/amber/eye/radiance/image_raw']) == len(infos) == 2
    assert infos[0].header.frame_id == 'amber/eye_optical_frame' and infos[0].width == 64
    for first, second in zip(*images, strict=True):
        assert first.encoding == 'mono16' and bytes(first.data) == bytes(second.data)
        kelvin = 0.01 * np.frombuffer(bytes(first.data), np.uint16).reshape(48, 64)
        # Morning ground below, sky above, which is below the noise.
        assert 200.0 < np.median(kelvin[-10:]) < 330.0
        assert np.median(kelvin[:4]) < 130.0
