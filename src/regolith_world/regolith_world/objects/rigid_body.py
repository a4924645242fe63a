# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies in free motion."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from regolith_world.cycle.codec import StateField, StateLayout
from regolith_world.cycle.records import BodyState, Cycle, Impulse, Shape, ShapeKind, Vector
from regolith_world.numerics.portable_math import cross, norm, solved, times
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product
from regolith_world.objects.field_force import FieldForce, field_force
from regolith_world.objects.object import NEVER_NS, Intersection, Object, SavedObject
from regolith_world.objects.rigid_state import turned_inertia


class RigidBody(Object):
    """Rigid body in free motion between impacts, under uniform gravity and force fields.

    The center of mass is the origin of the body frame. Translation under gravity is exact. Rotation conserves angular
    momentum. The midpoint rule integrates the orientation; it is exact for isotropic inertia (spheres, cubes) and of
    second order otherwise. Force fields act by the velocity Verlet scheme, of second order: the force at the start of a
    cycle acts throughout it, and the start of the next cycle corrects it to the mean of both ends.

    Source: hairer2006, sections I.1.4 and VI.5.3; goldstein2002, section 5.5.
    Checked by: test_objects.py::test_rotation_is_of_second_order,
    test_objects.py::test_spinning_top_precesses_as_in_euler_equations,
    test_objects.py::test_gravity_may_pull_anywhere_and_the_parabola_is_exact,
    test_force_field.py::test_a_body_on_a_cushion_swings_as_a_spring_does.
    """

    kind = 'rigid_body'
    STATE = StateLayout(
        'a rigid body',
        StateField('gravity', '<f8', (3,)),
        StateField('_dies_at_ns', 'q'),
        StateField('_pull', FieldForce | None),
    )

    def __init__(
        self,
        name: str,
        initial: BodyState,
        shapes: Sequence[Shape],
        *,
        gravity: Vector | None = None,
        parent: Object | None = None,
        restitution: float = 0.0,
        friction: float = 0.5,
        t_ns: int = 0,
        lifetime_ns: int = NEVER_NS,
    ) -> None:
        super().__init__(name, initial, shapes, parent=parent, restitution=restitution, friction=friction, t_ns=t_ns)
        self.gravity = np.zeros(3) if gravity is None else np.asarray(gravity, dtype=float)
        self._dies_at_ns = t_ns + lifetime_ns
        self._pull: FieldForce | None = None
        self._hashed: tuple[BodyState, str] | None = None

    @property
    def applies_forces(self) -> bool:  # type: ignore[override]
        """Whether the world moves the body; a participant that moves it applies impulses only."""
        return not self.moved_by

    @property
    def rests_on_ground(self) -> bool:
        """Whether a participant of rigid bodies can compute it: one shape about the center of mass, with gravity."""
        if not (self.tangible and len(self.shapes) == 1 and self.parent is None and not self.children):
            return False
        shape = self.shapes[0]
        centered = not shape.position.any() and not shape.orientation[:3].any()
        return bool(centered and shape.kind != ShapeKind.BEAM and self.gravity.any())

    def next_dt_ns(self) -> int:
        """Return the remaining lifetime, limited by the maximum step of the children [ns]."""
        return min(super().next_dt_ns(), max(1, self._dies_at_ns - self.states.newest_time_ns))

    def free_acceleration(self) -> Vector | None:
        """Return the acceleration by gravity and fields; None: a parent or a participant moves it."""
        if self.parent is not None or self.moved_by:
            return None
        return self.gravity if self._pull is None else self.gravity + self._pull.force / self.body.mass

    def after(self, impulses: Sequence[Impulse]) -> tuple[Vector, Vector]:
        """Return velocity [m/s] and angular momentum [kg m^2/s] once impulses have acted on the newest state."""
        b = self.body
        v = b.linear_velocity.copy()
        momentum: Vector = times(b.inertia, b.angular_velocity)
        if self._pull is not None:
            v += self._pull.owed / b.mass
            momentum = momentum + self._pull.owed_moment
        for blow in impulses:
            if self.name in (blow.a, blow.b):
                p = blow.impulse if blow.a == self.name else -blow.impulse
                v += p / b.mass
                momentum = momentum + cross(blow.point - b.center_of_mass, p)
        return v, momentum

    def rate(self, momentum: Vector) -> Vector:
        """Return the angular velocity of the body as it stands with an angular momentum [rad/s]."""
        return solved(self.body.inertia, momentum)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Apply the impulses in ``cycle``, then fly for ``cycle.dt_ns``; a participant calls :meth:`take` instead."""
        if self.moved_by:
            return []
        b = self.body
        h = cycle.dt_ns * 1e-9
        v, momentum = self.after(cycle.impulses)
        gravity, last = self.gravity, momentum
        if self._pull is not None:
            gravity = gravity + self._pull.force / b.mass
            last = momentum + h * self._pull.moment
            momentum = momentum + 0.5 * h * self._pull.moment
        omega = solved(b.inertia, momentum)
        rotation = matrix(b.orientation)
        local_inertia = turned_inertia(rotation.T, b.inertia)
        half = matrix(product(from_rotation_vector(0.5 * h * omega), b.orientation))
        omega = solved(turned_inertia(half, local_inertia), momentum)
        orientation = product(from_rotation_vector(h * omega), b.orientation)
        orientation /= norm(orientation)
        rotation = matrix(orientation)
        inertia = turned_inertia(rotation, local_inertia)
        position = b.position + h * v + 0.5 * h * h * gravity
        state = BodyState(
            self.name,
            position,
            orientation,
            v + h * gravity,
            solved(inertia, last),
            b.mass,
            position.copy(),
            inertia,
        )
        self.states.new_state(cycle.t_ns + cycle.dt_ns, state)
        return self.evolve_children(cycle)

    def take(self, cycle: Cycle, body: BodyState) -> None:
        """Set the tentative state at the end of a cycle from the result of the participant that moves the body.

        A state equal to the present one is that same record, whichever process it came from (:attr:`unmoved`).
        """
        unmoved = _equal(self.body, body)
        if self.at_rest:
            if unmoved:
                return
            self.states.resume(cycle.t_ns)
        self.states.new_state(cycle.t_ns + cycle.dt_ns, self.body if unmoved else body)

    def settle(self) -> None:
        """Leave a body that has not moved in the cycle out of further ones, until it moves (:attr:`at_rest`)."""
        self.states.held = self.unmoved and not self.children and self._dies_at_ns >= NEVER_NS

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Take the pull of fields at the newest state for the next cycle, and what the last one did not know of it."""
        if self.moved_by:
            self._pull = None
            return
        self._pull = field_force(self._pull, *self.force_and_moment(intersections), self.states.last_step_ns * 1e-9)

    def state_hash(self) -> str:
        """Return the hash of the state; for a body that a participant moves, that of pose and twist, kept at rest."""
        if not self.moved_by or self.children:
            return super().state_hash()
        b = self.body
        if self._hashed is None or self._hashed[0] is not b:
            values = np.concatenate((b.position, b.orientation, b.linear_velocity, b.angular_velocity), dtype='<f8')
            self._hashed = b, hashlib.sha256(values.tobytes()).hexdigest()
        return self._hashed[1]

    def canonical_state(self) -> bytes:
        """Return the state and the field force, if there is one, as little-endian bytes for the state hash."""
        return super().canonical_state() + (b'' if self._pull is None else self._pull.packed())

    @classmethod
    def restored(cls, kept: SavedObject) -> RigidBody:
        """Return the object of :meth:`save`."""
        made = cls(
            kept.name,
            kept.body,
            kept.shapes,
            restitution=kept.restitution,
            friction=kept.friction,
            t_ns=kept.t_ns,
        )
        cls.STATE.unpack(made, kept.more)
        return made

    def delay(self, by_ns: int) -> None:
        """Shift the start and the end of the lifetime by a time [ns]."""
        super().delay(by_ns)
        self._dies_at_ns += by_ns

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """End the object at the end of its lifetime, if it has one."""
        super().commit(intersections)
        if self.states.newest_time_ns >= self._dies_at_ns:
            self.alive = False


def _equal(a: BodyState, b: BodyState) -> bool:
    """Return whether two states of a body have the same pose and twist, bit for bit."""
    return a is b or (
        a.position.tobytes() == b.position.tobytes()
        and a.orientation.tobytes() == b.orientation.tobytes()
        and a.linear_velocity.tobytes() == b.linear_velocity.tobytes()
        and a.angular_velocity.tobytes() == b.angular_velocity.tobytes()
    )
