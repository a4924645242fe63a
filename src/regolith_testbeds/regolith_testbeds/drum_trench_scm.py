# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bucket drum that digs a trench in soil columns, by the earthmoving equation."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from regolith_terrain.contact import make_pose
from regolith_terrain.excavation import make_tools, sweep, sweep_drum
from regolith_testbeds.drum_trench import Drum, Samples, drum_results
from regolith_testbeds.resumable_runs import Part

_BLOCK = 20
"""Steps of one advance, whose means are a sample."""
_HEAVY = 1e9
"""Mass moved by the force [kg]: the motion is given, so the force need not decrease for an explicit step."""
_ROOM = 1e6
"""Capacity of a drum that is never full [kg]."""


class ScmTrench:
    """A drum in soil columns, see :class:`regolith_testbeds.resumable_runs.ResumableRun`.

    It takes seconds, so no state is saved: from a checkpoint it starts again.
    """

    def __init__(self, drum: Drum, soil_tool: float, spacing: float, step: float) -> None:
        """Create a level surface from which the circle of the lips is removed.

        Args:
            drum: Drum and soil.
            soil_tool: Friction angle between soil and lips [rad]; negative: two thirds of that of the soil.
            spacing: Grid node spacing [m].
            step: Step size [s].
        """
        self.drum, self._step, self._spacing = drum, step, spacing
        way = drum.advance * drum.gone(drum.end)
        first = -math.ceil(drum.radius / spacing) - 1
        count = math.ceil((way + drum.radius) / spacing) + 2 - first
        x = (first + np.arange(count)) * spacing
        level = np.zeros((count, 1))
        inside = np.abs(x) < drum.reach
        level[inside, 0] = drum.radius - drum.depth - np.sqrt(drum.radius**2 - x[inside] ** 2)
        # One row of grid nodes, and a drum as wide as the row.
        numbers = np.array(
            [
                [
                    0.5 * spacing,
                    drum.radius,
                    float(drum.lips),
                    drum.rake,
                    soil_tool,
                    0.0,
                    _ROOM,
                    _HEAVY,
                ]
            ]
        )
        self._tools = make_tools(
            np.array([sweep.DRUM]),
            numbers,
            np.array([[0.0, 1.0]]),
            np.ones((1, 2)),
            np.zeros(1),
            np.full((1, 2, 3), np.nan),
            np.array([[drum.density, drum.cohesion, drum.friction]]),
            level,
            np.full((count, 1), -1e3),
            np.zeros((count, 1), np.uint8),
            first,
            0,
            spacing,
            drum.gravity,
        )
        self._samples: Samples = []
        self._steps, self._wall = 0, 0.0

    @property
    def _all(self) -> int:
        return max(1, round(self.drum.end / self._step))

    @property
    def part(self) -> float:
        """Completed fraction."""
        return self._steps / self._all

    def advance(self, tick: Part) -> None:
        """Advance by some steps."""
        begin = time.perf_counter()
        drum, tools, pose = self.drum, self._tools, make_pose()
        force, torque, total = np.zeros(3), np.zeros(3), np.zeros(3)
        count = min(_BLOCK, self._all - self._steps)
        for _ in range(count):
            t = (self._steps + 0.5) * self._step
            share = drum.share(t)
            pose.center[:] = drum.advance * drum.gone(t), 0.0, drum.radius - drum.depth
            pose.velocity[0] = share * drum.advance
            sweep_drum(tools, 0, self._step, pose, share * drum.rate, force, torque)
            total += -torque[1], -force[0], force[2]
            self._steps += 1
        torque_y, draft, lift = (total / (count * self._spacing)).tolist()
        held = float(tools.telemetry[0, sweep.HELD]) / self._spacing
        self._samples.append((self._steps * self._step, torque_y, torque_y, draft, lift, held))
        self._wall += time.perf_counter() - begin

    def row(self) -> dict[str, Any]:
        """Return the results so far."""
        return {
            **drum_results(self.drum, self._samples),
            'simulated_s': self._steps * self._step,
            'elements': self._tools.level.size,
            'steps': self._steps,
            'step_s': self._step,
            'wall_s': self._wall,
        }

    def save(self) -> bytes:
        """Return no data, see the class."""
        return b''

    def load(self, saved: bytes) -> None:
        """Do nothing, see the class."""
