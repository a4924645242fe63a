# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A SPAD sensor in a recorded run: its messages, and the state hash of the world with and without it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

SPAD = {
    'type': 'spad',
    'columns': 6,
    'azimuth_deg': [-3.0, 3.0],
    'rings': 4,
    'elevation_deg': [-3.0, 3.0],
    'rate_hz': 2.0,
    'range_m': [0.3, 10.0],
    'divergence_rad': [5e-3, 5e-3],
    'organized': True,
    'fields': 'xyzi',
    'pulses': 2000,
    'gate_m': [1.0, 10.0],
    'laser': {'pulse_energy_j': 1e-8, 'aperture_m': 0.005},
}


def test_histograms_and_points_belong_to_the_same_photons_and_do_not_change_the_world(tmp_path: Path) -> None:
    light = {'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0}

    def run(name: str, **sensors: Any) -> Any:
        (tmp_path / name).mkdir()
        rover = {**vehicle(0.0, 0.0, type='constant', speed_mps=0.3), 'sensors': sensors}
        more = {'duration_s': 1.2, 'light': light, 'recording': {'sensors': True}}
        return run_scenario(tmp_path / name, write_scenario(tmp_path / name, {'amber': rover}, **more), processes='one')

    mount = {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 45.0, 0.0]}
    seen = run('seen', spad={'model': SPAD, 'mount': mount}, flash={'model': {**SPAD, 'flash': True}, 'mount': mount})
    plain = run('plain')
    assert seen.summary['state_hash'] == plain.summary['state_hash']
    found: dict[str, list[Any]] = {}
    for message in Bag(seen.run_dir).messages():
        if '/spad/' in message.topic or '/flash/' in message.topic:
            found.setdefault(message.topic, []).append(message.content)
    assert sorted(found) == [
        f'/amber/{name}/{topic}' for name in ('flash', 'spad') for topic in ('histogram', 'points')
    ]
    for name, frames in (('flash', 3), ('spad', 2)):  # a scanning frame must end within the run
        histograms, clouds = found[f'/amber/{name}/histogram'], found[f'/amber/{name}/points']
        assert len(histograms) == len(clouds) == frames
        for histogram, cloud in zip(histograms, clouds, strict=True):
            assert histogram.header == cloud.header and histogram.header.frame_id == f'amber/{name}_link'
            counts = np.array(histogram.counts).reshape(histogram.columns, histogram.rings, histogram.bins)
            assert counts.shape[:2] == (6, 4) and histogram.pulses == 2000
            assert histogram.start_s == pytest.approx(2.0 / 299792458.0)
            assert np.degrees(histogram.azimuth) == pytest.approx(np.linspace(-3.0, 3.0, 6))
            points = np.frombuffer(bytes(cloud.data), np.float32).reshape(4, 6, 4)
            reach = np.linalg.norm(points[:, :, :3], axis=2)
            # Ground 1.7 m below, 42 to 48 degrees below the horizon; a bin is 15 mm.
            assert reach.min() > 2.2 and reach.max() < 2.7
            peak = histogram.start_s + (counts.argmax(axis=2).T + 0.5) * histogram.bin_s
            assert np.abs(peak * 0.5 * 299792458.0 - reach).max() < 0.05
            assert np.degrees(np.arcsin(points[0, 2, 2] / reach[0, 2])) == pytest.approx(-3.0, abs=1e-3)
    assert math.isfinite(float(reach[0, 0]))
