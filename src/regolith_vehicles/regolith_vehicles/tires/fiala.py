# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fiala tire model: a brush with one longitudinal and one lateral stiffness, and friction that decreases with slip.

Source: fiala1954; blundell2014.
Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any

from regolith_vehicles.tires.combined_slip import shares
from regolith_world.numerics import kernel


@kernel(views_only=True)
def slip_force(p: Any, load: float, slip_x: float, tan_alpha: float, scale: float) -> tuple[float, float, float]:
    """Return the longitudinal and lateral force [N], and the aligning moment [N m].

    In the reference, critical slips are those of dry ground, and each direction uses the full friction. Regolith's
    model scales critical slips with the friction, and both directions share it
    (:mod:`regolith_vehicles.tires.combined_slip`).

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        load: Load [N].
        slip_x: Slip ratio [-], positive for driving.
        tan_alpha: Tangent of the slip angle, positive if the wheel moves to the left.
        scale: Friction divided by nominal friction [-].
    """
    f = p.fiala
    comprehensive = min(1.0, math.hypot(slip_x, tan_alpha))
    friction = f.umax - (f.umax - f.umin) * comprehensive
    limit = friction * scale * load
    dry = friction * load if p.reference else limit
    critical_x, critical_y = dry / (2.0 * f.cslip), 3.0 * dry / f.calpha
    if p.reference:
        fx = _along(f.cslip, limit, critical_x, slip_x)
        fy, mz = _across(f.calpha, limit, critical_y, tan_alpha, p.width)
        return fx, fy, mz
    # A brush slides on all of its contact from 3 mu N / C on, in any direction.
    nx, ny, sx, sy = shares(slip_x, tan_alpha, 3.0 * limit / f.cslip, critical_y)
    fx = _along(f.cslip, limit, critical_x, sx)
    fy, mz = _across(f.calpha, limit, critical_y, sy, p.width)
    return fx * nx, fy * ny, mz * ny


@kernel(views_only=True)
def _along(stiffness: float, limit: float, critical: float, slip: float) -> float:
    """Return the longitudinal force [N] at pure slip."""
    if abs(slip) < critical:
        return stiffness * slip
    return math.copysign(limit - limit * limit / (4.0 * abs(slip) * stiffness), slip)


@kernel(views_only=True)
def _across(stiffness: float, limit: float, critical: float, tan_alpha: float, width: float) -> tuple[float, float]:
    """Return the lateral force [N] and its moment [N m] at pure slip."""
    if tan_alpha == 0.0 or limit <= 0.0:
        return 0.0, 0.0
    side = math.copysign(1.0, tan_alpha)
    if abs(tan_alpha) > critical:
        return -limit * side, 0.0
    h = 1.0 - stiffness * abs(tan_alpha) / (3.0 * limit)
    return -limit * (1.0 - h**3) * side, limit * width * (1.0 - h) * h**3 * side


@kernel(views_only=True)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral slope of force over slip at zero slip [N], equal for all loads."""
    return p.fiala.cslip, p.fiala.calpha
