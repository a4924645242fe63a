# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Frame tree and URDF of a vehicle, for drawing, planning and transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.multibody import Multibody, quaternion_to_ros
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]
Element = ElementTree.Element

_LEVEL = np.array([0.0, 0.0, 0.0, 1.0])
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_BOX, _CYLINDER, _SPHERE, _CAPSULE, _MESH = (
    int(getattr(mujoco.mjtGeom, f'mjGEOM_{kind}')) for kind in ('BOX', 'CYLINDER', 'SPHERE', 'CAPSULE', 'MESH')
)


@dataclass(frozen=True, slots=True)
class FrameJoint:
    """Joint between two links."""

    name: str
    """Name in ``joint_states``; generated for fixed joints."""
    index: int
    """Index in the joint states; -1: fixed."""
    hinge: bool
    """Whether it is a hinge; else it is a slide."""
    parent: str
    """Parent link."""
    child: str
    """Child link."""
    position: Vector
    """Position of the child in the parent with the joint at zero [m], shape (3,)."""
    orientation: Vector
    """Orientation of the child in the parent with the joint at zero, quaternion (x, y, z, w)."""
    axis: Vector
    """Unit vector of the axis in the child, shape (3,)."""


class JointPoses:
    """Poses of the child links of some joints in their parents, computed for all joints at once.

    A rotation is linear in the cosine and the sine of its half angle, a translation in its length. All other terms are
    constant.
    """

    def __init__(self, joints: Sequence[FrameJoint]) -> None:
        moving = [(row, joint) for row, joint in enumerate(joints) if joint.index >= 0]
        self._rest = np.array([(*joint.position, *joint.orientation) for joint in joints]).reshape(-1, 7)
        self._rows = [row for row, _ in moving]
        self._indices = [joint.index for _, joint in moving]
        self._turns = np.array([0.5 * joint.hinge for _, joint in moving])
        slides = [(not j.hinge) * rotation.matrix(j.orientation) @ j.axis for _, j in moving]
        self._slide = np.array(slides).reshape(-1, 3)
        self._turned = np.array([rotation.product(j.orientation, np.append(j.axis, 0.0)) for _, j in moving]).reshape(
            -1, 4
        )
        self._start = self._rest[self._rows]

    def at(self, positions: Vector) -> Vector:
        """Return positions [m] and quaternions (x, y, z, w), shape (joints, 7).

        Args:
            positions: Positions of all joints, in the order of the joint states [rad or m].
        """
        out = self._rest.copy()
        if self._rows:
            way = positions[self._indices]
            half = self._turns * way
            cosine, sine = portable_math.each(math.cos, half)[:, None], portable_math.each(math.sin, half)[:, None]
            out[self._rows, :3] = self._start[:, :3] + self._slide * way[:, None]
            out[self._rows, 3:] = cosine * self._start[:, 3:] + sine * self._turned
        return out


def link_names(config: VehicleModelConfig, body: Multibody) -> dict[int, str]:
    """Return the frame id of each body by its index: the base frame, WHEEL_link, or the MJCF body's name."""
    model = body.model
    names = {b: model.body(b).name or f'body_{b}' for b in range(1, model.nbody) if _root(model, b) == body.base}
    names.update({int(b): f'{wheel.name}_link' for b, wheel in zip(body.wheel_body, config.wheels)})
    names[body.base] = config.frames.base
    return names


def frame_joints(config: VehicleModelConfig, body: Multibody) -> tuple[FrameJoint, ...]:
    """Return all joints of a vehicle's tree below its base, parents first.

    A joint off its body's origin, and the second joint of a body, get additional links in between.
    """
    model, links = body.model, link_names(config, body)
    order = {name: k for k, name in enumerate(body.joints)}
    joints: list[FrameJoint] = []
    for b in sorted(links):
        if b == body.base:
            continue
        parent = links[int(model.body_parentid[b])]
        position, orientation = model.body_pos[b].copy(), quaternion_to_ros(model.body_quat[b])
        first = int(model.body_jntadr[b])
        own = range(first, first + int(model.body_jntnum[b])) if first >= 0 else range(0)
        for k in own:
            anchor, axis, hinge = model.jnt_pos[k], model.jnt_axis[k].copy(), int(model.jnt_type[k]) == _HINGE
            rest = -float(model.qpos0[model.jnt_qposadr[k]]) * axis
            position = position + rotation.matrix(orientation) @ anchor
            if hinge:
                orientation = rotation.product(orientation, rotation.from_rotation_vector(rest))
            else:
                position = position + rotation.matrix(orientation) @ rest
            last = k == own[-1] and not anchor.any()
            child = links[b] if last else f'{model.joint(k).name}_axis'
            name = model.joint(k).name
            joints.append(FrameJoint(name, order[name], hinge, parent, child, position, orientation, axis))
            parent, position, orientation = child, -anchor, _LEVEL
        if parent != links[b]:
            joints.append(
                FrameJoint(f'{links[b]}_fixed', -1, False, parent, links[b], position, orientation, np.zeros(3))
            )
    return tuple(joints)


def robot_description(config: VehicleModelConfig, body: Multibody, name: str) -> str:
    """Return the URDF of a vehicle: frames as on ``/tf`` without their prefix, joints as in ``joint_states``.

    Args:
        config: Vehicle model.
        body: Multibody model.
        name: Name of the robot.
    """
    model, links = body.model, link_names(config, body)
    joints = frame_joints(config, body)
    robot = ElementTree.Element('robot', name=name)
    of_link = {link: b for b, link in links.items()}
    for link in [config.frames.base, *(joint.child for joint in joints)]:
        element = ElementTree.SubElement(robot, 'link', name=link)
        if link in of_link:
            _describe_body(element, model, of_link[link])
            _describe_wheel(element, config, body, of_link[link])
            _describe_collision(element, config, body, of_link[link])
    for joint in joints:
        _describe_joint(ElementTree.SubElement(robot, 'joint', name=joint.name), joint, config, body)
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def _root(model: Any, b: int) -> int:
    """Return the ancestor of a body, or the body itself, that has the free joint."""
    while int(model.body_parentid[b]) != 0:
        b = int(model.body_parentid[b])
    return b


def _text(values: Any) -> str:
    return ' '.join(f'{float(value):.9g}' for value in np.atleast_1d(values))


def _origin(element: Element, position: Vector, orientation: Vector) -> None:
    """Add an origin; URDF uses fixed-axis roll, pitch and yaw."""
    rpy = rotation.to_rpy(rotation.matrix(orientation))
    ElementTree.SubElement(element, 'origin', xyz=_text(position), rpy=_text(rpy))


def _describe_body(element: Element, model: Any, b: int) -> None:
    mass = float(model.body_mass[b])
    if mass > 0.0:
        inertial = ElementTree.SubElement(element, 'inertial')
        _origin(inertial, model.body_ipos[b], quaternion_to_ros(model.body_iquat[b]))
        ElementTree.SubElement(inertial, 'mass', value=_text(mass))
        x, y, z = (_text(value) for value in model.body_inertia[b])
        ElementTree.SubElement(inertial, 'inertia', ixx=x, iyy=y, izz=z, ixy='0', ixz='0', iyz='0')
    first = int(model.body_geomadr[b])
    for g in range(first, first + int(model.body_geomnum[b])):
        position, orientation = model.geom_pos[g], quaternion_to_ros(model.geom_quat[g])
        size, material = model.geom_size[g], int(model.geom_matid[g])
        color = model.mat_rgba[material] if material >= 0 else model.geom_rgba[g]
        for shift, shape in _shapes(model, g, size):
            visual = ElementTree.SubElement(element, 'visual')
            _origin(visual, position + rotation.matrix(orientation) @ shift, orientation)
            shape(ElementTree.SubElement(visual, 'geometry'))
            paint = ElementTree.SubElement(visual, 'material', name=f'geom_{g}')
            ElementTree.SubElement(paint, 'color', rgba=_text(color))


def _shapes(model: Any, g: int, size: Vector) -> list[tuple[Vector, Callable[[Element], Element]]]:
    """Return the parts of a geom in URDF: offsets along its axes, and functions that write the geometry."""
    kind = int(model.geom_type[g])
    here = np.zeros(3)
    if kind == _BOX:
        return [(here, lambda e: ElementTree.SubElement(e, 'box', size=_text(2.0 * size)))]
    if kind == _SPHERE:
        return [(here, lambda e: ElementTree.SubElement(e, 'sphere', radius=_text(size[0])))]
    if kind in (_CYLINDER, _CAPSULE):
        end = np.array([0.0, 0.0, float(size[1])])
        length = {'radius': _text(size[0]), 'length': _text(2.0 * size[1])}
        parts = [(here, lambda e: ElementTree.SubElement(e, 'cylinder', length))]
        if kind == _CAPSULE:
            ball = {'radius': _text(size[0])}
            parts += [(shift, lambda e: ElementTree.SubElement(e, 'sphere', ball)) for shift in (end, -end)]
        return parts
    # MuJoCo moves meshes to their centers; they are drawn from the description's model_file.
    return []


def _describe_wheel(element: Element, config: VehicleModelConfig, body: Multibody, b: int) -> None:
    """Add a plain cylinder to the visuals of a wheel that the MJCF file draws as a mesh."""
    model = body.model
    first, count = int(model.body_geomadr[b]), int(model.body_geomnum[b])
    for wheel, of_wheel, joint in zip(config.wheels, body.wheel_body, body.wheel_joint):
        if int(of_wheel) == b and _MESH in model.geom_type[first : first + count].tolist():
            visual = ElementTree.SubElement(element, 'visual')
            _origin(visual, np.zeros(3), _from_z_to(model.jnt_axis[joint]))
            size = {'radius': _text(wheel.radius_m), 'length': _text(wheel.width_m)}
            ElementTree.SubElement(ElementTree.SubElement(visual, 'geometry'), 'cylinder', size)


def _describe_collision(element: Element, config: VehicleModelConfig, body: Multibody, b: int) -> None:
    """Add collision shapes: those of the base for contacts with other vehicles, and those of the wheels."""
    if b == body.base:
        for shape in config.collision.shapes:
            collision = ElementTree.SubElement(element, 'collision')
            _origin(collision, np.array(shape.position), np.array(shape.orientation))
            geometry = ElementTree.SubElement(collision, 'geometry')
            if shape.kind == 'box':
                ElementTree.SubElement(geometry, 'box', size=_text(2.0 * np.array(shape.size)))
            elif shape.kind == 'sphere':
                ElementTree.SubElement(geometry, 'sphere', radius=_text(shape.size[0]))
            else:  # URDF has no capsules
                radius, half = shape.size[0], shape.size[-1]
                length = 2.0 * (half + (radius if shape.kind == 'capsule' else 0.0))
                ElementTree.SubElement(geometry, 'cylinder', radius=_text(radius), length=_text(length))
    for wheel, of_wheel, joint in zip(config.wheels, body.wheel_body, body.wheel_joint):
        if int(of_wheel) == b:
            collision = ElementTree.SubElement(element, 'collision')
            _origin(collision, np.zeros(3), _from_z_to(body.model.jnt_axis[joint]))
            geometry = ElementTree.SubElement(collision, 'geometry')
            size = {'radius': _text(wheel.radius_m), 'length': _text(wheel.width_m)}
            ElementTree.SubElement(geometry, 'cylinder', size)


def _from_z_to(axis: Vector) -> Vector:
    """Return the rotation (x, y, z, w) that turns +z into an axis."""
    across = np.cross((0.0, 0.0, 1.0), axis)
    norm = float(np.linalg.norm(across))
    if norm < 1e-12:
        return _LEVEL
    return rotation.from_rotation_vector(across / norm * math.atan2(norm, float(axis[2])))


def _describe_joint(element: Element, joint: FrameJoint, config: VehicleModelConfig, body: Multibody) -> None:
    _origin(element, joint.position, joint.orientation)
    ElementTree.SubElement(element, 'parent', link=joint.parent)
    ElementTree.SubElement(element, 'child', link=joint.child)
    if joint.index < 0:
        element.set('type', 'fixed')
        return
    model = body.model
    k = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
    limited = bool(model.jnt_limited[k])
    element.set('type', ('revolute' if limited else 'continuous') if joint.hinge else 'prismatic')
    ElementTree.SubElement(element, 'axis', xyz=_text(joint.axis))
    driven = [a for a in range(model.nu) if int(model.actuator_trnid[a, 0]) == k]
    forces = [float(model.actuator_forcerange[a, 1]) for a in driven if model.actuator_forcelimited[a]]
    effort = max(forces, default=0.0)
    speed = math.radians(config.steering.max_rate_degps)
    if k in body.wheel_joint:
        speed = config.wheel_drive.max_wheel_speed_radps
    elif (own := config.joints.get(joint.name)) is not None:
        of_position = any(model.actuator_biasprm[a, 1] != 0.0 for a in driven)
        speed = own.rate if of_position else max(abs(limit) for limit in own.limits)
    limit = {'effort': _text(effort), 'velocity': _text(speed)}
    if limited or not joint.hinge:
        low, high = model.jnt_range[k] if limited else (-1.0, 1.0)
        limit |= {'lower': _text(low), 'upper': _text(high)}
    ElementTree.SubElement(element, 'limit', limit)
    dof = int(model.jnt_dofadr[k])
    damping, friction = _text(model.dof_damping[dof]), _text(model.dof_frictionloss[dof])
    ElementTree.SubElement(element, 'dynamics', damping=damping, friction=friction)
