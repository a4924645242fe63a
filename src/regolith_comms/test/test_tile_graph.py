# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of graphs and grids made from lists of tiles, against the files that SubT ships with them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from regolith_comms.links.tile_list_graph import graph_of_tiles, grid_of_tiles
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_files import InputError
from regolith_world.tiles import TileList, known_tile_types, read_tile_list

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[3].parent / 'shared'))
WORLDS = SHARED / 'subt_worlds'
NAMES = sorted(path.name.removesuffix('.tiles.csv') for path in WORLDS.glob('*.tiles.csv'))
HEAD = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad\n'
STAGING = HEAD + 'staging_area,subt_tunnel_staging_area,0,0,0,0,0,0\n'


def listed(tmp_path: Path, text: str) -> TileList:
    file = tmp_path / 'world.tiles.csv'
    file.write_text(text)
    return read_tile_list(file)


def costs(graph: TileGraph) -> dict[tuple[int, int], float]:
    return {(min(e.a, e.b), max(e.a, e.b)): e.cost for e in graph.edges}


def row(name: str, kind: str, x: float, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> str:
    return f'{name},{kind},{x},{y},{z},0,0,{yaw}\n'


@pytest.mark.parametrize('name', NAMES)
def test_graph_equals_the_given_one(name: str) -> None:
    made, given = (
        graph_of_tiles(read_tile_list(WORLDS / f'{name}.tiles.csv')),
        TileGraph.from_dot(WORLDS / f'{name}.dot'),
    )
    assert made.tiles == given.tiles
    assert costs(made) == costs(given)


@pytest.mark.parametrize('name', NAMES)
def test_grid_agrees_with_the_given_one(name: str) -> None:
    """The boxes were measured on these files, so all records agree; at least 95 % are required."""
    made = grid_of_tiles(read_tile_list(WORLDS / f'{name}.tiles.csv')).records
    given = WorldGrid.from_dat(WORLDS / f'{name}.dat').records
    assert np.array_equal(made, given)


@pytest.mark.parametrize('name', ['simple_tunnel_02', 'simple_tunnel_03', 'superpose_test_01', 'urban_circuit_01'])
def test_costs_of_given_graphs_follow_from_the_types(name: str) -> None:
    """Graphs without a list of tiles confirm the costs, not the neighbors."""
    if not WORLDS.is_dir():
        pytest.skip(f'no SubT worlds at {WORLDS} (REGOLITH_SHARED)')
    graph = TileGraph.from_dot(WORLDS / f'{name}.dot')
    turns = {tile.id: _turn(tile.type) for tile in graph.tiles}
    for edge in graph.edges:
        assert edge.cost == (1.0 if edge.a == 0 else (1.0, 3.0, 6.0)[turns[edge.a] + turns[edge.b]]), edge


def _turn(kind: str) -> bool:
    name = kind.replace('_', ' ').title() if kind.startswith('tunnel_tile') else kind
    return name != 'base_station' and known_tile_types()[name].turn


@pytest.mark.parametrize(
    ('first', 'later', 'finals', 'cost'),
    [
        ('Tunnel Tile 5', 'Tunnel Tile 5', False, 1.0),
        ('Tunnel Tile 5', 'Tunnel Tile 1', False, 3.0),
        ('Tunnel Tile 1', 'Tunnel Tile 3', False, 6.0),
        ('Tunnel Tile 5', 'Tunnel Tile 1', True, 2.0),
        ('Tunnel Tile 1', 'Tunnel Tile 3', True, 3.0),
        ('Urban Straight', 'Urban Superpose', True, 3.0),
        # A starting area costs 1 beside a turn; that of the finals only if it is the later one.
        ('Urban Starting Area', 'Urban Platform', False, 1.0),
        ('Urban Platform', 'Urban Starting Area', False, 1.0),
        ('Finals Staging Area', 'Tunnel Tile 1', False, 3.0),
        ('Tunnel Tile 1', 'Finals Staging Area', False, 1.0),
    ],
)
def test_cost_of_an_edge_follows_from_the_classes(
    tmp_path: Path, first: str, later: str, finals: bool, cost: float
) -> None:
    """Both tiles are put where their first connection points coincide (spec/comms_model.md, section 10)."""
    places = [-known_tile_types()[kind].points[0] for kind in (first, later)]
    text = HEAD + ''.join(row(f'tile_{k}', kind, *at) for k, (kind, at) in enumerate(zip((first, later), places)))
    text += row('staging_area', 'subt_tunnel_staging_area', 1e4).replace('area,', 'area_9,', 1)
    graph = graph_of_tiles(listed(tmp_path, text), finals=finals, connected=False)
    assert costs(graph) == {(0, 1): cost}


@pytest.mark.parametrize(('gap', 'meets'), [(0.0, True), (1.499, True), (1.51, False), (-1.51, False)])
@pytest.mark.parametrize('axis', [0, 1, 2])
def test_tiles_meet_within_the_tolerance_of_each_axis(tmp_path: Path, gap: float, meets: bool, axis: int) -> None:
    at = np.array([20.0, 0.0, 0.0])
    at[axis] += gap
    text = STAGING + row('tile_1', 'Tunnel Tile 5', *at, yaw=np.pi / 2)
    assert bool(graph_of_tiles(listed(tmp_path, text), connected=False).edges) == meets


def test_tiles_that_do_not_meet_are_refused(tmp_path: Path) -> None:
    text = (
        STAGING
        + row('tile_1', 'Tunnel Tile 1', 20)
        + row('tile_2', 'Tunnel Tile 5', 60)
        + row('tile_3', 'Tunnel Tile 5', 60, 20)
    )
    tiles = listed(tmp_path, text)
    with pytest.raises(InputError) as caught:
        graph_of_tiles(tiles)
    assert ':4: tile_2 pose = [60.0, 0.0, 0.0, 0.0, 0.0, 0.0]: meets tiles, but none that leads to the base' in str(
        caught.value
    )
    assert '(and 1 more tiles); allowed: a pose at which' in str(caught.value)
    assert costs(graph_of_tiles(tiles, connected=False)) == {(0, 1): 3.0, (2, 3): 1.0}


def test_lists_without_a_base_station_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no tile has the base station; allowed: a tile named staging_area'):
        graph_of_tiles(listed(tmp_path, HEAD + row('tile_1', 'Tunnel Tile 5', 0.0)))


def test_far_apart_tiles_make_no_large_grid(tmp_path: Path) -> None:
    grid = grid_of_tiles(listed(tmp_path, STAGING + row('tile_1', 'Tunnel Tile 5', 1e6, -1e6)))
    assert grid.tile_at([[1e6, -1e6, 1.0], [0.0, 0.0, 1.0], [0.0, 100.0, 1.0]]).tolist() == [1, 0, -1]


def test_points_of_two_boxes_belong_to_the_nearer_passage(tmp_path: Path) -> None:
    """The box of the corner is larger than its passages, so the straight tile owns what lies around its own."""
    text = STAGING + row('tile_1', 'Tunnel Tile 2', 20) + row('tile_2', 'Tunnel Tile 5', 28, -8)
    grid = grid_of_tiles(listed(tmp_path, text))
    assert grid.tile_at([[28.0, -8.0, 1.0], [28.0, 0.0, 1.0], [21.0, -8.0, 1.0]]).tolist() == [2, 1, 1]
