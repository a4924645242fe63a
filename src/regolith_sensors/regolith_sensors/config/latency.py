# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of the latency of a sensor, see :mod:`regolith_sensors.latency`."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section


class LatencyConfig(Section):
    """Latency of a sensor."""

    readout_s: float = Field(0.0, ge=0.0, le=10.0, description='Readout time after the end of a frame [s].')
    lag_s: float = Field(0.0, ge=0.0, le=10.0, description='Constant delay after the readout [s].')
    jitter_s: float = Field(
        0.0, ge=0.0, le=10.0, description='Standard deviation of a normal number whose absolute value is added [s].'
    )
    queue: int | None = Field(
        None, ge=1, le=10_000, description='Number of waiting frames at which a new one is dropped; null: no limit.'
    )

    @property
    def is_zero(self) -> bool:
        """Whether every message is published at once."""
        return self.readout_s == self.lag_s == self.jitter_s == 0.0
