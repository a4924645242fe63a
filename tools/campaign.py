# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of long runs for the validation pages: one row per case with its result and cost, kept in the repository."""

from __future__ import annotations

import csv
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from regolith_bringup.run.progress import progress

ROOT = Path(__file__).resolve().parent.parent
COST = ('wall_s', 'processor_s', 'threads', 'commit', 'command')
"""Columns filled by :func:`timed`; the caller adds the command."""


def timed(case: str, work: Callable[[Callable[[int, int], None]], Mapping[str, Any]]) -> dict[str, Any]:
    """Run a case and return its row with the cost; show progress on stderr.

    Args:
        case: Name of the case.
        work: Function that runs the case: takes a progress callback (done, total), returns the row.
    """
    begin, used = time.perf_counter(), time.process_time()
    with progress(case) as show:
        show(0, 0)
        row = work(show)
    commit = subprocess.check_output(['git', 'rev-parse', '--short', 'HEAD'], cwd=ROOT, text=True)
    return {
        'case': case,
        **row,
        'wall_s': round(time.perf_counter() - begin),
        'commit': commit.strip(),
        'processor_s': round(time.process_time() - used),
    }


def rows(table: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a table by case."""
    if not table.is_file():
        return {}
    with table.open(encoding='utf-8') as file:
        return {row['case']: row for row in csv.DictReader(file)}


def keep(table: Path, columns: Iterable[str], order: Iterable[str], row: Mapping[str, Any]) -> None:
    """Insert a row into a table and keep the order of the cases."""
    known, names = rows(table), tuple(columns)
    known[row['case']] = {key: str(row.get(key, '')) for key in names}
    with table.open('w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, names, lineterminator='\n')
        writer.writeheader()
        writer.writerows(known[case] for case in order if case in known)


def markdown(cases: Iterable[str], head: Mapping[str, str], found: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return a Markdown table with the given columns of the completed cases."""
    lines = ['| ' + ' | '.join(head.values()) + ' |', '| --- ' * len(head) + '|']
    return lines + ['| ' + ' | '.join(found[c][key] for key in head) + ' |' for c in cases if c in found]


def packed_curve(points: Iterable[Iterable[float]], most: int = 60) -> str:
    """Return about sixty points of a curve as text."""
    known = [tuple(point) for point in points]
    return ' '.join(':'.join(f'{v:.5g}' for v in point) for point in known[:: max(1, len(known) // most)])


def curve(row: Mapping[str, str]) -> np.ndarray:
    """Return the points of a case's curve, shape (n, k)."""
    return np.array([[float(v) for v in point.split(':')] for point in row['curve'].split()])
