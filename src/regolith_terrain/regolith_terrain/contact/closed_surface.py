# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check that triangles are the closed surface of a solid."""

from __future__ import annotations

from collections import Counter

import numpy as np

from regolith_files import counted_noun
from regolith_terrain.grid.node_records import Floats


def refuse_unless_solid(corners: Floats) -> None:
    """Refuse a surface that has a hole, or whose faces are oriented inward.

    In a closed surface each edge belongs to two triangles that run along it in opposite directions. The sum of their
    signed volumes with the origin is positive if they are oriented outward.

    Args:
        corners: Corners of triangles, counterclockwise from outside [m], shape (k, 3, 3).

    Raises:
        ValueError: If the surface is not a solid. The message names the problem.
    """
    _, names = np.unique(np.round(corners.reshape(-1, 3), 9), axis=0, return_inverse=True)
    faces = names.reshape(-1, 3)
    edges = Counter((int(face[k]), int(face[(k + 1) % 3])) for face in faces for k in range(3) if len(set(face)) == 3)
    loose = sum(1 for (a, b), count in edges.items() if edges[b, a] != count or count != 1)
    if loose:
        raise ValueError(
            f'is open: {counted_noun(loose, "edge")} without two faces that meet; allowed: a closed surface'
        )
    volume = float(np.einsum('ij,ij->', corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0
    if not volume > 0.0:
        raise ValueError(f'is inside out: its volume is {volume:.3g} m^3; allowed: faces oriented outward')
