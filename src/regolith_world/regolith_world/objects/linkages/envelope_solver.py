# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Direct solver for the symmetric systems of joints in envelope form.

Row r is stored from its first column ``first[r]`` to the diagonal, at ``start[r]`` of one array. Along an ordered chain
of joints the rows are short, so the work grows linearly with its length. A loop makes the rows of its last joint long.
Redundant equations (a planar four-bar linkage of hinges has three) have no pivot left and are ignored. The solver is
compiled into the substeps, with sums in a fixed order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import Vector
from regolith_world.numerics.kernel_options import kernel
from regolith_world.objects.linkages.joints import ConstraintRows

Places = NDArray[np.int64]
_DEPENDENT = 1e-9
"""Fraction of a row's diagonal below which its pivot counts as rounding error."""


def envelope(rows: ConstraintRows, bodies: Places) -> tuple[Places, Places]:
    """Return the first column of each row, and the starts of rows, shape (m,) and (m + 1,).

    Args:
        rows: Equations of the joints.
        bodies: Indices of the bodies of each joint, shape (j, 2); below 0: the world, which couples no rows.
    """
    count = len(rows.joint)
    earliest: dict[int, int] = {}
    first = np.arange(count, dtype=np.int64)
    for r, joint in enumerate(rows.joint.tolist()):
        for body in bodies[joint].tolist():
            if body >= 0:
                first[r] = min(first[r], earliest.setdefault(body, r))
    return first, np.concatenate(([0], np.cumsum(np.arange(count) - first + 1))).astype(np.int64)


@kernel
def factor(matrix: Vector, first: Places, start: Places, active: NDArray[np.bool_]) -> None:
    """Replace the lower half of a matrix by its Cholesky factor. Rows that are inactive or redundant get pivot 0.

    Args:
        matrix: Rows from their first columns on, shape (start[m],).
        first: First column of each row, shape (m,).
        start: Start of each row, shape (m + 1,).
        active: Whether each row is used, shape (m,).

    Source: george1981, section 4.2.
    Checked by: test_linkage_solver.py::test_the_solution_is_that_of_the_full_matrix.
    """
    for r in range(first.shape[0]):
        at = start[r] - first[r]
        for c in range(first[r], r):
            low = max(first[r], first[c])
            other = start[c] - first[c]
            rest = matrix[at + c]
            for k in range(low, c):
                rest -= matrix[at + k] * matrix[other + k]
            pivot = matrix[other + c]
            matrix[at + c] = rest / pivot if pivot > 0.0 and active[r] else 0.0
        whole = matrix[at + r]
        rest = whole
        for k in range(first[r], r):
            rest -= matrix[at + k] * matrix[at + k]
        matrix[at + r] = np.sqrt(rest) if active[r] and rest > _DEPENDENT * whole else 0.0


@kernel
def solve(matrix: Vector, first: Places, start: Places, right: Vector) -> None:
    """Replace the right-hand side, shape (m,), by the solution. Ignored rows have 0.

    Args:
        matrix: Factor from :func:`factor`.
        first: First column of each row, shape (m,).
        start: Start of each row, shape (m + 1,).
        right: Right-hand side, overwritten.

    Source: george1981, section 4.2.
    Checked by: test_linkage_solver.py::test_the_solution_is_that_of_the_full_matrix,
    test_linkage_solver.py::test_redundant_rows_are_ignored.
    """
    count = first.shape[0]
    for r in range(count):
        at = start[r] - first[r]
        pivot = matrix[at + r]
        rest = right[r]
        for k in range(first[r], r):
            rest -= matrix[at + k] * right[k]
        right[r] = rest / pivot if pivot > 0.0 else 0.0
    for r in range(count - 1, -1, -1):
        at = start[r] - first[r]
        pivot = matrix[at + r]
        right[r] = right[r] / pivot if pivot > 0.0 else 0.0
        for k in range(first[r], r):
            right[k] -= matrix[at + k] * right[r]
