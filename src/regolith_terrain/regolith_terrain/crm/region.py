# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rectangles of the ground that are particles: where they are, whose, and what they cost."""

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
from regolith_world.cycle.participant import ParticipantFailed

PANE = 6
"""Layers of markers by which walls stand above the ground, so that soil does not leave its rectangle."""
BYTES = 840
"""Most that a particle or marker takes: some 450 in the bed and what a discarded cycle returns to (``bench crm``), and
copies of the state while a cycle is saved. Measured as growth of a process with 90 000 of them."""
MARGIN = 4.0
"""Spacings by which soil round a wheel moves, beyond the ball that holds the wheel."""


class ForeignSoilError(ParticipantFailed):
    """A vehicle changed ground that is another's region of particles; the message names both, the region and a node."""


@dataclass(frozen=True, slots=True)
class ParticleRegion:
    """A rectangle whose ground is particles, and belongs to one vehicle.

    That vehicle's process moves them; nobody else changes its nodes.
    """

    name: str
    vehicle: str
    low: tuple[float, float]
    """Corner with the least x and y [m]."""
    high: tuple[float, float]
    """Opposite corner [m]."""
    spacing: float
    """Of the particles [m]."""
    depth: float
    """Of the soil below undisturbed ground; below is a rough floor [m]."""
    soil: ParticleSoil
    stops_others: bool
    """Whether other vehicles stop at the edge; otherwise they go on as on the ground around, and leave no marks."""

    @property
    def settings(self) -> Discretization:
        """How the soil is reckoned."""
        return Discretization(spacing_m=self.spacing)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of particles along x, y and z."""
        x, y = (round((b - a) / self.spacing) for a, b in zip(self.low, self.high, strict=True))
        return x, y, round(self.depth / self.spacing)

    @property
    def soil_count(self) -> int:
        """Number of particles of soil."""
        return math.prod(self.counts)

    @property
    def marker_count(self) -> int:
        """Number of markers of floor and walls."""
        x, y, z = self.counts
        wide = (x + 2 * LAYERS) * (y + 2 * LAYERS)
        return wide * LAYERS + (wide - x * y) * (z + PANE)

    @property
    def nbytes(self) -> int:
        """Memory that particles take, at most [B]."""
        return BYTES * (self.soil_count + self.marker_count)

    @property
    def step(self) -> float:
        """Longest step [s]."""
        return self.settings.step(self.soil.material())

    def hours(self, duration: float, balls: Iterable[float], substep: float) -> float:
        """Return about how many hours one thread of a laptop needs, if wheels are in the region all the time.

        Markers, lists of neighbours and steps that fast soil shortens come on top.

        Args:
            duration: Simulated [s].
            balls: Radii of the balls that hold the wheels [m].
            substep: Of the vehicle [s], which divides steps or is divided.
        """
        sides = np.array([2.0 * (ball + MARGIN * self.spacing) for ball in balls])
        moving = min(float((sides**2).sum()) * self.depth / self.spacing**3, self.soil_count)
        whole = math.floor(self.step / substep)
        step = whole * substep if whole else substep / math.ceil(substep / self.step)
        return hours(moving, duration, step)

    def nodes(self, spacing: float) -> tuple[int, int, int, int]:
        """Return i0, i1, j0, j1 of the nodes i0 <= i < i1, j0 <= j < j1 that lie in the region, as a soil map has it.

        Args:
            spacing: Of the nodes [m].
        """
        (i0, j0), (i1, j1) = (tuple(_first_at(v, spacing) for v in corner) for corner in (self.low, self.high))
        return i0, i1, j0, j1

    def owned(self, i: Indices, j: Indices, spacing: float) -> NDArray[np.bool_]:
        """Return which nodes lie in the region, shape (n,)."""
        i0, i1, j0, j1 = self.nodes(spacing)
        within: NDArray[np.bool_] = (i >= i0) & (i < i1) & (j >= j0) & (j < j1)
        return within

    def distance(self, x: float, y: float) -> float:
        """Return the distance of a place from the rectangle [m]; 0 within."""
        return math.hypot(max(self.low[0] - x, 0.0, x - self.high[0]), max(self.low[1] - y, 0.0, y - self.high[1]))

    def meets(self, low: Sequence[float] | Floats, high: Sequence[float] | Floats) -> bool:
        """Return whether the region shares any ground with a rectangle; both corners [m], shape (2,)."""
        return all(max(self.low[k], low[k]) < min(self.high[k], high[k]) for k in (0, 1))


def _first_at(value: float, spacing: float) -> int:
    """Return the first node at or beyond a value, by the same comparison as in a polygon of a soil map."""
    k = math.ceil(value / spacing)
    while k * spacing < value:
        k += 1
    while (k - 1) * spacing >= value:
        k -= 1
    return k
