# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the convergence order of soil contact."""

from __future__ import annotations

import math

import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.scm.constants import DAMPING, EXPONENT, K_C, K_PHI
from regolith_testbeds.soil_bin import SoilBin, press


def test_plate_sinkage_converges_with_first_order() -> None:
    """Semi-implicit Euler on soil with pressure proportional to depth (n = 1): z = F / k (1 - cos w t) up to the
    turning point.
    """
    parameters = load_soil('chrono_lunar').parameters()
    assert parameters[EXPONENT] == 1.0
    parameters[DAMPING] = 0.0
    end, load, mass = 0.035, 400.0, 10.0
    depths = []
    for dt in (1e-4, 5e-5):
        bin_ = SoilBin(parameters)
        sample = press(
            bin_, lambda z, v, b=bin_, dt=dt: b.plate((0.0, 0.0, z), velocity=(0, 0, v), dt=dt), lambda t: load, end, dt
        )[-1]
        assert sample.time == pytest.approx(end)
        depths.append(sample.depth)
    k = 0.21 * 0.31 * (parameters[K_PHI] + parameters[K_C] * (0.21 + 0.31) / (0.21 * 0.31))
    exact = load / k * (1.0 - math.cos(math.sqrt(k / mass) * end))
    errors = [abs(depth - exact) for depth in depths]
    assert errors[0] < 0.01 * exact
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
