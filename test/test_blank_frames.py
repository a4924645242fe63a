# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests that sensors of shipped scenarios are not blank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.lighting import SpotlightConfig
from regolith_sensors.config.sensors import scenario_sensors
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_world.numerics.rotation import matrices, matrix, product

INSTANTS_S = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Of a lidar exactly on a surface of its rover, rounding decides at each frame whether it sees: of six, one in a hundred
runs would have none without points."""


def sensing_scenarios() -> list[str]:
    """Return the scenarios with sensors of any kind, by their text: this runs in every process that collects tests."""
    return [name for name, path in sorted(find_scenarios().items()) if 'sensors:' in path.read_text(encoding='utf-8')]


def seeing(scenario: Scenario) -> list[Any]:
    return [sensor for sensor in scenario_sensors(scenario) if sensor.kind.sees]


def look(
    sensor: Any, camera: Camera | Lidar, world: SensorScene, view: Any, t_ns: int, spots: list[SpotlightConfig]
) -> bool:
    """Return whether a sensor sees light, or has points; the spotlights of its vehicle are on."""
    scene, mount = view.prepare(0), sensor.mount
    place, turn = view.base_pose(sensor.vehicle, 0)
    if isinstance(camera, Lidar):
        base = matrices(turn)

        def poses(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            at = place + base @ mount.position
            return np.repeat(at, len(moments), axis=0), np.repeat(
                base @ matrix(mount.orientation), len(moments), axis=0
            )

        return bool(np.isfinite(camera.scan(scene, view.scene.origin, poses).range).any())
    pose = CameraPose(place[0] + matrix(turn[0]) @ mount.position, product(turn[0], mount.orientation))
    lamps = tuple(spot.spotlight(place[0], turn[0]) for spot in spots)
    frame: RenderedImage = camera.expose(scene, view.scene.origin, lambda _: pose, world.light.sun_at(t_ns), lamps)
    return bool(frame.radiance.any())


@pytest.mark.seconds
@pytest.mark.slow
@pytest.mark.parametrize('name', sensing_scenarios())
def test_sensors_of_shipped_scenarios_are_not_blank(name: str) -> None:
    """No cloud without points, no black image."""
    scenario = load_scenario(name).scenario
    sensors = seeing(scenario)
    if not sensors:
        pytest.skip('none of its sensors sees')
    makers = {True: Camera, False: Lidar}
    spots = {
        name: [SpotlightConfig.model_validate(spot) for spot in entry.spotlights.values()]
        for name, entry in scenario.vehicles.items()
    }
    made = [makers[sensor.kind.pairs](sensor.config, scenario.seed, sensor.full_name) for sensor in sensors]
    ends: dict[str, Any] = {}
    simulation = Simulation(scenario, publish=ends.__setitem__)
    for until in INSTANTS_S:
        simulation.run(until)
        looks = {vehicle: agent.looks for vehicle, agent in simulation.agents.items()}
        world = SensorScene(scenario.terrain, scenario.light, scenario.seed, looks)
        world.states.ground.load(simulation.terrain.grid.all_records())
        for vehicle, snapshot in ends.items():
            world.states.tracks[vehicle].add(0, snapshot.poses)
        views = world.views(sensor.vehicle for sensor in sensors)
        blank = [
            sensor.full_name
            for sensor, maker in zip(sensors, made, strict=True)
            if not look(sensor, maker, world, views[sensor.vehicle], round(until * 1e9), spots[sensor.vehicle])
        ]
        assert blank == [], f'at {until} s'


def test_there_are_scenarios_that_see() -> None:
    see = {'stereo_traverse', 'traverse_polar'}
    assert see <= set(sensing_scenarios()) and all(seeing(load_scenario(name).scenario) for name in see)
