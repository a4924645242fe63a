# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the results of a world at the end of a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_world.reporting.run_result import make_run_result


def test_speed_counts_time_before_resets() -> None:
    """A run in real time has speed 1 although most of its time was discarded."""
    world: Any = SimpleNamespace(
        t_ns=3_000_000_000,
        cycle=150,
        discarded_cycles=0,
        forced_cycles=0,
        shared_contacts=0,
        bodies_over_limit=0,
        state_hash='',
        soil_hash='',
    )
    found = make_run_result(world, 90.0, {}, start_ns=500_000_000, undone_ns=87_500_000_000)
    assert (found['simulated_s'], found['undone_s'], found['end_s']) == (2.5, 87.5, 3.0)
    assert found['real_time_factor'] == pytest.approx(1.0)
    assert make_run_result(world, 6.0, {})['real_time_factor'] == pytest.approx(0.5)
