# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels of a robot: found by shape, axis and height, or named by the user; their steering and suspension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_files import InputError, Problem, allowed_names
from regolith_vehicles.robot_import.robot import Joint, Link, Robot, Shape
from regolith_vehicles.robot_import.shapes import points
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]

AXLE_DEG = 10.0
"""Maximum angle between a wheel's axis and the y axis of the chassis [deg]."""
STEER_DEG = 15.0
"""Maximum angle between a steering axis and the z axis of the chassis [deg]."""
LEVEL_M = 0.05
"""Maximum height of a wheel's lowest point above the plane of the lowest one [m]."""
ROUND = 0.02
"""Maximum relative difference of the two sides of a wheel's bounding box across its axis [-]."""


@dataclass(frozen=True, slots=True, eq=False)
class Tread:
    """Cylinder around the shapes of a link, about the axis of its joint."""

    radius: float
    """Radius [m]."""
    width: float
    """Width [m]."""
    center: Vector
    """Center on the axis, in the link's frame [m], shape (3,)."""
    source: str
    """Shapes from which it follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Wheel:
    """Wheel of a robot."""

    joint: Joint
    link: Link
    tread: Tread
    place: Vector
    """Center in the chassis at rest [m], shape (3,)."""
    sign: float
    """1 if positive joint speeds drive forward, else -1."""
    steer: Joint | None
    """Steering joint; None for a wheel that does not steer."""
    driven: bool
    """Whether a motor drives it."""

    @property
    def name(self) -> str:
        """Name of the wheel in messages: that of the link without ``_link``."""
        return self.link.name.removesuffix('_link')


def find_wheels(robot: Robot, named: Sequence[str]) -> list[Wheel]:
    """Return the wheels of a robot, driven or not, in the order of the file.

    Without names, a wheel is a continuous joint with an axis within AXLE_DEG of the chassis's y axis, a round shape
    about this axis, and a lowest point within LEVEL_M of the lowest one. It is driven unless it is on a caster, or the
    file has command interfaces or a drive plug-in that leave it out.

    Args:
        robot: Robot with its chassis.
        named: Names of the joints or links of the driven wheels; empty: the wheels are found.

    Raises:
        InputError: If a named wheel does not exist or is not round, or no wheel is found.
    """
    chosen = [_named(robot, name) for name in named]
    found: list[tuple[Joint, Tread]] = []
    for joint in robot.joints.values():
        if joint in chosen:
            found.append((joint, _required_tread(robot, joint)))
        elif joint.kind == 'continuous' and _angle(_axis(robot, joint), 1) <= AXLE_DEG:
            tread = tread_of(robot, joint)
            if isinstance(tread, Tread):
                found.append((joint, tread))
    lowest = {joint.name: _center(robot, joint, tread)[2] - tread.radius for joint, tread in found}
    level = min((height for height in lowest.values()), default=0.0)
    found = [(joint, tread) for joint, tread in found if joint in chosen or lowest[joint.name] - level <= LEVEL_M]
    wheels = [_wheel(robot, joint, tread, joint in chosen if chosen else None) for joint, tread in found]
    if not any(wheel.driven for wheel in wheels):
        at = robot.links[robot.chassis].at
        kinds = ', '.join(joint.name for joint in robot.joints.values() if joint.kind == 'continuous') or 'none'
        allowed = (
            f'a continuous joint with its axis within {AXLE_DEG:g} deg of y of {robot.chassis} and a round shape about'
            f' it, x ahead and z up (REP 103); continuous joints: {kinds}; fix: --wheels JOINT,JOINT'
        )
        raise InputError(Problem(at.file, '', 'has no driven wheels that are found', allowed))
    return wheels


def _named(robot: Robot, name: str) -> Joint:
    joint = robot.joints.get(name) or robot.parent_joint(name)
    if joint is None:
        allowed = allowed_names([*robot.joints, *robot.links], name)
        raise InputError(Problem('--wheels', '', 'is no joint or link of the robot', allowed, repr(name)))
    if joint.kind not in ('continuous', 'revolute'):
        allowed = 'continuous or revolute joints'
        raise InputError(Problem('--wheels', name, f'is a {joint.kind} joint', allowed))
    if _angle(_axis(robot, joint), 1) >= 60.0:
        raise joint.at.error('axis', 'of a wheel is not along y', 'an axis along y of the chassis, which is z up')
    return joint


def _required_tread(robot: Robot, joint: Joint) -> Tread:
    tread = tread_of(robot, joint)
    if isinstance(tread, str):
        at = robot.links[joint.child].at
        raise at.error('', f'is no wheel: {tread}', 'a cylinder, a sphere or a round mesh about the axis of its joint')
    return tread


def _axis(robot: Robot, joint: Joint) -> Vector:
    return robot.rest_pose(joint.child).direction(joint.axis)


def _angle(axis: Vector, coordinate: int) -> float:
    """Return the angle between an axis, in either direction, and a coordinate axis [deg]."""
    return math.degrees(math.acos(min(abs(float(axis[coordinate])), 1.0)))


def _center(robot: Robot, joint: Joint, tread: Tread) -> Vector:
    return robot.rest_pose(joint.child).point(tread.center)


def tread_of(robot: Robot, joint: Joint) -> Tread | str:
    """Return the cylinder around a wheel's shapes, or the reason why they are not round about the axis.

    Collision shapes have priority over visual ones, and a single round shape over all shapes together.

    Args:
        robot: Robot with its chassis.
        joint: Joint of the wheel.
    """
    problem = 'it has no shapes'
    for noun in ('collision', 'visual'):
        shapes = robot.rigid_shapes(joint.child, visual=noun == 'visual')
        for group in [[shape] for shape in shapes] + [shapes] if len(shapes) > 1 else [shapes]:
            if group:
                result = _round(group, joint.axis, f'{noun} {"and ".join(sorted({shape.kind for shape in group}))}')
                if isinstance(result, Tread):
                    return result
                problem = result
    return problem


def _round(shapes: Sequence[Shape], axis: Vector, source: str) -> Tread | str:
    if len(shapes) == 1 and shapes[0].kind == 'sphere':
        radius = shapes[0].size[0]
        center, width = shapes[0].pose.position, radius
    elif len(shapes) == 1 and shapes[0].kind in ('cylinder', 'capsule'):
        own = shapes[0].pose.direction(np.array([0.0, 0.0, 1.0]))
        tilt = math.degrees(math.acos(min(abs(portable_math.dot(own, axis)), 1.0)))
        if tilt > AXLE_DEG:
            return f'the axis of its {shapes[0].kind} is {tilt:.0f} deg from that of its joint'
        (radius, width), center = shapes[0].size, shapes[0].pose.position
    else:
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        across /= portable_math.norm(across)
        frame = np.stack((axis, across, np.cross(axis, across)))
        cloud = portable_math.times(np.concatenate([points(shape) for shape in shapes]), frame.T)
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        sides = (high - low)[1:]
        if abs(sides[0] - sides[1]) > ROUND * sides.max():
            return f'its section of {sides[0]:.3g} m x {sides[1]:.3g} m is not round'
        middle = 0.5 * (low + high)
        radius, width = 0.25 * float(sides.sum()), float(high[0] - low[0])
        if np.hypot(*(cloud - middle)[:, 1:].T).max() > (1.0 + 2.0 * ROUND) * radius:
            return 'its section has corners'
        center = np.asarray(portable_math.times(middle[None], frame)[0])
    along = portable_math.dot(center, axis)
    off = portable_math.norm(center - along * axis)
    if off > ROUND * radius:
        return f'its center is {off:.3g} m beside the axis of its joint'
    return Tread(radius, width, along * axis, source)


def _wheel(robot: Robot, joint: Joint, tread: Tread, chosen: bool | None) -> Wheel:
    """Return a wheel; ``chosen``: whether the user named it, None if the user named none."""
    axis, steer, caster = _axis(robot, joint), None, False
    above = robot.parent_joint(joint.parent)
    while above is not None and not above.moves:
        above = robot.parent_joint(above.parent)
    if above is not None and above.kind in ('revolute', 'continuous'):
        upright = _angle(robot.rest_pose(above.child).direction(above.axis), 2) <= STEER_DEG
        commanded = robot.interfaces.get(above.name) is not None
        steer = above if upright and (above.kind == 'revolute' or commanded) else None
        caster = upright and steer is None
    driven = not caster and joint.effort != 0.0
    if chosen is not None:
        driven = chosen
    elif robot.drive is not None:
        driven = joint.name in robot.drive.joints
    elif robot.interfaces:
        driven = joint.name in robot.interfaces
    sign = 1.0 if axis[1] > 0.0 else -1.0
    link = robot.links[joint.child]
    return Wheel(joint, link, tread, _center(robot, joint, tread), sign, steer if driven else None, driven)
