# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of faults: key ``faults`` of a vehicle in a scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field, model_validator

from regolith_files import LONGEST_DURATION_S, SHORTEST_DURATION_S, Section, TimeSinceStart
from regolith_vehicles.description.model_config import VehicleModelConfig


class FaultKind(NamedTuple):
    """Kind of fault."""

    devices: tuple[str, ...]
    """Devices that can have it."""
    low: float = math.nan
    """Smallest value; NaN: it has no value."""
    high: float = math.inf
    """Largest value."""


_MOVED = ('wheel', 'joint', 'steering')
KINDS = {
    'stuck': FaultKind(_MOVED),
    'free': FaultKind(_MOVED),
    'weak': FaultKind(_MOVED, 0.0, 1.0),
    'friction': FaultKind(_MOVED, 0.0),
    'slow': FaultKind(_MOVED, 0.0, 1.0),
    'offset': FaultKind(('joint', 'steering'), -math.pi, math.pi),
    'backlash': FaultKind(('joint', 'steering'), 0.0, math.pi),
    'frozen': FaultKind(('encoder',)),
    'slips': FaultKind(('encoder',), 0.0, 1.0),
    'bias': FaultKind(('encoder',), -100.0, 100.0),
    'cell_lost': FaultKind(('battery',), 0.0, 1.0),
    'short': FaultKind(('battery',), 0.0),
    'dark': FaultKind(('panel',), 0.0, 1.0),
    'on': FaultKind(('load',)),
    'off': FaultKind(('load',)),
}
"""Kinds of faults by name."""


def device_names(model: VehicleModelConfig) -> tuple[str, ...]:
    """Return the devices of a vehicle that can have faults, as in :attr:`FaultConfig.of`.

    Wheels of cars and tracks are none of them.

    Args:
        model: Vehicle model.
    """
    wheels = [wheel.name for wheel in model.wheels]
    return (
        *(f'wheel/{name}' for name in wheels),
        *(f'encoder/{name}' for name in wheels),
        *(f'steering/{wheel.name}' for wheel in model.wheels if wheel.steer_joint is not None),
        *(f'joint/{name}' for name in sorted(model.joints)),
        *(['battery'] if wheels and model.battery is not None else []),
        *(f'panel/{name}' for name in model.panels),
        *(f'load/{name}' for name in model.loads),
    )


def fault_problem(faults: Sequence[FaultConfig], model: VehicleModelConfig) -> tuple[str, str, tuple[str, ...]] | None:
    """Return key, value and allowed values of the first fault whose device does not exist; None if all exist.

    Args:
        faults: Faults of a vehicle.
        model: Vehicle model.
    """
    devices, wheels = device_names(model), tuple(wheel.name for wheel in model.wheels)
    for k, fault in enumerate(faults):
        if fault.of not in devices:
            return f'faults.{k}.of', fault.of, devices
        for name in (fault.when.slip_above or {}) if fault.when is not None else {}:
            if name not in wheels:
                return f'faults.{k}.when.slip_above', name, wheels
    return None


class FaultCondition(Section):
    """Condition on the committed state at which a fault begins; exactly one key."""

    slip_above: dict[str, float] | None = Field(
        None, description='Slip ratio of a wheel above which the fault begins [-], by the name of the wheel.'
    )
    distance_above_m: float | None = Field(
        None, ge=0.0, description='Driven distance above which the fault begins [m].'
    )
    charge_below: float | None = Field(
        None, ge=0.0, le=1.0, description='State of charge below which the fault begins [-].'
    )

    @model_validator(mode='after')
    def _one(self) -> FaultCondition:
        given = [name for name, value in self if value is not None]
        if len(given) != 1 or (self.slip_above is not None and len(self.slip_above) != 1):
            raise ValueError(
                f'slip_above: is one of {len(given)} conditions; allowed: one of {", ".join(type(self).model_fields)}'
            )
        return self


class FaultConfig(Section):
    """One fault of a device of a vehicle."""

    of: str = Field(
        min_length=1,
        description="Device: 'wheel/NAME', 'joint/NAME', 'steering/WHEEL', 'encoder/WHEEL', 'battery', 'panel/NAME' or"
        " 'load/NAME'.",
    )
    kind: str = Field(description=f'Kind of the fault: {", ".join(KINDS)}.')
    value: float | None = Field(
        None,
        description='weak: remaining fraction of the force limit; friction: Coulomb friction [N m]; slow: remaining'
        ' fraction of the rate limit; offset, backlash: angle [rad]; slips: fraction of the rotation that is not'
        ' counted; bias: added angular speed [rad/s]; cell_lost: lost fraction of the stored energy; short: power [W];'
        ' dark: dark fraction of the panel. Other kinds have none.',
    )
    time_s: TimeSinceStart | None = Field(None, description='Simulated time at which the fault begins [s].')
    when: FaultCondition | None = Field(None, description='Condition at which the fault begins, in place of time_s.')
    for_s: float | None = Field(
        None,
        ge=SHORTEST_DURATION_S,
        le=LONGEST_DURATION_S,
        description='Duration of the fault [s]. Absent: it stays.',
    )

    @property
    def device(self) -> str:
        """Type of the device."""
        return self.of.partition('/')[0]

    @property
    def name(self) -> str:
        """Name of the device; '' for the battery."""
        return self.of.partition('/')[2]

    @model_validator(mode='after')
    def _possible(self) -> FaultConfig:
        if self.kind not in KINDS:
            raise ValueError(f'kind = {self.kind!r}: is unknown; allowed: {", ".join(KINDS)}')
        kind = KINDS[self.kind]
        if self.device not in kind.devices:
            raise ValueError(
                f'of = {self.of!r}: cannot have kind {self.kind}; allowed: {", ".join(kind.devices)} with a name'
            )
        if math.isnan(kind.low) and self.value is not None:
            raise ValueError(f'value = {self.value!r}: kind {self.kind} has no value; allowed: no value')
        if not math.isnan(kind.low) and (self.value is None or not kind.low <= self.value <= kind.high):
            raise ValueError(f'value = {self.value!r}: is out of range; allowed: {kind.low:g} to {kind.high:g}')
        if (self.time_s is None) == (self.when is None):
            raise ValueError('time_s: is needed without when, and not with it; allowed: time_s or when')
        return self
