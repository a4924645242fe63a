# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of a run: distance, slip and sinkage of a vehicle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle import Saved, StateLayout, state_fields

Vector = NDArray[np.float64]

_NONE: Vector = np.zeros(0)
SLOW = 1e-2
"""Speed below which a wheel counts as stopped [m/s]; a parked vehicle can oscillate on its soil by some mm/s."""


class Progress(NamedTuple):
    """Motion of a running gear in a cycle, as the run statistics count it."""

    moving: bool
    """Whether a motion was commanded."""
    rim_speeds: Vector = _NONE
    """Mean rim speeds of the wheels or bands over the cycle [m/s], shape (n,)."""
    slips: Vector = _NONE
    """Slip ratios of the wheels or bands at the end of the cycle [-], shape (n,)."""
    sinkage: float = 0.0
    """Maximum sinkage at the end of the cycle [m]."""


@dataclass(slots=True)
class RunStatistics(Saved):
    """Statistics of a vehicle in the run's summary; part of its state.

    Distances and slip count from the first command.
    """

    distance: float = 0.0
    """Horizontal path length of the base [m]."""
    slipped: float = 0.0
    """Integral of the mean slip ratio of turning wheels over their rolled distance [m]."""
    rolled: float = 0.0
    """Mean rolled distance of turning wheels at the rim [m]."""
    max_sinkage: float = 0.0
    """Maximum total sinkage of any wheel or shoe [m]."""
    commanded: float = 0.0
    """1 after the first command to move, else 0."""
    STATE: ClassVar[StateLayout] = StateLayout(
        'statistics', *state_fields('d', 'distance', 'slipped', 'rolled', 'max_sinkage', 'commanded')
    )

    @property
    def mean_slip(self) -> float:
        """Mean slip ratio over the rolled distance [-]; 0 before motion.

        The mean is over distance, not over time. A wheel that starts to turn slips while the soil's shear builds up,
        which takes a long time but a short distance.
        """
        return self.slipped / self.rolled if self.rolled > 0.0 else 0.0

    def update(self, way: float, progress: Progress, duration: float) -> None:
        """Add a cycle to the statistics.

        Args:
            way: Horizontal displacement of the base [m].
            progress: Motion of the running gear.
            duration: Duration of the cycle [s].
        """
        self.max_sinkage = max(self.max_sinkage, progress.sinkage)
        if progress.moving:
            self.commanded = 1.0
        if not self.commanded:
            return
        self.distance += way
        speeds = np.abs(progress.rim_speeds)
        turning = speeds >= SLOW
        if count := int(np.count_nonzero(turning)):
            rolled = float(np.add.reduce(speeds[turning]) / count) * duration
            self.rolled += rolled
            self.slipped += float(np.add.reduce(progress.slips[turning]) / count) * rolled

    def copy(self) -> RunStatistics:
        """Return an independent copy."""
        return replace(self)
