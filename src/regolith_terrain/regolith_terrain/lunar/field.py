# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Unbounded lunar terrain: craters of all ages on fractal relief, a pure function of seed and position."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.height_field import HeightField, Heights
from regolith_terrain.lunar import craters as crater_model
from regolith_terrain.lunar.cell_random import key_of
from regolith_terrain.lunar.craters import (
    CLASS_COLUMNS,
    FARTHEST,
    LARGEST,
    add_craters,
    crater_classes,
    gather,
    lay_craters,
)
from regolith_terrain.lunar.degradation import AGE_ROWS, age_at_depth, profile_table, relative_depth
from regolith_terrain.lunar.presets import LunarPreset, Relief
from regolith_terrain.lunar.relief import add_relief, octaves
from regolith_terrain.lunar.statistics import age_of
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

_VERSION = 1
# Side length in nodes of the pieces into which blocks are divided, which limits the work memory.
_PIECE = 64
_WIDEST_M = 64.0
# Successive scattered points within this distance [m] share a search for craters, up to this number of points.
_CLOSE = 2.0
_RUN = 64


@dataclass(frozen=True, slots=True)
class Craters:
    """Catalog of craters, oldest first; all arrays of shape (n,)."""

    x: Floats
    """x of the centers [m]."""
    y: Floats
    """y of the centers [m]."""
    diameter: Floats
    """Diameters from rim to rim [m]."""
    depth: Floats
    """Present worn depths from rim to floor [m]."""
    age_gyr: Floats
    """Time since formation [Gyr]."""

    def __len__(self) -> int:
        """Return the number of craters."""
        return len(self.x)


class LunarField(HeightField):
    """Unbounded terrain of a preset; the height at the origin is 0."""

    def __init__(self, seed: int, preset: LunarPreset) -> None:
        """Create the terrain of a seed."""
        self.seed = int(seed)
        self.preset = preset
        self.key = key_of(self.seed, 'lunar')
        c = preset.craters
        self.classes = (
            np.zeros((0, CLASS_COLUMNS))
            if c.equilibrium_density == 0.0
            else crater_classes(
                c.min_diameter_m,
                c.max_diameter_m,
                c.equilibrium_density,
                c.equilibrium_exponent,
                c.age_gyr,
                age_at_depth(c.min_visible_depth_ratio),
            )
        )
        self.octaves = np.concatenate([_octaves(self.key, preset.relief), _octaves(self.key, preset.texture)])
        self._table = profile_table()
        self._offset = 0.0
        self._offset = float(self.heights(0.0, 0.0))

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        if _is_grid(x, y):
            return self._evaluate(np.array(x[:, 0]), np.array(y[0]), 0.0)
        out = np.zeros(x.size)
        tables = (self.key, self.classes, self.octaves, AGE_ROWS, self._table)
        _points(x.ravel(), y.ravel(), *tables, self._offset, out)
        return out.reshape(x.shape)

    def nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] of a block of nodes, bit-identical to :meth:`heights` and many times faster."""
        return self._block(i0, i1, j0, j1, spacing, 0.0)

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] of a block of nodes, without craters and waves too small for the spacing."""
        return self._block(i0, i1, j0, j1, spacing, 2.0 * spacing)

    def craters_in(
        self, west: float, east: float, south: float, north: float, min_diameter_m: float = 0.0, margin: float = 0.0
    ) -> Craters:
        """Return the craters whose centers are in west <= x < east, south <= y < north.

        Args:
            west: West edge of the box [m].
            east: East edge of the box [m].
            south: South edge of the box [m].
            north: North edge of the box [m].
            min_diameter_m: Smallest diameter of returned craters [m].
            margin: If above 0, return the craters whose circle of this many radii touches the box instead.
        """
        first = int(np.searchsorted(self.classes[:, LARGEST], min_diameter_m, side='right'))
        box = (float(west), float(east), float(south), float(north))
        found = gather(*box, self.key, self.classes, AGE_ROWS, first, float(margin))
        x, y = found[:, crater_model.X], found[:, crater_model.Y]
        keep = 2.0 * found[:, crater_model.RADIUS] >= min_diameter_m
        if not margin > 0.0:
            keep &= (x >= west) & (x < east) & (y >= south) & (y < north)
        found = found[keep]
        rows = found[:, crater_model.ROW]
        left = relative_depth(np.interp(rows, np.arange(len(AGE_ROWS)), AGE_ROWS))
        return Craters(
            x=found[:, crater_model.X],
            y=found[:, crater_model.Y],
            diameter=2.0 * found[:, crater_model.RADIUS],
            depth=found[:, crater_model.DEPTH] * left,
            age_gyr=age_of(found[:, crater_model.AGE]),
        )

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of seed, preset and version of the algorithm."""
        return hashlib.sha256(f'lunar {_VERSION} {self.seed} {self.preset!r}'.encode()).hexdigest()

    def _block(self, i0: int, i1: int, j0: int, j1: int, spacing: float, least: float) -> Heights:
        x = np.arange(i0, i1, dtype=np.float64) * spacing
        y = np.arange(j0, j1, dtype=np.float64) * spacing
        return self._evaluate(x, y, least)

    def _evaluate(self, x: Floats, y: Floats, least: float) -> Heights:
        """Return z [m] at all (x[r], y[c]), both ascending, without craters and waves smaller than ``least`` [m]."""
        out = np.zeros((len(x), len(y)))
        step = max((axis[-1] - axis[0]) / (len(axis) - 1) if len(axis) > 1 else 0.0 for axis in (x, y))
        # With widely spaced nodes and nothing omitted, a piece must not contain millions of small craters.
        piece = _PIECE if least > 0.0 or step * _PIECE <= _WIDEST_M else max(1, int(_WIDEST_M / step))
        tables = (self.key, self.classes, self.octaves, AGE_ROWS, self._table)
        _grid(x, y, *tables, self._offset, least, piece, out)
        return out


def _is_grid(x: Floats, y: Floats) -> bool:
    """Return whether positions form a grid, x ascending along the first axis and y along the second."""
    if x.ndim != 2 or x.size < 16 or not ((x == x[:, :1]).all() and (y == y[:1]).all()):
        return False
    return bool(np.all(np.diff(x[:, 0]) > 0.0) and np.all(np.diff(y[0]) > 0.0))


def _octaves(key: np.uint64, part: Relief) -> Floats:
    return octaves(key, part.outer_scale_m, part.inner_scale_m, part.hurst, part.rms_deviation_m, part.lag_m)


@kernel
def _grid(
    x: Floats,
    y: Floats,
    key: np.uint64,
    classes: Floats,
    octaves: Floats,
    rows: Floats,
    table: Floats,
    offset: float,
    least: float,
    side: int,
    out: Floats,
) -> None:
    """Write the heights [m] at all (x[r], y[c]) [m] to ``out``, shape (len(x), len(y)), piece by piece.

    Args:
        x: Positions along x [m], ascending.
        y: Positions along y [m], ascending.
        key: Key of the random numbers.
        classes: Table of crater classes.
        octaves: Table of noise octaves.
        rows: Ages K of the rows of ``table``.
        table: Table of worn profiles.
        offset: Height subtracted everywhere [m].
        least: Smallest size of included craters and waves [m].
        side: Number of nodes along the side of a piece.
        out: Output: heights [m].
    """
    layers = np.empty((min(side, len(x)), min(side, len(y)), classes.shape[0]))
    for r in range(0, len(x), side):
        for c in range(0, len(y), side):
            px, py = x[r : r + side], y[c : c + side]
            piece = out[r : r + side, c : c + side]
            scratch = layers[: len(px), : len(py)]
            add_craters(px, py, key, classes, rows, table, least, scratch, piece)
            add_relief(px, py, key, octaves, least, piece)
            for a in range(len(px)):
                for b in range(len(py)):
                    piece[a, b] -= offset


@kernel
def _points(
    x: Floats,
    y: Floats,
    key: np.uint64,
    classes: Floats,
    octaves: Floats,
    rows: Floats,
    table: Floats,
    offset: float,
    out: Floats,
) -> None:
    """Write the heights [m] at scattered points (x[n], y[n]) to ``out``; see :func:`_grid`."""
    layers = np.empty((1, 1, classes.shape[0]))
    start = 0
    while start < len(x):
        # Successive close points share their craters.
        end = start + 1
        west, east, south, north = x[start], x[start], y[start], y[start]
        while end < len(x) and end - start < _RUN:
            west, east = min(west, x[end]), max(east, x[end])
            south, north = min(south, y[end]), max(north, y[end])
            if east - west > _CLOSE or north - south > _CLOSE:
                break
            end += 1
        inner = slice(start, end)
        craters = gather(
            x[inner].min(), x[inner].max(), y[inner].min(), y[inner].max(), key, classes, rows, 0, FARTHEST
        )
        for n in range(start, end):
            piece = np.zeros((1, 1))
            lay_craters(x[n : n + 1], y[n : n + 1], craters, table, 0, layers, piece)
            add_relief(x[n : n + 1], y[n : n + 1], key, octaves, 0.0, piece)
            out[n] = piece[0, 0] - offset
        start = end
