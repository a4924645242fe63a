# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A cycle of a vehicle under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.tools.tool_substep import ToolStepArrays

Vector = NDArray[np.float64]


@dataclass(slots=True)
class CycleMotion:
    """A cycle between :meth:`~regolith_vehicles.dynamics.vehicle.Vehicle.begin`, which sets it out, and ``finish``."""

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
    digging: ToolStepArrays | None = None
    """Tools at work."""
    ground: Callable[[], list[NodeRecords]] = list
    """What the ground itself has changed, asked when the substeps are over."""
    status: int = substeps.OK
    """Outcome of the loop."""
    left: list[NodeRecords] = field(default_factory=list)
    """Its answer."""
    trouble: str = ''
    """What broke down in ground that moves, in words."""
    acceleration: float = substeps.MARGIN_ACCELERATION
    """Of a part within the cycle, that soil, solids and tools around it were chosen for [m/s^2]."""
    start: bytes = b''
    """State of the vehicle at the start."""
    given: tuple[int, tuple[ArrayLike, ...]] = (0, ())
    """Length of the cycle [ns] and targets of the running gear."""
    flips: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Substeps in which each actuator went from one limit of its force to the other, shape (nu,)."""

    @property
    def alternation(self) -> Vector:
        """Fraction of the substeps in which each actuator did, shape (nu,)."""
        return self.flips / len(self.samples)

    @property
    def left_window(self) -> bool:
        """Whether a part went beyond the soil of the cycle."""
        return substeps.LEFT_WINDOW <= self.status < substeps.SCRATCH_TOO_SMALL

    def become(self, other: CycleMotion) -> None:
        """Take all that another one is."""
        for each in fields(self):
            setattr(self, each.name, getattr(other, each.name))

    def run(self) -> None:
        """Do all substeps."""
        try:
            self.status = self.loop()
            self.left = self.ground()
        except FloatingPointError as error:  # it may be another thread that runs here
            self.trouble = str(error)
