# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact patches from the underside of a body: nodes in contact and width of each patch."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.scm.arrays import Ground
from regolith_terrain.scm.constants import (
    DEPTH,
    ELASTIC,
    FIRST,
    HEIGHT,
    LAST,
    LOW_C,
    LOW_R,
    MIN_HULL_AREA,
    MISS,
    MODE_REFERENCE,
    PATCH,
    RAY_ABOVE,
    RAY_BELOW,
    ROW,
    UP_C,
    UP_R,
)
from regolith_world.numerics import kernel


@kernel(views_only=True)
def upright_part(base: Floats, r: int, c: int, spacing: float) -> float:
    """Return the vertical component of the unit normal of undisturbed terrain at a node."""
    gx = base[r, c + 1] - base[r + 2, c + 1]
    gy = base[r + 1, c] - base[r + 1, c + 2]
    if gx == 0.0 and gy == 0.0:
        return 1.0
    return 2.0 * spacing / math.sqrt(gx * gx + gy * gy + 4.0 * spacing * spacing)


@kernel(views_only=True)
def _penetration(
    height: float, level_initial: float, level: float, sinkage_plastic: float, nz: float, mode: int
) -> float:
    """Return the depth [m] of a body's underside below level_initial along the terrain normal, or MISS.

    Reference mode keeps every node whose ray hits (negative: body above the terrain). Regolith mode keeps only nodes
    that will carry load. All arguments are scalars: passing arrays would cost more than the computation.

    Args:
        height: Height of the underside [m].
        level_initial: Reference height of the sinkage [m].
        level: Height of the node [m].
        sinkage_plastic: Plastic sinkage [m].
        nz: Vertical component of the normal.
        mode: MODE_REFERENCE or MODE_REGOLITH.
    """
    if mode == MODE_REFERENCE:
        if height < level - RAY_BELOW or height > level + RAY_ABOVE:
            return MISS
        return (level_initial - height) * nz
    depth = (level_initial - height) * nz
    return MISS if depth <= sinkage_plastic else depth


@kernel(views_only=True)
def find_runs(
    ground: Ground,
    soils: Floats,
    mode: int,
    shear: Floats,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
    runs: Indices,
) -> tuple[int, int]:
    """Return the numbers of runs of hit nodes and of hit nodes; convert HEIGHT to DEPTH.

    Runs are listed row by row. PATCH of a run is the first run of its patch (4-connected). In regolith mode the shear
    of nodes that are not hit is reset.

    Args:
        ground: Window of soil.
        soils: Table of soils, indexed by ``ground.region``.
        mode: MODE_REFERENCE or MODE_REGOLITH.
        shear: Input and output: shear memory, shape (ni, nj, 2).
        r0: First row of the window to check.
        r1: End row.
        c0: First column of the window to check.
        c1: End column.
        floats: Input and output: float work array, see :class:`Scratch`.
        runs: Output: runs, see :class:`Scratch`.
    """
    heights, depth = floats[HEIGHT], floats[DEPTH]
    uniform = soils.shape[0] == 1
    cols = c1 - c0
    n = 0
    hits = 0
    previous_first = 0
    previous_end = 0
    for row in range(r1 - r0):
        row_first = n
        open_run = False
        for col in range(cols):
            # Unsigned: a signed index could count from the end, which Numba would check.
            cell, r, c = np.uintp(row * cols + col), np.uintp(row + r0), np.uintp(col + c0)
            s = MISS
            height = heights[cell]
            near = height < ground.level_initial[r, c] or (mode == MODE_REFERENCE and height < math.inf)
            # Rows of NaN belong to other terrain models.
            if near and (uniform or not math.isnan(soils[ground.region[r, c], ELASTIC])):
                nz = ground.upright[r, c]
                if nz == 0.0:
                    nz = upright_part(ground.base, row + r0, col + c0, ground.spacing)
                    ground.upright[r, c] = nz
                s = _penetration(
                    height, ground.level_initial[r, c], ground.level[r, c], ground.sinkage_plastic[r, c], nz, mode
                )
            depth[cell] = s
            if s == MISS:
                open_run = False
                if mode != MODE_REFERENCE:
                    shear[r, c, 0] = 0.0
                    shear[r, c, 1] = 0.0
                continue
            hits += 1
            if open_run:
                runs[n - 1, LAST] = col
            else:
                runs[n, ROW] = row
                runs[n, FIRST] = col
                runs[n, LAST] = col
                runs[n, PATCH] = n
                n += 1
                open_run = True
        for run in range(row_first, n):
            for other in range(previous_first, previous_end):
                if runs[other, FIRST] <= runs[run, LAST] and runs[other, LAST] >= runs[run, FIRST]:
                    a = _root(runs, run)
                    b = _root(runs, other)
                    runs[max(a, b), PATCH] = min(a, b)
        previous_first, previous_end = row_first, n
    for run in range(n):
        runs[run, PATCH] = _root(runs, run)
    return n, hits


@kernel(views_only=True)
def _root(runs: Indices, run: int) -> int:
    """Return the run that represents the patch of a run."""
    while runs[run, PATCH] != run:
        run = runs[run, PATCH]
    return run


@kernel(views_only=True)
def inverse_width(runs: Indices, n_runs: int, patch: int, spacing: float, whole_cells: bool) -> tuple[int, float]:
    """Return (number of nodes, 1 / b) of a patch, where 1 / b = hull perimeter / (2 hull area).

    The two chains of the hull (over the first and the last node of each row) grow by Andrew's monotone-chain rule. Rows
    are already sorted, and integers need no rounding. With ``whole_cells`` the hull is that of the nodes' cells: the
    Minkowski sum with a square of side a. Its perimeter is P + 4 a and its area A + a (extent along x + extent along y)
    + a^2.

    Args:
        runs: Runs of hit nodes, see :class:`Scratch`.
        n_runs: Number of runs.
        patch: First run of the patch.
        spacing: Grid node spacing [m].
        whole_cells: Whether the hull encloses the cells of the nodes.

    Source: serban2023; andrew1979.
    Checked by: test_scm.py::test_scm_plate_matches_bekker, test_scm.py::test_scm_upright_cylinder_equals_a_round_plate,
    test_scm.py::test_scm_two_bumps_give_two_patches.
    """
    nodes = 0
    low = up = 0
    row_low = row_up = 0
    row = -1
    min_c = max_c = 0
    run = patch
    while run <= n_runs:
        mine = run < n_runs and runs[run, PATCH] == patch
        if run == n_runs or (mine and runs[run, ROW] != row):
            if row >= 0:
                low = _push(runs, low, row, row_low, LOW_R, 1)
                up = _push(runs, up, row, row_up, UP_R, -1)
            if run == n_runs:
                break
            if row < 0:
                min_c, max_c = runs[run, FIRST], runs[run, LAST]
            row = runs[run, ROW]
            row_low, row_up = runs[run, FIRST], runs[run, LAST]
        if mine:
            nodes += runs[run, LAST] - runs[run, FIRST] + 1
            row_low = min(row_low, runs[run, FIRST])
            row_up = max(row_up, runs[run, LAST])
            min_c = min(min_c, runs[run, FIRST])
            max_c = max(max_c, runs[run, LAST])
        run += 1
    perimeter = float(runs[0, UP_C] - runs[0, LOW_C] + runs[up - 1, UP_C] - runs[low - 1, LOW_C])
    twice_area = 0
    for k in range(1, low):
        dr = runs[k, LOW_R] - runs[k - 1, LOW_R]
        dc = runs[k, LOW_C] - runs[k - 1, LOW_C]
        perimeter += math.sqrt(dr * dr + dc * dc)
        twice_area -= dr * (runs[k, LOW_C] + runs[k - 1, LOW_C])
    for k in range(1, up):
        dr = runs[k, UP_R] - runs[k - 1, UP_R]
        dc = runs[k, UP_C] - runs[k - 1, UP_C]
        perimeter += math.sqrt(dr * dr + dc * dc)
        twice_area += dr * (runs[k, UP_C] + runs[k - 1, UP_C])
    area = 0.5 * twice_area
    if whole_cells:
        extents = float(runs[low - 1, LOW_R] - runs[0, LOW_R] + max_c - min_c)
        perimeter += 4.0
        area += extents + 1.0
    perimeter *= spacing
    area *= spacing * spacing
    return nodes, (perimeter / (2.0 * area) if area >= MIN_HULL_AREA else 0.0)


@kernel(views_only=True)
def _push(runs: Indices, size: int, r: int, c: int, column: int, side: int) -> int:
    """Add (r, c) to a chain of vertices, drop those it makes concave, and return the size of the chain."""
    while size >= 2:
        ar, ac = runs[size - 2, column], runs[size - 2, column + 1]
        br, bc = runs[size - 1, column], runs[size - 1, column + 1]
        if side * ((br - ar) * (c - ac) - (bc - ac) * (r - ar)) > 0:
            break
        size -= 1
    runs[size, column] = r
    runs[size, column + 1] = c
    return size + 1
