# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Magic Formula of 1989: force and moment over slip, each a sine of an arc tangent.

Its coefficients require the load in kN, angles in degrees and the slip in percent.

Source: bakker1989.
Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any

from regolith_vehicles.tires.combined_slip import shares
from regolith_world.numerics import kernel

STEEPEST = 89.5
"""Limit of the angles in the formula [deg]."""


@kernel(views_only=True)
def magic_formula(x: float, peak: float, slope: float, shape: float, curvature: float) -> float:
    """Return D sin(C atan(B x - E (B x - atan(B x)))), whose initial slope is B C D.

    Args:
        x: Slip.
        peak: Peak value D.
        slope: Initial slope B C D.
        shape: Shape factor C.
        curvature: Curvature factor E.

    Source: bakker1989, eq. 1.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    if peak == 0.0 or shape == 0.0:
        return 0.0
    bx = slope / (shape * peak) * x
    return peak * math.sin(shape * math.atan(bx - curvature * (bx - math.atan(bx))))


@kernel(views_only=True)
def _peak_slip(peak: float, slope: float, shape: float) -> float:
    """Return the slip of the peak for curvature 0, tan(pi / (2 C)) / B; for a shape without a peak, D over BCD."""
    stretch = math.tan(0.5 * math.pi / shape) if shape > 1.0 else 1.0
    return max(1e-9, abs(stretch * shape * peak / slope))


@kernel(views_only=True)
def _longitudinal(b: Any, w: float, kappa: float) -> tuple[float, float]:
    """Return force [N] and slip of the peak [%] for a load ``w`` [kN] and a slip ``kappa`` [%]."""
    peak, slope = b[1] * w * w + b[2] * w, (b[3] * w * w + b[4] * w) * math.exp(-b[5] * w)
    curvature = b[6] * w * w + b[7] * w + b[8]
    force = magic_formula(kappa + b[9] * w + b[10], peak, slope, b[0], curvature)
    return force, _peak_slip(peak, slope, b[0])


@kernel(views_only=True)
def _lateral(a: Any, w: float, alpha: float, gamma: float, scale: float) -> tuple[float, float]:
    """Return force [N] and slip angle of the peak [deg] for slip angle ``alpha`` and camber ``gamma`` [deg]."""
    peak = a[1] * w * w + a[2] * w
    slope = a[3] * math.sin(2.0 * math.atan(w / a[4])) * (1.0 - a[5] * abs(gamma))
    x = min(max(alpha + a[9] * w + a[10] + a[8] * gamma, -STEEPEST), STEEPEST)
    force = scale * magic_formula(x, peak, slope, a[0], a[6] * w + a[7])
    return force + a[11] * w * gamma + a[12] * w + a[13], _peak_slip(peak, slope, a[0])


@kernel(views_only=True)
def _aligning(c: Any, w: float, alpha: float, gamma: float, scale: float) -> float:
    """Return the aligning moment [N m]."""
    bent = abs(gamma)
    peak = c[1] * w * w + c[2] * w
    slope = (c[3] * w * w + c[4] * w) * (1.0 - c[6] * bent) * math.exp(-c[5] * w)
    curvature = (c[7] * w * w + c[8] * w + c[9]) * (1.0 - c[10] * bent)
    x = min(max(alpha + c[11] * gamma + c[12] * w + c[13], -STEEPEST), STEEPEST)
    moment: float = scale * magic_formula(x, peak, slope, c[0], curvature)
    moment += (c[14] * w * w + c[15] * w) * gamma + c[16] * w + c[17]
    return moment


@kernel(views_only=True)
def slip_force(
    p: Any, load: float, slip_x: float, tan_alpha: float, camber: float, scale: float
) -> tuple[float, float, float]:
    """Return the longitudinal and lateral force [N], and the aligning moment of a rigid carcass [N m].

    In the reference, longitudinal and lateral force are independent; in Regolith's model they share the friction.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        load: Load [N].
        slip_x: Slip ratio [-], positive for driving.
        tan_alpha: Tangent of the slip angle, positive if the wheel moves to the left.
        camber: Camber [rad], positive if the top leans to the right.
        scale: Friction divided by nominal friction [-].
    """
    m = p.pacejka_89
    w = 1e-3 * load
    kappa = 100.0 * min(max(slip_x, -1.0), 1.0)
    alpha = math.degrees(math.atan(tan_alpha))
    limit = math.degrees(m.camber_limit)
    gamma = min(max(math.degrees(camber), -limit), limit)
    fx, peak_x = _longitudinal(m.b, w, kappa)
    fy, peak_y = _lateral(m.a, w, alpha, gamma, scale)
    if p.reference:
        return scale * fx, -fy, -_aligning(m.c, w, alpha, gamma, scale)
    # Both slips in one unit, so the direction of sliding is that of the slips.
    steep = math.tan(math.radians(peak_y))
    nx, ny, sx, sy = shares(0.01 * kappa, tan_alpha, 0.01 * peak_x, steep)
    sx, sy = 100.0 * sx, math.degrees(math.atan(sy))
    fx, _ = _longitudinal(m.b, w, min(max(sx, -100.0), 100.0))
    fy, _ = _lateral(m.a, w, sy, gamma, scale)
    return scale * fx * nx, -fy * ny, -_aligning(m.c, w, sy, gamma, scale) * ny


@kernel(views_only=True)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral slope of force over slip at zero slip [N]."""
    a, b, w = p.pacejka_89.a, p.pacejka_89.b, 1e-3 * load
    along = (b[3] * w * w + b[4] * w) * math.exp(-b[5] * w)
    return 100.0 * along, math.degrees(a[3] * math.sin(2.0 * math.atan(w / a[4])))
