# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheel encoders: angles in whole ticks with edge jitter, and speeds from tick counts.

Regolith's own model. A reading is a pure function of the true state and the sample's index, so subscribers and
restarts do not change it. Simplification: between two samples a wheel is assumed to turn at its speed at the second
sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.encoder_config import EncoderConfig
from regolith_world.numerics import kernel
from regolith_world.random import normal_and_uniform, stream_key

Floats = NDArray[np.float64]


class Encoders:
    """Encoders of one vehicle."""

    def __init__(self, config: EncoderConfig, seed: int, name: str, rate_hz: float) -> None:
        """Make the encoders of a vehicle.

        Args:
            config: Configuration of the encoders.
            seed: Seed of the scenario.
            name: Name of the vehicle.
            rate_hz: Sample rate [Hz].
        """
        self.config = config
        self._key = stream_key(seed, name, 'encoders')
        self._rate_hz = rate_hz

    def sample(self, n: int, angle: Floats, speed: Floats) -> tuple[Floats, Floats]:
        """Return the counted angles [rad] and speeds [rad/s] of sample n >= 0, shape (wheels,) each.

        Args:
            n: Index of the sample.
            angle: True angles [rad], shape (wheels,), not wrapped.
            speed: True speeds [rad/s], shape (wheels,).
        """
        # Samples count from 1 in the stream, since the angle before the first sample also needs jitter.
        now = self._counted(n + 1, angle)
        return now, (now - self._counted(n, angle - speed / self._rate_hz)) * self._rate_hz

    def _counted(self, n: int, angle: Floats) -> Floats:
        """Return angles [rad] in whole ticks, with the jitter of sample n of the stream."""
        step = 2.0 * np.pi / self.config.ticks_per_revolution
        seen = angle + self.config.jitter_rad * _jitter(self._key, n, len(angle))
        out: Floats = np.floor(seen / step + 0.5) * step
        return out


@kernel
def _jitter(key: np.uint64, n: int, count: int) -> Floats:
    """Return standard normal numbers of a sample, one per wheel, shape (count,)."""
    out = np.empty(count)
    for wheel in range(count):
        out[wheel] = normal_and_uniform(key, n, wheel)[0]
    return out
