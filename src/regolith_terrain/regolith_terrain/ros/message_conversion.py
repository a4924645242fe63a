# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of soil records to messages of regolith_msgs and back, bit for bit, with bulk copies."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regolith_msgs import msg as m

from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.loose_soil import NO_LOOSE_SOIL, LooseSoil
from regolith_terrain.grid.merge import SoilDelta, SoilUpdate
from regolith_terrain.grid.node_records import NodeRecords
from regolith_world.ros import key_message, key_record


def typed_array(code: str, values: NDArray[Any]) -> array.array[Any]:
    """Return a message array of ``values`` with one copy (NumPy arrays are checked element by element)."""
    out: array.array[Any] = array.array(code)
    out.frombytes(np.ascontiguousarray(values).tobytes())
    return out


def nodes_message(records: NodeRecords) -> m.SoilNodes:
    """Return the message of soil records."""
    message = m.SoilNodes(fields=list(records.fields))
    message.x = typed_array('i', records.i.astype(np.int32, copy=False))
    message.y = typed_array('i', records.j.astype(np.int32, copy=False))
    message.values = typed_array('d', records.table)
    return message


def nodes_record(message: m.SoilNodes) -> NodeRecords:
    """Return the soil records of a message."""
    fields, count = tuple(message.fields), len(message.x)
    values = np.frombuffer(message.values, np.float64) if count else np.zeros(0)
    table = values.reshape(len(fields), count)
    return NodeRecords(np.array(message.x, np.int32), np.array(message.y, np.int32), table, fields)


def delta_message(delta: SoilDelta) -> m.TerrainDelta:
    """Return the message of an agent's changes."""
    message = m.TerrainDelta(key=key_message(delta.key), agent=delta.agent, nodes=nodes_message(delta.records))
    asked, landed = delta.work
    if asked:
        message.requests = [
            m.SoilRequest(
                tool=part.tool,
                x=typed_array('i', part.i),
                y=typed_array('i', part.j),
                requested_kgpm2=typed_array('d', part.requested),
                cut_height=typed_array('d', part.path),
            )
            for part in asked
        ]
    if landed is not None:
        message.deposited_x, message.deposited_y = typed_array('i', landed.i), typed_array('i', landed.j)
        message.deposited_kgpm2 = typed_array('d', landed.mass)
    return message


def delta_record(message: m.TerrainDelta) -> SoilDelta:
    """Return the record of an agent's changes."""
    asked = tuple(
        SoilRequest(
            part.tool,
            np.array(part.x, np.int32),
            np.array(part.y, np.int32),
            np.array(part.requested_kgpm2),
            np.array(part.cut_height),
        )
        for part in message.requests
    )
    landed = None
    if message.deposited_x:
        places = np.array(message.deposited_x, np.int32), np.array(message.deposited_y, np.int32)
        landed = SoilDeposit(*places, np.array(message.deposited_kgpm2))
    return SoilDelta(key_record(message.key), message.agent, nodes_record(message.nodes), ToolExchange(asked, landed))


def update_message(update: SoilUpdate) -> m.TerrainUpdate:
    """Return the message of a merged update."""
    message = m.TerrainUpdate(
        key=key_message(update.key),
        soil_seq=int(update.soil_seq),
        nodes=nodes_message(update.records),
        agents=list(update.agents),
        owner=typed_array('h', update.owner.astype(np.int16, copy=False)),
        conflicts=int(update.conflicts),
        soil_hash=update.soil_hash,
    )
    if update.grants:
        message.grants = [m.SoilGrant(agent=g.agent, tool=g.tool, granted_kgpm2=g.granted) for g in update.grants]
    loose = update.loose
    if len(loose):
        message.loose_x, message.loose_y = typed_array('i', loose.i), typed_array('i', loose.j)
        message.loose_kgpm2, message.loose_state = typed_array('d', loose.mass), typed_array('b', loose.mark)
    return message


def update_record(message: m.TerrainUpdate) -> SoilUpdate:
    """Return the record of a merged update."""
    loose = NO_LOOSE_SOIL
    if message.loose_x:
        loose = LooseSoil(
            np.array(message.loose_x, np.int32),
            np.array(message.loose_y, np.int32),
            np.array(message.loose_kgpm2),
            np.array(message.loose_state, np.int8),
        )
    return SoilUpdate(
        key_record(message.key),
        nodes_record(message.nodes),
        np.array(message.owner, np.int16),
        tuple(message.agents),
        message.conflicts,
        message.soil_seq,
        message.soil_hash,
        tuple(SoilGrant(g.agent, g.tool, g.granted_kgpm2) for g in message.grants),
        loose,
    )
