# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bulldozing: soil that a sinking body displaces heaps up round it and slumps to its angle of repose.

After Holz, Beer & Kuhlen 2009 ("Soil deformation models for real-time simulation: a hybrid approach") and Krenn &
Hirzinger 2009. Each step, the growth of a patch's plastic set, times a flow factor, is spread evenly over the unloaded
neighbours of its loaded nodes; then soil slides between neighbours that differ by more than the repose angle allows.
Both move level and level_initial together: sinkage, plastic set and yield pressure of a node stay as they are, so
heaped soil is loaded from its new surface down.

Sweeps are Jacobi's: every flow is found from the heights before the sweep, and what one node loses its neighbour
gains. So volume is conserved and the outcome does not depend on the order of nodes; the reference's sweeps run in the
order of a hash table. The reference also holds soil back where a body leaves no room for it; here it rises into the
body, which feels it as load in the next step.

What is raised was carved: the columns whose plastic set grew lose, times the same flow factor, the mass that their
displaced volume has at the soil's bulk density (``mass_kgpm2``, in whole quanta of
:mod:`regolith_terrain.grid.mass_balance`), and the columns round them gain exactly that, as do the neighbours soil
slides to. So heaped soil counts as loose as virgin soil, whatever it was pressed to before, and the rest of the
displaced volume counts as packed into the columns it came from. A patch without an unloaded neighbour moves nothing.
Levels follow from volumes alone: the books change no height.

The even spread is a simplification: as much lands behind a rolling wheel as before it, and refills its rut; loose soil
that mostly compacts is better served by a flow factor well below 1.
"""

from __future__ import annotations

import math

from numba import njit

from regolith_terrain.grid.mass_balance import QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.scm.arrays import Ground, Scratch
from regolith_terrain.scm.constants import (
    DENSITY,
    DEPTH,
    FIRST,
    FLOW_FACTOR,
    FLUX,
    GROWTH,
    LAST,
    MASS_FLUX,
    MISS,
    PATCH,
    ROW,
    SPREAD,
    SWEEPS,
    TAN_REPOSE,
    VOLUME,
)

_FREE, _LOADED = 0, -1
DOMAIN = -2
"""Marks a cell that takes part in erosion."""
_SHARE = 0.125
"""Of the excess height that slides to one neighbour in a sweep; a quarter is the limit of stability on four."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def note_plastic_set(ground: Ground, r0: int, c0: int, width: int, n_runs: int, scratch: Scratch) -> None:
    """Note the plastic set [m] of the nodes a body hits before it loads them, for :func:`bulldoze`."""
    runs, noted = scratch.ints, scratch.floats[GROWTH]
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            noted[row * width + col] = ground.sinkage_plastic[row + r0, col + c0]


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _measure_growth(ground: Ground, r0: int, c0: int, width: int, n_runs: int, scratch: Scratch) -> None:
    """Turn the plastic sets of :func:`note_plastic_set` into their growth since, as height [m]."""
    runs, growth = scratch.ints, scratch.floats[GROWTH]
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            cell, r, c = row * width + col, row + r0, col + c0
            added = ground.sinkage_plastic[r, c] - growth[cell]
            growth[cell] = added / ground.upright[r, c] if added != 0.0 else 0.0


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def bulldoze(
    ground: Ground, soils: Floats, rules: Floats, r0: int, r1: int, c0: int, c1: int, n_runs: int, scratch: Scratch
) -> None:
    """Heap up what the patches displaced, and erode it, within SPREAD + 2 cells of rows r0..r1-1, columns c0..c1-1.

    The window and the scratch must hold that margin; :func:`note_plastic_set` goes before the loading.

    Source: holz2009; krenn2009.
    Checked by: test_bulldozing.py::test_raised_volume_is_the_plastic_volume,
    test_bulldozing.py::test_what_is_raised_was_carved_to_the_quantum,
    test_off_level.py::test_heaps_on_a_slope_hold_what_was_displaced.
    """
    _measure_growth(ground, r0, c0, c1 - c0, n_runs, scratch)
    margin = int(rules[SPREAD]) + 2  # the outermost ring stays free
    marks, cells = scratch.marks, scratch.cells
    left, top = r0 - margin, c0 - margin
    rows, cols = r1 - r0 + 2 * margin, c1 - c0 + 2 * margin
    for cell in range(rows * cols):
        marks[cell] = _FREE
    _mark_loaded(ground, scratch, n_runs, margin, c1 - c0, r0, c0, cols)
    runs, volumes = scratch.ints, scratch.floats[VOLUME]
    count = 0
    for patch in range(n_runs):
        if runs[patch, PATCH] != patch or volumes[patch] <= 0.0:
            continue
        start = count
        for run in range(patch, n_runs):
            if runs[run, PATCH] == patch:
                for col in range(runs[run, FIRST], runs[run, LAST] + 1):
                    cell = (runs[run, ROW] + margin) * cols + col + margin
                    if marks[cell] == _LOADED:
                        count = _ring(marks, cells, count, cell, cols, patch + 1)
        if count > start:
            share = rules[FLOW_FACTOR] * volumes[patch] / (count - start)
            for k in range(start, count):
                r, c = cells[k] // cols + left, cells[k] % cols + top
                _raise(ground, r, c, share)
            carved = _carve(ground, soils, scratch, rules[FLOW_FACTOR], patch, n_runs, r0, c0, c1 - c0)
            _set_down(ground, cells, start, count, carved, left, top, cols)
    count = _domain(marks, cells, count, int(rules[SPREAD]), cols)
    erode(
        ground,
        soils,
        cells,
        count,
        marks,
        left,
        top,
        cols,
        ground.spacing * rules[TAN_REPOSE],
        int(rules[SWEEPS]),
        scratch.floats[FLUX],
        scratch.floats[MASS_FLUX],
    )


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _quanta(soils: Floats, ground: Ground, r: int, c: int, height: float) -> float:
    """Return the mass of ``height`` [m] of a node's soil as a whole number of quanta; odd in the height."""
    density = soils[ground.region[r, c] if soils.shape[0] > 1 else 0, DENSITY]
    return float(round(height * density / QUANTUM_KGPM2))


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _carve(
    ground: Ground,
    soils: Floats,
    scratch: Scratch,
    factor: float,
    patch: int,
    n_runs: int,
    r0: int,
    c0: int,
    width: int,
) -> float:
    """Return the mass that a patch displaced [quanta], having taken it from its columns."""
    runs, growth = scratch.ints, scratch.floats[GROWTH]
    carved = 0.0
    for run in range(patch, n_runs):
        if runs[run, PATCH] != patch:
            continue
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            if growth[row * width + col] != 0.0:
                r, c = row + r0, col + c0
                quanta = _quanta(soils, ground, r, c, factor * growth[row * width + col])
                ground.mass_kgpm2[r, c] -= quanta * QUANTUM_KGPM2
                carved += quanta
    return carved


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _set_down(
    ground: Ground, cells: Indices, start: int, end: int, quanta: float, left: int, top: int, cols: int
) -> None:
    """Add mass [quanta] to cells start..end-1 in equal parts; the first ones get what does not divide."""
    each = math.floor(quanta / (end - start))
    odd = quanta - each * (end - start)
    for k in range(start, end):
        own = each + 1.0 if k - start < odd else each
        ground.mass_kgpm2[cells[k] // cols + left, cells[k] % cols + top] += own * QUANTUM_KGPM2


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _mark_loaded(
    ground: Ground, scratch: Scratch, n_runs: int, margin: int, width: int, r0: int, c0: int, cols: int
) -> None:
    """Mark the cells that carry load."""
    runs, depth, marks = scratch.ints, scratch.floats[DEPTH], scratch.marks
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            s = depth[row * width + col]
            if s != MISS and s >= ground.sinkage_plastic[row + r0, col + c0] and s > 0.0:
                marks[(row + margin) * cols + col + margin] = _LOADED


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _ring(marks: Indices, cells: Indices, count: int, cell: int, cols: int, stamp: int) -> int:
    """Return the number of cells listed, with the unloaded neighbours of a loaded cell that bear another stamp."""
    for other in (cell - cols, cell - 1, cell + 1, cell + cols):
        if marks[other] != _LOADED and marks[other] != stamp:
            marks[other] = stamp
            cells[count] = other
            count += 1
    return count


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _domain(marks: Indices, cells: Indices, count: int, spread: int, cols: int) -> int:
    """Return the number of cells within ``spread`` cells of the listed ones and not loaded; lists each of them once."""
    unique = 0
    for k in range(count):
        if marks[cells[k]] != DOMAIN:
            marks[cells[k]] = DOMAIN
            cells[unique] = cells[k]
            unique += 1
    first, end = 0, unique
    for _ in range(spread):
        for k in range(first, end):
            cell = cells[k]
            for other in (cell - cols, cell - 1, cell + 1, cell + cols):
                if marks[other] != _LOADED and marks[other] != DOMAIN:
                    marks[other] = DOMAIN
                    cells[unique] = other
                    unique += 1
        first, end = end, unique
    return unique


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def erode(
    ground: Ground,
    soils: Floats,
    cells: Indices,
    count: int,
    marks: Indices,
    left: int,
    top: int,
    cols: int,
    limit: float,
    sweeps: int,
    flux: Floats,
    mass_flux: Floats,
) -> None:
    """Move soil between neighbouring cells of a list whose levels differ by more than ``limit`` [m], in place.

    Args:
        cells: Index row cols + column of each cell, the first ``count`` count; (left, top) is cell 0's node.
        marks: DOMAIN for exactly the listed cells.
        flux: Scratch, as long as ``count``; so is ``mass_flux``.

    Source: holz2009.
    Checked by: test_bulldozing.py::test_erosion_conserves_volume,
    test_bulldozing.py::test_a_heap_slumps_to_the_angle_of_repose.
    """
    level = ground.level
    for _ in range(sweeps):
        for k in range(count):
            cell = cells[k]
            r, c = cell // cols + left, cell % cols + top
            here = level[r, c]
            gain = 0.0
            mass = 0.0
            # In the order above, left, right, below: sums of heights are rounded.
            for side in range(4):
                away = (-cols, -1, 1, cols)[side]
                if marks[cell + away] != DOMAIN:
                    continue
                from_r, from_c = (cell + away) // cols + left, (cell + away) % cols + top
                moved = _slide(level[from_r, from_c] - here, limit)
                if moved == 0.0:
                    continue
                gain += moved
                # Both sides see the same height and the density of the one that gives.
                if moved > 0.0:
                    mass += _quanta(soils, ground, from_r, from_c, moved)
                else:
                    mass += _quanta(soils, ground, r, c, moved)
            flux[k] = gain
            mass_flux[k] = mass
        for k in range(count):
            if flux[k] != 0.0 or mass_flux[k] != 0.0:
                r, c = cells[k] // cols + left, cells[k] % cols + top
                _raise(ground, r, c, flux[k])
                ground.mass_kgpm2[r, c] += mass_flux[k] * QUANTUM_KGPM2


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _slide(difference: float, limit: float) -> float:
    """Return the height [m] a node gains from a neighbour higher by ``difference`` [m]; odd, so nothing is lost."""
    if difference > limit:
        return _SHARE * (difference - limit)
    if difference < -limit:
        return _SHARE * (difference + limit)
    return 0.0


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _raise(ground: Ground, r: int, c: int, height: float) -> None:
    """Raise a node by a height [m] of virgin soil."""
    ground.level[r, c] += height
    ground.level_initial[r, c] += height
    ground.touched[r, c] = True
