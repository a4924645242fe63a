# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Brake model: an elastic element that slides at the brake's torque, so it holds a vehicle without creep."""

from __future__ import annotations

from regolith_world.numerics import kernel

WIND_UP = 0.01
"""Rotation of a wheel relative to its fully applied brake before the brake slides [rad]."""
DAMPING_TIME = 0.005
"""Damping divided by stiffness of the elastic element [s]."""


@kernel(views_only=True)
def brake(wound_up: float, speed: float, full: float, limit: float, step: float) -> tuple[float, float]:
    """Return the elastic rotation of a brake after a step [rad], and its torque [N m].

    Args:
        wound_up: Elastic rotation before the step [rad].
        speed: Speed of the wheel [rad/s].
        full: Torque at full braking [N m].
        limit: Torque at the present braking [N m].
        step: Step size [s].

    Source: dahl1968; dupont2002.
    Checked by: test_car.py::test_brake_holds_up_to_its_torque.
    """
    if limit <= 0.0:
        return 0.0, 0.0
    stiffness = full / WIND_UP
    most = limit / stiffness
    wound_up = min(max(wound_up + step * speed, -most), most)
    against = stiffness * (wound_up + DAMPING_TIME * speed)
    return wound_up, -min(max(against, -limit), limit)
