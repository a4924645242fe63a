# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the convergence order of the numerical methods."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.lunar.degradation import diffused


@pytest.mark.parametrize('age', [0.05, 0.5])
def test_diffusion_converges_with_second_order(age: float) -> None:
    """A Gaussian stays a Gaussian, exp(-r^2 / (1 + 4 K)) / (1 + 4 K): half the cell size gives a quarter of the
    error.
    """
    errors = []
    for cells in (8, 16, 32):
        step = 1.0 / cells
        r = (np.arange(10 * cells) + 0.5) * step
        exact = np.exp(-(r**2) / (1.0 + 4.0 * age)) / (1.0 + 4.0 * age)
        errors.append(np.abs(diffused(np.exp(-(r**2)), step, [age])[0] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15) and errors[1] / errors[2] == pytest.approx(
        4.0, rel=0.1
    )
