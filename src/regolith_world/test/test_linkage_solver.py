# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the direct solver of joint equations against full matrices."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_world.cycle.records import Vector
from regolith_world.objects.linkages.envelope_solver import envelope, factor, solve
from regolith_world.objects.linkages.joints import ConstraintRows


def coupled(bodies: list[list[int]], each: int, width: int, seed: int) -> tuple[ConstraintRows, np.ndarray, Vector]:
    """Return rows of joints between bodies, and random derivatives by the velocities of all, shape (m, 6 n)."""
    joint = np.repeat(np.arange(len(bodies)), each)
    count = max(max(pair) for pair in bodies) + 1
    random = np.random.default_rng(seed)
    full = np.zeros((len(joint), width * count))
    for r, j in enumerate(joint.tolist()):
        for body in bodies[j]:
            if body >= 0:
                full[r, width * body : width * (body + 1)] = random.normal(size=width)
    none = np.zeros(len(joint), np.int64)
    return ConstraintRows(joint, none, none, none, np.zeros(len(joint))), np.array(bodies), full


def packed(matrix: Vector, first: np.ndarray) -> Vector:
    return np.concatenate([matrix[r, first[r] : r + 1] for r in range(len(first))])


CHAIN = [[-1, 0], *([k, k + 1] for k in range(6))]
LOOP = [*CHAIN, [6, -1], [2, 5]]


@pytest.mark.parametrize('bodies', [CHAIN, LOOP], ids=['a chain', 'loops'])
def test_the_solution_is_that_of_the_full_matrix(bodies: list[list[int]]) -> None:
    equations, pairs, derivatives = coupled(bodies, 3, 6, 1)
    first, start = envelope(equations, pairs)
    matrix = derivatives @ derivatives.T
    # Entries outside the envelope are zero.
    for r, c in enumerate(first.tolist()):
        assert not matrix[r, :c].any()
    work, right = packed(matrix, first), np.sin(np.arange(len(matrix)))
    wanted = np.linalg.solve(matrix, right)
    factor(work, first, start, np.ones(len(matrix), np.bool_))
    solve(work, first, start, right)
    assert right == pytest.approx(wanted, rel=1e-9)
    if bodies is CHAIN:
        assert len(work) < 7 * len(matrix), 'a chain does not fill'


def test_redundant_rows_are_ignored() -> None:
    """Also inactive rows: the rest is solved as if they did not exist."""
    equations, pairs, derivatives = coupled(LOOP, 3, 6, 2)
    derivatives[7] = 2.0 * derivatives[6] - derivatives[5]
    equations, pairs = equations._replace(joint=np.arange(len(derivatives))), np.repeat(pairs, 3, axis=0)
    first, start = envelope(equations, pairs)
    active = np.ones(len(derivatives), np.bool_)
    active[11] = False
    kept = np.array([r for r in range(len(derivatives)) if r not in (7, 11)])
    matrix = derivatives @ derivatives.T
    velocity = np.cos(np.arange(derivatives.shape[1]))
    right = derivatives @ velocity
    wanted = np.linalg.solve(matrix[np.ix_(kept, kept)], right[kept])
    work = packed(matrix, first)
    factor(work, first, start, active)
    solve(work, first, start, right)
    assert right[kept] == pytest.approx(wanted, rel=1e-8) and right[7] == right[11] == 0.0
    # The redundant row is satisfied although it is ignored.
    assert derivatives[7] @ (derivatives.T @ right) == pytest.approx(derivatives[7] @ velocity, rel=1e-8)
