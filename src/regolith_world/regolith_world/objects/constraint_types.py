# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Constraint types of the scenario section ``objects``: ``cable`` and ``joint``."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files import PositiveTimeSinceStart, Section
from regolith_world.cycle.records import Vector
from regolith_world.numerics.portable_math import norm
from regolith_world.objects.constraints import ROWS, Constraint, DistanceElement
from regolith_world.objects.object import NEVER_NS, Object, SavedObject
from regolith_world.objects.object_types import ObjectType, Place

STEP_S = 0.005
"""Default maximum step size [s]. With it a cable that drags a vehicle of 450 kg with 1 kN stretches by 0.1 mm."""
_HELD_M = 1.0
"""Distance of the points that keep two frames parallel [m]: an error of 1 mrad becomes one of 1 mm."""
Between = tuple[Annotated[str, Field(min_length=1)], Annotated[str, Field(min_length=1)]]
Ends = tuple[Place, Place]


class _Coupling(Section):
    between: Between = Field(
        description='Names of the two vehicles, objects or links (such as rope/rod_000) to connect.'
    )
    max_step_s: float = Field(
        STEP_S, ge=1e-4, le=0.1, description='Maximum step size while the constraint is active [s].'
    )
    release_s: PositiveTimeSinceStart | None = Field(
        None, description='Simulated time at which the constraint is released [s]; null: never.'
    )

    @model_validator(mode='after')
    def _two(self) -> _Coupling:
        if self.between[0] == self.between[1]:
            raise ValueError(f'between = {list(self.between)!r}: names are equal; allowed: two different names')
        return self

    @property
    def step_ns(self) -> int:
        """Maximum step size [ns]."""
        return round(1e9 * self.max_step_s)

    @property
    def until_ns(self) -> int:
        """Time of release [ns]."""
        return NEVER_NS if self.release_s is None else round(1e9 * self.release_s)


class CableConfig(_Coupling):
    """A massless cable, such as a tow cable or a tether. It transmits tension only."""

    type: Literal['cable'] = 'cable'
    ends: Ends = Field(description='Attachment points, each in the frame of its body [m].')
    length_m: Annotated[float, Field(gt=0.0, le=1e4)] | None = Field(
        None, description='Length of the cable [m]; null: initial distance of the ends.'
    )
    stiffness_npm: float | None = Field(
        None, gt=0.0, le=1e9, description='Stiffness of the cable [N/m]; null: inextensible.'
    )
    damping: float = Field(
        0.0, ge=0.0, le=1e9, description='Damping coefficient of a cable with stiffness_npm [N s/m].'
    )

    @model_validator(mode='after')
    def _springs(self) -> CableConfig:
        if self.damping and self.stiffness_npm is None:
            raise ValueError(f'damping = {self.damping!r}: applies only with stiffness_npm; allowed: 0')
        return self


class JointConstraintConfig(_Coupling):
    """A joint between two entities that are computed separately."""

    type: Literal['joint'] = 'joint'
    kind: Literal['fixed', 'ball', 'hinge', 'slider', 'distance', 'spring'] = Field(
        description='Kind of joint: fixed, ball, hinge (rotation about axis), slider (translation along axis), '
        'distance '
        '(constant distance of two points) or spring (tension and compression between two points).'
    )
    at: Place | None = Field(
        None,
        description='Position of the joint in the frame of the first body [m]; not for distance and spring.',
    )
    axis: Place | None = Field(None, description='Hinge and slider only: axis in the frame of the first body; null: z.')
    ends: Ends | None = Field(
        None, description='Distance and spring only: attachment points, each in the frame of its body [m].'
    )
    stiffness_npm: float | None = Field(None, gt=0.0, le=1e9, description='Spring only: stiffness [N/m].')
    damping: float = Field(0.0, ge=0.0, le=1e9, description='Spring only: damping coefficient [N s/m].')
    rest_length_m: float | None = Field(
        None, ge=0.0, le=1e4, description='Spring only: rest length [m]; null: initial distance of the ends.'
    )

    @model_validator(mode='after')
    def _whole(self) -> JointConstraintConfig:
        points = self.kind not in ROWS
        for key, wanted in (('at', not points), ('ends', points), ('stiffness_npm', self.kind == 'spring')):
            if (getattr(self, key) is not None) != wanted:
                if wanted:
                    raise ValueError(f'{key} = null: is required for a {self.kind}; allowed: a value')
                raise ValueError(f'{key} = {getattr(self, key)!r}: does not apply to a {self.kind}; allowed: left out')
        for key, wanted in (
            ('axis', self.kind in ('hinge', 'slider')),
            ('damping', self.kind == 'spring'),
            ('rest_length_m', self.kind == 'spring'),
        ):
            if getattr(self, key) and not wanted:
                raise ValueError(f'{key} = {getattr(self, key)!r}: does not apply to a {self.kind}; allowed: left out')
        if self.axis is not None and not math.hypot(*self.axis) > 1e-6:
            raise ValueError(f'axis = {list(self.axis)!r}: has no direction; allowed: a nonzero vector')
        return self


class _Cables(ObjectType[CableConfig]):
    section = CableConfig

    def make(self, name: str, section: CableConfig, gravity: Vector) -> Object:
        line = DistanceElement(section.length_m, True, section.stiffness_npm or 0.0, section.damping)
        return _lined(name, section, section.ends, line)

    def restored(self, kept: SavedObject) -> Object:
        return Constraint.restored(kept)


class _Joints(ObjectType[JointConstraintConfig]):
    section = JointConstraintConfig

    def make(self, name: str, section: JointConstraintConfig, gravity: Vector) -> Object:
        s = section
        if s.ends is not None:
            return _lined(name, s, s.ends, DistanceElement(s.rest_length_m, False, s.stiffness_npm or 0.0, s.damping))
        axes = _axes(np.array(s.axis or (0.0, 0.0, 1.0)))
        near = np.array(s.at) + np.array([np.zeros(3), _HELD_M * axes[:, 2], _HELD_M * axes[:, 0]])
        return Constraint(name, s.between, near, None, ROWS[s.kind], axes, None, step_ns=s.step_ns, until_ns=s.until_ns)

    def restored(self, kept: SavedObject) -> Object:
        return Constraint.restored(kept)


def _lined(name: str, section: _Coupling, ends: Ends, line: DistanceElement) -> Constraint:
    """Return the constraint between two points."""
    near, far = (np.array([end], dtype=float) for end in ends)
    return Constraint(
        name, section.between, near, far, (), np.eye(3), line, step_ns=section.step_ns, until_ns=section.until_ns
    )


def _axes(along: Vector) -> Vector:
    """Return right-handed axes with z along a vector, as columns, shape (3, 3)."""
    z = along / norm(along)
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(z)))] = 1.0
    x = np.cross(helper, z)
    x = x / norm(x)
    return np.stack((x, np.cross(z, x), z), axis=1)


CABLE, JOINT = _Cables(), _Joints()
