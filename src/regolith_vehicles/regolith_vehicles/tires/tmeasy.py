# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""TMeasy tire model: a curve with few points over the combined slip, interpolated between two loads.

Slips are related to the speed of the tread, R |omega|, so a locked wheel has infinite slip. The curve's points in the
direction of the slip are on ellipses of the longitudinal and lateral points. Rill's published method first brings the
slips to a common scale, which differs if both are large.

Source: rill2020, section 3.3.
Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any

from regolith_world.numerics import kernel

SPEED_FLOOR = 0.01
"""Speed added to that of the tread [m/s], so a locked wheel has finite slip."""


@kernel(views_only=True)
def transport_speed(spin: float, radius: float) -> float:
    """Return the speed to which slips are related [m/s].

    Args:
        spin: Angular speed of the wheel [rad/s].
        radius: Effective radius [m].
    """
    return radius * abs(spin) + SPEED_FLOOR


@kernel(views_only=True)
def _linear(pair: Any, q: float) -> float:
    value: float = pair[0] + (pair[1] - pair[0]) * (q - 1.0)
    return value


@kernel(views_only=True)
def _quadratic(pair: Any, q: float) -> float:
    value: float = q * (2.0 * pair[0] - 0.5 * pair[1] - (pair[0] - 0.5 * pair[1]) * q)
    return value


@kernel(views_only=True)
def _curve(s: float, start: float, sm: float, fm: float, ss: float, fs: float) -> float:
    """Return the force [N] at a slip: from ``start`` s over the peak (sm, fm) to sliding (ss, fs).

    Source: rill2020, eq. 3.37.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    if s > ss:
        return fs
    if s < sm:
        x = s / sm
        return start * sm * x / (1.0 + x * (x + start * sm / fm - 2.0))
    bend = (fm / sm) ** 2 / (start * sm)
    joint = sm + (fm - fs) / (bend * (ss - sm))
    if joint > ss:
        x = (s - sm) / (ss - sm)
        return fm - (fm - fs) * x * x * (3.0 - 2.0 * x)
    if s <= joint:
        return fm - bend * (s - sm) ** 2
    return fs + bend * (joint - sm) / (ss - joint) * (ss - s) ** 2


@kernel(views_only=True)
def slip_force(p: Any, load: float, slip_x: float, slip_y: float, scale: float) -> tuple[float, float]:
    """Return the longitudinal and lateral force [N].

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        load: Load [N].
        slip_x: Longitudinal slip [-], positive for driving.
        slip_y: Lateral slip [-] in the direction of a force to the left, positive if the wheel moves to the right.
        scale: Friction divided by nominal friction [-].
    """
    t = p.tmeasy
    q = min(load, t.saturation_load) / t.nominal_load
    slip = math.hypot(slip_x, slip_y)
    if slip > 0.0:
        c, n = slip_x / slip, slip_y / slip
    else:
        c = n = math.sqrt(0.5)
    start = math.hypot(_quadratic(t.dfx0, q) * c, _quadratic(t.dfy0, q) * n)
    fm = scale * math.hypot(_quadratic(t.fxm, q) * c, _quadratic(t.fym, q) * n)
    sm = scale * math.hypot(_linear(t.sxm, q) * c, _linear(t.sym, q) * n)
    fs = scale * math.hypot(_quadratic(t.fxs, q) * c, _quadratic(t.fys, q) * n)
    ss = scale * math.hypot(_linear(t.sxs, q) * c, _linear(t.sys, q) * n)
    force = _curve(slip, max(start, 2.0 * fm / sm), sm, fm, ss, fs)
    return force * c, force * n


@kernel(views_only=True)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral slope of force over slip at zero slip [N]."""
    t = p.tmeasy
    q = min(load, t.saturation_load) / t.nominal_load
    return _quadratic(t.dfx0, q), _quadratic(t.dfy0, q)


@kernel(views_only=True)
def aligning_moment(p: Any, load: float, depth: float, slip_y: float, force_y: float) -> float:
    """Return the moment about the vertical [N m] of a lateral force behind the middle of the contact.

    Source: rill2020, section 3.3.6.
    Checked by: test_tires.py::test_steady_forces_agree_with_the_reference.
    """
    t = p.tmeasy
    q = min(load, t.saturation_load) / t.nominal_load
    lever0, none, full = _linear(t.n2L0, q), _linear(t.syN0, q), _linear(t.syE, q)
    s = abs(slip_y)
    full = max(full, none)
    share = none / full
    if s >= full:
        return 0.0
    if s <= none:
        x = s / none
        lever = lever0 * ((1.0 - share) * (1.0 - x) + share * (1.0 - (3.0 - 2.0 * x) * x * x))
    else:
        x = (full - s) / (full - none)
        lever = -lever0 * (1.0 - share) * (s - none) / none * x * x
    length = 2.0 * math.sqrt(p.radius * depth)
    moment: float = -force_y * length * lever
    return moment


@kernel(views_only=True)
def overturning_moment(p: Any, camber: float) -> float:
    """Return the moment about the forward axis [N m] of a tread that camber loads on one side."""
    moment: float = -p.width * p.width / 12.0 * p.tmeasy.camber_stiffness * camber
    return moment
