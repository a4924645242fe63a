# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on the ground: their states, and the memory of their contacts.

:mod:`regolith_terrain.bodies.steps` advances them. Contacts with bodies of another participant and with other objects
are impulses of the world, once per cycle.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.config import BodiesConfig
from regolith_terrain.bodies.contact_points import BodySetting
from regolith_terrain.bodies.description import BodyDescription
from regolith_terrain.bodies.ground import BodyGround
from regolith_terrain.bodies.member_state import AROUND, MemberState, join_memory, split_memory
from regolith_terrain.bodies.motion import BodyArrays, write_inertias
from regolith_terrain.bodies.shapes import join_points
from regolith_terrain.bodies.substep import BodyGeometry, BodyStep, geometry_of, loop_function
from regolith_terrain.contact.arrays import make_wrench
from regolith_terrain.contact.constants import SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_SPHERE
from regolith_terrain.contact.ground_contact import GroundContact, StepLimit, make_pose
from regolith_terrain.contact.mixed_contact import make_contact
from regolith_terrain.contact.shapes import join_shapes
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact import STIFFNESS_OF_PART
from regolith_terrain.solids.friction_memory import NOTHING_MOVES, SolidContact
from regolith_terrain.solids.point_force import damping_ratio
from regolith_world.cycle import BodyState, ComputedBody, Cycle, Part, Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math, rotation
from regolith_world.objects import inside_fields, make_field_regions

Indices = NDArray[np.int64]

_DEFAULTS = BodiesConfig()
_NUMBER = 2**32
"""Numbers of bodies as solids begin here; those of rocks and obstacles are smaller."""
_ROUND = (SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_CYLINDER)
SHORTEST_S = 1e-5
"""Shortest substep of light bodies [s]."""


class RigidBodies(Saved):
    """Rigid bodies of a scenario, their states and the memory of their contacts."""

    STATE = StateLayout(
        'rigid bodies',
        *state_fields('<f8', 'position', 'orientation', 'velocity', 'spin', shared=True),
        StateField('members', Part(1)),
    )

    def __init__(
        self, bodies: Sequence[BodyDescription], ground: BodyGround, section: BodiesConfig = _DEFAULTS
    ) -> None:
        """Create the bodies at the origin, at rest; :meth:`place` sets a state.

        Args:
            bodies: Descriptions of the bodies.
            ground: The ground.
            section: Section ``bodies`` of the scenario.
        """
        self.bodies = tuple(bodies)
        self.names = [body.name for body in bodies]
        self.index = {name: n for n, name in enumerate(self.names)}
        """Index of each body by its name."""
        self._descriptions = [body.save() for body in bodies]
        self.ground, self.section = ground, section
        count = len(bodies)
        mass = np.array([body.mass for body in bodies])
        inertia = np.array([body.mass * body.shape.properties.inertia for body in bodies]).reshape(count, 3, 3)
        self.position, self.velocity, self.spin, self.contact_force = (np.zeros((count, 3)) for _ in range(4))
        self.orientation = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
        self.awake = np.ones(count, dtype=bool)
        """Whether each body is computed, shape (n,)."""
        self.in_bed = np.zeros(count, dtype=bool)
        """Whether each body lies in soil that does not have its shape yet, shape (n,); see :meth:`_make_bed`."""
        self.quiet_ns = np.zeros(count, dtype=np.int64)
        """Time for which each body has been at rest [ns], shape (n,)."""
        self.start = np.zeros((count, 7))
        """Position [m] and orientation of each awake body at the start of the cycle, shape (n, 7)."""
        self.footprint = np.full((count, len(AROUND)), np.nan)
        """Level of the soil around each sleeping body [m], NaN until the next cycle, shape (n, 9)."""
        self.resting_pose = np.full((count, 7), np.nan)
        """Pose near which each body has been since ``quiet_ns`` began, shape (n, 7); see :class:`MemberState`."""
        self.reach = np.array([body.shape.reach for body in bodies])
        """Radius about the center of mass that contains each body [m], shape (n,)."""
        gravity = np.array([np.zeros(3) if body.weightless else ground.gravity for body in bodies]).reshape(count, 3)
        self.arrays = BodyArrays(
            self.position,
            self.orientation,
            self.velocity,
            self.spin,
            self.contact_force,
            mass,
            inertia,
            np.array([portable_math.solved(each, np.eye(3)) for each in inertia]).reshape(count, 3, 3),
            np.zeros((count, 3, 3)),
            np.zeros((count, 6, 6)),
            np.zeros((4, 4)),
            self.awake,
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 2), dtype=np.int64),
            np.zeros(count, dtype=bool),
            np.array([int(body.shape.contact.kind[0]) in _ROUND for body in bodies], dtype=bool),
            np.array([body.shape.upright for body in bodies], dtype=bool),
            gravity,
        )
        """Arrays of the kernels."""
        self.weight = mass * np.sqrt(np.sum(np.square(gravity), axis=1))
        """Weights [N], shape (n,)."""
        self.contact: GroundContact
        """Ground contact of all bodies; a set without bodies has none."""
        self.solid_contact: SolidContact
        """Contact of all bodies with solids and each other; a set without bodies has none."""
        self.loop: Callable[[BodyStep, float, int], int]
        """Compiled substeps of bodies in contact; a set without bodies has none."""
        self.numbers = np.array([_NUMBER + zlib.crc32(name.encode()) for name in self.names], dtype=np.int64)
        """Number of each body as a solid, shape (n,)."""
        self.friction = np.array([body.friction for body in bodies])
        """Coulomb friction coefficients [-], shape (n,)."""
        self.moving = NOTHING_MOVES._replace(
            position=self.position,
            velocity=self.velocity,
            spin=self.spin,
            mobility=self.arrays.mobility,
            force=self.arrays.force,
            torque=self.arrays.torque,
            touching=self.arrays.touching,
            done=self.arrays.done,
            friction=self.friction,
            damping_ratio=np.array([damping_ratio(body.restitution) for body in bodies]),
            # Work arrays of its own: the loops of several participants run in threads at the same time.
            relative=make_pose(),
            both=np.zeros((6, 6)),
        )
        """The bodies as solids that move."""
        if count:
            self._make_contacts()
        self.substep = np.array([self._stable_substep(n) for n in range(count)])
        """Maximum substep of each body on the ground [s], shape (n,): shorter for a light spawned body."""
        self._states: list[BodyState | None] = [None] * count
        self._given: list[BodyState | None] = [None] * count
        self.force_fields = make_field_regions(())
        """Force fields of the cycle."""
        self.revision = 0
        """Number of changes of states so far."""
        self.soil_writes = -1
        """Writes of the soil at the last look at it, see :mod:`regolith_terrain.bodies.sleep`; -1: no look."""
        self.members = [self._member(n) for n in range(count)]
        """State and memory of each body."""
        self.pose, self.wrench = make_pose(), make_wrench()
        """Work arrays of the kernels."""

    def _make_contacts(self) -> None:
        ground, setting = self.ground, self._setting()
        self.contact = make_contact(ground.grid.law, setting, of_bodies=True)
        stiffness = np.full(len(self), STIFFNESS_OF_PART)
        self.solid_contact = SolidContact(ground.solids, setting.shapes, setting.reach, stiffness)
        self.loop = loop_function(self.contact.press)

    def _member(self, n: int) -> MemberState:
        return MemberState(
            self.awake[n : n + 1],
            self.in_bed[n : n + 1],
            self.quiet_ns[n : n + 1],
            self.contact_force[n],
            self.footprint[n],
            self.resting_pose[n],
            self.contact.memories(n),
            self.solid_contact.of_part(n),
        )

    def setters(self, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state from :meth:`save`."""
        return [*super().setters(blob), lambda: self.changed(range(len(self))), self._forget_soil]

    def _forget_soil(self) -> None:
        self.soil_writes = -1

    @cached_property
    def geometry(self) -> BodyGeometry:
        """Polyhedra of the bodies, which vehicles touch."""
        return geometry_of([body.shape.solid for body in self.bodies], self.reach)

    def _setting(self) -> BodySetting:
        ground, shapes = self.ground, [body.shape for body in self.bodies]
        own = [shape.ploughs if body.ploughs is None else body.ploughs for body, shape in zip(self.bodies, shapes)]
        return BodySetting(
            soils=ground.soils,
            shapes=join_shapes([shape.contact for shape in shapes]),
            reach=self.reach,
            spacing=ground.grid.spacing,
            mode=ground.mode,
            field=ground.grid.height_field,
            gravity=ground.gravity,
            points=join_points([shape.points for shape in shapes]),
            mass=self.arrays.mass,
            mobility=self.arrays.mobility,
            footprint=np.array([shape.footprint for shape in shapes]),
            damping_ratio=self.moving.damping_ratio,
            ploughs=np.array(own),
        )

    def __len__(self) -> int:
        """Return the number of bodies."""
        return len(self.bodies)

    # -- states ---------------------------------------------------------------------------------------------------

    def place(
        self,
        n: int,
        position: Floats,
        orientation: Floats | None = None,
        velocity: Floats | None = None,
        spin: Floats | None = None,
    ) -> None:
        """Set the state of a body and reset its contacts.

        Args:
            n: Index of the body.
            position: Center of mass [m], shape (3,).
            orientation: Quaternion (x, y, z, w); none: identity.
            velocity: Velocity [m/s], shape (3,); none: zero.
            spin: Angular velocity, world axes [rad/s], shape (3,); none: zero.
        """
        self.position[n] = position
        self.orientation[n] = (0.0, 0.0, 0.0, 1.0) if orientation is None else orientation
        self.velocity[n] = 0.0 if velocity is None else velocity
        self.spin[n] = 0.0 if spin is None else spin
        self.in_bed[n] = False
        self.release(n)

    def move(self, n: int, state: BodyState) -> None:
        """Set pose and twist of a body; its contacts stay."""
        self.position[n], self.orientation[n] = state.position, state.orientation
        self.velocity[n], self.spin[n] = state.linear_velocity, state.angular_velocity
        self.changed([n])

    def lift(self, n: int, height: float) -> None:
        """Raise a body by a height [m], wake it and reset its contacts; its velocity and its bed stay."""
        self.position[n, 2] += height
        self.release(n)
        self.wake(n)

    def take(self, other: RigidBodies) -> None:
        """Take states and memories of the bodies of the same names from another set."""
        for name, m in other.index.items():
            n = self.index.get(name)
            if n is not None:
                self.move(n, other.body_state(m))
                self.members[n].load(other.members[m].save())

    def release(self, n: int) -> None:
        """Reset the contacts of a body."""
        self.changed([n])
        for memory in self.members[n].memories:
            memory.reset()
        self.solid_contact.release([n])

    def push(self, n: int, impulse: Floats, point: Floats) -> None:
        """Apply an impulse [N s], shape (3,), at a point [m], shape (3,)."""
        turn = rotation.matrix(self.orientation[n])
        moment = portable_math.cross(point - self.position[n], impulse)
        inverse = portable_math.times(portable_math.times(turn, self.arrays.inverse_inertia[n]), turn.T)
        self.changed([n])
        self.velocity[n] += impulse / self.arrays.mass[n]
        self.spin[n] += portable_math.times(inverse, moment)

    def inertia(self, n: int) -> Floats:
        """Return the inertia of a body about its center of mass, world axes [kg m^2], shape (3, 3)."""
        inertia: Floats = self._inertias([n])[0]
        return inertia

    def _inertias(self, rows: Sequence[int]) -> Floats:
        found = np.empty((len(rows), 3, 3))
        write_inertias(self.arrays, np.array(rows, dtype=np.int64), found)
        return found

    def body_state(self, n: int) -> BodyState:
        """Return pose, twist, mass and inertia of a body; the same record as long as it does not move."""
        return self.body_states([n])[0]

    def body_states(self, rows: Iterable[int]) -> tuple[BodyState, ...]:
        """Return :meth:`body_state` of some bodies."""
        states, rows = self._states, list(rows)
        if stale := [n for n in rows if states[n] is None]:
            position, *others = (
                each[stale] for each in (self.position, self.orientation, self.velocity, self.spin, self.mass)
            )
            columns = (position, *others[:3], others[3].tolist(), position.copy(), self._inertias(stale))
            for n, *values in zip(stale, *columns, strict=True):
                states[n] = BodyState(self.names[n], *values)
        return tuple(state for state in (states[n] for n in rows) if state is not None)

    def changed(self, members: Sequence[int]) -> None:
        """Discard what is kept of the states of some bodies."""
        self.revision += 1
        for n in members:
            self._states[n] = self.members[n].kept = None

    @property
    def mass(self) -> Floats:
        """Masses [kg], shape (n,)."""
        return self.arrays.mass

    def step_limit(self, n: int) -> StepLimit:
        """Return the stability limit of a body that presses with its largest area."""
        mass, area = float(self.mass[n]), self.bodies[n].shape.shadow_area
        limit = self.contact.step_limit(mass, area)
        if len(self) > 1 and self.section.substep_s > limit.seconds:  # unless this body is a small one
            return RigidBodies([self.bodies[n]], self.ground, self.section).step_limit(0)
        return limit

    def _stable_substep(self, n: int) -> float:
        """Return the substep of the section, or half of the limit of a body for which it is too long [s]."""
        limit = self.step_limit(n).seconds
        return self.section.substep_s if limit >= self.section.substep_s else max(0.5 * limit, SHORTEST_S)

    def energy(self, n: int) -> float:
        """Return the kinetic and potential energy of a body, zero at rest at the origin [J]."""
        gravity, v, w = self.ground.gravity, self.velocity[n], self.spin[n]
        kinetic = 0.5 * float(self.mass[n]) * portable_math.dot(v, v)
        turning = 0.5 * portable_math.dot(w, portable_math.times(self.inertia(n), w))
        return kinetic + turning - float(self.mass[n]) * portable_math.dot(gravity, self.position[n])

    def memory(self, n: int) -> bytes:
        """Return description and state of a body except its pose and twist, for another set of bodies."""
        return join_memory(self._descriptions[n], self.members[n].save())

    def computed(self, rows: Iterable[int]) -> tuple[ComputedBody, ...]:
        """Return states and memories of some bodies for the world."""
        rows = list(rows)
        return tuple(ComputedBody(state, self.memory(n)) for state, n in zip(self.body_states(rows), rows, strict=True))

    def load_memory(self, n: int, memory: bytes) -> None:
        """Take the state from :meth:`memory`.

        Raises:
            ValueError: If it is not that of such a body.
        """
        self.members[n].load(split_memory(memory)[1])

    def follow(self, cycle: Cycle, own: Container[str] | None = None) -> list[int]:
        """Take committed states and the impulses that act at the start of a cycle.

        A body whose state differs from that of the world was moved by a user: its contacts are reset, and it wakes.

        Args:
            cycle: The cycle.
            own: Names of the bodies that this participant computes; none: all. The others get the state of the world.

        Returns:
            Indices of the bodies that exist.
        """
        if cycle.fields or len(self.force_fields.drag):
            self.force_fields = make_field_regions(cycle.fields)
        rows: list[int] = []
        given: dict[int, BodyState] = {}
        for body in cycle.bodies:
            n = self.index.get(body.name)
            if n is not None:
                rows.append(n)
                self._given[n] = body
                if self._states[n] is not body:
                    given[n] = body
        new = list(given)
        moving = (self.position, self.orientation, self.velocity, self.spin)
        state = np.concatenate([each[new] for each in moving], axis=1)
        for (n, body), same in zip(given.items(), _equal(given.values(), state), strict=True):
            if same:
                self._states[n] = body
                continue
            if own is None or body.name in own:
                self.wake_around(n)
            self.move(n, body)
            if own is None or body.name in own:
                self.in_bed[n] = False
                self.release(n)
                self.wake(n)
        present = set(rows)
        for hit in cycle.impulses:
            for struck, impulse in ((hit.a, hit.impulse), (hit.b, -hit.impulse)):
                n = self.index.get(struck)
                if n in present and (own is None or struck in own) and impulse.any():
                    self.push(n, impulse, hit.point)
                    self.wake(n)
        return sorted(rows)

    def moved(self, rows: Sequence[int]) -> list[int]:
        """Return those of some bodies whose state is not the one that the last cycle of :meth:`follow` gave them."""
        states, given = self._states, self._given
        return [n for n in rows if states[n] is None or states[n] is not given[n]]

    def in_fields(self, rows: Indices) -> NDArray[np.bool_]:
        """Return whether the center of mass of each of some bodies is in a force field."""
        inside: NDArray[np.bool_] = inside_fields(self.force_fields, self.position, rows)
        return inside

    def wake_around(self, n: int) -> None:
        """Wake the sleeping bodies that a body has touched, before it is moved elsewhere or removed."""
        apart = np.sqrt(np.square(self.position - self.position[n]).sum(axis=1)) - self.reach - self.reach[n]
        for k in np.flatnonzero((apart < 0.0) & ~self.awake).tolist():
            self.wake(k)

    def wake(self, n: int) -> None:
        """Wake a body."""
        self.changed([n])
        self.awake[n], self.quiet_ns[n] = True, 0


def _equal(bodies: Iterable[BodyState], state: Floats) -> list[bool]:
    """Return whether poses and twists of bodies are those of the rows of an array, shape (n, 13)."""
    poses = [(b.position, b.orientation, b.linear_velocity, b.angular_velocity) for b in bodies]
    if not poses:
        return []
    given = np.concatenate([np.array(column) for column in zip(*poses, strict=True)], axis=1)
    same: list[bool] = (given == state).all(axis=1).tolist()
    return same
