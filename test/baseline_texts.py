# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What commands print, write and draw, as rows of a baseline: numbers by their paths, text line by line."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from baseline_values import Rows, Series

OF_THIS_MACHINE = re.compile(
    r'frames take about|wall time|wall clock|processor|version|made_with|compute s per|speed|made with|real-time factor|^[\d.]+ (\u00d7|s)$|^\d+,\d+$',
    re.I,
)
"""Lines that depend on the machine, the moment or the checkout."""
WALL = re.compile(
    r'wall|speed|real_time_factor|compute|started|finished|version|made_with|hash|machine|late|waits|timing|threads|processes|bytes|messages|path'
)
"""Keys of the same kind in JSON."""


def said(words: list[str]) -> str:
    """Return what ``./regolith WORDS`` prints to stdout, run in this process."""
    from regolith_bringup.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            main(words)
        except SystemExit as ended:
            if ended.code:
                raise AssertionError(f'{words}: exit {ended.code}: {out.getvalue()}') from None
    return out.getvalue()


def lines(series: Series, path: str, text: str, folder: Path) -> None:
    """Take a text line by line, without what differs between machines."""
    number = 0
    for line in text.replace(str(folder), 'FOLDER').splitlines():
        if line.strip() and not OF_THIS_MACHINE.search(line):
            series.add(f'{path}:{number:03d}', line.rstrip())
            number += 1


def plain(value: Any, folder: Path) -> Any:
    """Return JSON without what differs between machines."""
    if isinstance(value, dict):
        return {key: plain(each, folder) for key, each in value.items() if not WALL.search(key)}
    if isinstance(value, list):
        return [plain(each, folder) for each in value]
    return value.replace(str(folder), 'FOLDER') if isinstance(value, str) else value


@contextlib.contextmanager
def plots_drawn() -> Iterator[list[Any]]:
    """Return a list that fills with the contents of all plots that are saved."""
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    save = Figure.savefig

    def keep(figure: Figure, *arguments: Any, **options: Any) -> None:
        drawn.append(_of_figure(figure))
        figure.set_layout_engine('none')  # half of the time of drawing; nothing is read from the plot
        save(figure, *arguments, **{**options, 'dpi': 15})

    Figure.savefig = keep  # type: ignore[method-assign]
    try:
        yield drawn
    finally:
        Figure.savefig = save  # type: ignore[method-assign]


def _of_figure(figure: Any) -> list[dict[str, Any]]:
    """Return titles, names of axes, limits, legends and data of all axes that show nothing of wall time."""
    panels = []
    for axes in figure.axes:
        names = [axes.get_title(where) for where in ('left', 'center', 'right')] + [
            axes.get_xlabel(),
            axes.get_ylabel(),
        ]
        if OF_THIS_MACHINE.search(' '.join(names)):
            continue
        legend = axes.get_legend()
        panels.append(
            {
                'names': ' | '.join(names),
                'legend': ' | '.join(text.get_text() for text in legend.get_texts()) if legend else '',
                'texts': ' | '.join(text.get_text() for text in axes.texts),
                'limits': np.array([*axes.get_xlim(), *axes.get_ylim()]),
                'lines': {
                    str(k): np.asarray(line.get_xydata(), dtype=float) for k, line in enumerate(axes.get_lines())
                },
                'images': {str(k): np.ma.filled(image.get_array(), 0.0) for k, image in enumerate(axes.get_images())},
                'points': {str(k): np.asarray(each.get_offsets()) for k, each in enumerate(axes.collections)},
            }
        )
    return panels


def _page(html: str) -> str:
    """Return the text of a page, a line for each cell."""
    body = re.sub(r'(?s)<(style|script|pre)\b.*?</\1>', '', html)
    return '\n'.join(part.strip() for part in re.sub(r'<[^>]*>', '\n', body).splitlines() if part.strip())


def read_by_people(run: Path, folder: Path) -> Rows:
    """Return the rows of the commands on a recorded run and on its scenario.

    Args:
        folder: that holds the scenario and what it needs
    """
    series = Series()
    scenario = str(folder / 'sense.yaml')
    series.add('summary', plain(json.loads((run / 'summary.json').read_text(encoding='utf-8')), folder))
    shutil.copytree(run, folder / 'copy', dirs_exist_ok=True)
    for name, words, page in (
        ('report', ['report', str(run)], run / 'report.html'),
        ('compare', ['compare', str(run), str(folder / 'copy'), '--out', str(folder / 'c.html')], folder / 'c.html'),
    ):
        with plots_drawn() as drawn:
            said(words)
        text = _page(page.read_text(encoding='utf-8'))
        lines(series, name, text[: text.find('made with')] if 'made with' in text else text, folder)
        for number, panels in enumerate(drawn):
            series.add(f'{name} plot {number}', panels)
    for file in sorted((run / 'report').glob('*.csv')):
        if file.stem != 'cycles':
            table = list(csv.reader(file.read_text(encoding='utf-8').splitlines()))
            series.add(f'csv {file.stem}.head', ' | '.join(table[0]))
            for column, cells in enumerate(zip(*table[1:], strict=False)):
                with contextlib.suppress(ValueError):
                    series.add(
                        f'csv {file.stem}.{table[0][column]}', np.array([float(cell or 'nan') for cell in cells])
                    )
    data = folder / 'dataset'
    series.add(
        'dataset',
        plain(json.loads(said(['dataset', str(run), '--out', str(data), '--val-fraction', '0.4', '--json'])), folder),
    )
    for file in sorted(data.rglob('*')):
        where = file.relative_to(data)
        if file.suffix == '.json':
            series.add(f'dataset {where}', plain(json.loads(file.read_text(encoding='utf-8')), folder))
        elif file.suffix in ('.txt', '.yaml'):
            lines(series, f'dataset {where}', file.read_text(encoding='utf-8'), folder)
    series.add('stereo', plain(json.loads(said(['stereo', str(run), '--json'])), folder))
    series.add('terrain info', plain(json.loads(said(['terrain', 'info', scenario])), folder))
    model = str(folder / 'slope.npy')
    series.add(
        'terrain info model', plain(json.loads(said(['terrain', 'info', model, '--post-spacing', '1.1'])), folder)
    )
    lines(series, 'check', said(['check', scenario]), folder)
    lines(series, 'scenarios', said(['scenarios']), folder)
    lines(series, 'cite', said(['cite', scenario]), folder)
    return series.rows()
