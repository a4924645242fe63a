# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bulldozing: soil displaced by a sinking body heaps up around it and slumps to its angle of repose.

After Holz, Beer & Kuhlen 2009 ("Soil deformation models for real-time simulation: a hybrid approach") and Krenn &
Hirzinger 2009. In each step, the growth of a patch's plastic sinkage, times a flow factor, is spread evenly over the
unloaded neighbors of its loaded nodes. Then soil slides between neighbors with a slope above the angle of repose. Both
move level and level_initial together: sinkage, plastic sinkage and yield pressure of a node do not change, so heaped
soil is loaded from its new surface down.

Sweeps are of Jacobi type: every flow is computed from the heights before the sweep, and a neighbor gains what a node
loses. So volume is conserved and the result does not depend on the order of nodes. The sweeps of the reference run in
the order of a hash table. The reference also holds soil back where a body leaves no space for it. Here it rises into
the body, which is loaded by it in the next step.

Raised soil is carved elsewhere: the columns whose plastic sinkage grew lose, times the same flow factor, the mass of
their displaced volume at the soil's bulk density (``mass_kgpm2``, in whole quanta of
:mod:`regolith_terrain.grid.mass_balance`). The columns around them gain exactly that, as do the neighbors to which soil
slides. So heaped soil counts as loose as undisturbed soil, however it was compacted before. The rest of the displaced
volume counts as compacted into its own columns. A patch without an unloaded neighbor moves nothing. Levels follow from
volumes only: the mass balance changes no height.

The even spread is a simplification: as much soil lands behind a rolling wheel as in front of it, and refills its rut.
Loose soil that mostly compacts is better represented by a flow factor well below 1.
"""

from __future__ import annotations

import math

from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
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
from regolith_world.numerics import kernel

_FREE, _LOADED = 0, -1
DOMAIN = -2
"""Mark of a cell that participates in erosion."""
_SHARE = 0.125
"""Fraction of the excess height that slides to one neighbor per sweep; the stability limit with four is a quarter."""


@kernel(views_only=True)
def note_plastic_set(ground: Ground, r0: int, c0: int, width: int, n_runs: int, scratch: Scratch) -> None:
    """Store the plastic sinkage [m] of the nodes hit by a body before it loads them, for :func:`bulldoze`."""
    runs, noted = scratch.ints, scratch.floats[GROWTH]
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            noted[row * width + col] = ground.sinkage_plastic[row + r0, col + c0]


@kernel(views_only=True)
def _measure_growth(ground: Ground, r0: int, c0: int, width: int, n_runs: int, scratch: Scratch) -> None:
    """Replace the values of :func:`note_plastic_set` by the growth since then, as height [m]."""
    runs, growth = scratch.ints, scratch.floats[GROWTH]
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            cell, r, c = row * width + col, row + r0, col + c0
            added = ground.sinkage_plastic[r, c] - growth[cell]
            growth[cell] = added / ground.upright[r, c] if added != 0.0 else 0.0


@kernel(views_only=True)
def bulldoze(
    ground: Ground, soils: Floats, rules: Floats, r0: int, r1: int, c0: int, c1: int, n_runs: int, scratch: Scratch
) -> None:
    """Heap up the soil displaced by the patches, and erode it.

    Changes are within SPREAD + 2 cells of rows r0..r1-1, columns c0..c1-1. Window and scratch must contain that margin.
    :func:`note_plastic_set` must be called before the loading.

    Source: holz2009; krenn2009.
    Checked by: test_bulldozing.py::test_bulldozing_raised_volume_equals_the_plastic_volume,
    test_bulldozing.py::test_bulldozing_conserves_mass_to_the_quantum,
    test_off_level.py::test_bulldozing_on_a_slope_conserves_volume.
    """
    _measure_growth(ground, r0, c0, c1 - c0, n_runs, scratch)
    margin = int(rules[SPREAD]) + 2  # the outermost ring remains free
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


@kernel(views_only=True)
def _quanta(soils: Floats, ground: Ground, r: int, c: int, height: float) -> float:
    """Return the mass of ``height`` [m] of a node's soil as a whole number of quanta; odd in the height."""
    density = soils[ground.region[r, c] if soils.shape[0] > 1 else 0, DENSITY]
    return float(round(height * density / MASS_QUANTUM_KGPM2))


@kernel(views_only=True)
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
    """Take the displaced mass of a patch from its columns and return it [quanta]."""
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
                ground.mass_kgpm2[r, c] -= quanta * MASS_QUANTUM_KGPM2
                carved += quanta
    return carved


@kernel(views_only=True)
def _set_down(
    ground: Ground, cells: Indices, start: int, end: int, quanta: float, left: int, top: int, cols: int
) -> None:
    """Add mass [quanta] to cells start..end-1 in equal parts; the first ones get the remainder."""
    each = math.floor(quanta / (end - start))
    odd = quanta - each * (end - start)
    for k in range(start, end):
        own = each + 1.0 if k - start < odd else each
        ground.mass_kgpm2[cells[k] // cols + left, cells[k] % cols + top] += own * MASS_QUANTUM_KGPM2


@kernel(views_only=True)
def _mark_loaded(
    ground: Ground, scratch: Scratch, n_runs: int, margin: int, width: int, r0: int, c0: int, cols: int
) -> None:
    """Mark the loaded cells."""
    runs, depth, marks = scratch.ints, scratch.floats[DEPTH], scratch.marks
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            s = depth[row * width + col]
            if s != MISS and s >= ground.sinkage_plastic[row + r0, col + c0] and s > 0.0:
                marks[(row + margin) * cols + col + margin] = _LOADED


@kernel(views_only=True)
def _ring(marks: Indices, cells: Indices, count: int, cell: int, cols: int, stamp: int) -> int:
    """Append the unloaded neighbors of a loaded cell without this stamp; return the number of listed cells."""
    for other in (cell - cols, cell - 1, cell + 1, cell + cols):
        if marks[other] != _LOADED and marks[other] != stamp:
            marks[other] = stamp
            cells[count] = other
            count += 1
    return count


@kernel(views_only=True)
def _domain(marks: Indices, cells: Indices, count: int, spread: int, cols: int) -> int:
    """List each unloaded cell within ``spread`` cells of the listed ones once; return the number of cells."""
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


@kernel(views_only=True)
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
    """Move soil between neighboring cells whose levels differ by more than ``limit`` [m], in place.

    Args:
        ground: Window of soil.
        soils: Table of soils.
        cells: Index row cols + column of each cell, of which the first ``count`` are used.
        count: Number of cells.
        marks: DOMAIN for exactly the listed cells.
        left: Row of cell 0 in the window.
        top: Column of cell 0 in the window.
        cols: Number of columns of the cells.
        limit: Largest stable difference of levels [m].
        sweeps: Number of sweeps.
        flux: Work array, at least of length ``count``.
        mass_flux: Work array, at least of length ``count``.

    Source: holz2009.
    Checked by: test_bulldozing.py::test_bulldozing_erosion_conserves_volume,
    test_bulldozing.py::test_bulldozing_heap_reaches_the_angle_of_repose.
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
                # Both sides compute the same height, with the density of the losing node.
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
                ground.mass_kgpm2[r, c] += mass_flux[k] * MASS_QUANTUM_KGPM2


@kernel(views_only=True)
def _slide(difference: float, limit: float) -> float:
    """Return the height [m] that a node gains from a neighbor higher by ``difference`` [m].

    The function is odd, so volume is conserved.
    """
    if difference > limit:
        return _SHARE * (difference - limit)
    if difference < -limit:
        return _SHARE * (difference + limit)
    return 0.0


@kernel(views_only=True)
def _raise(ground: Ground, r: int, c: int, height: float) -> None:
    """Raise a node by a height [m] of undisturbed soil."""
    ground.level[r, c] += height
    ground.level_initial[r, c] += height
    ground.touched[r, c] = True
