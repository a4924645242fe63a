# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil window that the parts of a vehicle can reach within a cycle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import WINDOW_MARGIN_CELLS
from regolith_terrain.grid import SoilGrid, SoilWindow
from regolith_vehicles.dynamics import substeps

Vector = NDArray[np.float64]

_MARGIN_CELLS = 1.0 + WINDOW_MARGIN_CELLS


def window_around(
    grid: SoilGrid,
    places: Vector,
    velocities: Vector,
    margin: Vector,
    duration: float,
    acceleration: float = substeps.MARGIN_ACCELERATION,
) -> SoilWindow | None:
    """Return the soil window within reach of parts; None if a part is too fast or too far away.

    Args:
        grid: Soil grid.
        places: Origins of the parts, x and y [m], shape (n, 2).
        velocities: Velocities of the parts along x and y [m/s], shape (n, 2).
        margin: Margin around each origin [m], shape (n,).
        duration: Duration of the cycle [s].
        acceleration: Maximum acceleration of a part within the cycle [m/s^2].
    """
    speeds, spacing = np.abs(velocities), grid.spacing
    margin = margin + 0.5 * acceleration * duration**2 + _MARGIN_CELLS * spacing
    reach = speeds * duration + margin[:, None]
    if not speeds.max() <= substeps.TOP_SPEED:  # also true for NaN
        return None
    low = np.floor((places - reach) / spacing)
    high = np.ceil((places + reach) / spacing) + 1.0
    if not np.abs((low, high)).max() < 2**30:
        return None
    parts = np.stack((low[:, 0], high[:, 0], low[:, 1], high[:, 1]), axis=1).astype(np.int32)
    (i0, j0), (i1, j1) = parts[:, ::2].min(axis=0).tolist(), parts[:, 1::2].max(axis=0).tolist()
    # Multiples of eight nodes: the window rarely changes its size, so the shear arrays can be reused.
    return grid.window(i0, i0 + (i1 - i0 + 7) // 8 * 8, j0, j0 + (j1 - j0 + 7) // 8 * 8, parts)
