# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of a campaign: one for each result, over every varied key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from regolith_bringup.report.table import Row, columns

BLUE, INK = '#2a6fb0', '#333333'


def differing(rows: Sequence[Row], varied: Sequence[str]) -> list[str]:
    """Return the names of numeric results that differ between runs."""
    found = []
    for name in columns(rows):
        values = [row[name] for row in rows if _is_number(row.get(name))]
        if name not in varied and len(set(values)) > 1:
            found.append(name)
    return found


def draw_all(
    folder: Path, rows: Sequence[Row], varied: Sequence[str], tick: Callable[[int, int], None] = lambda done, of: None
) -> list[Path]:
    """Write a PNG file for each result that differs between runs, and return the paths."""
    names, paths = differing(rows, varied), []
    for number, name in enumerate(names):
        tick(number, len(names))
        path = folder / f'{name.replace("/", "_")}.png'
        draw(rows, varied, name).savefig(path, dpi=110)
        paths.append(path)
    return paths


def draw(rows: Sequence[Row], varied: Sequence[str], name: str) -> Figure:
    """Return the plot of a result: its values, and the mean of runs with equal parameter values."""
    figure = Figure(figsize=(min(3.6 * len(varied) + 0.8, 16.0), 3.4), layout='constrained')
    panels = figure.subplots(1, len(varied), sharey=True, squeeze=False)[0]
    measured = [row for row in rows if _is_number(row.get(name))]
    for axes, key in zip(panels, varied):
        places, labels = _places([row[key] for row in measured])
        values = [row[name] for row in measured]
        axes.plot(places, values, 'o', color=BLUE, alpha=0.6, ms=4.5, mec='none')
        means = {place: [v for p, v in zip(places, values) if p == place] for place in sorted(set(places))}
        if 1 < len(means) < len(values):
            axes.plot(list(means), [sum(v) / len(v) for v in means.values()], '-', color=INK, lw=1.2)
        if labels is not None:
            turned = {'rotation': 30, 'ha': 'right'} if len(labels) > 3 else {}
            axes.set_xticks(range(len(labels)), labels, **turned)
        axes.set_xlabel(key)
        axes.spines[['top', 'right']].set_visible(False)
    panels[0].set_ylabel(name)
    return figure


def _places(values: Sequence[Any]) -> tuple[list[float], list[str] | None]:
    """Return plot coordinates of values, and labels of non-numeric values in order of first occurrence."""
    if all(_is_number(value) for value in values):
        return list(values), None
    labels = list(dict.fromkeys(str(value) for value in values))
    return [labels.index(str(value)) for value in values], labels


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
