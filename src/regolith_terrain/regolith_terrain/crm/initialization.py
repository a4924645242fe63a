# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Initial particles of a CRM region: columns below the undisturbed surface, in a trough of markers.

All columns have the same depth, so each has the same mass on any slope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.constants import SHAPE_BOX, SHAPE_CYLINDER, SHAPE_GROUSERED
from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.boundary_markers import LAYERS
from regolith_terrain.crm.mesh_markers import mesh_markers
from regolith_terrain.crm.region import PANE, ParticleRegion
from regolith_terrain.height_field import HeightField


class InitialParticles(NamedTuple):
    """Particles and markers of a region before any motion."""

    soil: Floats
    """Positions of the soil [m], shape (n, 3)."""
    top: Floats
    """Height of the surface above each particle [m], shape (n,)."""
    trough: Floats
    """Positions of the markers of floor and walls [m], shape (m, 3)."""
    ground: NDArray[np.bool_]
    """Whether a marker is below the surface; the others are panes above it, shape (m,)."""


def initial_particles(region: ParticleRegion, field: HeightField) -> InitialParticles:
    """Return the initial particles of a region.

    Args:
        region: Region of particles.
        field: Undisturbed surface.
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


def markers_of(shapes: Shapes, spacing: float, surfaces: Mapping[int, Floats]) -> list[Floats]:
    """Return markers of each part of a vehicle in its shape's frame [m], shape (m, 3).

    Grousers lower than the spacing are replaced by a smooth wheel around their tips.

    Args:
        shapes: Shapes of the parts.
        spacing: Particle spacing [m].
        surfaces: Closed surfaces that replace shapes, see
            :attr:`regolith_terrain.contact.ground_contact.ContactSetting.tool_surfaces`.

    Raises:
        ValueError: If a mesh is not closed. The message names the problem.
    """
    parts = []
    for part, (kind, size) in enumerate(zip(shapes.kind.tolist(), shapes.size.tolist(), strict=True)):
        if part in surfaces:
            parts.append(mesh_markers(surfaces[part], spacing))
        elif kind == SHAPE_CYLINDER and size[0] < spacing:  # a rod
            parts.append(boundary_markers.box((0.5 * spacing, max(size[1], 0.5 * spacing), 0.5 * spacing), spacing))
        elif kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
            # The radius of a cylinder includes its grousers, that of a grousered wheel does not.
            _, half, count, height, thickness = size[:5]
            tips = size[0] + (height if kind == SHAPE_GROUSERED else 0.0)
            if height < spacing:  # too small for particles
                parts.append(boundary_markers.wheel(tips, 2.0 * half, spacing))
            else:
                parts.append(
                    boundary_markers.wheel(tips - height, 2.0 * half, spacing, round(count), height, thickness)
                )
        elif kind == SHAPE_BOX:
            parts.append(boundary_markers.box(np.maximum(size[:3], 0.5 * spacing), spacing))
        else:
            first, end = shapes.clusters[part].tolist()
            begin, stop = shapes.triangles[first, 0], shapes.triangles[end - 1, 1]
            parts.append(mesh_markers(shapes.corners[begin:stop].reshape(-1, 3, 3), spacing))
    return parts
