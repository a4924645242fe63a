# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tile graphs of open ground."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_comms.links.dot_file import read_dot
from regolith_comms.links.link import LinkModel
from regolith_comms.links.terrain_graph import (
    LEG_COST,
    WAVELENGTH_M,
    HeightMap,
    build_graph,
    build_graph_and_grid,
    build_grid,
    check_graph_files,
    knife_edge_loss,
    signature,
    tile_layout,
)
from regolith_comms.links.visibility import TileGraph
from regolith_comms.radio_config import load_radio, radio_names

UHF = load_radio('lunar_uhf')


def ground(shape: tuple[int, int], height, spacing: float = 2.0) -> HeightMap:
    x, y = (np.arange(n) * spacing - 0.5 * (n - 1) * spacing for n in shape)
    heights = np.broadcast_to(height(x[:, None], y[None, :]), shape).astype(float).copy()
    return HeightMap(float(x[0]), float(y[0]), spacing, heights, 'f00d')


def wall(x, y):
    """A ridge along y through x = 0: 15 m high, 10 m wide."""
    return 15.0 * np.exp(-((x / 10.0) ** 2)) + 0.0 * y


def test_knife_edge_loss_has_known_limits() -> None:
    """6.0 dB at grazing, 0 well clear, 13 + 20 log10(v) far in the shadow (Lee 1985); eq. 31 is good to 0.1 dB."""
    assert knife_edge_loss(0.0) == pytest.approx(20.0 * np.log10(2.0), abs=0.1)
    assert knife_edge_loss(-0.79) == 0.0 and knife_edge_loss(-0.77) < 0.1
    assert knife_edge_loss(10.0) == pytest.approx(20.0 * np.log10(np.pi * np.sqrt(2.0) * 10.0), abs=0.1)


def test_link_over_an_edge_has_knife_edge_loss() -> None:
    """The loss between two tiles is that of the clear line plus J(v) at their distance, where no detour helps."""
    flat = ground((101, 11), lambda x, y: 0.0 * x * y)
    fence = ground((101, 11), lambda x, y: np.where(np.abs(x) < 1.0, 4.0, 0.0) + 0.0 * y)
    tiles = (0, 9)
    means = []
    for land in (flat, fence):
        graph = build_graph(land, 20.0, 30.0 if land is flat else 1.0, UHF)
        cost = graph.costs[tiles]
        assert cost == next(e.cost for e in graph.edges if (e.a, e.b) == tiles)
        exponent = UHF.fading_exponent + UHF.visibility_cost_to_fading_exponent * cost
        means.append(-10.0 * exponent * np.log10(180.0))
    v = 3.0 * np.sqrt(2.0 * 180.0 / (WAVELENGTH_M * 90.0**2))
    # Costs are written to three digits: 0.002 dB at 180 m. Lines 5 m off the center have another edge: 1 %.
    assert means[0] - means[1] == pytest.approx(knife_edge_loss(v), rel=0.01)


def test_flat_ground_costs_one_leg_for_every_pair() -> None:
    """With high masts nothing is in the way: every pair costs one leg, n = 2 to 2.1 as in free space."""
    graph = build_graph(ground((51, 51), lambda x, y: 0.0 * x * y), 20.0, 20.0, UHF)
    away = graph.costs[~np.eye(len(graph), dtype=bool)]
    assert (away == LEG_COST).all()
    for name in ('lunar_uhf', 'subt_competition'):
        radio = load_radio(name)
        exponent = radio.fading_exponent + radio.visibility_cost_to_fading_exponent * LEG_COST
        assert 2.0 <= exponent <= 2.1
    assert {'lunar_uhf', 'subt_cloud_cave', 'subt_cloud_tunnel', 'subt_competition'} == set(radio_names())


def test_ridge_and_rim_raise_the_cost() -> None:
    """Across a ridge: at least one leg more than along it. In and out of a crater: also one more, but not within it."""
    ridge = ground((101, 61), wall)
    graph = build_graph(ridge, 20.0, 1.0, UHF)
    columns, rows = tile_layout(ridge, 20.0)
    at = {(k // rows, k % rows): k for k in range(len(graph))}
    along, across = graph.costs[at[1, 1], at[1, 4]], graph.costs[at[1, 1], at[columns - 2, 1]]
    assert across >= along + 0.9 * LEG_COST

    def bowl(x, y):
        r = np.hypot(x, y) / 60.0
        return np.where(r < 1.0, 12.0 * (r**2 - 1.0) + 3.0, 3.0 * np.maximum(r, 1.0) ** -3.0)

    crater = build_graph(ground((121, 121), bowl), 20.0, 1.0, UHF)
    middle, floor, outside = 6 * 12 + 6, 7 * 12 + 6, 6 * 12 + 11
    assert crater.costs[middle, outside] >= crater.costs[middle, floor] + 0.9 * LEG_COST


def test_graph_and_grid_are_consistent(tmp_path) -> None:
    """A point on the ground lies in the tile it stands on; the file contains the data it was built from."""
    land = ground((51, 41), lambda x, y: 0.3 * x - 0.1 * y)
    graph, grid = build_graph(land, 16.0, 1.0, UHF), build_grid(land, 16.0)
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-49.0, 49.0, 500), rng.uniform(-39.0, 39.0, 500)
    for above in (-1.0, 0.2, 1.5, 4.0):
        tiles = grid.tile_at(np.stack([x, y, 0.3 * x - 0.1 * y + above], axis=1))
        column, row = ((np.array([np.round(x), np.round(y)]) - [[land.west], [land.south]]) / 16.0).astype(int)
        assert (tiles == column * tile_layout(land, 16.0)[1] + row).all()
    assert grid.tile_at([[0.0, 0.0, 30.0], [60.0, 0.0, 18.0]]).tolist() == [-1, -1]
    links = LinkModel(UHF, graph, grid).between([[0.0, 0.0, 1.0]], [[5.0, 1.0, 2.0]])
    assert np.isfinite(links.mean_dbm[0])


def test_stale_graph_and_grid_are_refused_with_both_hashes(tmp_path) -> None:
    """The first comment names the ground and the grid; other antennas, another ground or grid do not match it."""
    land = ground((51, 41), lambda x, y: 0.3 * x - 0.1 * y)
    graph, grid = build_graph_and_grid(land, 25.0, 1.0, UHF)
    file = tmp_path / 'g.dot'
    file.write_text(graph.to_dot())
    read = TileGraph.from_dot(file)
    assert read_dot(file).comment == graph.comment
    now = signature('f00d', 1.0, UHF)
    check_graph_files(read, grid, now)
    other = signature('f00d', 2.0, UHF)
    with pytest.raises(ValueError, match=f'built for {now[:16]}, but the ground.* hash to {other[:16]}'):
        check_graph_files(read, grid, other)
    with pytest.raises(ValueError, match='but the grid hash to'):
        check_graph_files(read, build_grid(land, 20.0), now)
    assert len({now, other, signature('beef', 1.0, UHF), signature('f00d', 1.0, load_radio('subt_competition'))}) == 4
    # A graph of a tile world contains no data of ground.
    check_graph_files(TileGraph(read.tiles, read.edges, 'made by hand'), grid, other)


def test_too_many_tiles_are_refused() -> None:
    with pytest.raises(ValueError, match=r'tile_size_m 1\.5 .* 17956 tiles; allowed: at most 1500'):
        tile_layout(ground((101, 101), lambda x, y: 0.0 * x * y), 1.5)
    with pytest.raises(ValueError, match=r'2000 m x 2000 m, is too large .* at most 2000000 m2'):
        tile_layout(ground((3, 3), lambda x, y: 0.0 * x * y, 1000.0), 100.0)


@pytest.mark.parametrize(
    'change',
    [
        lambda g, h, r: ('beef', h, r),
        lambda g, h, r: (g, 1.5, r),
        lambda g, h, r: (g, h, r.model_copy(update={'scaling_factor': 2.0 * r.scaling_factor})),
        lambda g, h, r: (g, h, r.model_copy(update={'visibility_cost_to_fading_exponent': 0.123})),
        lambda g, h, r: (g, h, r.model_copy(update={'max_range_m': 123.0})),
    ],
    ids=['ground', 'antenna', 'scale', 'exponent', 'range'],
)
def test_signature_contains_each_value_that_affects_costs(change) -> None:
    """Without it, a graph of other radios would pass as fresh."""
    assert signature(*change('f00d', 1.0, UHF)) != signature('f00d', 1.0, UHF)


@pytest.mark.parametrize('shape', [(11, 41), (41, 11)])
def test_grid_covers_ground_that_is_not_square(shape: tuple[int, int]) -> None:
    """Each meter of it has the id of its tile, and there is none beyond its edges."""
    land = ground(shape, lambda x, y: 0.0 * x * y)
    grid, (_, rows) = build_grid(land, 10.0), tile_layout(land, 10.0)
    width, length = land.size
    x, y = (a.ravel() for a in np.meshgrid(np.arange(0.5, width), np.arange(0.5, length), indexing='ij'))
    found = grid.tile_at(np.stack([land.west + x, land.south + y, 0.0 * x], axis=1))
    # A point takes the id of the nearest sample, so points within half a meter of a seam may have either.
    column, row = (x / 10.0).astype(int), (y / 10.0).astype(int)
    inside = (np.abs(x % 10.0 - 5.0) < 4.4) & (np.abs(y % 10.0 - 5.0) < 4.4)
    assert inside.sum() > 400 and (found[inside] == (column * rows + row)[inside]).all()
    beyond = [[land.west + width + 3.0, 0.0, 0.0], [0.0, land.south + length + 3.0, 0.0], [0.0, land.south - 3.0, 0.0]]
    assert (grid.tile_at(np.array(beyond)) < 0).all()


def test_tiles_with_centers_just_out_of_range_are_linked() -> None:
    """Robots at the near corners of two tiles are closer than the centers by an edge: reach + edge apart counts."""
    flat = ground((101, 11), lambda x, y: 0.0 * x * y)
    radio = UHF.model_copy(update={'max_range_m': 50.0})
    graph = build_graph(flat, 20.0, 20.0, radio)
    direct = {(edge.a, edge.b) for edge in graph.edges}
    # Centers 60 m apart: beyond the range, but within range plus edge; 80 m apart: beyond both.
    assert (0, 3) in direct and (0, 4) not in direct


@pytest.mark.parametrize('rises', [True, False])
def test_cliff_is_not_drivable_up_or_down(rises: bool) -> None:
    """Neighbors across it have its diffraction loss; the two legs along the path of robots are for drivable slopes."""

    def step(x, y):
        return np.where((x > 0.0) == rises, 40.0, 0.0) + 0.0 * y

    cliff, ramp = ground((21, 11), step), ground((21, 11), lambda x, y: (0.25 if rises else -0.25) * x + 0.0 * y)
    graphs = [build_graph(land, 20.0, 0.2, UHF) for land in (cliff, ramp)]
    costs = [next((e.cost for e in graph.edges if (e.a, e.b) == (0, 1)), np.inf) for graph in graphs]
    assert costs[0] > 2.0 * LEG_COST >= costs[1]
