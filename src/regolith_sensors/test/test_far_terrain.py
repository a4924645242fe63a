# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shadows of terrain beyond the range of rays, on images of flat ground and at the posts of a site."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from regolith_sensors.config.lighting import HorizonConfig
from regolith_sensors.light import FarShadow, Sun
from regolith_sensors.rays.camera_rays import CameraRays, lights
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_sensors.scene.scene import Scene
from regolith_sensors.sky.far_terrain import FarTerrain
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField

POLAR = '+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m +no_defs'
SUN = Sun(math.radians(70.0), math.radians(40.0))


def seen_from_above(sun: Sun, middle: tuple[float, float] = (0.0, 0.0)) -> tuple[RenderedImage, np.ndarray]:
    """Return an image of white flat ground from 4 m above, and the x, y of its pixels."""
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.1), (-80.0, 80.0, -80.0, 80.0))
    scene = Scene(ground, soil=Lambert((1.0, 1.0, 1.0)), micro_slope_deg=0.0, micro_albedo=0.0)
    scene.center((*middle, 4.0))
    rays = scene.commit()
    side = np.linspace(-0.7, 0.7, 32)
    x, y = np.meshgrid(side, side)
    directions = np.stack([x, y, np.ones_like(x)], axis=-1)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    down = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
    position = np.array([*middle, 4.0]) - scene.origin
    view = CameraRays(directions.astype(np.float32), down.astype(np.float32), position.astype(np.float32), 0.05)
    image = rays.render(view, lights(scene.origin, sun), sample_streams(1, 'eye', 0))
    return image, np.stack([middle[0] + 4.0 * x, middle[1] - 4.0 * y], axis=-1)


@pytest.mark.parametrize('middle', [(0.0, 0.0), (45.0, -50.0)])
def test_shadow_of_far_terrain_is_bilinear_between_posts(middle: tuple[float, float]) -> None:
    i, j = np.mgrid[0:6, 0:7]
    shadow = FarShadow(0.1 + 0.1 * i + 0.03 * j + 0.01 * i * j, middle[0] - 2.3, middle[1] - 2.9, 1.1)
    plain, place = seen_from_above(SUN, middle)
    shaded, _ = seen_from_above(Sun(SUN.azimuth, SUN.elevation, far=shadow), middle)
    # Outside the posts the value of the edge holds.
    u = np.clip((place[..., 0] - shadow.x0) / 1.1, 0.0, 5.0)
    v = np.clip((place[..., 1] - shadow.y0) / 1.1, 0.0, 6.0)
    expected = 0.1 + 0.1 * u + 0.03 * v + 0.01 * u * v
    assert plain.radiance.min() > 0.0
    assert shaded.radiance / plain.radiance == pytest.approx(np.repeat(expected[..., None], 3, axis=2), rel=2e-4)


def write_model(path: Path, heights: np.ndarray, spacing: float, crs: str = POLAR) -> str:
    """Write heights, rows from north to south, around the origin of a map."""
    half = 0.5 * spacing * len(heights)
    place = rasterio.transform.from_origin(-half, half, spacing, spacing)
    shape = {'height': heights.shape[0], 'width': heights.shape[1], 'count': 1, 'dtype': 'float64'}
    crs = rasterio.crs.CRS.from_string(crs)
    with rasterio.open(path, 'w', driver='GTiff', transform=place, crs=crs, **shape) as file:
        file.write(heights, 1)
    return str(path)


def hill(tmp_path: Path, name: str = 'wide.tif', base: float = 0.0, **values: Any) -> HorizonConfig:
    """Return a horizon with one hill, 300 m high, 3 km along +y of the map (toward the rows' beginning)."""
    axis = (np.arange(201) - 100) * 50.0
    x, y = axis[None, :], -axis[:, None]
    heights = base + 300.0 * np.exp(-(x**2 + (y - 3000.0) ** 2) / 400.0**2)
    place = {'latitude_deg': -89.9999, 'longitude_deg': 0.0, 'altitude_m': base, 'north_deg': 0.0}
    model = write_model(tmp_path / name, heights, 50.0)
    return HorizonConfig.model_validate({'models': [model], 'spacing_m': 100.0, 'azimuths': 180, **place, **values})


@pytest.mark.parametrize(('turned', 'base'), [(0.0, 0.0), (90.0, -2500.0)])
def test_far_hill_takes_the_sun_below_it(tmp_path: Path, turned: float, base: float) -> None:
    """At the pole, +y of the map is the direction of longitude 0, which is true north there."""
    far = FarTerrain(hill(tmp_path, base=base, north_deg=turned), FlatField(), 400.0, 1000.0)
    toward = math.radians(0.0 - turned)  # azimuth of the hill in the axes of the world

    def part(azimuth: float, elevation_deg: float) -> np.ndarray:
        return far.shadow(Sun(azimuth, math.radians(elevation_deg))).part

    middle = part(toward, 4.0).shape[0] // 2
    top = math.degrees(math.atan(300.0 / 3000.0))
    assert part(toward, top - 1.0)[middle, middle] == 0.0 and part(toward, top + 1.0)[middle, middle] == 1.0
    assert part(toward, top - 0.05)[middle, middle] == pytest.approx(0.5, abs=0.35)
    assert part(toward + math.pi, 1.0)[middle, middle] == 1.0, 'nothing on the other side'
    # Posts nearer to the hill, along it in the axes of the world, see it higher.
    across = (math.sin(toward), math.cos(toward))
    step = round(400.0 / far.horizons.spacing)
    near = middle + round(step * across[0]), middle + round(step * across[1])
    nearer = math.degrees(math.atan(300.0 / 2600.0))
    assert part(toward, 0.5 * (top + nearer))[near] == 0.0 and part(toward, 0.5 * (top + nearer))[middle, middle] > 0.9
    assert far.shadow(SUN) is far.shadow(SUN)


def test_far_mountains_are_below_the_horizon_of_the_sphere(tmp_path: Path) -> None:
    """A ring 100 km away and 2.5 km high, 1.4 degrees on a plane, is hidden: the surface drops by 2.9 km."""
    axis = (np.arange(121) - 60) * 2000.0
    away = np.hypot(axis[:, None], axis[None, :])
    model = write_model(tmp_path / 'ring.tif', 2500.0 * np.exp(-(((away - 1e5) / 4000.0) ** 2)), 2000.0)
    far = FarTerrain(hill(tmp_path, models=[model]), FlatField(), 200.0, 1000.0)
    assert (far.shadow(Sun(1.0, math.radians(0.5))).part == 1.0).all()


def test_terrain_within_the_range_of_rays_does_not_count(tmp_path: Path) -> None:
    far = FarTerrain(hill(tmp_path), FlatField(), 200.0, 4200.0)
    assert (far.shadow(Sun(0.0, math.radians(1.0))).part == 1.0).all()


def test_models_that_cannot_serve_are_refused(tmp_path: Path) -> None:
    earth = write_model(tmp_path / 'earth.tif', np.zeros((9, 9)), 1000.0, 'EPSG:32633')
    small = write_model(tmp_path / 'small.tif', np.zeros((9, 9)), 10.0)
    for model, message in (
        (earth, 'is not on the Moon; allowed: a model with a lunar reference system'),
        (small, 'within light.view_range_m = 1000 m; allowed: a wider model'),
    ):
        with pytest.raises(ValueError, match=message):
            FarTerrain(hill(tmp_path, models=[model]), FlatField(), 100.0, 1000.0)
    with pytest.raises(ValueError, match='the place is unknown'):
        FarTerrain(hill(tmp_path, altitude_m=None), FlatField(), 100.0, 1000.0)
    with pytest.raises(ValueError, match='no such file'):
        HorizonConfig.model_validate({'models': [str(tmp_path / 'none.tif')]})
