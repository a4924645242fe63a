# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Path of a track: the shortest closed band around discs, and points on it.

All coordinates are in the plane of one track, x forward and z up in the hull frame. Discs are given in the order of
the band: sprocket, road wheels, idler. The band runs down at the front, along the ground and up at the rear. The first
and the last disc are always on the path, a road wheel only if it protrudes. The band runs clockwise as seen from the
right of the vehicle; outward is to the left of its direction of travel.

Pins are one pitch apart along chords. On a disc of radius R a chord p takes the arc R 2 asin(p / 2R). Lengths on discs
are counted in chords, so equal lengths are equal numbers of shoes. Where a shoe has one pin on a disc and one off it,
the error of its chord is below p^3 / (60 R^2).

Source: wong2008, section 2.6.
Checked by: test_track_path.py::test_band_length_around_two_discs_matches_geometry,
test_track_path.py::test_pins_are_one_pitch_apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

LENGTH, DISC, NEXT, ANGLE, TURN, X, Z, DX, DZ = range(9)
"""Columns of a piece of the path.

They are: length in chords [m]; disc of an arc, else the disc from which a straight piece comes; disc to which it
leads, -1 for an arc; angle of the outward normal at its start [rad]; angle per length [rad/m]; start [m]; direction.
"""
COLUMNS = 9


@kernel(views_only=True)
def lay_track(x: Floats, z: Floats, radius: Floats, pitch: float, pieces: Floats) -> tuple[int, float]:
    """Write the pieces of the path, and return their number and the path's length [m].

    The path begins at the front of the first disc, where the outward normal is +x.

    Args:
        x: Centers of the discs along x [m], shape (n,).
        z: Centers of the discs along z [m], shape (n,).
        radius: Radius of the pin line on each disc [m], shape (n,).
        pitch: Distance of the pins [m].
        pieces: Out: pieces of the path, shape (at least 2 n + 2, COLUMNS).
    """
    discs = x.shape[0]
    count, total = 0, 0.0
    here, angle = 0, 0.0
    while True:
        # The next disc is the leftmost: all others are to the right of its tangent.
        best, best_x, best_z, best_angle, best_length = -1, 0.0, 0.0, 0.0, 0.0
        for disc in range(here + 1, discs + 1):
            other = disc if disc < discs else 0
            if other == 0 and here != discs - 1:
                continue
            dx, dz = x[other] - x[here], z[other] - z[here]
            apart = math.sqrt(dx * dx + dz * dz)
            ex, ez = dx / apart, dz / apart
            sine = (radius[here] - radius[other]) / apart
            cosine = math.sqrt(max(0.0, 1.0 - sine * sine))
            # Outward normal of the tangent, to the left of the direction of travel.
            nx, nz = sine * ex - cosine * ez, sine * ez + cosine * ex
            tx, tz = nz, -nx
            if best < 0 or best_x * tz - best_z * tx > 0.0:
                best, best_x, best_z, best_angle, best_length = other, tx, tz, math.atan2(nz, nx), apart * cosine
        # Clockwise along the disc to the tangent.
        turned = (angle - best_angle) % (2.0 * math.pi)
        if turned > 2.0 * math.pi - 1e-9:
            turned = 0.0
        per_length = 2.0 * math.asin(0.5 * pitch / radius[here]) / pitch
        total += _arc(pieces, count, here, turned, per_length, angle, x[here], z[here], radius[here])
        count += 1
        piece = pieces[count]
        piece[LENGTH], piece[DISC], piece[NEXT], piece[ANGLE], piece[TURN] = best_length, here, best, best_angle, 0.0
        piece[X] = x[here] + radius[here] * math.cos(best_angle)
        piece[Z] = z[here] + radius[here] * math.sin(best_angle)
        piece[DX], piece[DZ] = best_x, best_z
        total += best_length
        count += 1
        here, angle = best, best_angle
        if here == 0:
            break
    turned = angle % (2.0 * math.pi)
    per_length = 2.0 * math.asin(0.5 * pitch / radius[0]) / pitch
    total += _arc(pieces, count, 0, turned, per_length, angle, x[0], z[0], radius[0])
    return count + 1, total


@kernel(views_only=True)
def _arc(
    pieces: Floats,
    at: int,
    disc: int,
    turned: float,
    per_length: float,
    angle: float,
    x: float,
    z: float,
    radius: float,
) -> float:
    """Write an arc that turns by ``turned`` [rad], clockwise from a normal at ``angle``; return its length [m]."""
    piece = pieces[at]
    length: float = turned / per_length
    piece[LENGTH], piece[DISC], piece[NEXT], piece[ANGLE], piece[TURN] = length, disc, -1.0, angle, per_length
    piece[X], piece[Z], piece[DX], piece[DZ] = x, z, radius, 0.0
    return length


@kernel(views_only=True)
def point_on(piece: Floats, way: float) -> tuple[float, float, float, float]:
    """Return x and z [m] and the outward normal at a length [m] from the start of a piece."""
    if piece[NEXT] < 0.0:
        angle = piece[ANGLE] - way * piece[TURN]
        nx, nz = math.cos(angle), math.sin(angle)
        return piece[X] + piece[DX] * nx, piece[Z] + piece[DX] * nz, nx, nz
    return piece[X] + way * piece[DX], piece[Z] + way * piece[DZ], -piece[DZ], piece[DX]
