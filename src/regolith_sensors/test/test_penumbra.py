# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of penumbrae at one ray to the sun's disc per pixel: profile, noise and sharp borders."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera import pipeline
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import SUN_BANDS, SUN_RADIUS, Sun
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box

WIDTH, HEIGHT = 160, 96
DOWN = (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4))
"""Rotates a camera body so that it faces down, with the top of its image toward +x."""
TOP = 1.0
"""Height of the wall's upper edge above the ground [m]."""


def seen_part(offset: np.ndarray, darkening: float) -> np.ndarray:
    """Return the part of a unit disc's light below a straight edge at an offset, by quadrature of 1 - u (1 - mu)."""
    x = (np.arange(400) + 0.5) / 200.0 - 1.0
    grid_x, grid_y = np.meshgrid(x, x)
    r2 = grid_x**2 + grid_y**2
    glow = np.where(r2 < 1.0, 1.0 - darkening * (1.0 - np.sqrt(np.maximum(1.0 - r2, 0.0))), 0.0)
    column = np.cumsum(glow.sum(axis=0)) / glow.sum()
    return np.interp(offset, x + 0.0025, column, left=0.0, right=1.0)


def look(scene: Scene, at: tuple[float, float, float], pixel_m: float, sun: Sun, **changes: Any) -> np.ndarray:
    """Return the visible part of the sun at the pixels of a downward camera over white ground."""
    values = {
        'width': WIDTH,
        'height': HEIGHT,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-5 * at[2] / pixel_m,
        'f_number': 8.0,
        'exposure_s': 1e-3,
        **changes,
    }
    camera = Camera(CameraConfig.model_validate(values), 1, 'amber/eye')
    scene.center(at)
    pose = CameraPose(np.array(at), np.array(DOWN))
    frame = camera.expose(scene.commit(), scene.origin, lambda _: pose, sun, frame=2)
    return frame.radiance[..., 1] * np.pi / (SUN_BANDS[1] * math.sin(sun.elevation))


def wall_and_sun(make: Callable[..., Scene], darkening: bool) -> tuple[Scene, Sun]:
    """Return a long wall across the sun's rays, 6 m from the origin, whose shadow ends at 5.4 m."""
    scene = make(Lambert(), (Lambert(),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.01, 15.0, 0.5 * TOP))), Semantic.OTHER)])
    scene.place(wall, 0, (-6.0, 0.0, 0.5 * TOP), (0, 0, 0, 1))
    return scene, Sun(math.radians(270.0), math.radians(5.0), limb_darkening=darkening)


@pytest.mark.parametrize('darkening', [False, True], ids=['even', 'darkened'])
@pytest.mark.parametrize('width_px', [8, 25, 60])
def test_penumbra_has_the_profile_of_the_disc_without_noise(
    flat_scene: Callable[..., Scene], width_px: int, darkening: bool
) -> None:
    """Rows of the image are parallel to the wall, so each is a repetition: their mean is the disc's profile.

    The average widens the penumbra by WIDENING = 1.11, which moves the profile by up to 0.03. With four rays, as at a
    border, a pixel deviates by up to 0.25, with one ray by 0.5.
    """
    scene, sun = wall_and_sun(flat_scene, darkening)
    pixel = 1.22 / width_px
    at = (5.43, 0.0, 5.0)
    part = look(scene, at, pixel, sun)
    x = at[0] + (0.5 * (HEIGHT - 1) - np.arange(HEIGHT)) * pixel
    offset = (sun.elevation - np.arctan2(TOP, x + 6.0 - 0.01)) / SUN_RADIUS
    expected = seen_part(offset, 0.6 if darkening else 0.0)
    inside = np.abs(offset) < 1.5
    assert inside.sum() > 0.9 * min(width_px, HEIGHT)
    # Mean over the columns: 160 pixels with deviation 0.05, correlated over 9 px: 0.012.
    np.testing.assert_allclose(part.mean(axis=1)[inside], expected[inside], atol=0.06)
    strays = np.sqrt(((part - part.mean(axis=1, keepdims=True)) ** 2).mean(axis=1))[inside]
    assert strays.max() < 0.09 and np.sqrt((strays**2).mean()) < 0.06
    # Beyond the penumbra nothing changes.
    np.testing.assert_allclose(part[offset > 2.0], 1.0, rtol=1e-5)
    np.testing.assert_allclose(part[offset < -2.0], 0.0, atol=1e-6)


def test_neighboring_pixels_sample_the_whole_disc(flat_scene: Callable[..., Scene]) -> None:
    """Without further rays, 4 x 4 pixels sample the visible part much better than 16 independent rays."""
    scene, sun = wall_and_sun(flat_scene, False)
    at = (5.43, 0.0, 5.0)
    part = look(scene, at, 0.02, sun, edge_samples=0)
    x = at[0] + (0.5 * (HEIGHT - 1) - np.arange(HEIGHT)) * 0.02
    expected = seen_part((sun.elevation - np.arctan2(TOP, x + 6.0 - 0.01)) / SUN_RADIUS, 0.0)
    found = part.reshape(HEIGHT // 4, 4, WIDTH // 4, 4).mean(axis=(1, 3))
    mean = expected.reshape(-1, 4).mean(axis=1)[:, None]
    soft = ((mean > 0.1) & (mean < 0.9))[:, 0]
    assert soft.sum() >= 8
    error = np.sqrt(((found - mean) ** 2).mean(axis=1))[soft]
    alone = np.sqrt(mean * (1.0 - mean) / 16.0)[soft, 0]
    assert np.mean(error / alone) < 0.6
    # Unbiased: 40 blocks in each of these rows.
    assert np.abs((found - mean).mean(axis=1)[soft]).max() < 4.0 * 0.06 / math.sqrt(40.0)


def test_narrow_penumbra_is_no_row_of_dots(flat_scene: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch) -> None:
    """Along a straight border, whose penumbra is a pixel wide, the visible part does not jump from pixel to pixel."""
    scene = flat_scene(Lambert(), (Lambert((0.0, 0.0, 0.0)),))
    thing = scene.add_object('plate', [(scene.add_mesh(box((0.5, 2.0, 0.01))), Semantic.OTHER)])
    scene.place(thing, 0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
    sun = Sun(math.radians(270.0), math.radians(60.0))
    # The edge at x = 0.5 m casts its shadow on x = 0.5 + 1.0 / tan(60 deg), 1.08 cm wide.
    at = (0.5 + 0.99 / math.tan(math.radians(60.0)) + 0.3, 0.0, 4.0)

    def roughness() -> float:
        seen = look(scene, at, 0.011, sun)
        border = (seen > 0.05) & (seen < 0.95)
        border[:, :2] = border[:, -2:] = False
        jumps = np.abs(np.diff(seen, 2, axis=1))[:, 1:-1]
        return float(jumps[border[:, 2:-2]].max())

    averaged = roughness()
    monkeypatch.setattr(pipeline, 'smooth_penumbrae', lambda *_: None)
    assert averaged < 0.4 * roughness()


def test_contact_shadow_stays_sharp(flat_scene: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch) -> None:
    """A box of 5 cm on the ground has penumbrae of at most 0.8 mm: at 4 mm per pixel no neighbor counts.

    Its image equals that without the average; the border is two pixels wide, those that it crosses.
    """
    scene = flat_scene(Lambert(), (Lambert((0.0, 0.0, 0.0)),))
    thing = scene.add_object('box', [(scene.add_mesh(box((0.05, 0.05, 0.025))), Semantic.OTHER)])
    scene.place(thing, 0, (0.0, 0.0, 0.025), (0.0, 0.0, 0.0, 1.0))
    sun = Sun(math.radians(270.0), math.radians(35.0))
    at = (0.05, 0.0, 2.0)
    averaged = look(scene, at, 0.004, sun)
    monkeypatch.setattr(pipeline, 'smooth_penumbrae', lambda *_: None)
    plain = look(scene, at, 0.004, sun)
    np.testing.assert_allclose(averaged, plain, atol=1e-5)
    partial = (averaged > 0.05) & (averaged < 0.95)
    shaded = (averaged < 0.05).any(axis=0) & (np.abs(np.arange(WIDTH) - 79.5) < 10)
    # Along the sun's direction: the lit ground, the box, its shadow, the lit ground; two borders.
    assert shaded.sum() == 20 and partial[:, shaded].sum(axis=0).max() <= 4
