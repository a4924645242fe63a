# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Page of an imported robot: what was found, what was guessed, what was ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from regolith_vehicles.robot_import.mjcf_writer import Coupling
from regolith_vehicles.robot_import.motors import Motor
from regolith_vehicles.robot_import.robot import Robot
from regolith_vehicles.robot_import.wheels import Wheel


def import_page(
    robot: Robot,
    name: str,
    wheels: Sequence[Wheel],
    motors: Mapping[str, Motor],
    passive: Mapping[str, str],
    couplings: Sequence[Coupling],
    armatures: Mapping[str, float],
    content: Mapping[str, Any],
    mass: tuple[float, NDArray[Any]],
) -> str:
    """Return the page in Markdown.

    Args:
        robot: Robot with its chassis.
        name: Name of the vehicle's files.
        wheels: Wheels of the robot.
        motors: Motors by joint.
        passive: Reason by joint for those without a motor.
        couplings: Relations between joints.
        armatures: Inertia of motors by joint [kg m^2 or kg].
        content: Content of the vehicle file.
        mass: Total mass [kg], and center of mass in the chassis [m].
    """
    total, center = mass
    lines = [
        f'# {robot.name}',
        '',
        f'Imported from `{robot.file.name}`. Files: `{name}.yaml`, `{name}.xml`'
        + (', `sensors.yaml`.' if robot.sensors else '.'),
        '',
        f'Mass {total:.6g} kg, center of mass {_numbers(center)} m in `{robot.chassis}` with all joints at zero.',
        f'Base frame: `{robot.chassis}`, expected with x ahead, y to the left, z up.',
        '',
        '## Found',
        '',
        *_table(
            ('wheel', 'joint', 'radius [m]', 'width [m]', 'center [m]', 'from', 'driven', 'steering'),
            _wheel_rows(wheels),
        ),
        *_table(('motor', 'role', 'effort', 'speed', 'gain'), _motor_rows(motors)),
        *_table(('joint without a motor', 'reason'), passive.items()),
        *_table(
            ('coupled joint', 'follows', 'multiplier', 'offset'),
            ((c.joint, c.other, f'{c.multiplier:g}', f'{c.offset:g}') for c in couplings),
        ),
        '## Guessed',
        '',
        'Compare these values with your robot. The vehicle file and the MJCF file are the place to change them.',
        '',
        *_table(('value', 'guess', 'rule'), _guesses(robot, wheels, motors, armatures, content)),
        '## Ignored or replaced',
        '',
        *(f'* {note.replace(str(robot.file.parent) + "/", "")}' for note in robot.notes or ('Nothing.',)),
    ]
    return '\n'.join(lines) + '\n'


def _numbers(values: Iterable[float]) -> str:
    return ' '.join(f'{x:.4g}' for x in values)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    body = [f'| {" | ".join(row)} |' for row in rows]
    return [f'| {" | ".join(head)} |', '|' + '---|' * len(head), *body, ''] if body else []


def _wheel_rows(wheels: Sequence[Wheel]) -> Iterable[Sequence[str]]:
    for wheel in wheels:
        yield (
            wheel.name,
            wheel.joint.name,
            f'{wheel.tread.radius:.4g}',
            f'{wheel.tread.width:.4g}',
            _numbers(wheel.place),
            wheel.tread.source,
            'yes' if wheel.driven else 'no',
            wheel.steer.name if wheel.steer is not None else 'none',
        )


def _motor_rows(motors: Mapping[str, Motor]) -> Iterable[Sequence[str]]:
    for name, motor in motors.items():
        yield name, motor.role, f'{motor.effort:g}', f'{motor.speed:g}', f'{motor.gain:.4g}'


def _guesses(
    robot: Robot,
    wheels: Sequence[Wheel],
    motors: Mapping[str, Motor],
    armatures: Mapping[str, float],
    content: Mapping[str, Any],
) -> Iterable[Sequence[str]]:
    yield 'driven wheels', ', '.join(w.joint.name for w in wheels if w.driven), 'axis, round shape, height; `--wheels`'
    yield 'gain of wheel motors', 'kv in the table above', 'maximum effort at an error of a tenth of the maximum speed'
    if any(not motor.of_speed for motor in motors.values()):
        yield 'gain of position servos', 'kp in the table above', 'maximum effort at an error of 0.05 rad or m'
    for name, value in armatures.items():
        yield (
            f'armature of {name}',
            f'{value:.4g}',
            'inertia of the motor behind its gear, so that the servo does not hunt',
        )
    drive = content['drive']
    yield 'acceleration of wheels', f'{drive["max_wheel_acceleration_radps2"]:g} rad/s^2', 'maximum speed within 0.5 s'
    yield 'substep', f'{content["substep_s"]:g} s', 'stable on all shipped soils'
    yield (
        'collision.shapes',
        str(len(content['collision']['shapes'])),
        'shapes of the chassis, and a box around the wheels',
    )
    if parts := content.get('ground_shapes'):
        yield 'ground_shapes', str(len(parts)), 'collision shapes except driven wheels; meshes as convex hulls'
    for wheel in wheels:
        if wheel.sign < 0.0 and wheel.driven:
            yield (
                f'axis of {wheel.joint.name}',
                'reversed',
                'positive speeds drive forward; joint_states has the other sign',
            )
    if 'sphere' in {wheel.tread.source.rpartition(' ')[2] for wheel in wheels}:
        yield 'width of spherical wheels', 'the radius', 'a sphere has no width'
    hint = robot.drive
    driven = [wheel for wheel in wheels if wheel.driven]
    if hint is not None and hint.separation is not None:
        found = max(w.place[1] for w in driven) - min(w.place[1] for w in driven)
        yield 'wheel separation', f'{found:.4g} m', f'from the joints; the drive plug-in has {hint.separation:g} m'
    if hint is not None and hint.radius is not None:
        yield (
            'wheel radius',
            f'{driven[0].tread.radius:.4g} m',
            f'from the shapes; the drive plug-in has {hint.radius:g} m',
        )
    if not robot.interfaces and robot.drive is None:
        yield 'motors', ', '.join(motors), 'the file has no ros2_control and no drive plug-in'
