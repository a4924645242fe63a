# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of procedural terrain at full size: a rover drives 200 m over 10 km x 10 km of polar terrain."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.tile_pyramid import TilePyramid

DISTANCE_M = 200.0
SITE_M = 10_000.0
TERRAIN = {'source': 'procedural', 'preset': 'polar', 'seed': 3, 'map_size_m': SITE_M, 'spacing_m': 0.04}


def gentlest_line(field: LunarField) -> tuple[np.ndarray, float]:
    """Return way-points 5 m apart along the straight line of least slope among some, and its bearing [rad]."""
    along = np.arange(-4.0, DISTANCE_M + 14.0, 0.5)
    best = (np.inf, 0.0, 0.0)
    for side in range(-400, 401, 100):
        for bearing in np.radians(np.arange(0.0, 360.0, 10.0)):
            x, y = 3000.0 + along * np.cos(bearing), side + along * np.sin(bearing)
            steepest = np.max(np.abs(np.gradient(field.heights(x, y), 0.5)))
            best = min(best, (float(steepest), float(side), float(bearing)))
    steepest, side, bearing = best
    assert np.degrees(np.arctan(steepest)) < 20.0
    far = np.arange(0.0, DISTANCE_M + 12.0, 5.0)
    return np.stack([3000.0 + far * np.cos(bearing), side + far * np.sin(bearing)], axis=1), bearing


def interpreter_kb() -> int:
    """Return the memory of a fresh interpreter that has imported what this module imports [kB]."""
    module = Path(__file__).stem
    command = [sys.executable, '-c', f"import {module}; print({module}.memory_kb('VmRSS'))"]
    cwd = Path(__file__).parent
    return int(subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True, timeout=120.0).stdout)


def memory_kb(kind: str) -> int:
    """Return memory of this process from Linux [kB]: ``VmRSS``, now; ``VmHWM``, the peak since its last reset."""
    found = re.search(rf'^{kind}:\s+(\d+) kB', Path('/proc/self/status').read_text(encoding='ascii'), re.M)
    assert found
    return int(found[1])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_procedural_terrain_is_generated_around_a_driving_rover_only() -> None:
    Path('/proc/self/clear_refs').write_text('5', encoding='ascii')  # resets the peak
    before_kb = memory_kb('VmRSS')
    config = TerrainConfig.model_validate(TERRAIN)
    field = build_height_field(config, 0)
    assert isinstance(field, LunarField)
    points, bearing = gentlest_line(field)
    vehicle = {
        'model': 'viper',
        'position': points[0].tolist(),
        'heading_deg': float(np.degrees(bearing)),
        'driver': {'type': 'path', 'speed_mps': 0.8, 'lookahead_m': 2.0, 'waypoints': points.tolist()},
    }
    scenario = Scenario.model_validate(
        {'name': 'crossing', 'duration_s': 400.0, 'seed': 1, 'terrain': TERRAIN, 'vehicles': {'rover': vehicle}}
    )
    simulation = Simulation(scenario)
    rover = simulation.agents['rover']
    for until in range(20, 401, 20):
        simulation.run(float(until))
        gone = np.hypot(*(np.array(rover.vehicle.body_state().position[:2]) - points[0]))
        if gone >= DISTANCE_M:
            break
    assert gone >= DISTANCE_M
    # All that a process of its own holds at its peak: interpreter, modules, kernels, state.
    assert interpreter_kb() + memory_kb('VmHWM') - before_kb < 1.5e6
    # Soil nodes exist around the wheels only: in a lane of less than 8 m.
    grid = simulation.terrain.grid
    tile_m2 = (64 * config.spacing_m) ** 2
    assert 0.0 < len(grid._tiles) * tile_m2 < 8.0 * (DISTANCE_M + 20.0)
    assert grid.modified_count > 0
    # Tiles do not depend on the order of requests, also far from the path.
    fresh = build_height_field(config, 0)
    for i, j in sorted(grid._tiles, reverse=True)[::7]:
        block = fresh.nodes(64 * i, 64 * i + 64, 64 * j, 64 * j + 64, config.spacing_m)
        assert block.tobytes() == grid._tiles[i, j].base.tobytes()
    rocks = build_rocks(config, 0)
    assert rocks is not None
    for corner in (-0.5 * SITE_M, 0.5 * SITE_M - 50.0):
        assert len(rocks.rocks_in(corner, corner + 50.0, corner, corner + 50.0)) > 20


@pytest.mark.slow
def test_tile_pyramid_seen_from_afar_keeps_a_bounded_number_of_tiles() -> None:
    field = build_height_field(TerrainConfig.model_validate(TERRAIN), 0)
    pyramid = TilePyramid(field, 0.05, capacity=300)
    # 10 km at 6.4 m is 25 x 25 tiles; the cache holds 300.
    tiles = [(7, i, j) for i in range(-13, 12) for j in range(-13, 12)]
    heights = {key: pyramid.tile(*key).tobytes() for key in tiles}
    assert len(pyramid) == 300
    other = TilePyramid(field, 0.05)
    assert all(other.tile(*key).tobytes() == heights[key] for key in reversed(tiles))
