# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Export of terrain to files: GeoTIFF in a local metric frame, rock catalog, hillshade, description.

All files of a folder appear together or not at all: they are written to a temporary folder and moved when complete.
"""

from __future__ import annotations

import contextlib
import csv
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.windows import Window

from regolith_terrain.elevation.grid import LOCAL_GRID, Floats
from regolith_terrain.height_field import HeightField
from regolith_terrain.hillshade import hillshade_image
from regolith_terrain.lunar.rocks import RockField

BLOCK = 512
MOST_POSTS = 1_000_000_000
_PICTURE = 1600
_UNITS = {'x': 'm', 'y': 'm', 'z': 'm', 'diameter': 'm', 'height': 'm', 'aspect': '1', 'yaw': 'rad', 'shape': '1'}
_SUN = (300.0, 15.0)
"""Azimuth and elevation of the sun in hillshades [deg]."""

StageProgress = Callable[[float, str], None]
"""Progress callback (completed fraction, 0 to 1; name of the stage)."""


def no_progress(done: float, what: str) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class GridWindow:
    """A square of grid nodes i0 <= i < i0 + count, j0 <= j < j0 + count, at multiples of a spacing."""

    i0: int
    j0: int
    count: int
    spacing: float

    @staticmethod
    def around(center: tuple[float, float], size_m: float, spacing_m: float) -> GridWindow:
        """Return the grid nodes of a square; its center moves to the nearest node.

        Args:
            center: Center of the square, x, y [m].
            size_m: Side length of the square [m].
            spacing_m: Grid node spacing [m].

        Raises:
            ValueError: If there are too many or too few nodes.
        """
        half = round(0.5 * size_m / spacing_m)
        count = 2 * half + 1
        if half < 1 or count * count > MOST_POSTS:
            raise ValueError(
                f'{count} x {count} posts {spacing_m:g} m apart over {size_m:g} m; allowed: 3 x 3 to {MOST_POSTS:.0e}'
            )
        i, j = (round(c / spacing_m) for c in center)
        return GridWindow(i - half, j - half, count, spacing_m)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """West, east, south and north edge [m]."""
        ends = [(k * self.spacing, (k + self.count - 1) * self.spacing) for k in (self.i0, self.j0)]
        return (*ends[0], *ends[1])


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``folder`` at the end of the block; an error removes it.

    Raises:
        ValueError: If ``folder`` is not empty.
    """
    if os.path.exists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f'{folder}: exists and is not empty; allowed: a new or an empty folder')
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f'.{folder.name}.', dir=folder.parent))
    try:
        yield made
        made.chmod(0o755)
        if os.path.exists(folder):
            folder.rmdir()
        os.replace(made, folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def write_lunar_ground(
    rocks: RockField,
    nodes: GridWindow,
    folder: Path,
    *,
    least_rock_m: float = 0.0,
    progress: StageProgress = no_progress,
) -> dict[str, Any]:
    """Write the files of lunar terrain and return the content of ``metadata.json``.

    The files are ``heights.tif``, ``rocks.csv``, ``hillshade.png`` and ``metadata.json``.

    Args:
        rocks: Rocks with their height field.
        nodes: Grid nodes to write; craters and waves finer than their spacing are omitted.
        folder: New or empty folder.
        least_rock_m: Smallest rock diameter in the catalog [m].
        progress: Progress callback.

    Raises:
        ValueError: If the folder is not empty.
    """
    field = rocks.field
    with new_folder(folder) as made:
        low, high = _write_heights(field, nodes, made / 'heights.tif', lambda f: progress(0.6 * f, 'heights'))
        count = _write_rocks(rocks, nodes, made / 'rocks.csv', least_rock_m, lambda f: progress(0.6 + 0.3 * f, 'rocks'))
        write_hillshade(field, nodes.box, made / 'hillshade.png', finest_m=nodes.spacing)
        progress(1.0, 'hillshade')
        west, east, south, north = nodes.box
        about = {
            'seed': field.seed,
            'preset': field.preset.model_dump(),
            'spacing_m': nodes.spacing,
            'posts': nodes.count,
            'west_m': west,
            'east_m': east,
            'south_m': south,
            'north_m': north,
            'lowest_m': low,
            'highest_m': high,
            'datum': 'z = 0 is the surface at x = y = 0',
            'rocks': count,
            'least_rock_m': max(least_rock_m, field.preset.rocks.min_diameter_m),
            'fingerprint': field.fingerprint(),
        }
        write_about(made / 'metadata.json', about)
    return about


def write_about(path: Path, about: dict[str, Any]) -> None:
    """Write the description of the other files as JSON."""
    path.write_text(json.dumps(about, indent=1) + '\n', encoding='utf-8')


def write_hillshade(field: HeightField, box: tuple[float, float, float, float], path: Path, *, finest_m: float) -> None:
    """Write a hillshade image of a box of terrain, at most 1600 pixels wide.

    The sun is in the west-northwest at an elevation of 15 degrees.
    """
    from matplotlib.image import imsave

    west, east, south, north = box
    spacing = max(finest_m, (east - west) / _PICTURE, (north - south) / _PICTURE)
    i0, i1 = math.ceil(west / spacing), math.floor(east / spacing) + 1
    j0, j1 = math.ceil(south / spacing), math.floor(north / spacing) + 1
    shade = hillshade_image(field.coarse_nodes(i0, i1, j0, j1, spacing), spacing, *_SUN)
    # Level terrain has the middle gray value.
    imsave(path, shade.T[::-1], cmap='gray', vmin=0.0, vmax=2.0 * math.sin(math.radians(_SUN[1])))


def geotiff_profile(rows: int, cols: int, transform: rasterio.Affine, dtype: str) -> dict[str, Any]:
    """Return rasterio's profile of heights in a local metric frame."""
    tiled = {'tiled': True, 'blockxsize': BLOCK, 'blockysize': BLOCK} if min(rows, cols) >= BLOCK else {}
    return {
        'driver': 'GTiff',
        'count': 1,
        'dtype': dtype,
        'height': rows,
        'width': cols,
        'compress': 'deflate',
        'crs': rasterio.crs.CRS.from_wkt(LOCAL_GRID),
        'transform': transform,
        'BIGTIFF': 'IF_SAFER',
        **tiled,
    }


def _write_heights(
    field: HeightField, nodes: GridWindow, path: Path, progress: Callable[[float], None]
) -> tuple[float, float]:
    """Write the heights block by block; return lowest and highest."""
    s, n = nodes.spacing, nodes.count
    transform = rasterio.Affine(s, 0.0, (nodes.i0 - 0.5) * s, 0.0, -s, (nodes.j0 + n - 0.5) * s)
    low, high = math.inf, -math.inf
    corners = [(row, col) for row in range(0, n, BLOCK) for col in range(0, n, BLOCK)]
    with rasterio.open(path, 'w', **geotiff_profile(n, n, transform, 'float32')) as file:
        file.set_band_unit(1, 'm')
        for done, (row, col) in enumerate(corners):
            rows, cols = min(BLOCK, n - row), min(BLOCK, n - col)
            top = nodes.j0 + n - row
            z = field.coarse_nodes(nodes.i0 + col, nodes.i0 + col + cols, top - rows, top, s)
            low, high = min(low, float(z.min())), max(high, float(z.max()))
            file.write(np.ascontiguousarray(z.T[::-1].astype(np.float32)), 1, window=Window(col, row, cols, rows))
            progress((done + 1) / len(corners))
    return low, high


def _write_rocks(
    rocks: RockField, nodes: GridWindow, path: Path, min_diameter_m: float, progress: Callable[[float], None]
) -> int:
    """Write the rock catalog strip by strip; return the number of rocks."""
    west, east, south, north = nodes.box
    # About 10 000 rocks per strip.
    strips = max(1, math.ceil((north - south) / 64.0))
    edges: Floats = np.linspace(south, north, strips + 1)
    count = 0
    with path.open('w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow([f'{name} [{unit}]' if unit != '1' else name for name, unit in _UNITS.items()])
        for n in range(strips):
            found = rocks.rocks_in(west, east, float(edges[n]), float(edges[n + 1]), min_diameter_m)
            columns = found.columns()
            order = np.lexsort((columns['x'], columns['y']))
            values = [columns[name][order].tolist() for name in _UNITS]
            writer.writerows([*(f'{v:.4f}' for v in row[:-1]), row[-1]] for row in zip(*values, strict=True))
            count += len(found)
            progress((n + 1) / strips)
    return count
