# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of stereo depth: exact on synthetic pairs, within the documented error on rendered ones."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from regolith_sensors.camera.info import CameraInfo, camera_info
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.labels.stereo import (
    MatcherConfig,
    depth_error_ratio,
    depth_errors,
    disparities,
    rectified_truth,
    stereo_baseline,
    stereo_depth,
    to_8_bit,
)
from regolith_sensors.light import Sun
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.sensor_models import load_sensor
from regolith_sensors.surfaces.materials import Principled
from regolith_sensors.surfaces.meshes import rock
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.procedural import ProceduralField

WIDTH, HEIGHT, FOCAL, BASELINE = 320, 120, 400.0, 0.2


def infos() -> tuple[CameraInfo, CameraInfo]:
    config = CameraConfig(
        width=WIDTH, height=HEIGHT, pixel_size_m=1e-5, focal_length_m=FOCAL * 1e-5, f_number=8.0, exposure_s=1e-3
    )
    return camera_info(config), camera_info(config, BASELINE)


def shifted_noise(disparity: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a uniform random texture on a wall as seen by two cameras that face it."""
    texture = np.random.default_rng(3).integers(500, 40000, (HEIGHT, WIDTH + disparity)).astype(np.uint16)
    return texture[:, :WIDTH], texture[:, disparity:]


@pytest.mark.parametrize('method', ['bm', 'sgbm'])
def test_stereo_depth_of_a_wall(method: str) -> None:
    left, right = shifted_noise(20)
    matcher = MatcherConfig.model_validate({'method': method, 'block_size': 9})
    depth = stereo_depth(left, right, *infos(), (2.0, 8.0), matcher)
    # b f / d; an integer disparity has no quantization error. Edges of blocks are left out.
    seen = depth[8:-8, 40:-8]
    assert np.isfinite(seen).mean() > 0.98
    np.testing.assert_allclose(np.nanmedian(seen), BASELINE * FOCAL / 20, rtol=1e-3)
    # The nearest border that a match at 8 m (10 px) could reach.
    assert np.isnan(depth[:, :10]).all()
    assert np.isfinite(depth[8:-8, 28:40]).mean() > 0.9, 'columns that both see are lost'


def test_depth_error_ratio() -> None:
    truth = np.array([[1.0, 2.0, 4.0, 8.0, 10.0, np.inf]])
    depth = np.array([[1.1, 2.08, np.nan, 7.2, 10.0, 5.0]])
    np.testing.assert_allclose(depth_error_ratio(depth, truth), [[0.1, 0.04, np.nan, 0.1, 0.0, np.nan]])
    errors = depth_errors(depth, truth, (2.0, 8.0))
    assert errors.pixels == 3 and errors.matched == pytest.approx(2 / 3)
    assert errors.median == pytest.approx(0.07) and errors.bias == pytest.approx(-0.03)
    assert errors.good == pytest.approx(0.5)
    assert math.isnan(errors.within_px) and math.isnan(errors.rms_px)
    # With 100 px m the disparity of 2.08 m is 1.923 px off 50, that of 7.2 m 1.389 off 12.5; with 50 px m 0.96 and
    # 0.69.
    assert depth_errors(depth, truth, (2.0, 8.0), 100.0).within_px == 0.0
    half = depth_errors(depth, truth, (2.0, 8.0), 50.0)
    assert half.within_px == pytest.approx(2 / 3) and half.rms_px == pytest.approx(
        math.hypot(0.9615, 0.6944) / 2**0.5, rel=1e-3
    )
    nothing = depth_errors(np.full((1, 6), np.nan), truth, strength=50.0)
    assert nothing.matched == 0.0 == nothing.within_px and math.isnan(nothing.median)


def test_invalid_stereo_pairs_are_rejected() -> None:
    left, right = infos()
    assert stereo_baseline(right) == pytest.approx(BASELINE)
    with pytest.raises(ValueError, match=r'not the right camera of a pair; allowed: -fx b < 0'):
        stereo_baseline(left)
    image = np.zeros((HEIGHT, WIDTH), np.uint16)
    with pytest.raises(ValueError, match=r'right image: 319 x 120; allowed: 320 x 120'):
        stereo_depth(image, image[:, 1:], left, right)
    with pytest.raises(ValueError, match='not increasing'):
        stereo_depth(image, image, left, right, (3.0, 3.0))
    with pytest.raises(ValueError, match='block_size = 8: even'):
        MatcherConfig(block_size=8)


def test_8_bit_scale_is_common_to_both_cameras() -> None:
    dark, bright = to_8_bit([np.full((4, 4), 100, np.uint16), np.full((4, 4, 3), 400, np.uint16)], 100.0)
    assert bright[0, 0] == 255 and dark[0, 0] == 128


def lit_scene() -> tuple[Scene, np.ndarray]:
    """Return rough ground with rocks from 2 to 9 m, and the position of a mast 1.2 m above it."""
    grid = SoilGrid(ProceduralField(3), 0.05)
    scene = Scene(
        SoilHeightSource(grid), [Principled((0.15, 0.14, 0.13), 0.9, micro_relief=0.5)], view_range=200.0, detail=3
    )
    stone = scene.add_mesh(rock(1))
    for k in range(20):
        thing = scene.add_object(f'rock{k}', [(stone, Semantic.ROCK)])
        x, y = 2.0 + 0.37 * k, (k * 0.61) % 4.0 - 2.0
        scene.place(thing, 0, (x, y, float(grid.levels(x, y))), (0, 0, math.sin(k), math.cos(k)), 0.1 + 0.01 * k)
    return scene, np.array([0.0, 0.0, float(grid.levels(0.0, 0.0)) + 1.2])


@pytest.mark.slow
@pytest.mark.seconds
@pytest.mark.parametrize('lens', ['plumb_bob', 'equidistant'])
def test_stereo_depth_of_a_rendered_pair(lens: str) -> None:
    """A pair 0.24 m apart with focal length 859 px and all camera stages: median below 2 %, 70 % matched."""
    config = load_sensor('navcam', CameraConfig)
    if lens == 'equidistant':
        fisheye = {'model': 'equidistant', 'coefficients': [-0.02, 0.004, -0.001, 0.0]}
        config = load_sensor({**config.model_dump(mode='json'), 'distortion': fisheye}, CameraConfig)
    scene, mast = lit_scene()
    scene.center(mast)
    arrays = scene.commit()
    tilt = np.array([0.0, math.sin(math.radians(7.0)), 0.0, math.cos(math.radians(7.0))])
    images, depth = [], np.zeros((0, 0), np.float32)
    for name, y in (('left', 0.12), ('right', -0.12)):
        camera = Camera(config, 1, f'amber/{name}')
        pose = CameraPose(mast + [0.0, y, 0.0], tilt)
        frame = camera.expose(arrays, scene.origin, lambda _, pose=pose: pose, Sun(math.radians(60), math.radians(8)))
        depth = frame.depth.copy() if name == 'left' else depth
        images.append(camera.process(frame).image)
    left, right = camera_info(config), camera_info(config, 0.24)
    truth = rectified_truth(depth, left)
    errors = depth_errors(stereo_depth(images[0], images[1], left, right), truth)
    # The share counts all pixels of 2 to 8 m, including shadows and parts that the right camera does not see.
    assert errors.pixels > 100_000 and errors.matched > 0.7
    assert errors.median < 0.02 and abs(errors.bias) < 0.005
    # Without rectification the same images give worse depth, so the lens has an effect in this test.
    flat = dataclasses.replace(left, d=np.zeros_like(left.d)), dataclasses.replace(right, d=np.zeros_like(right.d))
    bent = depth_errors(stereo_depth(images[0], images[1], *flat), truth)
    assert bent.median > 1.5 * errors.median


@pytest.mark.parametrize('method', ['bm', 'sgbm'])
def test_disparity_search_starts_at_the_minimum(method: str) -> None:
    """A near wall at 44 pixels is found by a search of 40 to 50, which begins there and not at infinity."""
    left, right = shifted_noise(44)
    matcher = MatcherConfig.model_validate({'method': method, 'block_size': 9})
    left, right = (np.ascontiguousarray(image >> 8).astype(np.uint8) for image in (left, right))
    found = disparities(left, right, 40.0, 50.0, matcher)[8:-8, 70:-8]
    assert np.isfinite(found).mean() > 0.9 and np.nanmedian(found) == pytest.approx(44.0, abs=0.1)
