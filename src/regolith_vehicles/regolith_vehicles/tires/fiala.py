# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fiala's tyre: a brush with one stiffness along and one across, and friction that falls with the slip.

Source: fiala1954; blundell2014.
Checked by: test_tyres.py::test_steady_forces_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

from regolith_vehicles.tires.combined_slip import shares


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def slip_force(p: Any, load: float, slip_x: float, tan_alpha: float, scale: float) -> tuple[float, float, float]:
    """Return the force along and across [N], and the aligning moment [N m].

    As in the reference the critical slips are those of dry ground, and each direction has all friction to itself;
    Regolith's own scales them with the friction and shares it (:mod:`regolith_vehicles.tires.combined_slip`).

    Args:
        p: A record of TYRE_RECORD.
        load: [N].
        slip_x: > 0 drives.
        tan_alpha: Tangent of the slip angle, > 0 where the wheel moves to the left.
        scale: Friction over the nominal one.
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
    # A brush slides on all of its contact from 3 mu N / C on, whatever the direction.
    nx, ny, sx, sy = shares(slip_x, tan_alpha, 3.0 * limit / f.cslip, critical_y)
    fx = _along(f.cslip, limit, critical_x, sx)
    fy, mz = _across(f.calpha, limit, critical_y, sy, p.width)
    return fx * nx, fy * ny, mz * ny


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _along(stiffness: float, limit: float, critical: float, slip: float) -> float:
    """Return the force along [N] at pure slip."""
    if abs(slip) < critical:
        return stiffness * slip
    return math.copysign(limit - limit * limit / (4.0 * abs(slip) * stiffness), slip)


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _across(stiffness: float, limit: float, critical: float, tan_alpha: float, width: float) -> tuple[float, float]:
    """Return the force across [N] and its moment [N m] at pure slip."""
    if tan_alpha == 0.0 or limit <= 0.0:
        return 0.0, 0.0
    side = math.copysign(1.0, tan_alpha)
    if abs(tan_alpha) > critical:
        return -limit * side, 0.0
    h = 1.0 - stiffness * abs(tan_alpha) / (3.0 * limit)
    return -limit * (1.0 - h**3) * side, limit * width * (1.0 - h) * h**3 * side


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the slopes of force over slip along and across at none [N], the same at all loads."""
    return p.fiala.cslip, p.fiala.calpha
