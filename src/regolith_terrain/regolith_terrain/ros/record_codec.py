# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Serialization of soil records to message bytes and back, bit for bit.

See :mod:`regolith_world.ros.record_codec`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np
from rclpy.serialization import deserialize_message
from regolith_msgs import msg as m

from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.loose_soil import NO_LOOSE_SOIL, LooseSoil
from regolith_terrain.grid.merge import SoilDelta, SoilUpdate
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.ros import message_conversion
from regolith_world.ros import cdr, record_codec

_NUMBER = struct.Struct('<Q')
_INDEX, _OWNER, _MARK, _REAL = (np.dtype(kind) for kind in ('<i4', '<i2', 'i1', '<f8'))


def delta_batch_bytes(deltas: Iterable[SoilDelta], run: int) -> bytes:
    """Return the message bytes of the changes of all agents of a process.

    Args:
        deltas: Changes of at least one agent, in name order.
        run: Id of the run.
    """
    deltas = list(deltas)
    out = cdr.Writer()
    record_codec.write_key(out, deltas[0].key, run)
    out.count(len(deltas))
    for delta in deltas:
        _write_delta(out, delta, run)
    return bytes(out.data)


def delta_batch_records(message: bytes) -> list[SoilDelta]:
    """Return the records in the message bytes of a batch."""
    if not cdr.is_plain(message):
        return [message_conversion.delta_record(d) for d in deserialize_message(message, m.TerrainDeltaBatch).deltas]
    data = cdr.Reader(message)
    record_codec.read_key(data)
    return [_read_delta(data) for _ in range(data.count())]


def update_bytes(update: SoilUpdate, run: int) -> bytes:
    """Return the message bytes of a merged update.

    Args:
        update: Merged update.
        run: Id of the run.
    """
    out = cdr.Writer()
    record_codec.write_key(out, update.key, run)
    out.pack(_NUMBER, 8, update.soil_seq)
    _write_nodes(out, update.records)
    out.texts(update.agents)
    out.numbers(update.owner, _OWNER)
    out.count(update.conflicts)
    out.text(update.soil_hash)
    out.count(len(update.grants))
    for grant in update.grants:
        out.text(grant.agent)
        out.text(grant.tool)
        out.real(grant.granted)
    loose = update.loose
    for values, kind in ((loose.i, _INDEX), (loose.j, _INDEX), (loose.mass, _REAL), (loose.mark, _MARK)):
        out.numbers(values, kind)
    return bytes(out.data)


def update_record(message: bytes) -> SoilUpdate:
    """Return the record in the message bytes of a merged update."""
    if not cdr.is_plain(message):
        return message_conversion.update_record(deserialize_message(message, m.TerrainUpdate))
    data = cdr.Reader(message)
    key, (soil_seq,) = record_codec.read_key(data), data.unpack(_NUMBER, 8)
    records, agents, owner = _read_nodes(data), data.texts(), data.numbers(_OWNER)
    conflicts, soil_hash = data.count(), data.text()
    grants = tuple([SoilGrant(data.text(), data.text(), data.real()) for _ in range(data.count())])
    parts = [data.numbers(kind) for kind in (_INDEX, _INDEX, _REAL, _MARK)]
    loose = LooseSoil(*parts) if len(parts[0]) else NO_LOOSE_SOIL
    return SoilUpdate(key, records, owner, agents, conflicts, soil_seq, soil_hash, grants, loose)


def _write_nodes(out: cdr.Writer, records: NodeRecords) -> None:
    out.numbers(records.i, _INDEX)
    out.numbers(records.j, _INDEX)
    out.texts(records.fields)
    out.numbers(records.table.ravel(), _REAL)


def _read_nodes(data: cdr.Reader) -> NodeRecords:
    i, j, fields = data.numbers(_INDEX), data.numbers(_INDEX), data.texts()
    return NodeRecords(i, j, data.numbers(_REAL).reshape(len(fields), len(i)), fields)


def _write_delta(out: cdr.Writer, delta: SoilDelta, run: int) -> None:
    record_codec.write_key(out, delta.key, run)
    out.text(delta.agent)
    _write_nodes(out, delta.records)
    asked, landed = delta.work
    out.count(len(asked))
    for part in asked:
        out.text(part.tool)
        for values, kind in ((part.i, _INDEX), (part.j, _INDEX), (part.requested, _REAL), (part.path, _REAL)):
            out.numbers(values, kind)
    if landed is None:
        for _ in range(3):
            out.count(0)
    else:
        for values, kind in ((landed.i, _INDEX), (landed.j, _INDEX), (landed.mass, _REAL)):
            out.numbers(values, kind)


def _read_delta(data: cdr.Reader) -> SoilDelta:
    key, agent, records = record_codec.read_key(data), data.text(), _read_nodes(data)
    asked = tuple(
        [
            SoilRequest(data.text(), *[data.numbers(kind) for kind in (_INDEX, _INDEX, _REAL, _REAL)])
            for _ in range(data.count())
        ]
    )
    i, j, mass = (data.numbers(kind) for kind in (_INDEX, _INDEX, _REAL))
    return SoilDelta(key, agent, records, ToolExchange(asked, SoilDeposit(i, j, mass) if len(i) else None))
