# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of a run's vehicles at any time, rendered from the recording alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import Run
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.dust.flight import LONGEST_FLIGHT_S
from regolith_sensors.in_process.side_view import SIZE, side_view
from regolith_sensors.report.image_reader import stamp_ns
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.scene.world_view import TerrainHistory
from regolith_terrain.contact import SURFEL_TOPIC, surfels_record
from regolith_terrain.grid import SoilGrid
from regolith_terrain.updates import COMMITTED_TOPIC, CommittedSoil, SoilCommit
from regolith_vehicles.visuals import VisualDescription, poses_from_message, visuals_from_message
from regolith_world.objects import object_visuals

Floats = NDArray[np.float64]

_FLIGHT_NS = round(LONGEST_FLIGHT_S * 1e9)


class BagRenderer:
    """Renderer of the ground and the vehicles of a run at a given time.

    Args:
        run: Run with a recording.
        t_s: Simulated time [s]; the last committed state before it is rendered.

    Raises:
        ValueError: If the recording has no visual description and poses of a vehicle at that time.
    """

    def __init__(self, run: Run, t_s: float) -> None:
        scenario, bag, t_ns = run.scenario, run.bag, round(t_s * 1e9)
        names = sorted(scenario.vehicles)
        looks: dict[str, VisualDescription] = {}
        for message in bag.messages(*(f'/{name}/visual_description' for name in names)):
            looks[message.topic.split('/')[1]] = visuals_from_message(message.content)
        last: dict[str, Any] = {}  # by stamp, because a message is logged one cycle after its stamp
        # All dust that is in the air at this time was thrown up within the longest flight.
        dusty = scenario.dust is not None
        before: list[tuple[str, int, Floats]] = []
        for message in bag.messages(*(f'/{name}/part_poses' for name in looks)):
            stamped = stamp_ns(message.content)
            if stamped <= t_ns:
                name = message.topic.split('/')[1]
                last[name] = message.content
                if dusty and stamped >= t_ns - _FLIGHT_NS:
                    before.append((name, stamped, poses_from_message(message.content)))
        self.looks = {name: looks[name] for name in sorted(last)}
        """Visual descriptions of the vehicles present, by name."""
        if not last:
            raise ValueError(f'no vehicle is recorded at {t_s:g} s; allowed: times of the recording')
        self._seed = scenario.seed
        objects = object_visuals(scenario.objects, scenario.world.gravity_mps2)
        terrain, seed, bodies = scenario.terrain, scenario.seed, (scenario.model_extra or {}).get('bodies')
        gravity = scenario.world.gravity_mps2
        dust = DustCloud(scenario.dust, seed, gravity, self.looks) if dusty else None
        kept = 2 * _FLIGHT_NS
        world = SensorScene(terrain, scenario.light, seed, self.looks, kept, objects, bodies, dust)
        self.t_ns = max(map(stamp_ns, last.values()))
        """Time of the rendered state [ns]."""
        self.poses = {name: poses_from_message(content) for name, content in last.items()}
        for name, stamped, poses in sorted(before, key=lambda state: state[:2]):
            world.states.tracks[name].add(stamped, poses)
        for name, poses in self.poses.items():
            world.states.tracks[name].add(self.t_ns, poses)
        for message in bag.messages('/regolith/cycle'):
            if message.content.t_ns > self.t_ns:
                break
            world.states.objects.add(message.content)
        ground = world.states.ground
        replay_terrain(bag, ground, self.t_ns)
        for name, moving in world.states.particles.items():
            for message in bag.messages(f'/{name}/{SURFEL_TOPIC}'):
                if stamp_ns(message.content) <= self.t_ns:
                    moving.add(*surfels_record(message.content))
        world.states.advance(self.t_ns)
        ground.changed = []
        self._world = world

    def picture(self, name: str, from_deg: float | None = None, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
        """Return an image of a vehicle from its side, in the scenario's light, shape (rows, columns, 3).

        Args:
            name: Name of the vehicle.
            from_deg: Direction of the camera from its forward axis to the left [deg]; None: selected by the sun.
            size: Width and height of the image [px].
        """
        return side_view(self._world, self.looks, self.poses, name, self.t_ns, self._seed, from_deg, size)


def replayed_ground(bag: Any, grid: SoilGrid) -> SoilGrid:
    """Return the ground at the end of a recording.

    Args:
        bag: Recording (:attr:`regolith_files.extension_points.Run.bag`).
        grid: Undisturbed ground of its scenario.
    """
    ground = TerrainHistory(grid)
    replay_terrain(bag, ground)
    ground.advance(ground.soil.until_ns)
    return ground.grid


def replay_terrain(bag: Any, ground: TerrainHistory, until_ns: float = math.inf) -> None:
    """Pass the recorded soil changes to a terrain history.

    Args:
        bag: Recording (:attr:`regolith_files.extension_points.Run.bag`).
        ground: Terrain history of the sensors.
        until_ns: Simulated time after which the replay stops [ns].
    """
    ground.soil = CommittedSoil(recorded=True)
    for message in bag.messages(COMMITTED_TOPIC):
        if message.content.t_ns > until_ns:
            break
        ground.soil.take(SoilCommit.of(message.content))
