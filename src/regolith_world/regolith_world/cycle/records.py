# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages between the world and its participants in an evolution cycle, as plain data.

They have the names and fields of the interfaces in ``regolith_msgs``, so that the protocol runs and is tested without
ROS. Arrays are float64; positions are in metres in the world frame
(REP 103: x east, y north, z up); quaternions are in ROS order (x, y, z, w); times are int64 nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class CycleKey(NamedTuple):
    """Identifies one attempt at one cycle; every message of the protocol carries it and is idempotent by it."""

    epoch: int
    """Number of restores and rewinds; messages of other epochs are ignored."""
    cycle: int
    """Number of the cycle being evolved: cycle k leads from committed state k to k + 1."""
    attempt: int
    """Counts the messages of one cycle (holds, discarded attempts, retries)."""


class Verdict(IntEnum):
    """Result of the previous attempt."""

    NONE = 0
    COMMIT = 1
    DISCARD = 2


class Command(IntEnum):
    """A participant's action after applying the verdict; the response to each is one CycleResult."""

    EVOLVE = 0
    HOLD = 1
    STOP = 2


class Roles(NamedTuple):
    """A participant's roles, declared when it joins."""

    has_bodies: bool = False
    """It has bodies in the world, which can collide; it may be dropped from a run."""
    writes_soil: bool = False
    """It sends terrain exactly one delta per attempt."""
    owns_soil: bool = False
    """It merges the deltas, and its answer carries the hash of the ground."""
    inputs: bool = False
    """Its answers carry inputs from outside, which a replay feeds back."""
    phase: int = 0
    """Order within one process, lower phases first (0 to 15); no answer depends on it."""

    def code(self) -> int:
        """Return the roles as a byte for messages: a bit each, and the phase in the upper four."""
        return sum(bool(flag) << bit for bit, flag in enumerate(self[:4])) | self.phase << 4

    @classmethod
    def of_code(cls, code: int) -> Roles:
        """Return the roles of the byte of :meth:`code`."""
        has_bodies, writes_soil, owns_soil, inputs = (bool(code >> bit & 1) for bit in range(4))
        return cls(has_bodies, writes_soil, owns_soil, inputs, code >> 4)


VEHICLE = Roles(has_bodies=True, writes_soil=True, inputs=True, phase=1)
GROUND = Roles(owns_soil=True)


class ShapeKind(IntEnum):
    """Geometry of a tangible shape, or of a beam."""

    SPHERE = 0
    BOX = 1
    CAPSULE = 2
    CYLINDER = 3
    BEAM = 4


@dataclass(slots=True)
class Shape:
    """One convex shape, fixed in the frame of its body."""

    kind: ShapeKind
    size: Vector
    """[m], shape (3,): sphere (radius, 0, 0); box (half lengths x, y, z); capsule and cylinder
    (radius, half length, 0) along the shape's z; beam (length, 0, 0) along the shape's +x."""
    position: Vector = field(default_factory=lambda: np.zeros(3))
    """Centre of the shape (beam: its origin) in the body frame [m], shape (3,)."""
    orientation: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    """Orientation of the shape in the body frame, quaternion (x, y, z, w)."""


@dataclass(slots=True)
class BodyState:
    """Pose, motion and inertia of an object."""

    name: str
    position: Vector
    """Origin of the body frame in the world [m], shape (3,)."""
    orientation: Vector
    """Orientation of the body frame in the world, quaternion (x, y, z, w)."""
    linear_velocity: Vector
    """Velocity of the body frame's origin, in world axes [m/s], shape (3,)."""
    angular_velocity: Vector
    """In world axes [rad/s], shape (3,)."""
    mass: float = 0.0
    """Mass of the whole object [kg]; 0: immovable."""
    center_of_mass: Vector = field(default_factory=lambda: np.zeros(3))
    """Centre of mass of the whole object, in the world [m], shape (3,)."""
    inertia: Vector = field(default_factory=lambda: np.zeros((3, 3)))
    """Composite inertia about the centre of mass, in world axes [kg m^2], shape (3, 3)."""


@dataclass(slots=True)
class Impulse:
    """An impulse of the last commit; agent ``b`` gets the opposite one."""

    a: str
    b: str
    point: Vector
    """Point of action in the world [m], shape (3,)."""
    impulse: Vector
    """On ``a``, in world axes [N s], shape (3,)."""


@dataclass(slots=True)
class IntersectionRecord:
    """The relation of two objects at the last commit."""

    a: str
    b: str
    status: int
    """One of regolith_world.contacts.intersection.Status."""
    distance: float
    """Signed distance [m]: negative is penetration depth; along a beam, the range of the first hit."""
    point: Vector
    """Contact point, or the midpoint of the closest points, in the world [m], shape (3,)."""
    normal: Vector
    """Unit vector from ``a`` to ``b``, shape (3,)."""


@dataclass(slots=True)
class SpawnedObject:
    """An offspring: its name is parent/counter."""

    name: str
    shapes: tuple[Shape, ...]
    state: BodyState
    restitution: float = 0.0
    friction: float = 0.0


@dataclass(slots=True)
class Cycle:
    """World to all: the verdict on the last attempt, and all committed inputs for the next evolve."""

    key: CycleKey
    t_ns: int
    """Committed time, the start of the cycle."""
    dt_ns: int
    """Length of the cycle; 0 for HOLD and STOP."""
    verdict: Verdict
    command: Command
    participants: tuple[str, ...] = ()
    """Sorted names of all participants whose answers the cycle needs."""
    roles: tuple[Roles, ...] = ()
    """Roles of ``participants``, in the same order."""
    bodies: tuple[BodyState, ...] = ()
    """Committed, in name order."""
    intersections: tuple[IntersectionRecord, ...] = ()
    impulses: tuple[Impulse, ...] = ()
    spawned: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    resimulating: bool = False
    """Whether the past is repeated on the way to where a rewind leads: participants evolve and show nothing."""
    clock_offset_ns: int = 0
    """Time that ``/clock`` and all stamps show beyond ``t_ns`` [ns]; nothing that evolves depends on it."""
    constrained: tuple[str, ...] = ()
    """Sorted names of the participants that a coupling holds; they answer with their mobility."""


@dataclass(slots=True)
class CycleResult:
    """Participant to world: the answer to one Cycle."""

    key: CycleKey
    name: str
    next_dt_ns: int
    """Longest possible next cycle [ns]."""
    bodies: tuple[BodyState, ...] = ()
    """Tentative state at the end of the cycle; empty for those without bodies."""
    swept_min: Vector = field(default_factory=lambda: np.full(3, np.inf))
    swept_max: Vector = field(default_factory=lambda: np.full(3, -np.inf))
    """Bounds of all tangible shapes over the cycle, in the world [m], shape (3,)."""
    spawned: tuple[SpawnedObject, ...] = ()
    live_inputs: bytes = b''
    """Inputs from outside latched for this cycle, for replays."""
    state_hash: str = ''
    """SHA-256 (hex) of the tentative canonical state."""
    soil_hash: str = ''
    """Hash of the participant's ground: agents: at the start of the cycle; terrain: after a commit of this attempt."""
    summary_json: str = ''
    """JSON key figures for the run's summary; only in the answer to STOP."""
    failure: str = ''
    """Reason of a failure, which ends the run; '': none."""
    inverse_inertia: Vector = field(default_factory=lambda: np.zeros((0, 6)))
    """Of one that is held: what velocities, linear of the centre of mass and angular, an impulse and its moment about
    that give its first body, in world axes [1/kg, 1/(kg m), 1/(kg m^2)], shape (6, 6)."""


@dataclass(slots=True)
class JoinRequest:
    """Participant to world, once, before anything moves."""

    name: str
    roles: Roles
    shapes: tuple[Shape, ...]
    bodies: tuple[BodyState, ...]
    next_dt_ns: int
    state_hash: str
    soil_hash: str
    parameters: dict[str, str]
    """Parameters on which all must agree (soil, grid, terrain hash, gravity), as name -> text."""
    restitution: float = 0.0
    friction: float = 0.5
    shape_bodies: tuple[int, ...] = ()
    """Index in ``bodies`` of each shape's body; empty: all the first."""

    def problem(self) -> str:
        """Return the problem with bodies and shapes of a participant with bodies; '': none."""
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
