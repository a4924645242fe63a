# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""MJCF file of a robot: bodies, joints, motors, couplings, and visual shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_files import InputError, Problem
from regolith_vehicles.robot_import.motors import Motor
from regolith_vehicles.robot_import.robot import Inertial, Joint, Link, Pose, Robot, Shape
from regolith_vehicles.robot_import.shapes import obj_file, shape_parts, welded
from regolith_vehicles.robot_import.wheels import Wheel
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]
XmlElement = ElementTree.Element

MESHES = 'meshes'
"""Folder of the mesh files beside the MJCF file."""
_ON_CENTER_M = 1e-4
"""Distance up to which the origin of a wheel's link counts as the wheel's center [m]."""
_COUPLING = {'solref': '0.002 1', 'solimp': '0.999 0.9999 0.001'}
"""Stiffness of couplings, as of the differential of the shipped rocker-bogie rover."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """Relation of two joints: position = offset + multiplier times the other position."""

    joint: str
    other: str
    multiplier: float
    offset: float = 0.0


@dataclass(slots=True)
class MjcfModel:
    """MJCF file in memory, with the mesh files that it names."""

    text: bytes = b''
    meshes: dict[str, bytes] = field(default_factory=dict)
    """Content of mesh files by name."""
    armatures: dict[str, float] = field(default_factory=dict)
    """Inertia of motors by joint [kg m^2 or kg]."""


class MjcfWriter:
    """Writer of the MJCF file of one robot."""

    def __init__(self, robot: Robot, wheels: Iterable[Wheel], substep_s: float) -> None:
        self._robot = robot
        self._wheels = {wheel.link.name: wheel for wheel in wheels if wheel.driven}
        self._substep = substep_s
        self._meshes: dict[str, bytes] = {}

    def wheel_name(self, link: str) -> str:
        """Return the name of a driven wheel in messages; its frame is this name with ``_link``."""
        wheel = self._wheels[link]
        return wheel.name if self._on_center(link) else f'{wheel.name}_center'

    def body(self, link: str) -> str:
        """Return the body with the joint and the mass of a link."""
        return f'{self.wheel_name(link)}_link' if link in self._wheels else link

    def _on_center(self, link: str) -> bool:
        return portable_math.norm(self._wheels[link].tread.center) <= _ON_CENTER_M

    def sign(self, joint: str) -> float:
        """Return -1 for a joint whose axis is reversed, so wheels have it to the left and steering up; else 1."""
        for wheel in self._wheels.values():
            if wheel.joint.name == joint:
                return wheel.sign
            if wheel.steer is not None and wheel.steer.name == joint:
                upward = self._robot.rest_pose(wheel.steer.child).direction(wheel.steer.axis)[2]
                return 1.0 if upward > 0.0 else -1.0
        return 1.0

    def limits(self, joint: str) -> tuple[float, float] | None:
        """Return the limits of a joint about its axis in the MJCF file [rad or m]."""
        limits = self._robot.joints[joint].limits
        return limits if limits is None or self.sign(joint) > 0.0 else (-limits[1], -limits[0])

    def write(self, motors: Mapping[str, Motor], couplings: Iterable[Coupling]) -> MjcfModel:
        """Return the MJCF file, compiled once to find the inertia at each motor and once as a check.

        Args:
            motors: Motors by joint.
            couplings: Relations between joints.

        Raises:
            InputError: If MuJoCo does not compile the model.
        """
        couplings = tuple(couplings)
        bare = ElementTree.tostring(self._document({}, couplings, {}, shapes=False))
        inertias = _inertias(self._compiled(bare, {}), motors)
        armatures = {
            name: round(least, 12)
            for name, motor in motors.items()
            if (least := motor.armature(inertias[name], self._substep)) > 0.0
        }
        root = self._document(motors, couplings, armatures, shapes=True)
        ElementTree.indent(root)
        text = ElementTree.tostring(root) + b'\n'
        self._compiled(text, {f'{MESHES}/{name}': content for name, content in self._meshes.items()})
        return MjcfModel(text, dict(self._meshes), armatures)

    def _compiled(self, text: bytes, assets: dict[str, bytes]) -> mujoco.MjModel:
        try:
            return mujoco.MjModel.from_xml_string(text.decode(), assets=assets)
        except ValueError as error:
            problem = f'does not compile in MuJoCo: {" ".join(str(error).split())}'
            raise InputError(Problem(str(self._robot.file), '', problem, 'a robot that MuJoCo compiles')) from None

    def _document(
        self,
        motors: Mapping[str, Motor],
        couplings: Iterable[Coupling],
        armatures: Mapping[str, float],
        *,
        shapes: bool,
    ) -> XmlElement:
        robot = self._robot
        root = ElementTree.Element('mujoco', model=robot.name)
        ElementTree.SubElement(root, 'compiler', angle='radian', autolimits='true', inertiafromgeom='false')
        option = ElementTree.SubElement(root, 'option', integrator='implicitfast')
        ElementTree.SubElement(option, 'flag', contact='disable')
        default = ElementTree.SubElement(root, 'default')
        ElementTree.SubElement(default, 'geom', contype='0', conaffinity='0', group='2')
        ElementTree.SubElement(default, 'mesh', inertia='shell')
        asset = ElementTree.SubElement(root, 'asset')
        world = ElementTree.SubElement(root, 'worldbody')
        self._add(world, robot.links[robot.chassis], None, Pose(), armatures, shapes)
        for name in sorted(self._meshes) if shapes else ():
            ElementTree.SubElement(asset, 'mesh', name=name.removesuffix('.obj'), file=f'{MESHES}/{name}')
        equality = ElementTree.SubElement(root, 'equality')
        for c in couplings:
            mine, other = self.sign(c.joint), self.sign(c.other)
            terms = _text((mine * c.offset, mine * other * c.multiplier, 0.0, 0.0, 0.0))
            name = f'{c.joint}_follows_{c.other}'
            ElementTree.SubElement(
                equality, 'joint', {'name': name, 'joint1': c.joint, 'joint2': c.other, 'polycoef': terms, **_COUPLING}
            )
        actuator = ElementTree.SubElement(root, 'actuator')
        for motor in motors.values():
            common = {'name': motor.joint, 'joint': motor.joint, 'forcerange': _text((-motor.effort, motor.effort))}
            if motor.of_speed:
                ElementTree.SubElement(actuator, 'velocity', {**common, 'kv': _text(motor.gain)})
            else:
                if (limits := self.limits(motor.joint)) is not None:
                    common['ctrlrange'] = _text(limits)
                ElementTree.SubElement(actuator, 'position', {**common, 'kp': _text(motor.gain), 'dampratio': '1'})
        for empty in [element for element in root if len(element) == 0 and element.tag not in ('compiler',)]:
            root.remove(empty)
        return root

    def _add(
        self,
        parent: XmlElement,
        link: Link,
        joint: Joint | None,
        frame: Pose,
        armatures: Mapping[str, float],
        shapes: bool,
    ) -> None:
        """Add a link and all links below it.

        Args:
            parent: Body of the parent.
            link: Link to add.
            joint: Joint that carries it; None for the chassis.
            frame: Pose of the parent link's frame in the parent's body.
            armatures: Inertia of motors by joint.
            shapes: Whether visual shapes are added.
        """
        wheel = self._wheels.get(link.name)
        shift = np.zeros(3) if wheel is None or self._on_center(link.name) else wheel.tread.center
        pose = frame if joint is None else frame.of(joint.pose)
        body = ElementTree.SubElement(parent, 'body', name=self.body(link.name))
        _place(body, Pose(pose.point(shift), pose.orientation))
        inner = Pose(-shift)
        if joint is None:
            ElementTree.SubElement(body, 'freejoint')
        elif joint.moves:
            self._joint(body, joint, armatures.get(joint.name, 0.0))
        if link.inertial is not None and link.inertial.mass > 0.0:
            _inertial(body, link.inertial, inner)
        if shapes:
            for shape in link.visuals or link.collisions:
                self._shape(body, shape, inner)
        if wheel is not None and self.body(link.name) != link.name:
            _place(ElementTree.SubElement(body, 'body', name=link.name), inner)
        for other in self._robot.children(link.name):
            self._add(body, self._robot.links[other.child], other, inner, armatures, shapes)

    def _joint(self, body: XmlElement, joint: Joint, armature: float) -> None:
        """Add the joints of a body; planar and ball joints are three."""
        common: dict[str, str] = {}
        if joint.damping > 0.0:
            common['damping'] = _text(joint.damping)
        if joint.friction > 0.0:
            common['frictionloss'] = _text(joint.friction)
        if joint.kind == 'ball':
            for k in (
                1,
                0,
                2,
            ):  # a ball that rolls ahead turns about the first axis, far from the singularity of the second
                name, axis = 'xyz'[k], np.eye(3)[k]
                ElementTree.SubElement(body, 'joint', {'name': f'{joint.name}_{name}', 'axis': _text(axis), **common})
            return
        if joint.kind == 'planar':
            across = np.cross(joint.axis, np.eye(3)[int(np.argmin(np.abs(joint.axis)))])
            across /= portable_math.norm(across)
            for name, axis in (('x', across), ('y', np.cross(joint.axis, across))):
                slide = {'name': f'{joint.name}_{name}', 'type': 'slide', 'axis': _text(axis), **common}
                ElementTree.SubElement(body, 'joint', slide)
            ElementTree.SubElement(body, 'joint', {'name': f'{joint.name}_yaw', 'axis': _text(joint.axis), **common})
            return
        common |= {'name': joint.name, 'type': 'slide' if joint.kind == 'prismatic' else 'hinge'}
        common['axis'] = _text(self.sign(joint.name) * joint.axis)
        if (limits := self.limits(joint.name)) is not None:
            common['range'] = _text(limits)
        if joint.effort:
            common['actuatorfrcrange'] = _text((-joint.effort, joint.effort))
        if armature > 0.0:
            common['armature'] = _text(armature)
        ElementTree.SubElement(body, 'joint', common)

    def _shape(self, body: XmlElement, shape: Shape, frame: Pose) -> None:
        pose = frame.of(shape.pose)
        color = {'rgba': _text(shape.rgba)} if shape.rgba is not None else {}
        if shape.kind != 'mesh':
            radius, *length = shape.size if shape.kind != 'box' else (0.0,)
            size = 0.5 * np.array(shape.size) if shape.kind == 'box' else (radius, *(0.5 * x for x in length))
            _place(ElementTree.SubElement(body, 'geom', {'type': shape.kind, 'size': _text(size), **color}), pose)
            return
        for triangles, own in shape_parts(shape):
            corners, faces = welded(triangles)
            if len(corners) < 4 or np.linalg.matrix_rank(corners - corners[0], tol=1e-9) < 3:
                self._robot.notes.append(f'{shape.at.where}: {shape.at.title}: a flat part of the mesh is not drawn')
                continue
            name = self._mesh(shape, obj_file(corners, faces))
            painted = color or ({'rgba': _text(own)} if own is not None else {})
            geom = ElementTree.SubElement(body, 'geom', {'type': 'mesh', 'mesh': name.removesuffix('.obj'), **painted})
            _place(geom, pose)

    def _mesh(self, shape: Shape, content: bytes) -> str:
        """Add a mesh file; equal ones are written once."""
        assert shape.mesh is not None
        stem = ''.join(c if c.isalnum() else '_' for c in shape.mesh.stem)
        name = f'{stem}_{hashlib.sha256(content).hexdigest()[:8]}.obj'
        self._meshes[name] = content
        return name


def _inertias(model: mujoco.MjModel, motors: Iterable[str]) -> dict[str, float]:
    """Return the inertia that each motor's joint carries with all joints at zero [kg m^2 or kg]."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return {name: float(full[k, k]) for name in motors for k in [int(model.joint(name).dofadr[0])]}


def _text(values: object) -> str:
    return ' '.join(f'{float(value) + 0.0!r}' for value in np.atleast_1d(np.asarray(values, dtype=np.float64)))


def _place(element: XmlElement, pose: Pose) -> None:
    """Set the pose of a body or geom; omitted where it is that of the parent."""
    if pose.position.any():
        element.set('pos', _text(pose.position))
    x, y, z, w = pose.orientation.tolist()
    if (x, y, z) != (0.0, 0.0, 0.0):
        element.set('quat', _text((w, x, y, z)))


def _inertial(body: XmlElement, inertial: Inertial, frame: Pose) -> None:
    pose = frame.of(inertial.pose)
    turn = pose.matrix
    inertia = portable_math.times(portable_math.times(turn, inertial.inertia), turn.T)
    element = ElementTree.SubElement(body, 'inertial', mass=_text(inertial.mass), pos=_text(pose.position))
    element.set('fullinertia', _text([inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]))
