# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of balls that fall into CRM soil."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from regolith_terrain.crm.soil import Discretization, load_particle_soil
from regolith_testbeds.crm.impact import Drop, Impact
from regolith_testbeds.experiments import cratering

COARSE = {'spacing_m': 0.006, 'side_m': 0.07, 'depth_m': 0.05, 'threads': 1}


def nothing(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.mark.parametrize(
    ('density', 'drop', 'depth_mm'),
    [(700.0, 0.05, 10.7), (700.0, 0.1, 13.1), (700.0, 0.2, 16.3), (2200.0, 0.05, 19.8), (2200.0, 0.2, 29.5)],
)
def test_uehara_depth_matches_hand_calculation(density: float, drop: float, depth_mm: float) -> None:
    """Values calculated by hand from the law, with H including the depth itself, to the last given digit."""
    depth = cratering.uehara_depth(0.0125, density / 1510.0, drop, 0.3)
    assert 1e3 * depth == pytest.approx(depth_mm, abs=0.06)


@pytest.mark.slow
def test_cratering_depth_grows_with_speed() -> None:
    settings = cratering.Settings.model_validate({**COARSE, 'drop_height_m': '0.05,0.2'})
    shallow, deep = cratering.run(settings, nothing)
    assert 0.0 < shallow['depth_m'] < deep['depth_m'] < 0.5 * settings.depth_m
    assert all(row['depth_m'] <= row['deepest_m'] for row in (shallow, deep))
    assert deep['impact_speed_mps'] == pytest.approx((2.0 * 9.81 * 0.2) ** 0.5)
    # At rest long before the time limit.
    assert max(row['simulated_s'] * row['impact_speed_mps'] for row in (shallow, deep)) < 10.0 * 0.025


@pytest.mark.seconds
def test_cratering_continues_bit_identically_from_saved_state() -> None:
    drop = Drop(0.0125, 2200.0, 0.1, 9.81, 0.07, 0.05)
    settings = Discretization(spacing_m=0.006, artificial_viscosity=0.05)

    def impact(workers: int) -> Impact:
        return Impact(drop, load_particle_soil('glass_beads'), settings, workers)

    whole, first, second = impact(1), impact(2), impact(2)
    for _ in range(4):
        whole.advance(lambda part: None)
    for _ in range(2):
        first.advance(lambda part: None)
    second.load(first.save())
    for _ in range(2):
        second.advance(lambda part: None)
    times = {'wall_s'}
    assert {k: v for k, v in second.row().items() if k not in times} == {
        k: v for k, v in whole.row().items() if k not in times
    }
    assert second.bed.particles.tobytes() == whole.bed.particles.tobytes()


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        ({'drop_height_m': '0'}, 'drop_height_m.0 = 0.0: is out of range; allowed: above 0'),
        ({'spacing_m': 0.01}, 'spacing_m = 0.01: is too coarse; allowed: at most 0.00625'),
        ({'side_m': 0.04}, 'side_m = 0.04: is too small; allowed: at least four times radius_m'),
        ({'particle_soil': 'custard'}, 'custard'),
        ({'terrain_model': 'scm'}, "'crm'"),
    ],
)
def test_cratering_invalid_setting_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as error:
        cratering.Settings.model_validate(values)
    assert said in str(error.value)
