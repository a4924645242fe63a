# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Text tables of trajectory files: rows of numbers with the line of each row, and errors that name file and line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from regolith_files import InputError, Problem, as_yaml_text
from regolith_sensors.trajectories.poses import Floats, Trajectory, TrajectoryError, trajectory

_LIMIT_NS = 2**63
"""Limit of stamps [ns]."""


@dataclass(frozen=True)
class Row:
    """Line of a file that is neither empty nor a comment."""

    path: Path
    line: int
    words: list[str]

    def error(self, problem: str, allowed: str, value: str = '') -> InputError:
        """Return an error about this line."""
        return InputError(
            Problem(f'{self.path}:{self.line}', '', problem, allowed, as_yaml_text(value) if value else '')
        )

    def number(self, column: int) -> float:
        """Return the number in a column; raises :class:`InputError` if it is none or not finite."""
        try:
            value = float(self.words[column])
        except ValueError:
            value = float('nan')
        if not np.isfinite(value):
            raise self.error(f'is not a finite number (column {column + 1})', 'a finite number', self.words[column])
        return value

    def stamp_ns(self, column: int, unit: int) -> int:
        """Return the time in a column [ns].

        Args:
            column: Number of the column, from 0.
            unit: Unit of the column [ns]: 1, which allows whole numbers only, or 10**9.
        """
        try:
            value = Decimal(self.words[column])
            found = round(value * unit) if value.is_finite() and value.adjusted() < 19 else None
        except InvalidOperation:
            found = None
        if found is None or abs(found) >= _LIMIT_NS or (unit == 1 and found != value):
            what = 'a whole number of nanoseconds' if unit == 1 else 'a time in seconds'
            raise self.error(f'is not {what} (column {column + 1})', what, self.words[column])
        return found


def lines_of(path: Path, separator: str | None = None) -> Iterator[Row]:
    """Yield the rows of a text file without empty lines and comments (``#``).

    Args:
        path: File.
        separator: Separator of the columns; None: any white space.

    Raises:
        InputError: If the file cannot be read.
    """
    try:
        text = path.read_text(encoding='utf-8-sig')
    except FileNotFoundError:
        raise InputError(Problem(str(path), '', 'does not exist', 'an existing file')) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(str(path), '', f'cannot be read: {error}', 'a readable text file')) from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith('#'):
            yield Row(path, number, [word.strip() for word in line.split(separator)])


def rows_of(path: Path, columns: str, separator: str | None = None, more: bool = False) -> list[Row]:
    """Return the rows of a file, one or more.

    Args:
        path: File.
        columns: Names of the columns, separated by spaces.
        separator: As in :func:`lines_of`.
        more: Whether more columns are allowed.

    Raises:
        InputError: If a row has another number of columns, or there is no row.
    """
    count, found = len(columns.split()), []
    for row in lines_of(path, separator):
        if len(row.words) != count and not (more and len(row.words) > count):
            raise row.error(f'has {len(row.words)} columns', f'{count} columns: {columns}')
        found.append(row)
    if not found:
        raise InputError(Problem(str(path), '', 'has no poses', f'rows of {count} columns: {columns}'))
    return found


def poses_of(rows: list[Row], stamps: list[int], positions: Floats, quaternions: Floats) -> Trajectory:
    """Return the trajectory of the rows of a file; errors name file and line. Shapes as in :func:`trajectory`."""
    try:
        return trajectory(stamps, positions, quaternions, lambda k: f'line {rows[k].line}')
    except TrajectoryError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise InputError(Problem(str(rows[0].path), '', problem, allowed)) from None


def number_text(value: float) -> str:
    """Return the shortest text from which a number is read back exactly."""
    return repr(float(value))
