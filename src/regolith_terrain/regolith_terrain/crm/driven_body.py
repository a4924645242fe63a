# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A body that is driven through a bed of particles: what benches with one body share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.testbeds.resumable_runs import Part, packed, unpacked

_RIM = 3
"""Layers by which walls stand above the soil."""


class DrivenBody(ABC):
    """A body on its way through soil (:class:`regolith_terrain.testbeds.resumable_runs.ResumableRun`).

    Each advance begins with new lists of neighbours: so a saved state goes on with the same bits.
    """

    def __init__(self, bed: ParticleBed) -> None:
        """Begin.

        Args:
            bed: Whose body 1 is driven.
        """
        self.bed = bed
        self.steps = 0
        self._wall = 0.0

    @property
    @abstractmethod
    def part(self) -> float:
        """Return the part that is done."""

    def advance(self, tick: Part) -> None:
        """Go on by some steps."""
        begin = time.perf_counter()
        self._place()
        self.bed.sort()
        self._block()
        self._wall += time.perf_counter() - begin

    @abstractmethod
    def _place(self) -> None:
        """Put the body's markers where it is, as fast as it is."""

    @abstractmethod
    def _block(self) -> None:
        """Make some steps, each counted."""

    def _cost(self) -> dict[str, Any]:
        """Return what it has taken so far."""
        return {
            'simulated_s': self.bed.t,
            'elements': self.bed.soil_count,
            'steps': self.steps,
            'wall_s': self._wall,
        }

    @abstractmethod
    def _state(self) -> Mapping[str, Any]:
        """Return what evolves besides the bed: numbers and arrays by name."""

    @abstractmethod
    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Take what :meth:`_state` returned."""

    def save(self) -> bytes:
        """Return everything that evolves."""
        return packed(bed=self.bed.save(), steps=self.steps, wall=self._wall, **self._state())

    def load(self, saved: bytes) -> None:
        """Restore what :meth:`save` returned.

        Raises:
            ValueError: If the state is of another bed.
        """
        found = unpacked(saved)
        self.steps, self._wall = int(found['steps']), float(found['wall'])
        self._restore(found)
        self._place()
        self.bed.load(found['bed'].tobytes())


def filled_trough(x: tuple[float, float], width: float, depth: float, spacing: float) -> tuple[Floats, Floats]:
    """Return places of soil below z = 0 in a trough with walls about y = 0, and the walls' markers [m], shape (n, 3).

    No particle lies on y = 0.

    Args:
        x: Of the walls behind and ahead [m].
        width: [m].
        depth: [m].
        spacing: Of particles [m].
    """
    half = round(0.5 * width / spacing) * spacing
    low = np.array([x[0], -half, -round(depth / spacing) * spacing])
    high = np.array([x[1], half, 0.0])
    return boundary_markers.lattice(low, high, spacing), boundary_markers.trough(low, high, spacing, _RIM * spacing)
