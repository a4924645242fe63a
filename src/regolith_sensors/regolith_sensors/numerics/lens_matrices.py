# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Paraxial matrices of rays (height, slope); reflections are unfolded, so that light always goes ahead.

Source: hullin2011; lee2013.
Checked by: test_flare.py::test_check_lens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def space(distance: float) -> Floats:
    """Return the matrix of a distance [m], shape (2, 2)."""
    return np.array([[1.0, distance], [0.0, 1.0]])


def refraction(before: float, after: float, radius: float) -> Floats:
    """Return the matrix of a surface between two refractive indices, shape (2, 2).

    Args:
        before: Refractive index before the surface.
        after: Refractive index after it.
        radius: Radius [m]; positive: its center is ahead.
    """
    return np.array([[1.0, 0.0], [(before - after) / (after * radius), before / after]])


def reflection(radius: float) -> Floats:
    """Return the matrix of a reflecting surface, shape (2, 2).

    Args:
        radius: Radius [m]; positive: its center is ahead of the light that arrives.
    """
    return np.array([[1.0, 0.0], [2.0 / radius, 1.0]])
