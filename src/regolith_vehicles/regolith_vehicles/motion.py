# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A cycle of a vehicle under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.records import NodeRecords
from regolith_terrain.soil_grid import SoilWindow
from regolith_vehicles import substeps
from regolith_vehicles.tool_work import Digging

Vector = NDArray[np.float64]


@dataclass(slots=True)
class Motion:
    """A cycle between :meth:`~regolith_vehicles.vehicle.Vehicle.begin`, which sets it out, and ``finish``."""

    loop: Callable[[], int]
    """All substeps; runs without the interpreter lock, writes only what this vehicle owns."""
    window: SoilWindow
    """Soil of the cycle."""
    contact: Any
    """Arguments of the ground contact, its memory in them."""
    duration: float
    """[s]."""
    ramp: tuple[Vector, Vector]
    """Commands of the running gear at the start and at the end of the cycle."""
    before: Any
    """State of the running gear at the start."""
    base_position: Vector
    """Position of the base at the start [m], shape (3,)."""
    samples: Vector
    """Motion of the base after every substep, see :func:`substeps.substep_loop`."""
    digging: Digging | None = None
    """Tools at work."""
    ground: Callable[[], list[NodeRecords]] = list
    """What the ground itself has changed, asked when the substeps are over."""
    status: int = substeps.OK
    """Outcome of the loop."""
    left: list[NodeRecords] = field(default_factory=list)
    """Its answer."""
    trouble: str = ''
    """What broke down in ground that moves, in words."""

    def run(self) -> None:
        """Do all substeps."""
        try:
            self.status = self.loop()
            self.left = self.ground()
        except FloatingPointError as error:  # it may be another thread that runs here
            self.trouble = str(error)
