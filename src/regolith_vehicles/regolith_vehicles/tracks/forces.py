# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Forces between ground, wheels, idler and sprocket through the band of a track.

Model and limits are described in :mod:`regolith_vehicles.tracks.band`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.dynamics.substeps import BodyArrays, Wrenches, add_wrench
from regolith_vehicles.tracks.band import (
    FREE,
    NX,
    NZ,
    OFFSET,
    ON_IDLER,
    ON_SPROCKET,
    PLACE,
    PX,
    PZ,
    RATE,
    VX,
    VZ,
    Band,
    BandState,
)
from regolith_vehicles.tracks.path import DX, DZ, LENGTH, TURN, X, Z
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

_ROLLING = 2000.0
"""Drag force of the band on a wheel per speed difference [N s/m]; the difference is some mm/s during driving."""
_PIN_DAMPING = 600.0
"""Damping between neighboring pins across the band [N s/m]: 5 % of critical damping of their fastest mode."""


@kernel(views_only=True)
def settle_band(band: Band, state: BandState, step: float, bodies: BodyArrays, wrenches: Wrenches) -> None:
    """Apply the ground's wrenches on the shoes to the vehicle, and move the pins by a substep [s]."""
    for side in range(band.disc.shape[0]):
        _load_pins(band, state, side, bodies, wrenches)
        _settle_run(band, state, side, step, bodies)
        # Ground forces along the band act on the sprocket; other moments of the links act on the hull.
        torque, sprocket = band.per_turn[side] * state.pull[side], band.disc[side, 0]
        _twist(sprocket, torque, bodies.xmat[band.hull], bodies)
        _twist(band.hull, -torque, bodies.xmat[band.hull], bodies)


@kernel(views_only=True)
def _load_pins(band: Band, state: BandState, side: int, bodies: BodyArrays, wrenches: Wrenches) -> None:
    """Distribute the forces of ground and wheels on one side's shoes to their pins; lateral forces act on the hull."""
    hull, pins, shoes, load = band.hull, state.pins[side], band.shoes[side], state.load[side]
    turn = bodies.xmat[hull]
    load[:] = 0.0
    pull = 0.0
    for k in range(shoes):
        shoe = band.first[side] + (state.start[side] + k) % shoes
        if not state.near[shoe]:
            continue
        a, b = pins[k], pins[k + 1]
        dx, dz = _unit(b, a)
        fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(3):
            f, m = wrenches.force[shoe, r], wrenches.torque[shoe, r]
            fx, fy, fz = fx + turn[3 * r] * f, fy + turn[3 * r + 1] * f, fz + turn[3 * r + 2] * f
            mx, my, mz = mx + turn[3 * r] * m, my + turn[3 * r + 1] * m, mz + turn[3 * r + 2] * m
        along, inwards = -(fx * dx + fz * dz), -fx * dz + fz * dx
        pull += along
        if a[PLACE] == FREE or b[PLACE] == FREE:
            pressed, moment = _press_wheels(band, state, side, a, b, dx, dz, bodies)
            inwards -= pressed
            my += moment
        apart = dx * (a[PX] - b[PX]) + dz * (a[PZ] - b[PZ])
        head, tail = 0.5 * inwards - my / apart, 0.5 * inwards + my / apart
        ahead, behind = load[k], load[k + 1 if k + 1 < shoes else 0]
        ahead[0] += -head * dz - 0.5 * along * dx
        ahead[1] += head * dx - 0.5 * along * dz
        ahead[2] += 0.5 * along
        behind[0] += -tail * dz - 0.5 * along * dx
        behind[1] += tail * dx - 0.5 * along * dz
        behind[2] += 0.5 * along
        if fy != 0.0 or mx != 0.0 or mz != 0.0:
            center = state.center
            add_wrench(
                bodies,
                hull,
                center[shoe, 0],
                center[shoe, 1],
                center[shoe, 2],
                turn[1] * fy,
                turn[4] * fy,
                turn[7] * fy,
                turn[0] * mx + turn[2] * mz,
                turn[3] * mx + turn[5] * mz,
                turn[6] * mx + turn[8] * mz,
            )
    state.pull[side] = pull


@kernel(views_only=True)
def _press_wheels(
    band: Band, state: BandState, side: int, a: Floats, b: Floats, dx: float, dz: float, bodies: BodyArrays
) -> tuple[float, float]:
    """Return outward force [N] and moment about y [N m] of road wheels and idler on a shoe between two pins.

    The rim of a wheel is ``deep`` below the inner face at ``foot``, with x from the middle of the shoe. It presses
    with k (deep - (x - foot)^2 / 2r) wherever this is positive, where k is the modulus of the rubber. Both integrals
    are exact.

    Source: wong2008, section 2.6.
    Checked by: test_tracks.py::test_wheel_pressure_matches_winkler_foundation.
    """
    turn, half = bodies.xmat[band.hull], 0.5 * band.pitch
    x, z = 0.5 * (a[PX] + b[PX]), 0.5 * (a[PZ] + b[PZ])
    vx, vz = 0.5 * (a[VX] + b[VX]), 0.5 * (a[VZ] + b[VZ])
    total, moment = 0.0, 0.0
    for k in range(1, band.disc.shape[1]):
        disc, radius = state.discs[side, k], band.rolling_radius[side, k]
        rx, rz = disc[0] - x, disc[1] - z
        foot, height = rx * dx + rz * dz, -rx * dz + rz * dx
        deep = band.face + radius - height
        if deep <= 0.0 or height <= 0.0:
            continue
        patch = math.sqrt(2.0 * radius * deep)
        low, high = max(-half, foot - patch) - foot, min(half, foot + patch) - foot
        if high <= low:
            continue
        even = band.rubber * (deep * (high - low) - (high**3 - low**3) / (6.0 * radius))
        first = band.rubber * (0.5 * deep * (high**2 - low**2) - (high**4 - low**4) / (8.0 * radius))
        yielding = -((disc[2] - vx) * -dz + (disc[3] - vz) * dx)
        share = max(0.0, 1.0 + band.rubber_damping * yielding)
        pressed = share * even
        total += pressed
        moment += share * first + foot * pressed
        body = band.disc[side, k]
        for r in range(3):
            bodies.xfrc_applied[body, r] += pressed * (-turn[3 * r] * dz + turn[3 * r + 2] * dx)
        # At the wheel's axle, which can differ from the body's center of mass; the remaining moment acts on the hull.
        _turn_about(bodies, body, pressed * -dz, pressed * dx, turn)
        _twist(band.hull, -share * first, turn, bodies)
    return total, moment


@kernel(views_only=True)
def _turn_about(bodies: BodyArrays, body: int, fx: float, fz: float, turn: Floats) -> None:
    """Add the moment about a body's center of mass of a force [N] at its origin, given in the hull's plane."""
    ax, ay, az = (
        bodies.xpos[body, 0] - bodies.xipos[body, 0],
        bodies.xpos[body, 1] - bodies.xipos[body, 1],
        bodies.xpos[body, 2] - bodies.xipos[body, 2],
    )
    wx, wy, wz = turn[0] * fx + turn[2] * fz, turn[3] * fx + turn[5] * fz, turn[6] * fx + turn[8] * fz
    bodies.xfrc_applied[body, 3] += ay * wz - az * wy
    bodies.xfrc_applied[body, 4] += az * wx - ax * wz
    bodies.xfrc_applied[body, 5] += ax * wy - ay * wx


@kernel(views_only=True)
def _twist(body: int, moment: float, turn: Floats, bodies: BodyArrays) -> None:
    """Add a moment about the hull's y axis [N m] to a body."""
    for r in range(3):
        bodies.xfrc_applied[body, 3 + r] += moment * turn[3 * r + 1]


@kernel(views_only=True)
def _push_disc(
    band: Band, state: BandState, side: int, disc: int, x: float, z: float, fx: float, fz: float, bodies: BodyArrays
) -> None:
    """Add a force in the hull's plane [N] at a point to a disc; its moment about the axle acts on the hull."""
    turn, body, place = bodies.xmat[band.hull], band.disc[side, disc], state.discs[side, disc]
    for r in range(3):
        bodies.xfrc_applied[body, r] += turn[3 * r] * fx + turn[3 * r + 2] * fz
    _turn_about(bodies, body, fx, fz, turn)
    _twist(band.hull, (z - place[1]) * fx - (x - place[0]) * fz, turn, bodies)


@kernel(views_only=True)
def _push_hull(band: Band, side: int, x: float, z: float, fx: float, fz: float, bodies: BodyArrays) -> None:
    """Add a force in the hull's plane [N] at a point of a track's plane to the hull."""
    turn, hull, y = bodies.xmat[band.hull], band.hull, band.aside[side]
    ax = bodies.xpos[hull, 0] - bodies.xipos[hull, 0] + turn[0] * x + turn[1] * y + turn[2] * z
    ay = bodies.xpos[hull, 1] - bodies.xipos[hull, 1] + turn[3] * x + turn[4] * y + turn[5] * z
    az = bodies.xpos[hull, 2] - bodies.xipos[hull, 2] + turn[6] * x + turn[7] * y + turn[8] * z
    wx, wy, wz = turn[0] * fx + turn[2] * fz, turn[3] * fx + turn[5] * fz, turn[6] * fx + turn[8] * fz
    applied = bodies.xfrc_applied[hull]
    applied[0] += wx
    applied[1] += wy
    applied[2] += wz
    applied[3] += ay * wz - az * wy
    applied[4] += az * wx - ax * wz
    applied[5] += ax * wy - ay * wx


@kernel(views_only=True)
def _unit(start: Floats, end: Floats) -> tuple[float, float]:
    """Return the direction from one pin to another."""
    dx, dz = end[PX] - start[PX], end[PZ] - start[PZ]
    size = math.sqrt(dx * dx + dz * dz)
    return dx / size, dz / size


@kernel(views_only=True)
def _settle_run(band: Band, state: BandState, side: int, step: float, bodies: BodyArrays) -> None:
    """Move the free pins of one side, and apply the tension to sprocket and idler."""
    pins, shoes, load, turn = state.pins[side], band.shoes[side], state.load[side], bodies.xmat[band.hull]
    first, last = 0, band.disc.shape[1] - 1
    while pins[first, PLACE] == ON_SPROCKET:
        first += 1
    end = first
    while pins[end, PLACE] == FREE:
        end += 1
    g = band.gravity
    gx, gz = turn[0] * g[0] + turn[3] * g[1] + turn[6] * g[2], turn[2] * g[0] + turn[5] * g[1] + turn[8] * g[2]
    for k in range(shoes):
        if k < first:
            _push_hull(band, side, pins[k, PX], pins[k, PZ], load[k, 0], load[k, 1], bodies)
        elif k >= end and pins[k, PLACE] == ON_IDLER:
            _push_disc(band, state, side, last, pins[k, PX], pins[k, PZ], load[k, 0], load[k, 1], bodies)
    tension = _first_tension(band, state, side, first, end)
    state.tension[side, 0] = tension
    ux, uz = _unit(pins[first - 1], pins[first])
    _push_disc(band, state, side, 0, pins[first, PX], pins[first, PZ], tension * ux, tension * uz, bodies)
    before, rate = 0.0, 0.0
    for k in range(first, end):
        row, pin = pins[k], state.pin[side, (state.start[side] + k) % shoes]
        nx, nz = row[NX], row[NZ]
        weight = band.mass * (gx * nx + gz * nz)
        fx, fz = load[k, 0] - tension * ux, load[k, 1] - tension * uz
        tension = max(0.0, tension - load[k, 2])
        ux, uz = _unit(row, pins[k + 1])
        fx, fz = fx + tension * ux, fz + tension * uz
        # The pin is free along its normal only; other forces act on the hull, and the hull no longer carries its
        # weight.
        rest = fx * nz - fz * nx
        _push_hull(band, side, row[PX], row[PZ], rest * nz - weight * nx, -rest * nx - weight * nz, bodies)
        rate = pin[RATE]
        after = state.pin[side, (state.start[side] + k + 1) % shoes, RATE] if k + 1 < end else 0.0
        drag = _PIN_DAMPING * (before - 2.0 * rate + after)
        pin[RATE] = rate + step * (fx * nx + fz * nz + weight + drag) / band.mass
        _stay_off_sprocket(band, state, side, row, pin, step, bodies)
        pin[OFFSET] += step * pin[RATE]
        before = rate
    state.tension[side, 1] = tension
    _push_disc(band, state, side, last, pins[end, PX], pins[end, PZ], -tension * ux, -tension * uz, bodies)
    upper = state.pieces[side, state.piece_count[side] - 2]
    x, z, ux, uz = upper[X], upper[Z], upper[DX], upper[DZ]
    _push_disc(band, state, side, last, x, z, tension * ux, tension * uz, bodies)
    _push_disc(band, state, side, 0, x, z, -tension * ux, -tension * uz, bodies)


@kernel(views_only=True)
def _stay_off_sprocket(
    band: Band, state: BandState, side: int, row: Floats, pin: Floats, step: float, bodies: BodyArrays
) -> None:
    """Keep a free pin outside the circle of the pins on the sprocket, which it has just left.

    The link that leaves the sprocket is a chord, not the circle's tangent. Without this constraint the tension would
    pull its far pin up to p^2 / 4R inside. The constraint force acts on the sprocket, along its radius. The hull holds
    the pin along the path, as it does for all free pins.
    """
    nx, nz, radius = row[NX], row[NZ], band.radius[side, 0]
    rx, rz = row[PX] - state.discs[side, 0, 0], row[PZ] - state.discs[side, 0, 1]
    out = rx * nx + rz * nz - pin[OFFSET]
    beside = rx * nz - rz * nx
    room = radius * radius - beside * beside
    if room <= 0.0 or out <= 0.0:
        return
    rate = (math.sqrt(room) - out - pin[OFFSET]) / step
    if pin[RATE] >= rate:
        return
    held = (rate - pin[RATE]) * band.mass / step
    pin[RATE] = rate
    # Along the radius, so its component along the normal is the required force.
    aside = held * beside / max(rx * nx + rz * nz, 0.1 * radius)
    _push_disc(band, state, side, 0, row[PX], row[PZ], -held * nx - aside * nz, -held * nz + aside * nx, bodies)
    _push_hull(band, side, row[PX], row[PZ], aside * nz, -aside * nx, bodies)


@kernel(views_only=True)
def _first_tension(band: Band, state: BandState, side: int, first: int, end: int) -> float:
    """Return the tension of the lower link next to the sprocket [N].

    The mean over all links is elastic in the band's length. Along the free run the tension decreases by the ground's
    pull at each pin. The length is that on the idler with its previous deflection; the deflection by the new tension
    is solved.
    """
    shoes, load = band.shoes[side], state.load[side]
    idler = state.pieces[side, state.piece_count[side] - 3]
    last = band.disc.shape[1] - 1
    wrapped = idler[LENGTH] * idler[TURN]
    yielding = wrapped / (band.radius[side, last] * band.rubber)
    excess = state.way[side] - shoes * band.pitch + yielding * state.tension[side, 1]
    mean: float = band.stiffness * excess / (1.0 + band.stiffness * yielding)
    fallen, sum_fallen = 0.0, 0.0
    for k in range(first, end):
        fallen += load[k, 2]
        sum_fallen += fallen
    sum_fallen += fallen * (shoes - end)
    tension: float = max(0.0, mean + sum_fallen / shoes)
    return tension


@kernel(views_only=True)
def turn_wheels(band: Band, state: BandState, side: int, bodies: BodyArrays) -> float:
    """Apply the band's drag to road wheels and idler; return the resulting moment at the sprocket [N m]."""
    speed = band.per_turn[side] * bodies.qvel[band.disc_dof[side, 0]]
    taken = 0.0
    for k in range(1, band.disc.shape[1]):
        dof, radius = band.disc_dof[side, k], band.rolling_radius[side, k]
        dragged = _ROLLING * (speed - radius * bodies.qvel[dof])
        bodies.qfrc_applied[dof] = dragged * radius
        taken += dragged * band.per_turn[side]
    return taken
