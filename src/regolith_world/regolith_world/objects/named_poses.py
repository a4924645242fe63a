# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Named poses of a scenario (section ``named_poses``): where to spawn, park or drive to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from regolith_files import Section
from regolith_world.cycle.records import Vector
from regolith_world.numerics.portable_math import times
from regolith_world.numerics.rotation import from_rpy_deg, matrix

Meters = Annotated[float, Field(ge=-1e5, le=1e5)]
Degrees = Annotated[float, Field(ge=-360.0, le=360.0)]
Half = Annotated[float, Field(gt=0.0, le=1e5)]


class NamedPose(Section):
    """A pose with its tags and the clearance around it."""

    position: tuple[Meters, Meters, Meters] = Field(description='Position in the world frame [m].')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field((0.0, 0.0, 0.0), description='Roll, pitch and yaw [deg].')
    description: str = Field('', description='Human-readable description of the pose.')
    tags: tuple[str, ...] = Field((), description='Purposes of the pose, such as spawn, parking or navigation_goal.')
    clearance_m: tuple[Half, Half, Half] | None = Field(
        None, description='Half lengths of the free box around the pose, along its axes [m]; null: unknown.'
    )

    @property
    def orientation(self) -> Vector:
        """Orientation as quaternion (x, y, z, w): yaw, then pitch, then roll."""
        return from_rpy_deg(self.rpy_deg)

    def bounds(self) -> tuple[Vector, Vector] | None:
        """Return the corners of the world-aligned box around the clearance [m]; None if the clearance is unknown."""
        if self.clearance_m is None:
            return None
        reach = times(np.abs(matrix(self.orientation)), self.clearance_m)
        return np.array(self.position) - reach, np.array(self.position) + reach


def named_poses(entries: Mapping[str, Any]) -> dict[str, NamedPose]:
    """Return the named poses of a resolved scenario, in name order."""
    return {name: NamedPose.model_validate(dict(entry)) for name, entry in sorted(entries.items())}


def with_tags(poses: Mapping[str, NamedPose], tags: tuple[str, ...], every: bool) -> dict[str, NamedPose]:
    """Return the poses that have one of the tags, or all of them if ``every``; without tags, all poses."""
    return {
        name: pose
        for name, pose in poses.items()
        if not tags or (set(tags) <= set(pose.tags) if every else set(tags) & set(pose.tags))
    }
