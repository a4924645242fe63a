# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A bucket drum that digs a trench in columns of soil, by the earthmoving equation."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.excavation.sweep import DRUM, HELD, make_tools, sweep_drum
from regolith_terrain.testbeds.drum_trench import Drum, Samples, drum_results
from regolith_terrain.testbeds.resumable_runs import Part

_BLOCK = 20
"""Steps of an advance, whose means are a sample."""
_HEAVY = 1e9
"""Mass that the force moves [kg]: the motion is given, so the force need not fade for an explicit step."""
_ROOM = 1e6
"""Of a drum that is never full [kg]."""


class ScmTrench:
    """A drum on its way (:class:`regolith_terrain.testbeds.resumable_runs.ResumableRun`).

    It takes seconds, so nothing of it is saved: from a checkpoint it starts anew.
    """

    def __init__(self, drum: Drum, soil_tool: float, spacing: float, step: float) -> None:
        """Begin over level ground out of which the lips' circle has been taken.

        Args:
            soil_tool: Friction angle between soil and lips [rad]; negative: two thirds of the soil's.
            spacing: Of the nodes [m].
            step: [s].
        """
        self.drum, self._step, self._spacing = drum, step, spacing
        way = drum.advance * drum.gone(drum.end)
        first = -math.ceil(drum.radius / spacing) - 1
        count = math.ceil((way + drum.radius) / spacing) + 2 - first
        x = (first + np.arange(count)) * spacing
        level = np.zeros((count, 1))
        inside = np.abs(x) < drum.reach
        level[inside, 0] = drum.radius - drum.depth - np.sqrt(drum.radius**2 - x[inside] ** 2)
        # One row of nodes, and a drum as wide as that row.
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
            np.array([DRUM]),
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
        """Return the part that is done."""
        return self._steps / self._all

    def advance(self, tick: Part) -> None:
        """Go on by some steps."""
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
        held = float(tools.told[0, HELD]) / self._spacing
        self._samples.append((self._steps * self._step, torque_y, torque_y, draft, lift, held))
        self._wall += time.perf_counter() - begin

    def row(self) -> dict[str, Any]:
        """Return the figures so far."""
        return {
            **drum_results(self.drum, self._samples),
            'simulated_s': self._steps * self._step,
            'elements': self._tools.level.size,
            'steps': self._steps,
            'step_s': self._step,
            'wall_s': self._wall,
        }

    def save(self) -> bytes:
        """Return nothing: see above."""
        return b''

    def load(self, saved: bytes) -> None:
        """Do nothing: see above."""
