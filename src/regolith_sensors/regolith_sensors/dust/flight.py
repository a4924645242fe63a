# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Flight of dust in closed form, without air and in still air, and its end on the ground and on vehicles.

A parcel that leaves x0 with v0 is at x0 + v0 t - (0, 0, g) t^2 / 2. In air with the stopping time T of its grains it is
at x0 + v0 s - (0, 0, g T) (t - s) with s = T (1 - exp(-t / T)). Nothing is integrated, so a state at any time follows
from the start alone. The end on the ground is found when a parcel starts, from the ground committed then.

Simplifications in air: Stokes' drag holds for slow, small grains (it is a quarter too small for 20 um at 1 m/s); there
is no wind, no lift and no turbulence, and the grains of a parcel, all of one size, do not carry the air along.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from regolith_sensors.arrays import Floats, Ints, Longs
from regolith_terrain.grid import SoilGrid
from regolith_world.numerics import kernel

LONGEST_FLIGHT_S = 30.0
"""Time after which a parcel counts as landed [s]."""
START_M = 0.005
"""Height above the ground at which a parcel starts [m]."""
FARTHEST_M = 20.0
"""Horizontal distance from the starts of a cycle up to which the ground is known; beyond it, it continues level [m]."""
_BISECTED_M, _BISECTED_IN_AIR_M = 1e-3, 1e-6
_STEPS_OF_FLAT = 8.0


def stopping_times(age_s: Floats, stop_s: float) -> Floats:
    """Return T (1 - exp(-t / T)) [s]: the time that a grain with its first velocity takes for the same way.

    Args:
        age_s: Times t since the start [s].
        stop_s: Stopping time T of the grains [s]; infinite in vacuum, where the result is t.
    """
    return age_s if math.isinf(stop_s) else -stop_s * np.expm1(-age_s / stop_s)


def positions(place: Floats, velocity: Floats, age_s: Floats, gravity: float, stop_s: float = math.inf) -> Floats:
    """Return positions after a time of flight [m], shape (n, 3).

    Args:
        place: Positions at the start [m], shape (n, 3).
        velocity: Velocities at the start [m/s], shape (n, 3).
        age_s: Times since the start [s], shape (n,).
        gravity: Gravity along -z [m/s^2].
        stop_s: Stopping time of the grains [s]; infinite in vacuum.

    Source: hsu2012; stokes1851.
    Checked by: test_dust.py::test_flight_is_a_parabola,
    test_dust_in_air.py::test_flight_in_air_obeys_its_equation_of_motion.
    """
    way_s = stopping_times(age_s, stop_s)
    found = place + velocity * way_s[:, None]
    found[:, 2] -= 0.5 * gravity * age_s * age_s if math.isinf(stop_s) else gravity * stop_s * (age_s - way_s)
    return found


def velocities(velocity: Floats, age_s: Floats, gravity: float, stop_s: float = math.inf) -> Floats:
    """Return velocities after a time of flight [m/s], shape (n, 3); arguments as of :func:`positions`."""
    if math.isinf(stop_s):
        found = velocity.copy()
        found[:, 2] -= gravity * age_s
        return found
    left = np.exp(-age_s / stop_s)
    found = velocity * left[:, None]
    found[:, 2] -= gravity * stop_s * (1.0 - left)
    return found


def land(
    place: Floats, velocity: Floats, gravity: float, grid: SoilGrid, stop_s: float = math.inf
) -> tuple[Floats, Floats]:
    """Return starts on the ground [m], shape (n, 3), and times of flight until the ground [s], shape (n,).

    A parcel starts START_M above the ground. Steps of half a cell bracket its end, bisection narrows the bracket to
    1 mm, and the end is that on the level plane there. In air bisection continues to 1 um, and its end is the end.

    Args:
        place: Horizontal positions at the start; the height is ignored [m], shape (n, 3).
        velocity: Velocities at the start [m/s], shape (n, 3).
        gravity: Gravity along -z [m/s^2].
        grid: The ground.
        stop_s: Stopping time of the grains [s]; infinite in vacuum.

    Tests: test_dust.py, test_dust_in_air.py.
    """
    start, flight = place.copy(), np.zeros(len(place))
    if not len(place):
        return start, flight
    up = velocity[:, 2]
    # Twice the time over level ground: the ground may fall away.
    level_s = 2.0 * (up + np.sqrt(up * up + 2.0 * gravity * START_M)) / gravity
    reach = np.minimum(np.hypot(velocity[:, 0], velocity[:, 1]) * np.minimum(level_s, stop_s), FARTHEST_M)
    d = grid.spacing
    low = np.floor((place[:, :2] - reach[:, None]).min(axis=0) / d).astype(np.int64) - 1
    high = np.ceil((place[:, :2] + reach[:, None]).max(axis=0) / d).astype(np.int64) + 2
    levels, _ = grid.heights_and_masses(int(low[0]), int(high[0]), int(low[1]), int(high[1]))
    _land(start, velocity, gravity, stop_s, levels, int(low[0]), int(low[1]), d, flight)
    return start, flight


@kernel(views_only=True, forceinline=True)
def _level(levels: Floats, i0: int, j0: int, spacing: float, x: float, y: float) -> Any:
    """Return the height at a point, bilinear [m]; outside the window that of its edge."""
    u = min(max(x / spacing - i0, 0.0), levels.shape[0] - 1.0)
    v = min(max(y / spacing - j0, 0.0), levels.shape[1] - 1.0)
    i, j = min(int(u), levels.shape[0] - 2), min(int(v), levels.shape[1] - 2)
    a, b = u - i, v - j
    near = levels[i, j] + b * (levels[i, j + 1] - levels[i, j])
    return near + a * (levels[i + 1, j] + b * (levels[i + 1, j + 1] - levels[i + 1, j]) - near)


@kernel(views_only=True, forceinline=True)
def _way(t: float, gravity: float, stop_s: float) -> Any:
    """Return the time of the way at the first velocity [s], and the way of the fall [m], after a time [s]."""
    if math.isinf(stop_s):
        return t, 0.5 * gravity * t * t
    way_s = -stop_s * math.expm1(-t / stop_s)
    return way_s, gravity * stop_s * (t - way_s)


@kernel(views_only=True)
def _land(
    start: Floats,
    velocity: Floats,
    gravity: float,
    stop_s: float,
    levels: Floats,
    i0: int,
    j0: int,
    spacing: float,
    flight: Floats,
) -> None:
    vacuum = math.isinf(stop_s)
    for n in range(start.shape[0]):
        x, y = start[n, 0], start[n, 1]
        vx, vy, vz = velocity[n, 0], velocity[n, 1], velocity[n, 2]
        z = _level(levels, i0, j0, spacing, x, y) + START_M
        start[n, 2] = z
        flat = math.sqrt(vx * vx + vy * vy)
        step = (vz + math.sqrt(vz * vz + 2.0 * gravity * START_M)) / (gravity * _STEPS_OF_FLAT)
        step = min(step, 0.5 * spacing / max(flat, 1e-9))
        before, after = 0.0, step
        while after < LONGEST_FLIGHT_S:
            way, fall = _way(after, gravity, stop_s)
            if z + vz * way - fall <= _level(levels, i0, j0, spacing, x + vx * way, y + vy * way):
                break
            before, after = after, after + step
        if after >= LONGEST_FLIGHT_S:
            flight[n] = LONGEST_FLIGHT_S
            continue
        speed, narrow = flat + abs(vz - gravity * after), _BISECTED_M
        if not vacuum:
            speed, narrow = flat + abs(vz) + gravity * stop_s, _BISECTED_IN_AIR_M
        while (after - before) * speed > narrow:
            middle = 0.5 * (before + after)
            way, fall = _way(middle, gravity, stop_s)
            if z + vz * way - fall <= _level(levels, i0, j0, spacing, x + vx * way, y + vy * way):
                after = middle
            else:
                before = middle
        if not vacuum:
            flight[n] = after
            continue
        level = _level(levels, i0, j0, spacing, x + vx * after, y + vy * after)
        root = vz * vz + 2.0 * gravity * (z - level)
        exact = (vz + math.sqrt(max(root, 0.0))) / gravity
        # Where the parcel rises into a step of the ground, it falls on no plane.
        flight[n] = exact if before <= exact <= after else after


@kernel(views_only=True)
def hit_boxes(
    before: Floats,
    after: Floats,
    row: Longs,
    turn: Floats,
    origin: Floats,
    half: Floats,
    radius: Floats,
    hits: Ints,
) -> None:
    """Write the first box that each parcel meets during a cycle into ``hits``, -1 for none, shape (n,).

    Args:
        before: Positions at the start of the cycle [m], shape (n, 3).
        after: Positions at its end [m], shape (n, 3).
        row: Vehicle of each box, shape (m,).
        turn: Rotations from the world to the boxes at both times, shape (2, m, 3, 3).
        origin: Centers of the boxes at both times [m], shape (2, m, 3).
        half: Half extents of the boxes [m], shape (m, 3).
        radius: Half diagonals of the boxes [m], shape (m,).
        hits: Output: ``row`` of the box.

    Tests: test_dust.py.
    """
    for n in range(before.shape[0]):
        hits[n] = -1
        for m in range(half.shape[0]):
            # No box is met if the parcel ends farther from it than both can have moved.
            x, y, z = (after[n, 0] - origin[1, m, 0], after[n, 1] - origin[1, m, 1], after[n, 2] - origin[1, m, 2])
            far = radius[m]
            for c in range(3):
                far += abs((after[n, c] - before[n, c]) - (origin[1, m, c] - origin[0, m, c]))
            if x * x + y * y + z * z > far * far:
                continue
            # Slabs over the part of the way within the box, in the frame of the box.
            enter, leave = 0.0, 1.0
            for axis in range(3):
                a = b = 0.0
                for c in range(3):
                    a += turn[0, m, axis, c] * (before[n, c] - origin[0, m, c])
                    b += turn[1, m, axis, c] * (after[n, c] - origin[1, m, c])
                way = b - a
                if abs(way) < 1e-12:
                    if abs(a) > half[m, axis]:
                        leave = -1.0
                    continue
                first, last = (-half[m, axis] - a) / way, (half[m, axis] - a) / way
                enter, leave = max(enter, min(first, last)), min(leave, max(first, last))
            # A parcel that starts within a box, such as that around a suspension, leaves it.
            if 0.0 < enter <= leave:
                hits[n] = row[m]
                break
