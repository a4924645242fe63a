# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Merge of the soil changes of several vehicles in one cycle, independent of the order of arrival."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.kernel_binding import bind_kernels
from regolith_terrain.excavation.exchange import SoilGrant, ToolExchange
from regolith_terrain.excavation.loose_soil import NO_LOOSE_SOIL, LooseSoil
from regolith_terrain.grid.node_records import Floats, NodeRecords, node_key
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_model import TerrainModel
from regolith_world.cycle import CycleKey
from regolith_world.numerics import kernel

Owners = NDArray[np.int16]
Rows = NDArray[np.intp]

_LEVEL_INITIAL, _LEVEL = 0, 1
"""Rows of node records that all terrain models share; the last row is the mass."""


@dataclass(slots=True)
class SoilDelta:
    """Soil changes of an agent, sent once per attempt: the changed nodes after its evolve."""

    key: CycleKey
    agent: str
    records: NodeRecords
    work: ToolExchange = ToolExchange()  # noqa: RUF009  immutable
    """Soil requests and deposits of the agent's tools, which terrain processes after the merge."""


@dataclass(slots=True)
class SoilUpdate:
    """Merged soil changes of one attempt, sent to all participants; they apply if it is committed."""

    key: CycleKey
    records: NodeRecords
    owner: Owners
    """Index into ``agents`` of the agent whose compaction each node keeps, shape (n,); -1: none, as soil was moved."""
    agents: tuple[str, ...]
    """All agents of the cycle, sorted by name."""
    conflicts: int
    """Number of nodes changed by more than one agent."""
    soil_seq: int
    """Number of committed updates including this one."""
    soil_hash: str
    """Soil hash after the commit of this update."""
    grants: tuple[SoilGrant, ...] = ()
    """Soil granted to the requests of tools."""
    loose: LooseSoil = NO_LOOSE_SOIL
    """Changes of loose soil, for a restarted terrain."""
    edited: int = 0
    """Mass that edits of the surface added, in quanta of mass per area summed over nodes, for a restarted terrain."""


class Merged(NamedTuple):
    """Result of :func:`merge`; its fields are those of :class:`SoilUpdate`."""

    records: NodeRecords
    owner: Owners
    conflicts: int


def merge(grid: SoilGrid, deltas: Mapping[str, NodeRecords]) -> Merged:
    """Merge the changes of one cycle; ``grid`` is the committed soil and is only read.

    The record of a node changed by one agent is adopted bit for bit. For other nodes, level_initial is the committed
    one plus all raises in name order, and mass_kgpm2 also. The fields of the terrain model are those of the agent whose
    compaction the model prefers (SCM: largest plastic sinkage, then larger yield pressure, then first name). The level
    is as far below level_initial as that agent left it. Without bulldozing the deepest rut is kept.

    Args:
        grid: Committed soil.
        deltas: Agent name -> its records, unique and sorted by (i, j), in any order of the names.

    Returns:
        Merged records sorted by (i, j), index of the owner in the sorted names, number of nodes in conflict.

    Raises:
        ValueError: If records are not unique and sorted. The message names the agent.
    """
    names = sorted(deltas)
    for name in names:
        if not deltas[name].is_sorted():
            raise ValueError(f'delta of {name}: nodes must be unique and sorted by (i, j)')
    parts = [deltas[name] for name in names]
    if not any(len(part) for part in parts):
        return Merged(NodeRecords.empty(grid.law.names), np.zeros(0, np.int16), 0)
    if sum(1 for part in parts if len(part)) == 1:
        at = next(k for k, part in enumerate(parts) if len(part))
        return Merged(parts[at], np.full(len(parts[at]), at, np.int16), 0)
    i = np.concatenate([part.i for part in parts])
    j = np.concatenate([part.j for part in parts])
    values = np.concatenate([part.table for part in parts if len(part)], axis=1)
    agent = np.repeat(np.arange(len(names), dtype=np.int16), [len(part) for part in parts])
    key = node_key(i, j)
    order = np.argsort(key, kind='stable')  # stable: within a node, agents stay in name order
    key, i, j, values, agent = key[order], i[order], j[order], values[:, order], agent[order]
    first = np.concatenate(([True], key[1:] != key[:-1]))
    start = np.nonzero(first)[0]
    count = np.diff(np.append(start, len(key)))
    out = np.ascontiguousarray(values[:, start])
    owner = agent[start].copy()
    shared = np.nonzero(count > 1)[0]
    if len(shared):
        committed = grid.records_at(i[start[shared]], j[start[shared]]).values()
        resolver(grid.law)(np.ascontiguousarray(values), agent, start, count, shared, committed, out, owner)
    return Merged(NodeRecords.from_values(i[start], j[start], out, grid.law.names), owner, len(shared))


def compile_merge(law: TerrainModel) -> None:
    """Compile the merge of a terrain model, by a change of one node that two agents share.

    Without this call, compilation would take seconds in the first cycle with a shared node, and all participants would
    wait.
    """
    grid = SoilGrid(FlatField(), 1.0, law)
    node = grid.records_at(np.zeros(1, np.int32), np.zeros(1, np.int32))
    merge(grid, {'a': node, 'b': node})


@kernel
def is_deeper(values: Floats, a: int, b: int) -> bool:
    """Return whether column ``a`` of node records is further below its level_initial than ``b``.

    This is the rule of terrain models without a separate one.
    """
    sunk_a = values[_LEVEL_INITIAL, a] - values[_LEVEL, a]
    deeper: bool = sunk_a > values[_LEVEL_INITIAL, b] - values[_LEVEL, b]
    return deeper


@cache
def resolver(law: TerrainModel) -> Callable[..., None]:
    """Return the compiled :func:`_resolve` with a terrain model's merge rule bound to ``outdoes``."""
    return bind_kernels(_resolve, outdoes=law.merge_rule())


outdoes: Callable[[Floats, int, int], bool] = is_deeper
"""Merge rule, bound by :func:`resolver`."""


def _resolve(
    values: Floats,
    agent: Owners,
    start: Rows,
    count: Rows,
    shared: Rows,
    committed: Floats,
    out: Floats,
    owner: Owners,
) -> None:
    """Write record and owner of every node changed by several agents.

    Args:
        values: Records of all agents, one row per field; for each node one column per agent, in name order.
        agent: Index of the agent of each column.
        start: First column of each node.
        count: Number of columns of each node.
        shared: Nodes to write, as indices into ``start``.
        committed: Records of these nodes before the cycle, one column each.
        out: Output: records, one column per node.
        owner: Output: index of the agent whose compaction the node keeps.
    """
    mass_row = values.shape[0] - 1
    for n in range(shared.shape[0]):
        node = shared[n]
        best = start[node]
        level_initial = committed[_LEVEL_INITIAL, n]
        mass = committed[mass_row, n]
        for at in range(start[node], start[node] + count[node]):
            level_initial += values[_LEVEL_INITIAL, at] - committed[_LEVEL_INITIAL, n]
            mass += values[mass_row, at] - committed[mass_row, n]
            if outdoes(values, at, best):
                best = at
        # If no agent raised the node, the preferred level is kept bit for bit.
        unraised = level_initial == values[_LEVEL_INITIAL, best]
        sunk = values[_LEVEL_INITIAL, best] - values[_LEVEL, best]
        for row in range(_LEVEL + 1, mass_row):
            out[row, node] = values[row, best]
        out[_LEVEL_INITIAL, node] = level_initial
        out[_LEVEL, node] = values[_LEVEL, best] if unraised else level_initial - sunk
        out[mass_row, node] = mass
        owner[node] = agent[best]
