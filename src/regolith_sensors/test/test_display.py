# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of camera colors and of 8-bit images."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Sun
from regolith_sensors.scene.scene import Scene
from regolith_sensors.sensor_models import SensorModelError, load_sensor, sensor_models
from regolith_sensors.surfaces.materials import HapkeSoil, Lambert

OFF = {'defocus': False, 'noise': False, 'fixed_pattern': False, 'vignetting': False}


def ground(scene: Scene, model: dict[str, Any] | str, **changes: Any) -> Any:
    """Return the mean digital numbers of sunlit ground straight below in red, green and blue."""
    values = load_sensor(model, CameraConfig).model_dump(mode='json')
    small = {
        'width': 32,
        'height': 24,
        'color': 'rgb',
        'stages': OFF,
        'distortion': {},
        'auto_exposure': {'target_level': 0.5},
    }
    camera = Camera(CameraConfig.model_validate({**values, **small, **changes}), 1, 'cam')
    scene.center((0.0, 0.0, 2.0))
    down = CameraPose(np.array([0.0, 0.0, 2.0]), np.array([0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)]))
    seen = camera.expose(scene.commit(), scene.origin, lambda _: down, Sun(1.0, 0.6))
    return camera.process(seen).image.reshape(-1, 3).mean(axis=0)


@pytest.mark.parametrize('model', sensor_models('camera'))
def test_sunlit_regolith_is_neutral_to_warm(model: str, flat_scene: Callable[..., Scene]) -> None:
    red, green, blue = ground(flat_scene(HapkeSoil()), model)
    # Mature soil reflects some 45 % more at 650 nm than at 450 nm; no color of the sensor itself remains.
    assert red > green > blue and red / blue == pytest.approx(1.18 / 0.82, rel=0.02)
    white = ground(flat_scene(Lambert((0.3,) * 3)), model)
    np.testing.assert_allclose(white, white.mean(), rtol=0.01)
    unbalanced = ground(flat_scene(Lambert((0.3,) * 3)), model, white_balance='none')
    assert np.ptp(unbalanced) > 0.1 * unbalanced.mean()


def test_white_balance_by_hand(flat_scene: Callable[..., Scene]) -> None:
    fixed = {'auto_exposure': None, 'exposure_s': 1e-3}
    plain, warm = (
        ground(flat_scene(Lambert((0.1,) * 3)), 'navcam', white_balance=balance, **fixed)
        for balance in ('none', (2.0, 1.0, 0.5))
    )
    np.testing.assert_allclose(warm / plain, (2.0, 1.0, 0.5), rtol=2e-3)
    with pytest.raises(SensorModelError, match='white_balance'):
        load_sensor(
            {
                **CameraConfig.model_validate(load_sensor('navcam', CameraConfig).model_dump(mode='json')).model_dump(
                    mode='json'
                ),
                'white_balance': 'cloudy',
            },
            CameraConfig,
        )


def test_saturated_pixel_is_white(flat_scene: Callable[..., Scene]) -> None:
    """All gains are at least 1, so overexposed ground has no color."""
    bright = ground(flat_scene(Lambert((0.9,) * 3)), 'blackfly', auto_exposure=None, exposure_s=1.0)
    np.testing.assert_array_equal(bright, 65535.0)


def test_8_bit_images_are_srgb_encoded() -> None:
    shown, encoding = display_image(np.array([[0, 14036, 65535]], np.uint16), 'mono16')
    # 21.4 % of the light is the middle of the scale.
    assert encoding == 'mono8' and shown.dtype == np.uint8 and shown.tolist() == [[0, 128, 255]]
    colors = np.array([60000, 30000, 5000], np.uint16)
    expected = display_image(colors[None, None], 'rgb16')[0][0, 0]
    for letters in ('rggb', 'bggr', 'gbrg', 'grbg'):
        mosaic = np.array(['rgb'.index(c) for c in letters]).reshape(2, 2)
        image, form = display_image(np.tile(colors[mosaic], (8, 8)), f'bayer_{letters}16')
        assert form == 'rgb8' and image.shape == (16, 16, 3)
        assert np.abs(image[4:-4, 4:-4].astype(int) - expected).max() <= 1
