# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the world.

Source of the design: "Simulator Architecture" (2024), chapter Objects. The world evolves root objects; a parent evolves
its children; a spawned object joins the cycle in which it appears.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from regolith_world.contacts.bounding_box import ShapeBounds
from regolith_world.contacts.contact_polygons import contact_polygons
from regolith_world.cycle.records import BodyState, Cycle, IntersectionRecord, Shape, Vector
from regolith_world.numerics.portable_math import times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.rigid_state import turned_inertia
from regolith_world.objects.state_history import StateManager, interpolate_body

NEVER_NS = 2**62
"""Value of ``next_dt_ns`` without a limit."""


@dataclass(frozen=True, slots=True)
class SavedObject:
    """An object in a checkpoint, from which any world can make it anew."""

    name: str
    kind: str
    t_ns: int
    body: BodyState
    shapes: tuple[Shape, ...]
    restitution: float
    friction: float
    more: bytes
    """Further state of its kind."""


class Object:
    """Base of everything in the world.

    Args:
        name: unique; offspring are named parent/counter
        initial: state at ``t_ns``
        shapes: convex shapes fixed in the body frame
        tangible: whether a non-infinitesimal intersection with another tangible object discards the cycle
        parent: evolves this object; None: a root
        restitution: of impacts, 0 (plastic) to 1 (elastic)
        friction: Coulomb coefficient
    """

    kind = ''
    """Name for :mod:`regolith_world.objects.object_types` to make such objects anew; '': not possible in a checkpoint.
    """
    keeps_children = False
    """Whether :meth:`more` has its children, too."""
    emitter = ''
    """Name of the object that sent it out to measure; '': none."""

    def __init__(
        self,
        name: str,
        initial: BodyState,
        shapes: Sequence[Shape] = (),
        *,
        tangible: bool = True,
        parent: Object | None = None,
        restitution: float = 0.0,
        friction: float = 0.5,
        t_ns: int = 0,
    ) -> None:
        self.name = name
        self.shapes = tuple(shapes)
        self.outline = ShapeBounds(self.shapes)
        self.tangible = tangible
        self.restitution = restitution
        self.friction = friction
        self.alive = True
        self.parent = parent
        self.children: list[Object] = []
        if parent is not None:
            parent.children.append(self)
        self.states: StateManager[BodyState] = StateManager(interpolate_body)
        self.states.new_state(t_ns, initial)

    @property
    def body(self) -> BodyState:
        """The newest state; tentative until the world commits the cycle."""
        return self.states.newest

    def next_dt_ns(self) -> int:
        """Return the longest next cycle this object (and its children) can take [ns]."""
        return min((child.next_dt_ns() for child in self.children), default=NEVER_NS)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Add the state at ``cycle.t_ns + cycle.dt_ns`` and return the offspring born during the cycle.

        It may depend on ``cycle`` (committed inputs) and the object's own state only.
        """
        self.states.new_state(cycle.t_ns + cycle.dt_ns, self.body)
        return self.evolve_children(cycle)

    def evolve_children(self, cycle: Cycle) -> list[Object]:
        """Evolve all children in name order; return their offspring."""
        offspring: list[Object] = []
        for child in sorted(self.children, key=lambda o: o.name):
            offspring += child.evolve(cycle)
        return offspring

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """Make the newest state final, :meth:`feel` what it meets, and have the children do so.

        Args:
            intersections: those of this object, its descendants and their beams, to be read now: poses change
        """
        self.on_intersections(intersections)
        for child in sorted(self.children, key=lambda o: o.name):
            child.commit([hit for hit in intersections if hit.involves(child)])

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Take the forces of what it meets at a committed state; the world calls it at the first state, too."""

    def remove_dead(self) -> list[str]:
        """Part with the children who have died; return the names of all who did, their descendants included."""
        gone = []
        for child in self.children:
            gone += child.remove_dead() if child.alive else [member.name for member in child.family()]
        self.children = [child for child in self.children if child.alive]
        return gone

    def force_and_moment(self, intersections: Sequence[Intersection]) -> tuple[Vector, Vector]:
        """Return the force on this object [N] and its moment about the centre of mass [N m], in world axes.

        Sums over what it meets; tangible things act by impulses instead
        (:mod:`regolith_world.contacts.contact_solver`).
        """
        force, moment = np.zeros(3), np.zeros(3)
        for hit in intersections:
            if self in (hit.a, hit.b) and hit.status != Status.NO_INTERSECTION:
                own, turning = (hit.b if hit.a is self else hit.a).force_on(self, hit)
                force += own
                moment += turning
        return force, moment

    def force_on(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return the force [N] and moment [N m] that this object has on another one that it meets; a field does."""
        return np.zeros(3), np.zeros(3)

    def free_acceleration(self) -> Vector | None:
        """Return its acceleration until something strikes it [m/s^2], shape (3,); None: it may do anything."""
        return None

    def discard(self) -> None:
        """Drop the newest state (and anything else that :meth:`evolve` made), children included."""
        self.states.delete_state(0)
        for child in self.children:
            child.discard()

    def delay(self, by_ns: int) -> None:
        """Begin so much later [ns], children included; before the first cycle only."""
        self.states.delay(by_ns)
        for child in self.children:
            child.delay(by_ns)

    def place(self, t_ns: int, body: BodyState) -> None:
        """Take pose and velocity from a state, mass and inertia staying its own, between cycles only.

        Raises:
            ValueError: if the object cannot be moved so
        """
        own, turn = self.body, times(matrix(body.orientation), matrix(self.body.orientation).T)
        arm = times(turn, own.center_of_mass - own.position)
        state = BodyState(
            self.name,
            body.position.copy(),
            body.orientation.copy(),
            body.linear_velocity.copy(),
            body.angular_velocity.copy(),
            own.mass,
            body.position + arm,
            turned_inertia(turn, own.inertia),
        )
        self.states.clear()
        self.states.new_state(t_ns, state)

    def canonical_state(self) -> bytes:
        """Return the newest state as canonical little-endian bytes, for the state hash."""
        b = self.body
        flat = np.concatenate([b.position, b.orientation, b.linear_velocity, b.angular_velocity])
        return struct.pack('<q', self.states.newest_time_ns) + flat.astype('<f8').tobytes()

    def state_hash(self) -> str:
        """Return SHA-256 (hex) of :meth:`canonical_state` of the object and its children, in name order."""
        digest = hashlib.sha256(self.canonical_state())
        for child in sorted(self.children, key=lambda o: o.name):
            digest.update(child.name.encode() + bytes.fromhex(child.state_hash()))
        return digest.hexdigest()

    def save(self) -> SavedObject:
        """Return the committed object, for a checkpoint."""
        states = self.states.newest_time_ns, self.body
        return SavedObject(
            self.name, self.kind, *states, self.shapes, self.restitution, self.friction, self.extra_state()
        )

    def extra_state(self) -> bytes:
        """Return further state of the kind, for :meth:`restored`."""
        return b''

    @classmethod
    def restored(cls, kept: SavedObject) -> Object:
        """Return the object of :meth:`save`, equal to the bit."""
        raise NotImplementedError(f'{cls.__name__} has no kind, so that no checkpoint holds one')

    def emitted_by(self, other: Object) -> bool:
        """Return whether an object or a descendant of it sent this one out."""
        return bool(self.emitter) and f'{self.emitter}/'.startswith(f'{other.name}/')

    def descends_from(self, other: Object) -> bool:
        """Return whether this is another object, or a descendant of it."""
        return self is other or (self.parent is not None and self.parent.descends_from(other))

    @property
    def root(self) -> Object:
        """The object itself, or the ancestor that evolves it."""
        return self if self.parent is None else self.parent.root

    @property
    def contact_target(self) -> Object:
        """The object that moves as a rigid whole when this one is struck, with its mass and inertia."""
        return self.root

    def needs(self) -> tuple[str, ...]:
        """Return the names of objects without which it cannot be; see :mod:`regolith_world.objects.constraints`."""
        return ()

    def inverse_inertia(self) -> Vector | None:
        """Return what velocities an impulse and its moment about the centre of mass give it, shape (6, 6); None: those
        of a free rigid body.
        """
        return None

    def family(self) -> list[Object]:
        """Return this object and all its descendants, parents first, in name order."""
        members: list[Object] = [self]
        for child in sorted(self.children, key=lambda o: o.name):
            members += child.family()
        return members


class Status(IntEnum):
    """Classes of intersection, as in ``regolith_msgs/Intersection``."""

    NO_INTERSECTION = 0
    COLLISION_POINTS = 1
    COLLISION_SURFACES = 2
    INFINITESIMAL_INTERSECTION = 3
    NON_INFINITESIMAL_INTERSECTION = 4


@dataclass(slots=True)
class Intersection:
    """The relation of two objects at one instant; ``a`` comes before ``b`` by name."""

    a: Object
    b: Object
    status: Status
    distance: float
    """Signed distance [m]: negative is penetration depth; along a beam, the range of the first hit (inf: none)."""
    points: Vector = field(default_factory=lambda: np.zeros((0, 3)))
    """Contact points in the world [m], shape (n, 3)."""
    normal: Vector = field(default_factory=lambda: np.zeros(3))
    """Unit vector from ``a`` to ``b`` where they are closest, shape (3,)."""
    normals: Vector = field(default_factory=lambda: np.zeros((0, 3)))
    """Normals at the contact points, shape (n, 3), since bodies of several shapes may touch in several directions."""
    gaps: Vector = field(default_factory=lambda: np.zeros(0))
    """Signed distance at each contact point [m], shape (n,)."""

    def involves(self, item: Object) -> bool:
        """Return whether the pair contains ``item``, a descendant of it, or a beam that one of these emitted."""
        return any(o.descends_from(item) or o.emitted_by(item) for o in (self.a, self.b))

    def contact_points(self) -> Vector:
        """Return the contact points, shape (n, 3); empty without contact."""
        return self.points

    def contact_surfaces(self) -> list[Vector]:
        """Return the contact polygons, corners in order, each shape (n >= 3, 3); empty unless faces meet."""
        return contact_polygons(self.points, self.normals)

    def record(self) -> IntersectionRecord:
        """Return the record for ``cycle``."""
        point = self.points.mean(axis=0) if len(self.points) else np.zeros(3)
        return IntersectionRecord(self.a.name, self.b.name, int(self.status), self.distance, point, self.normal)
