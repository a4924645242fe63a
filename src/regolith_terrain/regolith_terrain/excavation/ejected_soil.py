# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil that wheels threw is loose soil, too: which columns of it may stand too steep after a cycle.

What a column has more than virgin ground has come to it, so its change of mass says how much of it is loose; only
where less is left than in virgin ground does it take a memory
(:class:`~regolith_terrain.excavation.loose_soil.LooseSoil`) to know loose soil that fell into a hole from the hole's
firm floor, and terrain remembers what slid there, not what wheels threw. Heaps behind wheels nearly always stand, so
that this looks before anything is to slide.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.exchange import NO_NODES, Nodes, boxes
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.excavation.relaxation import CRITICAL, TAN_REPOSE, face_height, face_is_bounded
from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords, node_key
from regolith_terrain.grid.soil_grid import Flags, SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_model import TerrainModel

NEAR = 4
"""Columns around those that are looked at, at first."""


def disturbed(
    grid: SoilGrid, merged: NodeRecords, owner: NDArray[np.int16], loose: LooseSoil, ground: DiggableSoil
) -> Nodes:
    """Return the merged columns that are in a face too high to stand, or held loose soil already; sorted by (i, j).

    Args:
        grid: The committed ground.
        merged: Outcome of the merge.
        owner: Of each column, see :func:`regolith_terrain.grid.merge.merge`.
        loose: Committed loose soil.
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
        # Faces are a few columns wide, so that a little of the ground will do, nearly always.
        if all([_look(grid, merged, ground, box, i, j, seen) for box in near]):
            break
    return i[seen], j[seen]


def _by_owner(i: Indices, j: Indices, owner: NDArray[np.int16]) -> list[tuple[int, int, int, int]]:
    """Return a rectangle for the nodes of each vehicle, with a narrow margin; they may overlap."""
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
    """Note which of some nodes are in a face too high to stand; return whether no face leaves the rectangle."""
    level, mass = grid.heights_and_masses(*box)
    i0, _, j0, _ = box
    region = ground.rows(i0, j0, level.shape, grid.spacing)
    _lay_over(merged.i, merged.j, merged.level, merged.mass_kgpm2, i0, j0, level, mass)
    whole: bool = _find(i, j, i0, j0, level, mass, region, ground.lying, grid.spacing, found)
    return whole


def compile_disturbed(law: TerrainModel, ground: DiggableSoil) -> None:
    """Compile it on ground of a law; see :func:`regolith_terrain.grid.merge.compile_merge`."""
    grid = SoilGrid(FlatField(), 1.0, law)
    records = grid.records_at(np.zeros(1, np.int32), np.zeros(1, np.int32))
    records.mass_kgpm2[:] = 1.0
    disturbed(grid, records, np.zeros(1, np.int16), LooseSoil(), ground)


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _lay_over(
    i: Indices, j: Indices, levels: Floats, masses: Floats, i0: int, j0: int, level: Floats, mass: Floats
) -> None:
    """Put the heights [m] and masses [kg/m^2] of records into those of a window."""
    for n in range(i.shape[0]):
        r, c = i[n] - i0, j[n] - j0
        if 0 <= r < level.shape[0] and 0 <= c < level.shape[1]:
            level[r, c], mass[r, c] = levels[n], masses[n]


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
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
    """Note columns of a window through which goes a face too high to stand, with loose soil on them or beside them.

    Return whether all faces through them end within it.
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
