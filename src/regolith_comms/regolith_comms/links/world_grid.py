# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""World grid: integer sample points, each with its tile (SubT's files ``*.dat``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

RECORD = np.dtype([('x', '<i4'), ('y', '<i4'), ('z', '<i4'), ('id', '<u8')])
"""Record of one sample: a point [m] and its tile; 20 bytes, little-endian."""
_HEAD = 8


class WorldGridFileError(ValueError):
    """Error in a grid file; the text names file and byte offset."""


class WorldGrid:
    """Points of the integer lattice and their tiles; all other points are outside."""

    def __init__(self, records: NDArray[np.void]) -> None:
        """Make a grid.

        Args:
            records: Records of dtype :data:`RECORD`; the last of repeated points applies.

        Raises:
            ValueError: If the points span more than 2^62 lattice cells.
        """
        self.records = records
        points = np.stack([records[axis].astype(np.int64) for axis in 'xyz'], axis=-1).reshape(-1, 3)
        self._low = points.min(axis=0) if len(points) else np.zeros(3, dtype=np.int64)
        self._size = points.max(axis=0) - self._low + 1 if len(points) else np.zeros(3, dtype=np.int64)
        if int(self._size[0]) * int(self._size[1]) * int(self._size[2]) > 2**62:
            raise ValueError(f'points span {self._size.tolist()} cells; allowed: at most 2^62 in total')
        keys = self._keys(points)
        tiles = np.asarray(records['id']).astype(np.int64)
        # unique() returns the first of equal keys; in reversed order this is the last record.
        self._sorted, at = np.unique(keys[::-1], return_index=True)
        self._tiles = tiles[::-1][at]

    @staticmethod
    def from_dat(path: str | Path) -> WorldGrid:
        """Return the grid of a file.

        Raises:
            WorldGridFileError: If the file is invalid; names file and byte offset.
            OSError: If the file cannot be read.
        """
        data = Path(path).read_bytes()
        if len(data) < _HEAD:
            raise WorldGridFileError(f'{path}: ends at byte {len(data)}, within the count; allowed: 8 + 20 N bytes')
        count = int.from_bytes(data[:_HEAD], 'little')
        wanted = _HEAD + RECORD.itemsize * count
        if len(data) != wanted:
            raise WorldGridFileError(
                f'{path}: the record count {count} requires {wanted} bytes, but the file ends at byte'
                f' {len(data)}; allowed: 8 + 20 N bytes'
            )
        try:
            return WorldGrid(np.frombuffer(data, RECORD, count, _HEAD))
        except ValueError as error:
            raise WorldGridFileError(f'{path}: from byte {_HEAD}: {error}') from None

    def to_dat(self) -> bytes:
        """Return the bytes of the grid's file, with records in their given order."""
        return len(self.records).to_bytes(_HEAD, 'little') + self.records.tobytes()

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.records)

    def tile_at(self, points: ArrayLike) -> NDArray[np.int64]:
        """Return the tiles of points; -1 outside.

        Args:
            points: Points in the world frame [m], shape (n, 3); each is rounded to the lattice, halves away from zero.

        Returns:
            Tile ids, shape (n,); ids from 2^63 on as their two's complement.

        Source: subt2022.
        Checked by: test_reference.py::test_tile_lookup_matches_the_reference,
        test_files.py::test_lookup_rounds_half_away_from_zero_and_uses_the_last_record.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if len(self._sorted) == 0:
            return np.full(len(points), -1, dtype=np.int64)
        with np.errstate(invalid='ignore'):
            cells = round_half_away(points) - self._low
            inside: NDArray[np.bool_] = np.asarray(((cells >= 0) & (cells < self._size)).all(axis=1))
        keys = self._keys(np.where(inside[:, None], cells, 0.0).astype(np.int64) + self._low)
        at = np.searchsorted(self._sorted, keys).clip(max=len(self._sorted) - 1)
        return np.where(inside & (self._sorted[at] == keys), self._tiles[at], -1)

    def _keys(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        x, y, z = (points - self._low).T
        keys: NDArray[np.int64] = (x * self._size[1] + y) * self._size[2] + z
        return keys


def round_half_away(values: ArrayLike) -> NDArray[np.float64]:
    """Return the nearest integers, halves away from zero, as C's ``round`` does (NumPy rounds halves to even)."""
    values = np.asarray(values, dtype=np.float64)
    whole = np.trunc(values)
    # The fraction is exact; adding 0.5 first would round 0.49999999999999994 up to 1.
    return np.asarray(whole + np.where(np.abs(values - whole) >= 0.5, np.sign(values), 0.0))
