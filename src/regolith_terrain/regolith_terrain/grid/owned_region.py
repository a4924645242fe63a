# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of the soil grid that belong to one vehicle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords
from regolith_world.cycle import ParticipantFailed


class ForeignSoilError(ParticipantFailed):
    """A vehicle changed soil in a region that belongs to another one; the message names both, the region and a node."""


@dataclass(frozen=True, slots=True)
class OwnedRegion:
    """A rectangle that belongs to one vehicle. No process but that of the vehicle changes its nodes."""

    name: str
    vehicle: str
    low: tuple[float, float]
    """Corner with the smallest x and y [m]."""
    high: tuple[float, float]
    """Corner with the largest x and y [m]."""
    depth: float
    """Depth of the soil below the undisturbed surface, down to a rough floor [m]."""
    stops_others: bool
    """Whether other vehicles stop at the edge; otherwise they drive on the surrounding terrain model and leave no
    ruts.
    """

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


def records_outside(records: NodeRecords, regions: Sequence[OwnedRegion], spacing: float) -> NodeRecords:
    """Return the records without those of nodes in some regions.

    Args:
        records: Records of nodes.
        regions: The regions.
        spacing: Grid node spacing [m].
    """
    for region in regions:
        within = region.owned(records.i, records.j, spacing)
        if within.any():
            records = records.where(~within)
    return records


def _first_at(value: float, spacing: float) -> int:
    """Return the first node at or beyond a value, by the same comparison as for a polygon of a soil map."""
    k = math.ceil(value / spacing)
    while k * spacing < value:
        k += 1
    while (k - 1) * spacing >= value:
        k -= 1
    return k
