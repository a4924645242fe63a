# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a region's particles lie at first: in columns down from the undisturbed ground, in a trough of markers.

A column is as deep everywhere, so each holds the same mass whatever the slope.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.boundary_markers import LAYERS
from regolith_terrain.crm.region import PANE, ParticleRegion
from regolith_terrain.height_field import HeightField
from regolith_terrain.scm.arrays import Shapes
from regolith_terrain.scm.constants import BOX, CYLINDER, GROUSERED


class InitialParticles(NamedTuple):
    """Particles and markers of a region before anything has moved."""

    soil: Floats
    """Places of the soil [m], shape (n, 3)."""
    top: Floats
    """Height of the ground above each [m], shape (n,)."""
    trough: Floats
    """Places of the markers of floor and walls [m], shape (m, 3)."""
    ground: NDArray[np.bool_]
    """Which of these are below the ground, the others being panes above it, shape (m,)."""


def initial_particles(region: ParticleRegion, field: HeightField) -> InitialParticles:
    """Return a region's particles.

    Args:
        field: The undisturbed ground.
    """
    nx, ny, nz = region.counts
    d = region.spacing
    a, b, k = np.meshgrid(
        np.arange(-LAYERS, nx + LAYERS), np.arange(-LAYERS, ny + LAYERS), np.arange(-PANE, nz + LAYERS), indexing='ij'
    )
    x, y = region.low[0] + (a + 0.5) * d, region.low[1] + (b + 0.5) * d
    top = np.repeat(field.heights(x[:, :, :1], y[:, :, :1]), k.shape[2], axis=2)
    place = np.stack((x, y, top - (k + 0.5) * d), axis=-1)
    within = (a >= 0) & (a < nx) & (b >= 0) & (b < ny)
    soil, trough = within & (k >= 0) & (k < nz), ~within | (k >= nz)
    return InitialParticles(place[soil], top[soil], place[trough], k[trough] >= 0)


def markers_of(shapes: Shapes, spacing: float) -> list[Floats]:
    """Return markers of each part of a vehicle in its shape's frame [m], shape (m, 3).

    Grousers lower than the spacing are left out: a smooth wheel around their tips takes their place.

    Args:
        spacing: Of the particles [m].

    Raises:
        ValueError: If a part is a mesh.
    """
    parts = []
    for kind, size in zip(shapes.kind.tolist(), shapes.size.tolist(), strict=True):
        if kind == CYLINDER and size[0] < spacing:  # a rod
            parts.append(boundary_markers.box((0.5 * spacing, max(size[1], 0.5 * spacing), 0.5 * spacing), spacing))
        elif kind in (CYLINDER, GROUSERED):
            # A cylinder is as large as the tips of its grousers, a grousered wheel as its drum.
            _, half, count, height, thickness, _ = size
            tips = size[0] + (height if kind == GROUSERED else 0.0)
            if height < spacing:  # particles do not see them
                parts.append(boundary_markers.wheel(tips, 2.0 * half, spacing))
            else:
                parts.append(
                    boundary_markers.wheel(tips - height, 2.0 * half, spacing, round(count), height, thickness)
                )
        elif kind == BOX:
            parts.append(boundary_markers.box(np.maximum(size[:3], 0.5 * spacing), spacing))
        else:
            raise ValueError('a part that touches particles is a mesh; allowed: cylinders, grousers and boxes')
    return parts
