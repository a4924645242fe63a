# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``tools`` section of a vehicle's YAML file: blades, buckets and bucket drums that dig."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from regolith_files.section import Section

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ToolConfig(Section):
    """A shape that cuts soil and fills a payload; :mod:`regolith_terrain.excavation.sweep` says how."""

    kind: Literal['blade', 'bucket', 'drum']
    body: str = Field(min_length=1, description='MJCF body it is fixed to')
    payload: str = Field(min_length=1, description='of the payloads section, empty at the start: what it fills')
    joint: str | None = Field(
        default=None, description='MJCF hinge that a drum turns about, on its axle; it scoops at speeds above 0'
    )
    position: Vector3 = Field(
        default=(0.0, 0.0, 0.0),
        description="of the middle of the cutting edge, of a drum's axle, in the body's frame [m]; with a mesh, of its"
        ' origin',
    )
    orientation: Quaternion = Field(
        default=(0.0, 0.0, 0.0, 1.0), description="in the body's frame, (x, y, z, w): x ahead, y along the edge"
    )
    width_m: float | None = Field(default=None, gt=0.0, le=20.0, description='along the edge or the axle [m]')
    radius_m: float | None = Field(default=None, gt=0.0, le=5.0, description="of a drum's circle of lips [m]")
    mesh: str | None = Field(
        default=None,
        min_length=1,
        description='OBJ, STL or MSH file of its closed surface, relative to the MJCF file, in place of width_m and'
        ' radius_m: a drum about the y axis, or a blade or bucket whose edge is its lowest line',
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description="of the mesh file's unit [m]")
    scoops: float = Field(default=12.0, gt=0.0, le=1e3, description='of a drum, that pass one place in a turn')
    rake_angle_deg: float = Field(
        default=50.0,
        ge=5.0,
        le=150.0,
        description='of the cutting face, from the horizontal behind it, tool level [deg]; of a drum, of its lips',
    )
    soil_tool_friction_deg: float | None = Field(
        default=None, ge=0.0, lt=90.0, description="between soil and tool [deg]; absent: two thirds of the soil's"
    )
    adhesion_pa: float = Field(default=0.0, ge=0.0, le=1e5, description='of soil on the tool [Pa]')
    fill_curve: tuple[tuple[Share, Share], ...] = Field(
        default=((0.0, 1.0), (0.8, 0.9), (1.0, 0.0)),
        min_length=2,
        max_length=50,
        description='level of filling, share of what it sweeps that enters then; between, linear',
    )
    revolutions_to_empty: float = Field(
        default=4.0, gt=0.0, le=1e3, description='of a drum, full, that turns the other way and pours out'
    )
    dump_angle_deg: float = Field(
        default=25.0, ge=-90.0, le=180.0, description='of a bucket: pitch forward beyond which it pours out [deg]'
    )
    dump_time_s: float = Field(
        default=2.0,
        gt=0.0,
        le=3600.0,
        description='in which a full bucket pours out, or a blade that is lifted off the ground loses its pile [s]',
    )

    @field_validator('orientation')
    @classmethod
    def _unit(cls, value: Quaternion) -> Quaternion:
        if abs(sum(q * q for q in value) - 1.0) > 1e-6:
            raise ValueError('is not of unit length; allowed: a unit quaternion (x, y, z, w)')
        return value

    @field_validator('fill_curve')
    @classmethod
    def _a_curve(cls, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        levels = [level for level, _ in points]
        if levels[0] != 0.0 or levels[-1] != 1.0 or any(b <= a for a, b in pairwise(levels)):
            raise ValueError(f'levels {levels}; allowed: from 0 to 1, ascending')
        return points

    @model_validator(mode='after')
    def _a_shape(self) -> ToolConfig:
        drum = self.kind == 'drum'
        if (self.joint is None) == drum:
            problem = 'is required for a drum' if drum else f'does not apply to a {self.kind}'
            raise ValueError(f'joint: {problem}; allowed: one for a drum, none for others')
        wanted = ('width_m', 'radius_m') if drum else ('width_m',)
        given = tuple(key for key in ('width_m', 'radius_m') if getattr(self, key) is not None)
        if given != (wanted if self.mesh is None else ()):
            extra = [key for key in given if self.mesh is not None or key not in wanted]
            beside = f'a {self.kind}{" with a mesh" if self.mesh is not None else ""}'
            missing = [f'{key}: is missing for {beside}' for key in wanted if key not in given]
            problem = f'{extra[0]}: does not apply to {beside}' if extra else missing[0]
            raise ValueError(f'{problem}; allowed: {" and ".join(wanted)}, or mesh')
        return self

    @property
    def soil_tool_friction(self) -> float:
        """Friction angle between soil and tool [rad]; negative: two thirds of the soil's."""
        return -1.0 if self.soil_tool_friction_deg is None else math.radians(self.soil_tool_friction_deg)
