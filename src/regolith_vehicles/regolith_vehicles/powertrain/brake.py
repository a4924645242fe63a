# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A brake: an elastic that winds up until it bears the brake's torque, and then slides, so it holds without creep."""

from __future__ import annotations

from numba import njit

WIND_UP = 0.01
"""Turn of a wheel against its fully pressed brake before this slides [rad]."""
DAMPING_TIME = 0.005
"""Damping of that elastic over its stiffness [s]."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def brake(wound_up: float, speed: float, full: float, limit: float, step: float) -> tuple[float, float]:
    """Return the elastic part of a brake's turn after a step [rad], and its torque [N m].

    Args:
        wound_up: Before the step [rad].
        speed: Of the wheel [rad/s].
        full: Torque at full braking [N m].
        limit: As braked now.

    Source: dahl1968; dupont2002.
    Checked by: test_car.py::test_a_brake_holds_up_to_its_torque.
    """
    if limit <= 0.0:
        return 0.0, 0.0
    stiffness = full / WIND_UP
    most = limit / stiffness
    wound_up = min(max(wound_up + step * speed, -most), most)
    against = stiffness * (wound_up + DAMPING_TIME * speed)
    return wound_up, -min(max(against, -limit), limit)
