# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The soil that parts of a vehicle can reach within a cycle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.scm.constants import SPARE_CELLS
from regolith_vehicles.dynamics import substeps

Vector = NDArray[np.float64]

_MARGIN_CELLS = 1.0 + SPARE_CELLS


def window_around(
    grid: SoilGrid,
    places: Vector,
    velocities: Vector,
    margin: Vector,
    duration: float,
    acceleration: float = substeps.MARGIN_ACCELERATION,
) -> SoilWindow | None:
    """Return the window of soil within reach of parts; None if one is too fast or too far away.

    Args:
        places: Of their origins, x and y [m], shape (n, 2).
        velocities: Along these [m/s].
        margin: Round each place [m], shape (n,).
        duration: Of the cycle [s].
        acceleration: Of a part within the cycle that the window allows for [m/s^2].
    """
    speeds, spacing = np.abs(velocities), grid.spacing
    margin = margin + 0.5 * acceleration * duration**2 + _MARGIN_CELLS * spacing
    reach = speeds * duration + margin[:, None]
    if not speeds.max() <= substeps.TOP_SPEED:  # NaN neither
        return None
    low = np.floor((places - reach) / spacing)
    high = np.ceil((places + reach) / spacing) + 1.0
    if not np.abs((low, high)).max() < 2**30:
        return None
    parts = np.stack((low[:, 0], high[:, 0], low[:, 1], high[:, 1]), axis=1).astype(np.int32)
    (i0, j0), (i1, j1) = parts[:, ::2].min(axis=0).tolist(), parts[:, 1::2].max(axis=0).tolist()
    # Whole eights, so that the window seldom changes its size and the shear's arrays can be used again.
    return grid.window(i0, i0 + (i1 - i0 + 7) // 8 * 8, j0, j0 + (j1 - j0 + 7) // 8 * 8, parts)
