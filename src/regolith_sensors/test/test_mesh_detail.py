# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Facets of rocks, dust on vehicles, and the smooth terminator of meshes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from regolith_sensors.brdf import PRESETS, hapke_reflectance, mare_rock
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.light import Sun
from regolith_sensors.scene.object_layer import ROCK
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.scene.vehicle_mesh import vehicle_parts
from regolith_sensors.sensor_models import load_sensor
from regolith_sensors.surfaces.materials import Lambert, Material
from regolith_sensors.surfaces.mesh_detail import facet, fracture, spotted
from regolith_sensors.surfaces.meshes import Mesh, icosphere, rock
from regolith_terrain.config import TerrainConfig
from regolith_vehicles import load_vehicle_model, load_visuals
from regolith_vehicles.visuals import PartRole

EYE = np.array([-4.0, 0.0, 1.0])
KEY = np.uint64(7)


@pytest.fixture
def seen(flat_scene: Callable[..., Scene]) -> Callable[..., Any]:
    """Return a function that renders a mesh of some material at a height of 1 m, 4 m ahead of the camera."""

    def look(mesh: Mesh, material: Material, sun: Sun, **changes: Any) -> Any:
        scene = flat_scene(Lambert((0.0, 0.0, 0.0)), (material,), 64.0)
        thing = scene.add_object('thing', [(scene.add_mesh(mesh), Semantic.ROCK)])
        scene.place(thing, 0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
        scene.center(EYE)
        values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
        values |= {'width': 192, 'height': 192, 'pixel_size_m': 2e-5, 'edge_samples': 0, **changes}
        camera = Camera(CameraConfig.model_validate(values), 1, 'camera')
        pose = CameraPose(EYE, np.array([0.0, 0.0, 0.0, 1.0]))
        return camera.expose(scene.commit(), scene.origin, lambda _: pose, sun)

    return look


def test_facets_are_flat_cells_of_unit_size() -> None:
    """The tilt is constant within a cell, cells have a volume of 1 on average, and tilts fill [-1, 1] evenly."""
    places = np.random.default_rng(0).uniform(-6.0, 6.0, (20_000, 3)).astype(np.float32)
    tilts = np.array([facet(KEY, *place) for place in places])
    different = len(np.unique(tilts, axis=0))
    # 12^3 cells; a few are cut by the border or missed.
    assert 0.9 * 12.0**3 < different < 1.5 * 12.0**3
    assert np.abs(tilts).max() <= 1.0 and np.abs(tilts.mean(axis=0)).max() < 0.05
    assert tilts.std(axis=0) == pytest.approx([math.sqrt(1.0 / 3.0)] * 3, abs=0.03)
    near = np.array([facet(KEY, *(place + np.float32(1e-4))) for place in places[:2000]])
    assert (near == tilts[:2000]).all(axis=1).mean() > 0.99
    assert np.abs([fracture(*place, np.float32(1.0)) for place in places[:50]]).max() == 0.0  # narrower than a pixel


def test_rocks_are_little_brighter_than_soil_at_equal_geometry() -> None:
    """The ratio is 0.8 to 1 at zero phase, 1 to 1.3 up to a phase of 90 deg, and at most 1.5 against the sun."""
    soil = PRESETS['lunar_sato2014']

    def ratio(*degrees: float) -> float:
        angles = [math.radians(each) for each in degrees]
        return float(hapke_reflectance(*angles, mare_rock()) / hapke_reflectance(*angles, soil))

    assert 0.8 < ratio(0.0, 0.0, 0.0) < 1.0
    for place in ((30.0, 0.0, 0.0), (60.0, 0.0, 0.0), (30.0, 30.0, 180.0), (60.0, 60.0, 90.0), (80.0, 60.0, 90.0)):
        assert 1.0 < ratio(*place) < 1.3, place
    assert 1.2 < ratio(60.0, 60.0, 180.0) < 1.5 and 1.2 < ratio(80.0, 70.0, 150.0) < 1.5


def test_facets_change_the_light_and_nothing_else(seen: Callable[..., Any]) -> None:
    """A rock with facets has the ranges, classes and mean brightness of one without, but not its radiance."""
    sun = Sun(math.radians(300.0), math.radians(30.0))
    plain, broken = (seen(rock(3, 2), replace(ROCK, facets=each), sun) for each in (0.0, ROCK.facets))
    shown = plain.object_id > 1
    assert shown.sum() > 2000
    for name in ('range', 'depth', 'object_id', 'semantic'):
        assert np.array_equal(getattr(plain, name), getattr(broken, name))
    a, b = plain.radiance[shown, 1], broken.radiance[shown, 1]
    # Tilts of 10 deg r.m.s. change bright sides by a tenth and more; they hardly change the mean.
    assert np.abs(b - a).mean() > 0.08 * a.mean() and b.mean() == pytest.approx(a.mean(), rel=0.1)


def test_ball_has_no_facets_at_its_terminator(seen: Callable[..., Any]) -> None:
    """No triangle of a coarse ball shadows itself, up to the terminator of its smooth normals."""
    sun = Sun(0.0, math.radians(1.0))  # from +y, the left side of the image
    image = seen(icosphere(2), Lambert(), sun)
    # Normals are in the camera's frame: x right, y down, z ahead.
    world = np.stack([image.normal[..., 2], -image.normal[..., 0], -image.normal[..., 1]], axis=-1)
    cosine = world @ np.array(sun.direction)
    near = (image.object_id > 1) & (cosine > 0.01) & (cosine < 0.1)
    # Rays from the triangles themselves leave a tenth of these pixels in the dark.
    assert near.sum() > 800 and (image.radiance[near, 1] == 0.0).mean() < 0.01


def test_dust_falls_with_height_and_wheels_have_all_of_it() -> None:
    """Shares are those of the heights at rest: whole on wheels, less on higher parts, none high up on walls."""
    looks = load_visuals(*load_vehicle_model('viper'))
    clean, dusty = vehicle_parts(looks, []), vehicle_parts(looks, [], 0.4)
    for part, other in zip(clean, dusty, strict=True):
        assert part.mesh.dust is None and other.mesh.dust is not None
        assert np.array_equal(part.mesh.vertices, other.mesh.vertices) and part.name == other.name
        if part.role == PartRole.WHEEL:
            assert (other.mesh.dust == 0.4).all()
    hull = dusty[0].mesh
    assert hull.dust is not None and 0.05 < hull.dust.max() < 0.4
    z = hull.vertices[hull.triangles][:, :, 2]
    low, high = z < z.min() + 0.1, z > z.max() - 0.1
    assert hull.dust[low].mean() > 2.0 * hull.dust[high].mean()
    # Spots keep the mean.
    places = np.random.default_rng(1).uniform(-1.0, 1.0, (4000, 3)).astype(np.float32)
    shares = [spotted(np.float32(0.3), *place, np.float32(0.0)) for place in places]
    assert np.mean(shares) == pytest.approx(0.3, abs=0.01) and 0.03 < np.std(shares) < 0.15


def test_dusty_wheel_takes_the_look_of_the_ground() -> None:
    """With a share of 0 a vehicle looks as before; with 1 its wheels have the reflectance of soil under spots."""
    images = []
    for share in (0.0, 0.5, 1.0):
        light = LightConfig.model_validate({'vehicle_dust': share, 'micro_relief': 'slopes_only'})
        scene = SensorScene(
            TerrainConfig(source='flat'), light, 3, {'amber': load_visuals(*load_vehicle_model('viper'))}
        )
        view = scene.view('amber')
        parts = scene.states.tracks['amber'].parts
        poses = np.zeros((len(parts), 7))
        poses[:, 6] = 1.0
        at = {'': np.zeros(3)}
        for row, part in enumerate(load_visuals(*load_vehicle_model('viper')).parts):
            at[part.name] = at[part.parent] + part.position
            poses[row, :3] = at[part.name] + (0.0, 0.0, 0.5)
        scene.states.tracks['amber'].add(0, poses)
        values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
        values |= {'width': 160, 'height': 120, 'pixel_size_m': 5e-5, 'edge_samples': 0, 'color': 'rgb'}
        camera = Camera(CameraConfig.model_validate(values), 1, 'camera')
        pose = CameraPose(np.array([-4.0, -1.0, 0.7]), np.array([0.0, 0.0, 0.0, 1.0]))
        images.append(camera.expose(view.prepare(0), view.scene.origin, lambda _, p=pose: p, Sun(math.pi * 1.4, 0.5)))
    bare, half, whole = images
    wheels = (bare.semantic == Semantic.WHEEL) & (bare.sun_part > 0.0)
    assert wheels.sum() > 200 and np.array_equal(bare.range, whole.range)
    colors = [image.radiance[wheels].mean(axis=0) for image in images]
    reddish = [color[0] / color[2] for color in colors]
    # Red to blue of the soil: 1.18 / 0.82. Dust of a share of 1 covers 0.85 and more of the surface.
    assert reddish[0] < 1.1 < reddish[1] < reddish[2] < 1.18 / 0.82 + 0.01
    assert not np.array_equal(half.radiance, whole.radiance)
