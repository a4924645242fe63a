# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An electric motor on a battery.

Its torque is what the driver asks for of a curve over speed, as far as the battery can feed it. Its windings have a
current of torque over torque constant, and heat up by the resistance. What turns or magnetises with losses of its own
is left out, as is a limit by heat.

Source: ehsani2018, chapter 4.
Checked by: test_powertrain.py::test_a_motor_takes_from_the_battery_what_it_gives_and_heats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_vehicles.powertrain.battery import Battery, draw, max_power
from regolith_vehicles.powertrain.config import WheelMotorConfig

Floats = NDArray[np.float64]


class Motor(NamedTuple):
    """What does not change of it."""

    torque_constant: float
    """[N m/A]"""
    resistance: float
    """Of its windings [ohm]."""
    efficiency: float
    """Of the electronics before it, either way [-]."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def terminal_power(motor: Motor, torque: float, speed: float) -> float:
    """Return the power that a motor takes from the battery at a torque [N m] and a speed [rad/s], [W].

    P = (T w + R (T / k)^2) / e where that is above zero, else times e.

    Source: ehsani2018, chapter 4.
    Checked by: test_powertrain.py::test_a_motor_takes_from_the_battery_what_it_gives_and_heats.
    """
    current = torque / motor.torque_constant
    power = torque * speed + motor.resistance * current * current
    return power / motor.efficiency if power > 0.0 else power * motor.efficiency


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def available_torque(motor: Motor, battery: Battery, charge: Floats, torque: float, speed: float, step: float) -> float:
    """Return the torque that a battery can feed of one that is asked for [N m], and draw its power for a step.

    Args:
        charge: in/out, of the battery.
        speed: Of the motor, in the direction that the torque is positive in [rad/s].
    """
    power, most = terminal_power(motor, torque, speed), max_power(battery, charge)
    if power > most:
        # Power grows at least as fast as torque.
        torque *= most / power
        power = terminal_power(motor, torque, speed)
    draw(battery, charge, power, step)
    return torque


class WheelMotor(NamedTuple):
    """The motor of each of a rover's wheels."""

    copper: float
    """Heat of its windings over the square of the wheel's torque [W / (N m)^2]."""
    efficiency: float
    """Of its gears, either way [-]."""
    regenerates: float
    """1 if power that wheels give goes back to the battery, else 0."""


def wheel_motor(config: WheelMotorConfig | None) -> WheelMotor:
    """Return the motors of a vehicle's file; None: without losses, and nothing goes back."""
    if config is None:
        return WheelMotor(0.0, 1.0, 0.0)
    per_torque = 1.0 / (config.torque_constant_nmpa * config.gear_ratio * config.gear_efficiency)
    return WheelMotor(config.resistance_ohm * per_torque**2, config.gear_efficiency, float(config.regenerates))


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def wheels_power(motor: WheelMotor, torques: Floats, speeds: Floats) -> float:
    """Return the power that the motors of all wheels take from the battery [W].

    Each takes T w / e + R (T / (k n e))^2 through gears of ratio n and efficiency e; driven by its wheel it gives T w e
    back, which others may take, as wheels that push each other do. What is left over goes back, or is burnt.

    Args:
        torques: On the wheels [N m], shape (n,).
        speeds: Of the wheels [rad/s], shape (n,).

    Source: ehsani2018, chapter 4.
    Checked by: test_battery.py::test_motors_of_wheels_take_their_work_and_their_heat.
    """
    total = 0.0
    for n in range(torques.shape[0]):
        power = torques[n] * speeds[n]
        power = power / motor.efficiency if power > 0.0 else power * motor.efficiency
        total += power + motor.copper * torques[n] * torques[n]
    return total if total > 0.0 else total * motor.regenerates
