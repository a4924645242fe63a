# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a participant may know of the scenario it is in before anything moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

Place = tuple[float, float]
"""x, y in the world [m]."""


class Ground(Protocol):
    """The undisturbed ground; what lays it out is terrain's business."""

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """West, east, south and north edge [m]; None: it goes on."""

    def heights(self, x: Any, y: Any) -> Any:
        """Return the heights at places [m]."""

    def holds(self, x: float, y: float) -> bool:
        """Return whether a place lies on ground that is known."""

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> NDArray[Any]:
        """Return the heights at nodes i0 to i1 - 1, j0 to j1 - 1 of a grid of another spacing [m]."""

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of what the ground is made from."""


def no_ground() -> Ground:
    """Stand in for the ground in a node's process, which has none.

    :raises RuntimeError: always
    """
    raise RuntimeError('a node has no ground of its own; take what is needed of it in ParticipantType.prepared')


@dataclass(frozen=True)
class Site:
    """A scenario as its participants see it."""

    name: str
    seed: int
    vehicles: Mapping[str, tuple[Place, ...]]
    """Name -> places it is known to pass: where it starts, then its way-points."""
    ground: Callable[[], Ground] = no_ground


def beyond(ground: Ground, x: float, y: float) -> str:
    """Return where a place could lie instead, in words; '' if it lies on ground that is known."""
    if ground.extent is None or ground.holds(x, y):
        return ''
    west, east, south, north = ground.extent
    return f'x from {west:.6g} to {east:.6g} m, y from {south:.6g} to {north:.6g} m'
