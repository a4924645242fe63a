# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant context with unbounded level ground, without terrain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world import HorizontalPosition, ParticipantContext


class FlatSurface:
    """Level ground as a :class:`regolith_world.participant_context.TerrainSurface`."""

    extent = None

    def heights(self, x: Any, y: Any) -> Any:
        """Return zeros."""
        return np.zeros(np.broadcast(x, y).shape)

    def holds(self, x: float, y: float) -> bool:
        """Return True."""
        return True

    def coarse_nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> NDArray[Any]:
        """Return zeros, shape (i1 - i0, j1 - j0)."""
        return np.zeros((i1 - i0, j1 - j0))

    def fingerprint(self) -> str:
        """Return a constant that differs from the fingerprints of other terrain."""
        return 'level'


def flat_context(vehicles: dict[str, tuple[HorizontalPosition, ...]] | None = None) -> ParticipantContext:
    """Return a participant context on level ground."""
    return ParticipantContext('level', 0, vehicles or {}, FlatSurface)
