# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM regions: rectangles of particles with location, owner and cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from regolith_terrain.crm.boundary_markers import LAYERS
from regolith_terrain.crm.cost import hours
from regolith_terrain.crm.soil import Discretization, ParticleSoil
from regolith_terrain.grid.owned_region import OwnedRegion

PANE = 6
"""Number of marker layers of walls above the surface, so soil does not leave its rectangle."""
BYTES = 840
"""Largest memory of a particle or marker [B]: about 450 in the bed and the state for a discarded cycle (``bench crm``),
and copies of the state while a cycle is saved. Measured as growth of a process with 90 000 of them."""
MARGIN = 4.0
"""Distance in spacings to which soil around a wheel moves, beyond the bounding sphere of the wheel."""


@dataclass(frozen=True, slots=True)
class ParticleRegion(OwnedRegion):
    """A rectangle of particles that belongs to one vehicle, whose process moves them."""

    spacing: float
    """Particle spacing [m]."""
    soil: ParticleSoil
    threads: int = 1
    """Number of threads that move the particles; the result does not depend on it."""

    @property
    def settings(self) -> Discretization:
        """Discretization of the soil."""
        return Discretization(spacing_m=self.spacing)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of particles along x, y and z."""
        x, y = (round((b - a) / self.spacing) for a, b in zip(self.low, self.high, strict=True))
        return x, y, round(self.depth / self.spacing)

    @property
    def soil_count(self) -> int:
        """Number of soil particles."""
        return math.prod(self.counts)

    @property
    def marker_count(self) -> int:
        """Number of markers of floor and walls."""
        x, y, z = self.counts
        wide = (x + 2 * LAYERS) * (y + 2 * LAYERS)
        return wide * LAYERS + (wide - x * y) * (z + PANE)

    @property
    def nbytes(self) -> int:
        """Largest memory of the particles [B]."""
        return BYTES * (self.soil_count + self.marker_count)

    @property
    def step(self) -> float:
        """Longest step [s]."""
        return self.settings.step(self.soil.material())

    def hours(self, duration: float, balls: Iterable[float], substep: float) -> float:
        """Return the approximate hours of one thread of a laptop, if wheels are always in the region.

        Markers, neighbor lists and shorter steps of fast soil add to this.

        Args:
            duration: Simulated time [s].
            balls: Radii of the bounding spheres of the wheels [m].
            substep: Substep of the vehicle [s], which divides steps or is divided.
        """
        sides = np.array([2.0 * (ball + MARGIN * self.spacing) for ball in balls])
        moving = min(float((sides**2).sum()) * self.depth / self.spacing**3, self.soil_count)
        whole = math.floor(self.step / substep)
        step = whole * substep if whole else substep / math.ceil(substep / self.step)
        return hours(moving, duration, step)
