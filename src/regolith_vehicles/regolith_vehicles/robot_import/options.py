# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of the import of a robot: what its file does not state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class ImportOptions:
    """Options of the import of a robot."""

    wheels: tuple[str, ...] = ()
    """Joints or links of the driven wheels; empty: they are found."""
    differential: tuple[str, str] | None = None
    """Joints of the left and the right rocker, whose angles are opposite."""
    ball_casters: tuple[str, ...] = ()
    """Links with a ball as caster, fixed in the file, which roll."""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Maximum effort [N m or N] and speed [rad/s or m/s] by joint, in place of the file's values; ``*`` in a name
    stands for any text. The first name that fits applies."""
    inertia_from_geometry: bool = False
    """Whether an inertia that is missing or impossible is computed from the shapes."""
    skip_missing_meshes: bool = False
    """Whether visual meshes whose files do not exist are left out."""
    packages: Mapping[str, Path] = field(default_factory=dict)
    """Folders of packages by name, for ``package://`` and xacro."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Arguments of a xacro file by name."""

    def limits_of(self, joint: str) -> tuple[float, float] | None:
        """Return the maximum effort and speed of a joint; None if the options do not state them."""
        return next((pair for name, pair in self.limits.items() if fnmatchcase(joint, name)), None)
