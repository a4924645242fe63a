# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_vehicles.description.encoder_config import EncoderConfig
from regolith_vehicles.dynamics.encoders import Encoders


def test_angles_in_ticks_and_speeds_from_counting_them() -> None:
    encoders = Encoders(EncoderConfig(ticks_per_revolution=100), 1, 'amber', 10.0)
    step = 2 * math.pi / 100
    angles, speeds = encoders.sample(5, np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    assert np.abs(angles - [1.0, 2.0]).max() <= step / 2 and speeds[1] == 0.0
    # A speed is a whole number of ticks per period.
    assert speeds[0] == pytest.approx(1.0, abs=10 * step) and speeds[0] / (10 * step) == pytest.approx(2.0)


def test_consecutive_samples_are_consistent() -> None:
    """At constant speed a speed is the difference of two angles, jitter included."""
    encoders = Encoders(EncoderConfig(ticks_per_revolution=1000, jitter_rad=0.02), 7, 'amber', 50.0)
    turn = np.array([0.4, -0.1])
    angles, speeds = zip(*(encoders.sample(n, 3.0 + turn * n / 50.0, turn) for n in range(20)))
    np.testing.assert_allclose(np.diff(angles, axis=0) * 50.0, speeds[1:], atol=1e-9)


def test_jitter_has_its_deviation_and_is_repeatable() -> None:
    config = EncoderConfig(ticks_per_revolution=10**6, jitter_rad=0.01)
    seen = np.array([Encoders(config, 1, 'amber', 50.0).sample(n, np.zeros(4), np.zeros(4))[0] for n in range(1000)])
    # 4000 samples: the standard deviation is known to 1.1 %.
    assert seen.std() == pytest.approx(0.01, rel=0.05)
    again = Encoders(config, 1, 'amber', 50.0)
    assert again.sample(999, np.zeros(4), np.zeros(4))[0].tobytes() == seen[999].tobytes()
    other = Encoders(config, 1, 'basalt', 50.0).sample(999, np.zeros(4), np.zeros(4))[0]
    assert not np.array_equal(other, seen[999])
