# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Payloads of a vehicle's file, and dispensers that release objects from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from regolith_files import Section, counted_noun

Vector3 = tuple[float, float, float]


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


class DispensedShape(Section):
    """Collision shape of a released object, about its center of mass."""

    kind: Literal['sphere', 'box', 'capsule', 'cylinder'] = Field(
        description='Shape: sphere, box, capsule or cylinder; the axis of capsules and cylinders is z.'
    )
    size_m: tuple[Annotated[float, Field(gt=0.0, le=100.0)], ...] = Field(
        min_length=1,
        max_length=3,
        description='Size [m]. Sphere: radius. Capsule and cylinder: radius, half length. Box: half lengths.',
    )

    @model_validator(mode='after')
    def _size_fits_kind(self) -> DispensedShape:
        wanted = {'sphere': 1, 'box': 3, 'capsule': 2, 'cylinder': 2}[self.kind]
        if len(self.size_m) != wanted:
            found = counted_noun(len(self.size_m), 'number')
            raise ValueError(f'size_m: has {found}; allowed: {wanted} for a {self.kind}')
        return self


class DispenserConfig(Section):
    """Dispenser of a body: it releases equal objects one by one, whose mass leaves a payload."""

    body: str = Field(min_length=1, description='MJCF body that carries the dispenser.')
    payload: str = Field(min_length=1, description='Payload of the vehicle that contains the objects.')
    position: Vector3 = Field(
        default=(0.0, 0.0, 0.0), description='Center of a released object in the body frame [m], outside all shapes.'
    )
    direction: Vector3 = Field(default=(1.0, 0.0, 0.0), description='Direction of release in the body frame.')
    speed_mps: float = Field(
        default=0.0, ge=0.0, le=1000.0, description='Speed of release relative to the point of the body [m/s].'
    )
    shape: DispensedShape = Field(description='Collision shape of an object, in the axes of the body.')
    mass_kg: float = Field(gt=0.0, le=1e6, description='Mass of an object [kg].')
    count: int = Field(ge=1, le=10_000, description='Number of objects at the start.')
    restitution: float = Field(default=0.0, ge=0.0, le=1.0, description='Coefficient of restitution of an object [-].')
    friction: float = Field(default=0.5, ge=0.0, le=10.0, description='Coulomb friction coefficient of an object [-].')

    @field_validator('direction')
    @classmethod
    def _points_somewhere(cls, direction: Vector3) -> Vector3:
        if not 1e-6 < sum(x * x for x in direction) < 1e12:
            raise ValueError('is no direction; allowed: a vector that is not zero')
        return direction


def check_dispensers(dispensers: dict[str, DispenserConfig], payloads: dict[str, PayloadConfig]) -> None:
    """Check that payloads contain the objects of all dispensers.

    Raises:
        ValueError: With key, value and what is allowed.
    """
    for name, one in dispensers.items():
        if not name.isidentifier():
            raise ValueError(f'dispensers.{name}: is not a valid name; allowed: letters, digits and _')
        if one.payload not in payloads:
            allowed = ', '.join(payloads) or 'none, since payloads is empty'
            raise ValueError(f'dispensers.{name}.payload = {one.payload!r}: does not exist; allowed: {allowed}')
        needed = sum(d.count * d.mass_kg for d in dispensers.values() if d.payload == one.payload)
        held = payloads[one.payload].mass_kg
        if needed > held * (1.0 + 1e-9):
            raise ValueError(
                f'payloads.{one.payload}.mass_kg = {held!r}: is less than its dispensers release; allowed: at least '
                f'{needed:g} kg'
            )
