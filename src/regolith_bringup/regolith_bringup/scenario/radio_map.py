# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What lies between the radios of a scenario: the tile graph it names, or one made of its ground."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_comms.config import CommsConfig
from regolith_comms.link import LinkModel
from regolith_comms.model_files import load_model
from regolith_comms.radio_config import load_radio
from regolith_comms.terrain_graph import HeightMap, build_pair, tile_layout
from regolith_comms.visibility import TileGraph
from regolith_comms.world_grid import WorldGrid
from regolith_files.atomic import write_atomically
from regolith_terrain.height_field import build_height_field
from regolith_vehicles.config import PathDriverConfig, VehicleEntry

Progress = Callable[[int, int], None]
_POSTS_PER_TILE = 10


def lacks_graph(config: CommsConfig) -> bool:
    """Say whether a graph must be made: the radio wants one and none is named."""
    return config.graph is None and load_radio(config.radio).model == 'visibility_range'


def link_model(scenario: Scenario) -> LinkModel:
    """Return the link model of a scenario with a ``comms`` section; without files named, made in memory."""
    config = comms_of(scenario)
    if not lacks_graph(config):
        return load_model(config)
    return LinkModel(load_radio(config.radio), *make_pair(scenario), config.relay_mode)


def comms_of(scenario: Scenario) -> CommsConfig:
    """Return the ``comms`` section of a scenario that is known to have one."""
    assert scenario.comms is not None
    return scenario.comms


def with_pair(scenario: Scenario, folder: Path, progress: Progress = lambda done, of: None) -> Scenario:
    """Write graph and grid into a folder where the scenario needs them, and return the scenario that names them.

    :param progress: told how many tiles are done, of how many
    """
    if scenario.comms is None or not lacks_graph(scenario.comms):
        return scenario
    dot, dat = write_pair(*make_pair(scenario, progress), folder, scenario.name)
    named = {'graph': str(dot.absolute()), 'grid': str(dat.absolute())}
    return scenario.model_copy(update={'comms': scenario.comms.model_copy(update=named)})


def write_pair(graph: TileGraph, grid: WorldGrid, folder: Path, name: str) -> tuple[Path, Path]:
    """Write ``<name>.dot`` and ``<name>.dat`` into a folder, made if absent; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    dot, dat = folder / f'{name}.dot', folder / f'{name}.dat'
    write_atomically(dat, grid.to_dat())
    write_atomically(dot, graph.to_dot())
    return dot, dat


def make_pair(scenario: Scenario, progress: Progress = lambda done, of: None) -> tuple[TileGraph, WorldGrid]:
    """Return graph and grid made of a scenario's ground.

    :raises ValueError: if its tiles are too many
    """
    config = comms_of(scenario)
    return build_pair(
        height_map(scenario), config.tile_m, config.antenna_height_m, load_radio(config.radio), progress
    )


def height_map(scenario: Scenario) -> HeightMap:
    """Return the ground around vehicles, their way-points and stations, as far as it is known.

    :raises ValueError: if that is too much for a graph
    """
    config = comms_of(scenario)
    field = build_height_field(scenario.terrain, scenario.seed)
    west, east, south, north = _bounds(scenario.vehicles, config)
    if field.extent is not None:
        w, e, s, n = field.extent
        west, east, south, north = max(west, w), min(east, e), max(south, s), min(north, n)
        if west >= east or south >= north:
            raise ValueError('vehicles and stations are far from the ground that is known')
    spacing = config.tile_m / _POSTS_PER_TILE
    # Inwards, so that no post lies beyond what is known.
    i0, i1 = math.ceil(west / spacing), math.floor(east / spacing) + 1
    j0, j1 = math.ceil(south / spacing), math.floor(north / spacing) + 1
    sketch = HeightMap(i0 * spacing, j0 * spacing, spacing, np.broadcast_to(0.0, (i1 - i0, j1 - j0)), '')
    tile_layout(sketch, config.tile_m)
    heights = field.coarse_nodes(i0, i1, j0, j1, spacing)
    return HeightMap(sketch.west, sketch.south, spacing, heights, field.fingerprint())


def _bounds(vehicles: dict[str, VehicleEntry], config: CommsConfig) -> tuple[float, float, float, float]:
    points: list[tuple[float, ...]] = [(0.0, 0.0)] if not vehicles and not config.stations else []
    for entry in vehicles.values():
        points.append(entry.position)
        if isinstance(entry.driver, PathDriverConfig):
            points += entry.driver.waypoints
    points += [position[:2] for position in config.stations.values()]
    x, y = np.array(points, dtype=np.float64).T
    margin = config.margin_m
    return float(x.min()) - margin, float(x.max()) + margin, float(y.min()) - margin, float(y.max()) + margin
