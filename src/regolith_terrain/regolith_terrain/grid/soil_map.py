# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Map of soils: regions and the soil of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.owned_region import OwnedRegion
from regolith_world.numerics import kernel


@dataclass(frozen=True, slots=True)
class Region:
    """A disc or polygon with a separate soil."""

    outline: Floats
    """Corners of a polygon in order, or center of a disc, x and y [m], shape (k, 2)."""
    radius: float
    """Radius of a disc [m]; 0: a polygon (even-odd rule)."""

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lowest and the highest x and y [m], shape (2,) each."""
        return self.outline.min(axis=0) - self.radius, self.outline.max(axis=0) + self.radius


class SoilMap:
    """Table of soils and the regions they fill; where regions overlap, the last one applies."""

    def __init__(
        self,
        soils: Floats,
        regions: Sequence[Region] = (),
        others: Mapping[str, Floats] | None = None,
        owned: Sequence[OwnedRegion] = (),
    ) -> None:
        """Create the map.

        Args:
            soils: Parameters for the kernels of the terrain model, one row per soil. Row 0 applies outside all regions,
                row k + 1 in region k. NaN rows belong to other terrain models.
            regions: Regions in order.
            others: Name of a terrain model -> such a table, for each other terrain model.
            owned: Regions that belong to the vehicle of the map.

        Raises:
            ValueError: If the number of rows does not match, or there are more than 255 regions.
        """
        self.soils = np.atleast_2d(np.asarray(soils, dtype=np.float64))
        self.regions = tuple(regions)
        self.others = dict(sorted((others or {}).items()))
        self.owned = tuple(owned)
        if len(self.soils) != len(self.regions) + 1 or len(self.regions) > 255:
            raise ValueError(
                f'{len(self.soils)} soils for {len(self.regions)} regions; allowed: one more than regions,'
                ' at most 255 regions'
            )

    def only_model(self) -> Floats:
        """Return the rows of this terrain model: those that are not all NaN."""
        rows: Floats = self.soils[~np.isnan(self.soils).all(axis=1)]
        return rows

    def of(self, law: str) -> SoilMap:
        """Return the map of another terrain model: its table, the same regions."""
        return SoilMap(self.others[law], self.regions, owned=self.owned)

    def rows(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> NDArray[np.uint8]:
        """Return the row of the table at x = i spacing, y = j spacing, i0 <= i < i1, j0 <= j < j1."""
        out = np.zeros((i1 - i0, j1 - j0), dtype=np.uint8)
        for row, region in enumerate(self.regions, start=1):
            low, high = region.bounds()
            first = np.ceil(low / spacing).astype(np.int64)
            last = np.floor(high / spacing).astype(np.int64)
            a, b = max(i0, int(first[0])), min(i1, int(last[0]) + 1)
            c, d = max(j0, int(first[1])), min(j1, int(last[1]) + 1)
            if a < b and c < d:
                _paint(out, row, a - i0, b - i0, c - j0, d - j0, i0, j0, spacing, region.outline, region.radius)
        return out


@kernel
def _paint(
    out: NDArray[np.uint8],
    row: int,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    i0: int,
    j0: int,
    spacing: float,
    outline: Floats,
    radius: float,
) -> None:
    """Write ``row`` at the nodes of a rectangle that are in a region."""
    count = outline.shape[0]
    for r in range(r0, r1):
        x = (i0 + r) * spacing
        for c in range(c0, c1):
            y = (j0 + c) * spacing
            if radius > 0.0:
                dx, dy = x - outline[0, 0], y - outline[0, 1]
                inside = dx * dx + dy * dy <= radius * radius
            else:
                inside = False
                for k in range(count):
                    ax, ay = outline[k - 1, 0], outline[k - 1, 1]
                    bx, by = outline[k, 0], outline[k, 1]
                    if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
                        inside = not inside
            if inside:
                out[r, c] = row
