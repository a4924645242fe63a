# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rovers on slopes: slip, drift and sinkage."""

from __future__ import annotations

import pytest

from regolith_testbeds.experiments import vehicle_slope


@pytest.mark.slow
def test_grousered_rover_slips_less_uphill() -> None:
    rows = [
        vehicle_slope.run(
            vehicle_slope.Settings.model_validate(
                {'model': model, 'slope_deg': 12, 'duration_s': 5, 'soil': 'chrono_lunar'}
            ),
            lambda *tick: None,
        )[0]
        for model in ('viper', 'viper_grousered')
    ]
    assert rows[1]['slip'] < 0.9 * rows[0]['slip']
    assert rows[1]['speed_mps'] > rows[0]['speed_mps'] > 0.0


@pytest.mark.seconds
@pytest.mark.slow
def test_slip_grows_with_the_slope() -> None:
    settings = vehicle_slope.Settings.model_validate({'slope_deg': '-10,0,10', 'duration_s': 8})
    down, level, up = vehicle_slope.run(settings, lambda *tick: None)
    assert down['slip'] < level['slip'] < 0.05 < up['slip'] < 0.6


@pytest.mark.seconds
@pytest.mark.parametrize('grid_spacing_m', [0.02, pytest.param(0.01, marks=pytest.mark.slow)])
def test_rover_across_slope_drifts_downhill(grid_spacing_m: float) -> None:
    """The drift is that of any grid, although the wheels tilt and their flanks meet lines of nodes."""
    settings = {'slope_deg': 15, 'duration_s': 4, 'heading_deg': 90, 'grid_spacing_m': grid_spacing_m}
    across = vehicle_slope.run(vehicle_slope.Settings.model_validate(settings), lambda *tick: None)[0]
    # Heading +y with uphill +x: its right is uphill, so it drifts to its left. For node spacings of 20, 10 and 5 mm
    # the drift is 0.1311, 0.1308 and 0.1309 of its speed.
    assert across['side_speed_mps'] == pytest.approx(0.131 * across['speed_mps'], rel=0.02)


@pytest.mark.slow
def test_rover_sinks_deeper_on_steeper_slopes() -> None:
    """The shipped rover with the settings of a scenario: slip and sinkage grow with the slope."""
    settings = vehicle_slope.Settings.model_validate({'slope_deg': (0.0, 20.0, 30.0)})
    rows = vehicle_slope.run(settings, lambda *tick: None)
    slips, depths = [row['slip'] for row in rows], [row['sinkage_m'] for row in rows]
    assert slips == sorted(slips) and depths == sorted(depths)
    # At 30 degrees slip is above 0.7, where 12 mm of grousers dig h i / (1 - i) = 28 mm and more.
    assert slips[-1] > 0.7 and depths[-1] > depths[0] + 0.028
