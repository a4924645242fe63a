# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of moving soil in the scene: discs are shaded and labeled as the ground, and removed without traces."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from regolith_sensors.camera.pipeline import OPTICAL_FROM_BODY
from regolith_sensors.light import SUN_BANDS, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.embree.backend import EmbreeRays
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import HapkeSoil
from regolith_terrain.contact.surfels import Surfels

DOWN = np.diag([1.0, -1.0, -1.0])
"""Rotation of the optical frame of a downward camera, with its top toward +y, to the world."""
PITCH = math.radians(40.0)
AHEAD = (
    np.array([[math.cos(PITCH), 0.0, math.sin(PITCH)], [0.0, 1.0, 0.0], [-math.sin(PITCH), 0.0, math.cos(PITCH)]])
    @ OPTICAL_FROM_BODY.T
)
"""Rotation of a camera that faces +x, pitched down by 40 degrees."""
NOON = Sun(0.0, math.radians(90.0))


def discs(place: np.ndarray, normal: np.ndarray, radius: float, bend: np.ndarray | None = None) -> Surfels:
    place = np.atleast_2d(np.asarray(place, np.float64))
    normal = np.broadcast_to(normal / np.linalg.norm(normal, axis=-1, keepdims=True), place.shape)
    bend = np.zeros((len(place), 6)) if bend is None else np.broadcast_to(bend, (len(place), 6))
    return Surfels(place, normal, np.full(len(place), radius), bend)


def dome(middle: tuple[float, float], radius: float) -> Surfels:
    """Return half a sphere of discs on level ground, 2 cm apart."""
    n = round(4.0 * np.pi * radius**2 / 0.02**2)
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    turn = np.pi * (1.0 + 5.0**0.5) * np.arange(n)
    out = np.stack((np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z), axis=1)[z > 0.0]
    xx, yy, zz, xy, yz, zx = (
        (a == b) - out[:, a] * out[:, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
    )
    bend = np.stack((xx, yy, zz, xy, yz, zx), axis=1) / radius
    return discs((*middle, 0.0) + radius * out, out, 0.016, bend)


def shoot(
    scene: Scene, height: float, rotation: np.ndarray, sun: Sun, size: tuple[int, int] = (48, 64), focal: float = 60.0
) -> RenderedImage:
    """Return the image of a camera above the origin."""
    position = (0.0, 0.0, height)
    scene.center(position)
    traced = scene.commit()
    camera = view(scene.origin, pixel_rays(size[1], size[0], focal, (), 'plumb_bob'), rotation, position, focal)
    return traced.render(camera, lights(scene.origin, sun), sample_streams(1, 'camera', 0, 1, 0))


def same(a: RenderedImage, b: RenderedImage) -> bool:
    names = ('radiance', 'depth', 'range', 'object_id', 'semantic', 'normal')
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def test_ray_hits_a_disc_and_misses_it_edge_on(flat_scene: Callable[..., Scene]) -> None:
    """Lidar rays 1 m above the ground hit a tilted disc 5 m ahead, pass its rim, and miss an edge-on disc.

    Hits have the label of the ground.
    """
    scene = flat_scene()
    normal = np.array([-1.0, 0.0, 1.0])
    scene.set_surfels(discs([(5.0, 0.0, 1.0), (5.0, 4.0, 1.0)], np.array([normal / 2**0.5, (0.0, 0.0, 1.0)]), 0.2))
    scene.center((0.0, 0.0, 1.0))
    rays = scene.commit()
    aims = np.array([(5.0, 0.0, 0.0), (5.0, 0.1, 0.1), (5.0, 0.25, 0.0), (5.0, 0.0, 0.25), (5.0, 4.0, 0.0)])
    toward = (aims / np.linalg.norm(aims, axis=1)[:, None]).astype(np.float32)
    at = (np.array([[0.0, 0.0, 1.0]]) - scene.origin).astype(np.float32)
    distance, back, objects = rays.cast(
        toward, np.zeros(5, np.int32), at, np.eye(3, dtype=np.float32)[None], 12.0, 1e-3
    )
    # Intersection with the plane of the disc: -(x - 5) + z - 1 = 0 at (5 t, 0.1 t, 1 + 0.1 t).
    np.testing.assert_allclose(distance[:2], [5.0, 5.0 / 4.9 * np.linalg.norm((5.0, 0.1, 0.1))], rtol=1e-6)
    assert np.isinf(distance[2:]).all() and objects.tolist() == [1, 1, 0, 0, 0]
    # Lambert's law for backscatter at 45 degrees.
    np.testing.assert_allclose(back[0], 0.5**0.5 / np.pi, rtol=1e-5)


def test_level_disc_has_the_radiance_of_the_ground(flat_scene: Callable[..., Scene]) -> None:
    """Hapke's radiance and the class of ground at any position; the disc's normal, and one rotated by its bend."""
    soil, sun = HapkeSoil(), Sun(math.radians(120.0), math.radians(25.0))
    scene = flat_scene(soil)
    bare = shoot(scene, 2.0, AHEAD, sun)
    # 4 mm above the ground: a tenth of a degree as seen from here.
    scene.set_surfels(discs((2.4, 0.0, 0.004), np.array([0.0, 0.0, 1.0]), 0.5))
    frame = shoot(scene, 2.0, AHEAD, sun)
    on = frame.range < bare.range - 1e-3
    assert on.sum() > 150 and (frame.object_id[on] == 1).all() and (frame.semantic[on] == Semantic.GROUND).all()
    np.testing.assert_allclose(frame.radiance[on], bare.radiance[on], rtol=2e-3)
    bend = np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    scene.set_surfels(discs((2.4, 0.0, 0.004), np.array([0.0, 0.0, 1.0]), 0.5, bend))
    curved = shoot(scene, 2.0, AHEAD, sun)
    normal = curved.normal[on] @ AHEAD.T
    east = (pixel_rays(64, 48, 60.0, (), 'plumb_bob') @ AHEAD.T)[on][:, 0] * frame.range[on]
    np.testing.assert_allclose(normal[:, 0] / normal[:, 2], 0.3 * (east - 2.4), atol=1e-4)
    assert np.abs(normal[:, 1]).max() < 1e-5


def test_surfels_change_only_their_own_pixels(flat_scene: Callable[..., Scene]) -> None:
    """Half a sphere from above with the sun overhead has range, normal and light of a sphere.

    All other pixels are bit-identical to those before, and so is the whole image when the lump is removed.
    """
    scene, radius = flat_scene(), 0.2
    height = 2.0
    bare = shoot(scene, height, DOWN, NOON, (96, 128), 150.0)
    scene.set_surfels(dome((0.1, 0.05), radius))
    frame = shoot(scene, height, DOWN, NOON, (96, 128), 150.0)
    rays = pixel_rays(128, 96, 150.0, (), 'plumb_bob').astype(np.float64) @ DOWN.T
    middle = np.array([0.1, 0.05, -height])
    along = rays @ middle
    beside = np.sqrt(np.maximum(middle @ middle - along**2, 0.0))
    inner, outer = beside < radius - 0.02, beside > radius + 0.02
    assert inner.sum() > 300
    # Discs are flat and 1.6 cm in radius: 0.6 mm out of the sphere at their rims, more along the ray where it is steep.
    ball = along - np.sqrt(np.maximum(radius**2 - beside**2, 0.0))
    assert np.abs(frame.range[inner] - ball[inner]).max() < 2.5e-3
    normal = (rays * ball[..., None] - middle) / radius
    cosine = np.einsum('nk,nk->n', (frame.normal @ DOWN.T)[inner], normal[inner])
    assert np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 1.5
    np.testing.assert_allclose(frame.radiance[..., 1][inner], normal[..., 2][inner] * SUN_BANDS[1] / np.pi, rtol=0.03)
    for name in ('radiance', 'depth', 'range', 'normal'):
        assert np.array_equal(getattr(frame, name)[outer], getattr(bare, name)[outer])
    scene.set_surfels(Surfels.none())
    assert same(shoot(scene, height, DOWN, NOON, (96, 128), 150.0), bare)


def test_frame_with_surfels_is_independent_of_history(flat_scene: Callable[..., Scene]) -> None:
    """Discs that moved, grew in number and left the bounds of the first ones equal those of a fresh scene."""
    sun = Sun(math.radians(200.0), math.radians(20.0))
    scene, fresh = flat_scene(HapkeSoil()), flat_scene(HapkeSoil())
    for shown in (dome((0.1, 0.0), 0.1), dome((0.0, 0.0), 0.05), dome((-0.1, 0.2), 0.2)):
        scene.set_surfels(shown)
        last = shoot(scene, 1.5, DOWN, sun)
    fresh.set_surfels(shown)
    assert same(shoot(fresh, 1.5, DOWN, sun), last)
    # It casts a shadow, with the sun in the south west.
    dark = (last.radiance[..., 1] == 0.0) & (last.object_id == 1)
    assert dark.sum() > 50


def test_discs_of_one_surface_do_not_shadow_each_other(flat_scene: Callable[..., Scene]) -> None:
    """In low sun all discs of half a sphere that face the sun are lit.

    Rims stand out of the sphere by 0.6 mm; rays from the discs themselves would hit one in twenty.
    """
    sun, scene = Sun(math.radians(200.0), math.radians(20.0)), flat_scene()
    scene.set_surfels(dome((0.0, 0.0), 0.2))
    frame = shoot(scene, 1.5, DOWN, sun, (96, 128), 120.0)
    normal = frame.normal @ DOWN.T
    lit = (normal @ sun.direction > 0.1) & (normal[..., 2] < 0.98) & (frame.range < 1.48)
    assert lit.sum() > 300 and (frame.radiance[..., 1][lit] == 0.0).mean() < 0.01


def test_back_end_without_discs_is_rejected(flat_scene: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmbreeRays, 'shows_discs', False)
    scene = flat_scene()
    scene.set_surfels(Surfels.none())
    with pytest.raises(ValueError, match='EmbreeRays does not show moving soil; allowed: a back end that shows_discs'):
        scene.set_surfels(dome((0.0, 0.0), 0.1))
