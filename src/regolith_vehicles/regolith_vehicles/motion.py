# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A cycle of a vehicle under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.soil_grid import SoilWindow
from regolith_vehicles import substeps

Vector = NDArray[np.float64]


@dataclass(slots=True)
class Motion:
    """What :meth:`~regolith_vehicles.vehicle.Vehicle.begin` set out and ``finish`` needs."""

    loop: Callable[[], int]
    """All substeps; runs without the interpreter lock, writes only what this vehicle owns."""
    window: SoilWindow
    contact: Any
    """What the ground contact was given, its memory in it."""
    duration: float
    ramp: tuple[Vector, Vector]
    """Commands of the running gear at its start and at its end."""
    before: Any
    """What the gear wants to know of its start."""
    base_position: Vector
    """[m]."""
    samples: Vector
    """Of the base after every substep, see :func:`substeps.substep_loop`."""
    status: int = substeps.OK

    def run(self) -> None:
        """Do all substeps."""
        self.status = self.loop()
