# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rovers on the proving ground: Chrono's Curiosity over a box, circles, rotation in place.

``data/curiosity_box.csv``: Project Chrono's run of its Curiosity (columns of poses only).
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds.experiments import proving_ground
from regolith_testbeds.proving_ground.drive import Drive, drive
from regolith_testbeds.proving_ground.settings import Settings

REFERENCE = Path(__file__).parent / 'data' / 'curiosity_box.csv'


def reference(case: str) -> dict[str, np.ndarray]:
    with REFERENCE.open(encoding='utf-8') as file:
        rows = [row for row in csv.DictReader(file) if row.pop('case') == case]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def driven(**settings: object) -> Drive:
    return drive(Settings.model_validate(settings), lambda done, total: None)


@pytest.mark.slow
@pytest.mark.parametrize(('case', 'speed'), [('box_full_v0.3', 0.3), ('box_left_v0.15', 0.15)])
def test_crossing_a_box_matches_the_reference(case: str, speed: float) -> None:
    """Height within 15 mm and pitch within 2 degrees at the same x while the reference rolls.

    Rolling means a speed within 10 %: contacts of the reference open for short times at every edge.
    """
    theirs, ours = reference(case), driven(case=case, cycle_s=0.02)
    rolling = speed * 0.213 / 0.25
    at = np.abs(theirs['vx_mps'] - rolling) < 0.1 * rolling
    at &= (theirs['t_s'] > 1.5) & (theirs['x_m'] < ours['x_m'].max())
    assert at.sum() > 50 and ours['x_m'][-1] > 3.3
    height = np.interp(theirs['x_m'][at], ours['x_m'], ours['z_m']) - theirs['z_m'][at]
    pitch = np.interp(theirs['x_m'][at], ours['x_m'], ours['pitch_deg']) - theirs['pitch_deg'][at]
    assert np.abs(height).max() < 0.015 and np.abs(pitch).max() < 2.0


def test_columns_match_the_reference() -> None:
    """Sides, then front, middle and rear."""
    columns = driven(case='box_full_v0.3', duration_s=0.1).columns
    assert columns[:9] == ('t_s', 'x_m', 'y_m', 'z_m', 'roll_deg', 'pitch_deg', 'yaw_deg', 'vx_mps', 'zLF_m')
    assert columns[8:20] == (
        *(f'z{w}_m' for w in ('LF', 'RF', 'LM', 'RM', 'LB', 'RB')),
        *(f'tq{w}_Nm' for w in ('LF', 'RF', 'LM', 'RM', 'LB', 'RB')),
    )


@pytest.mark.slow
def test_rover_drives_circles_and_rotates_in_place() -> None:
    """On hard ground it follows the twist, within the limits of skidding wheels."""
    circle = {'vehicle': 'viper', 'maneuver': 'circle', 'gravity_mps2': 1.62, 'duration_s': 10.0, 'cycle_s': 0.02}
    made = proving_ground.run(Settings.model_validate(circle), lambda done, total: None)
    assert made['summary']['yaw rate, mean 5-10 s'] == pytest.approx(0.1, rel=0.05)
    assert made['summary']['radius, mean 5-10 s'] == pytest.approx(3.0, rel=0.05)
    spot = {'vehicle': 'rocker_bogie', 'maneuver': 'pivot', 'gravity_mps2': 1.62, 'duration_s': 10.0, 'cycle_s': 0.02}
    made = proving_ground.run(Settings.model_validate(spot), lambda done, total: None)
    assert made['summary']['yaw rate, mean 5-10 s'] == pytest.approx(0.2, rel=0.05)
    assert made['summary']['distance from the start'] < 0.1


def test_rover_refuses_maneuvers_of_cars() -> None:
    """Cars refuse maneuvers that only a twist can command."""
    with pytest.raises(
        ValidationError, match=r'brake.*does not apply to this vehicle; allowed: settle, straight, circle'
    ):
        Settings.model_validate({'vehicle': 'viper', 'maneuver': 'brake'})
    with pytest.raises(ValidationError, match=r'pivot.*does not apply to this vehicle; allowed: .*brake'):
        Settings.model_validate({'maneuver': 'pivot'})


@pytest.mark.slow
@pytest.mark.parametrize('gravity', [1.62, 9.81])
def test_six_wheels_climb_a_step_of_wheel_radius(gravity: float) -> None:
    """0.25 m at friction 0.8 and 0.05 m/s, with all six wheels on top at the end.

    This is near the friction limit: with loads f and W - f, N = mu (W - mu N) presses the front wheels on, and mu N
    has to support them: f / W < mu^2 / (1 + mu^2) = 0.39, less the lever effect of the bogies. On top the wheels sink
    in by up to 5 mm, a sixth of the weight over their stiffness.
    """
    settings = {
        'vehicle': 'rocker_bogie',
        'maneuver': 'box',
        'speed_mps': 0.05,
        'box_height_m': 0.25,
        'box_length_m': 9.0,
        'box_start_m': 1.6,
        'gravity_mps2': gravity,
        'duration_s': 75.0,
        'cycle_s': 0.02,
        'sample_s': 0.2,
    }
    end = driven(**settings).rows[-1]
    assert end[8:14] == pytest.approx(0.5, abs=0.0055)
