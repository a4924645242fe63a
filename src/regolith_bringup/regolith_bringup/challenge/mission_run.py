# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run of one mission: the rover acts as its agent commands, until the mission ends; then the map is scored."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.challenge.agent_process import AgentError, AgentProcess
from regolith_bringup.challenge.autonomous_agent import LAMP_ABOVE_M, POSITIONS, RoverState, Transform
from regolith_bringup.challenge.devices import (
    AWAY_M,
    CAMERAS,
    EMPTY_WH,
    FULL_CHARGE_S,
    LAMP_W_SR,
    CameraRequest,
    antenna_gap,
    camera_configs,
    charges,
    check_cameras,
    device_power,
    imu_reading,
    orientation,
)
from regolith_bringup.challenge.geometric_map import true_map
from regolith_bringup.challenge.missions import (
    CELL_M,
    LANDER,
    MISSIONS,
    ROVER,
    SETTLE_S,
    TICK_S,
    mission_scenario,
)
from regolith_bringup.challenge.scores import RULES, Mission, map_errors, right_cells, score
from regolith_bringup.run.simulation import Simulation
from regolith_sensors import CameraConfig
from regolith_sensors.config import SpotlightConfig
from regolith_sensors.in_process import InProcessScene
from regolith_terrain.planning_maps import surface_from_above
from regolith_vehicles.commands import DriveCommand
from regolith_vehicles.powertrain import DRAWN, STORED
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

AREA_M = 19.5
"""Largest |x| or |y| of the rover [m]."""
SLOW_MPS, SLOW_S = 0.1, 300.0
"""A mission ends if the rover is slower for this time."""
MOST_SPEED_MPS, MOST_TURN_RADPS = 0.49, 4.13
"""Limits of commands."""


@dataclass
class MissionResult:
    """Result of a mission."""

    status: str
    """``finished: REASON`` or ``failed: REASON``."""
    duration_s: float
    """Duration with the time of charging [s]."""
    fiducials: bool
    frames: int
    distance_m: float
    consumed_wh: float
    wall_s: float
    state_hash: str
    found: Floats
    """Map of the agent, shape (cells, cells, 4)."""
    truth: Floats
    """True map."""
    ate_m: float | None
    """Absolute trajectory error of the agent's estimate [m]."""
    path: Floats
    """True positions at each second [m], shape (n, 3)."""


@dataclass
class _Log:
    """What is known since the start of the mission."""

    positions: deque[Floats] = field(default_factory=lambda: deque(maxlen=3))
    """Positions at the last three steps [m]."""
    turns: deque[Floats] = field(default_factory=lambda: deque(maxlen=3))
    """Rotation matrices at the last three steps."""
    path: list[Floats] = field(default_factory=list)
    """Positions at each second [m]."""
    squared_errors: float = 0.0
    """Sum of the squared errors of estimated positions [m2]."""
    estimates: int = 0
    """Number of estimated positions."""
    charging_s: float = 0.0
    device_wh: float = 0.0
    frames: int = 0
    distance_m: float = 0.0
    may_charge: bool = True
    slow_s: float = 0.0


class MissionRun:
    """One mission of an agent.

    Args:
        name: Name of the scenario.
        agent: Python file of the agent.
        preset: Number of the ground.
        seed: Seed of the mission.
        config: Value for the agent's method ``setup``.
        evaluation: Whether true poses and semantic images are hidden.
        user: User whose rights the agent's process has; empty: those of this process.
        settings: Further settings of the scenario, values in YAML.

    Raises:
        ValueError: If name or preset are unknown.
        regolith_files.InputError: If a setting is not valid.
    """

    def __init__(
        self,
        name: str,
        agent: Path,
        preset: int = 0,
        seed: int = 1,
        *,
        config: str = '',
        evaluation: bool = False,
        user: str = '',
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.scenario = mission_scenario(name, preset, seed, settings)
        self.name, self.preset, self.seed, self.config = name, preset, seed, config
        self.kind, self.evaluation = MISSIONS[name], evaluation
        self._file, self._user = agent, user

    def run(self, progress: Callable[[float, float], None] = lambda done, limit: None) -> MissionResult:
        """Run the mission and return its result.

        Args:
            progress: Called with the mission time and its limit [s] after each second.
        """
        began = time.monotonic()
        with AgentProcess(self._file, self.kind.cells, self._user) as agent:
            return _Mission(self, agent, began).run(progress)


class _Mission:
    """Simulation and agent of a mission."""

    def __init__(self, order: MissionRun, agent: AgentProcess, began: float) -> None:
        self.order, self.agent, self.kind, self._began = order, agent, order.kind, began
        self.scenario = order.scenario
        self.simulation = Simulation(order.scenario)
        self.simulation.run(SETTLE_S)
        self.log, self.state, self.fiducials = _Log(), RoverState(), False
        self._lights: dict[str, float] = {}
        self._active: dict[str, bool] = {}
        self._requested: dict[str, CameraRequest] = {}
        self.lander_z = float(self.scenario.objects[LANDER]['position'][2])
        self._full_j = 3600.0 * self._battery.energy_wh
        self._scene: InProcessScene | None = None
        self._cameras: dict[str, CameraConfig] = {}

    @property
    def _vehicle(self) -> Any:
        return self.simulation.agents[ROVER].vehicle

    @property
    def _battery(self) -> Any:
        return self._vehicle.config.battery

    @property
    def _t_s(self) -> float:
        """Time since the start of the mission, without charging [s]."""
        return self.simulation.world.t_ns * 1e-9 - SETTLE_S

    @property
    def _left_s(self) -> float:
        """Wall time that is left [s]."""
        return self.kind.wall_limit_s - (time.monotonic() - self._began)

    def run(self, progress: Callable[[float, float], None]) -> MissionResult:
        """Run to the end and return the result."""
        try:
            self._setup()
            status = self._steps(progress)
        except AgentError as error:
            status = f'failed: {error}'
        except KeyboardInterrupt:
            status = 'failed: interrupted'
        if not status.startswith('failed'):
            try:
                self._observe()
                self.agent.ask({'do': 'finalize', 'state': self.state}, self._left_s)
            except AgentError as error:
                status = f'failed: {error}'
        return self._result(status)

    def _setup(self) -> None:
        """Let the agent choose its cameras, and create them."""
        self._note_pose()
        self.log.path.append(self.log.positions[-1])
        self._observe()
        start = _transform(self.log.positions[-1], self.log.turns[-1])
        turn = self.log.turns[-1]
        to_lander = turn.T @ (np.array([0.0, 0.0, self.lander_z]) - self.log.positions[-1])
        response = self.agent.ask(
            {
                'do': 'setup',
                'config': self.order.config,
                'cell_m': CELL_M,
                'cameras': {name: mount.place for name, mount in CAMERAS.items()},
                'start': start,
                'lander': _transform(to_lander, turn.T),
                'state': self.state,
            },
            self._left_s,
        )
        try:
            requested = check_cameras(response.get('sensors'), self.kind.cameras, shown=not self.order.evaluation)
        except (ValueError, TypeError) as error:
            raise AgentError(str(error)) from error
        self.fiducials = response.get('fiducials') is True
        self._requested = requested
        self._active = {name: camera.active for name, camera in requested.items()}
        self._lights = {name: camera.light for name, camera in requested.items()}
        made = self.simulation
        self._scene = InProcessScene(self.scenario, made.agents, made.terrain, made.world)
        self._cameras = camera_configs({name: (camera.width, camera.height) for name, camera in requested.items()})

    def _steps(self, progress: Callable[[float, float], None]) -> str:
        """Step until the mission ends, and return its status."""
        limit, tick = self.kind.limit_s, 0
        while True:
            images = self._images(tick)
            self._observe()
            response = self.agent.ask({'do': 'step', 'state': self.state, 'images': images}, self._left_s)
            complete = self._apply(response)
            tick += 1
            self.simulation.run(SETTLE_S + tick * TICK_S)
            self._drain()
            self._note_pose()
            if tick % round(1.0 / TICK_S) == 0:
                self.log.path.append(self.log.positions[-1])
                progress(self._t_s + self.log.charging_s, limit)
            ended = 'the agent completed it' if complete else self._ended()
            if ended:
                return f'finished: {ended}'

    def _ended(self) -> str:
        """Return why the mission has ended, empty if it has not."""
        place = self.log.positions[-1]
        if self._t_s + self.log.charging_s >= self.kind.limit_s - 0.5 * TICK_S:
            return 'time limit'
        if self._left_s <= 0.0:
            return 'limit of wall time'
        if self.state_wh <= EMPTY_WH:
            return 'battery empty'
        if max(abs(place[0]), abs(place[1])) > AREA_M:
            return 'rover left the area'
        if self.log.slow_s >= SLOW_S - 0.5 * TICK_S:
            return f'rover was slower than {SLOW_MPS:g} m/s for {SLOW_S:g} s'
        return ''

    @property
    def state_wh(self) -> float:
        """Energy in the battery [Wh]."""
        return float(self._vehicle.gear.charge[STORED]) / 3600.0

    def _drain(self) -> None:
        """Draw the energy of cameras and lamps, and charge at the lander."""
        charge, log = self._vehicle.gear.charge, self.log
        used = device_power(self._active, self._lights) * TICK_S
        charge[STORED] = max(0.0, charge[STORED] - used)
        log.device_wh += used / 3600.0
        base = self._vehicle.body_state()
        place, turn = base.position, rotation.matrix(base.orientation)
        if charges(place, turn):
            if log.may_charge:
                log.charging_s += FULL_CHARGE_S * (1.0 - charge[STORED] / self._full_j)
                charge[STORED] = self._full_j
                log.may_charge = False
        elif math.hypot(*antenna_gap(place, turn).tolist()) > AWAY_M:
            log.may_charge = True

    def _note_pose(self) -> None:
        """Append the true pose, and count distance and time at rest."""
        base, log = self._vehicle.body_state(), self.log
        log.positions.append(base.position.copy())
        log.turns.append(rotation.matrix(base.orientation))
        if len(log.positions) > 1:
            step = float(np.linalg.norm(log.positions[-1] - log.positions[-2]))
            log.distance_m += step
            log.slow_s = log.slow_s + TICK_S if step < SLOW_MPS * TICK_S else 0.0

    def _observe(self) -> None:
        """Fill the state of the rover that the agent may know."""
        log, seen = self.log, self.simulation.observe(ROVER)
        # Before the start the rover was at rest.
        before = 3 - len(log.positions)
        last, turns = ([each[0]] * before + list(each) for each in (log.positions, log.turns))
        gravity = self.scenario.world.gravity_mps2
        drawn = float(self._vehicle.gear.charge[DRAWN]) / 3600.0
        joints = dict(zip(seen.joint_names, seen.joint_positions.tolist(), strict=True))
        speeds = dict(zip(seen.joint_names, seen.joint_velocities.tolist(), strict=True))
        wheels = seen.odometry
        self.state = RoverState(
            mission_time_s=self._t_s + log.charging_s,
            energy_wh=self.state_wh,
            consumed_wh=drawn + log.device_wh,
            imu=imu_reading(np.array(last), np.array(turns), TICK_S, gravity),
            linear_mps=0.0 if wheels is None else wheels.linear_x,
            angular_radps=0.0 if wheels is None else wheels.angular,
            joints={
                **{name: joints[name] for name in ('arm_front', 'arm_rear')},
                **{name: speeds[name] for name in ('drum_front', 'drum_rear')},
            },
            transform=None if self.order.evaluation else _transform(log.positions[-1], log.turns[-1]),
        )

    def _images(self, tick: int) -> dict[str, dict[str, Any]]:
        """Return the images of a step; None at steps without."""
        names = [name for name in POSITIONS if self._active.get(name)]
        semantic = [name for name in names if self._requested[name].semantic]
        if tick % self.kind.frame_ticks or not names:
            return {'Grayscale': dict.fromkeys(names), 'Semantic': dict.fromkeys(semantic)}
        assert self._scene is not None
        self._scene.update(self.simulation.world.t_ns)
        lamps, frame = self._lamps(), tick // self.kind.frame_ticks
        gray, classes = {}, {}
        for name in names:
            camera, pose = f'{ROVER}/{name}', self._camera_pose(name)
            image, seen = self._scene.look(camera, self._cameras[name], pose, lamps, frame)
            gray[name] = image[:, :, 0]
            if name in semantic:
                classes[name] = seen
        self.log.frames += len(names)
        return {'Grayscale': gray, 'Semantic': classes}

    def _camera_pose(self, name: str) -> tuple[Floats, Floats]:
        """Return position and quaternion of a camera in the world."""
        mount = CAMERAS[name]
        data = self._vehicle.data
        body = self._vehicle.body.model.body(mount.arm).id if mount.arm else self._vehicle.body.base
        turn = data.xmat[body].reshape(3, 3)
        place = np.array([mount.place.x, mount.place.y, mount.place.z])
        quaternion = rotation.product(rotation.from_matrix(turn), orientation(mount.place))
        return data.xpos[body] + turn @ place, quaternion

    def _lamps(self) -> tuple[Any, ...]:
        """Return the lamps that are on, each above its camera."""
        found = []
        for name in POSITIONS:
            light = LAMP_W_SR * self._lights.get(name, 0.0)
            if light > 0.0:
                lamp = SpotlightConfig.model_validate(
                    {
                        'mount': {'xyz': [0.0, 0.0, LAMP_ABOVE_M]},
                        'intensity_w_sr': [light, light, light],
                        'inner_angle_deg': 30.0,
                        'outer_angle_deg': 45.0,
                    }
                )
                found.append(lamp.spotlight(*self._camera_pose(name)))
        return tuple(found)

    def _apply(self, response: Mapping[str, Any]) -> bool:
        """Apply the command of the agent, and return whether it completes the mission.

        Raises:
            AgentError: If a value is not valid.
        """
        try:
            linear, angular = float(response['linear']), float(response['angular'])
            joints = {str(name): float(value) for name, value in response['joints'].items()}
            cameras = {str(name): value is True for name, value in response['cameras'].items()}
            lights = {str(name): float(value) for name, value in response['lights'].items()}
            complete = response['complete'] is True
            pose = response['pose']
            estimate = None if pose is None else np.array([float(pose[axis]) for axis in 'xyz'])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise AgentError(f'the command of a step is not valid: {error!r}') from error
        numbers = [linear, angular, *joints.values(), *lights.values(), *([] if estimate is None else estimate)]
        if not np.isfinite(numbers).all():
            raise AgentError('the command of a step has numbers that are not finite; allowed: finite ones')
        unknown = (set(cameras) | set(lights)) - set(self._active)
        if unknown:
            raise AgentError(f'camera {min(unknown)!r} is not one of sensors(); allowed: {", ".join(self._active)}')
        self._active.update(cameras)
        if sum(self._active.values()) > self.kind.cameras:
            raise AgentError(f'{sum(self._active.values())} cameras are active; allowed: up to {self.kind.cameras}')
        self._lights.update({name: min(max(value, 0.0), 1.0) for name, value in lights.items()})
        if estimate is not None:
            self.log.squared_errors += float(np.sum((estimate - self.log.positions[-1]) ** 2))
            self.log.estimates += 1
        limits = self._vehicle.config.joints
        joints = {n: min(max(v, limits[n].limits[0]), limits[n].limits[1]) for n, v in joints.items() if n in limits}
        linear = min(max(linear, -MOST_SPEED_MPS), MOST_SPEED_MPS)
        angular = min(max(angular, -MOST_TURN_RADPS), MOST_TURN_RADPS)
        self.simulation.act(ROVER, DriveCommand(linear, angular, joints))
        return complete

    def _result(self, status: str) -> MissionResult:
        """Return the result, with the map as it stands."""
        log = self.log
        duration = self._t_s + log.charging_s
        if status == 'finished: time limit':
            duration = self.kind.limit_s
        drawn = float(self._vehicle.gear.charge[DRAWN]) / 3600.0
        surface = partial(surface_from_above, self.simulation.terrain.grid, self.simulation.vehicles.solids)
        return MissionResult(
            status=status,
            duration_s=round(duration, 6),
            fiducials=self.fiducials,
            frames=log.frames,
            distance_m=log.distance_m,
            consumed_wh=drawn + log.device_wh,
            wall_s=time.monotonic() - self._began,
            state_hash=self.simulation.world.state_hash,
            found=self.agent.map_array,
            truth=true_map(self.kind.cells, CELL_M, surface).get_map_array(),
            ate_m=math.sqrt(log.squared_errors / log.estimates) if log.estimates else None,
            path=np.array(log.path).reshape(-1, 3),
        )


def _transform(place: Floats, turn: Floats) -> Transform:
    """Return a pose from position and rotation matrix."""
    x, y, z = (float(value) for value in place)
    return Transform(x, y, z, *rotation.to_rpy(turn))


def score_file(order: MissionRun, result: MissionResult) -> dict[str, Any]:
    """Return the content of ``score.json``."""
    mission = Mission(result.duration_s, order.kind.limit_s, result.fiducials, result.ate_m)
    rated: dict[str, Any] = {}
    for rules in RULES:
        try:
            rated[rules] = score(rules, result.found, result.truth, mission).rounded()
        except ValueError as error:
            rated[rules] = {'refused': str(error), 'total': 0.0}
    cells = int(np.count_nonzero(right_cells(result.found, result.truth)))
    return {
        'scenario': order.name,
        'preset': order.preset,
        'seed': order.seed,
        'evaluation': order.evaluation,
        'status': result.status,
        'rules': rated,
        'map': map_errors(result.found, result.truth),
        'duration_s': result.duration_s,
        'distance_m': round(result.distance_m, 3),
        'consumed_wh': round(result.consumed_wh, 4),
        'ate_m': result.ate_m,
        'right_cells': cells,
        'wh_per_right_cell': result.consumed_wh / cells if cells else None,
        'm_per_right_cell': result.distance_m / cells if cells else None,
        'frames': result.frames,
        'wall_s': round(result.wall_s, 1),
        'state_hash': result.state_hash,
    }
