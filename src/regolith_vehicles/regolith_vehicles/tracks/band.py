# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Model of a track's band: its parameters, its state, and the poses of its shoes.

The band turns with its sprocket and takes the shortest path around the discs (:mod:`regolith_vehicles.tracks.path`).
Below, between sprocket and idler, every pin can leave this path along its normal. It has the mass of a shoe. Forces on
it are those of the ground under its shoes, of the road wheels' rubber on them, its weight, and the tension of both
links. A road wheel's rubber is a Winkler foundation on the shoes' inner faces, so its load passes from shoe to shoe
without steps. Tension is elastic in the length of the whole band. Along the run on the ground it changes by the pull
of each shoe. Forces on shoes along the band turn the sprocket, by virtual work. Lateral forces, and moments about the
shoe's longitudinal and vertical axes, act on the hull. A pin that has left the sprocket stays outside its circle, and
the idler's rubber presses on the shoe that comes to it. Forces and moments balance exactly, so a vehicle at rest has
its center of mass over the middle of the support. The model is validated against a chain of shoes that are bodies
(``shoe_chain.py`` in the tests). Pressures agree to 2 % in the mean at rest and to 5 % during driving, the moment of
turning resistance to 2 %.

Not modeled, with the resulting error:

* Teeth and the polygon that they form: ripple of the sprocket speed of 5 % at the frequency of the shoes.
* Play and friction of pins, except for a total resistance.
* Centrifugal tension, m' u^2: 3 kN of about 80 kN at 5 m/s.
* Inertia of shoes across the band when the hull heaves; it acts on the hull instead.
* Oscillation of the upper run, which hangs as a parabola.
* Guide horns: a track cannot be thrown.

Source: wong2008, section 2.6.
Checked by: test_tracks.py::test_band_transmits_every_force,
test_shoe_chain.py::test_band_pressure_at_rest_matches_the_chain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.dynamics.substeps import BodyArrays
from regolith_vehicles.tracks.path import COLUMNS, LENGTH, NEXT, lay_track, point_on
from regolith_vehicles.tracks.path import DISC as _DISC
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

OFFSET, RATE = range(2)
"""Columns of a pin's state: outward offset from the path [m], and its rate [m/s]."""
PX, PZ, NX, NZ, VX, VZ, PLACE = range(7)
"""Columns of a pin.

They are: position in the plane of the track [m], outward normal, velocity relative to the hull [m/s], and ON_SPROCKET,
FREE, ON_IDLER or ABOVE.
"""
PIN_COLUMNS = 7
ON_SPROCKET, FREE, ON_IDLER, ABOVE = 0.0, 1.0, 2.0, 3.0
_NESTLING = 0.02
"""Time constant in which a pin on a disc loses its offset [s]."""


class Band(NamedTuple):
    """Constant parameters of the tracks; the first axis of arrays is the side."""

    hull: int
    """Body of the hull."""
    disc: Indices
    """Bodies of sprocket, road wheels and idler, shape (sides, discs)."""
    disc_dof: Indices
    """Degrees of freedom of the discs' rotation, shape (sides, discs)."""
    radius: Floats
    """Radius of the pin line on each disc [m], shape (sides, discs)."""
    rolling_radius: Floats
    """Radius of each disc itself [m], shape (sides, discs)."""
    sprocket_angle: Indices
    """Index of each sprocket's angle in qpos, shape (sides,)."""
    aside: Floats
    """Position of each track along y in the hull frame [m], shape (sides,)."""
    shoes: Indices
    """Number of shoes, shape (sides,)."""
    first: Indices
    """Index of each side's first shoe among the parts, shape (sides,)."""
    per_turn: Floats
    """Distance of the band per angle of the sprocket [m/rad], shape (sides,)."""
    pitch: float
    """Distance of the pins [m]."""
    mass: float
    """Mass of a shoe [kg]."""
    face: float
    """Height of a shoe's inner face above its pins [m]."""
    stiffness: float
    """Tension per elongation of the band [N/m]."""
    rubber: float
    """Pressure per length of a road wheel and per deflection of its rubber [N/m^2]."""
    rubber_damping: float
    """Relative increase of that pressure per deflection rate [s/m]."""
    gravity: Floats
    """Gravitational acceleration in the world frame [m/s^2], shape (3,)."""


class BandState(NamedTuple):
    """State of the tracks, and values computed from it in each substep."""

    pin: Floats
    """In/out: offset and rate of each pin, shape (sides, most shoes, 2)."""
    short: Floats
    """In/out: difference between path and pin-to-pin length of each band [m], shape (sides,)."""
    way: Floats
    """Out: pin-to-pin length of each band [m], shape (sides,)."""
    tension: Floats
    """In/out: tension of the link at the start and the end of the run on the ground [N], shape (sides, 2)."""
    pull: Floats
    """Out: force of the ground along each band, in the direction of travel [N], shape (sides,)."""
    center: Floats
    """Out: centers of all shoes in the world frame [m], shape (shoes, 3)."""
    rotation: Floats
    """Out: axes of all shoes as columns: ahead on the ground, left, toward the wheels, shape (shoes, 3, 3)."""
    velocity: Floats
    """Out: velocities of all shoes [m/s], shape (shoes, 3)."""
    spin: Floats
    """Out: angular velocities of all shoes [rad/s], shape (shoes, 3)."""
    near: NDArray[np.bool_]
    """Out: whether each shoe is neither on the upper run nor on its way there, shape (shoes,)."""
    pins: Floats
    """Work array for the pins in path order, shape (sides, most shoes + 1, PIN_COLUMNS)."""
    start: Indices
    """Work array for the first pin on that path, shape (sides,)."""
    piece_count: Indices
    """Work array for the number of pieces of that path, shape (sides,)."""
    load: Floats
    """Work array for forces on the pins in path order, shape (sides, most shoes + 1, 3).

    They are the force in the plane of the track and the ground's force along the band [N].
    """
    radius: Floats
    """Work array for the radii of the pin line on the deflected discs [m], shape (sides, discs)."""
    pieces: Floats
    """Work array for the path, shape (sides, 2 discs + 2, COLUMNS)."""
    discs: Floats
    """Work array for the discs: x, z [m] and their rates [m/s] in the hull frame, shape (sides, discs, 4)."""


def make_state(band: Band) -> BandState:
    """Return the state of tracks on their shortest paths."""
    sides, discs = band.disc.shape
    most, shoes = int(band.shoes.max()), int(band.shoes.sum())
    return BandState(
        pin=np.zeros((sides, most, 2)),
        short=np.zeros(sides),
        way=np.zeros(sides),
        tension=np.zeros((sides, 2)),
        pull=np.zeros(sides),
        center=np.zeros((shoes, 3)),
        rotation=np.zeros((shoes, 3, 3)),
        velocity=np.zeros((shoes, 3)),
        spin=np.zeros((shoes, 3)),
        near=np.zeros(shoes, dtype=np.bool_),
        pins=np.zeros((sides, most + 1, PIN_COLUMNS)),
        start=np.zeros(sides, dtype=np.int64),
        piece_count=np.zeros(sides, dtype=np.int64),
        load=np.zeros((sides, most + 1, 3)),
        radius=np.zeros((sides, discs)),
        pieces=np.zeros((sides, 2 * discs + 2, COLUMNS)),
        discs=np.zeros((sides, discs, 4)),
    )


@kernel(views_only=True)
def place_shoes(band: Band, state: BandState, step: float, bodies: BodyArrays) -> None:
    """Write the poses and velocities of all shoes.

    Args:
        band: Parameters of the tracks.
        state: In/out: state of the tracks.
        step: Time since the previous call [s]; 0: the state does not change.
        bodies: MuJoCo's structures.
    """
    nestling = math.exp(-step / _NESTLING)
    for side in range(band.disc.shape[0]):
        _find_discs(band, state, side, bodies)
        _place_pins(band, state, side, nestling, bodies)
        _place_side(band, state, side, bodies)


@kernel(views_only=True)
def _find_discs(band: Band, state: BandState, side: int, bodies: BodyArrays) -> None:
    """Write the discs' positions and rates in the hull frame."""
    hull = band.hull
    turn, cvel = bodies.xmat[hull], bodies.cvel
    wx, wy, wz = cvel[hull, 0], cvel[hull, 1], cvel[hull, 2]
    com = bodies.subtree_com[bodies.root]
    for k in range(band.disc.shape[1]):
        body = band.disc[side, k]
        px, py, pz = bodies.xpos[body, 0], bodies.xpos[body, 1], bodies.xpos[body, 2]
        rx, ry, rz = px - com[0], py - com[1], pz - com[2]
        bx, by, bz = cvel[body, 0] - wx, cvel[body, 1] - wy, cvel[body, 2] - wz
        # Velocity of the disc's center relative to the moving hull.
        vx = cvel[body, 3] - cvel[hull, 3] + (by * rz - bz * ry)
        vy = cvel[body, 4] - cvel[hull, 4] + (bz * rx - bx * rz)
        vz = cvel[body, 5] - cvel[hull, 5] + (bx * ry - by * rx)
        dx, dy, dz = px - bodies.xpos[hull, 0], py - bodies.xpos[hull, 1], pz - bodies.xpos[hull, 2]
        row = state.discs[side, k]
        row[0] = turn[0] * dx + turn[3] * dy + turn[6] * dz
        row[1] = turn[2] * dx + turn[5] * dy + turn[8] * dz
        row[2] = turn[0] * vx + turn[3] * vy + turn[6] * vz
        row[3] = turn[2] * vx + turn[5] * vy + turn[8] * vz


@kernel(views_only=True)
def _place_pins(band: Band, state: BandState, side: int, nestling: float, bodies: BodyArrays) -> None:
    """Write the pins in path order, from the front of the sprocket; the first pin is repeated at the end."""
    discs, pieces, pins = state.discs[side], state.pieces[side], state.pins[side]
    last = band.disc.shape[1] - 1
    radius = state.radius[side]
    for k in range(last + 1):
        radius[k] = band.radius[side, k]
    radius[last] = idler_radius(band, side, state.tension[side, 1])
    count, total = lay_track(discs[:, 0], discs[:, 1], radius, band.pitch, pieces)
    shoes = band.shoes[side]
    # Chords over bends are shorter than the path, in total by the amount found in the previous call.
    length = total - state.short[side]
    spacing = length / shoes
    state.way[side], state.piece_count[side] = length, count
    travel = band.per_turn[side] * bodies.qvel[band.disc_dof[side, 0]]
    ahead = (band.per_turn[side] * bodies.qpos[band.sprocket_angle[side]]) % length
    start = int(math.ceil(-ahead / spacing)) % shoes
    at = (ahead + start * spacing) % length
    if at >= spacing:  # by rounding
        at = 0.0
    state.start[side] = start
    first = at
    piece, done, idler = 0, 0.0, count - 3
    for k in range(shoes):
        pin, out = state.pin[side, (start + k) % shoes], pins[k]
        if k > 0:
            at += spacing
        for _ in range(3):  # until the chord from the last pin is correct
            while piece < count - 1 and at > done + pieces[piece, LENGTH]:
                done += pieces[piece, LENGTH]
                piece += 1
            while piece > 0 and at < done:
                piece -= 1
                done -= pieces[piece, LENGTH]
            x, z, nx, nz = point_on(pieces[piece], at - done)
            x, z = x + pin[OFFSET] * nx, z + pin[OFFSET] * nz
            if k == 0 or piece > idler:
                break
            dx, dz = x - pins[k - 1, PX], z - pins[k - 1, PZ]
            off = spacing - math.sqrt(dx * dx + dz * dz)
            if abs(off) < 1e-6:
                break
            at += off
        row = pieces[piece]
        a = int(row[_DISC])
        vx, vz = discs[a, 2], discs[a, 3]
        if row[NEXT] >= 0.0:
            b, share = int(row[NEXT]), (at - done) / row[LENGTH]
            vx += share * (discs[b, 2] - vx)
            vz += share * (discs[b, 3] - vz)
        if piece == 0:
            out[PLACE] = ON_SPROCKET
        elif piece < idler:
            out[PLACE] = FREE
        elif piece == idler:
            out[PLACE] = ON_IDLER
        else:
            out[PLACE] = ABOVE
        sag = 0.0
        if piece == idler + 1 and state.tension[side, 1] > 0.0:
            along = at - done
            g = math.sqrt(band.gravity[0] ** 2 + band.gravity[1] ** 2 + band.gravity[2] ** 2)
            weight = g * band.mass / band.pitch
            sag = min(0.5 * weight * along * (row[LENGTH] - along) / state.tension[side, 1], 0.1 * row[LENGTH])
        out[PX], out[PZ], out[NX], out[NZ] = x - sag * nx, z - sag * nz, nx, nz
        if out[PLACE] != FREE:  # its offset to the disc decays
            pin[OFFSET], pin[RATE] = pin[OFFSET] * nestling, 0.0
        out[VX] = vx + pin[RATE] * nx + travel * nz
        out[VZ] = vz + pin[RATE] * nz - travel * nx
    if nestling < 1.0:
        state.short[side] = at - first - (shoes - 1) * spacing
    for a in range(PIN_COLUMNS):
        pins[shoes, a] = pins[0, a]


@kernel(views_only=True)
def _place_side(band: Band, state: BandState, side: int, bodies: BodyArrays) -> None:
    """Write poses and velocities of one side's shoes."""
    hull, pins, shoes = band.hull, state.pins[side], band.shoes[side]
    place, turn, cvel = bodies.xpos[hull], bodies.xmat[hull], bodies.cvel[hull]
    com = bodies.subtree_com[bodies.root]
    y = band.aside[side]
    for k in range(shoes):
        a, b = pins[k], pins[k + 1]
        shoe = band.first[side] + (state.start[side] + k) % shoes
        center, rotation = state.center[shoe], state.rotation[shoe]
        velocity, spin = state.velocity[shoe], state.spin[shoe]
        x, z = 0.5 * (a[PX] + b[PX]), 0.5 * (a[PZ] + b[PZ])
        dx, dz = a[PX] - b[PX], a[PZ] - b[PZ]
        size = math.sqrt(dx * dx + dz * dz)
        dx, dz = dx / size, dz / size  # the shoe's x axis; its z axis is (-dz, dx)
        ux, uz = 0.5 * (a[VX] + b[VX]), 0.5 * (a[VZ] + b[VZ])
        rate = -((a[VX] - b[VX]) * -dz + (a[VZ] - b[VZ]) * dx) / size
        for r in range(3):
            tx, ty, tz = turn[3 * r], turn[3 * r + 1], turn[3 * r + 2]
            center[r] = place[r] + tx * x + ty * y + tz * z
            rotation[r, 0] = tx * dx + tz * dz
            rotation[r, 1] = ty
            rotation[r, 2] = -tx * dz + tz * dx
            spin[r] = cvel[r] + ty * rate
            velocity[r] = cvel[3 + r] + tx * ux + tz * uz
        rx, ry, rz = center[0] - com[0], center[1] - com[1], center[2] - com[2]
        velocity[0] += cvel[1] * rz - cvel[2] * ry
        velocity[1] += cvel[2] * rx - cvel[0] * rz
        velocity[2] += cvel[0] * ry - cvel[1] * rx
        state.near[shoe] = a[PLACE] != ABOVE and b[PLACE] != ABOVE


@kernel(views_only=True)
def idler_radius(band: Band, side: int, tension: float) -> float:
    """Return the radius of the pins on an idler [m] whose rubber deflects under the band's tension [N].

    A band of tension T pulls on a shoe with T p / R. The shoe is flat on the rubber, at the depth at which the
    foundation's pressure over its whole length supports it. Its pins are p / 2 to both sides.

    Args:
        band: Parameters of the tracks.
        side: Index of the side.
        tension: Tension of the band [N].

    Source: wong2008, section 2.6.
    Checked by: test_tracks.py::test_idler_deflects_under_band_tension.
    """
    last = band.disc.shape[1] - 1
    half, radius = 0.5 * band.pitch, band.rolling_radius[side, last]
    deep = tension / (band.radius[side, last] * band.rubber) + half * half / (6.0 * radius)
    flat = radius + band.face - min(deep, 0.5 * radius)
    return math.sqrt(flat * flat + half * half)
