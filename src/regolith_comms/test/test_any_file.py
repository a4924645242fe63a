# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Property tests of graph and grid files: random content reads back unchanged or is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from regolith_comms.links.dot_file import DotGraph, Edge, GraphFileError, GraphTile, cheapest, dot_text, read_dot
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid, WorldGridFileError

SEVERAL = settings(
    derandomize=True, max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
ID = st.integers(0, 2**64 - 1)
NAME = st.text(max_size=8) | st.sampled_from(
    ['cave_1', 'a:', ':b', 'x\ry', 'x\u2028y', 'a//b', 'ü ö', '[label=2]', ' x ']
)
COST = st.floats(0.0, allow_infinity=False, allow_nan=False)


@st.composite
def graphs(draw: st.DrawFn) -> DotGraph:
    ids = draw(st.lists(ID, min_size=1, max_size=6, unique=True))
    tiles = tuple(GraphTile(k, draw(NAME), draw(NAME)) for k in ids)
    ends = st.sampled_from(ids)
    edges = tuple(Edge(*e) for e in draw(st.lists(st.tuples(ends, ends, COST), max_size=8)))
    return DotGraph(draw(NAME), tiles, edges)


@SEVERAL
@given(graphs())
def test_graph_reads_back_unchanged_or_is_not_written(tmp_path: Path, graph: DotGraph) -> None:
    try:
        text = dot_text(graph.tiles, graph.edges, graph.comment)
    except ValueError as error:
        assert 'allowed: ' in str(error)
        return
    file = tmp_path / 'world.dot'
    file.write_text(text, encoding='utf-8', newline='')
    assert read_dot(file) == graph


LINES = st.lists(
    st.sampled_from(
        [
            'graph {',
            'digraph {',
            '}',
            '0 [label="0::a::b"];',
            '1 [label="1::a::b"]',
            '0 -- 1',
            '0 -- 1 [label=2]',
            '0 -- 1 [label=-2]',
            '0 -- 1 [label=1e400]',
            '/* x */',
            '/* x',
            '',
            '\x00',
            '9' * 20 + ' [label="1::a::b"]',
            '\u0663 [label="3::a::b"]',
        ]
    )
    | st.text(max_size=12)
)


@SEVERAL
@given(LINES.map('\n'.join).map(str.encode) | st.binary(max_size=60))
@example(b'graph {\n}')
def test_arbitrary_bytes_are_a_graph_or_refused_with_file_name(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / 'world.dot'
    file.write_bytes(data)
    try:
        graph = read_dot(file)
    except GraphFileError as error:
        assert str(error).startswith(str(file)) and 'allowed: ' in str(error)
        return
    TileGraph(graph.tiles, graph.edges)


RECORDS = arrays_of.arrays(RECORD, st.integers(0, 6))


@SEVERAL
@given(RECORDS.map(lambda r: len(r).to_bytes(8, 'little') + r.tobytes()) | st.binary(max_size=70))
def test_arbitrary_bytes_are_a_grid_or_refused_with_file_name(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / 'world.dat'
    file.write_bytes(data)
    try:
        grid = WorldGrid.from_dat(file)
    except WorldGridFileError as error:
        assert str(error).startswith(str(file)) and 'allowed: ' in str(error)
        return
    assert grid.to_dat() == data
    points = np.stack([grid.records[axis] for axis in 'xyz'], axis=-1).reshape(-1, 3).astype(float)
    # Of a repeated point the last record counts.
    last = {tuple(p): int(np.asarray(k).astype(np.int64)) for p, k in zip(points.tolist(), grid.records['id'])}
    assert grid.tile_at(points).tolist() == [last[tuple(p)] for p in points.tolist()]


@SEVERAL
@given(
    st.lists(ID.filter(lambda k: k != 2**64 - 1), min_size=1, max_size=12, unique=True),
    st.randoms(use_true_random=False),
)
@example([5, 2**63 + 7, 2**63 - 1, 2**63, 0], Random(1))
def test_tiles_are_found_for_any_ids(ids: list[int], random: Random) -> None:
    """Ids from 2^63 on are stored as two's complement; row k of the costs is the k-th id in ascending order."""
    tiles = [GraphTile(k, 'tile', f'tile_{k}') for k in ids]
    random.shuffle(tiles)
    chain = sorted(ids)
    graph = TileGraph(tiles, [Edge(a, b, 1.0 + n) for n, (a, b) in enumerate(pairwise(chain))])
    asked = np.array(ids, dtype=np.uint64).astype(np.int64)
    assert graph.rows(asked).tolist() == [chain.index(k) for k in ids]
    absent = next(k for k in range(len(ids) + 1) if k not in ids)
    assert graph.rows([absent, -1]).tolist() == [-1, -1]
    steps = np.concatenate([[0.0], np.cumsum(1.0 + np.arange(len(chain) - 1))])
    np.testing.assert_array_equal(graph.costs, np.abs(steps[:, None] - steps[None, :]))


def test_repeated_edges_use_the_lowest_cost() -> None:
    """In any order, with either end first, and without loops."""
    costs = [(1, 2, 3.0), (2, 1, 5.0), (7, 3, 2.0), (3, 7, 1.0), (3, 7, 4.0), (5, 5, 1.0)]
    assert cheapest([Edge(*each) for each in costs]) == {(1, 2): 3.0, (3, 7): 1.0}
