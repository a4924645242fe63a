# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where loose soil lies, and which of it is to be looked at: a part of terrain's state that only terrain needs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation.relaxation import RESTING, Marks
from regolith_terrain.grid.node_records import Floats, Indices, node_key

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]

_ROW = np.dtype([('i', '<i4'), ('j', '<i4'), ('mass', '<f8'), ('mark', '<i1')])


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
    """Of loose soil, in whole quanta [kg/m^2], shape (n,); in changes 0 where none is left."""
    mark: Marks = field(default_factory=lambda: np.zeros(0, np.int8))
    """What is to be done (:mod:`regolith_terrain.excavation.relaxation`), shape (n,)."""

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.i)

    @property
    def marked(self) -> Rows:
        """Rows that are to be looked at."""
        return np.nonzero(self.mark != RESTING)[0]

    def changed(self, changes: LooseSoil) -> LooseSoil:
        """Return what is left after changes, whose rows replace those of the same columns."""
        if not len(changes):
            return self
        key = np.concatenate((node_key(changes.i, changes.j), node_key(self.i, self.j)))
        # The first of equal keys is that of the changes.
        _, kept = np.unique(key, return_index=True)
        both = changes.beside(self, kept)
        return both.taken((both.mass > 0.0) | (both.mark != RESTING))

    def beside(self, other: LooseSoil, rows: Rows) -> LooseSoil:
        """Return some rows of this one's and another one's, one after the other."""
        return LooseSoil(
            np.concatenate((self.i, other.i))[rows],
            np.concatenate((self.j, other.j))[rows],
            np.concatenate((self.mass, other.mass))[rows],
            np.concatenate((self.mark, other.mark))[rows],
        )

    def taken(self, rows: Flags) -> LooseSoil:
        """Return some of the rows."""
        return LooseSoil(self.i[rows], self.j[rows], self.mass[rows], self.mark[rows])

    def save(self) -> bytes:
        """Return it as bytes (little-endian): equal soil, equal bytes."""
        rows = np.empty(len(self), _ROW)
        rows['i'], rows['j'], rows['mass'], rows['mark'] = self.i, self.j, self.mass, self.mark
        return rows.tobytes()

    @staticmethod
    def load(blob: bytes) -> LooseSoil:
        """Return what :meth:`save` wrote.

        Raises:
            ValueError: If it was cut short.
        """
        if len(blob) % _ROW.itemsize:
            raise ValueError(f'saved loose soil of {len(blob)} bytes; allowed: whole rows of {_ROW.itemsize}')
        rows = np.frombuffer(blob, _ROW)
        return LooseSoil(
            rows['i'].astype(np.int32),
            rows['j'].astype(np.int32),
            rows['mass'].astype(np.float64),
            rows['mark'].astype(np.int8),
        )


NO_LOOSE_SOIL = LooseSoil()
"""What most cycles change; shared, as nothing writes to it."""
