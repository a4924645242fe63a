# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A battery: a source of voltage behind a resistance, whose voltage falls as it empties.

What heat, age and rest do to cells is left out: the energy that is in it is all it can give.

Source: plett2015, chapter 2.
Checked by: test_battery.py::test_it_gives_what_was_in_it_less_what_its_resistance_takes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_vehicles.powertrain.config import BatteryConfig

Floats = NDArray[np.float64]

STORED, DRAWN, RETURNED, CURRENT, VOLTAGE = range(5)
"""Columns of a battery's state: energy in its cells [J]; energy that went out of its terminals and came in there [J];
current out of them [A] and voltage between them [V]."""
CHARGE_STATES = 5


class Battery(NamedTuple):
    """What does not change of it."""

    capacity: float
    """Energy in its cells when full [J]."""
    empty_voltage: float
    """Of the cells, without load [V]."""
    full_voltage: float
    """The same of full ones."""
    resistance: float
    """[ohm]"""
    standby: float
    """Power that is always drawn [W]."""


def make_battery(config: BatteryConfig) -> Battery:
    """Return the battery of a vehicle's file."""
    low, high = config.voltage_v
    return Battery(3600.0 * config.energy_wh, low, high, config.resistance_ohm, config.standby_w)


def full_charge(config: BatteryConfig) -> Floats:
    """Return the state of a battery at the start, shape (CHARGE_STATES,)."""
    low, high = config.voltage_v
    charge = np.zeros(CHARGE_STATES)
    charge[STORED] = 3600.0 * config.energy_wh * config.initial_state_of_charge
    charge[VOLTAGE] = low + (high - low) * config.initial_state_of_charge
    return charge


def state_of_charge(config: BatteryConfig, charge: Floats) -> float:
    """Return the energy in the cells over that of full ones, 0 to 1."""
    return float(charge[STORED]) / (3600.0 * config.energy_wh)


def battery_summary(config: BatteryConfig, charge: Floats) -> dict[str, float]:
    """Return the values of a battery for the summary: state_of_charge (0 to 1), energy drawn and returned [W h]."""
    return {
        'state_of_charge': state_of_charge(config, charge),
        'drawn_wh': float(charge[DRAWN]) / 3600.0,
        'returned_wh': float(charge[RETURNED]) / 3600.0,
    }


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def max_power(battery: Battery, charge: Floats) -> float:
    """Return the power that motors can have at most [W]: V^2 / 4 R at the terminals, nothing of an empty battery."""
    if charge[STORED] <= 0.0:
        return 0.0
    open_voltage = _open_voltage(battery, charge)
    most: float = max(0.0, 0.25 * open_voltage * open_voltage / battery.resistance - battery.standby)
    return most


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _open_voltage(battery: Battery, charge: Floats) -> float:
    share = min(max(charge[STORED] / battery.capacity, 0.0), 1.0)
    voltage: float = battery.empty_voltage + (battery.full_voltage - battery.empty_voltage) * share
    return voltage


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def draw(battery: Battery, charge: Floats, power: float, step: float) -> None:
    """Draw a power for some time; below zero it is returned, which a full battery does not take.

    With V without load and R, the current i of a power P has V i - R i^2 = P; its cells lose V i.

    Args:
        charge: in/out, by its columns.
        power: That motors take [W], at most :func:`max_power`.
        step: [s].

    Source: plett2015, chapter 2.
    Checked by: test_battery.py::test_it_gives_what_was_in_it_less_what_its_resistance_takes.
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
        current = 0.0  # a resistor burns what comes back
    charge[CURRENT], charge[VOLTAGE] = current, open_voltage - battery.resistance * current
    out = charge[VOLTAGE] * current * step
    if out > 0.0:
        charge[DRAWN] += out
    else:
        charge[RETURNED] -= out
    charge[STORED] = min(max(charge[STORED] - open_voltage * current * step, 0.0), battery.capacity)
