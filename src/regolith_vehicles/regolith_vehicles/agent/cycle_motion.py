# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion of a vehicle in a cycle that is in progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid import NodeRecords, SoilWindow
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.tools.tool_substep import ToolStepArrays

Vector = NDArray[np.float64]


@dataclass(slots=True)
class CycleMotion:
    """Cycle between :meth:`~regolith_vehicles.agent.vehicle.Vehicle.begin` and ``finish``."""

    loop: Callable[[], int]
    """Function that computes all substeps. It releases the interpreter lock and writes only this vehicle's data."""
    window: SoilWindow
    """Soil of the cycle."""
    contact: Any
    """Arguments of the ground contact, including its memory."""
    duration: float
    """Duration of the cycle [s]."""
    ramp: tuple[Vector, Vector]
    """Commands of the running gear at the start and the end of the cycle."""
    before: Any
    """State of the running gear at the start."""
    base_position: Vector
    """Position of the base at the start [m], shape (3,)."""
    samples: Vector
    """Motion of the base after every substep; see :func:`substeps.substep_loop`."""
    digging: ToolStepArrays | None = None
    """Active tools; None: no tool is active."""
    ground: Callable[[], list[NodeRecords]] = list
    """Function that returns the changes of moving soil after the substeps."""
    status: int = substeps.OK
    """Status of the substep loop."""
    left: list[NodeRecords] = field(default_factory=list)
    """Result of ``ground``."""
    trouble: str = ''
    """Failure of moving soil as text; '' if there is none."""
    acceleration: float = substeps.MARGIN_ACCELERATION
    """Acceleration of a part for which soil, obstacles and tools were selected [m/s^2]."""
    start: bytes = b''
    """State of the vehicle at the start."""
    given: tuple[int, tuple[ArrayLike, ...]] = (0, ())
    """Duration of the cycle [ns] and targets of the running gear."""
    flips: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of substeps in which each actuator switched from one force limit to the other, shape (nu,)."""

    @property
    def alternation(self) -> Vector:
        """Fraction of the substeps in which each actuator switched between its force limits [-], shape (nu,)."""
        return self.flips / len(self.samples)

    @property
    def left_window(self) -> bool:
        """Whether a part left the soil of the cycle."""
        return substeps.LEFT_WINDOW <= self.status < substeps.SCRATCH_TOO_SMALL

    def become(self, other: CycleMotion) -> None:
        """Replace all fields by those of another motion."""
        for each in fields(self):
            setattr(self, each.name, getattr(other, each.name))

    def run(self) -> None:
        """Compute all substeps."""
        try:
            self.status = self.loop()
            self.left = self.ground()
        except FloatingPointError as error:  # can run in another thread
            self.trouble = str(error)
