# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of the traction control of a vehicle in a scenario."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section


class TractionConfig(Section):
    """Traction control of wheels: wheels that slip more than a set value are slowed."""

    slip: float = Field(
        default=0.15, ge=0.01, le=0.9, description='Slip ratio of a wheel above which it is slowed [-].'
    )
    kp: float = Field(default=1.0, ge=0.0, le=100.0, description='Decrease of the speed factor per slip error [-].')
    ki: float = Field(
        default=3.0, ge=0.0, le=100.0, description='Decrease of the speed factor per slip error and time [1/s].'
    )
