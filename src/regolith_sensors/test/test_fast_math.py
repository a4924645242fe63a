# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the single-precision elementary functions against the library's in double precision."""

from __future__ import annotations

import math

import numpy as np

from regolith_sensors.numerics.fast_math import cos_sin_of_turn, exp, log


def test_fast_functions_are_within_their_bounds() -> None:
    """Relative errors are within the documented limits, also across the segments of the series; exact at 0 and 1."""
    x = np.concatenate([-np.geomspace(1e-6, 87.0, 4000), -math.log(2.0) * (np.arange(100) + 0.5)])
    x = x[x > -87.0].astype(np.float32)
    got = np.array([exp(v) for v in x], dtype=np.float64)
    np.testing.assert_allclose(got, np.exp(x.astype(np.float64)), rtol=2.5e-7)
    assert exp(np.float32(0.0)) == 1.0 and exp(np.float32(-200.0)) == exp(np.float32(-87.0))
    x = np.concatenate([np.geomspace(1e-30, 1e30, 4000), math.sqrt(0.5) * 2.0 ** np.arange(-60, 60)]).astype(np.float32)
    got, true = np.array([log(v) for v in x], dtype=np.float64), np.log(x.astype(np.float64))
    np.testing.assert_array_less(np.abs(got - true), 2e-7 * (1.0 + np.abs(true)))
    assert log(np.float32(1.0)) == 0.0


def test_cos_sin_of_turn_is_on_the_unit_circle() -> None:
    turn = np.linspace(0.0, 1.0, 2001, dtype=np.float32)
    got = np.array([cos_sin_of_turn(t) for t in turn], dtype=np.float64)
    angle = 2.0 * math.pi * turn.astype(np.float64)
    np.testing.assert_allclose(got, np.stack([np.cos(angle), np.sin(angle)], axis=-1), atol=4e-6)
