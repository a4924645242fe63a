# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the cost of an SCM wheel step."""

from __future__ import annotations

import time

import pytest

from regolith_testbeds.bench.soil_contact import scm_cost


@pytest.mark.slow
def test_cost_of_a_wheel_step() -> None:
    cost = scm_cost(repeats=2, clock=time.thread_time)
    # A wheel of 0.25 m radius at 3 cm depth: at least the leading quarter of the chord, 0.12 m by 0.30 m of 2 cm cells.
    assert 0.12 * 0.30 / 4e-4 * 0.9 < cost['contact_nodes'] < 300
    # Ten times the processor time on an idle core of 2026: this detects a lost inlining, not a busy machine.
    assert 0.0 < cost['us_per_wheel_step'] < 150.0
