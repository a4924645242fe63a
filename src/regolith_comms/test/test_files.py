# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of graph and grid files: round trips and errors."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from regolith_comms.links.dot_file import Edge, GraphFileError, GraphTile, dot_text
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid, WorldGridFileError, round_half_away

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[3].parent / 'shared'))
WORLDS = SHARED / 'subt_worlds'
TILE_GRAPHS, GRIDS = sorted(WORLDS.glob('*.dot')), sorted(WORLDS.glob('*.dat'))  # Empty without such a folder.
needs_worlds = pytest.mark.skipif(not WORLDS.is_dir(), reason=f'no SubT worlds at {WORLDS} (REGOLITH_SHARED)')

GOOD = """/* hash: 12 */
graph world {
  /* tiles */
  0   [label="0::base_station::BaseStation"];
  1   [label="7::tunnel_tile_2::tile_1"]
  12 [label="12::Cave Straight 01 Type B::tile_12"]; /* behind */
  0 -- 1  [label=3];
  0 -- 1  [label=2.5];
  1 -- 12
  0 -- 12 [color=red]
}
"""


def graph_of(tmp_path: Path, text: str) -> TileGraph:
    file = tmp_path / 'world.dot'
    file.write_text(text)
    return TileGraph.from_dot(file)


def test_dot_grammar_is_accepted(tmp_path: Path) -> None:
    """Comments, gaps in the ids, conflicting labels, repeated edges (the cheapest counts), edges without a number."""
    graph = graph_of(tmp_path, GOOD)
    assert graph.ids.tolist() == [0, 1, 12]
    assert graph.comment == 'hash: 12'
    assert graph.tiles[1] == GraphTile(1, 'tunnel_tile_2', 'tile_1')
    assert graph.costs.tolist() == [[0.0, 2.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]


def test_edge_of_zero_cost_is_an_edge() -> None:
    tiles = [GraphTile(k, 'tile', f'tile_{k}') for k in range(4)]
    graph = TileGraph(tiles, [Edge(0, 1, 0.0), Edge(1, 2, 1.0)])
    assert graph.costs[0].tolist() == [0.0, 0.0, 1.0, np.inf]


@needs_worlds
@pytest.mark.parametrize('file', TILE_GRAPHS, ids=[file.stem for file in TILE_GRAPHS])
def test_dot_round_trip(file: Path, tmp_path: Path) -> None:
    """The file reads back as the same tiles, edges and costs."""
    graph = TileGraph.from_dot(file)
    again = graph_of(tmp_path, graph.to_dot())
    assert (again.tiles, again.edges, again.comment) == (graph.tiles, graph.edges, graph.comment)
    assert np.array_equal(again.costs, graph.costs)


@needs_worlds
@pytest.mark.parametrize('file', GRIDS, ids=[file.stem for file in GRIDS])
def test_dat_round_trip(file: Path) -> None:
    assert WorldGrid.from_dat(file).to_dat() == file.read_bytes()


def test_written_graph_is_drawn_by_graphviz(tmp_path: Path) -> None:
    if shutil.which('dot') is None:
        pytest.skip('no Graphviz here')
    file = tmp_path / 'world.dot'
    file.write_text(graph_of(tmp_path, GOOD).to_dot())
    assert b'<svg' in subprocess.run(['dot', '-Tsvg', file], capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ('line', 'instead', 'number', 'says'),
    [
        ('}\n', '', 10, 'is truncated'),
        ('graph world {', 'digraph {', 2, 'does not open a graph'),
        ('  1 -- 12\n', '  1 -- 13\n', 9, 'refers to vertex 13'),
        ('[label=3]', '[label="3"]', 7, 'is not a number'),
        ('[label=3]', '[label=-3]', 7, 'edge cost -3'),
        ('[label=3]', '[label=nan]', 7, 'nan is not a number'),
        ('[label=3]', '[label=1_0]', 7, 'is not a number'),
        ('[label=3]', '[label=1e999]', 7, 'edge cost 1e999'),
        ('[label=3]', '[label=3, color=red]', 7, 'exactly one'),
        ('  12 [', '  1 [', 6, 'is repeated'),
        ('"0::base_station::BaseStation"', '"0::base_station"', 4, 'vertex label'),
        ('/* tiles */', '// tiles', 3, 'neither a vertex nor an edge'),
        ('/* behind */', '/* behind', 6, 'does not end'),
    ],
)
def test_broken_graph_is_refused_with_its_line(tmp_path: Path, line: str, instead: str, number: int, says: str) -> None:
    """Each error names the file, the line and the allowed values."""
    assert GOOD.count(line) == 1
    with pytest.raises(GraphFileError) as caught:
        graph_of(tmp_path, GOOD.replace(line, instead))
    assert str(caught.value).startswith(f'{tmp_path / "world.dot"}:{number}: ')
    assert says in str(caught.value) and 'allowed: ' in str(caught.value)


def test_ids_have_64_bits(tmp_path: Path) -> None:
    largest = 2**64 - 1
    text = GOOD.replace('  12 [', f'  {largest} [').replace('-- 12', f'-- {largest}')
    assert largest in graph_of(tmp_path, text).ids
    with pytest.raises(GraphFileError, match=rf'vertex id {largest + 1}; allowed: 0 to {largest}'):
        graph_of(tmp_path, text.replace(str(largest), str(largest + 1)))


def test_empty_graph_file_is_refused(tmp_path: Path) -> None:
    for text, line in (('', 1), ('/* nothing */\n\n', 2)):
        with pytest.raises(GraphFileError, match=rf'world\.dot:{line}: does not contain a graph; allowed: graph'):
            graph_of(tmp_path, text)


def test_names_that_do_not_read_back_are_refused() -> None:
    for name in ('a "b"', 'a::b', 'a\\'):
        with pytest.raises(ValueError, match='quotes'):
            dot_text([GraphTile(0, 'tile', name)], [])


def test_costs_in_graphviz_numerals_read_back_bit_identical(tmp_path: Path) -> None:
    """Graphviz's grammar has no exponents: 1e-05 would be three tokens."""
    costs = [3.0, 0.1, 1e-5, 1.0 / 3.0, 1e22, 5e-324]
    tiles = [GraphTile(k, 'tile', f'tile_{k}') for k in range(len(costs) + 1)]
    text = dot_text(tiles, [Edge(k, k + 1, cost) for k, cost in enumerate(costs)])
    assert [edge.cost for edge in graph_of(tmp_path, text).edges] == costs
    labels = re.findall(r'\[label=([^]"]*)\]', text)
    assert labels[:3] == ['3', '0.1', '0.00001'] and len(labels) == len(costs)
    assert all(re.fullmatch(r'\d+(\.\d*)?', label) for label in labels)


def small_grid() -> WorldGrid:
    records = np.zeros(4, dtype=RECORD)
    records['x'], records['id'] = [-1, 0, 1, 1], [3, 4, 5, 6]
    return WorldGrid(records)


def test_lookup_rounds_half_away_from_zero_and_uses_the_last_record() -> None:
    points = [
        [-1.5, 0, 0],
        [-1.4, 0, 0],
        [-0.5, 0, 0],
        [0.5, 0, 0],
        [0.49999999999999994, 0, 0],
        [0, 0, 0.5],
        [np.nan, 0, 0],
    ]
    assert small_grid().tile_at(points).tolist() == [-1, 3, 3, 6, 4, -1, -1]
    assert round_half_away([2.5, -2.5, 1.4999999]).tolist() == [3.0, -3.0, 1.0]


@pytest.mark.parametrize(
    ('data', 'says'),
    [
        (small_grid().to_dat()[:-7], 'the record count 4 requires 88 bytes, but the file ends at byte 81'),
        (small_grid().to_dat() + b'x', 'ends at byte 89'),
        ((5).to_bytes(8, 'little') + small_grid().to_dat()[8:], 'record count 5'),
        (b'1234', 'ends at byte 4, within the count'),
    ],
)
def test_broken_grid_is_refused_with_its_byte(tmp_path: Path, data: bytes, says: str) -> None:
    """Each error names the file and the byte."""
    file = tmp_path / 'world.dat'
    file.write_bytes(data)
    with pytest.raises(WorldGridFileError) as caught:
        WorldGrid.from_dat(file)
    assert str(file) in str(caught.value) and says in str(caught.value)


def test_unknown_vertex_in_a_grid_has_no_link() -> None:
    """simple_urban_02 names a tile that its graph lacks: it has no link."""
    graph = TileGraph([GraphTile(4, 'tile', 'tile_4')], [])
    assert graph.rows([4, 5, -1]).tolist() == [0, -1, -1]
