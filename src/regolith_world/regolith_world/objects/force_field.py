# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields: intangible objects that act on what is in them, as gravity, wind or a cushion.

Seed of the design: "Simulator Architecture" (2024), chapters Objects (intangible objects, which others may penetrate)
and Force Management: the intersection with a field says how far a body is in it and where, the body sums the forces.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field as Key

from regolith_files.section import Section
from regolith_world.cycle.records import BodyState, Shape, Vector
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.objects.object import NEVER_NS, Intersection, Object, SavedObject
from regolith_world.objects.object_types import Degrees, Metres, ObjectType, Place, ShapeConfig

RESOLVED = 0.1
"""Longest cycle as a part of the time in which drag or push change a motion."""
_MORE = struct.Struct('<5d')


class ForceField(Object):
    """A region that accelerates free bodies and links that meet it, whatever their mass; it is not struck, nor moves.

    Args:
        acceleration: [m/s^2], shape (3,)
        drag_per_s: slows motion and spin, as if at rest in the region [1/s]
        repulsion_per_s2: acceleration out of the region per depth in it [1/s^2]

    Second order in time where bodies stay inside; a body that comes in or goes out does so at the end of a cycle.
    """

    kind = 'force_field'

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
        """Return a tenth of the time in which it changes a motion [ns]."""
        rate = max(self.drag_per_s, float(np.sqrt(self.repulsion_per_s2)))
        return int(RESOLVED / rate * 1e9) if rate > 0.0 else NEVER_NS

    def force_on(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment about the centre of mass [N m] on a body in the field.

        Source: goldstein2002.
        Checked by: test_force_field.py::test_a_region_of_gravity_gives_its_depth_times_its_pull,
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

    def extra_state(self) -> bytes:
        """Return what it does, as bytes."""
        return _MORE.pack(*self.acceleration.tolist(), self.drag_per_s, self.repulsion_per_s2)

    @classmethod
    def restored(cls, kept: SavedObject) -> ForceField:
        """Return the object of :meth:`save`."""
        *acceleration, drag, push = _MORE.unpack(kept.more)
        return cls(
            kept.name,
            kept.body.position,
            kept.shapes,
            acceleration=np.array(acceleration),
            drag_per_s=drag,
            repulsion_per_s2=push,
            orientation=kept.body.orientation,
            t_ns=kept.t_ns,
        )


class ForceFieldConfig(Section):
    """A region in which objects of the world are pulled, slowed down or pushed out; vehicles feel nothing of it."""

    type: Literal['force_field'] = 'force_field'
    position: Place = Key(description='in the world [m]')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Key((0.0, 0.0, 0.0), description='roll, pitch, yaw [deg]')
    shapes: tuple[ShapeConfig, ...] = Key(min_length=1, max_length=50, description='where it acts')
    acceleration_mps2: tuple[Metres, Metres, Metres] = Key((0.0, 0.0, 0.0), description='in the world [m/s^2]')
    drag_per_s: float = Key(0.0, ge=0.0, le=100.0, description='relative loss of speed and spin with time [1/s]')
    repulsion_per_s2: float = Key(0.0, ge=0.0, le=1e5, description='acceleration out of it per depth in it [1/s^2]')


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
