# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Missions of the challenge: limits, presets of the ground, and scenarios with a start drawn from a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_files import allowed_names
from regolith_terrain import build_height_field
from regolith_world.random import generator

ROVER, LANDER = 'rover', 'lander'
"""Names of vehicle and object in the scenarios."""
CELL_M, START_M, FACING_DEG = 0.15, 5.0, 30.0
"""Width of a cell [m]; distance of the start from the lander [m]; largest angle between heading and lander [deg]."""
TICK_S, SETTLE_S = 0.05, 1.0
"""Period of steps [s]; time before the first step, in which the rover comes to rest [s]."""


@dataclass(frozen=True)
class MissionType:
    """Limits of the missions of a scenario."""

    cells: int
    """Cells along a side of the map."""
    limit_s: float
    """Longest duration [s]."""
    wall_limit_s: float
    """Longest wall time [s]."""
    frame_ticks: int
    """Steps between images."""
    cameras: int
    """Largest number of active cameras."""


MISSIONS: Mapping[str, MissionType] = {
    'lac_final': MissionType(180, 24 * 3600.0, 180 * 3600.0, 2, 4),
    'lac_qualifier': MissionType(60, 3600.0, 7.5 * 3600.0, 2, 4),
    'lac_lite': MissionType(60, 20 * 60.0, 2 * 3600.0, 10, 2),
}
PRESETS: Mapping[int, Mapping[str, str]] = {
    0: {},
    1: {'terrain.rocks': 'false'},
    2: {'terrain.preset': 'polar'},
    3: {'terrain.preset': 'highland'},
}
"""Settings of the ground by number: rocks of the challenge, none, and the rocks and craters of other sites."""


def start_pose(preset: int, seed: int) -> tuple[float, float, float]:
    """Return x, y [m] and heading [deg] of the rover at the start, drawn from the seed."""
    draw = generator(seed, 'challenge', 'start', preset)
    bearing, off = draw.uniform(-math.pi, math.pi), draw.uniform(-1.0, 1.0) * FACING_DEG
    heading = (math.degrees(bearing) + off) % 360.0 - 180.0
    return START_M * math.cos(bearing), START_M * math.sin(bearing), heading


def mission_scenario(name: str, preset: int, seed: int, settings: Mapping[str, str] | None = None) -> Scenario:
    """Return the scenario of a mission.

    The seed defines the ground, the noise of sensors and the start: 5 m from the lander at any bearing, facing it
    within 30 degrees.

    Args:
        name: Name of the scenario.
        preset: Number of the ground.
        seed: Seed of the scenario.
        settings: Further settings by key, values in YAML.

    Raises:
        ValueError: If name or preset are unknown.
        regolith_files.InputError: If a setting is not valid.
    """
    if name not in MISSIONS:
        raise ValueError(f'scenario = {name!r}: is not a mission; allowed: {allowed_names(MISSIONS, name)}')
    if preset not in PRESETS:
        raise ValueError(f'preset = {preset}: is unknown; allowed: {", ".join(map(str, PRESETS))}')
    x, y, heading = start_pose(preset, seed)
    chosen = {
        **PRESETS[preset],
        f'vehicles.{ROVER}.position': f'[{x!r}, {y!r}]',
        f'vehicles.{ROVER}.heading_deg': repr(heading),
        **(settings or {}),
    }
    overrides = [f'{key}={value}' for key, value in chosen.items()]
    found = load_scenario(name, overrides, seed=seed).scenario
    ground = float(build_height_field(found.terrain, found.seed).heights(0.0, 0.0))
    overrides.append(f'objects.{LANDER}.position=[0.0, 0.0, {ground!r}]')
    return load_scenario(name, overrides, seed=seed).scenario
