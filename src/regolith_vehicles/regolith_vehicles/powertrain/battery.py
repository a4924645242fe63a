# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Battery model: a voltage source behind a resistance, with a voltage that decreases as it discharges.

Effects of temperature, age and rest are neglected: the stored energy is fully available.

Source: plett2015, chapter 2.
Checked by: test_battery.py::test_battery_supplies_its_energy_minus_resistive_losses.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.powertrain.config import BatteryConfig
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

STORED, DRAWN, RETURNED, CURRENT, VOLTAGE = range(5)
"""Columns of a battery's state.

They are: energy in the cells [J]; energy drawn at the terminals [J]; energy returned there [J]; current out of the
terminals [A]; voltage between them [V].
"""
CHARGE_STATES = 5


class Battery(NamedTuple):
    """Constant parameters of a battery."""

    capacity: float
    """Energy of the full battery [J]."""
    empty_voltage: float
    """Voltage of empty cells without load [V]."""
    full_voltage: float
    """Voltage of full cells without load [V]."""
    resistance: float
    """Inner resistance [ohm]."""
    standby: float
    """Power that is always drawn [W]."""


def make_battery(config: BatteryConfig) -> Battery:
    """Return the battery of a vehicle's file."""
    low, high = config.voltage_v
    return Battery(3600.0 * config.energy_wh, low, high, config.resistance_ohm, config.standby_w)


def full_charge(config: BatteryConfig) -> Floats:
    """Return the initial state of a battery, shape (CHARGE_STATES,)."""
    low, high = config.voltage_v
    charge = np.zeros(CHARGE_STATES)
    charge[STORED] = 3600.0 * config.energy_wh * config.initial_state_of_charge
    charge[VOLTAGE] = low + (high - low) * config.initial_state_of_charge
    return charge


def state_of_charge(config: BatteryConfig, charge: Floats) -> float:
    """Return the state of charge, 0 to 1."""
    return float(charge[STORED]) / (3600.0 * config.energy_wh)


def battery_summary(config: BatteryConfig, charge: Floats) -> dict[str, float]:
    """Return a battery's values in the run's summary: state_of_charge (0 to 1), energy drawn and returned [W h]."""
    return {
        'state_of_charge': state_of_charge(config, charge),
        'drawn_wh': float(charge[DRAWN]) / 3600.0,
        'returned_wh': float(charge[RETURNED]) / 3600.0,
    }


@kernel(views_only=True)
def max_power(battery: Battery, charge: Floats) -> float:
    """Return the maximum power for motors [W]: V^2 / 4 R at the terminals, zero for an empty battery."""
    if charge[STORED] <= 0.0:
        return 0.0
    open_voltage = _open_voltage(battery, charge)
    most: float = max(0.0, 0.25 * open_voltage * open_voltage / battery.resistance - battery.standby)
    return most


@kernel(views_only=True)
def _open_voltage(battery: Battery, charge: Floats) -> float:
    share = min(max(charge[STORED] / battery.capacity, 0.0), 1.0)
    voltage: float = battery.empty_voltage + (battery.full_voltage - battery.empty_voltage) * share
    return voltage


@kernel(views_only=True)
def draw(battery: Battery, charge: Floats, power: float, step: float) -> None:
    """Draw a power for some time; negative power charges the battery, unless it is full.

    With V without load and R, the current i of a power P satisfies V i - R i^2 = P; the cells lose V i.

    Args:
        battery: Parameters of the battery.
        charge: In/out: state of the battery, shape (CHARGE_STATES,).
        power: Power of the motors [W], at most :func:`max_power`.
        step: Time [s].

    Source: plett2015, chapter 2.
    Checked by: test_battery.py::test_battery_supplies_its_energy_minus_resistive_losses.
    """
    if charge[STORED] <= 0.0:
        charge[STORED], charge[CURRENT] = 0.0, 0.0
        charge[VOLTAGE] = battery.empty_voltage
        if power >= 0.0:
            return
    power += battery.standby
    open_voltage = _open_voltage(battery, charge)
    inside = max(0.0, open_voltage * open_voltage - 4.0 * battery.resistance * power)
    current = 0.5 * (open_voltage - math.sqrt(inside)) / battery.resistance
    if current < 0.0 and charge[STORED] >= battery.capacity:
        current = 0.0  # a resistor dissipates the returned power
    charge[CURRENT], charge[VOLTAGE] = current, open_voltage - battery.resistance * current
    out = charge[VOLTAGE] * current * step
    if out > 0.0:
        charge[DRAWN] += out
    else:
        charge[RETURNED] -= out
    charge[STORED] = min(max(charge[STORED] - open_voltage * current * step, 0.0), battery.capacity)
