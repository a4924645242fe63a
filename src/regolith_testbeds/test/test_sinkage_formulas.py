# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of published wheel sinkage formulas against their integral and their limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_testbeds.sinkage_formulas import bekker_sinkage, ding_sinkage, lyasko_factor

WHEEL = 200.0, 0.25, 0.21, 0.82e6


@pytest.mark.parametrize('exponent', [0.8, 1.0, 1.4])
def test_bekker_sinkage_pressure_integral_equals_the_load(exponent: float) -> None:
    """The integral of the pressure over the chord, z(x) = z0 - x^2 / D, equals the load up to the expansion by Bekker.

    Bekker uses 1 - n / 3 for the integral of (1 - u^2)^n from 0 to 1, which is sqrt(pi) / 2 Gamma(n + 1) / Gamma(n +
    3/2).
    """
    load, radius, width, modulus = WHEEL
    depth = bekker_sinkage(*WHEEL, exponent)
    x = np.linspace(0.0, (2.0 * radius * depth) ** 0.5, 20_001)
    pressure = modulus * np.maximum(depth - x * x / (2.0 * radius), 0.0) ** exponent
    carried = width * float(np.sum(0.5 * (pressure[1:] + pressure[:-1])) * x[1])
    exact = 0.5 * math.sqrt(math.pi) * math.gamma(exponent + 1.0) / math.gamma(exponent + 1.5)
    assert carried * (1.0 - exponent / 3.0) / exact == pytest.approx(load, rel=1e-5)  # error of the trapezoidal rule


def test_sinkage_formulas_grow_with_slip() -> None:
    """The factor of Lyasko is 1 without slip and 4 at a slip of 1; the exponent of Ding gives the same below 1 m."""
    assert (lyasko_factor(0.0), lyasko_factor(1.0)) == (1.0, 4.0)
    assert ding_sinkage(*WHEEL, 1.0, 0.5, 0.0) == bekker_sinkage(*WHEEL, 1.0) == ding_sinkage(*WHEEL, 1.0, 0.0, 0.9)
    deep = [ding_sinkage(*WHEEL, 1.0, 0.5, slip) for slip in (0.0, 0.3, 0.6)]
    assert deep == sorted(deep) and deep[2] == bekker_sinkage(*WHEEL, 1.3)
