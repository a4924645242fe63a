# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Force of the ground on a tire for any tire model, from rest to any speed and in reverse.

While the tire rolls, the model's curves apply, at slips that lag by the relaxation length:

    L ds/dt = -v_s - V s

with the sliding velocity v_s of the contact and the speed V to which the model relates slips. Near standstill slips
are undefined. There a bristle holds the tire on the ground with the force k b + c db/dt. It slides by Dahl's rule and
is released by rolling, so at small slip it is as stiff as the curves:

    db/dt = v_s - (a k |v_s| / (mu N) + R |omega| k / C) b

with the stiffness C of the curves and the plastic fraction a of the sliding. The fraction is zero while the bristle
transmits less than 70 % of mu N or springs back. So a tire that is shaken does not creep. Between ``blend[0]`` and
``blend[1]`` one force is blended into the other. With ``reference`` the tire behaves as in Chrono: no lag, a = 1,
forward speeds only, and no bristle for Fiala. The bristle is not released by rolling and slides at mu over the nominal
friction.

Source: pacejka2012, section 7.2.1; dahl1968; dupont2002; rill2020, section 3.5.
Checked by: test_tires.py::test_transients_agree_with_the_reference,
test_tires.py::test_relaxation_lag_is_the_relaxation_length, test_tires.py::test_pulled_tire_does_not_creep.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.tires import fiala, pacejka_02, pacejka_89, tmeasy
from regolith_vehicles.tires.constants import FIALA, PACEJKA_02, PACEJKA_89, TMEASY
from regolith_vehicles.tires.load_curve import rolling_radius
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

MEMORY = 4
"""Size of a tire's memory: bristle along and across [m], slip along and across [-]."""
LEAST_FRICTION, MOST_FRICTION = 0.1, 1.0
"""Range of the ground's friction within which the curves are scaled."""
_SPEED_FLOOR = 0.1
"""Minimum speed to which slips are related [m/s]."""
_SLIP_LIMIT = 10.0
"""Maximum stored slip; it is far into sliding, where the curves are flat."""
_ELASTIC = 0.7
"""Fraction of friction up to which the bristle deforms only elastically."""
_TURNING = 0.125, 0.5
"""Speeds between which rolling resistance sets in [m/s]."""


class Contact(NamedTuple):
    """Motion of a wheel relative to the ground, in the contact frame: x forward, y left, z up."""

    load: float
    """Load [N]."""
    depth: float
    """Penetration [m]."""
    vx: float
    """Forward velocity of the wheel center [m/s]."""
    vy: float
    """Velocity of the wheel center to the left [m/s]."""
    spin: float
    """Angular speed of the wheel [rad/s], positive for forward rolling."""
    camber: float
    """Camber [rad], positive if the top leans to the right."""
    friction: float
    """Coulomb friction coefficient of the ground [-]."""


@kernel(views_only=True)
def faded(value: float, low: float, high: float) -> float:
    """Return 0 below ``low``, 1 above ``high``, and a smooth step in between."""
    if value <= low:
        return 0.0
    if value >= high:
        return 1.0
    u = (value - low) / (high - low)
    return u - math.sin(2.0 * math.pi * u) / (2.0 * math.pi)


@kernel(views_only=True)
def tire_force(p: Any, contact: Contact, step: float, memory: Floats, out: Floats) -> None:
    """Write force and moment of the ground on a tire, and advance its memory by a step.

    The force is that of the memory before the step.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        contact: Motion of the wheel relative to the ground.
        step: Step size [s]; 0: steady-state force, and the memory does not change.
        memory: In/out: memory of the tire, shape (MEMORY,).
        out: Out: Fx, Fy [N], Mx, My, Mz [N m] on the wheel about the contact, shape (5,).
    """
    out[:] = 0.0
    if contact.load <= 0.0:
        if step > 0.0:
            memory[:] = 0.0
        return
    # Chrono's contact frame is not of unit length for a leaning wheel.
    shrink = math.cos(contact.camber) if p.reference else 1.0
    vx, vy, load = contact.vx * shrink, contact.vy * shrink, contact.load
    radius = rolling_radius(p, contact.depth)
    mu = min(max(contact.friction, LEAST_FRICTION), MOST_FRICTION)
    sliding_x, sliding_y = vx - contact.spin * radius, vy
    related = _related_speed(p, vx, contact.spin, radius)
    slip_x, slip_y = _slips(p, vx, sliding_x, sliding_y, related, contact.spin, radius)
    if not p.reference and step > 0.0:
        lag_x, lag_y = _relaxation(p, load)
        now_x, now_y = memory[2], memory[3]
        memory[2], memory[3] = _lagged(now_x, now_y, sliding_x, sliding_y, related, step, lag_x, lag_y)
        slip_x, slip_y = now_x, now_y
    fx, fy, mz = _rolling(p, contact, slip_x, slip_y, mu / p.nominal_friction)
    speed = vx if p.reference and p.model != PACEJKA_02 else abs(vx)
    rolling = 1.0 if p.reference and p.model == FIALA else faded(speed, p.blend[0], p.blend[1])
    hx, hy = _held(p, load, mu, abs(contact.spin) * radius, sliding_x, sliding_y, step, memory)
    fx, fy = rolling * fx + (1.0 - rolling) * hx, rolling * fy + (1.0 - rolling) * hy
    _moments(p, contact, vx, fx, fy, mz, slip_y, rolling, radius, out)
    out[0], out[1] = fx, fy


@kernel(views_only=True)
def _related_speed(p: Any, vx: float, spin: float, radius: float) -> float:
    """Return the speed to which slips are related [m/s]."""
    if p.model == TMEASY:
        speed: float = tmeasy.transport_speed(spin, radius)
        return speed
    if p.reference:
        return abs(vx) + (_SPEED_FLOOR if p.model == PACEJKA_02 else 0.0)
    return max(abs(vx), _SPEED_FLOOR)


@kernel(views_only=True)
def _slips(
    p: Any, vx: float, sliding_x: float, sliding_y: float, related: float, spin: float, radius: float
) -> tuple[float, float]:
    """Return the slips of a steady motion, positive if they push forward and to the left."""
    if related == 0.0:
        if p.model == FIALA:
            return 0.0, 0.0
        along = -math.copysign(1.0, sliding_x) if sliding_x != 0.0 else 0.0
    else:
        along = -sliding_x / related
    if p.model == PACEJKA_89 and p.reference:
        related = abs(spin) * radius  # a locked wheel has no lateral force
    return along, -sliding_y / related if related > 0.0 else 0.0


@kernel(views_only=True)
def _relaxation(p: Any, load: float) -> tuple[float, float]:
    """Return the relaxation lengths along and across [m]."""
    lengths: tuple[float, float] = p.relaxation_length[0], p.relaxation_length[1]
    if p.model == PACEJKA_02:
        lengths = pacejka_02.relaxation_lengths(p, load)
    return lengths


@kernel(views_only=True)
def _lagged(
    slip_x: float,
    slip_y: float,
    sliding_x: float,
    sliding_y: float,
    related: float,
    step: float,
    lag_x: float,
    lag_y: float,
) -> tuple[float, float]:
    """Return the slips after a step; exact for a constant motion."""
    keep = math.exp(-related * step / lag_x)
    slip_x = slip_x * keep - sliding_x / related * (1.0 - keep)
    keep = math.exp(-related * step / lag_y)
    slip_y = slip_y * keep - sliding_y / related * (1.0 - keep)
    scale = min(1.0, _SLIP_LIMIT / max(1e-12, math.hypot(slip_x, slip_y)))
    return slip_x * scale, slip_y * scale


@kernel(views_only=True)
def _rolling(p: Any, contact: Contact, slip_x: float, slip_y: float, scale: float) -> tuple[float, float, float]:
    """Return longitudinal and lateral force [N] and aligning moment [N m] from the model's curves."""
    load = contact.load
    if p.model == TMEASY:
        fx, fy = tmeasy.slip_force(p, load, slip_x, slip_y, scale)
        return fx, fy, 0.0
    force: tuple[float, float, float]
    if p.model == FIALA:
        force = fiala.slip_force(p, load, slip_x, -slip_y, scale)
    elif p.model == PACEJKA_89:
        force = pacejka_89.slip_force(p, load, slip_x, -slip_y, contact.camber, scale)
    else:
        force = pacejka_02.slip_force(p, load, slip_x, -slip_y, contact.camber, scale)
    return force


@kernel(views_only=True)
def slip_stiffness(p: Any, load: float) -> tuple[float, float]:
    """Return the longitudinal and lateral slope of force over slip at zero slip [N]."""
    slopes: tuple[float, float]
    if p.model == TMEASY:
        slopes = tmeasy.slip_stiffness(p, load)
    elif p.model == FIALA:
        slopes = fiala.slip_stiffness(p, load)
    elif p.model == PACEJKA_89:
        slopes = pacejka_89.slip_stiffness(p, load)
    else:
        slopes = pacejka_02.slip_stiffness(p, load)
    return slopes


@kernel(views_only=True)
def _held(
    p: Any,
    load: float,
    mu: float,
    tread_speed: float,
    sliding_x: float,
    sliding_y: float,
    step: float,
    memory: Floats,
) -> tuple[float, float]:
    """Return the force of the bristle along and across [N], and advance it by a step.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        load: Load [N].
        mu: Friction coefficient of the ground [-].
        tread_speed: Speed at which fresh tread enters the contact [m/s].
        sliding_x: Longitudinal sliding velocity [m/s].
        sliding_y: Lateral sliding velocity [m/s].
        step: Step size [s].
        memory: In/out: memory of the tire, shape (MEMORY,).
    """
    limit = load * (mu / p.nominal_friction if p.reference else mu)
    loose_x = loose_y = 0.0
    if not p.reference:
        stiff_x, stiff_y = slip_stiffness(p, load)
        fresh = tread_speed * p.bristle_stiffness
        loose_x, loose_y = fresh / stiff_x, fresh / stiff_y
    fx, memory[0] = _bristle(p, limit, sliding_x, loose_x, step, memory[0])
    fy, memory[1] = _bristle(p, limit, sliding_y, loose_y, step, memory[1])
    scale = min(1.0, limit / max(1e-12, math.hypot(fx, fy)))
    return fx * scale, fy * scale


@kernel(views_only=True)
def _bristle(p: Any, limit: float, sliding: float, loose: float, step: float, deflection: float) -> tuple[float, float]:
    """Return the force of the bristle in one direction [N], and its deflection after a step [m].

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        limit: Friction limit [N].
        sliding: Sliding velocity [m/s].
        loose: Rate at which rolling releases the bristle [1/s].
        step: Step size [s].
        deflection: Deflection before the step [m].

    Source: dahl1968; dupont2002.
    Checked by: test_tires.py::test_tire_at_rest_slides_at_its_friction,
    test_tires.py::test_transients_agree_with_the_reference.
    """
    k = p.bristle_stiffness
    lasting = 1.0
    if not p.reference and step > 0.0:
        lasting = faded(k * deflection * math.copysign(1.0, sliding) / limit, _ELASTIC, 1.0)
    rate = lasting * k * abs(sliding) / limit + loose
    if step == 0.0 and not p.reference:
        return (-k * sliding / rate if rate > 0.0 else 0.0), deflection
    force = -(k * deflection + p.bristle_damping * (sliding - rate * deflection))
    if p.reference:
        if p.model == PACEJKA_89:
            return force, (deflection + step * sliding) / (1.0 + step * rate)
        return force, (deflection * (1.0 - 0.5 * step * rate) + step * sliding) / (1.0 + 0.5 * step * rate)
    keep = math.exp(-rate * step)
    return force, deflection * keep + (sliding / rate * (1.0 - keep) if rate > 0.0 else sliding * step)


@kernel(views_only=True)
def _moments(
    p: Any,
    contact: Contact,
    vx: float,
    fx: float,
    fy: float,
    mz: float,
    slip_y: float,
    rolling: float,
    radius: float,
    out: Floats,
) -> None:
    """Write the moments on the wheel about the contact [N m] to ``out[2:5]``."""
    load, spin = contact.load, contact.spin
    forward = math.copysign(1.0, spin) if spin != 0.0 else 0.0
    awake = faded(abs(vx), _TURNING[0], _TURNING[1]) * forward
    turning = rolling if not p.reference else 1.0
    if p.model == TMEASY:
        out[2] = tmeasy.overturning_moment(p, contact.camber)
        out[3] = -p.rolling_resistance * load * p.radius * math.tanh(spin)
        mz = tmeasy.aligning_moment(p, load, contact.depth, slip_y, fy)
        if p.reference and vx < 1.0:
            mz = 0.0
    elif p.model == FIALA:
        out[3] = -awake * p.rolling_resistance * load  # its coefficient is a length
    elif p.model == PACEJKA_89:
        aside = -fy / p.pacejka_89.lateral_stiffness
        out[2] = -load * aside
        out[3] = -awake * p.rolling_resistance * load * radius
        mz -= fx * aside
    elif not p.reference:
        out[3] = -awake * pacejka_02.rolling_resistance(p, load, fx, vx)
    out[4] = turning * mz
