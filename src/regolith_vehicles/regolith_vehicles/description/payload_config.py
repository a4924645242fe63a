# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Payloads of a vehicle's file."""

from __future__ import annotations

from pydantic import Field, model_validator

from regolith_files import Section


class PayloadConfig(Section):
    """Payload of a body: initial mass at the body's center of mass, and capacity. It rotates with the body."""

    body: str = Field(min_length=1, description='MJCF body that carries the payload.')
    capacity_kg: float = Field(gt=0.0, le=1e6, description='Maximum mass of the payload [kg].')
    mass_kg: float = Field(default=0.0, ge=0.0, description='Initial mass of the payload [kg].')
    inertia_kgm2: tuple[float, float, float] = Field(
        default=(0.0, 0.0, 0.0),
        description="Moments of inertia about the payload's center of mass, along the principal axes of the"
        " body's inertia [kg m^2].",
    )

    @model_validator(mode='after')
    def _is_a_body(self) -> PayloadConfig:
        if not self.mass_kg <= self.capacity_kg:
            raise ValueError(f'mass_kg: exceeds the capacity; allowed: up to capacity_kg, {self.capacity_kg!r}')
        a, b, c = sorted(self.inertia_kgm2)
        if not (a >= 0.0 and c <= (a + b) * (1.0 + 1e-9) and (self.mass_kg > 0.0 or c == 0.0)):
            raise ValueError(
                'inertia_kgm2: are not moments of inertia; allowed: none above the sum of the other two, all zero'
                ' without mass'
            )
        return self
