# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the irradiance cache: amount, smoothness and repeatability of ground light on hulls in shadow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.light import Sun
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.embree.bindings import HIT_U, HIT_V, PACKET_ROWS, PRIM
from regolith_sensors.rays.embree.irradiance_cache import add_surface_light
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.scene.irradiance_points import irradiance_points
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert, Principled, material_table
from regolith_sensors.surfaces.meshes import box, icosphere, wheel

CAMERA: dict[str, Any] = {
    'width': 80,
    'height': 60,
    'pixel_size_m': 2e-5,
    'focal_length_m': 1.6e-3,
    'f_number': 8.0,
    'exposure_s': 1e-3,
    'stages': {'defocus': False},
    'edge_samples': 0,
}
# Almost along the wall, whose shadow is a line.
SUN = Sun(math.radians(359.0), math.radians(40.0))
ALBEDO, WALL = 0.4, 0.6


def wall(flat_scene: Callable[..., Scene], half: tuple[float, float, float] = (0.02, 0.5, 0.4)) -> Scene:
    """Return an upright plate 2 m above a level plain, with its shaded side to the east."""
    scene = flat_scene(Lambert((ALBEDO,) * 3), (Lambert((WALL,) * 3),), 64.0)
    plate = scene.add_object('plate', [(scene.add_mesh(box(half), holds_light=True), Semantic.VEHICLE)])
    scene.place(plate, 0, (0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0))
    scene.center((0.0, 0.0, 2.0))
    return scene


def look(scene: Scene, frame: int = 0, **changes: Any) -> RenderedImage:
    """Render the shaded side, with the camera facing west."""
    pose = CameraPose(np.array([2.0, 0.0, 2.0]), np.array([0.0, 0.0, 1.0, 0.0]))
    camera = Camera(CameraConfig.model_validate({**CAMERA, **changes}), 1, 'cam')
    return camera.expose(scene.commit(), scene.origin, lambda _: pose, SUN, frame=frame)


def test_shadowed_wall_gets_half_the_light_of_the_plain(flat_scene: Callable[..., Scene]) -> None:
    """An upright wall sees a plain of radiosity rho E sin(h) over half its sky: irradiance rho E sin(h) / 2."""
    frame = look(wall(flat_scene))
    seen = frame.radiance[frame.semantic == Semantic.VEHICLE]
    assert len(seen) > 300
    expected = WALL / math.pi * 0.5 * ALBEDO * SUN.irradiance * math.sin(SUN.elevation)
    # The plain ends after 64 m, 1.8 degrees below the horizon; 16 Hammersley points are accurate to a few per cent
    # here.
    np.testing.assert_allclose(seen.mean(axis=0), expected, rtol=0.06)
    # No noise: neighbors differ by less than a thousandth of the light.
    light = np.where(frame.semantic == Semantic.VEHICLE, frame.radiance[..., 1], np.nan)
    steps = np.abs(np.diff(light, axis=1))
    assert np.nanmax(steps) < 0.02 * expected[1] and np.nanstd(light) < 0.1 * expected[1]
    # Without indirect light the wall is black, as the sky is.
    dark = look(wall(flat_scene), ground_light_on_vehicles=False)
    assert not dark.radiance[dark.semantic == Semantic.VEHICLE].any()


def test_cached_irradiance_agrees_with_rays_per_pixel(flat_scene: Callable[..., Scene]) -> None:
    kept, rays = (look(wall(flat_scene), **more) for more in ({}, {'bounce_samples': 64}))
    hull = kept.semantic == Semantic.VEHICLE
    assert kept.radiance[hull].mean() == pytest.approx(rays.radiance[hull].mean(), rel=0.06)
    grain = [np.nanstd(np.diff(np.where(hull, f.radiance[..., 1], np.nan), axis=1)) for f in (kept, rays)]
    assert grain[0] < 0.05 * grain[1]


def test_cached_irradiance_depends_on_the_scene_only(
    flat_scene: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not depend on the frame, on earlier frames or on the number of threads."""
    scene = wall(flat_scene)
    first = look(scene, 3)
    hull = first.semantic == Semantic.VEHICLE
    bits = first.radiance[hull].tobytes()
    scene.place(scene.objects[0], 0, (0.0, 0.0, 1.6), (0.0, 0.0, 0.0, 1.0))
    look(scene, 4)
    scene.place(scene.objects[0], 0, (0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0))
    monkeypatch.setenv('REGOLITH_SENSOR_THREADS', '1')
    assert look(scene, 5).radiance[hull].tobytes() == bits


def test_hulls_outside_the_view_are_skipped(flat_scene: Callable[..., Scene]) -> None:
    traced, light = (scene := wall(flat_scene)).commit(), lights(scene.origin, SUN)
    rays = np.zeros((2, 2, 3))
    rays[...] = np.array([[[-0.3, -0.3, 1.0], [0.3, -0.3, 1.0]], [[-0.3, 0.3, 1.0], [0.3, 0.3, 1.0]]]) / math.sqrt(1.18)
    ahead, away = (
        view(scene.origin, rays, np.diag((1.0, s, s)), (0.0, 0.0, 2.0 - 6.0 * s), 100.0) for s in (1.0, -1.0)
    )
    away = away._replace(position=ahead.position)
    assert traced.vehicle_indirect_light(light, ahead).any() and not traced.vehicle_indirect_light(light, away).any()
    assert not traced.vehicle_indirect_light(lights(scene.origin, None), ahead).any()


def test_nodes_use_points_with_the_same_facing() -> None:
    mesh = wheel(0.25, 0.15, (24, 0.012, 0.006))
    lit = irradiance_points(mesh)
    assert len(lit.points) < 60
    np.testing.assert_allclose(lit.weight.sum(axis=1), 1.0, rtol=1e-5)
    # The center of the cap, facing along the axle.
    cap = next(n for n, t in enumerate(mesh.triangles) if abs(mesh.vertices[t][:, 2] - 0.15).max() < 1e-9)
    node = lit.lattice[cap, 0]
    heavy = lit.near[node][lit.weight[node] > 0.05]
    assert np.all(lit.points[heavy, 5] > 0.6)


@pytest.mark.parametrize('pieces', [1, 3])
def test_linear_irradiance_over_a_triangle_is_exact(pieces: int) -> None:
    """In lower and upper segments, unequal along both sides: white paper reflects 1 / pi of 1 + 2 u + 5 v."""
    nodes = [(i / pieces, j / pieces) for i in range(pieces + 1) for j in range(pieces + 1 - i)]
    held = np.array([[1.0 + 2.0 * u + 5.0 * v] * 3 for u, v in nodes], np.float32)
    table = material_table([Lambert((1.0, 1.0, 1.0))])
    facts, lattice = np.zeros((1, 6), np.int32), np.array([[0, pieces]], np.int32)
    packet = np.zeros((PACKET_ROWS, 16), np.float32)
    words = packet.view(np.uint32)
    u, v = np.random.default_rng(4).random((2, 16))
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    packet[HIT_U], packet[HIT_V], words[PRIM] = u, v, 0
    out = np.zeros((3, 16), np.float32)
    for lane in range(16):
        add_surface_light(facts, lattice, table, held, 0, 0, np.float32(0.0), packet, words, lane, out)
    # Single precision.
    np.testing.assert_allclose(out[1] * math.pi, 1.0 + 2.0 * u + 5.0 * v, rtol=1e-5)


def test_mirror_radiance_is_limited_to_white_paper(flat_scene: Callable[..., Scene]) -> None:
    """In front of a wall on black ground a polished ball glints; a ray that hits it adds at most E / pi, as white paper.

    The ball covers at most (R / d)^2 = 0.28 of a point's sky, weighted by the cosine: five of its 16 rays. Irradiance
    is therefore below 5 / 16 of the sun's. Without the limit single glints add several times the sun's irradiance.
    """
    scene = flat_scene(Lambert((0.0, 0.0, 0.0)), (Lambert((WALL,) * 3), Principled((0.9, 0.9, 0.9), 0.2, 1.0)), 64.0)
    plate = scene.add_object('plate', [(scene.add_mesh(box((0.02, 0.5, 0.4)), holds_light=True), Semantic.VEHICLE)])
    scene.place(plate, 0, (0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0))
    ball = scene.add_object('ball', [(scene.add_mesh(icosphere(4, 1)), Semantic.OTHER)])
    scene.place(ball, 0, (1.5, 0.3, 2.0), (0.0, 0.0, 0.0, 1.0), 0.8)
    scene.center((0.0, 0.0, 2.0))
    traced = scene.commit()
    rays = np.zeros((2, 2, 3))
    rays[...] = np.array([[[-0.3, -0.3, 1.0], [0.3, -0.3, 1.0]], [[-0.3, 0.3, 1.0], [0.3, 0.3, 1.0]]]) / math.sqrt(1.18)
    above = view(scene.origin, rays, np.diag((1.0, -1.0, -1.0)), (0.0, 0.0, 5.0), 100.0)
    found = []
    for azimuth in range(0, 360, 20):
        for elevation in (10.0, 40.0, 70.0):
            sun = Sun(math.radians(azimuth), math.radians(elevation))
            found.append(
                traced.vehicle_indirect_light(lights(scene.origin, sun), above)[:, 1].max() / sun.irradiance[1]
            )
    assert 0.0 < max(found) < 5.0 / 16.0
