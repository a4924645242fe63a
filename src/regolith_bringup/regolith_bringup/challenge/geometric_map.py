# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Map that an agent fills: height and rock of square cells around the lander, and its truth.

The names of the methods are those of the Lunar Autonomy Challenge (NASA, 2024), whose agents run here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.planning_maps import places_in_cells

Floats = NDArray[np.float64]
Surface = Callable[[Floats, Floats], tuple[Floats, NDArray[np.bool_]]]
"""Function of positions x and y [m], of one shape: heights seen from above [m], NaN where there is no ground, and
whether a rock is there."""

X, Y, HEIGHT, ROCK = range(4)
"""Layers of the array of a map."""
EMPTY = -math.inf
"""Value of a height or rock that is not filled."""


class GeometricMap:
    """Heights [m] and rocks (1: yes, 0: no) of square cells in the world frame, the lander in the middle.

    Args:
        cells: Number of cells along a side.
        cell_m: Width of a cell [m].
        memory: Array that holds the map, shape (cells, cells, 4); None: a new one.
    """

    def __init__(self, cells: int, cell_m: float, memory: Floats | None = None) -> None:
        self._cells, self._cell_m = cells, cell_m
        self._array = np.empty((cells, cells, 4)) if memory is None else memory
        self._array[:] = EMPTY
        centers = (np.arange(cells) - 0.5 * (cells - 1)) * cell_m
        self._array[:, :, X], self._array[:, :, Y] = centers[:, None], centers[None, :]

    def get_map_array(self) -> Floats:
        """Return the map itself, shape (cells, cells, 4): x, y, height, rock. The first index is along x."""
        return self._array

    def get_cell_number(self) -> int:
        """Return the number of cells along a side."""
        return self._cells

    def get_cell_size(self) -> float:
        """Return the width of a cell [m]."""
        return self._cell_m

    def get_cell_indexes(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the indices of the cell at a position [m], None outside. A boundary belongs to the lower cell."""
        found = []
        for value in (x, y):
            place = value / self._cell_m + 0.5 * self._cells
            if not 0.0 <= place <= self._cells:
                return None
            found.append(max(0, math.ceil(place) - 1))
        return found[0], found[1]

    def get_cell_height(self, x_index: int, y_index: int) -> float | None:
        """Return the height of a cell [m], None outside."""
        return self._get(x_index, y_index, HEIGHT)

    def set_cell_height(self, x_index: int, y_index: int, height: float) -> None:
        """Set the height of a cell [m]; nothing outside."""
        self._set(x_index, y_index, HEIGHT, height)

    def get_height(self, x: float, y: float) -> float | None:
        """Return the height at a position [m], None outside."""
        return self._at(x, y, HEIGHT)

    def set_height(self, x: float, y: float, height: float) -> None:
        """Set the height of the cell at a position [m]; nothing outside."""
        indices = self.get_cell_indexes(x, y)
        if indices is not None:
            self._set(*indices, HEIGHT, height)

    def get_cell_rock(self, x_index: int, y_index: int) -> float | None:
        """Return whether a cell has a rock, None outside."""
        return self._get(x_index, y_index, ROCK)

    def set_cell_rock(self, x_index: int, y_index: int, rock: float) -> None:
        """Set whether a cell has a rock; nothing outside."""
        self._set(x_index, y_index, ROCK, rock)

    def get_rock(self, x: float, y: float) -> float | None:
        """Return whether there is a rock at a position [m], None outside."""
        return self._at(x, y, ROCK)

    def set_rock(self, x: float, y: float, rock: float) -> None:
        """Set whether the cell at a position [m] has a rock; nothing outside."""
        indices = self.get_cell_indexes(x, y)
        if indices is not None:
            self._set(*indices, ROCK, rock)

    def _inside(self, x_index: int, y_index: int) -> bool:
        return 0 <= x_index < self._cells and 0 <= y_index < self._cells

    def _get(self, x_index: int, y_index: int, layer: int) -> float | None:
        return float(self._array[x_index, y_index, layer]) if self._inside(x_index, y_index) else None

    def _set(self, x_index: int, y_index: int, layer: int, value: float) -> None:
        if self._inside(x_index, y_index):
            self._array[x_index, y_index, layer] = value

    def _at(self, x: float, y: float, layer: int) -> float | None:
        indices = self.get_cell_indexes(x, y)
        return None if indices is None else self._get(*indices, layer)


def true_map(cells: int, cell_m: float, surface: Surface) -> GeometricMap:
    """Return the true map of a surface: per cell the mean height of 16 vertical rays, and whether one meets a rock.

    A ray that meets no ground counts as height 0 without a rock.

    Args:
        cells: Number of cells along a side.
        cell_m: Width of a cell [m].
        surface: The surface.

    Tests: test_challenge_scores.py::test_truth_is_the_mean_of_sixteen_rays.
    """
    made = GeometricMap(cells, cell_m)
    array = made.get_map_array()
    heights, rocks = np.zeros((cells, cells)), np.zeros((cells, cells), dtype=bool)
    rays = list(places_in_cells(array[:, :, X], array[:, :, Y], cell_m))
    for x, y in rays:
        height, rock = surface(x, y)
        known = np.isfinite(height)
        heights += np.where(known, height, 0.0)
        rocks |= rock & known
    array[:, :, HEIGHT], array[:, :, ROCK] = heights / len(rays), rocks
    return made
