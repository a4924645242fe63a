# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a mission: ``score.json``, ``maps.npz`` and ``report.html``."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from regolith_bringup.challenge.geometric_map import HEIGHT, ROCK
from regolith_bringup.challenge.missions import CELL_M
from regolith_bringup.challenge.scores import HEIGHT_TOLERANCE_M
from regolith_bringup.report.page import as_table, as_text, html_page
from regolith_bringup.report.page_figures import PageFigures
from regolith_files import write_atomically

Floats = NDArray[np.float64]

_PARTS = ('geometric', 'rocks', 'productivity', 'localization', 'total')


def write_files(folder: Path, scored: dict[str, Any], found: Floats, truth: Floats, path: Floats) -> None:
    """Write the files of a mission.

    Args:
        folder: Folder that exists.
        scored: Content of ``score.json``.
        found: Map of the agent, shape (n, n, 4).
        truth: True map.
        path: Positions of the rover [m], shape (k, 3).
    """
    arrays = io.BytesIO()
    np.savez_compressed(arrays, found=found, truth=truth, path=path)
    write_atomically(folder / 'maps.npz', arrays.getvalue())
    page = folder / 'report.html'
    name = f'{scored["scenario"]}, preset {scored["preset"]}, seed {scored["seed"]}'
    rows = [
        [as_text(rules), *(as_text(parts.get(part, parts.get('refused', ''))) for part in _PARTS)]
        for rules, parts in scored['rules'].items()
    ]
    facts = {**{k: v for k, v in scored.items() if k not in ('rules', 'map')}, **scored['map']}
    maps = PageFigures(page).show(map_figure(found, truth, path), 'maps', 'Map of the agent, true map and errors')
    mission = as_table(['quantity', 'value'], [[as_text(k), as_text(v)] for k, v in facts.items()])
    text = html_page(
        as_text(name),
        as_text(scored['status']),
        (('Scores', as_table(['rules', *_PARTS], rows)), ('Map', maps), ('Mission', mission)),
        'Made by Regolith. Everything here is in score.json and maps.npz beside this page.',
    )
    write_atomically(page, text)
    write_atomically(folder / 'score.json', json.dumps(scored, indent=1) + '\n')  # last: the rest is complete


def map_figure(found: Floats, truth: Floats, path: Floats) -> Figure:
    """Return plots of true heights, heights of the agent with the path, errors, and rocks."""
    half = 0.5 * CELL_M * len(truth)
    extent = (-half, half, -half, half)
    height = np.where(np.isfinite(found[:, :, HEIGHT]), found[:, :, HEIGHT], np.nan)
    low, high = np.percentile(truth[:, :, HEIGHT], (1.0, 99.0)).tolist()
    figure = Figure(figsize=(11.0, 10.0), layout='constrained')
    axes = figure.subplots(2, 2)
    for place, values, title in (
        (axes[0, 0], truth[:, :, HEIGHT], 'true height'),
        (axes[0, 1], height, "agent's height, and path"),
    ):
        shown = place.imshow(values.T, origin='lower', extent=extent, cmap='gray', vmin=low, vmax=high)
        place.set_title(title)
    figure.colorbar(shown, ax=axes[0], label='height [m]')
    axes[0, 1].plot(path[:, 0], path[:, 1], color='C1', linewidth=1.0)
    most = 2.0 * HEIGHT_TOLERANCE_M
    error = axes[1, 0].imshow(
        (height - truth[:, :, HEIGHT]).T, origin='lower', extent=extent, cmap='RdBu_r', vmin=-most, vmax=most
    )
    axes[1, 0].set_title('error of the height')
    figure.colorbar(error, ax=axes[1, 0], label='error [m]')
    claimed, true = found[:, :, ROCK] == 1.0, truth[:, :, ROCK] == 1.0
    colors = np.full((*true.shape, 3), 0.93)
    colors[true & claimed], colors[true & ~claimed], colors[~true & claimed] = (
        (0.1, 0.5, 0.1),
        (0.85, 0.2, 0.1),
        (0.95, 0.7, 0.1),
    )
    axes[1, 1].imshow(colors.transpose(1, 0, 2), origin='lower', extent=extent)
    axes[1, 1].set_title('rocks: green found, red missed, yellow false')
    for place in axes.flat:
        place.set_xlabel('x [m]')
        place.set_ylabel('y [m]')
        place.set_xlim(-half, half)
        place.set_ylim(-half, half)
    return figure
