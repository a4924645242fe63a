# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of URDF: links, joints, materials, and the extensions that matter for driving."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regolith_files import allowed_names
from regolith_vehicles.robot_import.robot import (
    DriveHint,
    Inertial,
    Joint,
    Link,
    Mimic,
    Pose,
    Robot,
    SensorHint,
    Shape,
    from_rpy,
)
from regolith_vehicles.robot_import.robot_files import FileFinder
from regolith_vehicles.robot_import.xml_elements import Element, Vector, unknown_parts
from regolith_world.numerics import portable_math

MESH_FILES = 'the path of an OBJ, STL, MSH or DAE file'
JOINT_KINDS = {
    'fixed': 'fixed',
    'continuous': 'continuous',
    'revolute': 'revolute',
    'prismatic': 'prismatic',
    'planar': 'planar',
    'spherical': 'ball',
}
"""Kind of a joint by its type in the file."""

_KNOWN: dict[str, tuple[str, ...]] = {
    'robot': ('name', 'version'),
    'link': ('name', 'type'),
    'joint': ('name', 'type'),
    'inertial': (),
    'origin': ('xyz', 'rpy', 'quat_xyzw'),
    'mass': ('value',),
    'inertia': ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'),
    'visual': ('name',),
    'collision': ('name', 'group'),
    'geometry': (),
    'box': ('size',),
    'cylinder': ('radius', 'length'),
    'capsule': ('radius', 'length'),
    'sphere': ('radius',),
    'mesh': ('filename', 'scale'),
    'material': ('name',),
    'color': ('rgba',),
    'texture': ('filename',),
    'parent': ('link',),
    'child': ('link',),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'effort', 'velocity', 'acceleration', 'deceleration', 'jerk'),
    'dynamics': ('damping', 'friction'),
    'mimic': ('joint', 'multiplier', 'offset'),
    'safety_controller': ('k_velocity', 'k_position', 'soft_lower_limit', 'soft_upper_limit'),
    'calibration': ('rising', 'falling', 'reference_position'),
}
_OPAQUE = ('gazebo', 'transmission', 'ros2_control', 'mujoco', 'drake:joint', 'contact', 'verbose')


def read_urdf(root: Element, file: Path, finder: FileFinder) -> Robot:
    """Return the robot of a URDF document.

    Args:
        root: Root element.
        file: Path of the file.
        finder: Finder of mesh files.

    Raises:
        InputError: If the document is invalid; names file, line, element and value.
    """
    if root.tag != 'robot':
        raise root.error('', 'is not a robot', '<robot> as the root element of a URDF')
    robot = Robot(root.attribute('name'), file, notes=unknown_parts(root, _KNOWN, _OPAQUE))
    colors: dict[str, tuple[float, ...]] = {}
    for material in (element for element in root.walk() if element.tag == 'material'):
        if (color := material.first('color')) is not None:
            colors.setdefault(material.attributes.get('name', ''), tuple(color.numbers('rgba', 4).tolist()))
    for element in root.all('link'):
        link = _link(element, finder, colors)
        if link.name in robot.links:
            raise element.error('', 'is already defined', 'unique names of links')
        robot.links[link.name] = link
    if not robot.links:
        raise root.error('', 'has no <link>', 'at least one <link>')
    for element in root.all('joint'):
        joint = _joint(element, robot)
        if joint.name in robot.joints:
            raise element.error('', 'is already defined', 'unique names of joints')
        robot.joints[joint.name] = joint
    for joint in robot.joints.values():
        if joint.mimic is not None and joint.mimic.joint not in robot.joints:
            mimic = joint.at.required('mimic')
            allowed = allowed_names(robot.joints, joint.mimic.joint)
            raise mimic.error('joint', 'is no joint of the robot', allowed, joint.mimic.joint)
    _read_interfaces(root, robot)
    _read_gazebo(root, robot)
    return robot


def _pose(element: Element) -> Pose:
    origin = element.first('origin')
    if origin is None:
        return Pose()
    position = origin.numbers('xyz', 3, (0.0, 0.0, 0.0))
    if 'quat_xyzw' in origin.attributes:
        turn = origin.numbers('quat_xyzw', 4)
        length = portable_math.norm(turn)
        if abs(length - 1.0) > 1e-3:
            raise origin.error('quat_xyzw', 'does not have unit length', 'a unit quaternion (x, y, z, w)')
        return Pose(position, turn / length)
    return from_rpy(position, origin.numbers('rpy', 3, (0.0, 0.0, 0.0)))


def _link(element: Element, finder: FileFinder, colors: dict[str, tuple[float, ...]]) -> Link:
    link = Link(element.attribute('name'), element)
    if (inertial := element.first('inertial')) is not None:
        mass = inertial.required('mass')
        value = mass.number('value')
        if value < 0.0:
            raise mass.error('value', 'is negative', 'a mass of 0 or more [kg]', value)
        link.inertial = Inertial(value, _pose(inertial), _inertia(inertial), inertial)
    link.visuals = [shape for e in element.all('visual') if (shape := _shape(e, finder, colors)) is not None]
    link.collisions = [shape for e in element.all('collision') if (shape := _shape(e, finder, {})) is not None]
    return link


def _inertia(inertial: Element) -> Vector:
    inertia = inertial.first('inertia')
    if inertia is None:
        return np.zeros((3, 3))
    xx, yy, zz = (inertia.number(key) for key in ('ixx', 'iyy', 'izz'))
    xy, xz, yz = (inertia.number(key, 0.0) for key in ('ixy', 'ixz', 'iyz'))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _shape(element: Element, finder: FileFinder, colors: dict[str, tuple[float, ...]]) -> Shape | None:
    """Return a visual or collision shape; None for a visual mesh that is left out."""
    geometry = element.required('geometry')
    kinds = ('box', 'cylinder', 'sphere', 'capsule', 'mesh')
    inner = next((child for child in geometry.children if child.tag in kinds), None)
    if inner is None:
        raise geometry.error('', 'has no shape', ', '.join(f'<{kind}>' for kind in kinds))
    rgba = None
    if (material := element.first('material')) is not None:
        rgba = colors.get(material.attributes.get('name', ''))
    if inner.tag == 'mesh':
        find = finder.find_visual if element.tag == 'visual' else finder.find
        path = find(inner, 'filename', inner.attribute('filename'), MESH_FILES)
        if path is None:
            return None
        x, y, z = inner.numbers('scale', 3, (1.0, 1.0, 1.0)).tolist()
        if x * y * z == 0.0:
            raise inner.error('scale', 'has a zero', 'three factors other than 0', inner.attributes['scale'])
        return Shape('mesh', (), _pose(element), inner, path, (x, y, z), rgba)
    if inner.tag == 'box':
        size = inner.numbers('size', 3)
    else:
        size = np.array([inner.number(key) for key in ('radius', 'length')[: 1 if inner.tag == 'sphere' else 2]])
    if (size <= 0.0).any():
        raise inner.error('', 'has a size of 0 or less', 'sizes above 0 [m]', size.tolist())
    return Shape(inner.tag, tuple(size.tolist()), _pose(element), inner, rgba=rgba)


def _joint(element: Element, robot: Robot) -> Joint:
    name, kind = element.attribute('name'), element.attribute('type')
    if kind == 'floating':
        problem = 'leaves a part without connection'
        raise element.error('type', problem, f'{", ".join(JOINT_KINDS)}; fix: import the part as another vehicle', kind)
    if kind not in JOINT_KINDS:
        raise element.error('type', 'is no joint type', allowed_names(JOINT_KINDS, kind), kind)
    parent, child = (_link_of(element.required(tag), robot) for tag in ('parent', 'child'))
    for other in robot.joints.values():
        if other.child == child:
            raise element.error('child', f'is already the child of {other.name}', 'a tree of links', child)
    axis = np.array([1.0, 0.0, 0.0])
    if (given := element.first('axis')) is not None:
        axis = given.numbers('xyz', 3, (1.0, 0.0, 0.0))
    length = portable_math.norm(axis)
    if length < 1e-9:
        raise element.error('axis', 'has no length', 'a direction other than 0 0 0')
    joint = Joint(name, JOINT_KINDS[kind], parent, child, _pose(element), axis / length, element)
    if (limit := element.first('limit')) is not None:
        _read_limit(joint, limit)
    elif kind in ('revolute', 'prismatic'):
        allowed = '<limit lower="…" upper="…" effort="…" velocity="…"/>'
        raise element.error('', 'has no limits', allowed)
    if (dynamics := element.first('dynamics')) is not None:
        joint.damping, joint.friction = (dynamics.number(key, 0.0) for key in ('damping', 'friction'))
        for key in ('damping', 'friction'):
            if dynamics.number(key, 0.0) < 0.0:
                raise dynamics.error(key, 'is negative', '0 or more', dynamics.attributes[key])
    if (mimic := element.first('mimic')) is not None:
        multiplier, offset = mimic.number('multiplier', 1.0), mimic.number('offset', 0.0)
        joint.mimic = Mimic(mimic.attribute('joint'), multiplier, offset)
    return joint


def _link_of(element: Element, robot: Robot) -> str:
    name = element.attribute('link')
    if name not in robot.links:
        raise element.error('link', 'is no link of the robot', allowed_names(robot.links, name), name)
    return name


def _read_limit(joint: Joint, limit: Element) -> None:
    if joint.kind in ('revolute', 'prismatic'):
        lower, upper = limit.number('lower', 0.0), limit.number('upper', 0.0)
        if not lower < upper:
            raise limit.error('lower', f'is not below upper = {upper:g}', 'lower < upper', lower)
        joint.limits = lower, upper
    for key in ('effort', 'velocity'):
        if key in limit.attributes:
            value = limit.number(key)
            if value < 0.0:
                raise limit.error(key, 'is negative', '0 or more', value)
            setattr(joint, key, value)


def _read_interfaces(root: Element, robot: Robot) -> None:
    """Read the command interfaces of ros2_control and of transmissions; ros2_control has priority."""
    for element in (e for e in root.walk() if e.tag == 'transmission'):
        for joint in element.all('joint'):
            names = [inner.text.strip().rpartition('/')[2] for inner in joint.all('hardwareInterface')]
            kind = next((kind for kind in ('velocity', 'position', 'effort') if names and kind in names[0].lower()), '')
            _add_interface(robot, joint, kind)
    for element in (e for e in root.walk() if e.tag == 'ros2_control'):
        for joint in element.all('joint'):
            kinds = [inner.attributes.get('name', '') for inner in joint.all('command_interface')]
            kind = next((kind for kind in ('velocity', 'position', 'effort') if kind in kinds), '')
            if kind:
                _add_interface(robot, joint, kind)


def _add_interface(robot: Robot, joint: Element, kind: str) -> None:
    name = joint.attribute('name')
    if name not in robot.joints:
        raise joint.error('', 'is no joint of the robot', allowed_names(robot.joints, name))
    robot.interfaces[name] = kind


_DRIVES = ('DiffDrive', 'diff_drive', 'SkidSteerDrive', 'skid_steer_drive')
_WHEEL_TAGS = (
    *('left_joint', 'right_joint', 'leftJoint', 'rightJoint'),
    *(f'{side}{part}Joint' for side in ('left', 'right') for part in ('Front', 'Rear')),
)


def _read_gazebo(root: Element, robot: Robot) -> None:
    for element in root.all('gazebo'):
        for plugin in element.all('plugin'):
            read_drive(plugin, robot)
        link = element.attributes.get('reference', '')
        for sensor in element.all('sensor'):
            if link not in robot.links:
                raise element.error('reference', 'is no link of the robot', allowed_names(robot.links, link), link)
            read_sensor(sensor, link, robot)


def read_drive(plugin: Element, robot: Robot) -> None:
    """Read the driven wheels of a plug-in for a differential drive, of URDF or SDF; ignore other plug-ins."""
    named = plugin.attributes.get('filename', '') + plugin.attributes.get('name', '')
    if not any(word in named for word in _DRIVES):
        return
    joints = tuple(e.text.strip() for tag in _WHEEL_TAGS for e in plugin.all(tag) if e.text.strip())
    for name in joints:
        if name not in robot.joints:
            raise plugin.error('', f'drives {name}, which is no joint', allowed_names(robot.joints, name))
    if not joints:
        return

    def value(*tags: str) -> float | None:
        found = next((e for tag in tags if (e := plugin.first(tag)) is not None), None)
        return None if found is None else float(found.contents(1, ())[0])

    separation, diameter = value('wheel_separation', 'wheelSeparation'), value('wheel_diameter', 'wheelDiameter')
    radius = value('wheel_radius') if diameter is None else 0.5 * diameter
    if robot.drive is not None:
        joints = (*robot.drive.joints, *joints)  # one plug-in for each axle
    robot.drive = DriveHint(joints, separation, radius, value('max_wheel_torque', 'wheelTorque', 'torque'))


def read_sensor(sensor: Element, link: str, robot: Robot) -> None:
    """Add a sensor of Gazebo, which an extension of another package interprets."""
    pose = Pose()
    if (element := sensor.first('pose')) is not None:
        six = element.contents(6, (0.0,) * 6)
        pose = from_rpy(six[:3], six[3:])
    robot.sensors.append(SensorHint(sensor.attribute('name'), link, pose, sensor))
