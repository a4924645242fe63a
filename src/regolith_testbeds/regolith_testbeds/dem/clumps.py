# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Grain shapes: a sphere, or a clump of overlapping spheres as one rigid body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from regolith_terrain.grid import Floats

_SAMPLES = 96
"""Number of sample points along an axis of a clump, which gives its volume to 1e-3."""


@dataclass(frozen=True)
class Clump:
    """A shape of extent 1 from its center of mass; the size of a grain is a scale [m]."""

    offset: Floats
    """Centers of the balls from the center of mass along principal axes, shape (k, 3)."""
    radius: Floats
    """Radii of the balls, shape (k,)."""
    volume: float
    """Volume of the union."""
    moments: Floats
    """Principal moments of inertia at density 1, shape (3,)."""

    @property
    def equivalent_radius(self) -> float:
        """Radius of the sphere of equal volume."""
        return float((0.75 * self.volume / math.pi) ** (1.0 / 3.0))


@cache
def sphere() -> Clump:
    """Return a sphere."""
    volume = 4.0 / 3.0 * math.pi
    return Clump(np.zeros((1, 3)), np.ones(1), volume, np.full(3, 0.4 * volume))


@cache
def clump_of_three() -> Clump:
    """Return three balls in a triangle, 0.83 radii apart, the flat clump of published substitutes for GRC-1."""
    angles = 2.0 * math.pi * np.arange(3) / 3.0
    centers = 0.83 / math.sqrt(3.0) * np.stack((np.cos(angles), np.sin(angles), np.zeros(3)), axis=1)
    return clump(centers, np.ones(3))


@cache
def clump_of_six() -> Clump:
    """Return six balls at the corners of an octahedron, each through the centers of its neighbors."""
    corners = np.concatenate((np.eye(3), -np.eye(3))) / math.sqrt(2.0)
    return clump(corners, np.ones(6))


SHAPES = {'sphere': sphere, 'clump3': clump_of_three, 'clump6': clump_of_six}
"""Shapes by name."""


def clump(centers: Floats, radii: Floats) -> Clump:
    """Return the union of balls as a rigid body of uniform density.

    Volume, center of mass and inertia are computed by sampling.

    Args:
        centers: Centers of the balls, shape (k, 3).
        radii: Radii of the balls, shape (k,).
    """
    low, high = (centers - radii[:, None]).min(axis=0), (centers + radii[:, None]).max(axis=0)
    lines = [a + (np.arange(_SAMPLES) + 0.5) * (b - a) / _SAMPLES for a, b in zip(low, high)]
    points = np.stack(np.meshgrid(*lines, indexing='ij'), axis=-1).reshape(-1, 3)
    inside = np.zeros(len(points), dtype=bool)
    for center, radius in zip(centers, radii):
        inside |= np.sum((points - center) ** 2, axis=1) < radius**2
    points = points[inside]
    cell = float(np.prod((high - low) / _SAMPLES))
    middle = points.mean(axis=0)
    away = points - middle
    second = cell * np.einsum('ni,nj->ij', away, away)
    inertia = np.trace(second) * np.eye(3) - second
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    offset = (centers - middle) @ axes
    size = float(np.max(np.linalg.norm(offset, axis=1) + radii))
    return Clump(offset / size, radii / size, cell * len(points) / size**3, moments / size**5)
