# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``tools`` of a vehicle's YAML file: blades, buckets and bucket drums."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from regolith_files import Section

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ToolConfig(Section):
    """Excavation tool: a shape that cuts soil and fills a payload; see :mod:`regolith_terrain.excavation.sweep`."""

    kind: Literal['blade', 'bucket', 'drum'] = Field(
        description='Kind of tool. blade: pushes soil; bucket: takes it up; drum: scoops while it rotates.'
    )
    body: str = Field(min_length=1, description='MJCF body of the tool.')
    payload: str = Field(
        min_length=1, description='Payload that the tool fills, from section payloads; it is empty at the start.'
    )
    joint: str | None = Field(
        default=None, description='Drum only: MJCF hinge of its rotation, on its axle. It scoops at positive speeds.'
    )
    position: Vector3 = Field(
        default=(0.0, 0.0, 0.0),
        description="Position of the tool in the body frame [m]: middle of the cutting edge, middle of a drum's"
        ' axle, or origin of the mesh.',
    )
    orientation: Quaternion = Field(
        default=(0.0, 0.0, 0.0, 1.0),
        description='Orientation of the tool in the body frame, quaternion (x, y, z, w); x ahead, y along the edge.',
    )
    width_m: float | None = Field(default=None, gt=0.0, le=20.0, description='Width along the edge or the axle [m].')
    radius_m: float | None = Field(
        default=None, gt=0.0, le=5.0, description='Drum only: radius of the circle of lips [m].'
    )
    mesh: str | None = Field(
        default=None,
        min_length=1,
        description="OBJ, STL or MSH file of the tool's closed surface, relative to the MJCF file, in place of"
        ' width_m and radius_m. It is a drum around the y axis, or a blade or bucket whose edge is its'
        ' lowest line.',
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description='Unit of the mesh file [m].')
    scoops: float = Field(
        default=12.0, gt=0.0, le=1e3, description='Drum only: number of scoops that pass one point per revolution.'
    )
    rake_angle_deg: float = Field(
        default=50.0,
        ge=5.0,
        le=150.0,
        description='Rake angle of the cutting face, from the horizontal behind it with the tool level [deg].'
        ' Drum: rake angle of its lips.',
    )
    soil_tool_friction_deg: float | None = Field(
        default=None,
        ge=0.0,
        lt=90.0,
        description="Friction angle between soil and tool [deg]. Absent: two thirds of the soil's friction angle.",
    )
    adhesion_pa: float = Field(default=0.0, ge=0.0, le=1e5, description='Adhesion of soil to the tool [Pa].')
    fill_curve: tuple[tuple[Share, Share], ...] = Field(
        default=((0.0, 1.0), (0.8, 0.9), (1.0, 0.0)),
        min_length=2,
        max_length=50,
        description='Pairs of fill level and fraction of the swept soil that enters the tool at it [-]; linear in'
        ' between.',
    )
    revolutions_to_empty: float = Field(
        default=4.0, gt=0.0, le=1e3, description='Drum only: revolutions in reverse after which a full drum is empty.'
    )
    dump_angle_deg: float = Field(
        default=25.0, ge=-90.0, le=180.0, description='Bucket only: forward pitch above which the bucket dumps [deg].'
    )
    dump_time_s: float = Field(
        default=2.0,
        gt=0.0,
        le=3600.0,
        description='Time in which a full bucket dumps, or a blade lifted off the ground loses its pile [s].',
    )

    @field_validator('orientation')
    @classmethod
    def _unit(cls, value: Quaternion) -> Quaternion:
        if abs(sum(q * q for q in value) - 1.0) > 1e-6:
            raise ValueError('does not have unit length; allowed: a unit quaternion (x, y, z, w)')
        return value

    @field_validator('fill_curve')
    @classmethod
    def _a_curve(cls, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        levels = [level for level, _ in points]
        if levels[0] != 0.0 or levels[-1] != 1.0 or any(b <= a for a, b in pairwise(levels)):
            raise ValueError(f'has levels {levels}; allowed: ascending levels from 0 to 1')
        return points

    @model_validator(mode='after')
    def _a_shape(self) -> ToolConfig:
        drum = self.kind == 'drum'
        if (self.joint is None) == drum:
            problem = 'is required for a drum' if drum else f'does not apply to a {self.kind}'
            raise ValueError(f'joint: {problem}; allowed: a joint only for a drum')
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
        """Friction angle between soil and tool [rad]; negative: two thirds of the soil's friction angle."""
        return -1.0 if self.soil_tool_friction_deg is None else math.radians(self.soil_tool_friction_deg)
