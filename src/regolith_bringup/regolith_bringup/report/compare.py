# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison page of several runs: paths, histories, results, and the first cycle that differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from regolith_bringup.bag.comparison import first_difference
from regolith_bringup.report.page import as_table, as_text, html_page
from regolith_bringup.report.page_figures import PageFigures, decimated
from regolith_bringup.report.plots import COLORS, styled
from regolith_bringup.report.run_data import RunData, VehicleTrack, read_run
from regolith_bringup.report.summary import FinishedRun
from regolith_bringup.report.table import columns, flat_values
from regolith_files import write_atomically

_CAPTION = 'Bold: different between runs. Wall time and real-time factor are left out.'
_DASHES = ('-', '--', ':', '-.')


def labels(folders: Sequence[Path]) -> list[str]:
    """Return a short name of each run: its folder name, with parent folders where names are equal."""
    whole = [folder.resolve().parts for folder in folders]
    for depth in range(1, max(map(len, whole)) + 1):
        names = ['/'.join(parts[-depth:]) for parts in whole]
        if len(set(names)) == len(names):
            return names
    return [f'{parts[-1]} ({number})' for number, parts in enumerate(whole)]


def write_comparison(
    folders: Sequence[Path], out: Path, tick: Callable[[int, int], None] = lambda done, of: None
) -> list[str]:
    """Write a page that compares runs, and return the differences from the first run as text.

    Args:
        folders: Two or more run folders with bags.
        out: HTML file.
        tick: Progress callback (done, total).

    Returns:
        One line for each run after the first.

    Raises:
        regolith_bringup.bag.recover.RecoverError: If a run has no bag.
    """
    names, steps = labels(folders), 2 * len(folders)
    runs: dict[str, RunData] = {}
    for number, (name, folder) in enumerate(zip(names, folders)):
        tick(number, steps)
        runs[name] = read_run(folder)
    lines = []
    for number, (name, folder) in enumerate(zip(names[1:], folders[1:])):
        tick(len(folders) + number, steps)
        found = first_difference(folders[0], folder)
        same, other = f'is bit-identical to {names[0]}', f'differs from {names[0]} from {found}'
        lines.append(f'{name}: {same if found is None else other}')
    shown = PageFigures(out)
    path_plot = shown.show(paths(runs), 'paths', 'Paths of the vehicles in all runs')
    plots = ''.join(
        f'<h3>{as_text(name)}</h3>{shown.show(figure, name, f"Histories of {name}")}'  # term: variable name
        for name, figure in histories(runs).items()
    )
    results = _figures({name: FinishedRun(folder).summary for name, folder in zip(names, folders)})
    results = f'<div class="scroll">{results}</div>\n<p class="caption">{_CAPTION}</p>'
    text = html_page(
        as_text(' · '.join(names)),
        '<br>'.join(map(as_text, lines)),
        (('Paths', path_plot), ('Over time', plots), ('Results', results)),
        'Made by Regolith from the bags of the runs.',
    )
    write_atomically(out, text)
    tick(steps, steps)
    return lines


def _vehicles(runs: Mapping[str, RunData]) -> list[str]:
    return sorted({name for run in runs.values() for name in run.tracks})


def paths(runs: Mapping[str, RunData]) -> Figure:
    """Return the paths of all vehicles, with one color per vehicle and one line style per run."""
    figure = Figure(figsize=(10.0, 6.0), layout='constrained')
    axes = figure.subplots()
    styled(axes)
    for number, run in enumerate(runs.values()):
        for color, name in zip(_colors(_vehicles(runs)), _vehicles(runs)):
            if name in run.tracks:
                x, y, _ = run.tracks[name].position.T
                axes.plot(x, y, ls=_DASHES[number % len(_DASHES)], color=color, lw=1.6)
    axes.set(xlabel='x, east [m]', ylabel='y, north [m]')
    axes.set_aspect('equal', adjustable='datalim')
    for color, name in zip(_colors(_vehicles(runs)), _vehicles(runs)):
        axes.plot([], [], color=color, lw=3.0, label=name)
    for number, label in enumerate(runs):
        axes.plot([], [], color='#444444', ls=_DASHES[number % len(_DASHES)], label=label)
    axes.legend(fontsize=9, frameon=False)
    return figure


def histories(runs: Mapping[str, RunData]) -> dict[str, Figure]:
    """Return a plot for each vehicle: speed, mean slip and mean sinkage of its wheels, with one color per run."""
    found = {}
    for name in _vehicles(runs):
        tracks = {label: run.tracks[name] for label, run in runs.items() if name in run.tracks}
        rows = _quantities(tracks.values())
        figure = Figure(figsize=(10.0, 1.9 * len(rows)), layout='constrained')
        for axes, (title, of) in zip(figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0], rows.items()):
            styled(axes)
            for color, (label, track) in zip(_colors(list(tracks)), tracks.items()):
                time, values = of(track)
                axes.plot(*decimated(time, values), color=color, lw=1.2, label=label)
            axes.set_ylabel(title)
        axes.set_xlabel('simulated time [s]')
        figure.axes[0].legend(fontsize=9, frameon=False, ncols=min(4, len(tracks)))
        found[name] = figure
    return found


def _quantities(tracks: Any) -> dict[str, Callable[[VehicleTrack], tuple[Any, Any]]]:
    rows: dict[str, Callable[[VehicleTrack], tuple[Any, Any]]] = {'speed [m/s]': lambda t: (t.time, t.speed)}
    if any(track.wheels for track in tracks):
        rows['mean slip [-]'] = lambda t: (t.wheel_time, _mean(t.slip_ratio))
        rows['mean sinkage [mm]'] = lambda t: (t.wheel_time, 1e3 * _mean(t.sinkage_total))
    return rows


def _mean(values: Any) -> Any:
    return values.mean(axis=1) if values.size else np.zeros(len(values))


def _colors(names: Sequence[str]) -> list[str]:
    return [COLORS[number % len(COLORS)] for number in range(len(names))]


def _figures(summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of all results, with one column per run."""
    found = [flat_values(summary) for summary in summaries.values()]
    rows = []
    for name in columns(found):
        values = [as_text(_shown(row.get(name))) for row in found]
        rows.append((as_text(name), *(f'<b>{value}</b>' if len(set(values)) > 1 else value for value in values)))
    return as_table(('figure', *map(as_text, summaries)), rows)


def _shown(value: Any) -> str:
    if value is None:
        return '\u2013'
    return f'{value:.9g}' if isinstance(value, float) else str(value)[:16]
