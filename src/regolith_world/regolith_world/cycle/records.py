# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the evolution protocol: the messages between the world and its participants as plain data.

The records have the names and fields of the interfaces in ``regolith_msgs``. So the protocol runs and is tested without
ROS. :mod:`regolith_world.ros.message_codec` converts them. Arrays are float64. A field with another shape than (n,)
states it in its metadata. Positions are in m in the world frame (REP 103: x east, y north, z up). Quaternions are in
ROS order (x, y, z, w). Times are int64 nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
"""Array of numbers."""


class CycleKey(NamedTuple):
    """Key of one attempt of one cycle. Every protocol message carries it, which makes messages idempotent."""

    epoch: int
    """Number of restores and rewinds. Messages of other epochs are ignored."""
    cycle: int
    """Number of the cycle. Cycle k leads from committed state k to k + 1."""
    attempt: int
    """Number of the message within the cycle (holds, discarded attempts, retries)."""


class Verdict(IntEnum):
    """Verdict on the previous attempt."""

    NONE = 0
    COMMIT = 1
    DISCARD = 2


class Command(IntEnum):
    """Action of a participant after it has applied the verdict. The response to each is one CycleResult."""

    EVOLVE = 0
    HOLD = 1
    STOP = 2


class Roles(NamedTuple):
    """Roles of a participant, declared when it joins."""

    has_bodies: bool = False
    """It has bodies in the world that can collide. It may be dropped from a run."""
    writes_soil: bool = False
    """It sends the terrain exactly one delta per attempt."""
    owns_soil: bool = False
    """It merges the deltas. Its result carries the soil hash."""
    inputs: bool = False
    """Its results carry external inputs, which a replay feeds back."""
    phase: int = 0
    """Order within one process (0 to 15), lower phases first. Results do not depend on it."""

    def code(self) -> int:
        """Return the roles as a byte for messages: one bit each, and the phase in the upper four bits."""
        return sum(bool(flag) << bit for bit, flag in enumerate(self[:4])) | self.phase << 4

    @classmethod
    def of_code(cls, code: int) -> Roles:
        """Return the roles from the byte of :meth:`code`."""
        has_bodies, writes_soil, owns_soil, inputs = (bool(code >> bit & 1) for bit in range(4))
        return cls(has_bodies, writes_soil, owns_soil, inputs, code >> 4)


VEHICLE_ROLES = Roles(has_bodies=True, writes_soil=True, inputs=True, phase=1)
"""Roles of a vehicle."""
TERRAIN_ROLES = Roles(owns_soil=True, inputs=True)
"""Roles of the terrain."""


class ShapeKind(IntEnum):
    """Geometry of a collision shape, or of a beam."""

    SPHERE = 0
    BOX = 1
    CAPSULE = 2
    CYLINDER = 3
    BEAM = 4
    HULL = 5


@dataclass(slots=True)
class Shape:
    """A convex shape, fixed in the frame of its body."""

    kind: ShapeKind
    size: Vector
    """Size [m], shape (3,): sphere (radius, 0, 0); box (half lengths x, y, z); capsule and cylinder
    (radius, half length, 0) along the shape's z axis; beam (length, 0, 0) along the shape's +x axis; hull (half lengths
    of the box around it with the same center)."""
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Center of the shape (beam: its origin) in the body frame [m], shape (3,)."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Orientation of the shape in the body frame, quaternion (x, y, z, w)."""
    vertices: Vector = field(default_factory=lambda: np.zeros((0, 3)), metadata={'shape': (-1, 3)})
    """Vertices of a hull about the center of the shape [m], shape (n, 3)."""


@dataclass(slots=True)
class BodyState:
    """Pose, velocity and inertia of an object."""

    name: str
    position: Vector
    """Origin of the body frame in the world frame [m], shape (3,)."""
    orientation: Vector
    """Orientation of the body frame in the world frame, quaternion (x, y, z, w)."""
    linear_velocity: Vector
    """Velocity of the origin of the body frame, in world axes [m/s], shape (3,)."""
    angular_velocity: Vector
    """Angular velocity in world axes [rad/s], shape (3,)."""
    mass: float = 0.0
    """Mass of the whole object [kg]; 0: static body."""
    center_of_mass: Vector = field(default_factory=lambda: np.zeros(3))
    """Center of mass of the whole object in the world frame [m], shape (3,)."""
    inertia: Vector = field(default_factory=lambda: np.zeros((3, 3)), metadata={'shape': (3, 3)})
    """Composite inertia about the center of mass, in world axes [kg m^2], shape (3, 3)."""


@dataclass(slots=True)
class Impulse:
    """An impulse of the last commit. Object ``b`` receives the opposite impulse."""

    a: str
    b: str
    point: Vector
    """Point of application in the world frame [m], shape (3,)."""
    impulse: Vector
    """Impulse on ``a`` in world axes [N s], shape (3,)."""


@dataclass(slots=True)
class IntersectionRecord:
    """The relation of two objects at the last commit."""

    a: str
    b: str
    status: int
    """Value of regolith_world.contacts.intersection.Status."""
    distance: float
    """Signed distance [m]; a negative value is the penetration depth; for a beam, the range of the first hit."""
    point: Vector
    """Contact point, or midpoint of the closest points, in the world frame [m], shape (3,)."""
    normal: Vector
    """Unit vector from ``a`` to ``b``, world axes, shape (3,)."""
    points: Vector = field(default_factory=lambda: np.zeros((0, 3)), metadata={'shape': (-1, 3)})
    """Contact points in the world frame [m], shape (n, 3); like those below, only of tangible objects in contact."""
    normals: Vector = field(default_factory=lambda: np.zeros((0, 3)), metadata={'shape': (-1, 3)})
    """Unit vectors from ``a`` to ``b`` at the contact points, world axes, shape (n, 3)."""
    gaps: Vector = field(default_factory=lambda: np.zeros(0))
    """Signed distances at the contact points [m], shape (n,)."""
    surface_sizes: tuple[int, ...] = ()
    """Number of corners of each contact polygon."""
    surface_points: Vector = field(default_factory=lambda: np.zeros((0, 3)), metadata={'shape': (-1, 3)})
    """Corners of all contact polygons, one polygon after the other, in the world frame [m], shape (k, 3)."""

    def contact_surfaces(self) -> list[Vector]:
        """Return the contact polygons, corners in order, each shape (n >= 3, 3)."""
        ends = np.cumsum(np.array((0, *self.surface_sizes)))
        return [self.surface_points[begin:end] for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist())]


@dataclass(slots=True)
class SpawnedObject:
    """A spawned object. Its name is parent/child."""

    name: str
    shapes: tuple[Shape, ...]
    state: BodyState
    restitution: float = 0.0
    friction: float = 0.0


class Anchor(IntEnum):
    """Frame of the shapes of a visual, as in ``regolith_msgs/ObjectVisual``."""

    BODY = 0
    """The shapes are fixed to the body of the same name."""
    WORLD = 1
    """The shapes stand at a position in the world."""
    GROUND = 2
    """As WORLD, but z counts from the surface of the terrain."""
    LINE = 3
    """A line between points of two bodies."""


@dataclass(slots=True)
class ObjectVisual:
    """Visible shapes of an object of the world, or of an entity of a participant.

    Without shapes and mesh the entity is no longer visible. Nothing in the evolution depends on visuals.
    """

    name: str
    anchor: Anchor = Anchor.BODY
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Origin of the shapes for WORLD and GROUND [m], shape (3,)."""
    shapes: tuple[Shape, ...] = ()
    """Visible shapes in the frame of the body, or at the position. A LINE has the radius of the first one."""
    material: str = 'metal'
    """Material, see the key ``material`` of static and rigid bodies."""
    mesh: str = ''
    """Path of a mesh file that is visible instead of the shapes; '': none."""
    mesh_scale: float = 1.0
    """Unit of the mesh file [m]."""
    color: Vector = field(default_factory=lambda: np.zeros(0))
    """Red, green, blue, linear, instead of the color of the material, shape (3,); empty: none."""
    between: tuple[str, ...] = ()
    """Names of both bodies of a LINE."""
    near: Vector = field(default_factory=lambda: np.zeros(3))
    """First end of a LINE in the frame of the first body [m], shape (3,)."""
    far: Vector = field(default_factory=lambda: np.zeros(3))
    """Second end of a LINE in the frame of the second body [m], shape (3,)."""
    until_ns: int = 2**62
    """Simulated time from which on it is not visible [ns]; 2^62: no limit."""

    @property
    def visible(self) -> bool:
        """Whether it has a visible part: a mesh, or a shape other than a beam."""
        return bool(self.mesh) or any(shape.kind != ShapeKind.BEAM for shape in self.shapes)


@dataclass(slots=True)
class AssignedBody:
    """The participant that computes a rigid body near a vehicle in a cycle."""

    name: str
    """Name of the body."""
    participant: str
    """Name of the participant."""
    memory: bytes = b''
    """See :attr:`ComputedBody.memory`; only where another participant computed the body in the last cycle."""


@dataclass(slots=True)
class ComputedBody:
    """A rigid body that a participant has computed because it is in :attr:`Cycle.assigned`."""

    state: BodyState
    """Tentative state at the end of the cycle."""
    memory: bytes
    """Description and contact memory, encoded by the participant, for the participant of the next cycle."""


@dataclass(slots=True)
class FieldRecord:
    """A force field, see :class:`regolith_world.objects.force_field.ForceField`."""

    name: str
    position: Vector
    """Origin of the region in the world frame [m], shape (3,)."""
    orientation: Vector
    """Orientation in the world frame, quaternion (x, y, z, w)."""
    acceleration: Vector
    """Acceleration of bodies in the region, world axes [m/s^2], shape (3,)."""
    drag_per_s: float
    """Relative decrease of velocity and angular velocity per time [1/s]."""
    repulsion_per_s2: float
    """Acceleration out of the region per depth in it [1/s^2]."""
    shapes: tuple[Shape, ...]
    """Shapes that make up the region."""


@dataclass(slots=True)
class Cycle:
    """World to participants: the verdict on the last attempt, and all committed inputs of the next one."""

    key: CycleKey
    t_ns: int
    """Committed time at the start of the cycle [ns]."""
    dt_ns: int
    """Step size [ns]; 0 for HOLD and STOP."""
    verdict: Verdict
    command: Command
    participants: tuple[str, ...] = ()
    """Sorted names of all participants whose results the cycle needs."""
    roles: tuple[Roles, ...] = ()
    """Roles of ``participants``, in the same order."""
    bodies: tuple[BodyState, ...] = ()
    """Committed states of bodies, in name order."""
    intersections: tuple[IntersectionRecord, ...] = ()
    impulses: tuple[Impulse, ...] = ()
    spawned: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    resimulating: bool = False
    """Whether the past is resimulated after a rewind: participants evolve but do not publish."""
    clock_offset_ns: int = 0
    """Offset of ``/clock`` and all stamps from ``t_ns`` [ns]. The evolution does not depend on it."""
    constrained: tuple[str, ...] = ()
    """Sorted names of the participants that a constraint holds. Their results carry their inverse inertia."""
    assigned: tuple[AssignedBody, ...] = ()
    """Rigid bodies near vehicles, in name order, with the participants that compute them in this cycle."""
    handed_over: tuple[SpawnedObject, ...] = ()
    """Rigid bodies that were spawned and that the participant of rigid bodies computes from this cycle on."""
    visuals: tuple[ObjectVisual, ...] = ()
    """Visuals that are new since the last commit, in name order. In the first cycle of an epoch: all of them."""
    fields: tuple[FieldRecord, ...] = ()
    """Force fields of the world, in name order."""
    refused: tuple[str, ...] = ()
    """Sorted names of objects that participants spawned in the discarded attempt, but whose place is taken."""


def _constant(values: Vector) -> Callable[[], Vector]:
    """Return a function of a constant array, for defaults: each cycle makes a result of each participant."""
    values.setflags(write=False)
    return lambda: values


_LEAST, _MOST = _constant(np.full(3, np.inf)), _constant(np.full(3, -np.inf))
_ZERO, _NO_MATRIX = _constant(np.zeros(3)), _constant(np.zeros((0, 6)))


@dataclass(slots=True)
class CycleResult:
    """Participant to world: the result of one Cycle."""

    key: CycleKey
    name: str
    next_dt_ns: int
    """Maximum size of the next step [ns]."""
    bodies: tuple[BodyState, ...] = ()
    """Tentative states at the end of the cycle; the participant of rigid bodies sends those that have moved."""
    swept_min: Vector = field(default_factory=_LEAST)
    swept_max: Vector = field(default_factory=_MOST)
    """Bounding box of all collision shapes over the cycle in the world frame [m], shape (3,)."""
    spawned: tuple[SpawnedObject, ...] = ()
    live_inputs: bytes = b''
    """External inputs latched for this cycle, for replays."""
    state_hash: str = ''
    """SHA-256 (hex) of the canonical tentative state."""
    soil_hash: str = ''
    """Soil hash of the participant; agents: at the start of the cycle; terrain: after a commit of this attempt."""
    summary_json: str = ''
    """JSON values for the run's summary; only in the result of STOP."""
    failure: str = ''
    """Reason of a failure that ends the run; '': none."""
    inverse_inertia: Vector = field(default_factory=_NO_MATRIX, metadata={'shape': (-1, 6)})
    """Inverse inertia of a constrained participant's first body, in world axes, shape (6, 6).

    It maps an impulse and its moment about the center of mass to the linear velocity of the center of mass and the
    angular velocity [1/kg, 1/(kg m), 1/(kg m^2)].
    """
    computed: tuple[ComputedBody, ...] = ()
    """Bodies that :attr:`Cycle.assigned` gives to this participant, in name order."""
    visuals: tuple[ObjectVisual, ...] = ()
    """Entities that observers see from the end of the cycle on, in addition to those sent before."""
    force: Vector = field(default_factory=_ZERO)
    """Sum of the forces of ground, obstacles and fields on a vehicle at the end of the cycle [N], shape (3,)."""
    moment: Vector = field(default_factory=_ZERO)
    """Sum of the moments of these forces about the center of mass [N m], shape (3,)."""


@dataclass(slots=True)
class JoinRequest:
    """Participant to world, once at joining."""

    name: str
    roles: Roles
    shapes: tuple[Shape, ...]
    bodies: tuple[BodyState, ...]
    next_dt_ns: int
    state_hash: str
    soil_hash: str
    parameters: dict[str, str]
    """Parameters on which all participants must agree (soil, grid, terrain hash, gravity), as name -> text."""
    restitution: float = 0.0
    friction: float = 0.5
    shape_bodies: tuple[int, ...] = ()
    """Index in ``bodies`` of each shape's body; empty: all shapes belong to the first body."""
    visuals: tuple[ObjectVisual, ...] = ()
    """Entities that observers see from the start on."""

    def problem(self) -> str:
        """Return the problem with the bodies and shapes of a participant with bodies; '': none."""
        names = [body.name for body in self.bodies]
        if not self.roles.has_bodies:
            return ''
        if names[:1] != [self.name]:
            return f'bodies {names}; allowed: {self.name!r} first'
        odd = [n for n in names[1:] if not n.startswith(f'{self.name}/') or names.count(n) > 1]
        if odd:
            return f'body {odd[0]!r}; allowed: other names, each once, that begin with {self.name + "/"!r}'
        if len(self.shape_bodies) not in (0, len(self.shapes)):
            return f'{len(self.shapes)} shapes on {len(self.shape_bodies)} bodies; allowed: a body for each, or none'
        wrong = [k for k in self.shape_bodies if not 0 <= k < len(names)]
        return f'a shape on body {wrong[0]}; allowed: 0 to {len(names) - 1}' if wrong else ''
