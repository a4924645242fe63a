# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of a subset of SDF: one model with links and joints, its differential drive, sensors, and local includes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from regolith_files import InputError, Problem, allowed_names
from regolith_vehicles.robot_import.robot import Inertial, Joint, Link, Mimic, Pose, Robot, Shape, from_rpy
from regolith_vehicles.robot_import.robot_files import FileFinder, read_robot_file
from regolith_vehicles.robot_import.urdf_reader import MESH_FILES, read_drive, read_sensor
from regolith_vehicles.robot_import.xml_elements import Element
from regolith_world.numerics import portable_math

_KINDS = {
    'fixed': 'fixed',
    'continuous': 'continuous',
    'revolute': 'revolute',
    'prismatic': 'prismatic',
    'ball': 'ball',
}
_LONGEST = 1e15
"""Limit beyond which SDF files mean no limit."""


class _Frames:
    """Poses of the links and joints of a model in the model's frame, found on use."""

    def __init__(self, model: Element) -> None:
        self._elements = {
            element.attribute('name'): element for tag in ('frame', 'joint', 'link') for element in model.all(tag)
        }
        self.extra: dict[str, Pose] = {}
        """Poses of the links of included models."""

    def pose(self, name: str, at: Element, depth: int = 0) -> Pose:
        """Return the pose of a frame in the model's frame.

        Args:
            name: Name of a link, joint or frame.
            at: Element that refers to it, for errors.
            depth: Number of frames between.
        """
        if name in ('', '__model__'):
            return Pose()
        if name in self.extra:
            return self.extra[name]
        element = self._elements.get(name)
        if element is None or depth > len(self._elements):
            known = allowed_names([*self._elements, *self.extra], name)
            problem = 'is no frame of the model' if element is None else 'refers to itself'
            raise at.error('', problem, known, name)
        base, own = '', Pose()
        if (given := element.first('pose')) is not None:
            six = given.contents(6, (0.0,) * 6)
            base, own = given.attributes.get('relative_to', ''), from_rpy(six[:3], six[3:])
        if not base:
            base = _text(element, 'child') if element.tag == 'joint' else element.attributes.get('attached_to', '')
        return self.pose(base, element, depth + 1).of(own)


def read_sdf(root: Element, file: Path, finder: FileFinder) -> Robot:
    """Return the robot of an SDF document; arguments and errors as of the reader of URDF.

    Raises:
        InputError: If the document is invalid or uses a part of SDF that is not read.
    """
    if root.tag != 'sdf':
        raise root.error('', 'is not an SDF document', '<sdf> as the root element')
    models = [*root.all('model'), *(m for world in root.all('world') for m in world.all('model'))]
    if len(models) != 1:
        raise root.error('', f'has {len(models)} models', 'exactly one <model>')
    robot = Robot(models[0].attribute('name'), file)
    _read_model(models[0], robot, finder, Pose(), '')
    if not robot.links:
        raise models[0].error('', 'has no <link>', 'at least one <link>')
    return robot


def _read_model(model: Element, robot: Robot, finder: FileFinder, pose: Pose, prefix: str) -> dict[str, Pose]:
    """Add the links and joints of a model; return the poses of its links in the frame of the outer model."""
    frames = _Frames(model)
    for include in model.all('include'):
        frames.extra |= _read_include(include, robot, finder, prefix)
    for element in model.all('model'):
        raise element.error('', 'is a nested model, which is not read', '<include>, <link>, <joint>, <plugin>')
    places = {}
    for element in model.all('link'):
        name = prefix + element.attribute('name')
        if name in robot.links:
            raise element.error('', 'is already defined', 'unique names of links')
        robot.links[name] = _link(element, name, finder)
        places[name] = frames.pose(element.attribute('name'), element)
        for sensor in element.all('sensor'):
            read_sensor(sensor, name, robot)
    places |= {f'{prefix}{name}': found for name, found in frames.extra.items()}
    for element in model.all('joint'):
        joint = _joint(element, robot, frames, places, prefix)
        if joint is not None:
            robot.joints[joint.name] = joint
    for joint in robot.joints.values():
        if joint.mimic is not None and joint.mimic.joint not in robot.joints:
            allowed = allowed_names(robot.joints, joint.mimic.joint)
            raise joint.at.error('mimic', 'is no joint of the robot', allowed, joint.mimic.joint)
    for plugin in model.all('plugin'):
        read_drive(plugin, robot)
    return {name.removeprefix(prefix): pose.of(found) for name, found in places.items()}


def _read_include(include: Element, robot: Robot, finder: FileFinder, prefix: str) -> dict[str, Pose]:
    """Add an included model, whose names get the prefix ``NAME/``; return the poses of its links by name."""
    uri = include.required('uri')
    text = uri.text.strip()
    given = text if Path(text).suffix.lower() == '.sdf' else f'{text}/model.sdf'
    path = finder.find(uri, '', given, 'the path of a local SDF file or of its folder')
    inner = read_robot_file(path, finder.packages, {})
    models = inner.all('model')
    if len(models) != 1:
        raise InputError(Problem(str(path), '', f'has {len(models)} models', 'exactly one <model>'))
    name = _text(include, 'name') or models[0].attribute('name')
    pose = Pose()
    if (element := include.first('pose')) is not None:
        six = element.contents(6, (0.0,) * 6)
        pose = from_rpy(six[:3], six[3:])
    found = _read_model(models[0], robot, replace(finder, folder=path.parent), pose, f'{prefix}{name}/')
    return {f'{name}/{link}': place for link, place in found.items()}


def _text(element: Element, tag: str) -> str:
    child = element.first(tag)
    return '' if child is None else child.text.strip().replace('::', '/')


def _own_pose(element: Element) -> Pose:
    """Return the pose of an element in its parent."""
    given = element.first('pose')
    if given is None:
        return Pose()
    if base := given.attributes.get('relative_to', ''):
        raise given.error('relative_to', 'is not read here', 'poses relative to the link', base)
    six = given.contents(6, (0.0,) * 6)
    return from_rpy(six[:3], six[3:])


def _link(element: Element, name: str, finder: FileFinder) -> Link:
    link = Link(name, element)
    if (inertial := element.first('inertial')) is not None:
        mass = inertial.content('mass', 1.0)
        inertia = np.zeros((3, 3))
        if (given := inertial.first('inertia')) is not None:
            xx, yy, zz = (given.content(key, 1.0) for key in ('ixx', 'iyy', 'izz'))
            xy, xz, yz = (given.content(key, 0.0) for key in ('ixy', 'ixz', 'iyz'))
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        link.inertial = Inertial(mass, _own_pose(inertial), inertia, inertial)
    link.visuals = [shape for e in element.all('visual') if (shape := _shape(e, finder)) is not None]
    link.collisions = [shape for e in element.all('collision') if (shape := _shape(e, finder)) is not None]
    return link


def _shape(element: Element, finder: FileFinder) -> Shape | None:
    geometry = element.required('geometry')
    kinds = ('box', 'cylinder', 'sphere', 'capsule', 'mesh')
    inner = next((child for child in geometry.children if child.tag in kinds), None)
    if inner is None:
        raise geometry.error('', 'has no shape that is read', ', '.join(f'<{kind}>' for kind in kinds))
    rgba = None
    if (material := element.first('material')) is not None and (diffuse := material.first('diffuse')) is not None:
        rgba = tuple(diffuse.contents(len(diffuse.text.split()), ()).tolist())
        rgba = (*rgba, 1.0) if len(rgba) == 3 else rgba
    pose = _own_pose(element)
    if inner.tag == 'mesh':
        uri = inner.required('uri')
        find = finder.find_visual if element.tag == 'visual' else finder.find
        path = find(uri, '', uri.text.strip(), MESH_FILES)
        if path is None:
            return None
        scale = inner.first('scale')
        x, y, z = (np.ones(3) if scale is None else scale.contents(3, ())).tolist()
        return Shape('mesh', (), pose, inner, path, (x, y, z), rgba)
    if inner.tag == 'box':
        size = inner.required('size').contents(3, ()).tolist()
    else:
        size = [inner.content(key) for key in ('radius', 'length')[: 1 if inner.tag == 'sphere' else 2]]
    if min(size) <= 0.0:
        raise inner.error('', 'has a size of 0 or less', 'sizes above 0 [m]', size)
    return Shape(inner.tag, tuple(size), pose, inner, rgba=rgba)


def _joint(element: Element, robot: Robot, frames: _Frames, places: dict[str, Pose], prefix: str) -> Joint | None:
    """Return a joint; None for one that fixes the model to the world."""
    name, kind = element.attribute('name'), element.attribute('type')
    if kind not in _KINDS:
        raise element.error('type', 'is not read', allowed_names(_KINDS, kind), kind)
    parent, child = (_text(element, tag) for tag in ('parent', 'child'))
    if parent == 'world':
        robot.notes.append(f'{element.where}: {element.title}: fixes the robot to the world and is ignored')
        return None
    for tag, link in (('parent', parent), ('child', child)):
        if prefix + link not in robot.links:
            raise element.error(tag, 'is no link of the model', allowed_names(robot.links, link), link)
    parent, child = prefix + parent, prefix + child
    for other in robot.joints.values():
        if other.child == child:
            raise element.error('child', f'is already the child of {other.name}', 'a tree of links', child)
    frame = places[child].inverse.of(frames.pose(name, element))
    if portable_math.norm(frame.position) > 1e-9:
        _move_frame(robot, places, child, frame.position)
        robot.notes.append(f'{element.where}: {element.title}: frame {child} is moved to the axis of its joint')
    pose = places[parent].inverse.of(places[child])
    joint = Joint(prefix + name, _KINDS[kind], parent, child, pose, np.array([0.0, 0.0, 1.0]), element)
    axis = element.first('axis')
    if axis is not None:
        _read_axis(joint, axis, frame, frames, places[child])
    elif kind in ('revolute', 'prismatic', 'continuous'):
        raise element.error('', 'has no <axis>', '<axis><xyz>…</xyz></axis>')
    return joint


def _move_frame(robot: Robot, places: dict[str, Pose], name: str, shift: np.ndarray) -> None:
    """Move the frame of a link within it; all poses in this frame change."""
    link, back = robot.links[name], Pose(-shift)
    places[name] = places[name].of(Pose(shift))
    if (old := link.inertial) is not None:
        link.inertial = Inertial(old.mass, back.of(old.pose), old.inertia, old.at)
    for shapes in (link.visuals, link.collisions):
        shapes[:] = [Shape(s.kind, s.size, back.of(s.pose), s.at, s.mesh, s.scale, s.rgba) for s in shapes]
    for joint in robot.children(name):
        joint.pose = back.of(joint.pose)
    for k, sensor in enumerate(robot.sensors):
        if sensor.link == name:
            robot.sensors[k] = replace(sensor, pose=back.of(sensor.pose))


def _read_axis(joint: Joint, axis: Element, frame: Pose, frames: _Frames, child: Pose) -> None:
    xyz = axis.required('xyz')
    vector = xyz.contents(3, (0.0, 0.0, 1.0))
    length = portable_math.norm(vector)
    if length < 1e-9:
        raise xyz.error('', 'has no length', 'a direction other than 0 0 0', xyz.text.strip())
    if base := xyz.attributes.get('expressed_in', ''):
        joint.axis = child.inverse.direction(frames.pose(base, xyz).direction(vector / length))
    else:
        joint.axis = frame.direction(vector / length)
    if (limit := axis.first('limit')) is not None:
        lower, upper = limit.content('lower', -1e16), limit.content('upper', 1e16)
        if joint.kind == 'revolute' and lower < -_LONGEST and upper > _LONGEST:
            joint.kind = 'continuous'
        elif joint.kind in ('revolute', 'prismatic'):
            if not lower < upper:
                raise limit.error('', f'lower = {lower:g} is not below upper = {upper:g}', 'lower < upper')
            joint.limits = lower, upper
        effort, velocity = limit.content('effort', -1.0), limit.content('velocity', -1.0)
        joint.effort = effort if 0.0 <= effort < _LONGEST else None
        joint.velocity = velocity if 0.0 <= velocity < _LONGEST else None
    elif joint.kind == 'revolute':
        joint.kind = 'continuous'
    if (dynamics := axis.first('dynamics')) is not None:
        joint.damping, joint.friction = dynamics.content('damping', 0.0), dynamics.content('friction', 0.0)
    if (mimic := axis.first('mimic')) is not None:
        multiplier, offset = mimic.content('multiplier', 1.0), mimic.content('offset', 0.0)
        joint.mimic = Mimic(mimic.attribute('joint'), multiplier, offset)
