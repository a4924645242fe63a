# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Linkage types of the scenario section ``objects``: ``linkage`` and ``rope``, a chain of rods."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_world.cycle.records import Shape, ShapeKind, Vector
from regolith_world.numerics.portable_math import dot, each, norm, times
from regolith_world.numerics.rotation import from_matrix, from_rpy_deg, matrix
from regolith_world.objects.linkages.joints import DAMPED, LinkageJoint
from regolith_world.objects.linkages.linkage import SUBSTEP_S, Linkage, link_index
from regolith_world.objects.object import Object, SavedObject
from regolith_world.objects.object_types import Degrees, Meters, ObjectType, Place, ShapeConfig, Size
from regolith_world.objects.rigid_state import box_inertia, make_rigid_state, sphere_inertia

Kilograms = Annotated[float, Field(ge=1e-6, le=1e6)]
_BETWEEN_POINTS = ('distance', 'spring')
_WITH_AXIS = ('hinge', 'slider', 'cylinder', 'line', 'plane')
WORLD_NAME = 'world'
"""Name that stands for the world in place of a body."""


class LinkConfig(Section):
    """A homogeneous body of a linkage. Its origin is its center of mass."""

    shape: ShapeConfig = Field(description='Collision shape of the body, without position.')
    mass_kg: Kilograms = Field(description='Mass [kg].')
    position: Place = Field(description='Initial center of mass in the frame of the linkage [m].')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field(
        (0.0, 0.0, 0.0), description='Initial roll, pitch and yaw in the frame of the linkage [deg].'
    )
    velocity_mps: tuple[Meters, Meters, Meters] = Field(
        (0.0, 0.0, 0.0), description='Initial velocity in the frame of the linkage [m/s].'
    )
    angular_velocity_radps: tuple[Meters, Meters, Meters] = Field(
        (0.0, 0.0, 0.0), description='Initial angular velocity in the frame of the linkage [rad/s].'
    )

    @model_validator(mode='after')
    def _centered(self) -> LinkConfig:
        if any(self.shape.position):
            raise ValueError(
                f'shape.position = {list(self.shape.position)!r}: does not apply to a link; allowed: left out'
            )
        return self


class LinkageJointConfig(Section):
    """A joint between two bodies of a linkage, or between a body and the world."""

    kind: Literal['ball', 'hinge', 'slider', 'cylinder', 'fixed', 'line', 'plane', 'distance', 'spring'] = Field(
        description='Kind of joint: fixed; ball; hinge (rotation about axis); slider (translation along axis); '
        'cylinder '
        '(both); line (a point of the second body stays on the axis through at); plane (it stays in the plane normal '
        'to '
        'axis through at); distance (constant distance of two points); spring (tension and compression).'
    )
    between: tuple[str, str] = Field(description='Names of two bodies, or of one body and world.')
    at: Place | None = Field(
        None, description='Initial position of the joint in the frame of the linkage [m]; not for distance and spring.'
    )
    axis: Place | None = Field(
        None,
        description='Hinge, slider, cylinder, line and plane only: axis in the frame of the linkage; null: z.',
    )
    ends: tuple[Place, Place] | None = Field(
        None,
        description='Distance and spring only: initial attachment points on the two bodies in the frame of the '
        'linkage [m].',
    )
    damping: float = Field(
        0.0,
        ge=0.0,
        le=1e9,
        description='Damping coefficient: of rotation [N m s/rad], of translation and springs [N s/m].',
    )
    stiffness_npm: float | None = Field(None, gt=0.0, le=1e9, description='Spring only: stiffness [N/m].')
    rest_length_m: float | None = Field(
        None, ge=0.0, le=1e5, description='Spring only: rest length [m]; null: initial distance of the ends.'
    )

    @model_validator(mode='after')
    def _whole(self) -> LinkageJointConfig:
        apart = self.kind in _BETWEEN_POINTS
        for key, wanted in (
            ('at', not apart),
            ('ends', apart),
            ('stiffness_npm', self.kind == 'spring'),
        ):
            if (getattr(self, key) is not None) != wanted:
                if wanted:
                    raise ValueError(f'{key} = null: is required for a {self.kind}; allowed: a value')
                raise ValueError(f'{key} = {getattr(self, key)!r}: does not apply to a {self.kind}; allowed: left out')
        for key, wanted in (('axis', self.kind in _WITH_AXIS), ('rest_length_m', self.kind == 'spring')):
            if getattr(self, key) is not None and not wanted:
                raise ValueError(f'{key} = {getattr(self, key)!r}: does not apply to a {self.kind}; allowed: left out')
        if self.damping and self.kind not in DAMPED:
            raise ValueError(
                f'damping = {self.damping!r}: does not apply to a {self.kind}; allowed: 0, or kind {", ".join(DAMPED)}'
            )
        if self.axis is not None and not math.hypot(*self.axis) > 1e-6:
            raise ValueError(f'axis = {list(self.axis)!r}: has no direction; allowed: a nonzero vector')
        if self.ends is not None and math.dist(*self.ends) < 1e-3:
            raise ValueError(
                f'ends = {[list(end) for end in self.ends]!r}: are too close together; allowed: at least 1 mm apart'
            )
        return self

    def joint(self, numbers: tuple[int, int], origin: Vector, turn: Vector) -> LinkageJoint:
        """Return the joint in the world frame.

        Args:
            numbers: Indices of its bodies.
            origin: Origin of the linkage's frame in the world frame [m], shape (3,).
            turn: Rotation from the linkage's frame to the world frame, shape (3, 3).
        """
        given = self.ends if self.ends is not None else (self.at, self.at)
        near, far = (origin + times(turn, np.array(point, float)) for point in given)
        axis = times(turn, np.array(self.axis or (0.0, 0.0, 1.0)))
        axis /= norm(axis)
        rest = self.rest_length_m if self.rest_length_m is not None else math.dist(near, far)
        return LinkageJoint(self.kind, numbers, (near, far), axis, self.damping, self.stiffness_npm or 0.0, rest)


class _System(Section):
    restitution: float = Field(
        0.0, ge=0.0, le=1.0, description='Coefficient of restitution [-]; 0: plastic, 1: elastic.'
    )
    friction: float = Field(0.5, ge=0.0, le=10.0, description='Coulomb friction coefficient [-].')
    weightless: bool = Field(False, description='Whether gravity does not act on the bodies.')
    substep_s: float = Field(SUBSTEP_S, ge=1e-6, le=0.1, description='Maximum substep size [s].')
    self_contact: bool = Field(
        False,
        description='Whether its bodies collide with one another, except those with at most one body between them.',
    )


class LinkageConfig(_System):
    """Bodies connected by joints, such as a pendulum, a gate or a four-bar linkage."""

    type: Literal['linkage'] = 'linkage'
    position: Place = Field((0.0, 0.0, 0.0), description="Origin of the linkage's frame in the world frame [m].")
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field(
        (0.0, 0.0, 0.0), description="Roll, pitch and yaw of the linkage's frame [deg]."
    )
    bodies: dict[str, LinkConfig] = Field(min_length=1, max_length=500, description='Bodies of the linkage by name.')
    joints: tuple[LinkageJointConfig, ...] = Field(
        max_length=1000, description='Joints of the linkage; along a chain, in order from one end to the other.'
    )

    @model_validator(mode='after')
    def _known(self) -> LinkageConfig:
        for name in self.bodies:
            if not name.isidentifier() or name == WORLD_NAME:
                allowed = f'letters, digits and _, not {WORLD_NAME!r}'
                raise ValueError(f'bodies.{name} = {name!r}: is not a valid name; allowed: {allowed}')
        for k, joint in enumerate(self.joints):
            odd = [body for body in joint.between if body not in (*self.bodies, WORLD_NAME)]
            if odd or joint.between[0] == joint.between[1]:
                raise ValueError(
                    f'joints.{k}.between = {list(joint.between)!r}: are not two bodies; allowed: two of {WORLD_NAME}, '
                    f'{", ".join(self.bodies)}'
                )
            if joint.kind == 'spring':
                self._stable(k, joint)
        return self

    def _stable(self, k: int, joint: LinkageJointConfig) -> None:
        """Reject a spring that vibrates faster than the substeps resolve."""
        lightest = min(self.bodies[body].mass_kg for body in joint.between if body != WORLD_NAME)
        # Two equal masses and an attachment off the center of mass multiply the squared frequency by up to 8.
        longest = math.sqrt(lightest / (8.0 * (joint.stiffness_npm or 0.0)))
        if self.substep_s > longest:
            raise ValueError(
                f'joints.{k}.stiffness_npm = {joint.stiffness_npm!r}: is too stiff for {lightest:g} kg; allowed: with '
                f'substep_s up to {longest:.2g}'
            )


class RopeConfig(_System):
    """A rope of rods connected by ball joints. It starts as an arc that hangs from its ends."""

    type: Literal['rope'] = 'rope'
    ends: tuple[Place, Place] = Field(
        description='Initial positions of the two ends of the rope in the world frame [m].'
    )
    fixed_ends: Literal['both', 'first', 'none'] = Field(
        'both',
        description='Ends that stay at their initial positions in the world frame: both, first or none. Other ends'
        ' move freely.',
    )
    length_m: float = Field(gt=0.0, le=1e4, description='Length of the rope [m].')
    rods: int = Field(ge=1, le=500, description='Number of rods.')
    mass_kg: Kilograms = Field(description='Mass of the whole rope [kg].')
    radius_m: Size = Field(0.01, description='Radius of the rope [m].')
    damping: float = Field(0.0, ge=0.0, le=1e6, description='Rotational damping of each joint [N m s/rad].')

    @model_validator(mode='after')
    def _reaches(self) -> RopeConfig:
        apart = math.dist(*self.ends)
        if not 1e-6 < apart <= self.length_m * (1.0 + 1e-9):
            raise ValueError(
                f'length_m = {self.length_m!r}: does not fit ends {apart:.6g} m apart; allowed: at least this '
                'distance, and two different ends'
            )
        if self.length_m / self.rods < 2.0 * self.radius_m:
            length = self.length_m / self.rods
            raise ValueError(
                f'rods = {self.rods!r}: gives rods of {length:.3g} m; allowed: rods of at least twice radius_m'
            )
        return self

    def nodes(self) -> Vector:
        """Return the initial ends of the rods, on an arc that hangs from the rope's ends [m], shape (rods + 1, 3)."""
        first, last = (np.array(end, float) for end in self.ends)
        along = last - first
        chord = norm(along)
        along = along / chord
        down = np.array([0.0, 0.0, -1.0])
        across = down - dot(down, along) * along
        if norm(across) < 1e-6:
            across = np.array([1.0, 0.0, 0.0])
        across = across / norm(across)
        rod, count = self.length_m / self.rods, self.rods
        low, high = 0.0, 2.0 * math.pi / count
        # The chord of the arc decreases with the angle between successive rods: bisect for the angle.
        for _ in range(100):
            bend = 0.5 * (low + high)
            wide = rod * count if bend < 1e-12 else rod * math.sin(0.5 * count * bend) / math.sin(0.5 * bend)
            low, high = (bend, high) if wide > chord else (low, bend)
        heading = 0.5 * (count - 1) * bend - bend * np.arange(count)
        steps = each(math.cos, heading)[:, None] * along + each(math.sin, heading)[:, None] * across
        nodes: Vector = first + np.concatenate((np.zeros((1, 3)), np.cumsum(rod * steps, axis=0)))
        return nodes


def capsule_inertia(mass: float, radius: float, half: float) -> Vector:
    """Return the inertia of a homogeneous capsule along z [kg m^2], shape (3, 3).

    Args:
        mass: Mass of the capsule [kg].
        radius: Radius of the capsule [m].
        half: Half the length of the cylinder between the two hemispheres [m].

    Source: goldstein2002.
    Checked by: test_linkages.py::test_inertias_of_bodies_along_an_axis.
    """
    tube, balls = 2.0 * half, 4.0 / 3.0 * radius
    part = mass / (tube + balls)
    tube, balls = part * tube, part * balls
    about = 0.5 * tube * radius**2 + 0.4 * balls * radius**2
    side = tube * (radius**2 / 4.0 + half**2 / 3.0) + balls * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    return np.diag([side, side, about])


def cylinder_inertia(mass: float, radius: float, half: float) -> Vector:
    """Return the inertia of a homogeneous cylinder along z [kg m^2], shape (3, 3).

    Args:
        mass: Mass of the cylinder [kg].
        radius: Radius of the cylinder [m].
        half: Half the length of the cylinder [m].

    Source: goldstein2002.
    Checked by: test_linkages.py::test_inertias_of_bodies_along_an_axis.
    """
    side = mass * (radius**2 / 4.0 + half**2 / 3.0)
    return np.diag([side, side, 0.5 * mass * radius**2])


def inertia_of(shape: Shape, mass: float) -> Vector:
    """Return the inertia of a homogeneous shape about its center [kg m^2], shape (3, 3)."""
    radius, half, _ = shape.size.tolist()
    if shape.kind == ShapeKind.SPHERE:
        return sphere_inertia(mass, radius)
    if shape.kind == ShapeKind.BOX:
        return box_inertia(mass, shape.size)
    return (capsule_inertia if shape.kind == ShapeKind.CAPSULE else cylinder_inertia)(mass, radius, half)


class _Linkages(ObjectType[LinkageConfig]):
    section = LinkageConfig

    def make(self, name: str, section: LinkageConfig, gravity: Vector) -> Object:
        origin, turn = np.array(section.position), matrix(from_rpy_deg(section.rpy_deg))
        names, given = tuple(section.bodies), section.bodies.values()
        shapes = [link.shape.shape() for link in given]
        inertia = np.array([inertia_of(shape, link.mass_kg) for shape, link in zip(shapes, given)])
        bodies = [
            make_rigid_state(
                link,
                origin + times(turn, one.position),
                one.mass_kg,
                local,
                orientation=from_matrix(times(turn, matrix(from_rpy_deg(one.rpy_deg)))),
                linear_velocity=times(turn, one.velocity_mps),
                angular_velocity=times(turn, one.angular_velocity_radps),
            )
            for (link, one), local in zip(section.bodies.items(), inertia)
        ]
        joints = [
            joint.joint((link_index(names, joint.between[0]), link_index(names, joint.between[1])), origin, turn)
            for joint in section.joints
        ]
        return Linkage.assembled(
            name,
            names,
            [[shape] for shape in shapes],
            np.array([one.mass_kg for one in given]),
            inertia,
            bodies,
            joints,
            gravity=np.zeros(3) if section.weightless else gravity,
            restitution=section.restitution,
            friction=section.friction,
            substep_s=section.substep_s,
            self_contact=section.self_contact,
        )

    def restored(self, kept: SavedObject) -> Object:
        return Linkage.restored(kept)


class _Ropes(ObjectType[RopeConfig]):
    section = RopeConfig

    def make(self, name: str, section: RopeConfig, gravity: Vector) -> Object:
        s, count = section, section.rods
        nodes, names = s.nodes(), [f'rod_{k:03d}' for k in range(section.rods)]
        half = 0.5 * s.length_m / count
        # The hemispheres end where the rod ends.
        shape = Shape(ShapeKind.CAPSULE, np.array([s.radius_m, half - s.radius_m, 0.0]))
        inertia = inertia_of(shape, s.mass_kg / count)
        bodies = [
            make_rigid_state(rod, 0.5 * (a + b), s.mass_kg / count, inertia, orientation=_along((b - a) / (2.0 * half)))
            for rod, a, b in zip(names, nodes[:-1], nodes[1:])
        ]
        meets = [(k - 1, k) for k in range(count + 1)]
        joints = [
            LinkageJoint('ball', (a, b if b < count else -1), (nodes[b], nodes[b]), damping=s.damping)
            for a, b in meets[0 if s.fixed_ends != 'none' else 1 : None if s.fixed_ends == 'both' else -1]
        ]
        return Linkage.assembled(
            name,
            names,
            [[shape]] * count,
            np.full(count, s.mass_kg / count),
            np.array([inertia] * count),
            bodies,
            joints,
            gravity=np.zeros(3) if s.weightless else gravity,
            restitution=s.restitution,
            friction=s.friction,
            substep_s=s.substep_s,
            self_contact=s.self_contact,
        )

    def restored(self, kept: SavedObject) -> Object:
        return Linkage.restored(kept)


def _along(axis: Vector) -> Vector:
    """Return the orientation of a body with z along a unit vector, quaternion (x, y, z, w)."""
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(axis)))] = 1.0
    x = np.cross(helper, axis)
    x /= norm(x)
    return from_matrix(np.stack((x, np.cross(axis, x), axis), axis=1))


LINKAGE, ROPE = _Linkages(), _Ropes()
