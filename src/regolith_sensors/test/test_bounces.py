# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of light over several bounces: the closed forms of light_and_heat.md section 3."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.image import sample_streams
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert, Principled
from regolith_sensors.surfaces.meshes import Mesh, box, icosphere


def bowl(depth: float, width: float, rings: int = 48, sectors: int = 96) -> Mesh:
    """Return a spherical bowl that opens at z = 0."""
    radius = (0.25 * width * width + depth * depth) / (2.0 * depth)
    half = math.asin(0.5 * width / radius)
    tilt, turn = half * np.arange(1, rings + 1) / rings, 2.0 * math.pi * np.arange(sectors) / sectors
    points = [np.array([[0.0, 0.0, -depth]])]
    for t in tilt:
        ring = radius * math.sin(t)
        points.append(
            np.stack(
                [ring * np.cos(turn), ring * np.sin(turn), np.full(sectors, radius * (1 - math.cos(t)) - depth)], 1
            )
        )
    first = [1 + k * sectors for k in range(rings)]
    triangles = [(0, 1 + k, 1 + (k + 1) % sectors) for k in range(sectors)]
    for inner, outer in itertools.pairwise(first):
        for k in range(sectors):
            a, b, c, d = inner + k, inner + (k + 1) % sectors, outer + k, outer + (k + 1) % sectors
            triangles += [(a, c, d), (a, d, b)]
    return Mesh(np.concatenate(points), np.array(triangles, np.uint32), np.zeros(len(triangles), np.uint16))


def in_shadow(flat_scene: Callable[..., Scene], albedo: float, ratio: float, bounces: int) -> float:
    """Return the scattered irradiance in the shadow of a bowl, over that of the sun on its opening."""
    scene = flat_scene(materials=(Lambert((albedo, albedo, albedo)),))
    hollow = scene.add_object('bowl', [(scene.add_mesh(bowl(2.0 * ratio, 2.0)), Semantic.OTHER)])
    scene.place(hollow, 0, (0.0, 0.0, 20.0), (0.0, 0.0, 0.0, 1.0))
    # The sun in the east leaves the eastern half dark.
    eye = np.array([0.0, 0.0, 20.0 + 2.0])
    scene.center(eye)
    traced = scene.commit()
    size = 192
    rays = pixel_rays(size, size, 1.25 * size, (), 'plumb_bob')
    sun = Sun(math.radians(90.0), math.radians(10.0))
    camera = view(scene.origin, rays, np.diag([1.0, -1.0, -1.0]), eye, 1.25 * size)
    seen = traced.render(camera, lights(scene.origin, sun), sample_streams(1, 'eye', 0, 1, 64, bounces))
    dark = (seen.object_id == 2) & (seen.sun_part == 0.0)
    # Away from the penumbra, and from the edge, whose facets lie above the sphere.
    across = (np.arange(size) - 0.5 * (size - 1)) / (1.25 * size) * 2.0
    dark &= (np.hypot(across[None, :], across[:, None]) < 0.7) & (across[None, :] > 0.05)
    assert np.count_nonzero(dark) > 1000
    irradiance = seen.radiance[..., 1][dark].mean() * math.pi / albedo
    return float(irradiance / (sun.irradiance[1] * math.sin(sun.elevation)))


@pytest.mark.parametrize(
    ('ratio', 'albedo', 'whole', 'over_one'),
    [(0.2, 0.12, 0.01451, 1.017), (0.2, 0.5, 0.06386, 1.074), (0.2, 0.9, 0.12218, 1.142), (0.1, 0.9, 0.03448, 1.036)],
)
def test_shadow_of_a_spherical_bowl(
    flat_scene: Callable[..., Scene], ratio: float, albedo: float, whole: float, over_one: float
) -> None:
    """Section 3: S / (E sin e) everywhere in the bowl, by one bounce and by four, within 2 %.

    Some 400 000 paths, of which 2 to 7 % meet a lit place: noise of 0.6 to 1.1 %.
    """
    one, four = (in_shadow(flat_scene, albedo, ratio, bounces) for bounces in (1, 4))
    f = 1.0 / (1.0 + 1.0 / (4.0 * ratio * ratio))
    assert one == pytest.approx((1.0 - f) * f * albedo, rel=0.02)
    # Bounces after the fourth add f^4 A^4, less than 3e-4.
    assert four == pytest.approx(whole, rel=0.02)
    assert four / one == pytest.approx(over_one, abs=0.01)


@pytest.mark.parametrize(('albedo', 'bounces'), [(0.5, 1), (0.5, 4), (0.9, 2), (0.9, 4)])
def test_furnace(flat_scene: Callable[..., Scene], albedo: float, bounces: int) -> None:
    """A closed ball that reflects L0 everywhere: after N bounces L0 (1 - A^(N + 1)) / (1 - A), section 3, within 1 %.

    A lamp in the center makes L0 the same everywhere. Facets of 4 deg have at most 0.1 % less light than a sphere.
    """
    scene = flat_scene(materials=(Lambert((albedo, albedo, albedo)),))
    ball = icosphere(4)
    inward = Mesh(ball.vertices, ball.triangles[:, ::-1].copy(), ball.material)
    hollow = scene.add_object('ball', [(scene.add_mesh(inward), Semantic.OTHER)])
    middle = np.array([0.0, 0.0, 20.0])
    scene.place(hollow, 0, tuple(middle), (0.0, 0.0, 0.0, 1.0))
    scene.center(middle)
    traced = scene.commit()
    size = 48
    rays = pixel_rays(size, size, 0.5 * size, (), 'plumb_bob')
    camera = view(scene.origin, rays, np.diag([1.0, -1.0, -1.0]), middle, 0.5 * size)
    # The narrow rest of the lamp's cone, behind it, gets less light: 0.1 % of the whole.
    lamp = Spotlight(middle, np.array([0.0, 0.0, -1.0]), (3.0, 3.0, 3.0), 3.10, 3.14)
    lit = lights(scene.origin, None, [lamp])
    seen = traced.render(camera, lit, sample_streams(1, 'eye', 0, 1, 64, bounces)).radiance[..., 1]
    first = albedo / math.pi * 3.0
    assert seen.mean() == pytest.approx(first * (1.0 - albedo ** (bounces + 1)) / (1.0 - albedo), rel=0.01)


def test_glossy_hull_has_no_bright_spots(flat_scene: Callable[..., Scene]) -> None:
    """A glossy plate mirrors sunlit ground: the mean over its pixels is F L of the ground, and its noise is small.

    With the density of the cosine alone, few paths met the narrow reflection, as spots of many times its brightness.
    """
    scene = flat_scene(Lambert((0.2, 0.2, 0.2)), (Principled((0.0, 0.0, 0.0), roughness=0.15, specular=0.5),))
    plate = scene.add_object('plate', [(scene.add_mesh(box((0.5, 0.02, 0.5))), Semantic.OTHER)])
    # It stands upright and leans forward: the camera sees the ground in it, from its shaded side.
    lean = math.radians(-30.0) / 2.0
    scene.place(plate, 0, (0.0, 2.0, 1.5), (math.sin(-lean), 0.0, 0.0, math.cos(lean)))
    size = 32
    across = (np.arange(size) - 0.5 * (size - 1)) / (8.0 * size)
    rays = np.stack([*np.meshgrid(across, across), np.ones((size, size))], axis=2)
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    # The plate's own shadow lies to the west of what it mirrors.
    sun = Sun(math.radians(90.0), math.radians(45.0))
    scene.center((0.0, 0.0, 1.5))
    # x right, y down, z ahead of the camera are x, -z, y of the world.
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    camera = view(scene.origin, rays.astype(np.float32), turn, np.array([0.0, 0.0, 1.5]), 8.0 * size)
    seen = scene.commit().render(camera, lights(scene.origin, sun), sample_streams(1, 'eye', 0, 1, 32, 1))
    assert np.isclose(seen.range, 2.0, atol=0.1).all() and (seen.sun_part == 0.0).all()
    radiance = seen.radiance[..., 1]
    ground = 0.2 / math.pi * sun.irradiance[1] * math.sin(sun.elevation)
    # Schlick's term at 30 deg is that at the normal, and masking at this width takes less than 1 %.
    assert radiance.mean() == pytest.approx(0.5 * ground, rel=0.02)
    assert radiance.max() < 2.0 * radiance.mean()


def test_one_bounce_is_unchanged(flat_scene: Callable[..., Scene]) -> None:
    """Without the key there is one bounce, as before."""
    values = {
        'width': 8,
        'height': 8,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-3,
        'f_number': 4.0,
        'exposure_s': 1e-3,
    }
    assert CameraConfig.model_validate(values).bounces == 1
    assert sample_streams(1, 'eye', 0, 1, 2).bounces == 1


@pytest.mark.parametrize('bounces', [0, 5, 1.5, float('nan')])
def test_bad_settings_are_refused(bounces: Any) -> None:
    with pytest.raises(ValidationError, match='bounces'):
        CameraConfig.model_validate({'bounces': bounces})
