# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Linkage: an object of bodies and the joints between them, a parent with its links as children.

Source of the design: "Simulator Architecture" (2024), chapters Objects ("non-active system of objects", treated as one
unit) and Constraints. The parent moves all links in its own substeps. Each link has shapes and collides like any
object, but only its parent moves it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.codec import StateField, StateLayout, state_fields
from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.records import BodyState, Cycle, Shape, Vector
from regolith_world.numerics.rotation import matrices
from regolith_world.objects.field_force import FieldForce, field_force
from regolith_world.objects.linkages.dynamics import (
    OK,
    LinkageState,
    LinkMasses,
    advance,
    angular_momenta,
    angular_velocities,
    inverse_inertia,
    inverses,
    project_velocities,
    system,
)
from regolith_world.objects.linkages.envelope_solver import envelope
from regolith_world.objects.linkages.joints import WORLD, ConstraintRows, JointFrames, LinkageJoint, frames, rows
from regolith_world.objects.object import Intersection, Object, SavedObject

SUBSTEP_S = 1e-3
"""Default maximum substep size [s]. With it the period of a pendulum of 1 m has a relative error of 1.5e-6."""


class Link(Object):
    """A body of a linkage. It collides as a separate body."""

    pull: FieldForce | None = None
    """Force of fields since the last commit; None: none."""

    @property
    def contact_target(self) -> Object:
        """The link itself."""
        return self

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse a pose: it would violate the joints.

        Args:
            t_ns: Unused.
            body: Unused.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f'{self.name!r} is held by its joints; allowed: rigid bodies and static bodies')

    def inverse_inertia(self) -> Vector:
        """Return the velocity change per impulse and moment with the joints active, shape (6, 6)."""
        assert isinstance(self.parent, Linkage)
        return self.parent.mobility_of(self)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Return no spawned objects: the parent sets the state."""
        return []

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Store the force of fields for the next cycle."""
        self.pull = field_force(self.pull, *self.force_and_moment(intersections), self.states.last_step_ns * 1e-9)


class Linkage(Object):
    """Bodies connected by joints under uniform gravity, fields and impulses.

    Its own body is at the common center of mass, without shapes and without rotation. With ``self_contact``, its bodies
    collide with one another, except those with at most one body between them: their joints hold them together.

    Args:
        name: Name of the linkage.
        names: Names of the links, in the order of ``mass``. Each becomes NAME/LINK.
        shapes: Collision shapes of each link, about its center of mass.
        mass: Masses of the links [kg], shape (n,).
        inertia: Inertias about the centers of mass in body axes [kg m^2], shape (n, 3, 3).
        motion: Positions, orientations, velocities and angular momenta at ``t_ns``.
        joint_frames: Joints, see :func:`regolith_world.objects.linkages.joints.frames`.
        equations: Equations, see :func:`regolith_world.objects.linkages.joints.rows`.
        gravity: Gravity in the world frame [m/s^2], shape (3,).
        restitution: Coefficient of restitution [-].
        friction: Coulomb friction coefficient [-].
        substep_s: Maximum substep size [s].
        self_contact: Whether the links collide with one another.
        t_ns: Time of the initial state [ns].
    """

    kind = 'linkage'
    STATE = StateLayout(
        'a linkage',
        StateField('link_names', tuple[str, ...]),
        StateField('link_shapes', tuple[tuple[Shape, ...], ...]),
        *state_fields(Vector, '_mass', '_inertia', 'gravity'),
        StateField('motion', LinkageState),
        StateField('_system.frames', JointFrames),
        StateField('_system.rows', ConstraintRows),
        StateField('substep_s', 'd'),
        StateField('pulls', tuple[FieldForce | None, ...]),
        StateField('self_contact', '?'),
    )
    keeps_children = True

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        shapes: Sequence[Sequence[Shape]],
        mass: Vector,
        inertia: Vector,
        motion: LinkageState,
        joint_frames: JointFrames,
        equations: ConstraintRows,
        *,
        gravity: Vector,
        restitution: float = 0.0,
        friction: float = 0.5,
        substep_s: float = SUBSTEP_S,
        self_contact: bool = False,
        t_ns: int = 0,
    ) -> None:
        self.self_contact = self_contact
        self.gravity, self.substep_s = np.array(gravity, float), substep_s
        self._mass, self._inertia = np.array(mass, float), np.array(inertia, float)
        self._masses = _masses(self._mass, self._inertia)
        self._system = system(joint_frames, equations, *envelope(equations, joint_frames.body))
        self._motions = [LinkageState(*(np.array(part, float) for part in motion))]
        """Committed motion and, within a cycle, the tentative one."""
        super().__init__(name, self._whole(name), tangible=False, restitution=restitution, friction=friction, t_ns=t_ns)
        self.links = [
            Link(f'{name}/{link}', body, own, parent=self, restitution=restitution, friction=friction, t_ns=t_ns)
            for link, body, own in zip(names, self._bodies([f'{name}/{link}' for link in names]), shapes, strict=True)
        ]
        self._number = {link.name: k for k, link in enumerate(self.links)}
        self._near = _neighbors(joint_frames.body) if self_contact else frozenset()

    @classmethod
    def assembled(
        cls,
        name: str,
        names: Sequence[str],
        shapes: Sequence[Sequence[Shape]],
        mass: Vector,
        inertia: Vector,
        bodies: Sequence[BodyState],
        joints: Sequence[LinkageJoint],
        *,
        gravity: Vector,
        restitution: float = 0.0,
        friction: float = 0.5,
        substep_s: float = SUBSTEP_S,
        self_contact: bool = False,
    ) -> Linkage:
        """Return a linkage whose joints fit the present poses of its bodies, without velocities against the joints.

        Args:
            name: Name of the linkage.
            names: Names of the links.
            shapes: Collision shapes of each link, about its center of mass.
            mass: Masses of the links [kg], shape (n,).
            inertia: Inertias about the centers of mass in body axes [kg m^2], shape (n, 3, 3).
            bodies: Poses and velocities of the links.
            joints: Joints, by indices of bodies.
            gravity: Gravity in the world frame [m/s^2], shape (3,).
            restitution: Coefficient of restitution [-].
            friction: Coulomb friction coefficient [-].
            substep_s: Maximum substep size [s].
            self_contact: Whether the links collide with one another.
        """
        orientation = np.array([body.orientation for body in bodies])
        position, velocity = (np.array([getattr(b, key) for b in bodies]) for key in ('position', 'linear_velocity'))
        motion = LinkageState(position, orientation, velocity, np.empty_like(position))
        angular_momenta(_masses(mass, inertia), motion, np.array([body.angular_velocity for body in bodies]))
        made = cls(
            name,
            names,
            shapes,
            mass,
            inertia,
            motion,
            frames(joints, position, matrices(orientation)),
            rows(joints),
            gravity=gravity,
            restitution=restitution,
            friction=friction,
            substep_s=substep_s,
            self_contact=self_contact,
        )
        project_velocities(made._system, made._masses, made._motions[0])
        made._tell(0)
        return made

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse a pose: it follows from the bodies and joints.

        Args:
            t_ns: Unused.
            body: Unused.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f'{self.name!r} has a pose set by its bodies and joints; allowed: objects of one body')

    @property
    def motion(self) -> LinkageState:
        """Present motion of the links; tentative until the world commits the cycle."""
        return self._motions[-1]

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Apply the impulses in ``cycle``, then move all links by substeps. Fields act at the middle of the cycle.

        Args:
            cycle: The cycle.

        Raises:
            ParticipantFailed: If the motion is too fast for the substep size to satisfy the joints.
        """
        now = LinkageState(*(part.copy() for part in self._motions[-1]))
        self._motions.append(now)
        pulls = [(k, link.pull) for k, link in enumerate(self.links) if link.pull is not None]
        _kick(now, self._mass, [(k, pull.owed, pull.owed_moment) for k, pull in pulls])
        if self._struck(cycle, now) or pulls:
            project_velocities(self._system, self._masses, now)
        duration = cycle.dt_ns * 1e-9
        if pulls:
            # Like a constant force: half of its displacement and all of its velocity.
            held = self._move(now, 0.5 * duration)
            _kick(now, self._mass, [(k, duration * pull.force, duration * pull.moment) for k, pull in pulls])
            project_velocities(self._system, self._masses, now)
            held = held and self._move(now, 0.5 * duration)
        else:
            held = self._move(now, duration)
        if not held:
            fastest = float(np.sqrt((now.velocity**2).sum(axis=1).max()))
            raise ParticipantFailed(
                f'{self.name}: joints cannot be satisfied, bodies move at up to {fastest:.3g} m/s; allowed: speeds '
                f'that a substep_s of {self.substep_s:g} s resolves'
            )
        self._tell(cycle.t_ns + cycle.dt_ns)
        return []

    def _move(self, now: LinkageState, duration: float) -> bool:
        """Move all links by a duration [s]; return whether their joints are satisfied."""
        count = max(1, int(np.ceil(duration / self.substep_s * (1.0 - 1e-9))))
        room = LinkageState(*(np.empty_like(part) for part in now))
        return bool(advance(self._system, self._masses, now, room, self.gravity, duration / count, count) == OK)

    def _struck(self, cycle: Cycle, now: LinkageState) -> bool:
        """Apply the impulses of the last commit to the links; return whether there were any."""
        number = self._number
        found = False
        for blow in cycle.impulses:
            for name, sign in ((blow.a, 1.0), (blow.b, -1.0)):
                if name in number:
                    k, p = number[name], sign * blow.impulse
                    now.velocity[k] += p / self._mass[k]
                    now.spin[k] += np.cross(blow.point - now.position[k], p)
                    found = True
        return found

    def mobility_of(self, link: Link) -> Vector:
        """Return the velocity change of a link per impulse and moment, shape (6, 6)."""
        return self.inverse_inertia_of((link,))

    def inverse_inertia_of(self, members: Sequence[Object]) -> Vector:
        """Return the velocity changes of links per impulses and moments on them, shape (6 k, 6 k)."""
        out = np.empty((6 * len(members), 6 * len(members)))
        numbers = np.array([self._number[link.name] for link in members])
        inverse_inertia(self._system, self._masses, self._motions[-1], numbers, out)
        return out

    def members_collide(self, a: Object, b: Object) -> bool:
        """Return whether at least two links are between two links, along the joints."""
        if not self.self_contact or self in (a, b):
            return False
        first, second = sorted((self._number[a.name], self._number[b.name]))
        return (first, second) not in self._near

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """Make the newest motion the committed one."""
        super().commit(intersections)
        del self._motions[:-1]

    def discard(self) -> None:
        """Discard the newest motion."""
        super().discard()
        del self._motions[-1]

    def _tell(self, t_ns: int) -> None:
        """Store the newest motion as the states of all links at a time [ns], replacing states of the same time."""
        if t_ns == self.states.newest_time_ns:
            for item in (self, *self.links):
                item.states.clear()
        self.states.new_state(t_ns, self._whole(self.name))
        for link, body in zip(self.links, self._bodies([link.name for link in self.links])):
            link.states.new_state(t_ns, body)

    def _whole(self, name: str) -> BodyState:
        now = self._motions[-1]
        total = float(self._mass.sum())
        center, velocity = ((self._mass[:, None] * part).sum(axis=0) / total for part in (now.position, now.velocity))
        return BodyState(name, center, np.array([0.0, 0.0, 0.0, 1.0]), velocity, np.zeros(3), 0.0, center.copy())

    def _bodies(self, names: Sequence[str]) -> list[BodyState]:
        now = self._motions[-1]
        omega, inertia = np.empty_like(now.spin), np.empty_like(self._inertia)
        angular_velocities(self._masses, now, omega, inertia)
        return [
            BodyState(
                name,
                now.position[k].copy(),
                now.orientation[k].copy(),
                now.velocity[k].copy(),
                omega[k],
                float(self._mass[k]),
                now.position[k].copy(),
                inertia[k],
            )
            for k, name in enumerate(names)
        ]

    def canonical_state(self) -> bytes:
        """Return the motion of all links as canonical little-endian bytes, for the state hash."""
        parts = [part.astype('<f8').tobytes() for part in self._motions[-1]]
        pulls = ((k, link.pull) for k, link in enumerate(self.links))
        parts += [struct.pack('<q', k) + pull.packed() for k, pull in pulls if pull is not None]
        return super().canonical_state() + b''.join(parts)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links without that of the linkage."""
        return tuple(link.name[len(self.name) + 1 :] for link in self.links)

    @property
    def link_shapes(self) -> tuple[tuple[Shape, ...], ...]:
        """Shapes of the links."""
        return tuple(link.shapes for link in self.links)

    @property
    def pulls(self) -> tuple[FieldForce | None, ...]:
        """Forces of fields on the links."""
        return tuple(link.pull for link in self.links)

    @classmethod
    def restored(cls, kept: SavedObject) -> Linkage:
        """Return the object of :meth:`save`."""
        more = cls.STATE.values(kept.more)
        made = cls(
            kept.name,
            more.link_names,
            more.link_shapes,
            more._mass,
            more._inertia,
            more.motion,
            more.frames,
            more.rows,
            gravity=more.gravity,
            restitution=kept.restitution,
            friction=kept.friction,
            substep_s=more.substep_s,
            self_contact=more.self_contact,
            t_ns=kept.t_ns,
        )
        for link, pull in zip(made.links, more.pulls):
            link.pull = pull
        return made


def _neighbors(joints: NDArray[np.int64]) -> frozenset[tuple[int, int]]:
    """Return the pairs of bodies that share a joint, or that have one body between them.

    Args:
        joints: Indices of the two bodies of each joint, shape (j, 2); the world is no body.
    """
    beside: dict[int, set[int]] = {}
    for a, b in joints.tolist():
        if WORLD not in (a, b):
            beside.setdefault(a, set()).add(b)
            beside.setdefault(b, set()).add(a)
    near = {(a, b) for a, others in beside.items() for b in others}
    near |= {(a, b) for others in beside.values() for a in others for b in others}
    return frozenset((a, b) for a, b in near if a < b)


def _kick(now: LinkageState, mass: Vector, kicks: Sequence[tuple[int, Vector, Vector]]) -> None:
    """Add momenta [N s] and angular momenta [N m s] to bodies, by index."""
    for k, momentum, spin in kicks:
        now.velocity[k] += momentum / mass[k]
        now.spin[k] += spin


def _masses(mass: Vector, inertia: Vector) -> LinkMasses:
    whole = np.array(inertia, float)
    compliance = np.empty_like(whole)
    inverses(whole, compliance)
    return LinkMasses(1.0 / np.array(mass, float), whole, compliance)


def link_index(names: Sequence[str], body: str) -> int:
    """Return the index of a body, or that of the world."""
    return WORLD if body == 'world' else list(names).index(body)
