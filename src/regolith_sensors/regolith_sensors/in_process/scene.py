# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scene that follows a simulation in this process, for camera images without ROS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraImage, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.sensors import ResolvedSensor, scenario_sensors
from regolith_sensors.in_process.camera_pose import camera_pose
from regolith_sensors.in_process.side_view import SIZE, side_view
from regolith_sensors.light import Spotlight
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.scene.world_view import WorldView
from regolith_terrain import TerrainParticipant
from regolith_terrain.updates import CommittedSoil
from regolith_vehicles.agent import VehicleAgent
from regolith_world import World
from regolith_world.cycle import ObjectVisual
from regolith_world.objects import object_visuals

Floats = NDArray[np.float64]


class InProcessScene:
    """Ground, vehicles and objects of a simulation as its cameras see them, at its present time.

    Dust and spotlights of the scenario are not drawn. Images are sharp: the camera rests during the exposure.

    Args:
        scenario: Resolved scenario.
        agents: Vehicles of the simulation by name.
        terrain: Terrain of the simulation. Its callback for committed soil is taken.
        world: World of the simulation.
    """

    def __init__(
        self,
        scenario: Any,
        agents: Mapping[str, VehicleAgent],
        terrain: TerrainParticipant,
        world: World,
    ) -> None:
        self._agents, self._terrain, self._world, self._seed = agents, terrain, world, scenario.seed
        self._looks = {name: agent.looks for name, agent in sorted(agents.items())}
        objects = object_visuals(scenario.objects, scenario.world.gravity_mps2)
        self._shown: frozenset[str] = frozenset()
        self._scene = SensorScene(scenario.terrain, scenario.light, scenario.seed, self._looks, objects=objects)
        self._sensors = {
            sensor.full_name: sensor for sensor in scenario_sensors(scenario) if isinstance(sensor.config, CameraConfig)
        }
        self._views: dict[str, WorldView] = {}
        self._cameras: dict[str, Camera] = {}
        self._t_ns = -1
        self._poses: dict[str, Floats] = {}
        soil = self._scene.states.ground.soil = CommittedSoil(recorded=True)
        terrain.on_committed = soil.take
        self._scene.states.ground.load(terrain.grid.all_records())

    def image_size(self, camera: str) -> tuple[int, int]:
        """Return height and width of a camera [px].

        Args:
            camera: Name of the camera as VEHICLE/SENSOR, or SENSOR where only one camera has the name.

        Raises:
            ValueError: If there is no such camera.
        """
        config = self._sensor(camera).config
        return config.height, config.width

    def _sensor(self, camera: str) -> ResolvedSensor:
        found = [s for name, s in self._sensors.items() if camera in (name, s.name)]
        if len(found) != 1:
            names = ', '.join(sorted(self._sensors)) or 'none'
            raise ValueError(f'camera = {camera!r}: is not one camera of the scenario; allowed: {names}')
        return found[0]

    def rewind(self, t_ns: int) -> None:
        """Take over the state after the simulation went to another time [ns]."""
        for track in self._scene.states.tracks.values():
            track.discard_after(t_ns - 1)
        self._scene.states.objects.discard_after(t_ns - 1)
        self._scene.states.ground.load(self._terrain.grid.all_records())
        self._t_ns = -1

    def update(self, t_ns: int) -> None:
        """Advance to the state of the simulation at its present time [ns]."""
        if t_ns == self._t_ns:
            return
        self._t_ns = t_ns
        for name, agent in self._agents.items():
            self._poses[name] = agent.vehicle.drawn_poses(agent.looks.bodies)
            self._scene.states.tracks[name].add(t_ns, self._poses[name])
        self._take_objects(t_ns)
        ground = self._scene.states.ground
        self._scene.states.advance(t_ns)
        changed, ground.changed = ground.changed, []
        for view in self._views.values():
            view.update_terrain(changed)

    def image(self, camera: str) -> NDArray[np.uint8]:
        """Return the image of a camera after :meth:`update`, shape (height, width, channels).

        The noise is that of frame number t / T at simulated time t and frame period T.

        Args:
            camera: Name of the camera; see :meth:`image_size`.

        Raises:
            ValueError: If there is no such camera.
        """
        sensor = self._sensor(camera)
        name = sensor.full_name
        if name not in self._cameras:
            self._cameras[name] = Camera(sensor.config, self._seed, name)
            self._views.setdefault(sensor.vehicle, self._scene.view(sensor.vehicle))
        view = self._views[sensor.vehicle]
        seen, _ = self._seen(self._cameras[name], view, camera_pose(sensor, view, self._t_ns), (), self._frame(sensor))
        shown, _ = display_image(seen.image, seen.encoding)
        return np.ascontiguousarray(shown.reshape(*shown.shape[:2], -1))

    def look(
        self,
        camera: str,
        config: CameraConfig,
        pose: tuple[Floats, Floats],
        lamps: Sequence[Spotlight],
        frame: int,
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return image and classes of a camera that is not part of the scenario, after :meth:`update`.

        Args:
            camera: Name as VEHICLE/CAMERA, with the vehicle that carries it.
            config: The camera.
            pose: Position of its body frame in the world [m], shape (3,), and quaternion (x, y, z, w).
            lamps: Spotlights that are on.
            frame: Number of the frame, which keys its noise.

        Returns:
            Image, shape (height, width, channels), and classes, shape (height, width).
        """
        if camera not in self._cameras:
            self._cameras[camera] = Camera(config, self._seed, camera)
        vehicle = camera.partition('/')[0]
        if vehicle not in self._views:
            self._views[vehicle] = self._scene.view(vehicle)
        seen, rendered = self._seen(self._cameras[camera], self._views[vehicle], CameraPose(*pose), lamps, frame)
        shown, _ = display_image(seen.image, seen.encoding)
        return np.ascontiguousarray(shown.reshape(*shown.shape[:2], -1)), np.ascontiguousarray(rendered.semantic)

    def _seen(
        self, device: Camera, view: WorldView, pose: CameraPose, lamps: Sequence[Spotlight], frame: int
    ) -> tuple[CameraImage, RenderedImage]:
        rays = view.prepare(self._t_ns)
        exposed = device.expose(rays, view.scene.origin, lambda _: pose, self._scene.sun_at(self._t_ns), lamps, frame)
        return device.process(exposed, frame), exposed

    def _take_objects(self, t_ns: int) -> None:
        """Take the poses of all objects, and what has become visible or has vanished."""
        world = self._world
        present = {visual.name: visual for visual in world.visuals.all}
        gone = [ObjectVisual(name) for name in sorted(self._shown - present.keys())]
        self._shown = frozenset(present)
        bodies = {}
        for item in (member for root in world.objects.values() for member in root.family()):
            if item.name in present:
                state = item.states.get_state(t_ns)
                bodies[item.name] = np.concatenate([state.position, state.orientation])
        self._scene.states.objects.take(t_ns, world.epoch, [*gone, *present.values()], bodies)

    def _frame(self, sensor: ResolvedSensor) -> int:
        return int(round(self._t_ns * 1e-9 * sensor.config.rate_hz))

    def side_view(self, vehicle: str, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
        """Return an image of a vehicle from its side after :meth:`update`, shape (rows, columns, 3).

        Args:
            vehicle: Name of the vehicle.
            size: Width and height of the image [px].
        """
        return side_view(self._scene, self._looks, self._poses, vehicle, self._t_ns, self._seed, size=size)
