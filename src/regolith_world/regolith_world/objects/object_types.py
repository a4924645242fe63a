# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Object types of the scenario section ``objects``: the extension point, static bodies and rigid bodies.

An entry point of group ``regolith.object_types`` is an :class:`ObjectType`. Its name is the value of ``type`` and the
``kind``
of its objects in checkpoints. Positions are in the world frame. Only rigid bodies of a scenario
with a section ``bodies`` touch the terrain.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field, model_validator

from regolith_files import PositiveTimeSinceStart, Section, instance_of, load_plugins
from regolith_world.cycle.records import ObjectVisual, Shape, ShapeKind, Vector
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.objects.object import NEVER_NS, Appearance, Object, SavedObject
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import (
    box_inertia,
    capsule_inertia,
    cylinder_inertia,
    hull_properties,
    make_rigid_state,
    sphere_inertia,
)
from regolith_world.objects.static_body import StaticBody

GROUP = 'regolith.object_types'

SectionT = TypeVar('SectionT', bound=Section)
Meters = Annotated[float, Field(ge=-1e5, le=1e5)]
Place = tuple[Meters, Meters, Meters]
Size = Annotated[float, Field(ge=1e-3, le=1e3)]
Degrees = Annotated[float, Field(ge=-360.0, le=360.0)]
LEAST_HULL_M = 0.002
"""Least extent of a hull, as of a sphere of the least size [m]."""
MOST_POINTS = 34
"""Largest number of points of a hull: it has at most 64 triangles."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
_SIZES = {'sphere': 1, 'box': 3, 'capsule': 2, 'cylinder': 2}


class ObjectType(ABC, Generic[SectionT]):
    """A type of object."""

    section: type[SectionT]
    """Schema of its entry in a scenario. The schema has the field ``type``."""

    @abstractmethod
    def make(self, name: str, section: SectionT, gravity: Vector) -> Object:
        """Return the object at the start of a run.

        Args:
            name: Name of the object.
            section: Validated entry of the scenario.
            gravity: Gravity in the world frame [m/s^2], shape (3,).
        """

    @abstractmethod
    def restored(self, kept: SavedObject) -> Object:
        """Return an object from the state of :meth:`regolith_world.objects.object.Object.save`, bit-identical."""


class ShapeConfig(Section):
    """A convex collision shape."""

    kind: Literal['sphere', 'box', 'capsule', 'cylinder', 'hull'] = Field(
        description='Shape: sphere, box, capsule, cylinder or hull; the axis of capsules and cylinders is z.'
    )
    size_m: tuple[Size, ...] = Field(
        (),
        max_length=3,
        description='Size [m]: radius of a sphere; half lengths x, y, z of a box; radius and half length of a capsule '
        'or cylinder; none for a hull.',
    )
    points_m: tuple[tuple[Meters, Meters, Meters], ...] = Field(
        (),
        max_length=MOST_POINTS,
        description='Points whose convex hull is the shape [m]; only for a hull. Those of a rigid body are moved so '
        'that their center of mass is the origin.',
    )
    position: Place = Field((0.0, 0.0, 0.0), description='Center of the shape in the frame of the object [m].')

    @model_validator(mode='after')
    def _whole(self) -> ShapeConfig:
        wanted = _SIZES.get(self.kind, 0)
        if len(self.size_m) != wanted:
            raise ValueError(
                f'size_m = {list(self.size_m)!r}: has the wrong number of values for a {self.kind}; allowed: {wanted}'
            )
        if self.kind != 'hull' and self.points_m:
            raise ValueError(f'points_m: is not valid for a {self.kind}; allowed: only for a hull')
        if self.kind == 'hull':
            if len(self.points_m) < 4:
                raise ValueError(f'points_m: has {len(self.points_m)} points; allowed: 4 to {MOST_POINTS}')
            try:
                hull_properties(np.array(self.points_m))
            except ValueError as error:
                raise ValueError(f'points_m: {error}') from None
            if (size := float(np.ptp(np.array(self.points_m), axis=0).max())) < LEAST_HULL_M:
                raise ValueError(f'points_m: span {size:.3g} m; allowed: at least {LEAST_HULL_M:g} m')
        return self

    def shape(self) -> Shape:
        """Return the :class:`regolith_world.cycle.records.Shape`."""
        if self.kind == 'hull':
            return hull_shape(np.array(self.points_m), np.array(self.position))
        size = np.zeros(3)
        size[: len(self.size_m)] = self.size_m
        return Shape(ShapeKind[self.kind.upper()], size, np.array(self.position))


def hull_shape(points: Vector, position: Vector | None = None) -> Shape:
    """Return the convex hull of points [m], shape (n, 3), about a position in the frame of the body [m]."""
    size = np.abs(points).max(axis=0)
    return Shape(ShapeKind.HULL, size, np.zeros(3) if position is None else position, vertices=points)


class VisualConfig(Section):
    """What cameras and lidars see instead of the collision shapes."""

    mesh: str = Field(
        '',
        description='Mesh file: OBJ, STL, MSH, GLB or glTF, in the frame of the body. Empty: the collision shapes are '
        'visible.',
    )
    mesh_scale: float = Field(1.0, gt=0.0, le=1e4, description='Unit of the mesh file [m].')
    color: tuple[Share, Share, Share] | None = Field(
        None, description='Color: red, green, blue, linear. null: that of the material.'
    )


class _Thing(Section):
    position: Place = Field(description='Position in the world frame [m].')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field((0.0, 0.0, 0.0), description='Roll, pitch and yaw [deg].')
    restitution: float = Field(
        0.0, ge=0.0, le=1.0, description='Coefficient of restitution [-]; 0: plastic, 1: elastic.'
    )
    friction: float = Field(0.5, ge=0.0, le=10.0, description='Coulomb friction coefficient [-].')
    material: Literal['rock', 'concrete', 'metal', 'wood'] = Field(
        'metal', description='Material for cameras and lidars; rock also has the class of rocks.'
    )
    visual: VisualConfig = Field(
        VisualConfig(), description='What cameras and lidars see. It has no effect on motion and contacts.'
    )

    @property
    def orientation(self) -> Vector:
        """Orientation as quaternion (x, y, z, w): yaw, then pitch, then roll."""
        return from_rpy_deg(self.rpy_deg)


class StaticBodyConfig(_Thing):
    """A static body, such as a wall, a boulder or a lander."""

    type: Literal['static_body'] = 'static_body'
    shapes: tuple[ShapeConfig, ...] = Field(
        min_length=1, max_length=200, description='Collision shapes that make up the body.'
    )


MOST_SPEED_MPS = 900.0
"""Largest initial speed of a rigid body [m/s]; a participant that computes bodies fails above 1000 m/s."""


class RigidBodyConfig(_Thing):
    """A homogeneous sphere, box, capsule, cylinder or convex hull in free motion.

    With a section ``bodies`` in the scenario it rests on the ground.
    """

    type: Literal['rigid_body'] = Field('rigid_body', description='Object type: a single body in free motion.')
    shape: ShapeConfig = Field(description='Collision shape, centered at the center of mass.')
    mass_kg: float = Field(ge=1e-3, le=1e6, description='Mass [kg].')
    velocity_mps: tuple[Meters, Meters, Meters] = Field(
        (0.0, 0.0, 0.0), description='Initial velocity in the world frame, at most 900 m/s [m/s].'
    )
    angular_velocity_radps: tuple[Meters, Meters, Meters] = Field(
        (0.0, 0.0, 0.0), description='Initial angular velocity in the world frame [rad/s].'
    )
    weightless: bool = Field(False, description='Whether gravity does not act on the body.')
    lifetime_s: PositiveTimeSinceStart | None = Field(
        None, description='Simulated time after which the body is removed [s]; null: never.'
    )

    @model_validator(mode='after')
    def _simple(self) -> RigidBodyConfig:
        if any(self.shape.position):
            raise ValueError(
                f'shape.position = {list(self.shape.position)!r}: is not valid for a rigid body; allowed: no position'
            )
        if not math.hypot(*self.velocity_mps) <= MOST_SPEED_MPS:
            raise ValueError(
                f'velocity_mps = {list(self.velocity_mps)}: is {math.hypot(*self.velocity_mps):g} m/s; '
                f'allowed: up to {MOST_SPEED_MPS:g} m/s'
            )
        return self

    def centered_shape(self) -> Shape:
        """Return the shape about the center of mass."""
        if self.shape.kind != 'hull':
            return self.shape.shape()
        points = np.array(self.shape.points_m)
        return hull_shape(points - hull_properties(points)[0])

    def inertia(self) -> Vector:
        """Return the inertia about the center of mass, body axes [kg m^2], shape (3, 3)."""
        size = self.shape.size_m
        if self.shape.kind == 'hull':
            return self.mass_kg * hull_properties(np.array(self.shape.points_m))[1]
        if self.shape.kind == 'box':
            return box_inertia(self.mass_kg, np.array(size))
        if self.shape.kind == 'sphere':
            return sphere_inertia(self.mass_kg, size[0])
        of_round = cylinder_inertia if self.shape.kind == 'cylinder' else capsule_inertia
        return of_round(self.mass_kg, size[0], size[1])


class _Immovables(ObjectType[StaticBodyConfig]):
    section = StaticBodyConfig

    def make(self, name: str, section: StaticBodyConfig, gravity: Vector) -> Object:
        s = section
        return StaticBody(
            name,
            np.array(s.position),
            [c.shape() for c in s.shapes],
            restitution=s.restitution,
            friction=s.friction,
            orientation=s.orientation,
        )

    def restored(self, kept: SavedObject) -> Object:
        return StaticBody.restored(kept)


class _FreeBodies(ObjectType[RigidBodyConfig]):
    section = RigidBodyConfig

    def make(self, name: str, section: RigidBodyConfig, gravity: Vector) -> Object:
        s, shape = section, section.centered_shape()
        state = make_rigid_state(
            name,
            np.array(s.position),
            s.mass_kg,
            s.inertia(),
            orientation=s.orientation,
            linear_velocity=np.array(s.velocity_mps),
            angular_velocity=np.array(s.angular_velocity_radps),
        )
        lifetime_ns = NEVER_NS if s.lifetime_s is None else round(s.lifetime_s * 1e9)
        return RigidBody(
            name,
            state,
            [shape],
            gravity=np.zeros(3) if s.weightless else gravity,
            restitution=s.restitution,
            friction=s.friction,
            lifetime_ns=lifetime_ns,
        )

    def restored(self, kept: SavedObject) -> Object:
        return RigidBody.restored(kept)


STATIC_BODY, RIGID_BODY = _Immovables(), _FreeBodies()


def all_object_types() -> Mapping[str, ObjectType[Any]]:
    """Return all installed object types by name, in name order."""
    return load_plugins(GROUP, instance_of(ObjectType))


def make_objects(entries: Mapping[str, Mapping[str, Any]], gravity_mps2: float) -> list[Object]:
    """Return the objects of a resolved scenario at the start of a run, in name order.

    Args:
        entries: Section ``objects`` of the scenario, by name.
        gravity_mps2: Gravity [m/s^2].
    """
    gravity, kinds = np.array([0.0, 0.0, -gravity_mps2]), all_object_types()
    made = []
    for name, entry in sorted(entries.items()):
        kind = kinds[entry['type']]
        made.append(object_of(kind, name, kind.section.model_validate(dict(entry)), gravity))
    return made


def object_of(kind: ObjectType[Any], name: str, section: Section, gravity: Vector) -> Object:
    """Return the object of a validated entry, with its appearance.

    Args:
        kind: Type of the object.
        name: Name of the object.
        section: Validated entry.
        gravity: Gravity in the world frame [m/s^2], shape (3,).
    """
    made = kind.make(name, section, gravity)
    if isinstance(section, _Thing):
        visual = section.visual
        made.appear(Appearance(section.material, visual.mesh, visual.mesh_scale, visual.color or ()))
    return made


def object_visuals(entries: Mapping[str, Mapping[str, Any]], gravity_mps2: float) -> dict[str, ObjectVisual]:
    """Return the visuals of all bodies and cables of a resolved scenario's objects, by name; links of ropes included.

    Args:
        entries: Section ``objects`` of the scenario, by name.
        gravity_mps2: Gravity [m/s^2].
    """
    every = (item for root in make_objects(entries, gravity_mps2) for item in root.family())
    return {item.name: visual for item in every if (visual := item.visual()) is not None}


def restored(kept: SavedObject) -> Object:
    """Return an object of a checkpoint.

    Raises:
        ValueError: If its kind is unknown.
    """
    kinds = all_object_types()
    if kept.kind not in kinds:
        raise ValueError(f'object {kept.name!r} is of kind {kept.kind!r}; allowed: {", ".join(kinds)}')
    return kinds[kept.kind].restored(kept)
