# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM regions: rectangles of particles with location, owner and cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm.boundary_markers import LAYERS
from regolith_terrain.crm.cost import hours
from regolith_terrain.crm.soil import Discretization, ParticleSoil
from regolith_terrain.grid.node_records import Floats, Indices
from regolith_world.cycle import ParticipantFailed

PANE = 6
"""Number of marker layers of walls above the surface, so soil does not leave its rectangle."""
BYTES = 840
"""Largest memory of a particle or marker [B]: about 450 in the bed and the state for a discarded cycle (``bench crm``),
and copies of the state while a cycle is saved. Measured as growth of a process with 90 000 of them."""
MARGIN = 4.0
"""Distance in spacings to which soil around a wheel moves, beyond the bounding sphere of the wheel."""


class ForeignSoilError(ParticipantFailed):
    """A vehicle changed soil in the CRM region of another one; the message names both, the region and a node."""


@dataclass(frozen=True, slots=True)
class ParticleRegion:
    """A rectangle of particles that belongs to one vehicle.

    The process of that vehicle moves the particles. No other process changes its nodes.
    """

    name: str
    vehicle: str
    low: tuple[float, float]
    """Corner with the smallest x and y [m]."""
    high: tuple[float, float]
    """Corner with the largest x and y [m]."""
    spacing: float
    """Particle spacing [m]."""
    depth: float
    """Depth of the soil below the undisturbed surface, down to a rough floor [m]."""
    soil: ParticleSoil
    stops_others: bool
    """Whether other vehicles stop at the edge; otherwise they drive on the surrounding terrain model and leave no
    ruts.
    """

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

    def nodes(self, spacing: float) -> tuple[int, int, int, int]:
        """Return i0, i1, j0, j1 of the nodes i0 <= i < i1, j0 <= j < j1 in the region, as in a soil map.

        Args:
            spacing: Grid node spacing [m].
        """
        (i0, j0), (i1, j1) = (tuple(_first_at(v, spacing) for v in corner) for corner in (self.low, self.high))
        return i0, i1, j0, j1

    def owned(self, i: Indices, j: Indices, spacing: float) -> NDArray[np.bool_]:
        """Return which nodes are in the region, shape (n,)."""
        i0, i1, j0, j1 = self.nodes(spacing)
        within: NDArray[np.bool_] = (i >= i0) & (i < i1) & (j >= j0) & (j < j1)
        return within

    def distance(self, x: float, y: float) -> float:
        """Return the distance of a position from the rectangle [m]; 0 inside."""
        return math.hypot(max(self.low[0] - x, 0.0, x - self.high[0]), max(self.low[1] - y, 0.0, y - self.high[1]))

    def meets(self, low: Sequence[float] | Floats, high: Sequence[float] | Floats) -> bool:
        """Return whether the region overlaps a rectangle given by its corners [m], shape (2,)."""
        return all(max(self.low[k], low[k]) < min(self.high[k], high[k]) for k in (0, 1))


def _first_at(value: float, spacing: float) -> int:
    """Return the first node at or beyond a value, by the same comparison as for a polygon of a soil map."""
    k = math.ceil(value / spacing)
    while k * spacing < value:
        k += 1
    while (k - 1) * spacing >= value:
        k -= 1
    return k
