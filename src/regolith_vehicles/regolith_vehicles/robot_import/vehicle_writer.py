# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle file of a robot, and the snippet of its sensors for a scenario."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import load_plugins
from regolith_vehicles.robot_import.mjcf_writer import MESHES, MjcfWriter
from regolith_vehicles.robot_import.motors import Motor
from regolith_vehicles.robot_import.robot import Pose, Robot, Shape
from regolith_vehicles.robot_import.shapes import hull, obj_file, points
from regolith_vehicles.robot_import.wheels import Wheel
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]

_ELASTIC, _DAMPING = 4.0e8, 3.0e4
"""Largest elastic stiffness [Pa/m] and damping [Pa s/m] of the shipped soils, which limit the substep."""
_SUBSTEPS_S = (1e-3, 8e-4, 5e-4, 4e-4, 2.5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)
_SMALLEST_PART_M = 0.01
"""Length below which a part of the hull is left out of ground_shapes, such as the box of an IMU [m]."""
IMPORTED_SENSORS = 'regolith.imported_sensors'
"""Entry point group: name -> function from the element ``sensor`` of SDF to the content or name of a sensor file; None
for types that it does not know."""


def substep(mass: float, wheels: Sequence[Wheel], hull_parts: Sequence[Mapping[str, Any]]) -> float:
    """Return a substep that is stable on all shipped soils [s], see ``check_substep``.

    Args:
        mass: Mass of the robot [kg].
        wheels: Wheels of the robot.
        hull_parts: Entries of ``ground_shapes`` with their largest face under ``area`` [m^2].
    """
    treads = math.fsum(math.sqrt(3.0) * w.tread.radius * w.tread.width for w in wheels if w.driven)
    area = max([treads, *(part['area'] for part in hull_parts)])
    limit = min(math.sqrt(mass / (_ELASTIC * area)), 0.5 * mass / (_DAMPING * area))
    return next((step for step in _SUBSTEPS_S if step <= limit), _SUBSTEPS_S[-1])


def ground_shapes(robot: Robot, wheels: Sequence[Wheel]) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Return the entries of ``ground_shapes`` for all collision shapes except driven wheels, and their mesh files.

    Boxes and cylinders stay as they are; other shapes become convex hulls. Each entry has its largest face under
    ``area`` [m^2], which is not a key of the vehicle file.
    """
    driven = {link.name for wheel in wheels if wheel.driven for link, _ in robot.rigid_group(wheel.link.name)}
    found: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    for link in robot.below(robot.chassis):
        for k, shape in enumerate(() if link.name in driven else link.collisions):
            cloud = points(shape)
            if np.ptp(cloud, axis=0).max() < _SMALLEST_PART_M:
                continue
            entry: dict[str, Any] = {'name': link.name if k == 0 else f'{link.name}_{k}'}
            if shape.kind in ('box', 'cylinder'):
                half = [0.5 * x for x in shape.size] if shape.kind == 'box' else [shape.size[0], 0.5 * shape.size[1]]
                x, y, z = [*half, half[0]][:3]
                faces = (x * y, y * z, x * z) if shape.kind == 'box' else (half[0] * half[1], math.pi / 4 * x * x)
                entry |= {'kind': shape.kind, 'size': half, 'body': link.name, **_pose(shape.pose)}
                found.append(entry | {'area': 4.0 * max(faces)})
                continue
            try:
                corners, sides = hull(cloud)
            except ValueError:
                robot.notes.append(f'{shape.at.where}: {shape.at.title}: is flat and has no contact with the ground')
                continue
            content = obj_file(corners, sides)
            name = f'hull_{hashlib.sha256(content).hexdigest()[:8]}.obj'
            files[name] = content
            span = np.sort(np.ptp(corners, axis=0))
            found.append(entry | {'mesh': f'{MESHES}/{name}', 'body': link.name, 'area': float(span[1] * span[2])})
    return found, files


def collision_shapes(robot: Robot, wheels: Sequence[Wheel]) -> list[dict[str, Any]]:
    """Return the entries of ``collision.shapes``: those of the chassis, and one box around its driven wheels.

    Meshes and capsules of the chassis become the box around them, in the chassis's axes.
    """
    entries = []
    for link, pose in robot.rigid_group(robot.chassis):
        entries += [_collision(shape, pose) for shape in link.collisions or link.visuals]
    driven = [wheel for wheel in wheels if wheel.driven]
    reach = np.array([[w.tread.radius, 0.5 * w.tread.width, w.tread.radius] for w in driven])
    places = np.array([wheel.place for wheel in driven])
    low, high = (places - reach).min(axis=0), (places + reach).max(axis=0)
    low[2] += 0.6 * float(reach[:, 2].min())  # grazing rims would define no direction in which an impact separates them
    return [*entries, _box(low, high)]


def _collision(shape: Shape, pose: Pose) -> dict[str, Any]:
    place = pose.of(shape.pose)
    if shape.kind == 'box':
        return {'kind': 'box', 'size': [0.5 * x for x in shape.size], **_pose(place)}
    if shape.kind == 'cylinder':
        return {'kind': 'cylinder', 'size': [shape.size[0], 0.5 * shape.size[1]], **_pose(place)}
    if shape.kind == 'sphere':
        return {'kind': 'sphere', 'size': [shape.size[0]], **_pose(place)}
    cloud = portable_math.times(points(shape), pose.matrix.T) + pose.position
    return _box(cloud.min(axis=0), cloud.max(axis=0))


def _box(low: Vector, high: Vector) -> dict[str, Any]:
    half = np.maximum(0.5 * (high - low), 1e-3)
    return {'kind': 'box', 'size': half.tolist(), 'position': (0.5 * (low + high)).tolist()}


def _pose(pose: Pose) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if pose.position.any():
        entry['position'] = pose.position.tolist()
    if pose.orientation[:3].any():
        entry['orientation'] = pose.orientation.tolist()
    return entry


def vehicle_file(
    robot: Robot,
    wheels: Sequence[Wheel],
    motors: Mapping[str, Motor],
    writer: MjcfWriter,
    mjcf: str,
    substep_s: float,
    hull_parts: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the content of the vehicle file.

    Args:
        robot: Robot with its chassis.
        wheels: Wheels of the robot.
        motors: Motors by joint.
        writer: Writer of the MJCF file, for the names of bodies.
        mjcf: Name of the MJCF file.
        substep_s: Substep [s].
        hull_parts: Result of :func:`ground_shapes`.
    """
    driven = [wheel for wheel in wheels if wheel.driven]
    top_speed = min(motors[wheel.joint.name].speed for wheel in driven)
    content: dict[str, Any] = {
        'description': f'{robot.name}, imported from {robot.file.name}',
        'mjcf': mjcf,
        'substep_s': substep_s,
        'chassis': robot.chassis,
        'wheels': [_wheel(wheel, writer) for wheel in driven],
        'drive': {
            'max_wheel_speed_radps': min(top_speed, 1000.0),
            'max_wheel_acceleration_radps2': min(2.0 * top_speed, 1e5),
            'integral_time_s': 0.1,
        },
    }
    steering = [wheel.steer for wheel in driven if wheel.steer is not None]
    if steering:
        angles = [min(-joint.limits[0], joint.limits[1]) for joint in steering if joint.limits is not None]
        rate = min(motors[joint.name].speed for joint in steering)
        content['steering'] = {
            'max_angle_deg': min(math.degrees(min(angles, default=math.radians(30.0))), 89.0),
            'max_rate_degps': min(math.degrees(rate), 1000.0),
        }
    joints = {
        name: _commanded(robot, motor) for name, motor in motors.items() if motor.role in ('position', 'velocity')
    }
    if joints:
        content['joints'] = joints
    content['collision'] = {'shapes': collision_shapes(robot, wheels)}
    parts = [{key: value for key, value in part.items() if key != 'area'} for part in hull_parts]
    if parts:
        content['ground_shapes'] = parts
    content['frames'] = {'base': robot.chassis}
    return content


def _wheel(wheel: Wheel, writer: MjcfWriter) -> dict[str, Any]:
    entry: dict[str, Any] = {
        'name': writer.wheel_name(wheel.link.name),
        'body': writer.body(wheel.link.name),
        'joint': wheel.joint.name,
        'actuator': wheel.joint.name,
        'radius_m': wheel.tread.radius,
        'width_m': wheel.tread.width,
    }
    if wheel.steer is not None:
        entry |= {'steer_joint': wheel.steer.name, 'steer_actuator': wheel.steer.name}
    return entry


def _commanded(robot: Robot, motor: Motor) -> dict[str, Any]:
    if motor.of_speed:
        limits, rate = (-motor.speed, motor.speed), 2.0 * motor.speed
    else:
        limits, rate = robot.joints[motor.joint].limits or (-math.pi, math.pi), motor.speed
    return {'actuator': motor.joint, 'limits': list(limits), 'rate': min(rate, 1e5)}


def sensor_entries(robot: Robot) -> dict[str, Any]:
    """Return the section ``sensors`` of a vehicle in a scenario, for the sensors of the robot's file.

    Extensions in the entry point group IMPORTED_SENSORS interpret them; a sensor that none knows is noted.

    Raises:
        InputError: If a value of a sensor is invalid.
    """
    models = list(load_plugins(IMPORTED_SENSORS).values()) if robot.sensors else []
    entries: dict[str, Any] = {}
    for sensor in robot.sensors:
        model = next((made for model_of in models if (made := model_of(sensor.at)) is not None), None)
        if model is None:
            kind = sensor.at.attributes.get('type', '')
            robot.notes.append(f'{sensor.at.where}: {sensor.at.title} type = {kind!r}: is unknown and ignored')
            continue
        pose = robot.rest_pose(sensor.link).of(sensor.pose)
        rpy = [math.degrees(x) for x in rotation.to_rpy(rotation.matrix(pose.orientation))]
        entries[sensor.name] = {'model': model, 'mount': {'xyz': pose.position.tolist(), 'rpy_deg': rpy}}
    return entries
