# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil that a sinking body displaces heaps up round it and slumps to its angle of repose.

After Holz, Beer & Kuhlen 2009 ("Soil deformation models for real-time simulation: a hybrid approach") and Krenn &
Hirzinger 2009. Each step, the growth of a patch's plastic set, times a flow factor, is spread evenly over the unloaded
neighbours of its loaded nodes; then soil slides between neighbours that differ by more than the repose angle allows.
Both move level and level_initial together: sinkage, plastic set and yield pressure of a node stay as they are, so
heaped soil is loaded from its new surface down.

Sweeps are Jacobi's: every flow is found from the heights before the sweep, and what one node loses its neighbour
gains. So volume is conserved and the outcome does not depend on the order of nodes; the reference's sweeps run in the
order of a hash table. The reference also holds soil back where a body leaves no room for it; here it rises into the
body, which feels it as load in the next step.

The even spread is a simplification: as much lands behind a rolling wheel as before it, and refills its rut; loose soil
that mostly compacts is better served by a flow factor well below 1.
"""

from __future__ import annotations

from numba import njit

from regolith_terrain.scm.constants import (
    DEPTH,
    FIRST,
    FLOW_FACTOR,
    FLUX,
    LAST,
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


@njit(cache=True, nogil=True, error_model='numpy')
def bulldoze(ground, rules, r0, r1, c0, c1, n_runs, scratch):  # type: ignore[no-untyped-def]
    """Heap up what the patches displaced and let it slump, within SPREAD + 2 cells of rows r0..r1-1, columns c0..c1-1.

    The window and the scratch must hold that margin.
    """
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
    count = _domain(marks, cells, count, int(rules[SPREAD]), cols)
    erode(
        ground, cells, count, marks, left, top, cols, ground.spacing * rules[TAN_REPOSE], int(rules[SWEEPS]),
        scratch.floats[FLUX],
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model='numpy')
def _mark_loaded(ground, scratch, n_runs, margin, width, r0, c0, cols):  # type: ignore[no-untyped-def]
    runs, depth, marks = scratch.ints, scratch.floats[DEPTH], scratch.marks
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            s = depth[row * width + col]
            if s != MISS and s >= ground.sinkage_plastic[row + r0, col + c0] and s > 0.0:
                marks[(row + margin) * cols + col + margin] = _LOADED


@njit(cache=True, nogil=True, error_model='numpy')
def _ring(marks, cells, count, cell, cols, stamp):  # type: ignore[no-untyped-def]
    """Append the unloaded neighbours of a loaded cell that bear another stamp; return how many cells are listed."""
    for other in (cell - cols, cell - 1, cell + 1, cell + cols):
        if marks[other] != _LOADED and marks[other] != stamp:
            marks[other] = stamp
            cells[count] = other
            count += 1
    return count


@njit(cache=True, nogil=True, error_model='numpy')
def _domain(marks, cells, count, spread, cols):  # type: ignore[no-untyped-def]
    """Grow the listed cells by ``spread`` cells, not into loaded ones; return the number listed, each once."""
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


@njit(cache=True, nogil=True, error_model='numpy')
def erode(  # type: ignore[no-untyped-def]
    ground, cells, count, marks, left, top, cols, limit, sweeps, flux
):
    """Let soil slide between listed cells that are neighbours and differ by more than ``limit`` [m], in place.

    :param cells: index row cols + column of each cell, the first ``count`` count; (left, top) is cell 0's node
    :param marks: DOMAIN for exactly the listed cells
    :param flux: scratch, as long as ``count``
    """
    level = ground.level
    for _ in range(sweeps):
        for k in range(count):
            cell = cells[k]
            r, c = cell // cols + left, cell % cols + top
            here = level[r, c]
            gain = 0.0
            if marks[cell - cols] == DOMAIN:
                gain += _slide(level[r - 1, c] - here, limit)
            if marks[cell - 1] == DOMAIN:
                gain += _slide(level[r, c - 1] - here, limit)
            if marks[cell + 1] == DOMAIN:
                gain += _slide(level[r, c + 1] - here, limit)
            if marks[cell + cols] == DOMAIN:
                gain += _slide(level[r + 1, c] - here, limit)
            flux[k] = gain
        for k in range(count):
            if flux[k] != 0.0:
                _raise(ground, cells[k] // cols + left, cells[k] % cols + top, flux[k])


@njit(cache=True, nogil=True, error_model='numpy')
def _slide(difference, limit):  # type: ignore[no-untyped-def]
    """Return what a node gains from a neighbour that is higher by ``difference``: odd, so that nothing is lost."""
    if difference > limit:
        return _SHARE * (difference - limit)
    if difference < -limit:
        return _SHARE * (difference + limit)
    return 0.0


@njit(cache=True, nogil=True, error_model='numpy')
def _raise(ground, r, c, height):  # type: ignore[no-untyped-def]
    ground.level[r, c] += height
    ground.level_initial[r, c] += height
    ground.touched[r, c] = True
