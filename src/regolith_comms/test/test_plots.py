# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of radio plots: positions, values and units, on sites that are not square."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from regolith_comms.config import CommsConfig
from regolith_comms.coverage import CoverageMap
from regolith_comms.links.terrain_graph import HeightMap, build_graph_and_grid
from regolith_comms.plots import coverage_plot, graph_plot, link_plot
from regolith_comms.radio_config import load_radio

TILE_M = 10.0
SHAPES = [(31, 15), (15, 31)]
"""Ground of 60 m x 28 m, and of 28 m x 60 m: 6 x 3 tiles and 3 x 6."""
SITE: Any = SimpleNamespace(vehicles={'amber': ((105.0, -43.0), (120.0, -40.0)), 'basalt': ((112.0, -31.0),)})


def land(shape: tuple[int, int]) -> HeightMap:
    """Return ground that rises to the north-east corner, with its south-west corner far from the origin."""
    x, y = np.meshgrid(*(np.arange(n) for n in shape), indexing='ij')
    return HeightMap(100.0, -50.0, 2.0, 0.02 * (x * y).astype(float), 'f00d')


def at(axes: Axes, image: int, x: float, y: float) -> float:
    """Return the value of an image at a position in axis units."""
    shown = axes.images[image]
    west, east, south, north = shown.get_extent()
    array = np.ma.filled(shown.get_array(), np.nan)
    assert shown.origin == 'lower'
    rows, columns = array.shape
    return float(array[int((y - south) / (north - south) * rows), int((x - west) / (east - west) * columns)])


def marks(axes: Axes, marker: str) -> list[tuple[float, float]]:
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return [(float(x), float(y)) for line in lines for x, y in zip(*line.get_data(), strict=True)]


@pytest.mark.parametrize('shape', SHAPES)
def test_graph_plot_draws_tiles_at_their_grid_positions(shape: tuple[int, int]) -> None:
    ground = land(shape)
    graph, grid = build_graph_and_grid(ground, TILE_M, 1.0, load_radio('lunar_uhf'))
    config = CommsConfig.model_validate({'tile_size_m': TILE_M, 'stations': {'lander': [121.0, -25.0, 3.0]}})
    figure = graph_plot(ground, graph, config, SITE)
    near, far = figure.axes[:2]
    middles = np.array(marks(near, '.'))
    i, j = ((middles - (100.0, -50.0)) // 2.0).astype(int).clip(0, np.array(shape) - 1).T
    level = ground.heights[i, j]
    assert grid.tile_at(np.column_stack([middles, level])).tolist() == graph.ids.tolist()
    # A column that the ground fills partly has its center where that of a whole tile would be.
    assert (middles.min(axis=0) == (105.0, -45.0)).all()
    (lines,) = (each for each in near.collections if hasattr(each, 'get_segments') and len(each.get_segments()))
    place = {int(k): tuple(middle) for k, middle in zip(graph.ids, middles, strict=True)}
    drawn = {tuple(map(tuple, ends)): cost for ends, cost in zip(lines.get_segments(), lines.get_array(), strict=True)}
    beside = {
        (place[e.a], place[e.b]): e.cost for e in graph.edges if max(np.abs(np.subtract(place[e.a], place[e.b]))) < 15.0
    }
    assert drawn == beside and len(drawn) == 3 * 5 + 6 * 2 + 2 * 2 * 5
    wide, high = np.ceil(np.divide(ground.size, TILE_M)) * TILE_M
    assert far.images[1].get_extent() == [100.0, 100.0 + wide, -50.0, -50.0 + high]
    for k, row in enumerate(graph.rows(graph.ids)):
        others = np.delete(graph.costs[row], row)
        assert at(far, 1, *middles[k]) == pytest.approx(others[np.isfinite(others)].mean(), rel=1e-6)
    for axes in (near, far):
        # The hillshade is drawn around posts: half a post extends west and south of the ground.
        assert axes.images[0].get_extent() == [99.0, 101.0 + ground.size[0], -51.0, -49.0 + ground.size[1]]
        assert axes.images[0].get_array().shape == shape[::-1]
        assert (axes.get_xlim(), axes.get_ylim()) == ((99.0, 101.0 + ground.size[0]), (-51.0, -49.0 + ground.size[1]))
        assert sorted(marks(axes, 'o')) == [(105.0, -43.0), (112.0, -31.0), (121.0, -25.0)]
        assert {text.get_text(): tuple(text.xy) for text in axes.texts} == {  # type: ignore[attr-defined]
            'amber': (105.0, -43.0),
            'basalt': (112.0, -31.0),
            'lander': (121.0, -25.0),
        }
        (route,) = (line for line in axes.lines if line.get_linestyle() == '--')
        assert np.array_equal(np.transpose(route.get_data()), [(105.0, -43.0), (120.0, -40.0)][1:])
        assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ('x, east [m]', 'y, north [m]', 1.0)


@pytest.mark.parametrize('shape', SHAPES)
def test_hillshade_is_lit_from_the_north_west(shape: tuple[int, int]) -> None:
    """A ridge along y is bright on its western side, one along x on its northern side, for any lengths of the site."""
    for axis, bright in ((0, -6.0), (1, 6.0)):
        middle = tuple((n - 1) for n in shape)
        x, y = np.meshgrid(*(np.arange(n) * 2.0 for n in shape), indexing='ij')
        off = (x, y)[axis] - middle[axis]
        ground = HeightMap(100.0, -50.0, 2.0, np.maximum(0.0, 5.0 - 0.5 * np.abs(off)), 'f00d')
        coverage = CoverageMap(
            'a', 1, np.array([100.0, 101.0]), np.array([-50.0, -49.0]), np.zeros((2, 2)), ground, {}, ()
        )
        axes = coverage_plot(coverage).axes[0]
        place = np.array([100.0 + middle[0], -50.0 + middle[1]])
        step = np.eye(2)[axis] * bright
        assert at(axes, 0, *(place + step)) > at(axes, 0, *(place - step)) + 0.1


@pytest.mark.parametrize('shape', SHAPES)
def test_coverage_plot_draws_probabilities_and_radios_at_their_positions(shape: tuple[int, int]) -> None:
    ground = land(shape)
    x, y = (start + np.arange(1.0, length, 2.0) for start, length in zip((100.0, -50.0), ground.size, strict=True))
    # Two values that differ at every pixel: the first in tenths along x, the second in hundredths along y.
    probability = 0.02 * np.arange(len(x))[:, None] + 0.001 * np.arange(len(y))[None, :]
    radios = {'amber': (105.0, -43.0), 'basalt': (112.0, -31.0), 'lander': (121.0, -25.0)}
    coverage = CoverageMap('basalt', 120, x, y, probability, ground, radios, ((103.0, -47.0), (118.0, -36.0)))
    axes = coverage_plot(coverage).axes[0]
    assert axes.images[1].get_extent() == [100.0, 100.0 + ground.size[0], -50.0, -50.0 + ground.size[1]]
    for i, j in ((1, 0), (3, 11), (12, 4), (len(x) - 1, len(y) - 1)):
        assert at(axes, 1, x[i], y[j]) == pytest.approx(probability[i, j])
    # Below 0.01 only the hillshade is visible.
    assert np.isnan(at(axes, 1, x[0], y[0]))
    assert marks(axes, '*') == [radios['basalt']] and marks(axes, 'o') == [radios['amber'], radios['lander']]
    assert marks(axes, 'D') == [(103.0, -47.0), (118.0, -36.0)]
    assert axes.get_title() == 'Delivery of 120-byte datagrams from basalt'
    (half,) = (c for c in axes.collections if hasattr(c, 'levels')) if probability.max() > 0.5 else (None,)
    if half is not None:
        points = np.concatenate([path.vertices for path in half.get_paths()])
        expected = 0.01 * (points[:, 0] - 101.0) + 0.0005 * (points[:, 1] + 49.0)
        assert expected == pytest.approx(np.full(len(points), 0.5), abs=1e-6)


def test_reach_plot_draws_every_pair_at_its_time() -> None:
    """Pairs with different numbers of bins; links lost temporarily, and until the end."""
    history = {
        'bin_s': 2.0,
        'pairs': {
            'b->a': {'sent': [4, 0, 4], 'delivered': [1, 0, 4]},
            'a->b': {'sent': [2, 2, 2, 2, 2], 'delivered': [2, 1, 0, 0, 0]},
        },
    }
    links = {
        'a->b': {'sent': 10, 'delivered': 3, 'lost_s': [(5.0, None)]},
        'b->a': {'sent': 8, 'delivered': 5, 'lost_s': [(0.5, 1.5), (2.0, 3.0)]},
    }
    axes = link_plot(history, links).axes[0]
    (image,) = axes.images
    assert image.get_extent() == [0.0, 10.0, 1.5, -0.5]
    np.testing.assert_array_equal(
        np.ma.filled(image.get_array(), np.nan), [[1.0, 0.5, 0.0, 0.0, 0.0], [0.25, np.nan, 1.0, np.nan, np.nan]]
    )
    assert [label.get_text() for label in axes.get_yticklabels()] == ['a → b', 'b → a']
    lost = [
        (tuple(line.get_xdata()), round(float(line.get_ydata()[0]))) for line in axes.lines if len(line.get_xdata())
    ]
    assert lost == [((5.0, 10.0), 0), ((0.5, 1.5), 1), ((2.0, 3.0), 1)]
    assert axes.get_xlabel() == 'simulated time [s]'


def test_reach_plot_of_long_run_merges_neighboring_bins() -> None:
    """161 bins of a second are drawn as 54 of three, the last of which has two."""
    sent = list(range(1, 162))
    history = {'bin_s': 1.0, 'pairs': {'a->b': {'sent': sent, 'delivered': [n - 1 for n in sent]}}}
    links = {'a->b': {'sent': sum(sent), 'delivered': sum(sent) - 161, 'lost_s': []}}
    axes = link_plot(history, links).axes[0]
    assert axes.images[0].get_extent() == [0.0, 162.0, 0.5, -0.5]
    expected = [1.0 - len(sent[k : k + 3]) / sum(sent[k : k + 3]) for k in range(0, 161, 3)]
    assert np.asarray(axes.images[0].get_array())[0] == pytest.approx(np.array(expected))


def test_reach_plot_of_many_pairs_draws_those_with_most_losses() -> None:
    history = {'bin_s': 1.0, 'pairs': {f'{k:02d}->x': {'sent': [50], 'delivered': [k]} for k in range(40)}}
    links = {f'{k:02d}->x': {'sent': 50, 'delivered': k, 'lost_s': []} for k in range(40)}
    axes = link_plot(history, links).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [f'{k:02d} → x' for k in range(30)]


def test_graph_plot_draws_a_single_tile(tmp_path: Path) -> None:
    """It has no neighbor, so neither an edge nor a mean cost."""
    ground = land((31, 15))
    graph, _ = build_graph_and_grid(ground, 80.0, 1.0, load_radio('lunar_uhf'))
    assert (len(graph), len(graph.edges)) == (1, 0)
    figure = graph_plot(ground, graph, CommsConfig.model_validate({'tile_size_m': 80.0}), SITE)
    near, far = figure.axes[:2]
    assert marks(near, '.') == [(140.0, -10.0)]
    assert np.ma.masked_invalid(far.images[1].get_array()).mask.all()
    figure.savefig(tmp_path / 'one.png')
