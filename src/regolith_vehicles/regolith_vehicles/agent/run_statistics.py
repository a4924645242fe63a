# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a run: a vehicle's way, its slip and its sinkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.contact import wheel_state

Vector = NDArray[np.float64]


@dataclass(slots=True)
class RunStatistics:
    """A vehicle's figures in the run's summary; part of its state. Ways and slip count from the first command."""

    distance: float = 0.0
    """Horizontal path of the base [m]."""
    slipped: float = 0.0
    """Integral of the turning wheels' mean slip ratio over the way they roll [m]."""
    rolled: float = 0.0
    """Mean way the rims of turning wheels went [m]."""
    max_sinkage: float = 0.0
    """Deepest total sinkage of any wheel or shoe [m]."""
    commanded: float = 0.0
    """1 once anything but standing still was commanded."""

    @property
    def mean_slip(self) -> float:
        """Mean slip ratio over the way the wheels rolled [-]; 0 before.

        Over the way, not over time: a wheel that starts to turn slips while the soil's shear builds up, which is long
        in time and short in metres.
        """
        return self.slipped / self.rolled if self.rolled > 0.0 else 0.0

    def update(
        self, way: float, rim_speeds: Vector, slips: Vector, sinkage: float, commanded: bool, duration: float
    ) -> None:
        """Add a cycle.

        Args:
            way: Horizontal, of the base [m].
            rim_speeds: Of the wheels or bands, mean over the cycle [m/s], shape (n,).
            slips: Their slip ratios at its end, shape (n,).
            sinkage: The deepest then [m].
            commanded: Whether wheels were told to turn.
            duration: [s].
        """
        self.max_sinkage = max(self.max_sinkage, sinkage)
        if commanded:
            self.commanded = 1.0
        if not self.commanded:
            return
        self.distance += way
        speeds = np.abs(rim_speeds)
        turning = speeds >= wheel_state.SLOW
        if count := int(np.count_nonzero(turning)):
            rolled = float(np.add.reduce(speeds[turning]) / count) * duration
            self.rolled += rolled
            self.slipped += float(np.add.reduce(slips[turning]) / count) * rolled

    def values(self) -> tuple[float, ...]:
        """Return all figures in their order; ``RunStatistics(*values)`` restores them."""
        return self.distance, self.slipped, self.rolled, self.max_sinkage, self.commanded

    def copy(self) -> RunStatistics:
        """Return figures that do not change with these."""
        return RunStatistics(*self.values())


COUNT = len(RunStatistics().values())
