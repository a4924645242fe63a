# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Prescribed motions of a wheel on a test rig over time, and the response of its tire."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.tires import RollingTire

Floats = NDArray[np.float64]

Kind = Literal[
    'step_slip_angle', 'ramp', 'stand_lat_sine', 'stand_long_sine', 'stand_spin_sine', 'pull_lat', 'pull_long'
]
COLUMNS = ('t_s', 'vx_mps', 'vy_mps', 'omega_radps', 'y_m', 'Fx_N', 'Fy_N', 'Mx_Nm', 'My_Nm', 'Mz_Nm')
"""Columns of a motion; y_m is the displacement to the left, or along the pull for a pulled mass."""
SETS_IN = 0.05
"""Time of a step of the slip angle [s]."""
PULLED_FOR = 1.0
"""Duration for which a mass is pulled [s]."""
_G = 9.81


class BenchMotion(NamedTuple):
    """Prescribed motion; each kind uses some of the fields."""

    kind: Kind
    speed: float
    """Speed of a step [m/s]; negative for reverse."""
    slip: float
    """Slip ratio of a step and a ramp [-]."""
    slip_angle: float
    """Slip angle of a step and a ramp [rad]."""
    acceleration: float
    """Acceleration of a ramp from standstill [m/s^2]."""
    amplitude: float
    """Amplitude of a sinusoidal speed [m/s]."""
    frequency: float
    """Frequency of a sinusoidal speed [Hz]."""
    pull: float
    """Pull on a mass whose weight is the load [N]."""


def prescribed(motion: BenchMotion, time: float, radius: float) -> tuple[float, float, float]:
    """Return vx, vy [m/s] and angular speed [rad/s] at a time [s]; zeros for a pulled mass.

    Args:
        motion: Prescribed motion.
        time: Time [s].
        radius: Rolling radius of the tire [m].
    """
    if motion.kind == 'step_slip_angle':
        aside = motion.speed * math.tan(motion.slip_angle) if time >= SETS_IN - 1e-9 else 0.0
        return motion.speed, aside, (1.0 + motion.slip) * motion.speed / radius
    if motion.kind == 'ramp':
        speed = motion.acceleration * time
        return speed, abs(speed) * math.tan(motion.slip_angle), (1.0 + motion.slip) * speed / radius
    swung = motion.amplitude * math.cos(2.0 * math.pi * motion.frequency * time)
    if motion.kind == 'stand_lat_sine':
        return 0.0, swung, 0.0
    if motion.kind == 'stand_long_sine':
        return swung, 0.0, 0.0
    if motion.kind == 'stand_spin_sine':
        return 0.0, 0.0, swung / radius
    return 0.0, 0.0, 0.0


def run_motion(tire: RollingTire, motion: BenchMotion, step: float, count: int) -> Floats:
    """Return one row of :data:`COLUMNS` for each of ``count`` steps [s].

    For lateral slip the wheel moves to the left. A pulled mass is the load over 9.81 m/s^2 on a wheel that does not
    turn, integrated by semi-implicit Euler. Forces are those before each step.

    Source: hairer2006.
    Checked by: test_tires.py::test_transients_agree_with_the_reference,
    test_tires.py::test_pulled_masses_agree_with_the_reference.
    """
    rows = np.empty((count, len(COLUMNS)))
    mass, way, speed = tire.load / _G, 0.0, 0.0
    pulled, across = motion.kind.startswith('pull'), motion.kind == 'pull_lat'
    for k in range(count):
        time = k * step
        vx, vy, omega = prescribed(motion, time, tire.rolling_radius)
        if pulled:
            vx, vy = (0.0, speed) if across else (speed, 0.0)
        found = tire.step(step, vx, vy, omega)
        rows[k] = time, vx, vy, omega, way, *(found[name] for name in ('Fx', 'Fy', 'Mx', 'My', 'Mz'))
        if pulled:
            force = motion.pull if time < PULLED_FOR - 1e-9 else 0.0
            speed += step * (force + found['Fy' if across else 'Fx']) / mass
            way += step * speed
        else:
            way += step * vy
    return rows
