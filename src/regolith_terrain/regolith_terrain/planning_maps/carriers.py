# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Layouts in which maps travel: ``nav_msgs/OccupancyGrid``, ``grid_map_msgs/GridMap`` and raster files.

A map here is an array of shape (n, m) whose first index is along x and whose second is along y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.planning_maps.layers import BLOCKED, CAUTION, FREE, UNKNOWN

Floats = NDArray[np.float64]
_OF_CLASS = {FREE: 0, CAUTION: 50, BLOCKED: 100, UNKNOWN: -1}


class MapFrame(NamedTuple):
    """Place of a map in its frame."""

    x0: float
    """Lowest x of the map, an edge of cells [m]."""
    y0: float
    """Lowest y of the map [m]."""
    cell_m: float
    """Width of a cell [m]."""
    shape: tuple[int, int]
    """Number of cells along x and along y."""

    @property
    def center(self) -> tuple[float, float]:
        """Center of the map [m]."""
        return self.x0 + 0.5 * self.cell_m * self.shape[0], self.y0 + 0.5 * self.cell_m * self.shape[1]

    def centers(self) -> tuple[Floats, Floats]:
        """Return x and y of the centers of all cells [m], shape (n, m) each."""
        x = self.x0 + (np.arange(self.shape[0]) + 0.5) * self.cell_m
        y = self.y0 + (np.arange(self.shape[1]) + 0.5) * self.cell_m
        found_x, found_y = np.meshgrid(x, y, indexing='ij')
        return found_x, found_y


def occupancy_values(classes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the data of an OccupancyGrid of traversability: 0 free, 50 caution, 100 blocked, -1 unknown.

    Row-major from the cell of lowest x and y, x fastest; the origin is the corner (x0, y0).

    Tests: test_planning_maps.py::test_one_map_is_the_same_in_every_carrier.
    """
    values = np.zeros(4, dtype=np.int8)
    values[list(_OF_CLASS)] = list(_OF_CLASS.values())
    return np.ascontiguousarray(values[classes].T).ravel()


def grid_map_values(layer: Floats) -> NDArray[np.float32]:
    """Return the data of a GridMap layer: column-major, from the cell of largest x and y, x falling fastest.

    The layout has dim[0] = (column_index, columns, rows * columns) and dim[1] = (row_index, rows, rows), with rows
    along x and columns along y. The pose is the center of the map.

    Tests: test_planning_maps.py::test_one_map_is_the_same_in_every_carrier.
    """
    return np.ascontiguousarray(layer[::-1, ::-1].T, dtype=np.float32).ravel()


def raster_values(layer: Floats) -> NDArray[np.float32]:
    """Return a layer as rows of an image, the northern one first and west to the left, shape (m, n).

    Its affine transform is (cell, 0, x0, 0, -cell, y0 + m cell).

    Tests: test_planning_maps.py::test_one_map_is_the_same_in_every_carrier.
    """
    return np.ascontiguousarray(layer.T[::-1], dtype=np.float32)
