# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the rendered scene: radiometry and geometry against closed forms, and bit-identical equal scenes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from regolith_sensors.brdf import PRESETS, hapke_reflectance
from regolith_sensors.camera.pipeline import OPTICAL_FROM_BODY
from regolith_sensors.ephemeris import subsolar_point, sun_over
from regolith_sensors.labels.ground_truth import Box2D, boxes
from regolith_sensors.light import SUN_BANDS, SUN_RADIUS, Spotlight, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.embree import casting, indirect_light, irradiance_cache, lighting, render, surface
from regolith_sensors.rays.embree.backend import EmbreeRays
from regolith_sensors.rays.embree.bindings import shared_device
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.vehicle_mesh import vehicle_parts
from regolith_sensors.surfaces import materials, micro_relief, shading, soil_relief
from regolith_sensors.surfaces.materials import HapkeSoil, Lambert, Material, Principled, material_table, reflect
from regolith_sensors.surfaces.meshes import box, capsule, cylinder, icosphere, rock
from regolith_sensors.surfaces.terrain_tiles import CELLS, SIDE, SoilHeightSource, TerrainTiles
from regolith_terrain.elevation.raster import RasterField
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.procedural import ProceduralField
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals
from regolith_vehicles.visuals.visual_description import PartRole

DOWN = np.diag([1.0, -1.0, -1.0])
"""Rotation of the optical frame of a downward camera, with its top toward +y, to the world."""


def shoot(
    scene: Scene,
    position: tuple[float, float, float],
    rotation: np.ndarray,
    sun: Sun | None,
    size: tuple[int, int] = (48, 64),
    focal: float = 60.0,
    lamps: tuple[Spotlight, ...] = (),
    sun_samples: int = 1,
    bounce_samples: int = 0,
) -> RenderedImage:
    scene.center(position)
    traced = scene.commit()
    rays = pixel_rays(size[1], size[0], focal, (), 'plumb_bob')
    camera = view(scene.origin, rays, rotation, position, focal)
    return traced.render(
        camera, lights(scene.origin, sun, lamps), sample_streams(1, 'camera', 0, sun_samples, bounce_samples)
    )


def ahead(pitch_deg: float) -> np.ndarray:
    """Return the rotation of a camera that faces +x, pitched down."""
    p = math.radians(pitch_deg)
    body = np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
    return body @ OPTICAL_FROM_BODY.T


def test_level_regolith_has_hapke_radiance(flat_scene: Callable[..., Scene]) -> None:
    soil = HapkeSoil(PRESETS['lunar_sato2014'], (1.2, 1.0, 0.8))
    sun = Sun(math.radians(120.0), math.radians(25.0))
    height = 3.0
    frame = shoot(flat_scene(soil), (0.0, 0.0, height), ahead(40.0), sun)
    rays = pixel_rays(64, 48, 60.0, (), 'plumb_bob') @ ahead(40.0).T
    ground = (rays[..., 2] < 0.0) & (frame.object_id == 1)
    # The far edge of the ground limits the view.
    assert ground.mean() > 0.9
    toward = -rays
    emission = np.arccos(toward[..., 2])
    azimuth = np.arctan2(toward[..., 1], toward[..., 0]) - np.arctan2(sun.direction[1], sun.direction[0])
    r = hapke_reflectance(np.full_like(emission, math.radians(65.0)), emission, azimuth, PRESETS['lunar_sato2014'])
    for band in range(3):
        expected = r * SUN_BANDS[band] * (1.2, 1.0, 0.8)[band]
        # The tolerance of the fast shading, 1e-3.
        np.testing.assert_allclose(frame.radiance[..., band][ground], expected[ground], rtol=1e-3)
    np.testing.assert_allclose(frame.range[ground], (height / toward[..., 2])[ground], rtol=2e-6)
    np.testing.assert_allclose(
        frame.depth[ground], (frame.range * pixel_rays(64, 48, 60.0, (), 'plumb_bob')[..., 2])[ground], rtol=1e-6
    )
    assert (frame.depth[~ground] == np.inf).all() and (frame.radiance[~ground] == 0.0).all()
    world = frame.normal @ ahead(40.0).T
    np.testing.assert_allclose(world[ground], np.broadcast_to([0, 0, 1], world[ground].shape), atol=1e-6)


def test_adjacent_soils_use_their_own_parameters(flat_scene: Callable[..., Scene]) -> None:
    """Ground and a slab of another regolith, with pixel packets across their border: each uses its own parameters."""
    scene = flat_scene(
        HapkeSoil(PRESETS['lunar_sato2014'], (1.0, 1.0, 1.0)), (HapkeSoil(PRESETS['pommerol2013'], (1.0, 1.0, 1.0)),)
    )
    slab = scene.add_object('slab', [(scene.add_mesh(box((0.5, 0.5, 1e-3))), Semantic.OTHER)])
    scene.place(slab, 0, (0.13, 0.07, 0.0), (0, 0, math.sin(0.2), math.cos(0.2)))
    sun = Sun(math.radians(40.0), math.radians(35.0))
    frame = shoot(scene, (0.0, 0.0, 2.0), DOWN, sun)
    toward = -pixel_rays(64, 48, 60.0, (), 'plumb_bob') @ DOWN.T
    azimuth = np.arctan2(toward[..., 1], toward[..., 0]) - np.arctan2(sun.direction[1], sun.direction[0])
    for number, name in ((1, 'lunar_sato2014'), (2, 'pommerol2013')):
        # The slab's own shadow, 1.4 mm wide, affects at most one row of pixels of 33 mm.
        on = (frame.object_id == number) & (frame.radiance[..., 1] > 0.0)
        assert on.sum() > 300
        r = hapke_reflectance(math.radians(55.0), np.arccos(toward[..., 2]), azimuth, PRESETS[name])
        np.testing.assert_allclose(frame.radiance[..., 1][on], r[on] * SUN_BANDS[1], rtol=1e-3)


def visible_part(offset: np.ndarray) -> np.ndarray:
    """Return the part of a unit disc on one side of a straight edge at ``offset`` from its center."""
    x = np.clip(offset, -1.0, 1.0)
    return (np.arccos(-x) + x * np.sqrt(1.0 - x * x)) / np.pi


def test_penumbra_of_an_edge(flat_scene: Callable[..., Scene]) -> None:
    """A wall 1 m high, sun at 5 degrees: the shadow ends at 11.4 m in a penumbra of 1.2 m, as wide as the disc."""
    scene = flat_scene(Lambert(), (Lambert(),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.01, 15.0, 0.5))), Semantic.OTHER)])
    scene.place(wall, 0, (-6.0, 0.0, 0.5), (0, 0, 0, 1))
    elevation = math.radians(5.0)
    sun = Sun(math.radians(270.0), elevation)
    frame = shoot(scene, (5.5, 0.0, 4.0), DOWN, sun, (16, 400), 400.0, sun_samples=64)
    x = 5.5 + (np.arange(400) - 199.5) / 400.0 * 4.0
    light = frame.radiance[..., 1].mean(axis=0) * np.pi / (SUN_BANDS[1] * math.sin(elevation))
    # The wall's upper edge as seen from x, in radii of the sun's disc above its center.
    edge = np.arctan2(1.0, x + 6.0 - 0.01)
    expected = visible_part((elevation - edge) / SUN_RADIUS)
    # 16 x 64 samples per column: a standard deviation of 0.016; neighbors are averaged further.
    smooth = np.convolve(light - expected, np.ones(20) / 20, 'valid')
    assert np.abs(smooth).max() < 0.02
    width = np.interp(0.95, expected, x) - np.interp(0.05, expected, x)
    assert 0.8 < width < 1.2 and np.interp(0.5, expected, x) + 6.0 == pytest.approx(11.43, abs=0.05)


def test_sunlit_ground_lights_a_wall(flat_scene: Callable[..., Scene]) -> None:
    """Sun overhead, upright wall: ground of albedo a fills half the view of the wall's foot, which reflects rho a E / 2 pi."""
    scene = flat_scene(Lambert((0.4, 0.4, 0.4)), (Lambert((0.5, 0.5, 0.5)),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.1, 19.0, 10.0))), Semantic.OTHER)])
    scene.place(wall, 0, (5.1, 0.0, 10.0), (0, 0, 0, 1))
    noon = Sun(0.0, math.pi / 2)
    at = (4.0, 0.0, 0.6)
    assert shoot(scene, at, ahead(0.0), noon, (8, 8)).radiance[..., 1].max() < 1e-4
    seen = shoot(scene, at, ahead(0.0), noon, (32, 32), bounce_samples=32)
    expected = 0.5 * 0.4 * SUN_BANDS[1] / math.pi / 2.0
    upright = seen.object_id == 2
    # 32 000 samples; the ground ends at 24 m, which reduces the light by a factor 1 - 0.6 / 24.
    assert seen.radiance[..., 1][upright].mean() == pytest.approx(expected * (1.0 - 0.6 / 24.0), rel=0.02)


def test_lamp_at_the_camera_reduces_relief_contrast(flat_scene: Callable[..., Scene]) -> None:
    """Regolith backscatters uniformly: contrast under a lamp at the camera is far below that of an oblique sun."""
    ground = SoilHeightSource(SoilGrid(ProceduralField(5), 0.05), (-10, 10, -10, 10))
    scene = Scene(ground, soil=HapkeSoil(), micro_slope_deg=12.0, micro_albedo=0.0)
    at = (0.0, 0.0, 2.0)
    lamp = Spotlight(np.array(at), np.array([0.0, 0.0, -1.0]), (100.0, 100.0, 100.0), 0.6, 0.8)

    def contrast(frame: RenderedImage) -> float:
        level = frame.radiance[..., 1] * frame.range**2 if frame is lit else frame.radiance[..., 1]
        return float(level.std() / level.mean())

    lit = shoot(scene, at, DOWN, None, lamps=(lamp,), focal=120.0)
    sunny = shoot(scene, at, DOWN, Sun(1.0, math.radians(20.0)), focal=120.0)
    assert contrast(lit) < 0.1 * contrast(sunny)
    # Intensity over distance squared, times r at phase 0, straight below.
    middle = lit.radiance[22:26, 30:34, 1].mean() * lit.range[22:26, 30:34].mean() ** 2 / 100.0
    assert middle * math.pi == pytest.approx(0.27, rel=0.02)


def test_instances_have_world_normals(flat_scene: Callable[..., Scene]) -> None:
    """A rotated, stretched sphere: Embree's normals are those of the unit sphere and must be transformed."""
    scene = flat_scene(materials=(Lambert(),))
    ball = scene.add_object('ball', [(scene.add_mesh(icosphere(5)), Semantic.ROCK)])
    axes = np.array([1.0, 0.5, 0.8])
    scene.place(ball, 0, (0.0, 0.0, 3.0), (0.0, 0.0, math.sin(0.3), math.cos(0.3)), axes)
    frame = shoot(scene, (0.0, 0.0, 8.0), DOWN, None, (96, 96), 200.0)
    on = frame.object_id == 2
    assert on.mean() > 0.05 and set(np.unique(frame.semantic)) == {1, 2}
    rays = pixel_rays(96, 96, 200.0, (), 'plumb_bob')
    points = (rays * frame.range[..., None]) @ DOWN.T + [0.0, 0.0, 5.0]
    turn = np.array([[math.cos(0.6), -math.sin(0.6), 0], [math.sin(0.6), math.cos(0.6), 0], [0, 0, 1]])
    gradient = (points[on] @ turn) / axes**2
    expected = (gradient / np.linalg.norm(gradient, axis=1, keepdims=True)) @ turn.T
    # Facets of 20 480 triangles deviate by some 1.2 degrees from the ellipsoid.
    assert np.sum(expected * (frame.normal @ DOWN.T)[on], axis=1).min() > math.cos(math.radians(4.0))


def rough(detail: float = 3.0) -> tuple[Scene, SoilGrid]:
    grid = SoilGrid(ProceduralField(3), 0.05)
    materials: list[Material] = [Principled((0.15, 0.14, 0.13), 0.9, micro_relief=0.5)]
    parts = vehicle_parts(load_visuals(*load_vehicle_model('viper')), materials)
    scene = Scene(SoilHeightSource(grid), materials, view_range=200.0, detail=detail)
    stone = scene.add_mesh(rock(1))
    for k in range(20):
        thing = scene.add_object(f'rock{k}', [(stone, Semantic.ROCK)])
        x, y = 2.0 + 0.37 * k, (k * 0.61) % 4.0 - 2.0
        scene.place(thing, 0, (x, y, float(grid.levels(x, y))), (0, 0, math.sin(k), math.cos(k)), 0.1 + 0.01 * k)
    rover = scene.add_object('rover', [(scene.add_mesh(p.mesh), Semantic.VEHICLE) for p in parts])
    for part in range(len(parts)):
        scene.place(rover, part, (9.0, 1.0, float(grid.levels(9.0, 1.0)) + 0.25), (0, 0, 0.2, math.sqrt(0.96)))
    return scene, grid


def rut(grid: SoilGrid) -> NodeRecords:
    """Return a rut 5 cm deep across the view, and some nodes far away."""
    i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(np.arange(50, 110), np.arange(-40, 40, 1), indexing='ij'))
    keep = (np.abs(i - 80 + j // 4) < 4) | ((i % 16 == 0) & (j % 16 == 0))
    i, j = i[keep], j[keep]
    level = grid.levels(i * 0.05, j * 0.05)
    values = np.zeros((5, len(i)))
    values[0], values[1] = level, level - 0.05
    return NodeRecords.from_values(i, j, values)


LOW_SUN = Sun(math.radians(70.0), math.radians(8.0))


def bits(frame: RenderedImage) -> bytes:
    return b''.join(
        np.ascontiguousarray(a).tobytes() for a in (frame.radiance, frame.depth, frame.object_id, frame.normal)
    )


@pytest.mark.seconds
def test_equal_scenes_are_bit_identical_for_any_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh, updated or moved away and back, with one thread or two: bit-identical."""
    size, at = (96, 128), (0.3, 0.0, 1.5)
    fresh, grid = rough()
    grid.apply(rut(grid))
    monkeypatch.setenv('REGOLITH_SENSOR_THREADS', '1')
    expected = bits(shoot(fresh, at, ahead(15.0), LOW_SUN, size, 120.0))
    monkeypatch.setenv('REGOLITH_SENSOR_THREADS', '3')
    assert bits(shoot(fresh, at, ahead(15.0), LOW_SUN, size, 120.0)) == expected
    changed, grid = rough()
    before = bits(shoot(changed, at, ahead(15.0), LOW_SUN, size, 120.0))
    shoot(changed, (40.0, -30.0, 1.5), ahead(15.0), LOW_SUN, size, 120.0)
    shoot(changed, at, ahead(15.0), LOW_SUN, size, 120.0)
    records = rut(grid)
    grid.apply(records)
    assert changed.update(records.i, records.j) > 5
    after = bits(shoot(changed, at, ahead(15.0), LOW_SUN, size, 120.0))
    assert after == expected and before != expected


def test_scenes_of_a_process_share_one_device() -> None:
    """With a second device, a thread of the ray library would stay busy while nothing is built or traced."""
    first, second = EmbreeRays(), EmbreeRays()
    assert first._device is second._device
    assert shared_device(os.getpid()) is first._device


@pytest.mark.seconds
def test_updated_tiles_equal_fresh_tiles() -> None:
    """After an update, tiles equal fresh ones, including edges, skirts and the slopes of neighbors."""
    scene, grid = rough()
    scene.center((0.0, 0.0, 0.0))
    scene.commit()
    rng = np.random.default_rng(2)
    where = np.unique(rng.integers(-700, 700, (400, 2)), axis=0).astype(np.int32)
    i, j = np.ascontiguousarray(where[:, 0]), np.ascontiguousarray(where[:, 1])
    level = grid.levels(i * 0.05, j * 0.05)
    values = np.zeros((5, len(i)))
    values[0], values[1] = level, level - 0.3
    records = NodeRecords.from_values(i, j, values)
    grid.apply(records)
    scene.update(records.i, records.j)
    new, _ = rough()
    new = Scene(SoilHeightSource(grid), view_range=200.0, detail=3.0)
    new.center((0.0, 0.0, 0.0))
    assert [t.key for t in scene.tiles.tiles] == [t.key for t in new.tiles.tiles]
    for a, b in zip(scene.tiles.tiles, new.tiles.tiles):
        np.testing.assert_array_equal(scene.tiles.nodes[a.slot], new.tiles.nodes[b.slot], err_msg=str(a.key))
        np.testing.assert_array_equal(a.vertices, b.vertices)


def test_no_gaps_between_levels() -> None:
    """Below the horizon no ray escapes over tiles of many sizes, for any origin of the world."""
    scene, grid = rough(detail=1.5)
    frame = shoot(scene, (0.0, 0.0, 12.0), ahead(25.0), LOW_SUN, (300, 400), 300.0)
    rays = pixel_rays(400, 300, 300.0, (), 'plumb_bob') @ ahead(25.0).T
    assert len({t.key[0] for t in scene.tiles.tiles}) >= 4
    below = rays[..., 2] < -0.12
    assert (frame.object_id[below] > 0).all()
    height = 12.0 + frame.range * rays[..., 2]
    x, y = frame.range * rays[..., 0], frame.range * rays[..., 1]
    ground = (frame.object_id == 1) & (frame.range < 8.0 * 1.6)
    if ground.any():
        np.testing.assert_allclose(height[ground], grid.levels(x[ground], y[ground]), atol=0.06)


def test_lamp_and_sun_in_the_image(flat_scene: Callable[..., Scene]) -> None:
    """The sun in the view of a camera is a disc of radiance E / Omega with the correct size."""
    sun = Sun(math.radians(90.0), 0.2)
    rotation = ahead(-math.degrees(0.2))
    frame = shoot(flat_scene(), (0.0, 0.0, 1.0), rotation, sun, (64, 64), 3000.0)
    disc = frame.radiance[..., 1] > 0.0
    assert disc.sum() == pytest.approx(math.pi * (3000.0 * math.tan(SUN_RADIUS)) ** 2, rel=0.03)
    assert frame.radiance[..., 1].max() == pytest.approx(SUN_BANDS[1] / (math.pi * SUN_RADIUS**2), rel=1e-3)


def test_bare_rays_agree_with_the_image(flat_scene: Callable[..., Scene]) -> None:
    scene = flat_scene()
    scene.center((0.0, 0.0, 2.0))
    camera = view(scene.origin, pixel_rays(64, 48, 60.0, (), 'plumb_bob'), DOWN, (0.0, 0.0, 2.0), 60.0)
    assert scene.commit().trace_only(camera, lights(scene.origin, LOW_SUN)) == 64 * 48


def test_principled_is_reciprocal_and_conserves_energy() -> None:
    for material in (
        Principled((0.8, 0.8, 0.8), 0.3),
        Principled((0.95, 0.9, 0.8), 0.2, 1.0),
        Principled((0.0, 0.0, 0.0), 1.0),
    ):
        table = material_table([material])
        mu0, mu, hav = np.float32(0.7), np.float32(0.3), np.float32(0.2)
        there, back = reflect(table, 0, mu0, mu, hav)[0] / mu0, reflect(table, 0, mu, mu0, hav)[0] / mu
        assert there == pytest.approx(back, rel=1e-5)
        for cos in (1.0, 0.5, 0.1):
            # Hemispherical: over emission (uniform in mu^2) and azimuth.
            out = 0.0
            steps = (np.arange(200) + 0.5) / 200
            for u in steps:
                e = math.sqrt(u)
                psi = np.pi * steps
                g = cos * e + math.sqrt(1 - cos**2) * math.sqrt(1 - u) * np.cos(psi)
                out += (
                    np.mean([reflect(table, 0, np.float32(cos), np.float32(e), np.float32((1 - c) / 2))[0] for c in g])
                    * np.pi
                    / 200
                )
            assert 0.0 <= out / cos <= 1.01


@pytest.mark.parametrize('mesh', [box((1, 2, 3)), cylinder(1, 2), capsule(0.5, 1), icosphere(2), rock(3)])
def test_meshes_are_closed_and_face_outwards(mesh: object) -> None:
    v, t = mesh.vertices, mesh.triangles.astype(int)  # type: ignore[attr-defined]
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert {tuple(e) for e in edges} == {tuple(e) for e in edges[:, ::-1]}
    assert np.sum(np.cross(v[t[:, 0]], v[t[:, 1]]) * v[t[:, 2]]) > 0.0


def test_sun_over_the_moon() -> None:
    """Meeus, example 53.a (1992 April 12, 0h TD): the sun's selenographic longitude 67.89 and latitude 1.46 degrees."""
    latitude, longitude, distance = subsolar_point(datetime(1992, 4, 11, 23, 59, 1, tzinfo=UTC))
    assert math.degrees(latitude) == pytest.approx(1.46, abs=0.05)
    assert math.degrees(longitude) == pytest.approx(67.89, abs=0.1)
    assert distance == pytest.approx(1.0025, abs=0.003)
    overhead = sun_over(latitude, longitude, datetime(1992, 4, 11, 23, 59, 1))
    assert overhead.elevation == pytest.approx(math.pi / 2, abs=1e-6)
    # A quarter turn west of there the sun rises, due east on the sun's own parallel.
    rising = sun_over(0.0, longitude - math.pi / 2, datetime(1992, 4, 11, 23, 59, 1, tzinfo=UTC))
    assert abs(rising.elevation) < 1e-6 and rising.azimuth == pytest.approx(math.pi / 2 - latitude, abs=1e-3)


def test_boxes_enclose_visible_objects() -> None:
    numbers = np.zeros((10, 12), dtype=np.uint16)
    numbers[5:], numbers[2:6, 3:8], numbers[2, 9] = 1, 7, 9
    classes = np.where(numbers == 7, 3, numbers).astype(np.uint8)
    classes[2, 3:8] = 4
    assert boxes(numbers, classes) == [Box2D(7, 3, 3, 2, 7, 5, 20)]
    assert [b.object_id for b in boxes(numbers, classes, 1)] == [7, 9]


def test_ground_continues_beyond_an_elevation_model() -> None:
    """Tiles cover the whole view, at the height of the edge, as for wheels; beside a corner both edges count."""
    posts = np.zeros((41, 41))
    posts[-1] = -3.0
    field = RasterField(posts, 1.0)
    tiles = TerrainTiles(SoilHeightSource(SoilGrid(field, 0.25)), view_range=300.0)
    tiles.center(0.0, 0.0)
    seen = []
    for tile in tiles.tiles:
        west, south, _ = tiles.corner(tile)
        north = south + np.arange(CELLS + 1) * tiles.cell(tile)
        if west > 20.0:
            seen.append((west + CELLS * tiles.cell(tile), north, tiles.nodes[tile.slot][:, :, 0] + tile.datum))
    assert max(east for east, _, _ in seen) >= 300.0
    assert any((np.abs(north) <= 20.0).any() for _, north, _ in seen)
    for _, north, heights in seen:
        np.testing.assert_allclose(heights[:, np.abs(north) <= 20.0], -3.0, atol=1e-5)
        assert heights.min() >= -3.0 - 1e-5 and heights.max() <= 1e-5


def test_ground_ends_in_a_smooth_line_at_the_view_range() -> None:
    """On a slope the skyline of an eye 2 m above the ground is at the view range in all directions, not at tile edges.

    It is on vertices, whose distance is at most that of a cell's corners more or less: 1 % of the range.
    """
    slope, reach = 0.1, 300.0
    tiles = TerrainTiles(SoilHeightSource(SoilGrid(PlaneField(0.0, slope), 0.25)), view_range=reach)
    for middle in ((0.0, 0.0), (40.0, -70.0)):
        tiles.center(*middle)
        places = []
        for tile in tiles.tiles:
            vertices = tile.vertices[: SIDE * SIDE * 3].reshape(SIDE, SIDE, 3)[1:-1, 1:-1].reshape(-1, 3)
            places.append(vertices + tiles.corner(tile))
        x, y, z = (np.concatenate(places) - (*middle, slope * middle[1] + 2.0)).T
        away, turn = np.hypot(x, y), np.arctan2(y, x)
        near = (away > 1.0) & (away < 0.93 * reach)
        np.testing.assert_allclose(z[near] + 2.0, slope * y[near], atol=1e-3)
        skyline = [
            away[here][np.argmax(z[here] / away[here])]
            for here in (np.abs(turn - toward) < 0.02 for toward in np.linspace(0.2 * np.pi, 0.8 * np.pi, 31))
        ]
        # The center of the bend is rounded to 1 / 16 of the range.
        assert np.ptp(skyline) < 0.09 * reach and np.mean(skyline) == pytest.approx(reach, rel=0.04)


@pytest.mark.parametrize(
    'extent',
    [(-40.0, 56.0, 16.0, 80.0), (-400.0, -304.0, -8.0, 16.0), (16.0, 80.0, -40.0, 56.0), (-8.0, 16.0, -96.0, 0.0)],
)
def test_tiles_cover_exactly_the_extent(extent: tuple[float, float, float, float]) -> None:
    """A rectangle that is neither square nor centered at the origin; its sides are on edges of the finest tiles."""
    west, east, south, north = extent
    tiles = TerrainTiles(SoilHeightSource(SoilGrid(FlatField(), 0.25), extent), view_range=500.0, detail=1000.0)
    tiles.center(0.5 * (west + east), 0.5 * (south + north))
    covered = 0.0
    for tile in tiles.tiles:
        (x, y, _), side = tiles.corner(tile), CELLS * tiles.cell(tile)
        assert x >= west and x + side <= east and y >= south and y + side <= north
        covered += side * side
    assert covered == pytest.approx((east - west) * (north - south))


def test_wheel_or_base_without_visual_is_rejected() -> None:
    looks = load_visuals(*load_vehicle_model('viper'))
    names = {part.name: part for part in looks.parts}

    def without(name: str) -> Any:
        return replace(looks, parts=tuple(replace(p, visuals=()) if p.name == name else p for p in looks.parts))

    wheel = next(name for name, part in names.items() if part.role == PartRole.WHEEL)
    other = next(name for name, part in list(names.items())[1:] if part.role == PartRole.BODY)
    for name in (looks.parts[0].name, wheel):
        with pytest.raises(ValueError, match=f'{name} has no visual; allowed: box'):
            vehicle_parts(without(name), [])
    left = [part.name for part in vehicle_parts(without(other), [])]
    assert other not in left and left == [part.name for part in vehicle_parts(looks, []) if part.name != other]


def test_loops_over_hits_count_no_references() -> None:
    """Numba counts references atomically, for each array at each hit: this took a quarter of an image's time.

    The loops over hits and all kernels that they inline are compiled without. Kernels that make arrays contain no loop.
    """
    outer = {
        '_render',
        '_trace',
        '_gather',
        'indirect_memory',
        '_add_clods',
        '_add_craters',
        '_relaxed',
        '_find_horizons',
    }
    for module in (
        casting,
        indirect_light,
        irradiance_cache,
        lighting,
        render,
        surface,
        materials,
        micro_relief,
        shading,
        soil_relief,
    ):
        kernels = {
            name: kernel
            for name, kernel in vars(module).items()
            if hasattr(kernel, 'targetoptions') and kernel.py_func.__module__ == module.__name__
        }
        assert kernels
        assert {name for name, kernel in kernels.items() if kernel.targetoptions.get('_nrt', True)} <= outer
