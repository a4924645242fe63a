# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain of a run as an image: final hillshade and rut depth."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.report.run_data import RunData
from regolith_terrain import build_height_field, build_rocks, hillshade_image

Array = NDArray[np.float64]

_NEAR_M = 0.2
"""Maximum distance between two tracks that count as one crossing [m]."""


@dataclass(frozen=True)
class TerrainMap:
    """Pixels of a rectangle of terrain. Row 0 is south, column 0 is west (``origin='lower'``)."""

    extent: tuple[float, float, float, float]
    """west, east, south, north edges [m]."""
    pixel: float
    """Size of a pixel [m]."""
    height: Array
    """Height [m], shape (rows, columns)."""
    shade: Array
    """Brightness, 0 dark to 1 bright, shape (rows, columns)."""
    rut_depth: Array
    """Undisturbed minus final height of the deepest grid node in each pixel [m], NaN for unchanged terrain."""


def driven_bounds(run: RunData, margin: float = 2.0) -> tuple[float, float, float, float]:
    """Return west, east, south and north limits of all tracks with a margin [m], around the origin without tracks."""
    points = [t.position[:, :2] for t in run.tracks.values() if len(t.time)]
    xy = np.concatenate(points) if points else np.zeros((1, 2))
    west, south = xy.min(axis=0) - margin
    east, north = xy.max(axis=0) + margin
    return float(west), float(east), float(south), float(north)


def site_bounds(run: RunData) -> tuple[float, float, float, float]:
    """Return west, east, south and north limits of the site [m]: elevation model, or map size of the scenario."""
    terrain = run.scenario.terrain
    half = 0.5 * terrain.map_size_m
    return build_height_field(terrain, run.scenario.seed).extent or (-half, half, -half, half)


def terrain_map(run: RunData, bounds: tuple[float, float, float, float], max_pixels: int = 1400) -> TerrainMap:
    """Return the map of a rectangle.

    Pixels are soil grid nodes, or blocks of them for large rectangles.

    Args:
        run: Data of the run.
        bounds: West, east, south and north limits [m].
        max_pixels: Maximum number of pixels along the longer side.
    """
    west, east, south, north = bounds
    spacing = run.changed_terrain.spacing
    step = max(1, int(np.ceil(max(east - west, north - south) / spacing / max_pixels)))
    pixel = spacing * step
    first_column, last_column = int(np.floor(west / pixel)), int(np.ceil(east / pixel))
    first_row, last_row = int(np.floor(south / pixel)), int(np.ceil(north / pixel))
    columns = np.arange(first_column, last_column + 1)
    rows = np.arange(first_row, last_row + 1)
    field = build_height_field(run.scenario.terrain, run.scenario.seed)
    # Detail below the pixel size is not generated.
    nodes = field.nodes if step == 1 else field.coarse_nodes
    height = np.ascontiguousarray(nodes(first_column, last_column + 1, first_row, last_row + 1, pixel).T)

    changed_terrain = run.changed_terrain
    column = np.rint(changed_terrain.i / step).astype(np.int64) - first_column
    row = np.rint(changed_terrain.j / step).astype(np.int64) - first_row
    inside = (column >= 0) & (column < len(columns)) & (row >= 0) & (row < len(rows))
    column, row = column[inside], row[inside]
    base = field.heights(changed_terrain.i[inside] * spacing, changed_terrain.j[inside] * spacing)
    depth = np.full(height.shape, -np.inf)
    np.maximum.at(depth, (row, column), base - changed_terrain.level[inside])
    changed = np.isfinite(depth)
    height[changed] -= depth[changed]
    depth[~changed] = np.nan
    # hillshade() takes heights as (x, y), images are (row, column).
    shade = hillshade_image(height.T, pixel, 315.0, 25.0).T
    half = pixel / 2.0
    extent = (
        first_column * pixel - half,
        last_column * pixel + half,
        first_row * pixel - half,
        last_row * pixel + half,
    )
    return TerrainMap(extent, pixel, height, shade, depth)


def obstacle_outlines(run: RunData) -> list[Array]:
    """Return the outlines of the convex pieces of obstacles from above [m], shape (n, 2) each, counterclockwise.

    Roofs are left out.
    """
    terrain = run.scenario.terrain
    if not (terrain.obstacles or terrain.has_tiles):
        return []
    from scipy.spatial import ConvexHull

    from regolith_vehicles.contact import build_obstacles

    outlines = []
    for obstacle in build_obstacles(terrain, build_height_field(terrain, run.scenario.seed)):
        for number, piece in enumerate(obstacle.hulls):
            if number in obstacle.overhead:
                continue
            points = (piece.vertices @ obstacle.turn.T + obstacle.middle)[:, :2]
            outlines.append(points[ConvexHull(points).vertices])
    return outlines


def region_outlines(run: RunData) -> list[tuple[str, Array]]:
    """Return the regions with another terrain: description and corners [m], shape (n, 2)."""
    terrain = run.scenario.terrain
    own = (None, terrain.model)
    regions = [part for part in terrain.regions if part.model not in own]
    return [(part.model or terrain.model, part.region().outline) for part in regions]


def rock_ellipses(run: RunData, bounds: tuple[float, float, float, float], min_diameter_m: float) -> Array:
    """Return rocks from above: x, y, width along and across [m], yaw [rad], shape (n, 5).

    Args:
        run: Data of the run.
        bounds: West, east, south and north limits [m].
        min_diameter_m: Minimum diameter of the returned rocks [m].
    """
    field = build_rocks(run.scenario.terrain, run.scenario.seed)
    if field is None:
        return np.zeros((0, 5))
    rocks = field.rocks_in(*bounds, min_diameter_m)
    found: Array = np.stack(
        (rocks.x, rocks.y, rocks.diameter, rocks.diameter * rocks.aspect, rocks.yaw), axis=1, dtype=np.float64
    )
    return found


def crossing(run: RunData) -> tuple[float, float] | None:
    """Return the position of the most rectangular crossing of two vehicle tracks [m], or None."""
    from scipy.spatial import KDTree

    best, where = 0.5, None
    paths = [_headed(run.tracks[name].position[::5, :2]) for name in sorted(run.tracks)]
    trees = [KDTree(places) for places, _ in paths]
    for one, other in itertools.combinations(range(len(paths)), 2):
        near = trees[one].sparse_distance_matrix(trees[other], _NEAR_M, output_type='ndarray')
        if not len(near):
            continue
        (places, a), (_, b) = paths[one], paths[other]
        a, b = a[near['i']], b[near['j']]
        sine = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        k = int(np.argmax(sine))
        if sine[k] > best:
            x, y = places[near['i'][k]]
            best, where = float(sine[k]), (float(x), float(y))
    return where


def _headed(places: Array) -> tuple[Array, Array]:
    """Return the positions of a path with motion, and the directions there, shape (n, 2) each."""
    if len(places) < 3:
        return np.zeros((0, 2)), np.zeros((0, 2))
    moves = np.gradient(places, axis=0)
    lengths = np.linalg.norm(moves, axis=1)
    moving = lengths > 1e-4
    return places[moving], moves[moving] / lengths[moving, None]
