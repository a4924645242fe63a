# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of the encoders of wheels."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section


class EncoderConfig(Section):
    """Incremental encoders of the wheels."""

    ticks_per_revolution: int = Field(4096, ge=1, le=2**31, description='Encoder ticks per wheel revolution.')
    jitter_rad: float = Field(
        0.0, ge=0.0, le=1.0, description='Standard deviation of the angle at which an encoder edge is detected [rad].'
    )
