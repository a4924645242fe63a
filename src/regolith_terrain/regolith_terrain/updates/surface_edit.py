# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Edits of the surface from outside: heights of grid nodes, or a stamp (crater, trench, mound).

Terrain applies the edits of a cycle after the changes by vehicles, as undisturbed soil at the new height. The result
does not depend on the order in which the edits of a cycle arrive. First come the heights: where two edits set the same
node, the larger height is kept. Then come the rises, which add up. The mass of the added or removed soil is
:attr:`regolith_terrain.terrain_participant.TerrainParticipant.edited`, so the mass balance stays closed.

An edited slope is not loose soil: it stands at any angle until a vehicle or tool moves it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_files import counted_noun
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.excavation.relaxation import BULK_DENSITY, RESTING
from regolith_terrain.excavation.sweep import DENSITY
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords, node_key
from regolith_terrain.grid.owned_region import OwnedRegion
from regolith_terrain.grid.soil_grid import RAISED, SoilGrid
from regolith_terrain.grid.tile_kernels import TILE
from regolith_terrain.lunar.degradation import REACH, fresh_profile

ROW = np.dtype([('i', '<i4'), ('j', '<i4'), ('height', '<f8'), ('rise', '<f8')])
"""Row of an edit: node, new height [m] (NaN: the present one), and rise added to it [m]."""
Rows = NDArray[np.void]
"""Rows of an edit, unique and sorted by (i, j), shape (n,)."""

MOST_NODES = 1_000_000
"""Largest number of nodes of an edit."""
MOST_TILES = 2048
"""Largest number of tiles of 64 x 64 nodes that an edit may touch: they are allocated in every process with soil."""
MOST_CHANGE_M = 100.0
"""Largest difference of an edited height from the undisturbed surface [m]."""

RAISED_M = 1e-3
"""Smallest rise of a node that lifts what stands on it [m]."""

STAMPS = ('crater', 'trench', 'mound')
"""Names of the stamps."""


class Stamp(NamedTuple):
    """Shape that an edit adds to the surface."""

    kind: str
    """One of :data:`STAMPS`."""
    x: float
    """Center along x [m]."""
    y: float
    """Center along y [m]."""
    length: float
    """Crater, mound: diameter. Trench: length [m]."""
    depth: float
    """Crater: from rim to floor. Trench: below the present surface. Mound: height [m]."""
    width: float = 0.0
    """Trench: width [m]."""
    yaw: float = 0.0
    """Trench: angle of its length to the x axis [rad]."""


def heights_edit(x: Floats, y: Floats, values: Floats, spacing: float, *, relative: bool = False) -> Rows:
    """Return the edit that sets the nodes nearest to points.

    Args:
        x: Positions along x [m], shape (n,).
        y: Positions along y [m], shape (n,).
        values: Heights, or rises if ``relative`` [m], shape (n,).
        spacing: Grid node spacing [m].
        relative: Whether the values are added to the present heights.

    Raises:
        ValueError: If the lengths differ, a value is not finite, there is no point or there are too many, or two points
            have the same node.
    """
    if not len(x) == len(y) == len(values):
        counts = ', '.join(
            counted_noun(len(v), 'value') + f' of {n}' for n, v in zip(('x', 'y', 'height'), (x, y, values))
        )
        raise ValueError(f'{counts}; allowed: equal numbers')
    if not 0 < len(x) <= MOST_NODES:
        raise ValueError(f'{counted_noun(len(x), "point")}; allowed: 1 to {MOST_NODES}')
    for name, numbers in (('x', x), ('y', y), ('height', values)):
        if len(wrong := np.flatnonzero(~np.isfinite(numbers))):
            raise ValueError(f'{name}[{wrong[0]}] = {numbers[wrong[0]]}; allowed: finite numbers')
    i, j = (np.floor(v / spacing + 0.5).astype(np.int32) for v in (x, y))
    order = np.argsort(node_key(i, j), kind='stable')
    i, j = i[order], j[order]
    same = np.flatnonzero((np.diff(i) == 0) & (np.diff(j) == 0))
    if len(same):
        a, b = order[same[0]], order[same[0] + 1]
        raise ValueError(
            f'points {a} and {b} have the same grid node ({i[same[0]]}, {j[same[0]]}); allowed: one per node'
        )
    rows = np.zeros(len(i), ROW)
    rows['i'], rows['j'] = i, j
    rows['height'] = np.nan if relative else values[order]
    rows['rise'] = values[order] if relative else 0.0
    return rows


def stamp_edit(stamp: Stamp, spacing: float) -> Rows:
    """Return the edit of a stamp; its rises are added to the present surface.

    * *crater*: the profile of a fresh crater, a bowl with rim and ejecta out to four radii
      (:func:`regolith_terrain.lunar.degradation.fresh_profile`), with a smooth end from three radii on.
    * *trench*: a rectangle with vertical walls.
    * *mound*: a paraboloid.

    Args:
        stamp: The stamp.
        spacing: Grid node spacing [m].

    Raises:
        ValueError: If the kind is unknown, a size is not positive and finite or below two spacings, or there are too
            many nodes.
    """
    if stamp.kind not in STAMPS:
        raise ValueError(f'stamp = {stamp.kind!r}; allowed: {", ".join(STAMPS)}')
    trench = stamp.kind == 'trench'
    for name in ('length', 'width') if trench else ('length',):
        if not 2.0 * spacing <= (value := getattr(stamp, name)) < math.inf:
            raise ValueError(f'{name} = {value:g}; allowed: at least two grid spacings, {2.0 * spacing:g} m')
    if not 0.0 < stamp.depth <= MOST_CHANGE_M:
        raise ValueError(f'depth = {stamp.depth:g}; allowed: more than 0, at most {MOST_CHANGE_M:g} m')
    if not all(map(math.isfinite, (stamp.x, stamp.y, stamp.yaw))):
        raise ValueError(f'x, y, yaw = {stamp.x:g}, {stamp.y:g}, {stamp.yaw:g}; allowed: finite numbers')
    reach = {'crater': 0.5 * REACH, 'mound': 0.5}.get(stamp.kind, 0.0) * stamp.length
    reach = math.hypot(0.5 * stamp.length, 0.5 * stamp.width) if trench else reach
    if (2.0 * reach / spacing + 1.0) ** 2 > 4 * MOST_NODES:
        raise ValueError(f'stamp {stamp.kind} reaches {reach:g} m; allowed: at most {MOST_NODES} grid nodes')
    i = np.arange(math.floor((stamp.x - reach) / spacing), math.ceil((stamp.x + reach) / spacing) + 1)
    j = np.arange(math.floor((stamp.y - reach) / spacing), math.ceil((stamp.y + reach) / spacing) + 1)
    dx, dy = np.broadcast_arrays((i * spacing - stamp.x)[:, None], (j * spacing - stamp.y)[None, :])
    if trench:
        along, across = _turned(dx, dy, stamp.yaw)
        within = (np.abs(along) <= 0.5 * stamp.length) & (np.abs(across) <= 0.5 * stamp.width)
        rise = np.full(dx.shape, -stamp.depth)
    else:
        r = np.sqrt(dx * dx + dy * dy) / (0.5 * stamp.length)
        if stamp.kind == 'mound':
            rise, within = stamp.depth * (1.0 - r * r), r < 1.0
        else:
            end = np.clip(r - (REACH - 1.0), 0.0, 1.0)
            rise = stamp.depth * fresh_profile(r) * (1.0 - end * end * (3.0 - 2.0 * end))
            within = r < REACH
    at = np.nonzero(within)
    if not 0 < len(at[0]) <= MOST_NODES:
        raise ValueError(f'stamp {stamp.kind} has {counted_noun(len(at[0]), "grid node")}; allowed: 1 to {MOST_NODES}')
    rows = np.zeros(len(at[0]), ROW)
    rows['i'], rows['j'] = i[at[0]], j[at[1]]
    rows['height'], rows['rise'] = np.nan, rise[at]
    return rows


def _turned(dx: Floats, dy: Floats, yaw: float) -> tuple[Floats, Floats]:
    """Return offsets along and across a direction [m]."""
    c, s = math.cos(yaw), math.sin(yaw)
    return c * dx + s * dy, c * dy - s * dx


def check_edit(rows: Rows, grid: SoilGrid, soil: DiggableSoil, owned: Sequence[OwnedRegion] = ()) -> None:
    """Check an edit against a terrain.

    Args:
        rows: The edit.
        grid: Committed soil.
        soil: Soils of the terrain.
        owned: Regions that belong to vehicles.

    Raises:
        ValueError: If it touches too many tiles, leaves the elevation model, changes a region of a vehicle, or its
            height is too far from the undisturbed surface or below bedrock. The message names the node.
    """
    i, j = rows['i'], rows['j']
    tiles = len(np.unique(node_key(i // TILE, j // TILE)))
    if tiles > MOST_TILES:
        side = TILE * grid.spacing
        raise ValueError(
            f'nodes are in {tiles} squares of {side:g} m; allowed: at most {MOST_TILES}, so edit a smaller area'
        )
    x, y = i * grid.spacing, j * grid.spacing
    _refuse(rows, ~grid.height_field.inside(x, y), 'is not on the elevation model', 'nodes on it')
    for region in owned:
        where = f'is in region {region.name!r} of {region.vehicle}'
        _refuse(rows, region.owned(i, j, grid.spacing), where, 'nodes outside of regions of vehicles')
    base = np.asarray(grid.height_field.heights(x, y), dtype=np.float64)
    change = np.where(np.isnan(rows['height']), 0.0, rows['height'] - base) + rows['rise']
    far = ~(np.abs(change) <= MOST_CHANGE_M)
    _refuse(rows, far, 'is too far from the undisturbed surface', f'within {MOST_CHANGE_M:g} m of it')
    _refuse(rows, base + change < soil.bedrock(base), 'is below bedrock', 'heights above it')


def _refuse(rows: Rows, wrong: NDArray[np.bool_], why: str, allowed: str) -> None:
    if len(at := np.flatnonzero(wrong)):
        row = rows[at[0]]
        more = f' ({len(at)} nodes are so)' if len(at) > 1 else ''
        raise ValueError(f'node ({row["i"]}, {row["j"]}) {why}{more}; allowed: {allowed}')


def combined(edits: Iterable[Rows]) -> Rows:
    """Return the edits of a cycle as one, independent of their order.

    Args:
        edits: Edits of :func:`heights_edit` and :func:`stamp_edit`, in any order.
    """
    ordered = sorted((rows for rows in edits if len(rows)), key=lambda rows: rows.tobytes())
    if not ordered:
        return np.zeros(0, ROW)
    rows = np.concatenate(ordered)
    key, first, node = np.unique(node_key(rows['i'], rows['j']), return_index=True, return_inverse=True)
    out = rows[first]
    out['height'], out['rise'] = np.nan, 0.0
    height, rise = np.full(len(key), -math.inf), np.zeros(len(key))
    given = ~np.isnan(rows['height'])
    np.maximum.at(height, node[given], rows['height'][given])
    np.add.at(rise, node, rows['rise'])
    out['height'] = np.where(np.isinf(height), np.nan, height)
    out['rise'] = rise
    return out


class EditedSoil(NamedTuple):
    """Result of :func:`apply_edit`."""

    records: NodeRecords
    """Records of all merged and edited nodes, sorted by (i, j)."""
    owner: NDArray[np.int16]
    """Owner of each node as in the merge; -1 for edited nodes, which have no history."""
    quanta: int
    """Added mass per area, summed over the nodes, in :data:`MASS_QUANTUM_KGPM2`; negative: removed."""


def apply_edit(
    rows: Rows, grid: SoilGrid, merged: NodeRecords, owner: NDArray[np.int16], soil: DiggableSoil
) -> EditedSoil:
    """Apply an edit to the merged records of a cycle; no argument is modified.

    An edited node is undisturbed soil at its new height. The mass of its column changes by the change of height times
    the density of the soil, in whole quanta.

    Args:
        rows: Edit of :func:`combined`.
        grid: Committed soil.
        merged: Changes by vehicles in this cycle.
        owner: Owner of each merged node.
        soil: Soils of the terrain.
    """
    i, j = np.ascontiguousarray(rows['i']), np.ascontiguousarray(rows['j'])
    values = grid.records_at(i, j).values()
    key, at = node_key(i, j), node_key(merged.i, merged.j)
    here = np.searchsorted(at, key)
    shared = (here < len(at)) & (at[np.minimum(here, len(at) - 1)] == key) if len(at) else np.zeros(len(key), np.bool_)
    values[:, shared] = merged.table[:, here[shared]]
    level = grid.law.names.index('level')
    new = np.where(np.isnan(rows['height']), values[level], rows['height']) + rows['rise']
    quanta = np.rint((new - values[level]) * _density(i, j, grid, soil) / MASS_QUANTUM_KGPM2).astype(np.int64)
    values[:-1] = 0.0
    values[[grid.law.names.index(name) for name in ('level_initial', 'level')]] = new
    values[-1] += quanta * MASS_QUANTUM_KGPM2
    kept = ~np.isin(at, key)
    edited = NodeRecords.from_values(i, j, values, grid.law.names)
    records = edited.joined([merged.where(kept)])
    owners = np.full(len(records), -1, np.int16)
    owners[np.searchsorted(node_key(records.i, records.j), at[kept])] = owner[kept]
    return EditedSoil(records, owners, int(quanta.sum(dtype=object)))


def raised_nodes(grid: SoilGrid, records: NodeRecords, owner: NDArray[np.int16]) -> NDArray[np.void] | None:
    """Return the nodes of an update that were raised from outside; none: there are none.

    These are nodes without an owner and without history whose level rises by more than RAISED_M, as edits leave them.

    Args:
        grid: Soil before the commit of the update.
        records: Records of the update.
        owner: Owner of each node, see :attr:`regolith_terrain.updates.SoilUpdate.owner`.
    """
    free = np.flatnonzero(owner < 0) if len(owner) else owner
    if len(free):
        table = records.table[:, free]
        free = free[(table[0] == table[1]) & ~table[2:-1].any(axis=0)]
    if not len(free):
        return None
    i, j = records.i[free], records.j[free]
    rise = records.table[1, free] - grid.levels(i * grid.spacing, j * grid.spacing)
    up = rise > RAISED_M
    if not up.any():
        return None
    rows = np.zeros(int(up.sum()), RAISED)
    rows['i'], rows['j'], rows['rise'] = i[up], j[up], rise[up]
    return rows


def without_loose_soil(rows: Rows, loose: LooseSoil, changes: LooseSoil) -> LooseSoil:
    """Return changes of loose soil after which edited nodes have none.

    Args:
        rows: Edit of :func:`combined`.
        loose: Committed loose soil.
        changes: Changes of loose soil in this cycle.
    """
    key, changed = node_key(rows['i'], rows['j']), node_key(changes.i, changes.j)
    here = np.isin(key, np.concatenate((node_key(loose.i, loose.j), changed)))
    if not here.any():
        return changes
    count = int(here.sum())
    none = LooseSoil(rows['i'][here], rows['j'][here], np.zeros(count), np.full(count, RESTING, np.int8))
    _, kept = np.unique(np.concatenate((key[here], changed)), return_index=True)
    return none.beside(changes, kept)


def _density(i: Indices, j: Indices, grid: SoilGrid, soil: DiggableSoil) -> Floats:
    """Return the density of undisturbed soil at nodes [kg/m^3], shape (n,)."""
    density = np.where(np.isnan(soil.cut[:, DENSITY]), soil.lying[:, BULK_DENSITY], soil.cut[:, DENSITY])
    out = np.empty(len(i))
    tile = node_key(i // TILE, j // TILE)
    order = np.argsort(tile, kind='stable')
    for members in np.split(order, np.flatnonzero(np.diff(tile[order])) + 1):
        i0, j0 = (int(v[members[0]]) // TILE * TILE for v in (i, j))
        out[members] = density[soil.rows(i0, j0, (TILE, TILE), grid.spacing)[i[members] - i0, j[members] - j0]]
    return out
