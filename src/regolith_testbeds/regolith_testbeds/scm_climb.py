# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slope climb of a driven wheel on SCM soil."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from regolith_terrain import contact, scm
from regolith_terrain.grid import Floats
from regolith_terrain.scm import constants
from regolith_testbeds.resumable_runs import Part
from regolith_testbeds.slope_climb import DrivenWheel, WheelRig, WheelTrack, check_slope, measured
from regolith_testbeds.soil_bin import SoilBin

_BLOCK_S = 0.01
"""Interval of samples [s]."""
_MARGIN = 4
"""Margin of grid nodes around the reach of the wheel."""


def wheel_shape(rig: WheelRig) -> contact.Shapes:
    """Return the contact shape: a cylinder of the size of the grousers, which carry soil by slip."""
    return contact.cylinder(rig.outermost_m, rig.width_m, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m)


class ScmClimb:
    """A climb on SCM, see :class:`regolith_testbeds.resumable_runs.ResumableRun`.

    It takes seconds, so no state is saved: from a checkpoint it starts again.
    """

    def __init__(
        self,
        rig: WheelRig,
        slope_deg: float,
        soil: Floats,
        grid_spacing_m: float = 0.01,
        dt_s: float = 1e-3,
        mode: str = 'regolith',
        rules: Floats = scm.NOTHING_MOVES,
    ) -> None:
        """Create the bin, which is as long as the wheel can travel in both directions and has no walls.

        Args:
            rig: Rig of the climb.
            slope_deg: Slope, positive upward in the direction of travel [deg].
            soil: Soil parameters, shape (9,).
            grid_spacing_m: Grid node spacing [m].
            dt_s: Step size [s].
            mode: Contact formulation, 'regolith' or 'reference'.
            rules: Displacement rules as in :class:`regolith_testbeds.soil_bin.SoilBin`.

        Raises:
            ValueError: If the slope is too steep.
        """
        check_slope(slope_deg)
        self.rig, self.dt = rig, dt_s
        self.wheel, self.track = DrivenWheel(rig, slope_deg), WheelTrack()
        way = rig.omega_radps * rig.outermost_m * rig.drive_s
        margin = _MARGIN + math.ceil(constants.BEHIND * rig.outermost_m / grid_spacing_m)
        along = math.ceil((way + rig.outermost_m) / grid_spacing_m) + margin
        across = math.ceil(0.5 * rig.trough.width_m / grid_spacing_m) + margin
        self.bin = SoilBin(soil, grid_spacing_m, mode, (-along, along + 1, -across, across + 1), displacement=rules)
        self.shape = self.bin.containing(wheel_shape(rig))
        self.steps = 0
        self._wall = 0.0

    @property
    def part(self) -> float:
        """Completed fraction."""
        return self.steps / self._all

    @property
    def _all(self) -> int:
        return max(1, round(self.rig.end_s / self.dt))

    def advance(self, tick: Part) -> None:
        """Advance by one sample."""
        begin = time.perf_counter()
        wheel, ground = self.wheel, self.bin
        total = np.zeros(2)
        count = min(max(1, round(_BLOCK_S / self.dt)), self._all - self.steps)
        for _ in range(count):
            _, x, z, vx, vz, _ = wheel.state
            status = ground.body(
                self.shape, (x, 0.0, z), wheel.rotation, (vx, 0.0, vz), (0.0, wheel.rate, 0.0), self.dt
            )
            if status != contact.CONTACT_OK or z < 0.0:
                raise ValueError(
                    f'slope_deg {wheel.slope_deg!r}: the wheel leaves the bed or sinks to its axle at '
                    f'{wheel.t:.3g} s; allowed: a slope and a load that the soil supports'
                )
            total += -ground.torque[1], ground.force[2]
            wheel.push(float(ground.force[0]), float(ground.force[2]), self.dt)
        self.steps += count
        self.track.add(wheel.t, float(wheel.state[1]), wheel.depth, *(total / count))
        self._wall += time.perf_counter() - begin

    def row(self) -> dict[str, Any]:
        """Return the results of the climb so far."""
        return {
            **measured(self.rig, self.track.array()),
            'elements': self.bin.window.level_initial.size,
            'steps': self.steps,
            'step_s': self.dt,
            'simulated_s': self.wheel.t,
            'wall_s': self._wall,
            'largest_overlap': None,
        }

    def save(self) -> bytes:
        """Return no data, see the class."""
        return b''

    def load(self, saved: bytes) -> None:
        """Do nothing, see the class."""
