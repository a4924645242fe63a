# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Small linear algebra and elementary functions of arrays that are bit-identical on every processor.

NumPy passes ``@``, ``dot`` and much of ``linalg`` to a BLAS library, whose order of summation depends on the processor.
For ``np.sin`` and similar functions it uses special loops on processors with wide registers. Values that enter a state
are computed here instead: sums in index order, and the functions of :mod:`math`, which are those of the C library.
NumPy's sums, elementwise products, square roots and ``einsum`` are the same everywhere and may be used.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
"""Array of numbers."""


def dot(a: Floats, b: Floats) -> float:
    """Return the inner product of two vectors, each of shape (n,)."""
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        total += x * y
    return total


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector product of two vectors of shape (3,): the bits of ``np.cross`` in a tenth of its time."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def norm(vector: Floats) -> float:
    """Return the length of a vector, shape (n,)."""
    return math.sqrt(dot(vector, vector))


def times(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return ``a @ b`` of matrices or stacks of matrices, or of a matrix and a vector of shape (n,)."""
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    rows = left[None, :] if left.ndim == 1 else left
    columns = right[:, None] if right.ndim == 1 else right
    out: Floats = rows[..., :, :1] * columns[..., :1, :]
    for k in range(1, columns.shape[-2]):
        out += rows[..., :, k : k + 1] * columns[..., k : k + 1, :]
    if right.ndim == 1:
        out = out[..., 0]
    return out[0] if left.ndim == 1 else out


def solved(matrix: Floats, right: Floats) -> Floats:
    """Return x of ``matrix x = right`` by elimination from the first row.

    Args:
        matrix: Positive definite matrix, shape (n, n).
        right: Right-hand side, shape (n,) or (n, m).
    """
    n = len(matrix)
    rows = matrix.tolist()
    out = np.array(right, dtype=np.float64)
    for k in range(n):
        for i in range(k + 1, n):
            share = rows[i][k] / rows[k][k]
            for j in range(k + 1, n):
                rows[i][j] -= share * rows[k][j]
            out[i] -= share * out[k]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            out[i] -= rows[i][j] * out[j]
        out[i] /= rows[i][i]
    return out


def solved_two(matrix: ArrayLike, right: ArrayLike) -> Floats:
    """Return x of ``matrix x = right`` for a regular matrix, shape (2, 2); ``right`` has shape (2,) or (2, m)."""
    (a, b), (c, d) = np.asarray(matrix, dtype=np.float64).tolist()
    first, second = np.asarray(right, dtype=np.float64)
    out: Floats = np.array([d * first - b * second, a * second - c * first]) / (a * d - b * c)
    return out


def each(function: Callable[..., float], *values: ArrayLike) -> Floats:
    """Return the values of a function of :mod:`math` for each element; arrays broadcast."""
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
    flat = map(function, *(array.ravel().tolist() for array in arrays))
    return np.fromiter(flat, np.float64, arrays[0].size).reshape(arrays[0].shape)
