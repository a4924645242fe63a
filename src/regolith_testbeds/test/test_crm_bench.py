# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the CRM benchmark."""

from __future__ import annotations

import pytest

from regolith_testbeds.bench.particles import crm


@pytest.mark.slow
def test_crm_bench_reports_rates_and_counts() -> None:
    found = crm((1000,), wheel_spacing=0.06)
    rates = found['particle_steps_per_s']['1000']
    assert set(rates) - {'cuda'} == {'1', '2'} and min(rates.values()) > 0.0
    # 4/3 pi 2.86^3 on a lattice of unit spacing; fewer at the free surface and at the floor.
    assert 70.0 < found['mean_neighbors']['1000'] < 98.0
    assert found['bytes_per_particle']['1000'] < 500.0
    assert set(found['of_plain']['1000']) == {'1', '2'} and min(found['of_plain']['1000'].values()) > 0.0
    assert found['wheel']['seconds_per_second'] > 0.0 and found['wheel']['elements'] > 200
    assert found['machine_score'] > 0.0
