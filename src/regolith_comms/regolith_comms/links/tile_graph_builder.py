# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tile graph of a scenario: from files, from a list of tiles, or built from the terrain."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from regolith_comms.config import CommsConfig
from regolith_comms.links.link import LinkModel
from regolith_comms.links.link_model_files import load_model
from regolith_comms.links.terrain_graph import HeightMap, build_graph_and_grid, tile_layout
from regolith_comms.links.tile_list_graph import graph_of_tiles, grid_of_tiles
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_comms.radio_config import load_radio
from regolith_files import write_atomically
from regolith_world import ParticipantContext
from regolith_world.cycle import ProgressCallback
from regolith_world.tiles import read_tile_list

_POSTS_PER_TILE = 10


def needs_graph(config: CommsConfig) -> bool:
    """Return whether a graph must be built: the radio model requires one and none is given."""
    return config.graph is None and load_radio(config.radio).model == 'visibility_range'


def link_model(config: CommsConfig, site: ParticipantContext) -> LinkModel:
    """Return the link model of a ``comms`` section; a graph without files is built in memory."""
    if not needs_graph(config):
        return load_model(config)
    return LinkModel(load_radio(config.radio), *build_from_config(config, site), config.relay_mode)


def with_graph_files(
    config: CommsConfig, site: ParticipantContext, folder: Path, progress: ProgressCallback = lambda done, of: None
) -> CommsConfig:
    """Write graph and grid into a folder if the section lacks them, and return the section with their paths.

    Nothing is written for a list of tiles, of which every process makes the graph itself.

    Args:
        config: Section ``comms``.
        site: Participant context with the terrain.
        folder: Folder for the files.
        progress: Called with the numbers of finished tiles and of all tiles.
    """
    if not needs_graph(config) or config.tiles is not None:
        return config
    dot, dat = write_graph_files(*build_from_config(config, site, progress), folder, site.name)
    return config.model_copy(update={'graph': str(dot.absolute()), 'grid': str(dat.absolute())})


def write_graph_files(graph: TileGraph, grid: WorldGrid, folder: Path, name: str) -> tuple[Path, Path]:
    """Write ``<name>.dot`` and ``<name>.dat`` into a folder, created if absent; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    dot, dat = folder / f'{name}.dot', folder / f'{name}.dat'
    write_atomically(dat, grid.to_dat())
    write_atomically(dot, graph.to_dot())
    return dot, dat


def build_from_config(
    config: CommsConfig, site: ParticipantContext, progress: ProgressCallback = lambda done, of: None
) -> tuple[TileGraph, WorldGrid]:
    """Return graph and grid made from the section's list of tiles, or built from the terrain.

    Raises:
        ValueError: If there are too many tiles, or the list is invalid.
    """
    if config.tiles is not None:
        tiles = read_tile_list(config.tiles)
        return graph_of_tiles(tiles), grid_of_tiles(tiles)
    return build_graph_and_grid(
        height_map(config, site), config.tile_size_m, config.antenna_height_m, load_radio(config.radio), progress
    )


def height_map(config: CommsConfig, site: ParticipantContext) -> HeightMap:
    """Return the known terrain around vehicles, their waypoints and stations, with the objects on it.

    Raises:
        ValueError: If the terrain is too large for a graph.
    """
    field = site.ground()
    west, east, south, north = _bounds(config, site)
    if field.extent is not None:
        w, e, s, n = field.extent
        west, east, south, north = max(west, w), min(east, e), max(south, s), min(north, n)
        if west >= east or south >= north:
            raise ValueError('vehicles and stations are outside the elevation model')
    spacing = config.tile_size_m / _POSTS_PER_TILE
    # Rounded inward, so no sample is outside the known terrain.
    i0, i1 = math.ceil(west / spacing), math.floor(east / spacing) + 1
    j0, j1 = math.ceil(south / spacing), math.floor(north / spacing) + 1
    sketch = HeightMap(i0 * spacing, j0 * spacing, spacing, np.broadcast_to(0.0, (i1 - i0, j1 - j0)), '')
    tile_layout(sketch, config.tile_size_m)
    heights = field.coarse_nodes(i0, i1, j0, j1, spacing)
    standing = site.standing()
    tops = None if standing is None else standing.max_heights(heights, sketch.west, sketch.south, spacing)
    return HeightMap(sketch.west, sketch.south, spacing, heights, site.fingerprint(), tops)


def _bounds(config: CommsConfig, site: ParticipantContext) -> tuple[float, float, float, float]:
    points: list[tuple[float, ...]] = [place for places in site.vehicles.values() for place in places]
    points += [position[:2] for position in config.stations.values()]
    x, y = np.array(points or [(0.0, 0.0)], dtype=np.float64).T
    margin = config.margin_m
    return float(x.min()) - margin, float(x.max()) + margin, float(y.min()) - margin, float(y.max()) + margin
