# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfels: oriented discs on the surface of moving soil, for rendering and ray casting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from regolith_terrain.grid.node_records import Floats


class Surfels(NamedTuple):
    """Discs that cover a surface, world axes."""

    place: Floats
    """Centers [m], shape (n, 3)."""
    normal: Floats
    """Unit normals, outward, shape (n, 3)."""
    radius: Floats
    """Radii [m], shape (n,)."""
    bend: Floats
    """Change of the surface normal over the disc: the symmetric matrix B in n + B (x - center), xx, yy, zz, xy, yz, zx
    [1/m], shape (n, 6). Discs are flat; this matrix makes their shading smooth."""

    @classmethod
    def none(cls) -> Surfels:
        """Return no discs."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 6)))


def joined_surfels(parts: Sequence[Surfels]) -> Surfels:
    """Return the discs of all parts in their order."""
    if not parts:
        return Surfels.none()
    return Surfels(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
