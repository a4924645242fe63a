# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of automatic exposure: metered classes and the limit of full pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera.pipeline import Camera, CameraImage, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Sun
from regolith_sensors.rays.image import empty_frame
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField

HEIGHT, WIDTH = 96, 128
STAGES = {'defocus': False, 'noise': False, 'fixed_pattern': False, 'vignetting': False}
GROUND = np.s_[HEIGHT // 3 :, : WIDTH // 2]
"""Pixels of the ground; the sky is above, a vehicle on the right."""


def developed(**exposure: Any) -> CameraImage:
    """Return an image of ground with radiance from 0 to 1, below a black sky and beside a bright vehicle."""
    config = CameraConfig.model_validate(
        {
            'width': WIDTH,
            'height': HEIGHT,
            'pixel_size_m': 1e-5,
            'focal_length_m': 1.2e-3,
            'f_number': 8.0,
            'exposure_s': 1e-3,
            'color': 'mono',
            'stages': STAGES,
            'auto_exposure': {'min_exposure_s': 1e-6, 'max_exposure_s': 60.0, **exposure},
        }
    )
    frame = empty_frame(HEIGHT, WIDTH)
    frame.semantic[HEIGHT // 3 :] = Semantic.VEHICLE
    frame.radiance[HEIGHT // 3 :] = 20.0
    frame.semantic[GROUND] = Semantic.GROUND
    frame.semantic[GROUND][::2] = Semantic.ROCK
    ramp = np.arange(frame.depth[GROUND].size) / frame.depth[GROUND].size
    # In an order that every fourth row and column samples evenly.
    order = np.random.default_rng(1).permutation(ramp.size)
    frame.radiance[GROUND] = ramp[order].reshape(frame.depth[GROUND].shape)[:, :, None]
    return Camera(config, 1, 'amber/eye').process(frame)


@pytest.mark.parametrize(('percentile', 'level'), [(50.0, 0.2), (90.0, 0.6)])
def test_percentile_of_the_ground_reaches_its_level(percentile: float, level: float) -> None:
    """The black sky and a vehicle twenty times as bright as the ground have no effect.

    A percentile of the 256 metered ground pixels of a uniform distribution is known to sqrt(p (1 - p) / 256), at most
    3.1 %. Relative to at least 0.5 of the range, 3 standard deviations are 19 %.
    """
    picture = developed(meter='ground', percentile=percentile, target_level=level)
    assert np.percentile(picture.image[GROUND], percentile) / 65535 == pytest.approx(level, rel=0.19)


def test_frame_metering_includes_vehicles() -> None:
    """The vehicle covers a third of the frame, so the 90th percentile is that of the vehicle, at a radiance of 20."""
    frame, ground = (
        developed(meter=meter, percentile=90.0, target_level=0.6).exposure_s for meter in ('frame', 'ground')
    )
    assert frame / ground == pytest.approx(0.9 / 20.0, rel=0.1)


@pytest.mark.parametrize('limit', [0.01, 0.1])
def test_fraction_of_full_pixels_is_limited(limit: float) -> None:
    """With the median at the full well half of the ground would be full; the limit shortens the exposure.

    The fraction of the whole ground equals that of the metered 256 pixels within three standard deviations.
    """
    free = developed(meter='ground', percentile=50.0, target_level=1.0)
    assert np.mean(free.image[GROUND] == 65535) == pytest.approx(0.5, abs=0.1)
    held = developed(meter='ground', percentile=50.0, target_level=1.0, max_full_fraction=limit)
    full = np.mean(held.image[GROUND] == 65535)
    assert full == pytest.approx(limit, abs=3.0 * np.sqrt(limit * (1.0 - limit) / 256.0))
    # A limit that is met anyway has no effect.
    dim = {'meter': 'ground', 'percentile': 50.0, 'target_level': 0.1}
    assert developed(**dim).exposure_s == developed(**dim, max_full_fraction=limit).exposure_s


def test_frame_without_ground_is_metered_completely() -> None:
    config = {'percentile': 90.0, 'target_level': 0.5}
    devices = [
        Camera(
            CameraConfig.model_validate(
                {
                    'width': 64,
                    'height': 48,
                    'pixel_size_m': 1e-5,
                    'focal_length_m': 1.2e-3,
                    'f_number': 8.0,
                    'exposure_s': 1e-3,
                    'color': 'mono',
                    'stages': STAGES,
                    'auto_exposure': {**config, 'meter': meter},
                }
            ),
            1,
            'amber/eye',
        )
        for meter in ('ground', 'frame')
    ]
    frame = empty_frame(48, 64)
    frame.semantic[:], frame.radiance[:] = Semantic.VEHICLE, 3.0
    exposures = {device.process(frame).exposure_s for device in devices}
    assert len(exposures) == 1 and exposures != {1e-3}


METERED = {
    'width': 320,
    'height': 240,
    'pixel_size_m': 1e-5,
    'focal_length_m': 3e-3,
    'f_number': 8.0,
    'exposure_s': 1e-3,
    'color': 'mono',
    'edge_samples': 3,
    'auto_exposure': {'meter': 'ground', 'min_exposure_s': 1e-6, 'max_exposure_s': 60.0},
}


def test_small_image_meters_as_the_frame_does() -> None:
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.05), (-4.0, 8.0, -6.0, 6.0))
    scene = Scene(ground)
    scene.center((0.0, 0.0, 1.5))
    rays = scene.commit()
    pose = CameraPose(np.array([0.0, 0.0, 1.5]), np.array([0.0, 0.2, 0.0, 0.98]) / np.hypot(0.2, 0.98))
    camera = Camera(CameraConfig.model_validate(METERED), 1, 'amber/eye')
    times = []
    for elevation in (0.9, 0.2):
        sun = Sun(1.0, elevation)
        seen = camera.expose(rays, scene.origin, lambda _: pose, sun)
        whole, small = camera.process(seen).exposure_s, camera.meter(rays, scene.origin, pose, sun)
        # The 95th percentile of 1200 or 4800 metered pixels of bare ground.
        assert small == pytest.approx(whole, rel=0.05)
        assert camera.process(seen, exposure_s=2.5e-3).exposure_s == 2.5e-3
        times.append(small)
    assert times[1] > 1.5 * times[0], 'a lower sun needs a longer exposure'
    assert camera.meter(rays, scene.origin, pose, Sun(1.0, 0.9)) == times[0], 'independent of other frames'
