# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Interpolation of curves in compiled kernels (``np.interp`` converts every number into an array)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel

Floats = NDArray[np.float64]


@kernel(views_only=True)
def interpolated(xs: Floats, ys: Floats, x: float) -> float:
    """Return a curve's value: linear between its points, constant beyond them.

    Args:
        xs: Ascending abscissas of the points, shape (k,).
        ys: Values at the points, shape (k,).
        x: Abscissa at which to evaluate.
    """
    last = xs.shape[0] - 1
    if x <= xs[0]:
        first: float = ys[0]
        return first
    if x >= xs[last]:
        end: float = ys[last]
        return end
    k = 1
    while xs[k] < x:
        k += 1
    part = (x - xs[k - 1]) / (xs[k] - xs[k - 1])
    value: float = ys[k - 1] + (ys[k] - ys[k - 1]) * part
    return value
