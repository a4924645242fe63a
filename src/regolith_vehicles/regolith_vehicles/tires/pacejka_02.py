# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Magic Formula 5.2 (Pacejka 2002) with combined slip by the friction ellipse.

Names of coefficients are those of a tire's property file. The formula's slip angle and camber have the opposite sign
of Regolith's. So a tire measured on the left side of a vehicle is a right one in the published convention. Signs are
inverted at input and output.

Source: pacejka2012, section 4.3.2.
Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from regolith_world.numerics import kernel

_STEEPEST = 0.5 * math.pi - 0.01
"""Largest angle of the reference's formula [rad]."""


class _Pure(NamedTuple):
    """Force at pure slip, and its parameters."""

    force: float
    """Force [N]."""
    peak: float
    """Peak value D [N]."""
    stiffness: float
    """Stiffness K, slope at the origin [N]."""
    shape: float
    """Shape factor C."""
    shift: float
    """Horizontal shift S_H of the slip."""
    lift: float
    """Vertical shift S_V of the force [N]."""


@kernel(views_only=True)
def _formula(peak: float, shape: float, stiffness: float, x: float, curvature: float, reference: bool) -> float:
    """Return D sin(C atan(B x - E (B x - atan(B x)))), B = K / (C D).

    The reference limits B x to 89.4 degrees in radians, so its curves are constant beyond.
    """
    bx = stiffness * x / (shape * peak + 0.1)
    if reference:
        bx = min(max(bx, -_STEEPEST), _STEEPEST)
    return peak * math.sin(shape * math.atan(bx - curvature * (bx - math.atan(bx))))


@kernel(views_only=True)
def _longitudinal(p: Any, load: float, df: float, kappa: float, gamma: float, scale: float) -> _Pure:
    """Return the longitudinal force at pure slip ``kappa``.

    Source: pacejka2012, eq. 4.E9-4.E18.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    c, reference = p.pacejka_02, p.reference != 0
    shift = c.PHX1 + c.PHX2 * df
    lift = load * (c.PVX1 + c.PVX2 * df)
    x = kappa + shift
    side = math.copysign(1.0, x) if x != 0.0 else 0.0
    curvature = min(1.0, (c.PEX1 + c.PEX2 * df + c.PEX3 * df * df) * (1.0 - c.PEX4 * side))
    peak = scale * abs(c.PDX1 + c.PDX2 * df) * load * max(0.0, 1.0 - c.PDX3 * gamma * gamma)
    stiffness = load * (c.PKX1 + c.PKX2 * df) * math.exp(c.PKX3 * df)
    force = _formula(peak, c.PCX1, stiffness, x, curvature, reference) + lift
    return _Pure(force, peak, stiffness, c.PCX1, shift, lift)


@kernel(views_only=True)
def _lateral(p: Any, load: float, df: float, alpha: float, gamma: float, scale: float) -> _Pure:
    """Return the lateral force at pure slip angle ``alpha`` [rad].

    Source: pacejka2012, eq. 4.E19-4.E30.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    c, reference = p.pacejka_02, p.reference != 0
    nominal = c.FNOMIN * c.LFZO
    shift = c.PHY1 + c.PHY2 * df + c.PHY3 * gamma
    lift = load * (c.PVY1 + c.PVY2 * df + (c.PVY3 + c.PVY4 * df) * gamma)
    x = alpha + shift
    side = math.copysign(1.0, x) if x != 0.0 else 0.0
    curvature = min(1.0, (c.PEY1 + c.PEY2 * df) * (1.0 - (c.PEY3 + c.PEY4 * gamma) * side))
    peak = scale * abs(c.PDY1 + c.PDY2 * df) * load * max(0.0, 1.0 - c.PDY3 * gamma * gamma)
    stiffness = c.PKY1 * nominal * math.sin(2.0 * math.atan(load / (c.PKY2 * nominal)))
    stiffness *= max(0.0, 1.0 - c.PKY3 * abs(gamma))
    force = _formula(peak, c.PCY1, stiffness, x, curvature, reference) + lift
    return _Pure(force, peak, stiffness, c.PCY1, shift, lift)


@kernel(views_only=True)
def _aligning(p: Any, load: float, df: float, alpha: float, gamma: float, fy: float, pure: _Pure) -> float:
    """Return the moment about the vertical [N m] of a lateral force ``fy``, from trail and residual moment.

    Source: pacejka2012, eq. 4.E31-4.E49.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    c = p.pacejka_02
    nominal = c.FNOMIN * c.LFZO
    at = alpha + c.QHZ1 + c.QHZ2 * df + (c.QHZ3 + c.QHZ4 * df) * gamma
    bt = abs(c.QBZ1 + c.QBZ2 * df + c.QBZ3 * df * df) * max(0.0, 1.0 + c.QBZ4 * gamma + c.QBZ5 * abs(gamma))
    ct = c.QCZ1
    asymmetry = (c.QEZ4 + c.QEZ5 * gamma) * 2.0 / math.pi * math.atan(bt * ct * at)
    et = min(1.0, (c.QEZ1 + c.QEZ2 * df + c.QEZ3 * df * df) * (1.0 + asymmetry))
    dt = load * (c.QDZ1 + c.QDZ2 * df) * (1.0 + c.QDZ3 * gamma + c.QDZ4 * gamma * gamma) * p.radius / nominal
    bx = bt * at
    trail = dt * math.cos(ct * math.atan(bx - et * (bx - math.atan(bx)))) * math.cos(alpha)
    by = pure.stiffness / (pure.shape * pure.peak + 0.1)
    br = c.QBZ9 + c.QBZ10 * by * pure.shape
    dr = load * (c.QDZ6 + c.QDZ7 * df + (c.QDZ8 + c.QDZ9 * df) * gamma) * p.radius
    residual = dr * math.cos(math.atan(br * (alpha + pure.shift + pure.lift / pure.stiffness))) * math.cos(alpha)
    moment: float = residual - trail * fy
    return moment


@kernel(views_only=True)
def slip_force(
    p: Any, load: float, slip_x: float, tan_alpha: float, camber: float, scale: float
) -> tuple[float, float, float]:
    """Return the longitudinal and lateral force [N], and the aligning moment [N m].

    The reference neglects camber and cuts the curves off beyond their peaks; Regolith's model does neither.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        load: Load [N].
        slip_x: Slip ratio [-], positive for driving.
        tan_alpha: Tangent of the slip angle, positive if the wheel moves to the left.
        camber: Camber [rad], positive if the top leans to the right.
        scale: Friction divided by nominal friction [-].

    Source: pacejka2012, section 4.3.2.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    kappa = min(max(slip_x, -1.0), 1.0)
    alpha = min(max(-math.atan(tan_alpha), -_STEEPEST), _STEEPEST)
    gamma = 0.0 if p.reference else -camber
    c = p.pacejka_02
    nominal = c.FNOMIN * c.LFZO
    df = (load - nominal) / nominal
    along = _longitudinal(p, load, df, kappa, gamma, scale)
    across = _lateral(p, load, df, alpha, gamma, scale)
    kc = kappa + along.shift + along.lift / along.stiffness
    ac = math.sin(alpha + across.shift + across.lift / across.stiffness)
    # Ellipse of the peaks, evaluated in the direction of the slip.
    mx, my = abs(along.force - along.lift), abs(across.force - across.lift)
    fx, fy = along.force, across.force
    if kc == 0.0:
        fx = 0.0
    else:
        tangent = abs(ac / kc)
        fx /= math.hypot(1.0, mx * tangent / across.peak)
        length = math.hypot(my / along.peak, tangent)
        fy *= tangent / length if length > 0.0 else 1.0
    mz = _aligning(p, load, df, alpha, gamma, fy, across)
    return fx, -fy, -mz


@kernel(views_only=True)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral slope of force over slip at zero slip [N]."""
    c = p.pacejka_02
    nominal = c.FNOMIN * c.LFZO
    df = (load - nominal) / nominal
    along = load * (c.PKX1 + c.PKX2 * df) * math.exp(c.PKX3 * df)
    return along, abs(c.PKY1 * nominal * math.sin(2.0 * math.atan(load / (c.PKY2 * nominal))))


@kernel(views_only=True)
def relaxation_lengths(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral distance in which 63 % of a change of slip take effect [m].

    Source: adams2005, PAC2002, section on transient behavior.
    Checked by: test_tires.py::test_relaxation_lag_is_the_relaxation_length.
    """
    c = p.pacejka_02
    nominal = c.FNOMIN * c.LFZO
    df = (load - nominal) / nominal
    along = load * (c.PTX1 + c.PTX2 * df) * math.exp(-c.PTX3 * df) * p.radius / nominal
    return along, c.PTY1 * math.sin(2.0 * math.atan(load / (c.PTY2 * nominal))) * p.radius


@kernel(views_only=True)
def rolling_resistance(p: Any, load: float, fx: float, speed: float) -> float:
    """Return the moment of rolling resistance [N m], positive.

    Source: pacejka2012, eq. 9.236, without inflation pressure.
    Checked by: test_tires.py::test_pacejka_2002_resists_rolling.
    """
    c = p.pacejka_02
    v = abs(speed) / c.LONGVL
    share = c.QSY1 + c.QSY2 * fx / (c.FNOMIN * c.LFZO) + c.QSY3 * v + c.QSY4 * v**4
    moment: float = load * p.radius * share
    return moment
