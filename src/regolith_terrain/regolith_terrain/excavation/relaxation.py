# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slumping of loose soil: faces too high for their cohesion slide to the angle of repose.

Only columns that received soil contain loose soil, and only that part of them moves. Crater walls, elevation models and
the walls of a pit do not change. A *face* through a column is a straight run of columns along one of eight directions,
each steeper than the angle of repose. If it is higher than :func:`critical_height`, the column begins to slide. It
sheds soil to its lower neighbors until none of them is below it by more than the angle of repose. Soil on top of a
column that slid loses its support and slides, too. So a face is stable or comes down to the angle of repose as a whole.
That angle is the friction angle of the soil.

Columns to check and sliding columns are marked. The marks are the work list, and part of the state of terrain. A cycle
processes the marked columns in (i, j) order, each with the result of those before it, up to a limit. The rest waits for
the next cycle. Soil moves in whole quanta of mass (:mod:`regolith_terrain.grid.mass_balance`), so nothing is lost. A
column that loses or gains soil starts as undisturbed soil at its new height, because the soil with the history was
moved or is now covered.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.tile_kernels import Flags
from regolith_world.numerics import kernel

Marks = NDArray[np.int8]

RESTING, LOOK, SLIDING = range(3)
"""Marks of columns: no action; check whether its face is stable; sliding."""

# Columns of a table of loose soils: bulk density, critical height of a face, tangent of the angle of repose.
BULK_DENSITY, CRITICAL, TAN_REPOSE, LOOSE_COLUMNS = range(4)

SWEEPS = 4
"""Number of sweeps over the marked columns per cycle."""
MARGIN = 24
"""Number of nodes around the marked columns in a cycle; a longer face is truncated there."""
_TOLERANCE = 1e-3
"""Tolerance over the spacing: a smaller step beyond the angle of repose remains, or sliding would not end."""
_LEVEL_INITIAL, _LEVEL = 0, 1
_DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def critical_height(cohesion: float, friction: float, density: float, gravity: float) -> float:
    """Return the height to which a vertical face of soil is stable [m], infinite without gravity.

    Down to this depth Rankine's active pressure, rho g z K_a - 2 c sqrt(K_a), is not positive.

    Args:
        cohesion: Cohesion [Pa].
        friction: Friction angle [rad].
        density: Bulk density [kg/m^3].
        gravity: Gravity [m/s^2].

    Source: terzaghi1943, chapter 3.
    Checked by: test_relaxation.py::test_relaxation_face_stands_up_to_the_critical_height.
    """
    weight = density * gravity
    return 2.0 * cohesion * math.tan(0.25 * math.pi + 0.5 * friction) / weight if weight > 0.0 else math.inf


@kernel(views_only=True)
def reset_column(values: Floats, r: int, c: int, height: float) -> None:
    """Reset a column to undisturbed soil at a new height [m]; its mass does not change."""
    values[_LEVEL_INITIAL, r, c] = height
    values[_LEVEL, r, c] = height
    for field in range(_LEVEL + 1, values.shape[0] - 1):
        values[field, r, c] = 0.0


@kernel(views_only=True)
def _run(level: Floats, r: int, c: int, dr: int, dc: int, down: bool, limit: float) -> float:
    """Return the drop [m] from a column (to it, if not ``down``) along a direction while each step is above
    ``limit``.
    """
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


@kernel(views_only=True)
def face_height(level: Floats, r: int, c: int, step: float) -> float:
    """Return the height of the highest face through a column [m], see the module.

    Args:
        level: Heights [m], shape (ni, nj).
        r: Row of the column.
        c: Column index.
        step: Drop between neighbors along the grid at the angle of repose [m].
    """
    highest = 0.0
    for k in range(8):
        dr, dc = _DIRECTIONS[k]
        limit = step * math.sqrt(float(dr * dr + dc * dc))
        below = _run(level, r, c, dr, dc, True, limit)
        if below > 0.0:
            highest = max(highest, below + _run(level, r, c, -dr, -dc, False, limit))
    return highest


@kernel(views_only=True)
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


@kernel(views_only=True)
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
    """Let marked columns of a window slide once, in (i, j) order; return the remaining budget of checks.

    Args:
        values: Input and output: fields of the nodes, shape (fields, ni, nj).
        loose: Input and output: mass of loose soil on each column, in whole quanta [kg/m^2], shape (ni, nj).
        marks: Input and output: marks, shape (ni, nj); those of the outermost ring do not change.
        touched: Input and output: nodes with a changed record.
        changed: Input and output: nodes with changed loose soil or mark.
        region: Row of ``soils`` at each node.
        soils: Table of loose soils, shape (k, LOOSE_COLUMNS).
        spacing: Grid node spacing [m].
        budget: Largest number of checks.

    Source: terzaghi1943.
    Checked by: test_relaxation.py::test_relaxation_heap_ends_at_the_angle_of_repose,
    test_relaxation.py::test_relaxation_conserves_mass_and_resets_history.
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
                # Equal amounts for equal neighbors, so that all end at the angle of repose.
                quanta = math.floor(min(excess / (lower + 1.0) * density, loose[r, c]) / MASS_QUANTUM_KGPM2)
                if quanta <= 0.0:
                    continue
                moved = quanta * MASS_QUANTUM_KGPM2
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


@kernel(views_only=True)
def mark_neighbors(loose: Floats, marks: Marks, changed: Flags, mark: int, r: int, c: int) -> None:
    """Mark the neighbors of a lowered column on which loose soil rests: LOOK or SLIDING.

    Neighbors of a column that slid also slide, as far as they are beyond the angle of repose, because their support has
    moved.
    """
    for k in range(8):
        nr, nc = r + _DIRECTIONS[k][0], c + _DIRECTIONS[k][1]
        if not (0 <= nr < marks.shape[0] and 0 <= nc < marks.shape[1]):
            continue
        if marks[nr, nc] < mark and loose[nr, nc] > 0.0:
            marks[nr, nc] = mark
            changed[nr, nc] = True
