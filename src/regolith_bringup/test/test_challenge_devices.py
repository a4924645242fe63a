# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rover of the challenge: inertial readings, charging, cameras; presets and starts of missions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_bringup.challenge.devices import (
    CAMERAS,
    camera_configs,
    charges,
    check_cameras,
    device_power,
    imu_reading,
)
from regolith_bringup.challenge.missions import LANDER, MISSIONS, ROVER, mission_scenario, start_pose
from regolith_terrain import build_height_field
from regolith_world.numerics import rotation


def yaw(angle: float) -> np.ndarray:
    return rotation.matrix(rotation.from_rpy_deg((0.0, 0.0, math.degrees(angle))))


def test_inertial_readings_are_differences_of_poses() -> None:
    """On a circle at v = 0.3 m/s, w = 0.5 rad/s: v w to the left, g up, sin(w dt) / dt about z; at rest gravity alone."""
    dt, w, v = 0.05, 0.5, 0.3
    times = np.array([0.0, dt, 2.0 * dt])
    places = np.stack([v / w * np.sin(w * times), v / w * (1.0 - np.cos(w * times)), np.zeros(3)], axis=1)
    turns = np.array([yaw(w * t) for t in times])
    found = imu_reading(places, turns, dt, 1.622)
    # The second difference lags by one step: the acceleration is turned by w dt against the present axes.
    chord = v * w * (2.0 - 2.0 * math.cos(w * dt)) / (w * dt) ** 2
    assert found[:3] == pytest.approx([chord * math.sin(w * dt), chord * math.cos(w * dt), 1.622], abs=1e-12)
    assert found[3:] == pytest.approx([0.0, 0.0, math.sin(w * dt) / dt], abs=1e-12)
    still = imu_reading(np.ones((3, 3)), np.array([yaw(0.3)] * 3), dt, 1.622)
    assert still == pytest.approx([0.0, 0.0, 1.622, 0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ('off', 'degrees', 'found'),
    [
        ((0.0, 0.0), 0.0, True),
        ((0.09, -0.09), 0.0, True),
        ((0.11, 0.0), 0.0, False),
        ((0.0, 0.11), 0.0, False),
        ((0.0, 0.0), 29.0, True),
        ((0.0, 0.0), 31.0, False),
        ((0.0, 0.0), 180.0, False),
    ],
)
def test_charging_needs_the_antennas_close_and_facing(off: tuple[float, float], degrees: float, found: bool) -> None:
    turn = yaw(math.radians(degrees))
    # Its antenna, at (0, -0.208) of its axes and facing -y, is at the lander's (0, 1.452).
    antenna = turn @ np.array([0.0, -0.208, 0.346])
    place = np.array([off[0], 1.452 + off[1], 0.2]) - np.array([antenna[0], antenna[1], 0.0])
    assert charges(place, turn) is found


def test_cameras_have_seventy_degrees_and_the_baseline_of_the_challenge() -> None:
    config = camera_configs({'FrontLeft': (1280, 720)})['FrontLeft']
    assert config.focal_length_px == pytest.approx(914.01, abs=0.01)
    assert CAMERAS['FrontLeft'].place.y - CAMERAS['FrontRight'].place.y == pytest.approx(0.162)
    assert device_power({'FrontLeft': True, 'Left': False}, {'FrontLeft': 0.5}) == pytest.approx(3.0 + 4.9)


@pytest.mark.parametrize(
    ('asked', 'message'),
    [
        ({'Top': {}}, "'Top': is not a camera; allowed: FrontLeft"),
        ({'Left': 3}, 'is not a mapping'),
        ([], 'is not a mapping; allowed: cameras by position'),
        ({'Left': {'width': 640, 'height': 4000}}, 'height = 4000: is not valid; allowed: 16 to 2048 px'),
        ({'Left': {'width': 640, 'height': 480, 'fov': 1}}, "'fov': is unknown"),
        ({'Left': {'width': 640, 'height': 480, 'light_intensity': 2.0}}, 'light_intensity = 2: is not valid'),
        ({'Left': {'width': 640, 'height': 480, 'use_semantic': True}}, 'is not given in an evaluation'),
        (
            {name: {'camera_active': True, 'width': 64, 'height': 64} for name in ('Left', 'Right', 'Back')},
            '3 cameras are active; allowed: up to 2',
        ),
    ],
)
def test_cameras_that_are_not_valid_are_refused(asked: Any, message: str) -> None:
    with pytest.raises(ValueError, match='sensors'):
        check_cameras(asked, 2, shown=False)
    try:
        check_cameras(asked, 2, shown=False)
    except ValueError as error:
        assert message in str(error)


def test_starts_are_five_meters_away_and_face_the_lander() -> None:
    starts = [start_pose(0, seed) for seed in range(50)]
    for x, y, heading in starts:
        assert math.hypot(x, y) == pytest.approx(5.0) and -180.0 <= heading < 180.0
        off = (heading - math.degrees(math.atan2(-y, -x)) + 180.0) % 360.0 - 180.0
        assert abs(off) <= 30.0
    assert len(set(starts)) == 50 and start_pose(0, 3) == starts[3] != start_pose(1, 3)
    # All quadrants, and both sides of the lander.
    assert {(x > 0.0, y > 0.0) for x, y, _ in starts} == {(a, b) for a in (True, False) for b in (True, False)}


def test_scenario_of_a_mission_has_its_start_and_the_lander_on_the_ground() -> None:
    scenario = mission_scenario('lac_lite', 1, 4)
    assert tuple(scenario.vehicles[ROVER].position[:2]) == start_pose(1, 4)[:2] and not scenario.terrain.rocks
    ground = build_height_field(scenario.terrain, scenario.seed).heights(0.0, 0.0)
    assert scenario.objects[LANDER]['position'][2] == pytest.approx(float(ground))


def test_unknown_missions_and_presets_are_refused() -> None:
    with pytest.raises(ValueError, match=r'is not a mission; allowed: .*lac_lite'):
        mission_scenario('garage', 0, 1)
    with pytest.raises(ValueError, match='preset = 9: is unknown; allowed: 0, 1'):
        mission_scenario('lac_lite', 9, 1)


def test_limits_are_those_of_the_challenge() -> None:
    final, qualifier = MISSIONS['lac_final'], MISSIONS['lac_qualifier']
    assert (final.cells, final.limit_s, final.wall_limit_s) == (180, 86400.0, 648000.0)
    assert (qualifier.cells, qualifier.limit_s, qualifier.wall_limit_s) == (60, 3600.0, 27000.0)
