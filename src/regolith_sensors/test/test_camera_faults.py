# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the switches of camera stages and faults: each has its own effect and no other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera import stages
from regolith_sensors.camera.effects import fixed_pattern, metered_exposure
from regolith_sensors.camera.pipeline import Camera, CameraImage
from regolith_sensors.config.camera import CameraConfig, NoiseConfig
from regolith_sensors.rays.image import RenderedImage, empty_frame
from regolith_sensors.sensor_models import SensorModelError, load_sensor, sensor_models

OFF = {
    'distortion': False,
    'motion_blur': False,
    'defocus': False,
    'vignetting': False,
    'noise': False,
    'fixed_pattern': False,
    'response': False,
}
PLAIN: dict[str, Any] = {
    'width': 64,
    'height': 48,
    'pixel_size_m': 1e-5,
    'focal_length_m': 6e-4,
    'f_number': 8.0,
    'exposure_s': 1e-3,
    'focus_distance_m': 0.02,
    'defocus_gain': 20.0,
    'distortion': {'coefficients': (-0.1, 0.0, 0.0)},
    'noise': {
        'dark_current': (1000.0,) * 3,
        'read': (20.0,) * 3,
        'prnu': 0.02,
        'dsnu': 30.0,
        'row': 10.0,
        'column': 10.0,
    },
    'response': {'kind': 'sigmoid', 'slope': (1.0,) * 3, 'offset': (-18.0,) * 3},
    'stages': OFF,
    'white_balance': 'none',
}


def made(**changes: Any) -> Camera:
    return Camera(CameraConfig.model_validate({**PLAIN, **changes}), 7, 'amber/navcam')


def checkered() -> RenderedImage:
    """Return squares of two brightness levels, 3 m in front of a camera of PLAIN's size."""
    frame = empty_frame(48, 64)
    rows, columns = np.indices((48, 64))
    frame.radiance[:] = np.where((rows // 8 + columns // 8) % 2, 4.0, 1.5)[..., None] * np.float32([1.2, 1.0, 0.8])
    frame.depth[:] = frame.range[:] = 3.0
    return frame


def signal(picture: CameraImage) -> np.ndarray:
    """Return the signal for digital numbers of a linear response, as parts of the full well."""
    return picture.image.astype(np.float64) / 65535.0


def test_camera_without_stages_gives_electrons() -> None:
    camera = made()
    frame = checkered()
    got = signal(camera.process(frame, 3))
    c = camera.config
    for band, wavelength in enumerate((650e-9, 550e-9, 450e-9)):
        # Photons through a lens of this aperture onto this pixel, computed explicitly.
        energy = math.pi / 4.0 * 0.9 / 8.0**2 * (1e-5) ** 2 * 1e-3 * frame.radiance[..., band].astype(np.float64)
        electrons = energy * wavelength / (6.62607015e-34 * 299792458.0) * c.quantum_efficiency[band]
        # Half a digital number of 65 535.
        np.testing.assert_allclose(got[..., band], electrons / c.full_well, atol=0.6 / 65535.0)
    np.testing.assert_array_equal(camera.process(frame, 3).image, camera.process(frame, 99).image)


@pytest.mark.seconds
@pytest.mark.parametrize('stage', ['defocus', 'vignetting', 'noise', 'fixed_pattern', 'response'])
def test_stage_switch_disables_one_stage(stage: str) -> None:
    frame = checkered()
    plain, changed = made().process(frame, 3).image, made(stages={**OFF, stage: True}).process(frame, 3).image
    assert np.mean(changed != plain) > 0.3
    if stage == 'vignetting':
        fall = stages.vignetting(48, 64, 6e-4, 1e-5, 1.0)
        np.testing.assert_allclose(changed[..., 1], plain[..., 1] * fall, atol=1.0)
    if stage == 'defocus':
        # Squares of uniform light keep their values in the middle; the edges between them soften.
        spot = float(stages.defocus_diameter(3.0, 6e-4, 8.0, 1e-5, 0.02, 20.0))
        assert 2.0 < spot < 8.0
        assert changed[4, 4, 1] == plain[4, 4, 1] and plain[4, 4, 1] < changed[4, 7, 1] < plain[4, 8, 1]


def test_distortion_switch_disables_distortion() -> None:
    straight, bent = made().info(), made(stages={**OFF, 'distortion': True}).info()
    assert not straight.d.any() and bent.d[0] == -0.1
    tables = [made(stages={**OFF, 'distortion': on})._ray_table((0.0, 0.0)) for on in (False, True)]
    assert np.abs(tables[0][24, 0] - tables[1][24, 0]).max() > 1e-3
    np.testing.assert_allclose(tables[0][24, 32], tables[1][24, 32], atol=1e-6)


def test_fixed_pattern_has_the_size_of_its_parts() -> None:
    def pattern(**parts: float) -> Any:
        noise = NoiseConfig.model_validate({'dark_current': (5.0, 6.0, 7.0), **parts})
        return fixed_pattern((300, 400, 3), noise, 5, 'cam')

    assert (pattern().gain == 1.0).all() and not pattern().offset.any()
    np.testing.assert_array_equal(pattern().dark[0, 0], np.float32([5.0, 6.0, 7.0]))
    # 360 000 pixels: deviations are known to 0.12 %; of 300 rows and 400 columns to 4 %.
    assert pattern(prnu=0.02).gain.std() == pytest.approx(0.02, rel=0.01)
    assert pattern(dsnu=3.0).offset.std() == pytest.approx(3.0, rel=0.01)
    rows, columns = pattern(row=2.0).offset, pattern(column=4.0).offset
    assert np.ptp(rows, axis=1).max() == 0.0 and rows[:, 0, 0].std() == pytest.approx(2.0, rel=0.15)
    assert np.ptp(columns, axis=0).max() == 0.0 and columns[0, :, 0].std() == pytest.approx(4.0, rel=0.15)
    dead, hot = pattern(dead_fraction=0.01).gain == 0.0, pattern(hot_fraction=0.01).dark > 100.0
    # 3600 of each expected, with a tolerance of 60.
    assert abs(dead.sum() - 3600) < 250 and abs(hot.sum() - 3600) < 250
    assert pattern(hot_fraction=0.01).dark[hot] / pattern().dark[hot] == pytest.approx(100.0)
    both = pattern(dead_fraction=0.01, hot_fraction=0.01)
    np.testing.assert_array_equal(both.gain == 0.0, dead)
    assert not (dead & hot).any()


def test_dead_and_hot_pixels_in_the_image() -> None:
    faults = {'dead_fraction': 0.02, 'hot_fraction': 0.02, 'dark_current': (20_000.0,) * 3}
    camera = made(noise=faults, stages={**OFF, 'noise': True, 'fixed_pattern': True})
    image = camera.process(checkered(), 1).image
    dead, hot = camera._pattern.gain == 0.0, camera._pattern.dark > 20_000.0
    assert dead.sum() > 20 and hot.sum() > 20
    # Dead pixels keep the 20 electrons of their dark current; hot ones have 2000 more, of a well of 10 000.
    assert image[dead].max() < 0.006 * 65535 and image[hot].min() > 0.17 * 65535
    assert image[~dead].min() > image[dead].max()


def test_dust_reduces_light_and_is_fixed() -> None:
    dusty = made(effects={'dust_spots': 6, 'dust_opacity': 0.8})
    frame = checkered()
    clean, image = made().process(frame, 1).image.astype(float), dusty.process(frame, 1).image
    part = image / clean
    assert part.max() < 1.001 and 0.2 < part.min() < 0.8 and np.mean(part < 0.99) > 0.01
    np.testing.assert_array_equal(image, dusty.process(frame, 2).image)
    other = Camera(dusty.config, 8, 'amber/navcam').process(frame, 1).image
    assert np.any(other != image)


def test_glare_and_jpeg_are_off_by_default() -> None:
    frame = checkered()
    plain = made().process(frame, 1).image
    veiled = made(effects={'glare': 0.3}).process(frame, 1).image
    contrast = [float(i[..., 1].std() / i[..., 1].mean()) for i in (plain, veiled)]
    # A halo much wider than the squares takes 0.3 of the contrast, its narrowest part less.
    assert 0.7 < contrast[1] / contrast[0] < 0.9
    packed = made(effects={'jpeg_quality': 30}).process(frame, 1).image
    assert len(np.unique(packed)) <= 256 and 0 < np.abs(packed.astype(int) - plain).mean() < 0.05 * 65535


def test_full_well_is_independent_of_response() -> None:
    bright = checkered()
    bright.radiance *= 100.0
    assert (made(noise={'dsnu': 50.0}, stages={**OFF, 'fixed_pattern': True}).process(bright, 1).image == 65535).all()


def test_metered_exposure() -> None:
    config = CameraConfig.model_validate(
        {
            **PLAIN,
            'auto_exposure': {'percentile': 50.0, 'target_level': 0.5, 'min_exposure_s': 1e-4, 'max_exposure_s': 0.2},
        }
    ).auto_exposure
    assert config is not None
    rate = np.full((8, 8, 1), 1e5)
    assert metered_exposure(rate, 10_000.0, config) == pytest.approx(0.05)
    assert metered_exposure(rate * 1e6, 10_000.0, config) == 1e-4
    assert metered_exposure(rate * 1e-6, 10_000.0, config) == metered_exposure(rate * 0.0, 10_000.0, config) == 0.2
    picture = made(auto_exposure={'target_level': 0.6}).process(checkered(), 1)
    assert picture.exposure_s != 1e-3 and np.percentile(picture.image[::4, ::4], 95.0) / 65535 == pytest.approx(
        0.6, rel=0.01
    )


def test_noise_in_other_units_is_gaussian() -> None:
    """Signals in parts of full scale (blackfly) are no counts, so there are no Poisson steps of a whole full scale."""
    unit = {
        'aggregator_gain': 1.96e14,
        'full_well': 1.0,
        'noise': {'gain': (1.0,) * 3},
        'stages': {**OFF, 'noise': True},
    }
    frame = checkered()
    frame.radiance *= 1e-4
    image = made(**unit).process(frame, 1).image
    assert len(np.unique(image)) > 500


def test_blackfly_has_the_published_parameters() -> None:
    camera = load_sensor('blackfly', CameraConfig)
    assert (camera.width, camera.height, camera.pixel_size_m, camera.focal_length_m) == (1280, 720, 3.45e-6, 12e-3)
    assert (camera.f_number, camera.focus_distance_m, camera.iso, camera.vignetting_gain) == (4.0, 10.0, 100.0, 0.6)
    assert camera.distortion.coefficients == (-0.16, 0.2, 0.0, 0.0, -0.12)
    assert camera.quantum_efficiency == (0.4453, 0.5621, 0.4713)
    assert camera.noise.dark_current == (1.663e-4, 3.413e-4, 6.809e-4)
    # Chrono's demo: 0.67 times these.
    assert camera.noise.gain == pytest.approx(0.67 * np.array([1.825e-3, 2.153e-3, 3.190e-3]), rel=5e-4)
    assert camera.noise.read == pytest.approx(0.67 * np.array([2.57e-5, 4.09e-5, 8.33e-5]), rel=5e-4)


@pytest.mark.parametrize('name', sensor_models('camera'))
def test_shipped_cameras_expose_low_sun_correctly(name: str) -> None:
    """Ground at 4 W/m^2/sr, typical for low sun, is neither black nor overexposed."""
    camera = Camera(load_sensor(name, CameraConfig), 1, 'c')
    frame = empty_frame(camera.config.height, camera.config.width)
    frame.radiance[:], frame.depth[:] = 4.0, 5.0
    level = float(np.median(camera.process(frame, 1).image)) / 65535
    assert 0.1 < level < 0.9


@pytest.mark.parametrize('radiance', [0.3, 4.0, 15.0, 40.0])
@pytest.mark.parametrize('name', sensor_models('camera'))
def test_shipped_cameras_do_not_overexpose_sunlit_slopes(name: str, radiance: float) -> None:
    """For slopes whose light varies by half an e-fold, warm as mature soil, at most 3 % of any color is full.

    40 W/m^2/sr is ground under the highest sun. With a fixed exposure of 2 ms, 38 % of red was full at 4 W/m^2/sr.
    """
    config = load_sensor(name, CameraConfig)
    config = config.model_copy(update={'width': 240, 'height': 160})
    camera = Camera(config, 1, 'c')
    frame = empty_frame(160, 240)
    spread = np.exp(0.5 * np.random.default_rng(0).standard_normal((160, 240, 1)))
    frame.radiance[:], frame.depth[:] = radiance * spread * np.array([1.18, 1.0, 0.82]), 10.0
    image = camera.process(frame, 1).image.reshape(160 * 240, -1)
    # The metered percentile is at least the 95th, and its level 0.6 of full; white balance adds up to 1.43.
    assert (image == 65535).mean(axis=0).max() < 0.03
    assert 0.1 < np.median(image) / 65535 < 0.7


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'noise': {'read': (1.0, -1.0, 1.0)}}, 'noise.read.1 = -1.0: .*; allowed: greater than or equal to 0'),
        ({'noise': {'dark_current': (-5.0, 1.0, 1.0)}}, 'noise.dark_current.0 = -5.0'),
        (
            {'auto_exposure': {'min_exposure_s': 0.5, 'max_exposure_s': 0.1}},
            'auto_exposure.min_exposure_s = 0.5: is too long; allowed: up to max_exposure_s = 0.1',
        ),
        ({'effects': {'glare': 0.9}}, 'effects.glare = 0.9: .*; allowed: less than or equal to 0.5'),
        ({'color': 'bayer_rggb', 'width': 63}, "color = 'bayer_rggb': needs an even size; allowed: even width"),
    ],
    ids=['read', 'dark', 'exposure', 'glare', 'bayer'],
)
def test_invalid_faults_are_rejected(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(SensorModelError, match=words):
        load_sensor({'type': 'camera', **PLAIN, **changes}, CameraConfig)
