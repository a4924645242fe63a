# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A run folder made up for tests: two vehicles on flat ground, one rut each, everything known in closed form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from regolith_bringup.bag.message_definitions import schema_text
from regolith_bringup.bag.recorder import BagWriter, qos_profile
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_world.cycle.records import TERRAIN_ROLES, VEHICLE_ROLES

SOURCES = Path(__file__).resolve().parents[2]
SPEED = 0.3
HEARTBEAT_NS = 20_000_000
RUT_M = 0.03
NODES_PER_CYCLE = 10
DISCARDED_CYCLE = 7
"""The first attempt at this cycle is discarded; its soil change must not count."""


def offer_interfaces(prefix: Path) -> str:
    """Lay out the sources of our interfaces as an ament prefix; return the value for AMENT_PREFIX_PATH."""
    share = prefix / 'share'
    share.mkdir(parents=True)
    (share / 'regolith_msgs').symlink_to(SOURCES / 'regolith_msgs')
    return str(prefix)


class Types:
    """Message types by name, with constructors that fill in what is left out."""

    def __init__(self) -> None:
        self.store = get_typestore(Stores.ROS2_JAZZY)

    def _type(self, name: str) -> Any:
        if name not in self.store.types:
            found = get_types_from_msg(schema_text(name), name)
            self.store.register({n: fields for n, fields in found.items() if n not in self.store.types})
        return self.store.types[name]

    def make(self, type_name: str, /, **fields: Any) -> Any:
        kind = self._type(type_name)
        known = self.store.get_msgdef(type_name).fields
        values = {n: fields.pop(n) if n in fields else self._zero(spec) for n, spec in known}
        assert not fields, f'{type_name} has no field {sorted(fields)}'
        return kind(**values)

    def _zero(self, spec: Any) -> Any:
        code, detail = spec
        if code == 1:
            return '' if detail[0] == 'string' else False if detail[0] == 'bool' else 0
        if code == 2:
            return self.make(detail)
        inner, length = detail
        if inner[0] == 1 and inner[1][0] != 'string':
            return np.zeros(length if code == 3 else 0, dtype=inner[1][0])
        return []

    def cdr(self, message: Any) -> bytes:
        return bytes(self.store.serialize_cdr(message, message.__msgtype__))


def make_run(folder: Path, cycles: int = 60, *, close: bool = True, previews: int = 0, bands: bool = False) -> Path:
    """Write a run of two vehicles that drive along y = 0 (amber) and y = 1 (basalt) at 0.3 m/s for some cycles.

    Args:
        bands: Whether basalt publishes slip and tension of two bands, and has no wheels.
        previews: with some, amber has a camera that left so many, and a lidar of which nothing was recorded
    """
    folder.mkdir(parents=True, exist_ok=True)
    sensors = ['vehicles.amber.sensors={eye: {model: navcam}, lidar: {model: vlp16}}'] if previews else []
    scenario = load_scenario('two_rovers', ['terrain.source=flat', *sensors]).scenario
    write_resolved(scenario, folder / 'scenario.yaml')
    types = Types()
    bag = BagWriter(folder / 'bag')
    wall_start = 1_700_000_000_000_000_000
    vehicles = {'amber': 0.0, 'basalt': 1.0}

    def add(topic: str, message: Any, t_ns: int, wall_ns: int) -> None:
        channel = bag.add_topic(topic, message.__msgtype__, [qos_profile()])
        bag.write(channel, types.cdr(message), t_ns, wall_start + wall_ns)

    def key(cycle: int, attempt: int) -> Any:
        return types.make('regolith_msgs/msg/CycleKey', epoch=1, cycle=cycle, attempt=attempt)

    def stamp(t_ns: int) -> Any:
        when = types.make('builtin_interfaces/msg/Time', sec=t_ns // 10**9, nanosec=t_ns % 10**9)
        return types.make('std_msgs/msg/Header', stamp=when, frame_id='world')

    def nodes(cycle: int, y: float, depth: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = cycle * NODES_PER_CYCLE + np.arange(NODES_PER_CYCLE)
        return x, np.full(NODES_PER_CYCLE, round(y / 0.02)), np.full(NODES_PER_CYCLE, -depth)

    verdict, tentative = 0, None
    for cycle in range(cycles + 1):
        t_ns, wall_ns = cycle * HEARTBEAT_NS, cycle * HEARTBEAT_NS // 4
        attempts = 2 if cycle == DISCARDED_CYCLE else 1
        for attempt in range(attempts):
            last = cycle == cycles
            message = types.make(
                'regolith_msgs/msg/Cycle',
                key=key(cycle, attempt),
                t_ns=t_ns,
                dt_ns=0 if last else HEARTBEAT_NS,
                verdict=verdict,
                command=2 if last else 0,
                participants=['amber', 'basalt', 'terrain'],
                roles=np.array([VEHICLE_ROLES.code(), VEHICLE_ROLES.code(), TERRAIN_ROLES.code()], dtype=np.uint8),
            )
            add('/regolith/cycle', message, t_ns, wall_ns + attempt * 1_000_000)
            if verdict == 1:
                tentative.t_ns = t_ns
                add('/regolith/terrain/committed', tentative, t_ns, wall_ns + 1)
            if last:
                break
            discarded = attempts == 2 and attempt == 0
            # A discarded attempt digs ten times as deep, which must be seen nowhere.
            parts = [nodes(cycle, y, RUT_M * (10.0 if discarded else 1.0)) for y in vehicles.values()]
            x, y, level = (np.concatenate(p) for p in zip(*parts, strict=True))
            soil = types.make(
                'regolith_msgs/msg/SoilNodes',
                x=x.astype(np.int32),
                y=y.astype(np.int32),
                fields=['level_initial', 'level', 'mass_kgpm2'],
                values=np.concatenate((np.zeros(len(x)), level, np.zeros(len(x)))),
            )
            tentative = types.make(
                'regolith_msgs/msg/TerrainCommitted',
                key=key(cycle, attempt),
                soil_seq=cycle + 1,
                nodes=soil,
                soil_hash='00',
            )
            verdict = 2 if discarded else 1
        clock = types.make('builtin_interfaces/msg/Time', sec=t_ns // 10**9, nanosec=t_ns % 10**9)
        add('/clock', types.make('rosgraph_msgs/msg/Clock', clock=clock), t_ns, wall_ns + 2)
        for name, y_m in vehicles.items():
            _add_vehicle(types, add, name, y_m, cycle, t_ns, wall_ns, stamp(t_ns), not (bands and name == 'basalt'))
        if bands:
            _add_bands(types, add, cycle, t_ns, wall_ns, stamp(t_ns))
    for n in range(previews):
        shown = np.full((24, 32), 40 * n, np.uint8)
        message = types.make(
            'sensor_msgs/msg/CompressedImage',
            header=stamp(n * 10**8),
            format='mono8; jpeg compressed ',
            data=np.asarray(cv2.imencode('.jpg', shown)[1]),
        )
        add('/amber/eye/preview', message, n * 10**8, n)
    if close:
        bag.close()
    else:
        bag.flush()
    simulated = cycles * HEARTBEAT_NS * 1e-9
    distance = simulated * SPEED
    reports = {
        name: json.dumps(
            {
                'distance_m': distance,
                'mean_slip': 0.1,
                'max_sinkage_m': RUT_M,
                'final_pose': {'position': [distance, y, 0.0], 'orientation': [0.0, 0.0, 0.0, 1.0]},
            }
        )
        for name, y in vehicles.items()
    }
    reports['terrain'] = json.dumps(
        {'modified_nodes': 2 * cycles * NODES_PER_CYCLE, 'max_rut_depth_m': RUT_M, 'conflicts': cycles}
    )
    world = {
        'scenario': 'two_rovers',
        'simulated_s': simulated,
        'wall_s': simulated / 4,
        'real_time_factor': 4.0,
        'cycles': cycles,
        'discarded_cycles': 1,
        'forced_cycles': 0,
        'state_hash': 'ab' * 32,
        'processes': 'many',
        'participant_summaries': reports,
    }
    (folder / 'world_summary.json').write_text(json.dumps(world))
    (folder / 'recorder.json').write_text(json.dumps({'messages': sum(bag.counts.values()), 'lost': 0, 'topics': {}}))
    return folder


def _add_vehicle(
    types: Types, add: Any, name: str, y_m: float, cycle: int, t_ns: int, wall_ns: int, header: Any, rolls: bool
) -> None:
    where = types.make('geometry_msgs/msg/Point', x=SPEED * t_ns * 1e-9, y=y_m, z=0.0)
    upright = types.make('geometry_msgs/msg/Quaternion', w=1.0)
    pose = types.make('geometry_msgs/msg/Pose', position=where, orientation=upright)
    twist = types.make('geometry_msgs/msg/Twist', linear=types.make('geometry_msgs/msg/Vector3', x=SPEED))
    odometry = types.make(
        'nav_msgs/msg/Odometry',
        header=header,
        child_frame_id=f'{name}/base_link',
        pose=types.make('geometry_msgs/msg/PoseWithCovariance', pose=pose),
        twist=types.make('geometry_msgs/msg/TwistWithCovariance', twist=twist),
    )
    add(f'/{name}/ground_truth/odom', odometry, t_ns, wall_ns + 3)
    wheels = [
        types.make(
            'regolith_msgs/msg/WheelState',
            name=wheel,
            angular_velocity=1.2,
            slip_ratio=0.1 + 0.02 * np.sin(0.3 * cycle + k),
            sinkage_total=RUT_M,
            sinkage_incremental=RUT_M * (1.0 if k < 2 else 0.3),
            normal_load=176.0,
        )
        for k, wheel in enumerate(('front_left', 'front_right', 'rear_left', 'rear_right') if rolls else ())
    ]
    add(
        f'/{name}/wheel_states',
        types.make('regolith_msgs/msg/WheelStates', header=header, wheels=wheels),
        t_ns,
        wall_ns + 4,
    )


def _add_bands(types: Types, add: Any, cycle: int, t_ns: int, wall_ns: int, header: Any) -> None:
    quantities = [
        types.make(
            'regolith_msgs/msg/RunningGearQuantity', name=name, unit=unit, parts=['left', 'right'], values=values
        )
        for name, unit, values in (
            ('slip ratio', '', np.array([0.05, 0.001 * cycle])),
            ('band tension', 'N', np.array([9000.0, 8000.0])),
        )
    ]
    message = types.make('regolith_msgs/msg/RunningGearState', header=header, name='basalt', quantities=quantities)
    add('/basalt/running_gear_state', message, t_ns, wall_ns + 5)
