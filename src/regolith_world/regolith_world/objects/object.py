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
from typing import ClassVar, NamedTuple

import numpy as np

from regolith_world.cycle.codec import StateLayout
from regolith_world.cycle.records import BodyState, Cycle, IntersectionRecord, ObjectVisual, Shape, Vector
from regolith_world.numerics.portable_math import times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.bounding_box import ShapeBounds
from regolith_world.objects.contact_polygons import contact_polygons
from regolith_world.objects.rigid_state import turned_inertia
from regolith_world.objects.state_history import StateManager, interpolate_body

NEVER_NS = 2**62
"""Value of ``next_dt_ns`` without a limit."""


@dataclass(frozen=True, slots=True)
class SavedObject:
    """State of an object in a checkpoint, enough to build it again."""

    name: str
    kind: str
    t_ns: int
    body: BodyState
    shapes: tuple[Shape, ...]
    restitution: float
    friction: float
    more: bytes
    """Additional state of the kind of object."""


class Appearance(NamedTuple):
    """Appearance of an object to sensors, without effect on its motion."""

    material: str = 'metal'
    """Material, see the key ``material``."""
    mesh: str = ''
    """Path of a mesh file that is visible instead of the collision shapes; '': none."""
    mesh_scale: float = 1.0
    """Unit of the mesh file [m]."""
    color: tuple[float, ...] = ()
    """Red, green, blue, linear, instead of the color of the material; empty: none."""


class Object:
    """Base class of all objects in the world.

    Args:
        name: Unique name; spawned objects are named parent/counter.
        initial: State at ``t_ns``.
        shapes: Convex shapes fixed in the body frame.
        tangible: Whether a penetration of another tangible object discards the cycle.
        parent: Object that evolves this one; None for a root object.
        restitution: Coefficient of restitution of impacts, 0 (plastic) to 1 (elastic).
        friction: Coulomb friction coefficient.
        t_ns: Simulated time of the initial state [ns].
    """

    kind = ''
    """Type in :mod:`regolith_world.objects.object_types` that restores such objects; '': none, so a
    checkpoint cannot hold them."""
    keeps_children = False
    """Whether :attr:`STATE` includes the children."""
    STATE: ClassVar[StateLayout] = StateLayout('an object')
    """State of the kind of object in addition to time, pose and velocity, for :meth:`restored`."""
    moved_by = ''
    """Participant that moves the body, which then has no force fields; '': the world."""
    appearance = Appearance()
    """Appearance of the object and its descendants, set by :meth:`appear`."""
    gives = False
    """Whether others may be in it and are pushed out by forces, see :mod:`regolith_world.objects.cushion`."""
    applies_forces = True
    """Whether it applies the forces of other objects; participants apply impulses only."""
    self_contact = False
    """Whether members of its family collide with one another, see :meth:`members_collide`."""
    emitter = ''
    """Name of the object that emitted it for a measurement; '': none."""

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
        self._boxes: list[tuple[BodyState, tuple[Vector, Vector]]] = []
        self.states: StateManager[BodyState] = StateManager(interpolate_body)
        self.states.new_state(t_ns, initial)

    @property
    def body(self) -> BodyState:
        """Newest state; tentative until the world commits the cycle."""
        return self.states.newest

    def box(self, state: BodyState) -> tuple[Vector, Vector]:
        """Return the box around the shapes at a state: :meth:`ShapeBounds.bounds`, kept for the last two states."""
        for kept, bounds in self._boxes:
            if kept is state:
                return bounds
        bounds = self.outline.bounds(state)
        self._boxes = [(state, bounds), *self._boxes[:1]]
        return bounds

    @property
    def unmoved(self) -> bool:
        """Whether the newest state is the one before it, as of a body that sleeps."""
        return self.states.unchanged

    @property
    def at_rest(self) -> bool:
        """Whether cycles leave it out: a participant moves it, and it does not move."""
        return self.states.held

    @property
    def time_ns(self) -> int:
        """Time of :attr:`body` [ns]."""
        return self.states.newest_time_ns

    def next_dt_ns(self) -> int:
        """Return the maximum length of the next cycle for this object and its children [ns]."""
        return min((child.next_dt_ns() for child in self.children), default=NEVER_NS)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Add the state at ``cycle.t_ns + cycle.dt_ns`` and return the objects spawned in the cycle.

        The result depends on ``cycle`` (committed inputs) and on the own state only.
        """
        self.states.new_state(cycle.t_ns + cycle.dt_ns, self.body)
        return self.evolve_children(cycle)

    def evolve_children(self, cycle: Cycle) -> list[Object]:
        """Evolve all children in name order; return the objects that they spawn."""
        offspring: list[Object] = []
        for child in sorted(self.children, key=lambda o: o.name):
            offspring += child.evolve(cycle)
        return offspring

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """Commit the newest state, apply :meth:`on_intersections`, and commit the children.

        Args:
            intersections: Intersections of this object, its descendants and their beams. They are valid during the
                call only, because poses change.
        """
        self.on_intersections(intersections)
        for child in sorted(self.children, key=lambda o: o.name):
            child.commit([hit for hit in intersections if hit.involves(child)])

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Process the intersections at a committed state. The world calls it at the initial state as well."""

    def remove_dead(self) -> list[str]:
        """Remove the children that are no longer alive; return their names, descendants included."""
        gone = []
        for child in self.children:
            gone += child.remove_dead() if child.alive else [member.name for member in child.family()]
        self.children = [child for child in self.children if child.alive]
        return gone

    def force_and_moment(self, intersections: Sequence[Intersection]) -> tuple[Vector, Vector]:
        """Return the force on this object [N] and its moment about the center of mass [N m], in world axes.

        The sum covers all intersecting objects. Tangible objects exert impulses instead
        (:mod:`regolith_world.contacts.contact_solver`), except those that give.
        """
        force, moment = np.zeros(3), np.zeros(3)
        for hit in intersections:
            if self in (hit.a, hit.b) and hit.status != Status.NO_INTERSECTION:
                other = hit.b if hit.a is self else hit.a
                reacts = self.gives and not other.gives
                own, turning = self.reaction(other, hit) if reacts else other.force_on(self, hit)
                force += own
                moment += turning
        return force, moment

    def force_on(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment [N m] of this object on an intersecting one, if it is a field or a cushion."""
        return np.zeros(3), np.zeros(3)

    def reaction(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment [N m] of an intersecting object on this one, if this one :attr:`gives`."""
        return np.zeros(3), np.zeros(3)

    def free_acceleration(self) -> Vector | None:
        """Return the acceleration until the next impact [m/s^2], shape (3,); None if it is not known."""
        return None

    def discard(self) -> None:
        """Discard the newest state and all other results of :meth:`evolve`, children included."""
        self.states.delete_state(0)
        for child in self.children:
            child.discard()

    def delay(self, by_ns: int) -> None:
        """Shift the start by a time [ns], children included; valid before the first cycle only."""
        self.states.delay(by_ns)
        for child in self.children:
            child.delay(by_ns)

    def place(self, t_ns: int, body: BodyState) -> None:
        """Set pose and velocity between two cycles; mass and inertia do not change.

        Args:
            t_ns: Simulated time of the state [ns].
            body: State with the pose and the velocity.

        Raises:
            ValueError: If the object cannot be moved.
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
        """Return the newest state as little-endian bytes, for the state hash."""
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
        """Return the committed state of the object, for a checkpoint."""
        more = self.STATE.pack(self)
        return SavedObject(
            self.name, self.kind, self.time_ns, self.body, self.shapes, self.restitution, self.friction, more
        )

    @classmethod
    def restored(cls, kept: SavedObject) -> Object:
        """Return the object of :meth:`save`, bit-identical."""
        raise NotImplementedError(f'{cls.__name__} has no kind: a checkpoint cannot hold it')

    def emitted_by(self, other: Object) -> bool:
        """Return whether an object or one of its descendants emitted this one."""
        return bool(self.emitter) and f'{self.emitter}/'.startswith(f'{other.name}/')

    def appear(self, appearance: Appearance) -> None:
        """Set the appearance of the object and of its descendants."""
        for item in self.family():
            item.appearance = appearance

    def visual(self) -> ObjectVisual | None:
        """Return its visible shapes, which are its collision shapes or its mesh; None if it is not visible."""
        if not self.tangible:
            return None
        look = self.appearance
        made = ObjectVisual(
            self.name,
            shapes=self.shapes,
            material=look.material,
            mesh=look.mesh,
            mesh_scale=look.mesh_scale,
            color=np.array(look.color),
        )
        return made if made.visible else None

    def descends_from(self, other: Object) -> bool:
        """Return whether this is the other object or one of its descendants."""
        return self is other or (self.parent is not None and self.parent.descends_from(other))

    @property
    def root(self) -> Object:
        """The object itself, or the root ancestor that evolves it."""
        return self if self.parent is None else self.parent.root

    @property
    def contact_target(self) -> Object:
        """Object whose mass and inertia an impact on this one changes the velocity of."""
        return self.root

    def needs(self) -> tuple[str, ...]:
        """Return the names of the objects that it depends on; see :mod:`regolith_world.objects.constraints`."""
        return ()

    def inverse_inertia(self) -> Vector | None:
        """Return the inverse inertia about the center of mass, shape (6, 6); None for a free rigid body.

        It maps an impulse [N s] and its moment [N m s] to linear [m/s] and angular velocity [rad/s].
        """
        return None

    def members_collide(self, a: Object, b: Object) -> bool:
        """Return whether two members of the family of this root can collide, if :attr:`self_contact` is set.

        A kind of object with :attr:`self_contact` overrides it and :meth:`inverse_inertia_of`.
        """
        return False

    def inverse_inertia_of(self, members: Sequence[Object]) -> Vector:
        """Return the joint inverse inertia of members of the family of this root, shape (6 k, 6 k).

        Its blocks map the impulse and moment on one member to the velocities of another, as :meth:`inverse_inertia`
        does for one. It is called for a root with :attr:`self_contact` only.
        """
        raise NotImplementedError(f'{self.name!r} has self_contact; allowed: a kind of object with inverse_inertia_of')

    def family(self) -> list[Object]:
        """Return this object and all its descendants, parents first, in name order."""
        members: list[Object] = [self]
        if not self.children:
            return members
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


def yields(a: Object, b: Object) -> bool:
    """Return whether two tangible objects push each other by forces: they may penetrate, and exchange no impulses."""
    return (a.gives or b.gives) and a.tangible and b.tangible and a.applies_forces and b.applies_forces


@dataclass(frozen=True, slots=True)
class Intersection:
    """Relation of two objects at one time; the name of ``a`` sorts before that of ``b``."""

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

    def process(self) -> Status:
        """Return the class of the intersection. The world computes it once, when it makes the pair."""
        return self.status

    def contact_points(self) -> Vector:
        """Return the contact points, shape (n, 3); empty without contact."""
        return self.points

    def contact_surfaces(self) -> list[Vector]:
        """Return the contact polygons, corners in order, each shape (n >= 3, 3); empty unless faces meet."""
        return contact_polygons(self.points, self.normals)

    def record(self) -> IntersectionRecord:
        """Return the record for ``cycle``."""
        point = self.points.mean(axis=0) if len(self.points) else np.zeros(3)
        found = IntersectionRecord(self.a.name, self.b.name, int(self.status), self.distance, point, self.normal)
        if self.a.tangible and self.b.tangible and len(self.points):
            found.points, found.normals, found.gaps = self.points, self.normals, self.gaps
            if polygons := self.contact_surfaces():
                found.surface_sizes = tuple(len(polygon) for polygon in polygons)
                found.surface_points = np.concatenate(polygons)
        return found
