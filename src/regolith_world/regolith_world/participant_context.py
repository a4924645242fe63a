# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant context: scenario name, seed, vehicles and terrain access that a participant is given at start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

HorizontalPosition = tuple[float, float]
"""Position (x, y) in the world frame [m]."""


class TerrainSurface(Protocol):
    """The undisturbed terrain surface."""

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """West, east, south and north edge [m]; None: unbounded."""

    def heights(self, x: Any, y: Any) -> Any:
        """Return the heights at positions [m]."""

    def holds(self, x: float, y: float) -> bool:
        """Return whether the terrain has a height at a position [m]."""

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> NDArray[Any]:
        """Return the heights [m] at grid nodes i0 to i1 - 1, j0 to j1 - 1 of a grid with this spacing [m]."""

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the terrain's definition."""


class StaticObstacles(Protocol):
    """Static bodies on the terrain, such as rocks."""

    def max_heights(self, heights: NDArray[Any], west: float, south: float, spacing: float) -> NDArray[Any]:
        """Return a height map raised to the tops of the obstacles [m], shape (nx, ny).

        Args:
            heights: Heights of the terrain [m], shape (nx, ny).
            west: x of the first row [m].
            south: y of the first column [m].
            spacing: Distance of rows and of columns [m].
        """

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of shapes and poses."""


def no_soil() -> Any:
    """Stand for the soil where a participant is not started with it.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError('this process has no soil; fix: start the participant in a node with a copy of the soil')


def no_terrain() -> TerrainSurface:
    """Stand for the terrain in a node's process, which has none.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError('a node has no terrain; fix: collect the terrain data in ParticipantType.prepared')


@dataclass(frozen=True)
class ParticipantContext:
    """What a participant is given at start: scenario, seed, vehicles and terrain access."""

    name: str
    seed: int
    vehicles: Mapping[str, tuple[HorizontalPosition, ...]]
    """Known positions of each vehicle by name: its start, then its waypoints."""
    ground: Callable[[], TerrainSurface] = no_terrain
    standing: Callable[[], StaticObstacles | None] = lambda: None
    """Obstacles on the terrain that are large enough to affect other participants; None: none."""
    sections: Mapping[str, Any] = field(default_factory=dict)
    """Validated sections ``world``, ``terrain`` and ``objects`` of the scenario and those of all participants, where
    they are known."""
    soil: Callable[[], Any] = no_soil
    """Committed soil and obstacles, for participants that write soil
    (:class:`regolith_terrain.scenario_bodies.GroundAccess`)."""

    tiles: str | None = None
    """Path of the tile list of the terrain; None: the terrain is no tiled world."""

    def fingerprint(self) -> str:
        """Return the fingerprint of terrain and obstacles; without obstacles that of the terrain."""
        ground, standing = self.ground().fingerprint(), self.standing()
        return ground if standing is None else hashlib.sha256(f'{ground} {standing.fingerprint()}'.encode()).hexdigest()


def out_of_bounds(ground: TerrainSurface, x: float, y: float) -> str:
    """Return the allowed positions as text; '' if the terrain has a height at this position."""
    if ground.extent is None or ground.holds(x, y):
        return ''
    west, east, south, north = ground.extent
    if west >= east or south >= north:
        return 'none: the known terrain does not surround the origin'
    return f'x from {west:.6g} to {east:.6g} m, y from {south:.6g} to {north:.6g} m'
