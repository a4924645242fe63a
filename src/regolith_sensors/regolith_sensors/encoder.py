# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheel encoders: angles in ticks, speeds from counting them, with the jitter of their edges."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regolith_sensors.drift import white
from regolith_world.config import Section

Floats = NDArray[np.float64]


class EncoderConfig(Section):
    """Incremental encoders on some joints."""

    type: Literal['encoder'] = 'encoder'
    description: str = ''
    rate_hz: float = Field(50.0, gt=0.0, le=10000.0, description='samples per second of simulated time')
    ticks: int = Field(4096, ge=1, description='per turn')
    jitter_rad: float = Field(0.0, ge=0.0, description='standard deviation of where an edge is seen [rad]')


class Encoder:
    """The encoders of one vehicle."""

    def __init__(self, config: EncoderConfig, seed: int, name: str) -> None:
        """Make them: ``seed`` of the scenario, ``name`` of the sensor."""
        self.config = config
        self._noise = (seed, name, 'jitter')

    def sample(self, n: int, angle: Floats, previous_angle: Floats) -> tuple[Floats, Floats]:
        """Return sample n: (angles [rad], speeds [rad/s]) as counted.

        :param angle: true ones now [rad], shape (joints,), not wrapped
        :param previous_angle: true ones a sample ago [rad]
        """
        step = 2.0 * np.pi / self.config.ticks
        now, before = (self._counted(max(k, 0), a, step) for k, a in ((n, angle), (n - 1, previous_angle)))
        return now, (now - before) * self.config.rate_hz

    def _counted(self, n: int, angle: Floats, step: float) -> Floats:
        seen = angle + self.config.jitter_rad * white(*self._noise, n, 1, len(angle))[0]
        out: Floats = np.floor(seen / step + 0.5) * step
        return out
