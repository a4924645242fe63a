# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base of testbeds with one driven body in a bed of particles."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import ParticleBed, boundary_markers
from regolith_terrain.grid import Floats
from regolith_testbeds.resumable_runs import Part, packed, unpacked

_RIM = 3
"""Number of layers of walls above the soil."""


class DrivenBody(ABC):
    """A driven body in soil, see :class:`regolith_testbeds.resumable_runs.ResumableRun`.

    Each advance begins with new neighbor lists, so a saved state continues bit-identically.
    """

    def __init__(self, bed: ParticleBed) -> None:
        """Create a run at its start.

        Args:
            bed: Bed whose body 1 is driven.
        """
        self.bed = bed
        self.steps = 0
        self._wall = 0.0

    @property
    @abstractmethod
    def part(self) -> float:
        """Completed fraction."""

    def advance(self, tick: Part) -> None:
        """Advance by some steps."""
        begin = time.perf_counter()
        self._place()
        self.bed.sort()
        self._block()
        self._wall += time.perf_counter() - begin

    @abstractmethod
    def _place(self) -> None:
        """Place the body's markers at its pose, with its velocity."""

    @abstractmethod
    def _block(self) -> None:
        """Advance by some steps and count them."""

    def _cost(self) -> dict[str, Any]:
        """Return the cost so far."""
        return {
            'simulated_s': self.bed.t,
            'elements': self.bed.soil_count,
            'steps': self.steps,
            'wall_s': self._wall,
        }

    @abstractmethod
    def _state(self) -> Mapping[str, Any]:
        """Return the state in addition to the bed: numbers and arrays by name."""

    @abstractmethod
    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Restore the result of :meth:`_state`."""

    def save(self) -> bytes:
        """Return the complete state."""
        return packed(bed=self.bed.save(), steps=self.steps, wall=self._wall, **self._state())

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another bed.
        """
        found = unpacked(saved)
        self.steps, self._wall = int(found['steps']), float(found['wall'])
        self._restore(found)
        self._place()
        self.bed.load(found['bed'].tobytes())


def filled_trough(x: tuple[float, float], width: float, depth: float, spacing: float) -> tuple[Floats, Floats]:
    """Return positions of soil in a trough below z = 0 and of its wall markers [m], shape (n, 3).

    No particle is on y = 0.

    Args:
        x: Positions of the walls behind and ahead [m].
        width: Width of the trough [m].
        depth: Depth of the trough [m].
        spacing: Particle spacing [m].
    """
    half = round(0.5 * width / spacing) * spacing
    low = np.array([x[0], -half, -round(depth / spacing) * spacing])
    high = np.array([x[1], half, 0.0])
    return boundary_markers.lattice(low, high, spacing), boundary_markers.trough(low, high, spacing, _RIM * spacing)
