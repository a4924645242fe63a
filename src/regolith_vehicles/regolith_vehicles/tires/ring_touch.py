# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of a flexible tire on rigid ground: tread springs, stick and slip.

Each point carries a piece of tread. It presses on the ground with N = k (penetration), per length of arc. In contact,
the point is displaced from its place on the round tire by w toward the axle and u along the rim. The sidewalls act on
it with the force of the belt along w and with c_t u along the rim. Both components of its equilibrium under N give w
and u. With c_t = c and without tension and bending, points move only along the normal of level ground. This is the
closed form of the load, 2 c R (R sin(a) - (R - D) a) with cos(a) = (R - D) / R.

The tread is also sheared along the ground by s and along the axle by v. It sticks while the shear force is below mu N,
and slides there otherwise. In a piece that sticks, s and v follow from the motion of the wheel and the change of w and
u. The shear force changes the load of the belt, but not u: a real belt hardly stretches, so it passes shear on to the
sidewalls of the whole rim.

The equations are linear for given sets of points in contact and sliding. The sets are found by iteration.

The step is implicit, which dissipates energy beside the dampers: half of k (change)^2 of each spring, N times the gap
that a point had before the step in which it meets the ground, and the difference of its arc and its tangent. With it
the work of rolling is exact.

Source: pacejka2012, chapter 3; gipser2005.
Checked by: test_ring.py::test_load_deflection_of_a_winkler_ring,
test_ring.py::test_rolling_ring_loses_its_dampers_work, test_ring.py::test_sliding_ring_has_coulomb_friction.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.tires.ring import WORK_ROWS, arc_length, solve_belt
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

W, U, S, V, STATE_ROWS = range(5)
"""Rows of a ring's state: displacement of each point toward the axle and along the rim, shear of its tread along the
ground and along the axle [m]."""
(
    GAP,
    INWARD,
    ALONG_N,
    OUTWARD_T,
    ALONG_T,
    FRICTION,
    MOVED,
    MOVED_ASIDE,
    NORMAL,
    TANGENT,
    SIDE,
    LOAD,
    STIFFNESS,
    NEW_W,
    NEW_U,
    NEW_S,
    NEW_V,
    OLD_W,
    SLIDES,
    LIST,
    DIRECTIONS,
) = range(21)
"""Rows of the work array. Of the ground: penetration of the round tire [m], normal toward the axle and along the rim,
tangent outward and along the rim [-], friction [-], displacement of the round tire along the tangent and along the axle
in the step [m]. Results: forces per length of arc [N/m], load and stiffness of the belt, new state, previous
deflection, whether it slides, points near the ground. Then follow normal, tangent, and tip from the center [m], three
rows each."""
TOUCH_ROWS = DIRECTIONS + 9
NO_GROUND = -1e9
"""Penetration of a point that has no ground below it [m]."""
ITERATIONS = 12
"""Maximum number of iterations; the sets of points seldom change after the third."""
FIRST, MIDDLE, FINAL = range(3)
"""Stages of the iteration. The forces of deflections that are not in balance do not show whether a point slides."""
_SETTLED = 1e-8
"""Change of all deflections at which the iteration ends [m]."""
_NEAR = 0.01
"""Distance of the round tire from the ground, and of the belt from the rim, within which a point may touch [m]."""


def touch_work(points: int) -> Floats:
    """Return work arrays for rings with up to this number of points."""
    return np.zeros((TOUCH_ROWS + WORK_ROWS, points))


@kernel(views_only=True)
def _tread(p: Any, step: float, g: Floats, k: int, state: Floats, w: float, stage: int) -> bool:
    """Write force, load and stiffness of a point for a deflection [m]; return whether it is in contact.

    Args:
        p: Parameters of the ring, a record of RING_RECORD.
        step: Step [s].
        g: Work array.
        k: Point.
        state: State of the ring before the step.
        w: Deflection [m].
        stage: FIRST: the point sticks. MIDDLE: a point that slid and whose force would now reverse sticks. FINAL: the
            force is limited by friction.
    """
    slid_t, slid_a = g[TANGENT, k] * g[SLIDES, k], g[SIDE, k] * g[SLIDES, k]
    g[SLIDES, k] = 0.0
    g[NORMAL, k] = g[TANGENT, k] = g[SIDE, k] = g[LOAD, k] = g[STIFFNESS, k] = 0.0
    g[NEW_U, k] = g[NEW_S, k] = g[NEW_V, k] = 0.0
    c, sn = g[INWARD, k], g[ALONG_N, k]
    if g[GAP, k] - w * c <= 0.0:
        return False
    tr, tt, limit = g[OUTWARD_T, k], g[ALONG_T, k], g[FRICTION, k]
    stiff = 1.0 / (1.0 / p.tread + sn * sn / p.tangential)
    normal = stiff * (g[GAP, k] - w * c)
    held = p.tread_damping / step
    along, aside = p.longitudinal * (1.0 + held), p.lateral * (1.0 + held)
    lag, lag_aside = p.longitudinal * held * state[S, k], p.lateral * held * state[V, k]
    u = normal * sn / p.tangential
    s = state[S, k] - g[MOVED, k] + (w - state[W, k]) * tr - (u - state[U, k]) * tt
    v = state[V, k] - g[MOVED_ASIDE, k]
    tangent, side = along * s - lag, aside * v - lag_aside
    whole = math.sqrt(tangent * tangent + side * side)
    limit *= normal
    sticks = whole <= limit or (stage != FINAL and (stage == FIRST or tangent * slid_t + side * slid_a < 0.0))
    if sticks:
        slope = along * (tr + stiff * c * sn * tt / p.tangential)  # of the tangential force
        g[STIFFNESS, k] = stiff * c * c + tr * slope
        g[LOAD, k] = stiff * g[GAP, k] * c - tr * (tangent - w * slope)
    else:
        g[SLIDES, k] = 1.0
        tangent, side = tangent * limit / whole, side * limit / whole
        s, v = (tangent + lag) / along, (side + lag_aside) / aside
        push = max(0.0, c - tr * tangent / normal)
        g[STIFFNESS, k] = stiff * c * push
        g[LOAD, k] = stiff * g[GAP, k] * push
    g[NORMAL, k], g[TANGENT, k], g[SIDE, k] = normal, tangent, side
    g[NEW_U, k], g[NEW_S, k], g[NEW_V, k] = u, s, v
    return True


@kernel(views_only=True)
def touch(p: Any, step: float, g: Floats, state: Floats) -> int:
    """Compute the forces on all points after a step; return the number of points in contact.

    Args:
        p: Parameters of the ring, a record of RING_RECORD.
        step: Step [s].
        g: Work array with the ground of all points, shape (TOUCH_ROWS + WORK_ROWS, n).
        state: In/out: state of the ring, shape (STATE_ROWS, n).
    """
    n = p.points
    count, bent = 0, False
    for k in range(n):
        w = state[W, k]
        bent = bent or w != 0.0
        g[NEW_W, k] = w
        g[NORMAL, k] = g[TANGENT, k] = g[SIDE, k] = g[LOAD, k] = g[STIFFNESS, k] = 0.0
        g[NEW_U, k] = g[NEW_S, k] = g[NEW_V, k] = 0.0
        if g[GAP, k] > -_NEAR or w > p.rim_depth - _NEAR:
            g[LIST, count] = k
            count += 1
    touching = 0
    if count > 0 or bent:
        for iteration in range(ITERATIONS):
            touching = 0
            for j in range(count):
                k = int(g[LIST, j])
                w = g[NEW_W, k]
                if _tread(p, step, g, k, state, w, FIRST if iteration == 0 else MIDDLE):
                    touching += 1
                if w > p.rim_depth:  # the rim is below the belt
                    g[STIFFNESS, k] += p.tread
                    g[LOAD, k] += p.tread * p.rim_depth
                g[OLD_W, j] = w
            solve_belt(p, step, g[LOAD], g[STIFFNESS], state[W], g[TOUCH_ROWS:], g[NEW_W])
            change = 0.0
            for j in range(count):
                change = max(change, abs(g[NEW_W, int(g[LIST, j])] - g[OLD_W, j]))
            if change < _SETTLED:
                break
        for j in range(count):
            k = int(g[LIST, j])
            _tread(p, step, g, k, state, g[NEW_W, k], FINAL)
    for k in range(n):
        # A belt that is released by the ground returns to a circle; far from it nothing remains.
        state[W, k] = g[NEW_W, k] if abs(g[NEW_W, k]) > 1e-12 else 0.0
        state[U, k], state[S, k], state[V, k] = g[NEW_U, k], g[NEW_S, k], g[NEW_V, k]
    return touching


@kernel
def plane_loads(records: Any, depths: Floats, out: Floats) -> None:
    """Write the loads [N] of a ring at rest on level ground without friction.

    Args:
        records: Parameters of the ring, shape (1,), a record of RING_RECORD.
        depths: Penetrations of the round tire [m], shape (m,).
        out: Out: loads [N], shape (m,).
    """
    p = records[0]
    n = p.points
    g, state = np.zeros((TOUCH_ROWS + WORK_ROWS, n)), np.zeros((STATE_ROWS, n))
    for row in range(depths.shape[0]):
        state[:] = 0.0
        for k in range(n):
            angle = 2.0 * math.pi * (k + 0.5) / n
            s, c = math.sin(angle), math.cos(angle)
            g[GAP, k] = p.radius * c - (p.radius - depths[row]) if c > 0.2 else NO_GROUND
            g[INWARD, k], g[ALONG_N, k], g[OUTWARD_T, k], g[ALONG_T, k] = c, s, s, c
        touch(p, 1e9, g, state)
        out[row] = 0.0
        for k in range(n):
            out[row] += g[NORMAL, k] * arc_length(p)
