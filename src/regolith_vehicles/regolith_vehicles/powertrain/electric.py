# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Electric motor on a battery.

Its torque is the requested fraction of a curve over speed, limited by the battery's power. The current in its windings
is torque over torque constant, with resistive losses. Friction, magnetic losses and thermal limits are neglected.

Source: ehsani2018, chapter 4.
Checked by: test_powertrain.py::test_motor_draws_work_and_losses_from_the_battery.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.powertrain.battery import Battery, draw, max_power
from regolith_vehicles.powertrain.config import WheelMotorConfig
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]


class Motor(NamedTuple):
    """Constant parameters of a motor."""

    torque_constant: float
    """Torque per current [N m/A]."""
    resistance: float
    """Resistance of the windings [ohm]."""
    efficiency: float
    """Efficiency of the electronics in both directions [-]."""


@kernel(views_only=True)
def terminal_power(motor: Motor, torque: float, speed: float) -> float:
    """Return the power [W] that a motor draws from the battery at a torque [N m] and a speed [rad/s].

    P = (T w + R (T / k)^2) / e if this is positive, else times e.

    Source: ehsani2018, chapter 4.
    Checked by: test_powertrain.py::test_motor_draws_work_and_losses_from_the_battery.
    """
    current = torque / motor.torque_constant
    power = torque * speed + motor.resistance * current * current
    return power / motor.efficiency if power > 0.0 else power * motor.efficiency


@kernel(views_only=True)
def available_torque(motor: Motor, battery: Battery, charge: Floats, torque: float, speed: float, step: float) -> float:
    """Return the part of a requested torque that a battery can supply [N m], and draw its power for a step.

    Args:
        motor: Parameters of the motor.
        battery: Parameters of the battery.
        charge: In/out: state of the battery, shape (CHARGE_STATES,).
        torque: Requested torque [N m].
        speed: Speed of the motor, in the positive direction of the torque [rad/s].
        step: Step size [s].
    """
    power, most = terminal_power(motor, torque, speed), max_power(battery, charge)
    if power > most:
        # Power increases at least in proportion to torque.
        torque *= most / power
        power = terminal_power(motor, torque, speed)
    draw(battery, charge, power, step)
    return torque


class WheelMotor(NamedTuple):
    """Parameters of the motor of each of a rover's wheels."""

    copper: float
    """Resistive loss divided by the square of the wheel's torque [W / (N m)^2]."""
    efficiency: float
    """Efficiency of the gears in both directions [-]."""
    regenerates: float
    """1 if power from the wheels is returned to the battery, else 0."""


def wheel_motor(config: WheelMotorConfig | None) -> WheelMotor:
    """Return the wheel motors of a vehicle's file; None: motors without losses and without regeneration."""
    if config is None:
        return WheelMotor(0.0, 1.0, 0.0)
    per_torque = 1.0 / (config.torque_constant_nmpa * config.gear_ratio * config.gear_efficiency)
    return WheelMotor(config.resistance_ohm * per_torque**2, config.gear_efficiency, float(config.regenerates))


@kernel(views_only=True)
def wheels_power(motor: WheelMotor, torques: Floats, speeds: Floats) -> float:
    """Return the power that the motors of all wheels draw from the battery [W].

    Each draws T w / e + R (T / (k n e))^2 through gears of ratio n and efficiency e. If its wheel drives it, it
    returns T w e, which other motors can use, as when wheels push each other. The remainder is returned or dissipated.

    Args:
        motor: Parameters of the motors.
        torques: Torques on the wheels [N m], shape (n,).
        speeds: Speeds of the wheels [rad/s], shape (n,).

    Source: ehsani2018, chapter 4.
    Checked by: test_battery.py::test_wheel_motors_draw_work_and_losses.
    """
    total = 0.0
    for n in range(torques.shape[0]):
        power = torques[n] * speeds[n]
        power = power / motor.efficiency if power > 0.0 else power * motor.efficiency
        total += power + motor.copper * torques[n] * torques[n]
    return total if total > 0.0 else total * motor.regenerates
