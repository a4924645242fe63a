# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Stability of soil ejected by wheels: columns that may be too steep after a cycle.

Soil that a column has in excess of undisturbed soil was moved there. So its change of mass defines how much of it is
loose. Only where less than undisturbed soil is left is a memory needed
(:class:`~regolith_terrain.excavation.loose_soil.LooseSoil`), to distinguish loose soil in a hole from the firm floor of
the hole. Terrain stores there the soil that slid, not the soil that wheels ejected. Heaps behind wheels are nearly
always stable, so this check runs before any sliding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.exchange import NO_NODES, Nodes, boxes
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.excavation.relaxation import CRITICAL, TAN_REPOSE, face_height, face_is_bounded
from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords, node_key
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.tile_kernels import Flags
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_model import TerrainModel
from regolith_world.numerics import kernel

NEAR = 4
"""Number of columns around the moved columns in the first check."""


def disturbed(
    grid: SoilGrid, merged: NodeRecords, owner: NDArray[np.int16], loose: LooseSoil, ground: DiggableSoil
) -> Nodes:
    """Return the merged columns with a face too high to be stable or with loose soil; sorted by (i, j).

    Args:
        grid: Committed soil.
        merged: Result of the merge.
        owner: Owner of each column, see :func:`regolith_terrain.updates.merge.merge`.
        loose: Committed loose soil.
        ground: Soil properties.
    """
    if not ground.is_thrown or not len(merged):
        return NO_NODES
    moved = np.nonzero(merged.mass_kgpm2)[0]
    if not len(moved):
        return NO_NODES
    i, j = merged.i[moved], merged.j[moved]
    found = np.zeros(len(moved), np.bool_)
    if len(loose):
        found |= np.isin(node_key(i, j), node_key(loose.i, loose.j))
    for near in (_by_owner(i, j, owner[moved]), boxes(i, j)):
        seen = found.copy()
        # Faces are a few columns wide, so a small part of the terrain is nearly always sufficient.
        if all([_look(grid, merged, ground, box, i, j, seen) for box in near]):
            break
    return i[seen], j[seen]


def _by_owner(i: Indices, j: Indices, owner: NDArray[np.int16]) -> list[tuple[int, int, int, int]]:
    """Return a rectangle for the nodes of each vehicle, with a narrow margin; rectangles may overlap."""
    order = np.argsort(owner, kind='stable')
    first = np.flatnonzero(np.concatenate(([True], np.diff(owner[order]) != 0)))
    ends = [
        (reduce.reduceat(at[order], first) + margin).tolist()
        for at in (i, j)
        for reduce, margin in ((np.minimum, -NEAR), (np.maximum, NEAR + 1))
    ]
    return list(zip(*ends, strict=True))


def _look(
    grid: SoilGrid,
    merged: NodeRecords,
    ground: DiggableSoil,
    box: tuple[int, int, int, int],
    i: Indices,
    j: Indices,
    found: Flags,
) -> bool:
    """Mark nodes with a face too high to be stable; return whether no face leaves the rectangle."""
    level, mass = grid.heights_and_masses(*box)
    i0, _, j0, _ = box
    region = ground.rows(i0, j0, level.shape, grid.spacing)
    _lay_over(merged.i, merged.j, merged.level, merged.mass_kgpm2, i0, j0, level, mass)
    whole: bool = _find(i, j, i0, j0, level, mass, region, ground.lying, grid.spacing, found)
    return whole


def compile_disturbed(law: TerrainModel, ground: DiggableSoil) -> None:
    """Compile the kernels for a terrain model; see :func:`regolith_terrain.updates.merge.compile_merge`."""
    grid = SoilGrid(FlatField(), 1.0, law)
    records = grid.records_at(np.zeros(1, np.int32), np.zeros(1, np.int32))
    records.mass_kgpm2[:] = 1.0
    disturbed(grid, records, np.zeros(1, np.int16), LooseSoil(), ground)


@kernel(views_only=True)
def _lay_over(
    i: Indices, j: Indices, levels: Floats, masses: Floats, i0: int, j0: int, level: Floats, mass: Floats
) -> None:
    """Write the heights [m] and masses [kg/m^2] of records to those of a window."""
    for n in range(i.shape[0]):
        r, c = i[n] - i0, j[n] - j0
        if 0 <= r < level.shape[0] and 0 <= c < level.shape[1]:
            level[r, c], mass[r, c] = levels[n], masses[n]


@kernel(views_only=True)
def _find(
    i: Indices,
    j: Indices,
    i0: int,
    j0: int,
    level: Floats,
    mass: Floats,
    region: NDArray[np.uint8],
    soils: Floats,
    spacing: float,
    found: Flags,
) -> bool:
    """Mark columns of a window with a face too high to be stable and loose soil on them or beside them.

    Return whether all faces through them end within the window.
    """
    whole = True
    for n in range(i.shape[0]):
        r, c = i[n] - i0, j[n] - j0
        if found[n] or not (0 < r < level.shape[0] - 1 and 0 < c < level.shape[1] - 1):
            continue
        loose = False
        for nr in range(r - 1, r + 2):
            for nc in range(c - 1, c + 2):
                loose = loose or mass[nr, nc] > 0.0
        row = region[r, c]
        if loose:
            height = face_height(level, r, c, spacing * soils[row, TAN_REPOSE])
            found[n] = height > soils[row, CRITICAL]
            whole = whole and (height == 0.0 or face_is_bounded(level, r, c, spacing * soils[row, TAN_REPOSE]))
    return whole
