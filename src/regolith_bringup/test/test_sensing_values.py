# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of light and sensors of a scenario that are refused before a run, or warned of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.scenario import sensors_section
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError

CAMERA = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 1e-5,
    'focal_length_m': 3e-3,
    'f_number': 8,
    'exposure_s': 1e-3,
}
EVENTS = {'type': 'event_camera', 'width': 32, 'height': 24, 'pixel_size_m': 2e-5, 'focal_length_m': 1.3e-3}
SPAD = {'type': 'spad', 'columns': 8, 'rings': 8, 'azimuth_deg': [-10, 10], 'flash': True, 'range_m': [0.5, 40]}
WIDE_SPAD = {**SPAD, 'divergence_rad': [0.01, 0.01]}
LIDAR = {'type': 'lidar', 'columns': 8, 'rings': 8}
SPOT = {'along': 0.1, 'size': 1.0, 'share': 0.1}
MASSIF = str(find_scenarios()['polar_day'].with_name('polar_day_horizon.tif'))


def scenario(folder: Path, model: dict[str, Any], light: dict[str, Any] | None = None, **entry: Any) -> Path:
    """Return the file of a scenario near the south pole with one sensor."""
    values = {
        'duration_s': 1.0,
        'terrain': {'source': 'flat', 'site': {'latitude_deg': -89.45, 'longitude_deg': 222.7}},
        'light': {'sun': {'utc': '2026-11-29T00:00:00Z'}} if light is None else light,
        'vehicles': {
            'a': {
                'model': 'viper',
                'position': [0.0, 0.0],
                'sensors': {'s': {'model': model, 'mount': {'xyz': [0.6, 0.0, 1.4]}, **entry}},
            }
        },
    }
    file = folder / 'mine.yaml'
    file.write_text(yaml.safe_dump(values, sort_keys=False))
    return file


def refused(file: Path) -> str:
    """Return the message; its line is the one of the key that it names, or of the key above."""
    with pytest.raises(InputError) as caught:
        load_scenario(file)
    text = str(caught.value).removeprefix(f'{file.parent}/')
    line, key = re.match(r'mine\.yaml:(\d+): ([\w.]+)', text).groups()  # type: ignore[union-attr]
    written = file.read_text().splitlines()[int(line) - 1]
    assert written.strip().startswith('- ') or written.split(':')[0].strip() in key.split('.')
    return text


@pytest.mark.parametrize(
    ('model', 'change', 'said'),
    [
        (CAMERA, {'exposure_s': 0.5}, 'exposure_s = 0.5: makes frames of 0.5 s, longer than their period'),
        (CAMERA, {'effects': {'flare': {'spots': [SPOT] * 11}}}, '110.5 % of the red light; allowed: up to 100 %'),
        (EVENTS, {'threshold_stddev': 0.3}, 'threshold_stddev = 0.3: leaves pixels without a threshold'),
        (EVENTS, {'threshold_off': 0.05}, 'threshold_stddev = 0.03 (default): leaves pixels without a threshold'),
        (LIDAR, {'elevation_deg': [20, -20]}, 'elevation_deg = [20.0, -20.0]: is not increasing'),
        (LIDAR, {'elevation_deg': [5, 5]}, 'elevation_deg = [5.0, 5.0]: is not increasing'),
        (SPAD, {}, 'divergence_rad: is missing; allowed: a value (divergence_rad: Full field of view of a pixel'),
        (LIDAR, {'divergence_rad': [-1, 0]}, 'divergence_rad.0 = -1: is out of range'),
        (LIDAR, {'range_m': [0.5, 1e9]}, 'range_m.1 = 1000000000.0: is out of range'),
        (LIDAR, {'noise': {'range_stddev_m': 1e9}}, 'noise.range_stddev_m = 1000000000.0: is out of range'),
        ({'type': 'gnss'}, {'altitude_m': 1e12}, 'altitude_m = 1000000000000.0: is out of range'),
        ({'type': 'imu'}, {'gyroscope': {'bias_stddev': 1e30}}, 'gyroscope.bias_stddev = 1e+30: is out of range'),
        (CAMERA, {'iso': 1e30}, 'iso = 1e+30: is out of range'),
        (WIDE_SPAD, {'elevation_deg': [20, -20]}, 'elevation_deg = [20.0, -20.0]: is not increasing'),
        (WIDE_SPAD, {'range_m': [0.5, 1e6]}, 'range_m = [0.5, 1000000.0]: 64 pixels with '),
        (WIDE_SPAD, {'columns': 20_000}, 'columns = 20000: 160000 pixels with '),
        (WIDE_SPAD, {'bin_s': 1e-12, 'range_m': [0.5, 1e4]}, 'bin_s = 1e-12: 64 pixels with '),
        (WIDE_SPAD, {'pulses': 65_535, 'range_m': [0.5, 1e4], 'bin_s': 1e-9}, 'pulses = 65535: makes frames of 4.37 s'),
        (WIDE_SPAD, {'pulses': 65_535, 'flash': False}, 'pulses = 65535: makes frames of 0.14 s'),
    ],
)
def test_bad_values_of_sensors_are_refused(
    tmp_path: Path, model: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    """The message names file, line, key, value and what is allowed."""
    text = refused(scenario(tmp_path, {**model, **change}))
    assert said in text and '; allowed: ' in text


def test_one_ring_has_one_elevation(tmp_path: Path) -> None:
    load_scenario(scenario(tmp_path, {**LIDAR, 'rings': 1, 'elevation_deg': [5, 5]}))


def test_exposures_end_within_the_period(tmp_path: Path) -> None:
    """A lower rate allows a longer exposure, and automatic exposure ends within the period."""
    file = scenario(tmp_path, {**CAMERA, 'exposure_s': 0.5, 'auto_exposure': {'max_exposure_s': 2.0}}, rate_hz=1.0)
    model = load_scenario(file).scenario.vehicles['a'].sensors['s']['model']
    assert model['auto_exposure']['max_exposure_s'] == 1.0 and model['rate_hz'] == 1.0
    with pytest.raises(InputError, match=r'exposure_s = 0\.5: .*; allowed: up to 0\.25 s per frame at rate_hz = 4;'):
        load_scenario(file, ['vehicles.a.sensors.s.rate_hz=4'])


def test_negative_light_of_a_lamp_is_refused(tmp_path: Path) -> None:
    lamp = 'vehicles.a.spotlights={lamp: {intensity_w_sr: [-30.0, 1.0, 1.0], mount: {xyz: [0.6, 0.2, 1.4]}}}'
    with pytest.raises(InputError, match=r'spotlights\.lamp\.intensity_w_sr\.0 = -30\.0: is out of range'):
        load_scenario(scenario(tmp_path, CAMERA), [lamp])


def test_sensor_without_outputs_is_refused(tmp_path: Path) -> None:
    text = refused(scenario(tmp_path, CAMERA, outputs=[]))
    assert 'vehicles.a.sensors.s.outputs = []: is empty; allowed: one or more of image, ' in text


@pytest.mark.parametrize(
    ('model', 'key', 'size'),
    [
        ({**CAMERA, 'width': 16_384, 'height': 16_384}, 'width = 16384', '81 GB'),
        ({**LIDAR, 'columns': 20_000, 'rings': 1024, 'sample_radius': 6}, 'columns = 20000', '76 GB'),
    ],
)
def test_frames_beyond_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: dict[str, Any], key: str, size: str
) -> None:
    file = scenario(tmp_path, model)
    monkeypatch.setattr(sensors_section, 'machine_memory_gb', lambda: 24.0)
    said = f'vehicles.a.sensors.s.model.{key}: makes frames that take {size} of memory'
    assert f'{said}; allowed: up to 24 GB on this machine; fix: fewer pixels' in refused(file)
    monkeypatch.setattr(sensors_section, 'machine_memory_gb', lambda: 96.0)
    assert any(f'warning: {said}; fix: ' in line for line in load_scenario(file).notices)


def test_frames_of_usual_size_are_not_warned_of(tmp_path: Path) -> None:
    for model in ({**CAMERA, 'width': 2048, 'height': 2048}, WIDE_SPAD, EVENTS, LIDAR, {'type': 'thermal_camera'}):
        assert load_scenario(scenario(tmp_path, model)).notices == ()


FAR = {'models': [MASSIF]}
TIME = {'utc': '2026-11-29T00:00:00Z'}
FIXED = {'azimuth_deg': 10.0, 'elevation_deg': 5.0}


@pytest.mark.parametrize(
    ('light', 'said'),
    [
        (
            {'sun': TIME, 'horizon': {**FAR, 'altitude_m': 20_000.0}},
            'horizon.altitude_m = 20000.0: z = 0 is 20000 m above',
        ),
        (
            {'sun': TIME, 'horizon': {**FAR, 'altitude_m': -3000.0}},
            'horizon.altitude_m = -3000.0: z = 0 is 3000 m below',
        ),
        ({'sun': TIME, 'horizon': {'models': ['no.tif']}}, "light.horizon.models.0 = 'no.tif': no such file ("),
        ({'sun': TIME, 'horizon': {'models': [MASSIF, '/no.tif']}}, "models.1 = '/no.tif': no such file; allowed: the"),
    ],
)
def test_bad_values_of_light_are_refused(tmp_path: Path, light: dict[str, Any], said: str) -> None:
    assert said in refused(scenario(tmp_path, CAMERA, light))


@pytest.mark.parametrize(
    ('light', 'said'),
    [
        (
            {'sun': TIME, 'horizon': {**FAR, 'altitude_m': 900.0}},
            'light.horizon.altitude_m = 900.0: z = 0 is 900 m above',
        ),
        ({'sun': None, 'horizon': FAR}, 'light.horizon: has no effect, because light.sun is null; fix: '),
        (
            {'sun': FIXED, 'ephemeris': 'astronomy_engine'},
            "light.ephemeris = 'astronomy_engine': has no effect, because light.sun has a fixed direction",
        ),
        (
            {'sun': FIXED, 'reflectance': 'pommerol2013', 'soil': {'type': 'lambert'}},
            "light.reflectance = 'pommerol2013': has no effect, because light.soil has the type lambert",
        ),
    ],
)
def test_values_without_effect_and_unusual_ones_are_warned_of(
    tmp_path: Path, light: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('regolith_sensors.config.lighting.has_astronomy_engine', lambda: True)
    (line,) = load_scenario(scenario(tmp_path, CAMERA, light)).notices
    assert 'mine.yaml:' in line and f'warning: {said}' in line


def test_usual_light_is_not_warned_of(tmp_path: Path) -> None:
    for light in ({'sun': TIME, 'horizon': FAR}, {'sun': None}, {'sun': FIXED, 'ephemeris': 'meeus'}):
        assert load_scenario(scenario(tmp_path, CAMERA, light)).notices == ()
