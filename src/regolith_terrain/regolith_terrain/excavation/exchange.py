# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Exchange of soil between tools and terrain in one cycle: deposits, grants, sliding.

The exchange follows the merge of wheel contacts, always in the same order. First, landed soil is deposited, in order of
the agents' names. Then tools get the soil they requested, in order of the names of vehicles and tools. A tool gets from
each column the requested amount, but nothing below its path (where another tool may have been before) and nothing below
bedrock. Then loose soil slides. All soil is moved in whole quanta of mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.excavation.relaxation import (
    BULK_DENSITY,
    LOOK,
    MARGIN,
    RESTING,
    SWEEPS,
    Marks,
    mark_neighbors,
    relax,
    reset_column,
)
from regolith_terrain.excavation.sweep import DENSITY
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats, Indices, NodeRecords, node_key
from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.grid.tile_kernels import TILE, Flags
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_model import TerrainModel
from regolith_world.numerics import kernel

BUDGET = 20_000
"""Largest number of checks of marked columns per cycle."""
_LEVEL = 1
Members = NDArray[np.intp]
Nodes = tuple[Indices, Indices]
"""Node indices along x and along y, shape (n,) each."""
NO_NODES: Nodes = (np.zeros(0, np.int32), np.zeros(0, np.int32))


@dataclass(slots=True)
class SoilRequest:
    """Soil requested by one tool in a cycle; nodes are unique and sorted by (i, j)."""

    tool: str
    """Name of the tool in its vehicle's file."""
    i: Indices
    """Node index along x, shape (n,)."""
    j: Indices
    """Node index along y, shape (n,)."""
    requested: Floats
    """Requested mass in whole quanta [kg/m^2], shape (n,)."""
    path: Floats
    """Height of the lowest path of the tool, down to which it takes soil [m], shape (n,)."""


@dataclass(slots=True)
class SoilDeposit:
    """Soil of one agent that lands in a cycle; nodes are unique and sorted by (i, j)."""

    i: Indices
    """Node index along x, shape (n,)."""
    j: Indices
    """Node index along y, shape (n,)."""
    mass: Floats
    """Deposited mass in whole quanta [kg/m^2], shape (n,)."""


class SoilGrant(NamedTuple):
    """Soil granted to a tool in a cycle."""

    agent: str
    tool: str
    granted: float
    """Granted mass per area, summed over all nodes, in whole quanta [kg/m^2]; times the area of a node it is the
    mass.
    """


class ToolExchange(NamedTuple):
    """Soil requests and deposits in an agent's delta."""

    requests: tuple[SoilRequest, ...] = ()
    """Requests in order of the names of the tools."""
    landed: SoilDeposit | None = None
    """Landed soil; None: none."""

    @property
    def is_done(self) -> bool:
        """Whether there is neither request nor deposit, as for most vehicles."""
        return not self.requests and self.landed is None


class ExchangeResult(NamedTuple):
    """Result of :func:`exchange`."""

    records: NodeRecords
    """Records of all merged and changed nodes, sorted by (i, j)."""
    owner: NDArray[np.int16]
    """Owner of each node as in the merge; -1 for columns changed here, which have no history."""
    grants: tuple[SoilGrant, ...]
    """One grant per requesting tool, in order of names."""
    loose: LooseSoil
    """Changes of loose soil."""


def exchange(
    grid: SoilGrid,
    merged: NodeRecords,
    owner: NDArray[np.int16],
    works: Mapping[str, ToolExchange],
    loose: LooseSoil,
    ground: DiggableSoil,
    thrown: Nodes = NO_NODES,
    budget: int = BUDGET,
) -> ExchangeResult:
    """Apply the exchange to the merged records of a cycle; no argument is modified.

    Args:
        grid: Committed soil.
        merged: Result of the merge.
        owner: Owner of each merged node.
        works: Agent -> requests and deposits of its tools, in any order.
        loose: Committed loose soil.
        ground: Soil properties.
        thrown: Columns of :func:`regolith_terrain.excavation.ejected_soil.disturbed`, sorted by (i, j).
        budget: Largest number of checks of marked columns.
    """
    asked = [(name, part) for name in sorted(works) for part in sorted(works[name].requests, key=lambda a: a.tool)]
    landed = [works[name].landed for name in sorted(works)]
    marked = loose.marked
    parts = [(loose.i[marked], loose.j[marked]), thrown, *((a.i, a.j) for _, a in asked)]
    parts += [(part.i, part.j) for part in landed if part is not None]
    at_i, at_j = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    granted = dict.fromkeys([(name, part.tool) for name, part in asked], 0.0)
    records, changes = [], []
    for box in boxes(at_i, at_j):
        place = _Place(grid, merged, loose, ground, thrown, box)
        for part in landed:
            if part is not None:
                place.lay_down(part)
        for name, ask in asked:
            granted[name, ask.tool] += place.grant(ask)
        budget = place.settle(budget)
        records.append(place.window.changed())
        changes.append(place.changes())
    grants = tuple(SoilGrant(*who, amount) for who, amount in granted.items())
    empty = NodeRecords.empty(grid.law.names)
    return ExchangeResult(*_together(merged, owner, [empty, *records]), grants, _all_of(changes))


def compile_exchange(law: TerrainModel, ground: DiggableSoil) -> None:
    """Compile all kernels of the exchange for a terrain model; see
    :func:`regolith_terrain.updates.merge.compile_merge`.
    """
    grid = SoilGrid(FlatField(), 1.0, law)
    node = np.zeros(1, np.int32), np.zeros(1, np.int32)
    work = ToolExchange((SoilRequest('', *node, np.ones(1), np.zeros(1)),), SoilDeposit(*node, np.ones(1)))
    exchange(grid, NodeRecords.empty(law.names), np.zeros(0, np.int16), {'': work}, LooseSoil(), ground, node)


class _Place:
    """A rectangle of terrain in the exchange of a cycle: committed nodes with the merge applied."""

    def __init__(
        self,
        grid: SoilGrid,
        merged: NodeRecords,
        loose: LooseSoil,
        ground: DiggableSoil,
        thrown: Nodes,
        box: tuple[int, ...],
    ) -> None:
        i0, i1, j0, j1 = box
        self._box = box
        self.window: SoilWindow = grid.window(i0, i1, j0, j1)
        values = self.window.values
        committed = values[-1].copy()
        rows = self._within(merged.i, merged.j)
        values[:, merged.i[rows] - i0, merged.j[rows] - j0] = merged.table[:, rows]
        self._loose: Floats = np.zeros(self.window.shape)
        self._marks: Marks = np.zeros(self.window.shape, np.int8)
        rows = self._within(loose.i, loose.j)
        at = loose.i[rows] - i0, loose.j[rows] - j0
        self._loose[at], self._marks[at] = loose.mass[rows], loose.mark[rows]
        self._changed: Flags = np.zeros(self.window.shape, np.bool_)
        self._region = ground.rows(i0, j0, self.window.shape, grid.spacing)
        self._lying, self._cut = ground.lying, ground.cut
        self._bedrock = ground.bedrock(self.window.base[1:-1, 1:-1])
        if ground.is_thrown:
            rows = self._within(*thrown)
            _stir(
                thrown[0][rows] - i0,
                thrown[1][rows] - j0,
                committed,
                values[-1],
                self._loose,
                self._marks,
                self._changed,
            )

    def _within(self, i: Indices, j: Indices) -> Members:
        i0, i1, j0, j1 = self._box
        return np.nonzero((i >= i0) & (i < i1) & (j >= j0) & (j < j1))[0]

    def lay_down(self, part: SoilDeposit) -> None:
        """Deposit soil on its columns."""
        rows = self._within(part.i, part.j)
        _lay_down(
            part.i[rows] - self.window.i0,
            part.j[rows] - self.window.j0,
            part.mass[rows],
            self.window.values,
            self._loose,
            self._marks,
            self.window.touched,
            self._changed,
            self._region,
            self._lying,
        )

    def grant(self, ask: SoilRequest) -> float:
        """Remove the granted soil of a request from the columns and return its mass per area [kg/m^2]."""
        rows = self._within(ask.i, ask.j)
        return float(
            _grant(
                ask.i[rows] - self.window.i0,
                ask.j[rows] - self.window.j0,
                ask.requested[rows],
                ask.path[rows],
                self.window.values,
                self._loose,
                self._marks,
                self.window.touched,
                self._changed,
                self._region,
                self._cut,
                self._bedrock,
            )
        )

    def settle(self, budget: int) -> int:
        """Let loose soil slide; return the remaining budget."""
        for _ in range(SWEEPS):
            if budget <= 0 or not self._marks.any():
                break
            budget = relax(
                self.window.values,
                self._loose,
                self._marks,
                self.window.touched,
                self._changed,
                self._region,
                self._lying,
                self.window.spacing,
                budget,
            )
        return budget

    def changes(self) -> LooseSoil:
        """Return the changes of loose soil."""
        r, c = np.nonzero(self._changed)
        i, j = (r + self.window.i0).astype(np.int32), (c + self.window.j0).astype(np.int32)
        return LooseSoil(i, j, self._loose[r, c], self._marks[r, c])


@kernel(views_only=True)
def _stir(
    rows: Indices, columns: Indices, committed: Floats, mass: Floats, loose: Floats, marks: Marks, changed: Flags
) -> None:
    """Update loose soil for the mass changes by wheels, and mark it at and around the given columns."""
    for r in range(mass.shape[0]):
        for c in range(mass.shape[1]):
            if loose[r, c] > 0.0 and mass[r, c] != committed[r, c]:
                loose[r, c] = max(0.0, loose[r, c] + (mass[r, c] - committed[r, c]))
                changed[r, c] = True
            # Mass in excess of undisturbed soil was moved to the column.
            loose[r, c] = max(loose[r, c], mass[r, c])
    for n in range(rows.shape[0]):
        r, c = rows[n], columns[n]
        if loose[r, c] > 0.0 and marks[r, c] == RESTING:
            marks[r, c] = LOOK
            changed[r, c] = True
        mark_neighbors(loose, marks, changed, LOOK, r, c)


@kernel(views_only=True)
def _lay_down(
    rows: Indices,
    columns: Indices,
    given: Floats,
    values: Floats,
    loose: Floats,
    marks: Marks,
    touched: Flags,
    changed: Flags,
    region: NDArray[np.uint8],
    soils: Floats,
) -> None:
    """Deposit masses [kg/m^2] on columns of a window as loose soil to be checked."""
    for n in range(rows.shape[0]):
        r, c = rows[n], columns[n]
        reset_column(values, r, c, values[_LEVEL, r, c] + given[n] / soils[region[r, c], BULK_DENSITY])
        values[values.shape[0] - 1, r, c] += given[n]
        loose[r, c] += given[n]
        marks[r, c] = max(marks[r, c], LOOK)
        touched[r, c] = changed[r, c] = True


@kernel(views_only=True)
def _grant(
    rows: Indices,
    columns: Indices,
    requested: Floats,
    path: Floats,
    values: Floats,
    loose: Floats,
    marks: Marks,
    touched: Flags,
    changed: Flags,
    region: NDArray[np.uint8],
    soils: Floats,
    bedrock: Floats,
) -> float:
    """Remove the requested mass above path and bedrock from columns of a window and return it [kg/m^2]."""
    total = 0.0
    for n in range(rows.shape[0]):
        r, c = rows[n], columns[n]
        density = soils[region[r, c], DENSITY]
        above = values[_LEVEL, r, c] - max(path[n], bedrock[r, c])
        if not (above > 0.0 and density > 0.0):
            continue
        quanta = math.floor(min(requested[n], above * density) / MASS_QUANTUM_KGPM2)
        if quanta <= 0.0:
            continue
        taken = quanta * MASS_QUANTUM_KGPM2
        total += taken
        reset_column(values, r, c, values[_LEVEL, r, c] - taken / density)
        values[values.shape[0] - 1, r, c] -= taken
        touched[r, c] = True
        if loose[r, c] > 0.0:
            loose[r, c] = max(0.0, loose[r, c] - taken)
            changed[r, c] = True
        mark_neighbors(loose, marks, changed, LOOK, r, c)
    return total


def boxes(i: Indices, j: Indices) -> Iterator[tuple[int, int, int, int]]:
    """Yield disjoint rectangles i0 <= i < i1, j0 <= j < j1 of all nodes with a margin, in order."""
    tiles: dict[tuple[int, int], list[int]] = {}
    key = node_key(i // TILE, j // TILE)
    order = np.argsort(key, kind='stable')
    cuts = np.nonzero(np.diff(key[order]))[0] + 1
    for members in np.split(order, cuts):
        if len(members):
            a, b = i[members], j[members]
            tiles[int(a[0]) // TILE, int(b[0]) // TILE] = [
                int(a.min()) - MARGIN,
                int(a.max()) + MARGIN + 1,
                int(b.min()) - MARGIN,
                int(b.max()) + MARGIN + 1,
            ]
    out: list[list[int]] = []
    for _, box in sorted(tiles.items()):
        # A box that has grown may overlap one that it did not overlap before.
        while True:
            met = next((other for other in out if _overlap(box, other)), None)
            if met is None:
                break
            out.remove(met)
            box = [min(box[0], met[0]), max(box[1], met[1]), min(box[2], met[2]), max(box[3], met[3])]
        out.append(box)
    yield from ((b[0], b[1], b[2], b[3]) for b in sorted(out))


def _overlap(a: list[int], b: list[int]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def _together(
    merged: NodeRecords, owner: NDArray[np.int16], parts: list[NodeRecords]
) -> tuple[NodeRecords, NDArray[np.int16]]:
    """Return merged records with later changes applied, and their owners."""
    i, j = (np.concatenate([getattr(part, name) for part in (*parts, merged)]) for name in ('i', 'j'))
    fresh = len(i) - len(merged)
    if fresh == 0:
        return merged, owner
    table = np.concatenate([part.table for part in (*parts, merged) if len(part)], axis=1)
    owners = np.concatenate((np.full(fresh, -1, np.int16), owner))
    _, kept = np.unique(node_key(i, j), return_index=True)
    return NodeRecords.from_values(i[kept], j[kept], table[:, kept], parts[0].fields), owners[kept]


def _all_of(parts: list[LooseSoil]) -> LooseSoil:
    """Return changes of disjoint areas as one."""
    out = LooseSoil()
    for part in parts:
        if len(part):
            key = np.concatenate((node_key(out.i, out.j), node_key(part.i, part.j)))
            out = out.beside(part, np.argsort(key))
    return out
