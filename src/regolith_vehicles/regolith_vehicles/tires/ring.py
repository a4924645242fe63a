# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Belt of a flexible tire: points on radial springs, joined by tension and bending, without mass.

The deflection w of the belt toward the rim obeys, per length of arc,

    c w + d dw/dt - S w'' + B w'''' = load

with the stiffness c and damping d of the sidewalls, the tension S and the bending stiffness B of the belt. The step is
implicit, so it is stable for any stiffness. The matrix is symmetric, positive definite and pentadiagonal, with corners
because the belt is closed. The last two points are eliminated first from all others, then solved for.

Source: gipser2005; pacejka2012, chapter 9.
Checked by: test_ring.py::test_ring_solution_matches_a_dense_solver, test_ring.py::test_string_decay_length.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

RING_RECORD = np.dtype(
    [
        ('points', 'i8'),
        *(
            (name, 'f8')
            for name in (
                'radius',
                'width',
                'stiffness',
                'tangential',
                'damping',
                'tension',
                'bending',
                'rim_depth',
                'tread',
                'longitudinal',
                'lateral',
                'tread_damping',
            )
        ),
    ]
)
"""Parameters of one ring: number of points, radius, width, depth of the rim [m], stiffnesses per length of arc
[N/m^2], damping per length of arc [N s/m^2], tension [N], bending stiffness [N m^2], damping time of the tread [s]."""

WORK_ROWS = 8
"""Rows of the work array of :func:`solve_belt`: inverse of the main diagonal, two lower ones, three right-hand sides,
two unused."""
_MAIN, _NEXT, _SECOND, _LOAD, _LAST_BUT_ONE, _LAST = range(6)


@kernel(views_only=True)
def arc_length(p: Any) -> float:
    """Return the length of arc between two points [m]."""
    arc: float = 2.0 * math.pi * p.radius / p.points
    return arc


@kernel(views_only=True)
def solve_belt(p: Any, step: float, load: Floats, stiffness: Floats, before: Floats, work: Floats, out: Floats) -> None:
    """Write the deflections of a belt after a step.

    Args:
        p: Parameters of the ring, a record of RING_RECORD.
        step: Step [s]; infinite: static deflection.
        load: Load toward the rim at zero deflection, per length of arc [N/m], shape (n,).
        stiffness: Decrease of the load with deflection [N/m^2], shape (n,).
        before: Deflections before the step [m], shape (n,).
        work: Work array, shape (WORK_ROWS, n).
        out: Out: deflections after the step [m], shape (n,); may be ``before``.
    """
    n = p.points
    arc = arc_length(p)
    string, beam = p.tension / (arc * arc), p.bending / (arc * arc * arc * arc)
    drag = p.damping / step
    own, near, far = p.stiffness + drag + 2.0 * string + 6.0 * beam, -string - 4.0 * beam, beam
    if string == 0.0 and beam == 0.0:
        for k in range(n):
            out[k] = (load[k] + drag * before[k]) / (own + stiffness[k])
        return
    m = n - 2
    y, u, v = work[_LOAD], work[_LAST_BUT_ONE], work[_LAST]
    main, first, second = work[_MAIN], work[_NEXT], work[_SECOND]
    for k in range(n):
        y[k] = load[k] + drag * before[k]
        u[k] = v[k] = 0.0
    # Columns of the last two points: they touch the first two and the last two of the others.
    u[0], v[0], v[1] = far, near, far
    u[m - 1] += near
    u[m - 2] += far
    v[m - 1] += far
    # L D L^T of the others; forward substitution of the load and both columns.
    e = y1 = y2 = u1 = u2 = v1 = v2 = inverse1 = inverse2 = 0.0
    for k in range(m):
        c = far * inverse2
        b = near - far * e if k > 0 else 0.0
        e = b * inverse1
        y0, u0, v0 = y[k] - e * y1 - c * y2, u[k] - e * u1 - c * u2, v[k] - e * v1 - c * v2
        inverse2, inverse1 = inverse1, 1.0 / (own + stiffness[k] - e * b - c * far)
        main[k], first[k], second[k] = inverse1, e, c
        y[k], u[k], v[k] = y0, u0, v0
        y2, y1, u2, u1, v2, v1 = y1, y0, u1, u0, v1, v0
    # The Schur complement of the last two points.
    auu, auv, avv = own + stiffness[m], near, own + stiffness[m + 1]
    yu, yv = y[m], y[m + 1]
    for k in range(m):
        u_share, v_share = u[k] * main[k], v[k] * main[k]
        auu -= u[k] * u_share
        auv -= u_share * v[k]
        avv -= v[k] * v_share
        yu -= u_share * y[k]
        yv -= v_share * y[k]
    determinant = auu * avv - auv * auv
    a, b = (avv * yu - auv * yv) / determinant, (auu * yv - auv * yu) / determinant
    above = above_next = e1 = c1 = c2 = 0.0  # zero beyond the last of the others
    for k in range(m - 1, -1, -1):
        value = (y[k] - a * u[k] - b * v[k]) * main[k] - e1 * above - c2 * above_next
        e1, c2, c1 = first[k], c1, second[k]
        above_next, above = above, value
        out[k] = value
    out[m], out[m + 1] = a, b
