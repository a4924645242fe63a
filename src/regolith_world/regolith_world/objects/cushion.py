# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cushions: tangible objects that yield, and push back by the depth to which others are in them.

Source of the design: "Simulator Architecture" (2024), chapter Force Management: the amount of intersection is a measure
of the force, where force fields are modeled as tangible objects. An intangible field acts one way. A cushion and a body
act on each other with equal and opposite forces.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from regolith_world.cycle.codec import StateLayout, state_fields
from regolith_world.cycle.records import BodyState, Shape, Vector
from regolith_world.numerics.portable_math import cross, dot
from regolith_world.objects.object import Intersection, Object, SavedObject, yields
from regolith_world.objects.object_types import ObjectType, RigidBodyConfig
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state

RESOLVED = 0.1
"""Maximum step size as a fraction of sqrt(m / k)."""


class Cushion(RigidBody):
    """A rigid body whose surface yields: bodies may be in it, and are pushed out by a spring and a damper.

    At each contact point the force along the normal is k depth + c rate, divided by the number of points, and never
    pulls. It acts on both bodies for the next cycle, by the scheme of force fields, of second order: it keeps the
    momentum, and the angular momentum to second order. There are no impulses and no friction. Two cushions act as two
    springs and dampers in series. Vehicles apply impulses only, so they collide with a cushion as with a rigid body.

    Args:
        name: Name of the cushion.
        initial: State at ``t_ns``.
        shapes: Convex shapes fixed in the body frame.
        stiffness_npm: Stiffness k [N/m].
        damping_nspm: Damping c [N s/m].
        **keywords: Those of :class:`regolith_world.objects.rigid_body.RigidBody`.
    """

    kind = 'cushion'
    gives = True
    STATE = StateLayout(
        'a cushion',
        *RigidBody.STATE.fields,
        *state_fields('d', 'stiffness_npm', 'damping_nspm'),
        *state_fields('q', 'step_ns'),
    )

    def __init__(
        self,
        name: str,
        initial: BodyState,
        shapes: Sequence[Shape],
        *,
        stiffness_npm: float = 1.0,
        damping_nspm: float = 0.0,
        **keywords: Any,
    ) -> None:
        super().__init__(name, initial, shapes, **keywords)
        self.stiffness_npm, self.damping_nspm = stiffness_npm, damping_nspm
        self.step_ns = self._resolved(self.body.mass)
        """Maximum size of the next step, by the lightest body near it at the last commit [ns]."""

    def _resolved(self, mass: float) -> int:
        return int(RESOLVED * math.sqrt(mass / self.stiffness_npm) * 1e9)

    def next_dt_ns(self) -> int:
        """Return a tenth of sqrt(m / k), where m is the reduced mass with the lightest body near it [ns]."""
        return min(super().next_dt_ns(), self.step_ns)

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Take the forces for the next cycle, and limit its size by the masses of the bodies near by."""
        super().on_intersections(intersections)
        own, lightest = self.body.mass, self.body.mass
        for hit in intersections:
            other = hit.b if hit.a is self else hit.a
            mass = other.body.mass
            if yields(hit.a, hit.b) and mass > 0.0:
                lightest = min(lightest, own * mass / (own + mass))
        self.step_ns = self._resolved(lightest)

    def force_on(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment about the center of mass [N m] of the cushion on a body in it.

        Source: goldstein2002.
        Checked by: test_cushion.py::test_a_ball_on_a_cushion_swings_with_the_reduced_mass,
        test_cushion.py::test_damping_dissipates_as_a_damped_oscillator_does.
        """
        return self._wrench(other, other.body.center_of_mass, hit)

    def reaction(self, other: Object, hit: Intersection) -> tuple[Vector, Vector]:
        """Return force [N] and moment [N m] of a body in it on the cushion, opposite to :meth:`force_on`."""
        force, moment = self._wrench(other, self.body.center_of_mass, hit)
        return -force, -moment

    def _wrench(self, other: Object, center: Vector, hit: Intersection) -> tuple[Vector, Vector]:
        """Return the force on the other body and its moment about a point."""
        force, moment, count = np.zeros(3), np.zeros(3), len(hit.points)
        if not yields(hit.a, hit.b) or not count:
            return force, moment
        stiffness, damping = self.stiffness_npm, self.damping_nspm
        if isinstance(other, Cushion):
            stiffness = stiffness * other.stiffness_npm / (stiffness + other.stiffness_npm)
            both = damping + other.damping_nspm
            damping = damping * other.damping_nspm / both if both > 0.0 else 0.0
        sign = 1.0 if hit.b is other else -1.0
        for point, normal, gap in zip(hit.points, hit.normals, hit.gaps.tolist()):
            closing = dot(_velocity(hit.a.body, point) - _velocity(hit.b.body, point), normal)
            size = max(0.0, stiffness * max(0.0, -gap) + (damping * closing if gap < 0.0 else 0.0)) / count
            force = force + sign * size * normal
            moment = moment + cross(point - center, sign * size * normal)
        return force, moment

    def canonical_state(self) -> bytes:
        """Return the state, and the maximum size of the next step, as little-endian bytes for the state hash."""
        return super().canonical_state() + struct.pack('<q', self.step_ns)


def _velocity(body: BodyState, point: Vector) -> Vector:
    at: Vector = body.linear_velocity + cross(body.angular_velocity, point - body.position)
    return at


class CushionConfig(RigidBodyConfig):
    """A sphere, box, capsule or cylinder in free motion that yields to other objects and pushes them back."""

    type: Literal['cushion'] = Field('cushion', description='Object type: a body that yields.')  # type: ignore[assignment]
    stiffness_npm: float = Field(gt=0.0, le=1e9, description='Force per depth of another object in it [N/m].')
    damping_nspm: float = Field(
        0.0, ge=0.0, le=1e6, description='Force per rate at which the depth grows [N s/m]; it never pulls.'
    )


class _Cushions(ObjectType[CushionConfig]):
    section = CushionConfig

    def make(self, name: str, section: CushionConfig, gravity: Vector) -> Object:
        s = section
        state = make_rigid_state(
            name,
            np.array(s.position),
            s.mass_kg,
            s.inertia(),
            orientation=s.orientation,
            linear_velocity=np.array(s.velocity_mps),
            angular_velocity=np.array(s.angular_velocity_radps),
        )
        more = {} if s.lifetime_s is None else {'lifetime_ns': round(s.lifetime_s * 1e9)}
        return Cushion(
            name,
            state,
            [s.shape.shape()],
            stiffness_npm=s.stiffness_npm,
            damping_nspm=s.damping_nspm,
            gravity=np.zeros(3) if s.weightless else gravity,
            restitution=s.restitution,
            friction=s.friction,
            **more,
        )

    def restored(self, kept: SavedObject) -> Object:
        return Cushion.restored(kept)


CUSHION = _Cushions()
