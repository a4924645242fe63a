# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A scenario's site: ground and vehicles, for its participants."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

Place = tuple[float, float]
"""x, y in the world [m]."""


class TerrainSurface(Protocol):
    """The undisturbed ground."""

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """West, east, south and north edge [m]; None: endless."""

    def heights(self, x: Any, y: Any) -> Any:
        """Return the heights at places [m]."""

    def holds(self, x: float, y: float) -> bool:
        """Return whether the ground is known at a place [m]."""

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> NDArray[Any]:
        """Return the heights [m] at nodes i0 to i1 - 1, j0 to j1 - 1 of a grid with this spacing [m]."""

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of the ground's definition."""


class StaticObstacles(Protocol):
    """What stands fast on the ground."""

    def max_heights(self, heights: NDArray[Any], west: float, south: float, spacing: float) -> NDArray[Any]:
        """Return a map of heights [m], shape (nx, ny), with what stands there.

        Args:
            west: x of the first row [m]
            south: y of the first column [m]
        """

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of its shapes and places."""


def no_terrain() -> TerrainSurface:
    """The ground in a node's process, which has none.

    Raises:
        RuntimeError: always
    """
    raise RuntimeError('a node has no ground of its own; take what is needed of it in ParticipantType.prepared')


@dataclass(frozen=True)
class ParticipantContext:
    """The site of a scenario."""

    name: str
    seed: int
    vehicles: Mapping[str, tuple[Place, ...]]
    """Known places of each vehicle by name: its start, then its way-points."""
    ground: Callable[[], TerrainSurface] = no_terrain
    standing: Callable[[], StaticObstacles | None] = lambda: None
    """What stands on the ground and is large enough to matter to others than those who run into it; None: nothing."""

    def fingerprint(self) -> str:
        """Return the fingerprint of the ground with what stands on it, of bare ground the ground's own."""
        ground, standing = self.ground().fingerprint(), self.standing()
        return ground if standing is None else hashlib.sha256(f'{ground} {standing.fingerprint()}'.encode()).hexdigest()


def out_of_bounds(ground: TerrainSurface, x: float, y: float) -> str:
    """Return the allowed places in words; '' if the ground is known at this one."""
    if ground.extent is None or ground.holds(x, y):
        return ''
    west, east, south, north = ground.extent
    if west >= east or south >= north:
        return 'none: the ground that is known does not surround the origin'
    return f'x from {west:.6g} to {east:.6g} m, y from {south:.6g} to {north:.6g} m'
