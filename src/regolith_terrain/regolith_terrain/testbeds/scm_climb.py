# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A driven wheel that climbs a slope of the grid's soil (SCM)."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from regolith_terrain import scm
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.constants import BEHIND
from regolith_terrain.testbeds.resumable_runs import Part
from regolith_terrain.testbeds.slope_climb import DrivenWheel, WheelRig, WheelTrack, check_slope, measured
from regolith_terrain.testbeds.soil_bin import SoilBin

_BLOCK_S = 0.01
"""Between samples [s]."""
_MARGIN = 4
"""Nodes about what the wheel reaches."""


def wheel_shape(rig: WheelRig) -> scm.Shapes:
    """Return what presses on the soil: a cylinder as large as the grousers reach, which carry soil in a slip."""
    return scm.cylinder(rig.outermost_m, rig.width_m, rig.grousers, rig.grouser_height_m, rig.grouser_thickness_m)


class ScmClimb:
    """A climb on its way (:class:`regolith_terrain.testbeds.resumable_runs.ResumableRun`).

    It takes seconds, so nothing of it is saved: from a checkpoint it starts anew.
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
        """Fill the bin. It is as long as the wheel can travel either way, and has no walls.

        Args:
            slope_deg: Upwards in the direction of travel [deg].
            soil: Its parameters.
            grid_spacing_m: Spacing of the nodes [m].
            dt_s: Step [s].
            mode: 'regolith' or 'reference'.
            rules: Of displaced soil, as :class:`regolith_terrain.testbeds.soil_bin.SoilBin` takes them.

        Raises:
            ValueError: If it is too steep.
        """
        check_slope(slope_deg)
        self.rig, self.dt = rig, dt_s
        self.wheel, self.track = DrivenWheel(rig, slope_deg), WheelTrack()
        way = rig.omega_radps * rig.outermost_m * rig.drive_s
        margin = _MARGIN + math.ceil(BEHIND * rig.outermost_m / grid_spacing_m)
        along = math.ceil((way + rig.outermost_m) / grid_spacing_m) + margin
        across = math.ceil(0.5 * rig.trough.width_m / grid_spacing_m) + margin
        self.bin = SoilBin(soil, grid_spacing_m, mode, (-along, along + 1, -across, across + 1), displacement=rules)
        self.shape = self.bin.containing(wheel_shape(rig))
        self.steps = 0
        self._wall = 0.0

    @property
    def part(self) -> float:
        """Return the part that is done."""
        return self.steps / self._all

    @property
    def _all(self) -> int:
        return max(1, round(self.rig.end_s / self.dt))

    def advance(self, tick: Part) -> None:
        """Go on by a sample."""
        begin = time.perf_counter()
        wheel, ground = self.wheel, self.bin
        total = np.zeros(2)
        count = min(max(1, round(_BLOCK_S / self.dt)), self._all - self.steps)
        for _ in range(count):
            _, x, z, vx, vz, _ = wheel.state
            status = ground.body(
                self.shape, (x, 0.0, z), wheel.rotation, (vx, 0.0, vz), (0.0, wheel.rate, 0.0), self.dt
            )
            if status != scm.OK or z < 0.0:
                raise ValueError(
                    f'slope_deg {wheel.slope_deg!r}: the wheel leaves the bed, or it sinks to its axle at '
                    f'{wheel.t:.3g} s; allowed: a slope and a load that the soil bears'
                )
            total += -ground.torque[1], ground.force[2]
            wheel.push(float(ground.force[0]), float(ground.force[2]), self.dt)
        self.steps += count
        self.track.add(wheel.t, float(wheel.state[1]), wheel.depth, *(total / count))
        self._wall += time.perf_counter() - begin

    def row(self) -> dict[str, Any]:
        """Return the figures of the climb so far."""
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
        """Return nothing: see above."""
        return b''

    def load(self, saved: bytes) -> None:
        """Do nothing: see above."""
