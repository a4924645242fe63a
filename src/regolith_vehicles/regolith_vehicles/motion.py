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
    begin: Vector
    """Controls at the start of the cycle."""
    end: Vector
    """Controls at its end."""
    wheel_angles: Vector
    """At its start, as what follows [rad]."""
    steer_angles: Vector
    base_position: Vector
    """[m]."""
    samples: Vector
    """Of the base after every substep, see :func:`substeps.substep_loop`."""
    status: int = substeps.OK

    def run(self) -> None:
        """Do all substeps."""
        self.status = self.loop()
