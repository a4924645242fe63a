# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render the plots of docs/concepts/terrain.md: ``./regolith exec python3 tools/make_terrain_images.py``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import map_coordinates

from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field import HeightField
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.hillshade import hillshade_image
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import load_preset
from regolith_terrain.lunar.rocks import RockField, Rocks

IMAGES = Path(__file__).parents[1] / 'docs' / 'images'
SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[2] / 'shared'))
SUN_AZIMUTH_DEG = 300.0
SIDES_M = ((1000.0, 1.0), (100.0, 0.125), (10.0, 0.0125))
Floats = NDArray[np.float64]


def shade(z: Floats, spacing: float, elevation_deg: float) -> Floats:
    """Return the hillshade with cast shadows of the terrain, rows from north to south."""
    lit = hillshade_image(z, spacing, SUN_AZIMUTH_DEG, elevation_deg)
    azimuth, slope = np.deg2rad(SUN_AZIMUTH_DEG), np.tan(np.deg2rad(elevation_deg))
    i, j = np.meshgrid(*(np.arange(n, dtype=np.float64) for n in z.shape), indexing='ij')
    shadow = np.zeros(z.shape, dtype=bool)
    steps = int(min(max(z.shape), np.ptp(z) / slope / spacing)) + 1
    for step in range(2, steps + 1, 1 + steps // 400):
        toward = [i + step * np.sin(azimuth), j + step * np.cos(azimuth)]
        shadow |= map_coordinates(z, toward, order=1, mode='nearest') > z + step * spacing * slope
    lit[shadow] = 0.0
    out: Floats = lit.T[::-1]
    return out


def with_rocks(z: Floats, rocks: Rocks, west: float, south: float, spacing: float) -> Floats:
    """Return heights with rocks as half ellipsoids, for plots."""
    z = z.copy()
    for x, y, base, d, h in zip(rocks.x, rocks.y, rocks.z, rocks.diameter, rocks.height, strict=True):
        i0, j0, r = (x - west) / spacing, (y - south) / spacing, 0.5 * d / spacing
        i = np.arange(max(0, int(i0 - r)), min(z.shape[0], int(i0 + r) + 2))
        j = np.arange(max(0, int(j0 - r)), min(z.shape[1], int(j0 + r) + 2))
        if len(i) and len(j):
            inside = 1.0 - ((i[:, None] - i0) ** 2 + (j[None, :] - j0) ** 2) / r**2
            top = base + h * np.sqrt(np.maximum(inside, 0.0))
            z[np.ix_(i, j)] = np.where(inside > 0.0, np.maximum(z[np.ix_(i, j)], top), z[np.ix_(i, j)])
    return z


def save(panels: list[tuple[Floats, str, float]], path: Path) -> None:
    """Write panels side by side with their titles."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(4.0 * len(panels), 4.3), dpi=100)
    for axis, (image, title, white) in zip(np.atleast_1d(axes), panels, strict=True):
        axis.imshow(image, cmap='gray', vmin=0.0, vmax=white, interpolation='antialiased')
        axis.set_title(title, fontsize=10)
        axis.set_axis_off()
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.93, wspace=0.02)
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / 'raw.png'
        figure.savefig(raw)
        plt.close(figure)
        # 64 gray levels halve the file size.
        Image.open(raw).convert('L').point(lambda v: min(255, v // 4 * 4 + v // 64)).save(path, optimize=True)
    print(path, path.stat().st_size // 1000, 'kB')


def preset_picture(name: str, seed: int, elevation_deg: float) -> None:
    """Write plots of 1 km, 100 m and 10 m of a preset."""
    field = LunarField(seed, load_preset(name))
    rocks = RockField(field)
    panels = []
    for side, spacing in SIDES_M:
        half = round(0.5 * side / spacing)
        z = field.coarse_nodes(-half, half, -half, half, spacing)
        found = rocks.rocks_in(-0.5 * side, 0.5 * side, -0.5 * side, 0.5 * side, 2.0 * spacing)
        z = with_rocks(z, found, -half * spacing, -half * spacing, spacing)
        title = f'{name}, {side:g} m across, sun {elevation_deg:g}° up'
        panels.append((shade(z, spacing, elevation_deg), title, 2.2 * np.sin(np.deg2rad(elevation_deg))))
    save(panels, IMAGES / f'terrain_{name}.png')


def around(field: HeightField, side: float, spacing: float) -> Floats:
    """Return heights of a square around the origin."""
    half = round(0.5 * side / spacing)
    return field.nodes(-half, half, -half, half, spacing)


def model_picture(file: str, center: tuple[float, float], wide: float, post: float, label: str) -> None:
    """Write plots of an elevation model without and with detail between its posts."""
    source = {'source': str(SHARED / 'dem' / file), 'center': list(center)}
    smooth = build_height_field(TerrainConfig.model_validate({**source, 'detail': 'none'}), 0)
    detailed = build_height_field(TerrainConfig.model_validate({**source, 'detail': {'preset': 'highland'}}), 0)
    near = 12.0 * post
    panels = [
        (shade(around(smooth, wide, wide / 400), wide / 400, 20.0), f'{label}, {wide:g} m', 0.7),
        (shade(around(smooth, near, near / 400), near / 400, 20.0), f'its posts {post:g} m apart, {near:g} m', 0.7),
        (shade(around(detailed, near, near / 400), near / 400, 20.0), f'with detail to 5 cm, {near:g} m', 0.7),
    ]
    save(panels, IMAGES / f'terrain_{file.split("_")[0]}_detail.png')


if __name__ == '__main__':
    for preset, number, elevation in (('mare', 1, 12.0), ('highland', 2, 20.0), ('polar', 3, 12.0)):
        preset_picture(preset, number, elevation)
    if (SHARED / 'dem').is_dir():
        model_picture('lunar_sp_ldem6_1m_1000x1000.tif', (-83.892, 59.174), 600.0, 1.0, 'LOLA, 84 S')
        model_picture('apollo16_nac_dtm_8m_1024x1024.tif', (3000.0, 4000.0), 3000.0, 8.0, 'Apollo 16, LROC NAC')
