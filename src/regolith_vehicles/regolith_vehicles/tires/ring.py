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
"""Rows of the work array of :func:`solve_belt`: main diagonal, two lower ones, three right-hand sides, two unused."""
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
    for k in range(m):
        c = far / main[k - 2] if k > 1 else 0.0
        b = near if k > 0 else 0.0
        if k > 1:
            b -= far * first[k - 1]
        e = b / main[k - 1] if k > 0 else 0.0
        d = own + stiffness[k]
        if k > 0:
            d -= e * b
            y[k] -= e * y[k - 1]
            u[k] -= e * u[k - 1]
            v[k] -= e * v[k - 1]
        if k > 1:
            d -= c * far
            y[k] -= c * y[k - 2]
            u[k] -= c * u[k - 2]
            v[k] -= c * v[k - 2]
        main[k], first[k], second[k] = d, e, c
    # The Schur complement of the last two points.
    auu, auv, avv = own + stiffness[m], near, own + stiffness[m + 1]
    yu, yv = y[m], y[m + 1]
    for k in range(m):
        inverse = 1.0 / main[k]
        auu -= u[k] * u[k] * inverse
        auv -= u[k] * v[k] * inverse
        avv -= v[k] * v[k] * inverse
        yu -= u[k] * y[k] * inverse
        yv -= v[k] * y[k] * inverse
    determinant = auu * avv - auv * auv
    a, b = (avv * yu - auv * yv) / determinant, (auu * yv - auv * yu) / determinant
    for k in range(m - 1, -1, -1):
        value = (y[k] - a * u[k] - b * v[k]) / main[k]
        if k + 1 < m:
            value -= first[k + 1] * out[k + 1]
        if k + 2 < m:
            value -= second[k + 2] * out[k + 2]
        out[k] = value
    out[m], out[m + 1] = a, b
