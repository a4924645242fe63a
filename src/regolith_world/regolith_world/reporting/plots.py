# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of the motion of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from regolith_world.reporting.trajectories import Floats, Trajectories, principal_coordinates

_COLORS = ('#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#6c757d', '#8c564b')
_MOST_NAMES = 8
"""Maximum number of names in a legend."""
_SHAPES = 7
"""Number of shapes of a chain, at times evenly spaced over the run."""


def motion_plot(time: Sequence[float], moving: Mapping[str, Floats]) -> Figure:
    """Return a plot of heights over time, and paths from above.

    Args:
        time: Times [s], n values.
        moving: Positions by name [m], shape (n, 3).
    """
    figure = Figure(figsize=(10.0, 3.6), layout='constrained')
    heights, paths = figure.subplots(1, 2)
    for number, (name, positions) in enumerate(moving.items()):
        color = _COLORS[number % len(_COLORS)]
        heights.plot(time, positions[:, 2], color=color, lw=1.5, label=name if number < _MOST_NAMES else None)
        paths.plot(positions[:, 0], positions[:, 1], color=color, lw=1.5)
        there = np.flatnonzero(np.isfinite(positions[:, 0]))
        paths.plot(*positions[there[-1], :2], 'o', color=color, ms=4)
    heights.set(xlabel='time [s]', ylabel='z, up [m]')
    paths.set(xlabel='x, east [m]', ylabel='y, north [m]')
    paths.set_aspect('equal', adjustable='datalim')
    heights.legend(fontsize=8, frameon=False)
    _styled(heights, paths)
    return figure


def chain_plots(name: str, time: Sequence[float], positions: Floats) -> Figure:
    """Return a plot of the shape of a chain of bodies from the side, at several times.

    Args:
        name: Name of the chain.
        time: Times [s], n values.
        positions: Positions of the bodies [m], shape (n, bodies, 3).
    """
    figure = Figure(figsize=(10.0, 4.0), layout='constrained')
    axes = figure.subplots()
    along, height = principal_coordinates(positions)
    chosen = np.unique(np.linspace(0, len(time) - 1, _SHAPES).round().astype(int))
    for number, k in enumerate(chosen):
        color = colormaps['viridis_r'](0.1 + 0.9 * number / max(1, len(chosen) - 1))
        axes.plot(along[k], height[k], '.-', color=color, lw=1.3, ms=3, label=f'{time[k]:.1f} s')
    axes.set(xlabel='along the direction of its largest width [m]', ylabel='z, up [m]', title=name)
    axes.set_aspect('equal', adjustable='datalim')
    axes.legend(fontsize=8, frameon=False)
    _styled(axes)
    return figure


def line_plot(paths: Trajectories) -> Figure:
    """Return a plot of the distance between the ends of lines over time, and their lengths."""
    figure = Figure(figsize=(10.0, 3.0), layout='constrained')
    axes = figure.subplots()
    for number, (name, distances) in enumerate(paths.lines.items()):
        color = _COLORS[number % len(_COLORS)]
        axes.plot(paths.time, distances, color=color, lw=1.5, label=f'{name}: distance of its ends')
        if name in paths.lengths:
            axes.axhline(paths.lengths[name], color=color, lw=1.0, ls='--', label=f'{name}: its length')
    axes.set(xlabel='time [s]', ylabel='[m]')
    axes.legend(fontsize=8, frameon=False)
    _styled(axes)
    return figure


def _styled(*all_axes: Any) -> None:
    for axes in all_axes:
        axes.grid(alpha=0.25)
        axes.ticklabel_format(useOffset=False)
        axes.spines[['top', 'right']].set_visible(False)
