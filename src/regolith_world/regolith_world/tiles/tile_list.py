# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists of tiles: CSV files with the name, the type and the pose of every tile of a world.

A list may hold other models of the world, such as barriers and artifacts. A line is a tile if its type has connection
points. Types whose names contain ``Blocker`` are not.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from regolith_files import InputError, Problem, allowed_names, as_yaml_text, closest_name, usable_file
from regolith_world.numerics import rotation
from regolith_world.tiles.tile_types import Floats, TileType, known_tile_types

COLUMNS = ('name', 'tile_type', 'x_m', 'y_m', 'z_m', 'roll_rad', 'pitch_rad', 'yaw_rad')
MOST_LINES, MOST_TILES = 20_000, 2000
"""Largest numbers of models and of tiles in a list; the largest world of SubT has 217 tiles."""
FARTHEST_M = 1e6
LARGEST_ID = 2**64 - 1
_BLOCKER = 'blocker'
_LIKELY_TYPO = 0.9
"""Likeness to a known type from which on an unknown type is taken as a misspelled one."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of a world."""

    id: int
    """Integer after the last underscore of the name, or else the number of earlier tiles without one."""
    name: str
    type: TileType
    position: Floats
    """Position of the tile's origin in the world [m], shape (3,)."""
    rpy: tuple[float, float, float]
    """Roll, pitch and yaw about fixed axes [rad], in this order."""
    line: int
    """Line of the file."""

    @property
    def axes(self) -> Floats:
        """Axes of the tile in the world as columns, shape (3, 3)."""
        return rotation.matrix(rotation.from_rpy_deg([math.degrees(angle) for angle in self.rpy]))

    def in_world(self, points: Floats) -> Floats:
        """Return points of the tile's frame [m], shape (..., 3), in the world."""
        turned: Floats = np.einsum('...j,ij->...i', points, self.axes)
        return turned + self.position


@dataclass(frozen=True, slots=True)
class TileList:
    """Tiles of a world, in the order of their file."""

    path: Path
    tiles: tuple[Tile, ...]
    other: dict[str, int]
    """Number of models that are not tiles, by type."""
    notes: tuple[str, ...] = ()
    """Peculiarities of the file of which users should know."""

    def problem(self, tile: Tile, key: str, problem: str, allowed: str, value: object) -> Problem:
        """Return a problem with a value of a tile."""
        return Problem(f'{self.path}:{tile.line}', key, problem, allowed, as_yaml_text(value))


def read_tile_list(path: str | Path, leave_out: Iterable[str] = ()) -> TileList:
    """Return the tiles of a file.

    Args:
        path: CSV file whose first line has the names of the columns, :data:`COLUMNS`.
        leave_out: Patterns of types that are not read as tiles, e.g. ``Cave Cap*``.

    Raises:
        InputError: If the file is invalid; names file, line, key, value and allowed values.
    """
    path = usable_file(path, 'the path of a tile list (.csv)')
    return _Reader(path, tuple(leave_out)).read()


class _Reader:
    def __init__(self, path: Path, leave_out: tuple[str, ...]) -> None:
        self._path, self._leave_out = path, leave_out
        self._types = known_tile_types()
        self._by_mesh = {name.lower().replace(' ', '_'): kind for name, kind in self._types.items()}
        self._by_lower = {name.lower(): kind for name, kind in self._types.items()}
        self._tiles: list[Tile] = []
        self._other: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._line_of_name: dict[str, int] = {}
        self._line_of_id: dict[int, int] = {}
        self._unnumbered = 0

    def _error(self, line: int, key: str, problem: str, allowed: str, value: object = None) -> InputError:
        where = f'{self._path}:{line}' if line else str(self._path)
        return InputError(Problem(where, key, problem, allowed, '' if value is None else as_yaml_text(value)))

    def read(self) -> TileList:
        if os.path.getsize(self._path) > 200 * MOST_LINES:
            raise self._error(0, '', 'is too large for a tile list', f'up to {MOST_LINES} lines')
        try:
            text = self._path.read_text(encoding='utf-8-sig')
        except UnicodeDecodeError as error:
            raise self._error(0, '', f'byte {error.start} is not UTF-8', 'a text file') from None
        reader = csv.reader(text.splitlines(keepends=True), strict=True)
        line = 0
        columns: list[str] | None = None
        try:
            for row in reader:
                line = reader.line_num
                cells = [cell.strip() for cell in row]
                if not any(cells) or cells[0].startswith('#'):
                    continue
                if columns is None:
                    columns = self._columns(line, cells)
                    continue
                if len(cells) != len(columns):
                    raise self._error(line, '', f'has {len(cells)} values', f'{len(columns)}: {",".join(columns)}')
                self._entry(line, dict(zip(columns, cells, strict=True)))
        except csv.Error as error:
            raise self._error(line + 1, '', f'is not a line of a CSV file ({error})', ','.join(COLUMNS)) from None
        if columns is None:
            raise self._error(0, '', 'is empty', f'a first line {",".join(COLUMNS)}, then one line per tile')
        if not self._tiles:
            allowed = f'at least one line with a known tile type, e.g. Tunnel Tile 5; {len(self._types)} are known'
            raise self._error(0, '', 'has no tiles', allowed)
        return TileList(self._path, tuple(self._tiles), dict(sorted(self._other.items())), tuple(self._notes))

    def _columns(self, line: int, cells: list[str]) -> list[str]:
        missing = [name for name in COLUMNS if name not in cells]
        if missing or len(set(cells)) < len(cells):
            problem = f'has no column {missing[0]!r}' if missing else 'has a column twice'
            raise self._error(line, '', problem, ','.join(COLUMNS), ','.join(cells))
        return cells

    def _entry(self, line: int, row: dict[str, str]) -> None:
        if self._count() >= MOST_LINES:
            raise self._error(line, '', 'is too long for a tile list', f'up to {MOST_LINES} lines')
        kind = self._type(line, row['name'], row['tile_type'])
        if kind is None:
            self._other[row['tile_type']] += 1
            return
        if len(self._tiles) >= MOST_TILES:
            raise self._error(line, '', 'is one tile too many', f'up to {MOST_TILES} tiles')
        name = row['name']
        if not name.isprintable() or not name or any(mark in name for mark in ('"', '\\', ':', '/*', '*/')):
            allowed = 'a name without quotes, backslashes, colons, comment marks and control characters'
            raise self._error(line, 'name', 'is not a name of a tile', allowed, name)
        if name in self._line_of_name:
            allowed = f'a name of its own; line {self._line_of_name[name]} has this one'
            raise self._error(line, 'name', 'is repeated', allowed, name)
        self._line_of_name[name] = line
        numbers = [self._number(line, key, row[key]) for key in COLUMNS[2:]]
        identity = self._id(line, name)
        self._tiles.append(Tile(identity, name, kind, np.array(numbers[:3]), (*numbers[3:],), line))  # type: ignore[arg-type]

    def _count(self) -> int:
        return len(self._tiles) + sum(self._other.values())

    def _type(self, line: int, name: str, given: str) -> TileType | None:
        """Return the type of a tile; None for other models."""
        if _BLOCKER in given.lower() or any(fnmatchcase(given, pattern) for pattern in self._leave_out):
            return None
        if given in self._types:
            return self._types[given]
        if given in self._by_mesh:
            return self._by_mesh[given]
        if (known := self._by_lower.get(given.lower())) is not None:
            # The tables of classes and circuits distinguish capital letters, that of connection points does not.
            self._notes[f'type {given!r} is written {known.name!r} in the table: it counts as straight, as in SubT'] = (
                None
            )
            return replace(known, turn=False)
        looks_like_tile = re.search('tile', f'{name} {given}', re.IGNORECASE) is not None
        if looks_like_tile or closest_name(self._types, given, _LIKELY_TYPO):
            guess = closest_name(self._types, given)
            some = sorted(name for name in self._types if name.split()[0] == (guess or 'Tunnel').split()[0])
            raise self._error(line, 'tile_type', 'is not a tile type', allowed_names(some, given), given)
        return None

    def _number(self, line: int, key: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        most = FARTHEST_M if key.endswith('_m') else 1e3
        if not (math.isfinite(value) and abs(value) <= most):
            unit = 'm' if key.endswith('_m') else 'rad'
            raise self._error(line, key, 'is not usable', f'a number from {-most:g} to {most:g} [{unit}]', text)
        return value

    def _id(self, line: int, name: str) -> int:
        found = re.search(r'_(\d+)$', name, re.ASCII)
        if found is None:
            identity = self._unnumbered
            self._unnumbered += 1
        else:
            identity = int(found[1])
        if identity > LARGEST_ID:
            raise self._error(line, 'name', 'ends with too large a number', f'0 to {LARGEST_ID}', name)
        if identity in self._line_of_id:
            allowed = f'a number of its own after the last underscore; line {self._line_of_id[identity]} has this one'
            raise self._error(line, 'name', f'has the id {identity} of another tile', allowed, name)
        self._line_of_id[identity] = line
        return identity
