# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of radios: tile graph, coverage, and deliveries of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_comms.config import CommsConfig
from regolith_comms.coverage import CoverageMap
from regolith_comms.links.terrain_graph import LEG_COST, HeightMap
from regolith_comms.links.visibility import TileGraph
from regolith_world import ParticipantContext

_INK = '#22262b'
_MARK = '#d55e00'
_CRUMB = '#f0e442'
_MOST_ROWS = 30
_MOST_COLUMNS = 80


def graph_plot(ground: HeightMap, graph: TileGraph, config: CommsConfig, site: ParticipantContext) -> Figure:
    """Return a plot of the tiles over the hillshade, with costs between neighbors and mean costs to all other tiles."""
    tile = config.tile_size_m
    figure = Figure(figsize=(14.0, 6.2), layout='constrained')
    near, far = figure.subplots(1, 2)
    columns, rows = (max(1, int(np.ceil(length / tile - 1e-9))) for length in ground.size)
    row_of = {int(k): n for n, k in enumerate(graph.ids)}
    middle = np.array(
        [(ground.west + (k // rows + 0.5) * tile, ground.south + (k % rows + 0.5) * tile) for k in row_of]
    )
    # a single tile has none
    ends = np.array([(row_of[e.a], row_of[e.b]) for e in graph.edges], dtype=np.int64).reshape(-1, 2)
    costs = np.array([e.cost for e in graph.edges])
    span = np.abs(middle[ends[:, 0]] - middle[ends[:, 1]]).max(axis=1)
    kept = np.nonzero(span < 1.5 * tile)[0]
    lines = LineCollection(
        list(middle[ends[kept]]), array=costs[kept], cmap='inferno_r', lw=2.0, clim=(LEG_COST, 3.0 * LEG_COST)
    )
    for axes in (near, far):
        _draw_shade(axes, ground)
        _draw_radios(axes, config, site)
    near.add_collection(lines)
    near.plot(*middle.T, '.', ms=4, color=_INK)
    near.set_title(f'{len(graph)} tiles of {tile:g} m; edges between neighbors of {len(graph.edges)} in all')
    figure.colorbar(lines, ax=near, location='bottom', shrink=0.7, aspect=40, label='visibility cost of the edge')
    mean = np.where(np.isfinite(graph.costs), graph.costs, np.nan)
    np.fill_diagonal(mean, np.nan)
    table = np.full(columns * rows, np.nan)
    known = np.isfinite(mean).sum(axis=1)
    table[graph.ids.astype(np.int64)] = np.where(known > 0, np.nansum(mean, axis=1) / np.maximum(known, 1), np.nan)
    extent = (ground.west, ground.west + columns * tile, ground.south, ground.south + rows * tile)
    shown = far.imshow(table.reshape(columns, rows).T, extent=extent, origin='lower', cmap='inferno_r', alpha=0.62)
    far.set_title('Mean cost from each tile to all others')
    figure.colorbar(shown, ax=far, location='bottom', shrink=0.7, aspect=40, label='visibility cost')
    return figure


def coverage_plot(coverage: CoverageMap) -> Figure:
    """Return a plot of the probability of delivery over the hillshade, with 50 % contour, radios and breadcrumbs."""
    ground = coverage.ground
    wide, high = ground.size
    figure = Figure(figsize=(11.0, float(np.clip(11.0 * high / wide + 1.4, 5.0, 11.0))), layout='constrained')
    axes = figure.subplots()
    _draw_shade(axes, ground)
    extent = _edges(coverage)
    shown = axes.imshow(
        np.ma.masked_less(coverage.probability.T, 0.01),
        extent=extent,
        origin='lower',
        cmap='viridis',
        vmin=0.0,
        vmax=1.0,
        alpha=0.55,
        interpolation='nearest',
    )
    if coverage.probability.min() < 0.5 < coverage.probability.max():
        axes.contour(coverage.x, coverage.y, coverage.probability.T, levels=[0.5], colors='white', linewidths=1.8)
        axes.plot([], [], color='white', lw=1.8, label='50 %')
    for k, (name, (x, y)) in enumerate(coverage.radios.items()):
        sends = name == coverage.sender
        marker, size, color = ('*', 17, _MARK) if sends else ('o', 8, 'white')
        axes.plot(x, y, marker, ms=size, mfc=color, mec=_INK, mew=1.2)
        _label(axes, name, (x, y), below=k % 2 == 1)
    if coverage.breadcrumbs:
        axes.plot(*np.array(coverage.breadcrumbs).T, 'D', ms=9, mfc=_CRUMB, mec=_INK, mew=1.2, label='breadcrumb')
    axes.set_title(f'Delivery of {coverage.size_bytes}-byte datagrams from {coverage.sender}')
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc='upper right', facecolor='#6d6f72', labelcolor='white', framealpha=0.9)
    figure.colorbar(shown, ax=axes, location='bottom', shrink=0.6, aspect=40, label='probability of delivery')
    return figure


def link_plot(history: dict[str, Any], links: dict[str, Any]) -> Figure:
    """Return a plot of the delivered fraction over time with one strip per pair of radios; lost links are underlined.

    Args:
        history: Values ``bin_s`` and ``pairs`` of the comms summary.
        links: Values ``links`` of the comms summary.
    """
    # If there are too many pairs, those with the largest losses are shown.
    pairs = sorted(history['pairs'], key=lambda p: links[p]['delivered'] - links[p]['sent'])[:_MOST_ROWS]
    pairs.sort()
    group = -(-max(len(history['pairs'][p]['sent']) for p in pairs) // _MOST_COLUMNS)
    width = history['bin_s'] * group
    figure = Figure(figsize=(12.0, 1.6 + 0.42 * len(pairs)), layout='constrained')
    axes = figure.subplots()
    binned = {p: [_grouped(history['pairs'][p][key], group) for key in ('sent', 'delivered')] for p in pairs}
    count = max(len(sent) for sent, _ in binned.values())
    ratio = np.full((len(pairs), count), np.nan)
    for row, pair in enumerate(pairs):
        sent, arrived = binned[pair]
        tried = sent > 0
        ratio[row, : len(sent)][tried] = arrived[tried] / sent[tried]
    shown = axes.imshow(
        ratio,
        extent=(0.0, count * width, len(pairs) - 0.5, -0.5),
        aspect='auto',
        cmap='RdYlBu',
        vmin=0.0,
        vmax=1.0,
        interpolation='nearest',
    )
    for row, pair in enumerate(pairs):
        for since, until in links[pair]['lost_s']:
            axes.plot([since, count * width if until is None else until], [row + 0.38] * 2, color=_INK, lw=3.0)
    axes.plot([], [], color=_INK, lw=3.0, label='link lost')
    axes.legend(loc='upper right', bbox_to_anchor=(1.0, 1.0 + 0.8 / len(pairs)), frameon=False)
    axes.set_yticks(range(len(pairs)), [pair.replace('->', ' → ') for pair in pairs])
    axes.set_xlabel('simulated time [s]')
    axes.set_facecolor('#f3f4f6')
    for side in axes.spines.values():
        side.set_visible(False)
    figure.colorbar(shown, ax=axes, shrink=0.9, aspect=14, label='delivered')
    return figure


def _grouped(counts: list[int], group: int) -> NDArray[np.float64]:
    """Return the sums of groups of adjacent counts."""
    whole = np.zeros(-(-len(counts) // group) * group)
    whole[: len(counts)] = counts
    return np.asarray(whole.reshape(-1, group).sum(axis=1))


def _edges(coverage: CoverageMap) -> tuple[float, float, float, float]:
    half = 0.5 * (coverage.x[1] - coverage.x[0])
    return (
        float(coverage.x[0] - half),
        float(coverage.x[-1] + half),
        float(coverage.y[0] - half),
        float(coverage.y[-1] + half),
    )


def _draw_shade(axes: Axes, ground: HeightMap) -> None:
    west, south, half = ground.west, ground.south, 0.5 * ground.spacing
    wide, high = ground.size
    extent = (west - half, west + wide + half, south - half, south + high + half)
    # A low sun, since ridges of a few meters are hardly visible under a high sun.
    # Images run from north to south, heights from south to north, x first.
    shade = LightSource(315.0, 12.0).hillshade(ground.tops.T[::-1], dx=ground.spacing, dy=ground.spacing)[::-1].T
    low, top = np.percentile(shade, (1.0, 99.0))
    axes.imshow(shade.T, extent=extent, origin='lower', cmap='gray', vmin=low, vmax=top, interpolation='bilinear')
    axes.set(xlabel='x, east [m]', ylabel='y, north [m]', xlim=extent[:2], ylim=extent[2:], aspect='equal')
    for side in axes.spines.values():
        side.set_visible(False)


def _draw_radios(axes: Axes, config: CommsConfig, site: ParticipantContext) -> None:
    places: dict[str, Any] = {name: known[0] for name, known in site.vehicles.items()}
    for k, (name, place) in enumerate(sorted({**places, **config.stations}.items())):
        axes.plot(place[0], place[1], 'o', ms=8, mfc=_MARK, mec='white', mew=1.4, zorder=5)
        _label(axes, name, place[:2], below=k % 2 == 1)
    for _, *waypoints in site.vehicles.values():
        if waypoints:
            axes.plot(*np.array(waypoints).T, color=_MARK, lw=1.6, ls='--', zorder=4)


def _label(axes: Axes, name: str, at: tuple[float, float], *, below: bool) -> None:
    """Label a position; neighbors in name order, which are often close together, alternate above and below."""
    label = axes.annotate(
        name, at, xytext=(8, -16 if below else 8), textcoords='offset points', color='white', zorder=6
    )
    label.set_bbox({'facecolor': _INK, 'alpha': 0.7, 'pad': 1.5, 'edgecolor': 'none'})
