# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of light and labels off the axis of a lamp, of the sun or of a beam, where no term vanishes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.light import BAND_WAVELENGTHS, SUN_BANDS, SUN_RADIUS, Spotlight, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box, icosphere

DOWN = np.diag([1.0, -1.0, -1.0])


def shoot(
    scene: Scene,
    at: tuple[float, float, float],
    sun: Sun | None,
    size: tuple[int, int],
    focal: float,
    lamps: tuple[Spotlight, ...] = (),
    samples: int = 1,
) -> RenderedImage:
    scene.center(at)
    rays = scene.commit()
    camera = view(scene.origin, pixel_rays(size[1], size[0], focal, (), 'plumb_bob'), DOWN, at, focal)
    return rays.render(camera, lights(scene.origin, sun, lamps), sample_streams(1, 'camera', 0, samples))


@pytest.mark.parametrize('tilt', [0.0, 0.4])
def test_lamp_fades_as_squared_smooth_step(flat_scene: Callable[..., Scene], tilt: float) -> None:
    """White ground under a lamp beside the camera: I f(theta) cos(i) / (pi d^2), with f full inside and zero outside."""
    place, axis = np.array([0.4, -0.3, 1.5]), np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    lamp = Spotlight(place, axis * 3.0, (50.0, 100.0, 20.0), 0.3, 0.7)
    frame = shoot(flat_scene(Lambert()), (0.0, 0.0, 2.0), None, (48, 64), 30.0, (lamp,))
    rays = pixel_rays(64, 48, 30.0, (), 'plumb_bob') @ DOWN.T
    ground = rays / -rays[..., 2:] * 2.0 + [0.0, 0.0, 2.0]
    way = ground - place
    distance = np.linalg.norm(way, axis=-1)
    cosine = (way @ axis) / distance
    step = np.clip((cosine - math.cos(0.7)) / (math.cos(0.3) - math.cos(0.7)), 0.0, 1.0)
    fade = (step * step * (3.0 - 2.0 * step)) ** 2
    for band, intensity in enumerate((50.0, 100.0, 20.0)):
        expected = intensity * fade * (1.5 / distance) / (math.pi * distance**2)
        # Single precision in cosines close to 1, which the step spreads over their difference of 0.19.
        np.testing.assert_allclose(frame.radiance[..., band], expected, rtol=2e-4, atol=1e-4 * expected.max())
    half = (step > 0.3) & (step < 0.7)
    assert half.sum() > 50 and (fade == 0.0).sum() > 50 and (fade == 1.0).sum() > 50


def test_limb_darkening_conserves_irradiance(flat_scene: Callable[..., Scene]) -> None:
    """Open ground is equally bright under a uniform and a darkened disc: the irradiance is given, not its distribution.

    8 192 samples of a weight that varies by 0.18: 0.2 %; the tolerance is three times that.
    """
    sun = {'azimuth': 1.0, 'elevation': 0.6}
    even, darkened = (
        shoot(flat_scene(Lambert()), (0.0, 0.0, 2.0), Sun(**sun, limb_darkening=on), (16, 32), 60.0, samples=16)
        for on in (False, True)
    )
    expected = SUN_BANDS[1] * math.sin(0.6) / math.pi
    np.testing.assert_allclose(even.radiance[..., 1], expected, rtol=1e-5)
    assert darkened.radiance[..., 1].mean() == pytest.approx(expected, rel=0.006)


def darkened_part(offset: float, darkening: float = 0.6) -> float:
    """Return the part of a darkened unit disc's light on one side of an edge, by quadrature of 1 - u (1 - sqrt(1 - r^2))."""
    x = (np.arange(2000) + 0.5) / 1000.0 - 1.0
    grid_x, grid_y = np.meshgrid(x, x)
    r2 = grid_x**2 + grid_y**2
    glow = np.where(r2 < 1.0, 1.0 - darkening * (1.0 - np.sqrt(np.maximum(1.0 - r2, 0.0))), 0.0)
    return float(glow[grid_x < offset].sum() / glow.sum())


def test_penumbra_of_a_sun_with_limb_darkening(flat_scene: Callable[..., Scene]) -> None:
    """Half the light at half the disc; at the rim less than for a uniform disc."""
    scene = flat_scene(Lambert(), (Lambert(),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.01, 15.0, 0.5))), Semantic.OTHER)])
    scene.place(wall, 0, (-6.0, 0.0, 0.5), (0, 0, 0, 1))
    elevation = math.radians(5.0)
    sun = Sun(math.radians(270.0), elevation, limb_darkening=True)
    frame = shoot(scene, (5.5, 0.0, 4.0), sun, (16, 400), 400.0, samples=64)
    x = 5.5 + (np.arange(400) - 199.5) / 400.0 * 4.0
    light = frame.radiance[..., 1].mean(axis=0) * np.pi / (SUN_BANDS[1] * math.sin(elevation))
    offset = (elevation - np.arctan2(1.0, x + 6.0 - 0.01)) / SUN_RADIUS
    for at in (-0.8, -0.4, 0.0, 0.4, 0.8, 1.5):
        near = np.abs(offset - at) < 0.1
        # As in the test of the uniform disc: a hundredth and a half per column, less over some twenty of them.
        assert light[near].mean() == pytest.approx(darkened_part(at), abs=0.015), at
    assert darkened_part(-0.8) < 0.8 * 0.052  # an even disc: 0.052


def test_sun_is_a_black_body_at_one_au() -> None:
    """Planck's law at 5772 K over each band of 100 nm, from a disc of the sun's radius at 1 au; 1 / d^2 elsewhere."""
    h, c, k = 6.62607015e-34, 299792458.0, 1.380649e-23
    assert pytest.approx(695_700_000.0 / 149_597_870_700.0, rel=1e-4) == SUN_RADIUS
    for irradiance, middle in zip(SUN_BANDS, BAND_WAVELENGTHS):
        wave = middle + (np.arange(1000) + 0.5) * 1e-10 - 50e-9
        radiance = 2.0 * h * c**2 / wave**5 / np.expm1(h * c / (wave * k * 5772.0))
        # Given to three digits.
        assert irradiance == pytest.approx(radiance.sum() * 1e-10 * math.pi * SUN_RADIUS**2, rel=4e-3)
    near = Sun(0.0, 1.0, distance_au=0.9833)
    np.testing.assert_allclose(near.irradiance, np.array(SUN_BANDS) / 0.9833**2, rtol=1e-12)
    assert near.angular_radius == pytest.approx(SUN_RADIUS / 0.9833)


def test_wide_beam_has_the_label_of_its_center(flat_scene: Callable[..., Scene]) -> None:
    """Half on a near box, half on a wall, independent of the rim's hit; ground and sky have their own numbers."""
    scene = flat_scene(materials=(Lambert(),))
    near, wall = (scene.add_object(n, [(scene.add_mesh(box((0.5, 5, 5))), Semantic.OTHER)]) for n in ('near', 'wall'))
    scene.place(wall, 0, (12.5, 0, 10), (0, 0, 0, 1))
    values = {'columns': 2, 'azimuth_deg': (0.0, 20.0), 'rings': 1, 'elevation_deg': (0.0, 0.0)}
    beam = {'divergence_rad': (4e-3, 4e-3), 'sample_radius': 3, 'beam': 'rectangular', 'range_falloff': False}
    config = LidarConfig.model_validate({**values, **beam})

    def label(edge: float, side: int) -> int:
        scene.place(near, 0, (10.5, edge + 5 * side, 10), (0, 0, 0, 1))
        scene.center((0.0, 0.0, 10.0))
        straight = np.zeros((2, 3)) + [0.0, 0.0, 10.0], np.tile(np.eye(3), (2, 1, 1))
        scan = Lidar(config, 1, 'lidar').scan(scene.commit(), scene.origin, lambda moments: straight)
        return int(scan.object_id[0, 0, 0])

    numbers = {'near': label(-1.0, 1), 'wall': label(1.0, 1)}
    assert len({*numbers.values(), 0, 1}) == 4
    # Sub-rays lie at 0, +-8 and +-16 mm; the box covers what is beyond the edge on one side.
    for side in (1, -1):
        for edge, name in ((-0.012, 'near'), (-0.004, 'near'), (0.004, 'wall'), (0.012, 'wall')):
            assert label(side * edge, side) == numbers[name], (edge, side)


@pytest.mark.parametrize(('elevation_deg', 'dark'), [(-65.0, True), (-8.0, True), (-6.0, False)])
def test_sun_below_the_horizon_does_not_light_undersides(
    flat_scene: Callable[..., Scene], elevation_deg: float, dark: bool
) -> None:
    """A ball that is half in the ground is black at night. A sun close to the horizon can light it from a valley."""
    scene = flat_scene(Lambert(), (Lambert(),), half=3.2)
    ball = scene.add_object('ball', [(scene.add_mesh(icosphere(3)), Semantic.ROCK)])
    scene.place(ball, 0, (0.0, 0.0, 1.5 if not dark else 0.0), (0.0, 0.0, 0.0, 1.0))
    scene.center((0.0, 0.0, 2.0))
    across = (np.arange(64) - 31.5) / 64.0
    rays = np.stack([*np.meshgrid(across, across), np.ones((64, 64))], axis=2)
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    # It looks along +y, with x to the right; the sun is behind it.
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    camera = view(scene.origin, rays.astype(np.float32), turn, np.array([0.0, -2.5, 1.0]), 64.0)
    sun = Sun(math.radians(180.0), math.radians(elevation_deg))
    seen = scene.commit().render(camera, lights(scene.origin, sun), sample_streams(1, 'eye', 0, 4))
    assert (seen.semantic == Semantic.ROCK).any()
    assert (seen.radiance.max() == 0.0) == dark
