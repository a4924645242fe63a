# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as read from a URDF or SDF file: links, joints, shapes and sensors, each with its place in the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.robot_import.xml_elements import Element
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Pose of a frame in another one."""

    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Position [m], shape (3,)."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Orientation, quaternion (x, y, z, w)."""

    @property
    def matrix(self) -> Vector:
        """Rotation matrix from this frame to the other one, shape (3, 3)."""
        return rotation.matrix(self.orientation)

    def of(self, inner: Pose) -> Pose:
        """Return the pose in the outer frame of a frame that has the pose ``inner`` in this one."""
        return Pose(self.point(inner.position), rotation.product(self.orientation, inner.orientation))

    def point(self, position: Vector) -> Vector:
        """Return a point of this frame in the other one [m], shape (3,)."""
        return self.position + self.direction(position)

    def direction(self, vector: Vector) -> Vector:
        """Return a vector of this frame in the axes of the other one, shape (3,)."""
        return np.asarray(portable_math.times(self.matrix, vector[:, None])[:, 0])

    @property
    def inverse(self) -> Pose:
        """Pose of the other frame in this one."""
        back = self.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
        return Pose(Pose(np.zeros(3), back).direction(-self.position), back)


def from_rpy(position: Vector, rpy: Vector) -> Pose:
    """Return the pose of a URDF or SDF ``origin``: roll, pitch and yaw [rad] about fixed axes, x first."""
    half = (0.5 * rpy).tolist()
    turns = [np.array([*(math.sin(h) * np.eye(3)[k]), math.cos(h)]) for k, h in enumerate(half)]
    return Pose(position, rotation.product(turns[2], rotation.product(turns[1], turns[0])))


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass of a link."""

    mass: float
    """Mass [kg]."""
    pose: Pose
    """Center of mass and axes of the inertia in the link's frame."""
    inertia: Vector
    """Inertia about the center of mass [kg m^2], shape (3, 3)."""
    at: Element
    """Element of the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Visual or collision shape of a link."""

    kind: str
    """'box', 'cylinder', 'sphere', 'capsule' or 'mesh'."""
    size: tuple[float, ...]
    """Size [m]. Box: lengths of the sides. Cylinder and capsule: radius, length along z. Sphere: radius."""
    pose: Pose
    """Pose in the link's frame."""
    at: Element
    """Element of the file."""
    mesh: Path | None = None
    """Mesh file."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factors on the coordinates of the mesh [-]."""
    rgba: tuple[float, ...] | None = None
    """Color of a visual shape."""


@dataclass(slots=True, eq=False)
class Link:
    """Rigid body of a robot."""

    name: str
    at: Element
    """Element of the file."""
    inertial: Inertial | None = None
    visuals: list[Shape] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mimic:
    """Relation of a joint to another one: position = multiplier times the other position + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(slots=True, eq=False)
class Joint:
    """Joint between two links."""

    name: str
    kind: str
    """'fixed', 'continuous', 'revolute', 'prismatic', 'planar' or 'ball'."""
    parent: str
    child: str
    pose: Pose
    """Pose of the child in the parent with the joint at zero."""
    axis: Vector
    """Unit vector of the axis in the child's frame, shape (3,)."""
    at: Element
    """Element of the file."""
    limits: tuple[float, float] | None = None
    """Lower and upper position [rad or m]."""
    effort: float | None = None
    """Maximum effort [N m or N]; None if the file does not state it."""
    velocity: float | None = None
    """Maximum speed [rad/s or m/s]; None if the file does not state it."""
    damping: float = 0.0
    """Viscous damping [N m s/rad or N s/m]."""
    friction: float = 0.0
    """Coulomb friction [N m or N]."""
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """Whether the child can move relative to the parent."""
        return self.kind != 'fixed'


@dataclass(frozen=True, slots=True)
class DriveHint:
    """Differential drive plug-in of a simulator, which names the driven wheels."""

    joints: tuple[str, ...]
    separation: float | None
    """Distance between left and right wheels [m]."""
    radius: float | None
    """Radius of the wheels [m]."""
    effort: float | None
    """Maximum torque of a wheel [N m]."""


@dataclass(frozen=True, slots=True, eq=False)
class SensorHint:
    """Sensor that the file describes for another simulator."""

    name: str
    link: str
    pose: Pose
    """Pose in the link's frame."""
    at: Element
    """Element ``sensor`` of SDF."""


@dataclass(slots=True, eq=False)
class Robot:
    """Robot of one file."""

    name: str
    file: Path
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    interfaces: dict[str, str] = field(default_factory=dict)
    """Command interface of joints by name, 'position', 'velocity' or 'effort', from ros2_control or transmissions."""
    drive: DriveHint | None = None
    sensors: list[SensorHint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was ignored or replaced, one line each."""
    chassis: str = ''
    """Link with the free joint; see :func:`regolith_vehicles.robot_import.tree.root_at_chassis`."""

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint that carries a link; None for the root."""
        return next((joint for joint in self.joints.values() if joint.child == link), None)

    def children(self, link: str) -> list[Joint]:
        """Return the joints whose parent is a link, in the order of the file."""
        return [joint for joint in self.joints.values() if joint.parent == link]

    def below(self, link: str) -> Iterator[Link]:
        """Yield a link and all links that it carries, parents first."""
        yield self.links[link]
        for joint in self.children(link):
            yield from self.below(joint.child)

    def rigid_group(self, link: str) -> Iterator[tuple[Link, Pose]]:
        """Yield a link and the links fixed to it, with their poses in its frame."""
        yield self.links[link], Pose()
        for joint in self.children(link):
            if not joint.moves:
                for inner, pose in self.rigid_group(joint.child):
                    yield inner, joint.pose.of(pose)

    def rigid_shapes(self, link: str, *, visual: bool) -> list[Shape]:
        """Return the visual or collision shapes of a link and of the links fixed to it, in the link's frame."""
        return [
            replace(shape, pose=pose.of(shape.pose))
            for inner, pose in self.rigid_group(link)
            for shape in (inner.visuals if visual else inner.collisions)
        ]

    def rest_pose(self, link: str) -> Pose:
        """Return the pose of a link in the chassis with all joints at zero."""
        joint = self.parent_joint(link)
        if link == self.chassis or joint is None:
            return Pose()
        return self.rest_pose(joint.parent).of(joint.pose)
