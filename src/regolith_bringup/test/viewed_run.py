# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A run folder made up for tests of the view: one vehicle that drives and digs, with an image and a cloud."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from synthetic_run import Types

from regolith_bringup.bag.recorder import BagWriter, qos_profile
from regolith_bringup.scenario.loading import load_scenario, write_resolved

CYCLES = 100
HEARTBEAT_NS = 20_000_000
SPEED = 0.5
RADIUS_M, RUT_M = 0.25, 0.03
NODES_PER_CYCLE = 2
IMAGES, CLOUD_POINTS = 4, 5
MOUNT_M = 1.5
"""Height of the frame of image and cloud over the base [m]."""


def make_viewed_run(folder: Path, branch: bool = False) -> Path:
    """Write a run of two seconds at 50 Hz; with a branch, one that went back to its middle.

    Rocks are left out; the ground is flat.
    """
    folder.mkdir(parents=True)
    scenario = load_scenario('two_rovers', ['terrain.source=flat', 'terrain.map_size_m=30']).scenario
    scenario = scenario.model_copy(update={'vehicles': {'amber': scenario.vehicles['amber']}})
    write_resolved(scenario, folder / 'scenario.yaml')
    (folder / 'world_summary.json').write_text(json.dumps({'simulated_s': CYCLES * HEARTBEAT_NS * 1e-9, 'reports': {}}))
    _write_bag(folder / 'bag', range(CYCLES + 1), 1, -RUT_M)
    if branch:
        _write_bag(folder / 'bag_1', range(CYCLES // 2, CYCLES + 1), 2, -0.5 * RUT_M)
    return folder


def _write_bag(folder: Path, cycles: range, epoch: int, level: float) -> None:
    types, bag = Types(), BagWriter(folder)
    make = types.make

    def add(topic: str, message: Any, t_ns: int, latched: bool = False) -> None:
        channel = bag.add_topic(topic, message.__msgtype__, [qos_profile(latched=latched)])
        bag.write(channel, types.cdr(message), t_ns, t_ns)

    def stamp(t_ns: int) -> Any:
        return make('builtin_interfaces/msg/Time', sec=t_ns // 10**9, nanosec=t_ns % 10**9)

    def header(t_ns: int, frame: str) -> Any:
        return make('std_msgs/msg/Header', stamp=stamp(t_ns), frame_id=frame)

    def pose(x: float, y: float, z: float, turn: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)) -> Any:
        qx, qy, qz, qw = turn
        return make(
            'geometry_msgs/msg/Pose',
            position=make('geometry_msgs/msg/Point', x=x, y=y, z=z),
            orientation=make('geometry_msgs/msg/Quaternion', x=qx, y=qy, z=qz, w=qw),
        )

    first_ns = cycles[0] * HEARTBEAT_NS
    add('/amber/visual_description', _looks(make, header, pose), first_ns, latched=True)
    add('/tf_static', _mount(make, header), first_ns, latched=True)
    for cycle in cycles:
        t_ns = cycle * HEARTBEAT_NS
        key = make('regolith_msgs/msg/CycleKey', epoch=epoch, cycle=cycle, attempt=0)
        last = cycle == cycles[-1]
        add(
            '/regolith/cycle',
            make(
                'regolith_msgs/msg/Cycle',
                key=key,
                t_ns=t_ns,
                dt_ns=0 if last else HEARTBEAT_NS,
                verdict=int(cycle > cycles[0]),
                command=2 if last else 0,
                participants=['amber', 'terrain'],
            ),
            t_ns,
        )
        x = SPEED * t_ns * 1e-9
        if not last:
            i = round(x / 0.02) + np.arange(NODES_PER_CYCLE)
            values = np.concatenate((np.zeros(len(i)), np.full(len(i), level), np.zeros(len(i))))
            nodes = make(
                'regolith_msgs/msg/SoilNodes',
                x=i.astype(np.int32),
                y=np.zeros(len(i), np.int32),
                fields=['level_initial', 'level', 'mass_kgpm2'],
                values=values,
            )
            end_ns = t_ns + HEARTBEAT_NS
            commit = make('regolith_msgs/msg/TerrainCommitted', key=key, t_ns=end_ns, soil_seq=cycle + 1, nodes=nodes)
            add('/regolith/terrain/committed', commit, t_ns)
        half = 0.5 * x / RADIUS_M
        poses = [pose(x, 0.0, 0.6), pose(x, 0.4, RADIUS_M - RUT_M, (0.0, np.sin(half), 0.0, np.cos(half)))]
        add(
            '/amber/part_poses',
            make(
                'regolith_msgs/msg/PartPoses',
                header=header(t_ns, 'world'),
                name='amber',
                epoch=epoch,
                poses=poses,
            ),
            t_ns,
        )
        wheel = make('regolith_msgs/msg/WheelState', name='left', slip_ratio=0.001 * cycle, sinkage_total=RUT_M)
        add(
            '/amber/wheel_states',
            make(
                'regolith_msgs/msg/WheelStates',
                header=header(t_ns, 'world'),
                wheels=[wheel],
            ),
            t_ns,
        )
        add('/clock', make('rosgraph_msgs/msg/Clock', clock=stamp(t_ns)), t_ns)
        if cycle % (CYCLES // IMAGES) == 0 and not last:
            shown = np.full((24, 32), 40 + cycle, np.uint8)
            image = make(
                'sensor_msgs/msg/Image',
                header=header(t_ns, 'amber/eye'),
                height=24,
                width=32,
                encoding='mono8',
                step=32,
                data=shown.ravel(),
            )
            add('/amber/eye/image_raw', image, t_ns)
    add('/amber/eye/points', _cloud(make, header, first_ns), first_ns)
    bag.close()


def _looks(make: Any, header: Any, pose: Any) -> Any:
    paint = make('regolith_msgs/msg/VisualMaterial', name='white', color=np.array([0.5, 0.5, 0.5]))
    base = make(
        'regolith_msgs/msg/VisualPart',
        name='base_link',
        moving=True,
        frame_id='base_link',
        pose=pose(0.0, 0.0, 0.6),
        shape='box',
        size=np.array([0.5, 0.3, 0.1]),
        material='white',
    )
    lying = (0.5**0.5, 0.0, 0.0, 0.5**0.5)
    wheel = make(
        'regolith_msgs/msg/VisualPart',
        name='left',
        parent='base_link',
        role=1,
        moving=True,
        frame_id='left_link',
        pose=pose(0.0, 0.4, -0.35),
    )
    rim = make(
        'regolith_msgs/msg/VisualPart',
        name='rim',
        parent='left',
        pose=pose(0.0, 0.0, 0.0, lying),
        shape='cylinder',
        size=np.array([RADIUS_M, 0.1]),
        material='white',
    )
    return make(
        'regolith_msgs/msg/VisualDescription',
        header=header(0, 'amber/base_link'),
        name='amber',
        family='wheeled',
        mass=100.0,
        parts=[base, wheel, rim],
        materials=[paint],
    )


def _mount(make: Any, header: Any) -> Any:
    shift = make('geometry_msgs/msg/Vector3', z=MOUNT_M)
    turn = make('geometry_msgs/msg/Quaternion', w=1.0)
    transform = make('geometry_msgs/msg/Transform', translation=shift, rotation=turn)
    fixed = make(
        'geometry_msgs/msg/TransformStamped',
        header=header(0, 'amber/base_link'),
        child_frame_id='amber/eye',
        transform=transform,
    )
    return make('tf2_msgs/msg/TFMessage', transforms=[fixed])


def _cloud(make: Any, header: Any, t_ns: int) -> Any:
    points = np.zeros((CLOUD_POINTS, 4), '<f4')
    points[:, 0] = 1.0 + np.arange(CLOUD_POINTS)
    points[-1, 0] = np.nan  # a beam that met nothing
    fields = [
        make('sensor_msgs/msg/PointField', name=name, offset=4 * k, datatype=7, count=1)
        for k, name in enumerate(('x', 'y', 'z', 'range'))
    ]
    return make(
        'sensor_msgs/msg/PointCloud2',
        header=header(t_ns, 'amber/eye'),
        height=1,
        width=CLOUD_POINTS,
        fields=fields,
        point_step=16,
        row_step=16 * CLOUD_POINTS,
        data=points.view(np.uint8).ravel(),
    )
