# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Motors of a robot's joints: which joints have one, of which kind, and with which gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regolith_vehicles.robot_import.options import ImportOptions
from regolith_vehicles.robot_import.robot import Joint, Robot
from regolith_vehicles.robot_import.wheels import Wheel

_DROOP = 0.1
"""Speed error at which a wheel motor reaches its maximum torque, as a fraction of its maximum speed [-]."""
_STRAY = 0.05
"""Position error at which a servo reaches its maximum effort [rad or m]."""
_EASE = 10.0
"""Minimum inertia of a position servo's joint, as a multiple of gain times squared substep [-]."""


@dataclass(frozen=True, slots=True)
class Motor:
    """Servo of one joint."""

    joint: str
    role: str
    """'wheel', 'steering', 'position' or 'velocity'."""
    effort: float
    """Maximum effort [N m or N]."""
    speed: float
    """Maximum speed [rad/s or m/s]."""

    @property
    def of_speed(self) -> bool:
        """Whether its command is a speed."""
        return self.role in ('wheel', 'velocity')

    @property
    def gain(self) -> float:
        """Effort per speed error, or per position error of a position servo, in SI units."""
        return self.effort / (_DROOP * self.speed if self.of_speed else _STRAY)

    def armature(self, inertia: float, substep_s: float) -> float:
        """Return the inertia of the motor that the joint needs so that the servo does not hunt [kg m^2 or kg].

        A step of the largest effort must not change the speed by more than the error at which a speed servo reaches it,
        and a position servo's stiffness, which is explicit, must be slow against the substep.

        Args:
            inertia: Inertia of all that the joint carries, about its axis [kg m^2 or kg].
            substep_s: Substep [s].
        """
        least = self.gain * substep_s if self.of_speed else _EASE * self.gain * substep_s**2
        return max(0.0, least - inertia)


def find_motors(
    robot: Robot, wheels: Sequence[Wheel], options: ImportOptions
) -> tuple[dict[str, Motor], dict[str, str]]:
    """Return the motors by joint, and the reason by joint for those that move without one.

    Args:
        robot: Robot with its chassis.
        wheels: Wheels of the robot.
        options: Options of the user.

    Raises:
        InputError: If a motor has no limit of effort or speed; names the line to add.
    """
    driven = {wheel.joint.name: wheel for wheel in wheels if wheel.driven}
    steering = {wheel.steer.name for wheel in wheels if wheel.steer is not None}
    motors, passive = {}, {}
    for name, joint in robot.joints.items():
        if name in driven:
            motors[name] = _wheel_motor(robot, joint, options)
        elif name in steering:
            motors[name] = _motor(joint, 'steering', options)
        elif joint.moves:
            role, reason = _role(robot, joint, wheels, options)
            if role:
                motors[name] = _motor(joint, role, options)
            else:
                passive[name] = reason
    return motors, passive


def steered_alone(wheels: Sequence[Wheel]) -> Mapping[str, int]:
    """Return the number of driven wheels by steering joint; only joints with one wheel steer it."""
    return Counter(wheel.steer.name for wheel in wheels if wheel.steer is not None)


def _role(robot: Robot, joint: Joint, wheels: Sequence[Wheel], options: ImportOptions) -> tuple[str, str]:
    """Return the role of a joint's motor, or '' and why it has none."""
    interface = robot.interfaces.get(joint.name)
    below = {link.name for link in robot.below(joint.child)}
    carried = [wheel.name for wheel in wheels if wheel.link.name in below]
    if joint.mimic is not None:
        return '', f'follows {joint.mimic.joint}'
    if joint.kind in ('planar', 'ball'):
        return '', f'is a {joint.kind} joint'
    if interface is None and robot.interfaces:
        return '', 'has no command interface in the file'
    if interface is None and joint.child in {wheel.link.name for wheel in wheels}:
        return '', 'is a wheel without a motor'
    if interface is None and carried:
        return '', f'is suspension or a caster: it carries {", ".join(carried)}'
    stated = options.limits_of(joint.name) or (joint.effort, joint.velocity)
    if stated[0] == 0.0:
        return '', 'has effort="0"'
    if joint.kind == 'continuous' or interface == 'velocity':
        if interface is None and None in stated:
            return '', 'has no limits of effort and velocity'
        return 'velocity', ''
    assert joint.limits is not None
    if not joint.limits[0] <= 0.0 <= joint.limits[1]:
        return '', f'cannot be at 0, where targets start: its limits are {joint.limits[0]:g} to {joint.limits[1]:g}'
    return 'position', ''


def _wheel_motor(robot: Robot, joint: Joint, options: ImportOptions) -> Motor:
    hint = robot.drive.effort if robot.drive is not None else None
    effort, speed = options.limits_of(joint.name) or (joint.effort or hint, joint.velocity)
    return _checked(joint, 'wheel', effort, speed)


def _motor(joint: Joint, role: str, options: ImportOptions) -> Motor:
    return _checked(joint, role, *(options.limits_of(joint.name) or (joint.effort, joint.velocity)))


def _checked(joint: Joint, role: str, effort: float | None, speed: float | None) -> Motor:
    missing = [name for name, value in (('effort', effort), ('velocity', speed)) if not value]
    if missing:
        problem = f'has no limit of {" and ".join(missing)} for its {role} motor'
        unit = 'N, velocity in m/s' if joint.kind == 'prismatic' else 'N m, velocity in rad/s'
        allowed = f'<limit effort="…" velocity="…"/> in <joint name="{joint.name}">, above 0, effort in {unit}'
        raise joint.at.error('', problem, f'{allowed}; fix: --limits {joint.name}=EFFORT,VELOCITY')
    assert effort is not None and speed is not None
    return Motor(joint.name, role, effort, speed)
