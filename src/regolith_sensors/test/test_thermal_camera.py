# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of thermal cameras: light_and_heat, section 10."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.config.thermal_camera import ThermalCameraConfig
from regolith_sensors.heat.band import apparent_temperature, band_radiance
from regolith_sensors.heat.ground import GroundTemperatures
from regolith_sensors.heat.sun_path import daily_circle
from regolith_sensors.heat.thermal_camera import ThermalCamera, ThermalScene
from regolith_sensors.light import Sun
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.sensor_models import load_sensor
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField

AZIMUTH, ELEVATION = math.radians(270.0), math.radians(30.0)
IDEAL = ThermalCameraConfig(width=40, height=30, netd_k=0.0, fixed_pattern_k=0.0, time_constant_s=0.0)
TABLE = [
    (100.0, 0.01403, 0.00162),
    (150.0, 0.7394, 0.0404),
    (200.0, 6.012, 0.194),
    (250.0, 22.29, 0.476),
    (300.0, 54.93, 0.838),
    (350.0, 106.4, 1.22),
    (390.0, 161.4, 1.52),
]


@pytest.mark.parametrize(('temperature', 'radiance', 'slope'), TABLE)
def test_band_radiance_of_the_reference_table(temperature, radiance, slope):
    """Section 10: the digits of the table; the interpolation adds 1e-5."""
    assert float(band_radiance(temperature)) == pytest.approx(radiance, rel=5e-4)
    change = float(band_radiance(temperature + 0.1) - band_radiance(temperature - 0.1)) / 0.2
    assert change == pytest.approx(slope, rel=5e-3)


def test_apparent_temperature_inverts_the_radiance():
    """1e-4 K between the knots of the table."""
    temperature = np.linspace(30.0, 650.0, 3001)
    assert np.abs(apparent_temperature(band_radiance(temperature)) - temperature).max() < 1e-4
    assert apparent_temperature(-1.0) == pytest.approx(20.0)


@pytest.mark.parametrize(('temperature', 'apparent'), [(300.0, 296.67), (390.0, 384.63), (250.0, 247.62)])
def test_apparent_temperatures_of_emissivity(temperature, apparent):
    """Emissivity 0.95 below a cold sky."""
    assert float(apparent_temperature(0.95 * band_radiance(temperature))) == pytest.approx(apparent, abs=0.01)


def test_noise_is_a_radiance():
    """50 mK at 300 K: 0.042 W/m2/sr, which is 0.09 K at 250, 0.22 at 200, 1.0 at 150 and 26 at 100 K."""
    camera = ThermalCamera(IDEAL.model_copy(update={'netd_k': 0.05, 'width': 200, 'height': 200}), 1, 'a/b')
    assert camera.noise == pytest.approx(0.042, abs=5e-4)
    for temperature, kelvin, slope in ((300.0, 0.05, 0.838), (250.0, 0.09, 0.476), (200.0, 0.22, 0.194)):
        image = 0.01 * camera.measured(np.full((200, 200), float(band_radiance(temperature))), 3)
        assert image.mean() == pytest.approx(temperature, abs=4.0 * kelvin / 200.0 + 0.001)
        # The standard deviation of 40 000 samples is known to 0.35 %; three standard errors, and the unit of 10 mK.
        expected = math.hypot(camera.noise / slope, 0.01 / math.sqrt(12.0))
        assert image.std() == pytest.approx(expected, rel=0.015)
        assert expected == pytest.approx(kelvin, abs=0.006)
    share = np.mean(np.abs(image - image.mean()) < image.std())
    assert share == pytest.approx(0.6827, abs=0.02)  # the histogram of a normal distribution, in steps of 10 mK
    assert camera.noise / 0.0404 == pytest.approx(1.0, abs=0.05)
    assert camera.noise / 0.00162 == pytest.approx(26.0, abs=0.5)


def test_noise_belongs_to_the_frame_and_the_pattern_to_the_camera():
    """Frames repeat bit for bit; the fixed pattern is in every frame."""
    config = IDEAL.model_copy(update={'netd_k': 0.05, 'fixed_pattern_k': 0.3})
    level = np.full((30, 40), float(band_radiance(300.0)))
    camera, again, other = (ThermalCamera(config, 1, name) for name in ('a/b', 'a/b', 'a/c'))
    assert np.array_equal(camera.measured(level, 5), again.measured(level, 5))
    frames = 0.01 * np.array([camera.measured(level, n) for n in range(40)])
    assert frames.mean(axis=0).std() == pytest.approx(0.3, rel=0.1)
    assert not np.array_equal(frames[0], 0.01 * other.measured(level, 0))


def world(sun, *, part_k=np.nan, emissivity=1.0, wall=None):
    """Return level ground with or without a box, and what a camera 2 m above it sees of it."""
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.05), (-8.0, 8.0, -8.0, 8.0))
    scene = Scene(ground, [Lambert((1.0, 1.0, 1.0))], micro_slope_deg=0.0)
    if wall is not None:
        added = scene.add_object('wall', [(scene.add_mesh(box((0.5, 0.5, 0.5), 0)), Semantic.OTHER)])
        scene.place(added, 0, wall, (0.0, 0.0, 0.0, 1.0))
    scene.center((0.0, 0.0, 2.0))
    rays = scene.commit()
    count = len(scene.tiles.tiles) + scene.instance_count + 1
    parts, emissivities = np.full(count, np.nan), np.full(count, emissivity)
    parts[len(scene.tiles.tiles) : -1] = part_k
    path = daily_circle(0.0, AZIMUTH, ELEVATION)
    return ThermalScene(lambda vehicles: rays, scene.origin, sun, GroundTemperatures(path), 0.0, parts, emissivities)


def looking(pitch_deg):
    """Return the pose of a camera 2 m above the origin that looks along x, down by a pitch."""
    tilt = math.radians(pitch_deg)
    ahead = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    right = np.array([0.0, -1.0, 0.0])
    return np.array([0.0, 0.0, 2.0]), np.stack([right, np.cross(ahead, right), ahead], axis=1)


def seen(camera, scene, pose):
    """Return the image of a scene at rest."""
    return camera.measured(camera.lagged([(scene, pose)]), 0)


def test_camera_sees_level_ground_at_its_temperature():
    """Emissivity 1, no noise: the temperature of the ground at any angle; 10 mK steps. The sky is at its limit."""
    config = IDEAL.model_copy(update={'soil_emissivity': 1.0})
    scene = world(Sun(AZIMUTH, ELEVATION))
    camera = ThermalCamera(config, 1, 'a/b')
    level = scene.ground.at(0.0).level
    for pitch in (45.0, 70.0):
        image = 0.01 * seen(camera, scene, looking(pitch))
        assert np.abs(image - level).max() < 0.05  # float32 normals
    sky = seen(camera, scene, looking(-60.0))
    assert np.all(sky == 2000)


def test_plate_without_noise_has_its_temperature():
    """A plate of 300 K fills the image; emissivity 0.95 toward the sky side reads 296.67 K plus reflected ground."""
    camera = ThermalCamera(IDEAL, 1, 'a/b')
    scene = world(None, part_k=300.0, wall=(1.2, 0.0, 2.0))
    image = 0.01 * seen(camera, scene, looking(0.0))
    assert np.median(image) == pytest.approx(300.0, abs=0.01)
    gray = world(None, part_k=300.0, emissivity=0.95, wall=(1.2, 0.0, 2.0))
    around = 0.5 * 0.95 * band_radiance(gray.ground.at(0.0).level)
    expected = apparent_temperature(0.95 * band_radiance(300.0) + 0.05 * around)
    assert np.median(0.01 * seen(camera, gray, looking(0.0))) == pytest.approx(float(expected), abs=0.02)


def test_shadow_is_colder_than_sunlit_ground():
    """Behind a box of 1 m with the sun at 30 deg the ground has been dark since the morning."""
    scene = world(Sun(AZIMUTH, ELEVATION), part_k=np.nan, wall=(2.0, 0.0, 0.5))
    camera = ThermalCamera(IDEAL.model_copy(update={'soil_emissivity': 1.0}), 1, 'a/b')
    eye = np.array([3.0, 0.0, 1.5]), looking(89.99)[1]
    image = 0.01 * seen(camera, scene, eye)
    level = scene.ground.at(0.0).level
    assert image.max() < level + 0.1
    assert image.min() < level - 50.0


def test_sunlight_in_the_band_is_reflected():
    """1.51 W/m2 in the band, 5 % of it from ground below the sun: 0.024 W/m2/sr, as much as ground of 104.9 K sends."""
    scene = world(Sun(AZIMUTH, math.radians(90.0)), part_k=20.0, emissivity=0.95, wall=(0.0, 0.0, 0.5))
    radiance = ThermalCamera(IDEAL, 1, 'a/b').radiance(scene, looking(89.99))
    assert radiance.min() == pytest.approx(0.05 * 1.51 / math.pi, rel=1e-3)
    assert float(apparent_temperature(radiance.min())) == pytest.approx(104.9, abs=0.1)


def test_lag_of_the_detector_is_a_first_order_step():
    """An edge that passes at a time t ago: 1 - exp(-t / tau) of the step; samples count in units of 1/64."""
    config = IDEAL.model_copy(update={'time_constant_s': 0.01, 'lag_samples': 32})
    lags = ThermalCamera(config, 1, 'a/b').lags()
    for past in (0.002, 0.01, 0.03):
        assert np.mean(lags < past) == pytest.approx(1.0 - math.exp(-past / 0.01), abs=1.0 / 64.0 + 1e-9)
    assert ThermalCamera(IDEAL, 1, 'a/b').lags().tolist() == [0.0]


def test_shipped_model_is_valid():
    assert load_sensor('microbolometer', ThermalCameraConfig).netd_k == 0.05


@pytest.mark.parametrize(
    ('key', 'value'),
    [
        ('soil_emissivity', 0.0),
        ('soil_emissivity', 2.0),
        ('vehicle_k', -5.0),
        ('vehicle_k', math.nan),
        ('netd_k', -0.1),
        ('netd_k', 1e9),
        ('time_constant_s', math.inf),
        ('lag_samples', 0),
        ('horizontal_fov_deg', 180.0),
        ('width', 1_000_000),
        ('colour', 1),
    ],
)
def test_hostile_values_are_refused(key, value):
    with pytest.raises(ValidationError):
        ThermalCameraConfig.model_validate({key: value})
