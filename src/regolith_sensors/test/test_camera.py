# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the camera as a whole: CameraInfo accuracy, exposure, determinism, faults and invalid files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from regolith_sensors.camera.effects import glare, jpeg_artifacts, mosaic
from regolith_sensors.camera.info import camera_info
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Sun
from regolith_sensors.numerics.lens import project
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.sensor_models import SensorModelError, load_sensor, sensor_models
from regolith_sensors.surfaces.materials import HapkeSoil, Lambert
from regolith_sensors.surfaces.meshes import cylinder

LEVEL = (0.0, 0.0, 0.0, 1.0)
SMALL = {
    'width': 160,
    'height': 120,
    'pixel_size_m': 1e-5,
    'focal_length_m': 1.2e-3,
    'f_number': 8.0,
    'exposure_s': 1e-3,
    'color': 'mono',
    'stages': {'defocus': False, 'noise': False, 'fixed_pattern': False, 'vignetting': False},
}


def camera(**changes: Any) -> Camera:
    return Camera(CameraConfig.model_validate({**SMALL, **changes}), 7, 'amber/navcam')


@pytest.mark.parametrize(
    'distortion',
    [
        {'model': 'plumb_bob', 'coefficients': (-0.16, 0.05, 0.002, -0.003, -0.01)},
        {'model': 'rational_polynomial', 'coefficients': (0.3, 0.02, 0.001, 0.002, 0.01, 0.5, 0.05, 0.01)},
        {'model': 'equidistant', 'coefficients': (-0.02, 0.004, -0.001, 0.0)},
    ],
    ids=lambda d: d['model'],
)
def test_camera_info_predicts_disc_positions(distortion: dict[str, Any], flat_scene: Callable[..., Scene]) -> None:
    """White discs at known positions appear at the pixels of CameraInfo's K and D, by our formulas and by OpenCV's."""
    device = camera(distortion=distortion, samples_per_pixel=64)
    # Black ground far below, a white disc that faces the camera; the sun behind it.
    scene = flat_scene(Lambert((0.0, 0.0, 0.0)), (Lambert(),))
    disc = scene.add_object('disc', [(scene.add_mesh(cylinder(0.015, 1e-3, 64)), Semantic.OTHER)])
    across = (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4))
    info = device.info()
    pose = CameraPose(np.array([0.0, 0.0, 15.0]), np.array(LEVEL))
    for y, z in [(0.5, 0.3), (-0.55, 0.35), (-0.3, -0.2)]:
        scene.place(disc, 0, (1.0, y, 15.0 + z), across)
        scene.center((0.0, 0.0, 15.0))
        frame = device.expose(scene.commit(), scene.origin, lambda _: pose, Sun(math.radians(270.0), 0.0))
        light = frame.radiance[..., 1]
        rows, columns = np.indices(light.shape)
        seen = np.array([np.sum(light * columns), np.sum(light * rows)]) / light.sum()
        # The lit face is 1 mm in front of the disc's center; x of the body is z of the optical frame.
        point = np.array([-y, -z, 1.0 - 1e-3])
        expected = project(point, info.k, info.d, info.distortion_model)
        # A disc image of 4 px is off its center's by 0.015 px in the fisheye's corner, the lattice of 64 rays by 0.01.
        np.testing.assert_allclose(seen, expected, atol=0.05)
        if distortion['model'] == 'equidistant':
            theirs = cv2.fisheye.projectPoints(point[None, None], np.zeros(3), np.zeros(3), info.k, info.d)[0]
        else:
            theirs = cv2.projectPoints(point[None], np.zeros(3), np.zeros(3), info.k, info.d)[0]
        np.testing.assert_allclose(theirs.ravel(), expected, atol=1e-6)


def test_info_of_a_stereo_pair() -> None:
    left, right = camera().info(), camera().info(0.3)
    assert left.k[0, 0] == pytest.approx(120.0) and left.k[0, 2] == 79.5 and left.k[1, 2] == 59.5
    point = np.array([0.4, -0.2, 3.0, 1.0])
    u, v = left.p @ point, right.p @ point
    disparity = u[0] / u[2] - v[0] / v[2]
    # Depth from disparity: b fx / d.
    assert 0.3 * 120.0 / disparity == pytest.approx(3.0)
    assert u[1] == v[1] and left.p[0, 3] == 0.0


def photograph(device: Camera, scene: Scene, frame: int = 0) -> np.ndarray:
    scene.center((0.0, 0.0, 1.5))
    tilt = np.array([0.0, math.sin(0.15), 0.0, math.cos(0.15)])
    pose = CameraPose(np.array([0.0, 0.0, 1.5]), tilt)
    seen = device.expose(scene.commit(), scene.origin, lambda _: pose, Sun(2.0, 0.3), frame=frame)
    return device.process(seen, frame).image


def test_frames_repeat_bit_for_bit(flat_scene: Callable[..., Scene]) -> None:
    scene = flat_scene(HapkeSoil())
    everything = {
        'stages': {},
        'noise': {
            'read': (5.0, 5.0, 5.0),
            'prnu': 0.01,
            'dsnu': 2.0,
            'row': 1.0,
            'column': 1.0,
            'hot_fraction': 0.001,
            'dead_fraction': 0.001,
        },
        'effects': {'dust_spots': 5, 'glare': 0.05},
        'samples_per_pixel': 2,
        'color': 'rgb',
    }
    first = photograph(camera(**everything), scene, 3)
    assert first.dtype == np.uint16 and first.shape == (120, 160, 3)
    assert first.tobytes() == photograph(camera(**everything), scene, 3).tobytes()
    other = photograph(camera(**everything), scene, 4)
    lit = first[70:, :, 1].astype(float)
    difference = lit - other[70:, :, 1]
    # Only the temporal noise differs: shot and read noise of two frames.
    assert 0.0 < difference.std() < 0.3 * lit.std() + 1500.0


def test_color_modes_and_encodings(flat_scene: Callable[..., Scene]) -> None:
    scene = flat_scene(Lambert((0.6, 0.3, 0.1)))
    rgb = photograph(camera(color='rgb'), scene)
    bayer = photograph(camera(color='bayer_grbg'), scene)
    np.testing.assert_array_equal(bayer[0::2, 0::2], rgb[0::2, 0::2, 1])
    np.testing.assert_array_equal(bayer[0::2, 1::2], rgb[0::2, 1::2, 0])
    np.testing.assert_array_equal(bayer[1::2, 0::2], rgb[1::2, 0::2, 2])
    assert [camera(color=c).config.encoding for c in ('mono', 'rgb', 'bayer_rggb')] == [
        'mono16',
        'rgb16',
        'bayer_rggb16',
    ]
    assert rgb[90, 80, 0] > rgb[90, 80, 1] > rgb[90, 80, 2] > 0


def test_automatic_exposure(flat_scene: Callable[..., Scene]) -> None:
    meter = {'percentile': 90.0, 'target_level': 0.5, 'min_exposure_s': 1e-6, 'max_exposure_s': 1.0}
    for albedo in (0.02, 0.9):
        image = photograph(camera(auto_exposure=meter), flat_scene(Lambert((albedo,) * 3)))
        assert np.percentile(image[::4, ::4], 90.0) / 65535 == pytest.approx(0.5, abs=0.01)
    assert photograph(camera(exposure_s=10.0), flat_scene()).max() == 65535


def test_pixel_samples_are_evenly_distributed() -> None:
    """Sixteen offsets: the first in the center, at most one of 4 x 4 cells empty (for random offsets six are expected)."""
    camera = Camera(CameraConfig.model_validate({**SMALL, 'samples_per_pixel': 16}), 1, 'cam')
    offsets = np.array([camera.offset(k) for k in range(16)])
    assert offsets[0].tolist() == [0.0, 0.0] and np.abs(offsets).max() <= 0.5
    cells = np.floor((offsets + 0.5) * 4.0).astype(int)
    assert len(np.unique(cells[:, 0] * 4 + cells[:, 1])) >= 15
    # Lattice of the plastic number: 1 / x and 1 / x^2 of x^3 = x + 1.
    step = (offsets[1] - offsets[0]) % 1.0
    assert 1.0 / step[0] ** 3 == pytest.approx(1.0 / step[0] + 1.0) and step[1] == pytest.approx(step[0] ** 2)


def test_motion_blur_of_a_panning_camera(flat_scene: Callable[..., Scene]) -> None:
    """A camera that pans by 20 px during the exposure smears a point over 20 px."""
    scene = flat_scene(Lambert((0.0, 0.0, 0.0)), (Lambert(),))
    disc = scene.add_object('disc', [(scene.add_mesh(cylinder(0.01, 1e-3)), Semantic.OTHER)])
    scene.place(disc, 0, (1.0, 0.0, 15.0), (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4)))
    scene.center((0.0, 0.0, 15.0))

    def pose(part: float) -> CameraPose:
        angle = math.atan(20.0 / 120.0) * (part - 0.5)
        return CameraPose(np.array([0.0, 0.0, 15.0]), np.array([0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)]))

    widths = []
    for blur in (False, True):
        device = camera(samples_per_pixel=64, stages={**SMALL['stages'], 'motion_blur': blur})
        light = (
            device.expose(scene.commit(), scene.origin, pose, Sun(math.radians(270.0), 0.0))
            .radiance[..., 1]
            .sum(axis=0)
        )
        columns = np.arange(160)
        mean = np.sum(columns * light) / light.sum()
        widths.append(math.sqrt(np.sum((columns - mean) ** 2 * light) / light.sum()))
    # A uniform smear of length s has the deviation s / sqrt(12).
    assert math.sqrt(widths[1] ** 2 - widths[0] ** 2) == pytest.approx(20.0 / math.sqrt(12.0), rel=0.03)


def test_glare_conserves_and_spreads_light() -> None:
    image = np.zeros((256, 256, 1), dtype=np.float32)
    image[120:136, 120:136] = 10.0
    veiled = glare(image, 0.1)
    # The widest Gaussian loses some of its tenth beyond the border.
    assert veiled.sum() == pytest.approx(image.sum(), rel=0.03)
    # Nine tenths stay; of the other tenth the narrowest Gaussian (45 %, 3.6 px wide) leaves most in the patch.
    assert veiled[128, 128, 0] == pytest.approx(9.45, abs=0.1) and 0.0 < veiled[128, 220, 0] < 0.1


def test_jpeg_and_mosaic() -> None:
    ramp = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (64, 1))
    back = jpeg_artifacts(ramp, 90)
    assert back.dtype == np.uint16 and np.abs(back.astype(int) - ramp).mean() < 600 and np.any(back != ramp)
    color = np.stack([ramp, ramp // 2, ramp // 4], axis=2)
    assert np.abs(jpeg_artifacts(color, 95).astype(int) - color).mean() < 1500
    assert mosaic(color, 'rggb')[0, 2] == ramp[0, 2]


def refusal(**changes: Any) -> str:
    with pytest.raises(SensorModelError) as caught:
        load_sensor({**SMALL, **changes}, CameraConfig)
    return str(caught.value)


def test_invalid_camera_files_are_rejected(tmp_path: Path) -> None:
    """The error gives file, key, value and allowed values."""
    assert 'width = true' in refusal(width=True) and 'allowed: a valid integer' in refusal(width=True)
    assert 'width = 0' in refusal(width=0) and 'greater than or equal to 1' in refusal(width=0)
    assert (
        'focus_distance_m = 0.001: is inside the focal length; allowed: more than focal_length_m = 0.0012'
        in refusal(focus_distance_m=1e-3)
    )
    text = refusal(distortion={'model': 'fov'})
    assert "distortion.model = 'fov': is unknown; allowed: plumb_bob, rational_polynomial, equidistant" in text
    assert 'folds over' in refusal(distortion={'model': 'plumb_bob', 'coefficients': (-2.0, 0.0, 0.0)})
    assert 'unknown key; allowed: ' in refusal(widht=3) and '(did you mean width?)' in refusal(widht=3)
    assert 'wrong number for equidistant; allowed: 0 or 4 numbers' in refusal(
        distortion={'model': 'equidistant', 'coefficients': (1.0,)}
    )
    assert 'response.slope: is not set' in refusal(response={'kind': 'sigmoid'})
    assert 'exposure_s = nan' in refusal(exposure_s=math.nan)
    file = tmp_path / 'mine.yaml'
    file.write_text('type: camera\nwidth: [1')
    with pytest.raises(SensorModelError, match=r'mine\.yaml:3: is not YAML'):
        load_sensor('mine.yaml', CameraConfig, tmp_path)
    file.write_text('type: camera\nwidth: 10\n')
    with pytest.raises(
        SensorModelError, match=r'mine\.yaml: height: is missing; allowed: a value \(height: Image height'
    ):
        load_sensor('mine.yaml', CameraConfig, tmp_path)
    with pytest.raises(SensorModelError, match=r'allowed: .*blackfly, .*did you mean navcam'):
        load_sensor('navcan', CameraConfig)


def test_shipped_cameras_load() -> None:
    for name in sensor_models('camera'):
        config = load_sensor(name, CameraConfig)
        assert camera_info(config).k[0, 0] == pytest.approx(config.focal_length_m / config.pixel_size_m)
