# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Force fields: intangible objects that act on bodies inside them, such as a region of gravity, drag or repulsion.

Source of the design: "Simulator Architecture" (2024), chapters Objects (intangible objects, which others may penetrate)
and Force Management: the intersection with a field gives the depth and position of a body in it, and the body sums the
forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field as Key

from regolith_files import Section
from regolith_world.cycle.codec import StateField, StateLayout, state_fields
from regolith_world.cycle.records import BodyState, FieldRecord, Shape, Vector
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.objects.object import NEVER_NS, Intersection, Object, SavedObject
from regolith_world.objects.object_types import Degrees, Meters, ObjectType, Place, ShapeConfig

RESOLVED = 0.1
"""Maximum step size as a fraction of the time constant of drag or repulsion."""


class ForceField(Object):
    """A region that accelerates rigid bodies and links inside it, independent of their mass.

    It never moves or collides.

    Args:
        name: Name of the field.
        position: Origin in the world frame [m], shape (3,).
        shapes: Shapes that make up the region.
        acceleration: Acceleration in the world frame [m/s^2], shape (3,); None: zero.
        drag_per_s: Rate at which velocity and angular velocity decrease, relative to the region [1/s].
        repulsion_per_s2: Acceleration out of the region per depth in it [1/s^2].
        orientation: Orientation in the world frame, quaternion (x, y, z, w); None: identity.
        t_ns: Time of the initial state [ns].

    The method is of second order in time for bodies that remain inside. A body enters or leaves at the end of a cycle.
    A body that a participant computes, as of a vehicle, is inside while its center of mass is. The participant computes
    its forces in each substep.
    """

    kind = 'force_field'
    STATE = StateLayout(
        'a force field',
        StateField('acceleration', '<f8', (3,)),
        *state_fields('d', 'drag_per_s', 'repulsion_per_s2'),
    )

    def __init__(
        self,
        name: str,
        position: Vector,
        shapes: Sequence[Shape],
        *,
        acceleration: Vector | None = None,
        drag_per_s: float = 0.0,
        repulsion_per_s2: float = 0.0,
        orientation: Vector | None = None,
        t_ns: int = 0,
    ) -> None:
        zero = np.zeros(3)
        turn = np.array([0.0, 0.0, 0.0, 1.0]) if orientation is None else np.asarray(orientation, dtype=float)
        state = BodyState(name, np.asarray(position, dtype=float), turn, zero, zero)
        super().__init__(name, state, shapes, tangible=False, t_ns=t_ns)
        self.acceleration = np.zeros(3) if acceleration is None else np.asarray(acceleration, dtype=float)
        self.drag_per_s, self.repulsion_per_s2 = drag_per_s, repulsion_per_s2

    def next_dt_ns(self) -> int:
        """Return a tenth of the time constant of drag or repulsion [ns]."""
        rate = max(self.drag_per_s, float(np.sqrt(self.repulsion_per_s2)))
        return int(RESOLVED / rate * 1e9) if rate > 0.0 else NEVER_NS

    def force_on(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment about the center of mass [N m] on a body in the field.

        Source: goldstein2002.
        Checked by: test_force_field.py::test_region_of_gravity_adds_energy_of_depth_times_acceleration,
        test_force_field.py::test_a_region_of_drag_slows_as_the_exponential,
        test_force_field.py::test_a_body_on_a_cushion_swings_as_a_spring_does.
        """
        body = other.body
        force = body.mass * (self.acceleration - self.drag_per_s * body.linear_velocity)
        moment = -self.drag_per_s * (body.inertia * body.angular_velocity).sum(axis=1)
        if self.repulsion_per_s2 and len(hit.points):
            out = hit.normal if hit.b is other else -hit.normal
            push = body.mass * self.repulsion_per_s2 * max(0.0, -hit.distance) * out
            force = force + push
            moment = moment + np.cross(hit.points.mean(axis=0) - body.center_of_mass, push)
        return force, moment

    def field_record(self) -> FieldRecord:
        """Return the record for ``cycle``, with which vehicles compute the forces on their bodies."""
        where, turn = self.body.position, self.body.orientation
        push = self.repulsion_per_s2
        return FieldRecord(self.name, where, turn, self.acceleration, self.drag_per_s, push, self.shapes)

    @classmethod
    def restored(cls, kept: SavedObject) -> ForceField:
        """Return the object of :meth:`save`."""
        made = cls(kept.name, kept.body.position, kept.shapes, orientation=kept.body.orientation, t_ns=kept.t_ns)
        cls.STATE.unpack(made, kept.more)
        return made


class ForceFieldConfig(Section):
    """A region that accelerates, slows or repels bodies: objects computed by the world, and bodies of vehicles."""

    type: Literal['force_field'] = 'force_field'
    position: Place = Key(description='Position in the world frame [m].')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Key((0.0, 0.0, 0.0), description='Roll, pitch and yaw [deg].')
    shapes: tuple[ShapeConfig, ...] = Key(
        min_length=1, max_length=50, description='Shapes that make up the region of action.'
    )
    acceleration_mps2: tuple[Meters, Meters, Meters] = Key(
        (0.0, 0.0, 0.0), description='Acceleration of bodies in the region, in the world frame [m/s^2].'
    )
    drag_per_s: float = Key(
        0.0, ge=0.0, le=100.0, description='Relative decrease of velocity and angular velocity per time [1/s].'
    )
    repulsion_per_s2: float = Key(
        0.0, ge=0.0, le=1e5, description='Acceleration out of the region per depth in it [1/s^2].'
    )


class _Fields(ObjectType[ForceFieldConfig]):
    section = ForceFieldConfig

    def make(self, name: str, section: ForceFieldConfig, gravity: Vector) -> Object:
        s = section
        return ForceField(
            name,
            np.array(s.position),
            [c.shape() for c in s.shapes],
            acceleration=np.array(s.acceleration_mps2),
            drag_per_s=s.drag_per_s,
            repulsion_per_s2=s.repulsion_per_s2,
            orientation=from_rpy_deg(s.rpy_deg),
        )

    def restored(self, kept: SavedObject) -> Object:
        return ForceField.restored(kept)


FORCE_FIELD = _Fields()
