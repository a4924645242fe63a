# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How loose soil slumps: a face stands up to the height its cohesion allows, then slides down to the angle of repose.

Only columns that received soil hold loose soil, and only that much of them moves: crater walls, elevation models and
the walls of a pit are left alone. A *face* through a column is a straight run of columns along one of eight
directions, each steeper than the angle of repose; where it is higher than :func:`critical_height`, the column begins
to slide and sheds soil to its lower neighbours until none of them is more than the angle of repose below it. What
rests on a column that slid loses its hold and slides, too, so that a face stands or comes down to the angle of repose
as a whole. That angle is the soil's friction angle.

Columns to look at, and those that slide, are marked; marks are the work list, and part of terrain's state. A cycle goes
over the marked columns in (i, j) order, each seeing what those before it did, up to a bound; what is left waits for the
next cycle. Soil moves in whole quanta of mass (:mod:`regolith_terrain.grid.mass_balance`), so nothing is lost; a column
that soil leaves or comes to starts over as virgin soil at its new height, for the history lay in the soil that was
moved or is buried now.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.grid.mass_balance import QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import Flags

Marks = NDArray[np.int8]

RESTING, LOOK, SLIDING = range(3)
"""Marks of columns: nothing to do; stands if its face is low enough; slides."""

# Columns of a table of loose soils: what lies on each region, and how high it stands.
BULK_DENSITY, CRITICAL, TAN_REPOSE, LOOSE_COLUMNS = range(4)

SWEEPS = 4
"""Over the marked columns, in a cycle."""
MARGIN = 24
"""Nodes round the marked columns that a cycle looks at; a longer face counts as far as there."""
_TOLERANCE = 1e-3
"""Of the spacing: a smaller step beyond the angle of repose is left, or sliding would go on for ever."""
_LEVEL_INITIAL, _LEVEL = 0, 1
_DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def critical_height(cohesion: float, friction: float, density: float, gravity: float) -> float:
    """Return the height to which a vertical face of soil stands [m], infinite without gravity.

    Down to there Rankine's active pressure, rho g z K_a - 2 c sqrt(K_a), is not positive: the soil pushes nothing out.

    Args:
        cohesion: [Pa].
        friction: Angle [rad].
        density: [kg/m^3].
        gravity: [m/s^2].

    Source: terzaghi1943, chapter 3.
    Checked by: test_relaxation.py::test_a_face_stands_as_high_as_its_cohesion_allows.
    """
    weight = density * gravity
    return 2.0 * cohesion * math.tan(0.25 * math.pi + 0.5 * friction) / weight if weight > 0.0 else math.inf


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def reset_column(values: Floats, r: int, c: int, height: float) -> None:
    """Make a column virgin soil at a new height [m]; its mass is left."""
    values[_LEVEL_INITIAL, r, c] = height
    values[_LEVEL, r, c] = height
    for field in range(_LEVEL + 1, values.shape[0] - 1):
        values[field, r, c] = 0.0


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _run(level: Floats, r: int, c: int, dr: int, dc: int, down: bool, limit: float) -> float:
    """Return the drop [m] from (or, not ``down``, to) a column along a direction while each step is above ``limit``."""
    drop = 0.0
    while True:
        nr, nc = r + dr, c + dc
        if nr < 0 or nc < 0 or nr >= level.shape[0] or nc >= level.shape[1]:
            return drop
        step = level[r, c] - level[nr, nc] if down else level[nr, nc] - level[r, c]
        if not step > limit:
            return drop
        drop += step
        r, c = nr, nc


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def face_height(level: Floats, r: int, c: int, step: float) -> float:
    """Return the height of the highest face through a column [m], see the module.

    Args:
        level: Heights [m], shape (ni, nj).
        step: Drop between neighbours along the grid at the angle of repose [m].
    """
    highest = 0.0
    for k in range(8):
        dr, dc = _DIRECTIONS[k]
        limit = step * math.sqrt(float(dr * dr + dc * dc))
        below = _run(level, r, c, dr, dc, True, limit)
        if below > 0.0:
            highest = max(highest, below + _run(level, r, c, -dr, -dc, False, limit))
    return highest


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def face_is_bounded(level: Floats, r: int, c: int, step: float) -> bool:
    """Return whether no face through a column reaches the edge of the window; see :func:`face_height`."""
    for k in range(8):
        dr, dc = _DIRECTIONS[k]
        limit = step * math.sqrt(float(dr * dr + dc * dc))
        for down in (True, False):
            at_r, at_c = r, c
            while True:
                nr, nc = at_r + dr, at_c + dc
                if nr < 0 or nc < 0 or nr >= level.shape[0] or nc >= level.shape[1]:
                    return False
                drop = level[at_r, at_c] - level[nr, nc]
                if not (drop if down else -drop) > limit:
                    break
                at_r, at_c = nr, nc
    return True


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def relax(
    values: Floats,
    loose: Floats,
    marks: Marks,
    touched: Flags,
    changed: Flags,
    region: NDArray[np.uint8],
    soils: Floats,
    spacing: float,
    budget: int,
) -> int:
    """Let marked columns of a window slide once, in (i, j) order; return what is left of the budget of looks.

    Args:
        values: In/out: fields of the nodes, shape (fields, ni, nj).
        loose: In/out: mass of loose soil on each column, in whole quanta [kg/m^2], shape (ni, nj).
        marks: In/out, shape (ni, nj); those of the outermost ring stay as they are.
        touched: In/out: nodes whose record changed.
        changed: Nodes whose loose soil or mark did.
        region: Row of ``soils`` at each node.
        soils: Shape (k, LOOSE_COLUMNS).

    Source: terzaghi1943.
    Checked by: test_relaxation.py::test_a_heap_without_cohesion_comes_to_rest_at_the_angle_of_repose,
    test_relaxation.py::test_what_slides_is_neither_lost_nor_virgin.
    """
    level, mass = values[_LEVEL], values[values.shape[0] - 1]
    for r in range(1, level.shape[0] - 1):
        for c in range(1, level.shape[1] - 1):
            if marks[r, c] == RESTING:
                continue
            if budget <= 0:
                return 0
            budget -= 1
            row = region[r, c]
            density = soils[row, BULK_DENSITY]
            step = spacing * soils[row, TAN_REPOSE]
            slides = marks[r, c] == SLIDING
            changed[r, c] = True
            marks[r, c] = RESTING
            if loose[r, c] <= 0.0:
                continue
            if not slides and not face_height(level, r, c, step) > soils[row, CRITICAL]:
                continue
            lower = 0
            for k in range(8):
                dr, dc = _DIRECTIONS[k]
                away = math.sqrt(float(dr * dr + dc * dc))
                if level[r, c] - level[r + dr, c + dc] - step * away > _TOLERANCE * spacing:
                    lower += 1
            if lower == 0:
                continue
            for k in range(8):
                dr, dc = _DIRECTIONS[k]
                away = math.sqrt(float(dr * dr + dc * dc))
                excess = level[r, c] - level[r + dr, c + dc] - step * away
                if not excess > _TOLERANCE * spacing:
                    continue
                # As much to each of several equal neighbours that all come to lie at the angle of repose.
                quanta = math.floor(min(excess / (lower + 1.0) * density, loose[r, c]) / QUANTUM_KGPM2)
                if quanta <= 0.0:
                    continue
                moved = quanta * QUANTUM_KGPM2
                there = soils[region[r + dr, c + dc], BULK_DENSITY]
                reset_column(values, r, c, level[r, c] - moved / density)
                reset_column(values, r + dr, c + dc, level[r + dr, c + dc] + moved / there)
                mass[r, c] -= moved
                mass[r + dr, c + dc] += moved
                loose[r, c] -= moved
                loose[r + dr, c + dc] += moved
                touched[r, c] = touched[r + dr, c + dc] = True
                changed[r + dr, c + dc] = True
                marks[r, c] = marks[r + dr, c + dc] = SLIDING
            if marks[r, c] == SLIDING:
                mark_neighbors(loose, marks, changed, SLIDING, r, c)
    return budget


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def mark_neighbors(loose: Floats, marks: Marks, changed: Flags, mark: int, r: int, c: int) -> None:
    """Mark the neighbours of a column that became lower, where loose soil rests on them: LOOK or SLIDING.

    Those of a column that slid slide, too, as far as they are beyond the angle of repose: what was behind it has lost
    its hold.
    """
    for k in range(8):
        nr, nc = r + _DIRECTIONS[k][0], c + _DIRECTIONS[k][1]
        if not (0 <= nr < marks.shape[0] and 0 <= nc < marks.shape[1]):
            continue
        if marks[nr, nc] < mark and loose[nr, nc] > 0.0:
            marks[nr, nc] = mark
            changed[nr, nc] = True
