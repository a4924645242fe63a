# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Command interfaces of a vehicle: their topics, and validation of commands.

The last accepted command for a cycle applies, from any interface. It applies until the next command, or until it is
older than the driver's timeout. The timeout stops the vehicle for every interface. Joint targets are separate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from regolith_vehicles.commands.command import ACKERMANN, PEDALS, TWIST, AckermannCommand, DriveCommand, PedalCommand

TOPICS = {TWIST: 'cmd_vel', ACKERMANN: 'ackermann_cmd', PEDALS: 'driver_inputs'}
"""Topics by command interface. Of messages that wait at the same time, those of later entries are processed last."""
JOINTS = 'joint_command'
"""Topic of joint targets."""

COMMAND_TYPES = {
    'cmd_vel': ('geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped'),
    'ackermann_cmd': ('ackermann_msgs/msg/AckermannDriveStamped',),
    'driver_inputs': ('regolith_msgs/msg/DriverInputs',),
    JOINTS: ('sensor_msgs/msg/JointState',),
}
"""Message types of each topic, the usual one first."""

_ANY = (-math.inf, math.inf)
_QUARTER = 0.5 * math.pi
_FIELDS: dict[str, tuple[tuple[str, tuple[float, float], bool], ...]] = {
    TWIST: (('linear.x', _ANY, True), ('angular.z', _ANY, True)),
    ACKERMANN: (
        ('drive.speed', _ANY, True),
        ('drive.steering_angle', (-_QUARTER, _QUARTER), False),
        ('drive.steering_angle_velocity', (0.0, math.inf), True),
        ('drive.acceleration', (0.0, math.inf), True),
    ),
    PEDALS: (
        ('steering', (-1.0, 1.0), True),
        ('throttle', (0.0, 1.0), True),
        ('braking', (0.0, 1.0), True),
        ('gear', (0.0, 1.0), True),
    ),
}
"""Fields of the messages, their ranges, and whether the limits are included."""


class CommandedGear(Protocol):
    """What commands need to know of a running gear, see :class:`regolith_vehicles.running_gear.RunningGear`."""

    faces: tuple[str, ...]
    joints: tuple[str, ...]
    joint_limits: Mapping[str, tuple[float, float]]
    scaled_wheels: tuple[str, ...]


def used_command_topics(gear: CommandedGear) -> tuple[str, ...]:
    """Return the command topics of a vehicle with this running gear, without its namespace."""
    return (*(topic for face, topic in TOPICS.items() if face in gear.faces), *((JOINTS,) if gear.joints else ()))


def rejection(command: DriveCommand, gear: CommandedGear) -> str:
    """Return why a command is rejected, by topic, field and value; '' if it is accepted."""
    face = command.interface
    topic = TOPICS[face]
    if face not in gear.faces:
        return f'{topic}: is not supported by this vehicle; allowed: {", ".join(TOPICS[name] for name in gear.faces)}'
    for (name, (low, high), closed), value in zip(_FIELDS[face], command.by or tuple(command), strict=True):
        inside = low <= value <= high if closed else low < value < high
        if not (math.isfinite(value) and inside):
            return f'{topic}: {name} is {value!r}; allowed: {_range(low, high, closed)}'
    return wheel_rejection(command.wheels, gear)


def wheel_rejection(wheels: Mapping[str, float], gear: CommandedGear) -> str:
    """Return why factors on wheel speeds are rejected, by wheel and value; '' if they are accepted."""
    for name, value in wheels.items():
        if name not in gear.scaled_wheels:
            return f'factor of wheel {name!r}; allowed: {", ".join(gear.scaled_wheels) or "none"}'
        if not 0.0 <= value <= 1.0:
            return f'factor of wheel {name} is {value!r}; allowed: {_range(0.0, 1.0)}'
    return ''


def unsupported(command: DriveCommand, gear: CommandedGear) -> str:
    """Return why a running gear cannot follow a driver's command; '' if it can."""
    face = command.interface
    if face not in gear.faces and (gear.faces or command != DriveCommand()):
        allowed = ', '.join(gear.faces) or 'none: the vehicle has no drive'
        return f'unsupported command interface {face}; allowed: {allowed}'
    return wheel_rejection(command.wheels, gear)


def joint_rejection(joints: Mapping[str, float], gear: CommandedGear) -> str:
    """Return why joint targets are rejected, by joint and value; '' if they are accepted."""
    for name, value in joints.items():
        if name not in gear.joints:
            return f'{JOINTS}: name {name!r}; allowed: {", ".join(gear.joints) or "none"}'
        low, high = gear.joint_limits.get(name, _ANY)
        if not (math.isfinite(value) and low <= value <= high):
            return f'{JOINTS}: target of {name} is {value!r}; allowed: {_range(low, high)}'
    return ''


def timeout_command(command: DriveCommand) -> DriveCommand:
    """Return the command after a timeout: the vehicle stops, with the steering of the last command."""
    if isinstance(command.by, PedalCommand):
        return DriveCommand(by=command.by._replace(throttle=0.0, braking=1.0))
    if isinstance(command.by, AckermannCommand):
        return DriveCommand(by=AckermannCommand(0.0, command.by.steering_angle))
    return DriveCommand()


def _range(low: float, high: float, closed: bool = True) -> str:
    if math.isinf(low) and math.isinf(high):
        return 'finite numbers'
    if math.isinf(high):
        return f'finite numbers of at least {low:g}'
    return f'{low:g} to {high:g}' if closed else f'between {low:g} and {high:g}'
