# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the radiative environment of vehicles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_files import load_plugins
from regolith_sensors.heat.environment import LunarEnvironment
from regolith_vehicles.energy.environment import GROUP, scenario_environment


def scenario(sun: Any, **light: Any) -> dict[str, Any]:
    """Return the root keys of a resolved scenario."""
    terrain = {'source': 'flat', 'map_size_m': 32.0, 'site': {'latitude_deg': -85.0, 'longitude_deg': 10.0}}
    return {'seed': 1, 'duration_s': 7200.0, 'light': {'sun': sun, **light}, 'terrain': terrain}


def test_environment_is_found_by_its_entry_point() -> None:
    assert load_plugins(GROUP)['lunar'] is LunarEnvironment
    made = scenario_environment(lambda: scenario({'azimuth_deg': 90.0, 'elevation_deg': 30.0}, view_range_m=80.0))
    assert isinstance(made, LunarEnvironment) and made.range_m == 80.0


def test_fixed_sun_has_its_direction_and_warms_the_ground() -> None:
    made = LunarEnvironment(scenario({'azimuth_deg': 90.0, 'elevation_deg': 30.0}))
    around = made.at(0, 0.0, 0.0)
    assert around.sun == pytest.approx([math.cos(math.radians(30.0)), 0.0, 0.5])
    assert around.irradiance == 1361.0
    assert 250.0 < around.ground_k < 340.0
    assert around.ground_k == made.at(7_000_000_000_000, 5.0, 5.0).ground_k


def test_night_has_cold_ground_and_no_sun() -> None:
    """Midnight at 85 degrees: 66.9 K in the reference table, at zero declination."""
    around = LunarEnvironment(scenario(None)).at(0, 0.0, 0.0)
    assert around.irradiance == 0.0 and around.ground_k == pytest.approx(66.9, abs=1.5)
    around = LunarEnvironment(scenario({'azimuth_deg': 90.0, 'elevation_deg': -10.0})).at(0, 0.0, 0.0)
    assert around.irradiance == 0.0


def test_ephemeris_sun_moves_and_keeps_its_distance() -> None:
    place = {'latitude_deg': -85.0, 'longitude_deg': 10.0, 'utc': '2026-11-21T12:00:00Z', 'north_deg': 0.0}
    made = LunarEnvironment(scenario(place))
    first, last = made.at(0, 0.0, 0.0), made.at(7_200_000_000_000, 0.0, 0.0)
    turn = math.degrees(math.acos(float(np.dot(first.sun, last.sun))))
    assert turn == pytest.approx(2.0 * 0.508, abs=0.03)  # 360 degrees in 29.53 days
    if first.irradiance > 0.0:
        assert first.irradiance == pytest.approx(1361.0 / 0.9878**2, rel=0.005)
