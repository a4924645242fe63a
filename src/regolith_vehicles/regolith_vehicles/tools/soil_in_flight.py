# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil in flight: soil that left a tool and has not landed; it belongs to the vehicle that dropped it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation import SoilDeposit
from regolith_terrain.grid import MASS_QUANTUM_KGPM2, Indices, SoilGrid, node_key

Vector = NDArray[np.float64]

# Columns of a parcel: mass per area of a grid node [kg/m^2], position [m], velocity [m/s], direction of the tool's
# edge in the plane, half lengths of the rectangle in which it lands, along and across the edge [m].
MASS, X, VX, ALONG, HALF, PARCEL_COLUMNS = 0, 1, 4, 7, 9, 11


class SoilInFlight:
    """Parcels of soil on ballistic paths, one for each tool and cycle in which it dumped."""

    def __init__(self) -> None:
        self.parcels = np.zeros((0, PARCEL_COLUMNS))
        """Parcels, shape (n, PARCEL_COLUMNS), in the order in which they were dropped."""

    @property
    def mass(self) -> float:
        """Mass in flight, per area of a grid node [kg/m^2]; exact."""
        return float(self.parcels[:, MASS].sum())

    def drop(self, mass: float, place: Vector, velocity: Vector, along: Vector, half: tuple[float, float]) -> None:
        """Add a parcel.

        Args:
            mass: Mass in whole quanta, per area of a grid node [kg/m^2].
            place: Position at which it leaves the tool, world frame [m], shape (3,).
            velocity: Velocity with which it leaves the tool, world frame [m/s], shape (3,).
            along: Unit vector along the edge or axle in the plane, shape (2,).
            half: Half lengths of the rectangle in which it lands, along and across the edge [m].
        """
        self.parcels = np.vstack((self.parcels, np.concatenate(((mass,), place, velocity, along, half))))

    def fall(self, seconds: float, gravity: Vector, grid: SoilGrid) -> SoilDeposit | None:
        """Advance all parcels; return the soil that lands, None if there is none.

        A parcel moves as a point mass without air. It lands when it is not higher than the ground below its middle,
        and is spread evenly over the grid nodes in its rectangle.

        Args:
            seconds: Time [s].
            gravity: Gravitational acceleration in the world frame [m/s^2], shape (3,).
            grid: Committed soil grid.

        Source: goldstein2002.
        Checked by: test_soil_in_flight.py::test_parcel_moves_on_a_parabola.
        """
        if not len(self.parcels):
            return None
        parcels = self.parcels.copy()
        parcels[:, X : X + 3] += parcels[:, VX : VX + 3] * seconds + 0.5 * gravity * seconds**2
        parcels[:, VX : VX + 3] += gravity * seconds
        down = parcels[:, X + 2] <= grid.levels(parcels[:, X], parcels[:, X + 1])
        self.parcels = np.ascontiguousarray(parcels[~down])
        if not down.any():
            return None
        parts = [spread(parcel, grid.spacing) for parcel in parcels[down]]
        i, j, mass = (np.concatenate(part) for part in zip(*parts, strict=True))
        keys, first, names = np.unique(node_key(i, j), return_index=True, return_inverse=True)
        # Sums of whole quanta are exact in any order.
        together = np.zeros(len(keys))
        np.add.at(together, names, mass)
        landed = together > 0.0
        return SoilDeposit(i[first][landed], j[first][landed], together[landed])


def spread(parcel: Vector, spacing: float) -> tuple[Indices, Indices, Vector]:
    """Return the grid nodes in a parcel's rectangle, and its mass on each: equal parts, remaining quanta to the first.

    Args:
        parcel: Parcel, shape (PARCEL_COLUMNS,).
        spacing: Grid spacing [m].
    """
    x, y = parcel[X], parcel[X + 1]
    ax, ay = parcel[ALONG : ALONG + 2]
    along, across = parcel[HALF : HALF + 2]
    reach_x, reach_y = abs(ax) * along + abs(ay) * across, abs(ay) * along + abs(ax) * across
    rows = np.arange(math.ceil((x - reach_x) / spacing), math.floor((x + reach_x) / spacing) + 1, dtype=np.int32)
    columns = np.arange(math.ceil((y - reach_y) / spacing), math.floor((y + reach_y) / spacing) + 1, dtype=np.int32)
    i, j = (a.ravel() for a in np.meshgrid(rows, columns, indexing='ij'))
    dx, dy = i * spacing - x, j * spacing - y
    inside = (np.abs(dx * ax + dy * ay) <= along) & (np.abs(dx * ay - dy * ax) <= across)
    i, j = i[inside], j[inside]
    if not len(i):
        i, j = (np.array([math.floor(v / spacing + 0.5)], np.int32) for v in (x, y))
    quanta = round(parcel[MASS] / MASS_QUANTUM_KGPM2)
    each, odd = divmod(quanta, len(i))
    mass = np.full(len(i), float(each))
    mass[:odd] += 1.0
    return i, j, mass * MASS_QUANTUM_KGPM2
