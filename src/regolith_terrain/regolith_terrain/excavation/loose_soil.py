# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Loose soil and its pending checks: a part of the state of terrain only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation.relaxation import RESTING, Marks
from regolith_terrain.grid.node_records import Floats, Indices, node_key

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]

ROW = np.dtype([('i', '<i4'), ('j', '<i4'), ('mass', '<f8'), ('mark', '<i1')])


def _none() -> Indices:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class LooseSoil:
    """Loose soil on columns, or changes of it; unique and sorted by (i, j)."""

    i: Indices = field(default_factory=_none)
    """Node index along x, shape (n,)."""
    j: Indices = field(default_factory=_none)
    """Node index along y, shape (n,)."""
    mass: Floats = field(default_factory=lambda: np.zeros(0))
    """Mass of loose soil in whole quanta [kg/m^2], shape (n,); in changes 0 where none is left."""
    mark: Marks = field(default_factory=lambda: np.zeros(0, np.int8))
    """Pending action (:mod:`regolith_terrain.excavation.relaxation`), shape (n,)."""

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.i)

    @property
    def marked(self) -> Rows:
        """Rows to be checked."""
        return np.nonzero(self.mark != RESTING)[0]

    def changed(self, changes: LooseSoil) -> LooseSoil:
        """Return the loose soil after changes, whose rows replace those of the same columns."""
        if not len(changes):
            return self
        key = np.concatenate((node_key(changes.i, changes.j), node_key(self.i, self.j)))
        # Of equal keys, the first one is that of the changes.
        _, kept = np.unique(key, return_index=True)
        both = changes.beside(self, kept)
        return both.taken((both.mass > 0.0) | (both.mark != RESTING))

    def beside(self, other: LooseSoil, rows: Rows) -> LooseSoil:
        """Return selected rows of this and another one, concatenated."""
        return LooseSoil(
            np.concatenate((self.i, other.i))[rows],
            np.concatenate((self.j, other.j))[rows],
            np.concatenate((self.mass, other.mass))[rows],
            np.concatenate((self.mark, other.mark))[rows],
        )

    def taken(self, rows: Flags) -> LooseSoil:
        """Return selected rows."""
        return LooseSoil(self.i[rows], self.j[rows], self.mass[rows], self.mark[rows])

    @property
    def rows(self) -> NDArray[Any]:
        """All columns as an array of ROW, shape (n,)."""
        rows = np.empty(len(self), ROW)
        rows['i'], rows['j'], rows['mass'], rows['mark'] = self.i, self.j, self.mass, self.mark
        return rows

    @staticmethod
    def of(rows: NDArray[Any]) -> LooseSoil:
        """Return the loose soil of :attr:`rows`."""
        return LooseSoil(*(np.ascontiguousarray(rows[name]) for name in ROW.names or ()))


NO_LOOSE_SOIL = LooseSoil()
"""Result of most cycles; shared, as it is never modified."""
