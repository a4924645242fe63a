# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codecs of soil messages, see :mod:`regolith_world.ros.message_codec`."""

from __future__ import annotations

from typing import Any

import numpy as np
from regolith_msgs import msg as m

from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.loose_soil import NO_LOOSE_SOIL, LooseSoil
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.updates.committed_soil import SoilCommit
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_world.ros import codec, register_record

_NO_DEPOSIT = SoilDeposit(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))


def _deposit(delta: SoilDelta) -> SoilDeposit:
    return delta.work.landed or _NO_DEPOSIT


def _nodes(x: Any, y: Any, fields: tuple[str, ...], values: Any) -> NodeRecords:
    return NodeRecords(x, y, values.reshape(len(fields), len(x)), fields)


def _delta(key: Any, agent: str, nodes: NodeRecords, requests: tuple[SoilRequest, ...], *deposit: Any) -> SoilDelta:
    landed = SoilDeposit(*deposit) if len(deposit[0]) else None
    return SoilDelta(key, agent, nodes, ToolExchange(requests, landed))


def _update(*values: Any) -> SoilUpdate:
    key, soil_seq, nodes, agents, owner, conflicts, soil_hash, grants, *loose, edited = values
    changes = LooseSoil(*loose) if len(loose[0]) else NO_LOOSE_SOIL
    return SoilUpdate(key, nodes, owner, agents, conflicts, soil_seq, soil_hash, grants, changes, edited)


register_record(
    m.SoilNodes,
    NodeRecords,
    {'x': 'i', 'y': 'j', 'fields': 'fields', 'values': lambda nodes: nodes.table.ravel()},
    _nodes,
)
register_record(
    m.SoilRequest, SoilRequest, {'x': 'i', 'y': 'j', 'requested_kgpm2': 'requested', 'cut_height': 'path'}, SoilRequest
)
register_record(m.SoilGrant, SoilGrant, {'granted_kgpm2': 'granted'}, SoilGrant)
register_record(
    m.TerrainDelta,
    SoilDelta,
    {
        'nodes': 'records',
        'requests': lambda delta: delta.work.requests,
        'deposited_x': lambda delta: _deposit(delta).i,
        'deposited_y': lambda delta: _deposit(delta).j,
        'deposited_kgpm2': lambda delta: _deposit(delta).mass,
    },
    _delta,
)
register_record(
    m.TerrainDeltaBatch,
    list,
    {'key': lambda deltas: deltas[0].key, 'deltas': lambda deltas: deltas},
    lambda key, deltas: list(deltas),
)
register_record(
    m.TerrainUpdate,
    SoilUpdate,
    {
        'nodes': 'records',
        'loose_x': lambda update: update.loose.i,
        'loose_y': lambda update: update.loose.j,
        'loose_kgpm2': lambda update: update.loose.mass,
        'loose_state': lambda update: update.loose.mark,
    },
    _update,
)
register_record(m.TerrainCommitted, SoilCommit, {'nodes': 'records'})

NODES, COMMITTED = codec(m.SoilNodes), codec(m.TerrainCommitted)
DELTAS = codec(m.TerrainDeltaBatch)
"""Codec of the soil changes of the vehicles of a process: a list of at least one, in name order."""
UPDATE = codec(m.TerrainUpdate)
