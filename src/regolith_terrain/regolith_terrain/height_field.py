# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Height fields: the undisturbed surface as a function of (x, y)."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

Heights = NDArray[np.float64]


class HeightField(ABC):
    """Height of the undisturbed surface as a pure function of position: x east, y north, z up [m]."""

    @abstractmethod
    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]; the arguments broadcast. Equal positions give bit-identical heights."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of all that defines the field."""

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """West, east, south and north edge of the defined area [m]; None for an unbounded field."""
        return None

    def holds(self, x: float, y: float) -> bool:
        """Return whether a position [m] is in the defined area; beyond its edge the heights of the edge continue."""
        return True

    def inside(self, x: Heights, y: Heights) -> NDArray[np.bool_]:
        """Return :meth:`holds` of positions [m], shape (n,)."""
        return np.ones(len(x), dtype=np.bool_)

    def nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] at x = i spacing, y = j spacing for i0 <= i < i1, j0 <= j < j1, shape (i1 - i0, j1 - j0)."""
        x = np.arange(i0, i1, dtype=np.float64) * spacing
        y = np.arange(j0, j1, dtype=np.float64) * spacing
        return np.ascontiguousarray(self.heights(x[:, None], y[None, :]))

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return :meth:`nodes` without relief finer than the spacing; by default with all relief."""
        return self.nodes(i0, i1, j0, j1, spacing)


class PlaneField(HeightField):
    """A tilted plane: z = height + slope_x x + slope_y y."""

    def __init__(self, slope_x: float = 0.0, slope_y: float = 0.0, height: float = 0.0) -> None:
        """Create a plane from its slopes (rise over run) and its height at the origin [m]."""
        self._terms = (float(height), float(slope_x), float(slope_y))

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        height, slope_x, slope_y = self._terms
        return height + slope_x * np.asarray(x, dtype=np.float64) + slope_y * np.asarray(y, dtype=np.float64)

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the three coefficients."""
        return hashlib.sha256(b'plane' + np.array(self._terms, dtype='<f8').tobytes()).hexdigest()


class FlatField(PlaneField):
    """A level surface."""

    def __init__(self, height: float = 0.0) -> None:
        """Create a level surface at a height [m]."""
        super().__init__(0.0, 0.0, height)
