# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the protocol straight to bytes: the same bytes as the serializer's, and the same records from them."""

from __future__ import annotations

import itertools
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_message_conversion import filled

from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.merge import SoilDelta, SoilUpdate
from regolith_terrain.grid.node_records import FIELDS, NodeRecords
from regolith_world.checkpoint import codec
from regolith_world.cycle import records

pytest.importorskip('regolith_msgs')

RUN = 0xFEDCBA9876543210


def nodes(count: int) -> NodeRecords:
    """Return node records in which no two numbers are equal."""
    i = np.arange(count, dtype=np.int32)
    table = np.arange(len(FIELDS) * count, dtype=float).reshape(len(FIELDS), count) + 0.25
    return NodeRecords(i, i - 70_000, table)


def whole(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(values, np.int32)


CYCLES = (
    filled(records.Cycle, itertools.count(1)),
    # As most are: nothing beside bodies; texts of every length, so that what follows is padded in every way.
    *(
        records.Cycle(
            records.CycleKey(1, 2**40, 3),
            -5,
            20,
            records.Verdict.COMMIT,
            records.Command.EVOLVE,
            ('a' * n, 'terrain'),
            (records.VEHICLE_ROLES, records.TERRAIN_ROLES),
            (replace(filled(records.BodyState, itertools.count(n)), name='b' * n),),
            constrained=('ä' * n,) * (n % 2),
        )
        for n in range(9)
    ),
    records.Cycle(records.CycleKey(0, 0, 0), 0, 0, records.Verdict.NONE, records.Command.STOP),
)
RESULTS = (
    filled(records.CycleResult, itertools.count(1)),
    *(
        records.CycleResult(records.CycleKey(0, n, 0), 'c' * n, 2**62, live_inputs=bytes(range(n)), state_hash='d' * n)
        for n in range(9)
    ),
)
UPDATES = tuple(
    SoilUpdate(
        records.CycleKey(0, 7, 1),
        nodes(count),
        np.arange(count, dtype=np.int16) - 1,
        ('a' * count, 'beryl'),
        count,
        2**33,
        'e' * count,
        (SoilGrant('amber', 'blade' * count, 0.75),) * (count % 2),
        LooseSoil(whole(1), whole(-1), np.array([0.5]), np.array([2], np.int8)) if count % 2 else LooseSoil(),
    )
    for count in range(6)
)
DELTAS = tuple(
    SoilDelta(
        records.CycleKey(0, 7, 1),
        'f' * count,
        nodes(count),
        ToolExchange(
            tuple(
                SoilRequest(tool * count, whole(1, 2), whole(3, 4), np.array([0.5, 1.5]), np.array([-0.5, -1.5]))
                for tool in ('x', 'drum')[: count % 3]
            ),
            SoilDeposit(whole(5), whole(6), np.array([0.125])) if count % 2 else None,
        ),
    )
    for count in range(6)
)


def same_bytes(given: bytes, message: Any) -> bool:
    """Return whether bytes are those of a message, except padding, in which the serializer leaves any bytes.

    Behind an empty array at the end it may leave stray bytes.
    """
    from rclpy.serialization import deserialize_message, serialize_message

    usual = serialize_message(message)
    assert deserialize_message(given, type(message)) == message
    here, there = (np.frombuffer(data, np.uint8)[: len(given)] for data in (given, usual))
    return bool(np.all((here == there) | (here == 0))) and 0 <= len(usual) - len(given) < 8


def in_run(message: Any) -> Any:
    message.key.run_id = RUN
    return message


@pytest.mark.parametrize('number', range(len(CYCLES)))
def test_bytes_of_cycles_are_those_of_the_serializer(number: int) -> None:
    from regolith_world.ros import message_conversion, record_codec

    cycle = CYCLES[number]
    data = record_codec.cycle_bytes(cycle, RUN)
    assert same_bytes(data, in_run(message_conversion.cycle_message(cycle)))
    assert codec.encode_record(record_codec.cycle_record(data)) == codec.encode_record(cycle)
    assert record_codec.key_of(data) == cycle.key


def test_bytes_of_results_are_those_of_the_serializer() -> None:
    from regolith_msgs.msg import CycleResultBatch

    from regolith_world.ros import message_conversion, record_codec

    told = [in_run(message_conversion.cycle_result_message(result)) for result in RESULTS]
    data = record_codec.cycle_result_batch_bytes(RESULTS, RUN)
    assert same_bytes(data, CycleResultBatch(key=told[0].key, results=told))
    assert [*map(codec.encode_record, record_codec.cycle_result_batch_records(data))] == [
        *map(codec.encode_record, RESULTS)
    ]


def test_bytes_of_soil_are_those_of_the_serializer() -> None:
    from regolith_msgs.msg import TerrainDeltaBatch

    from regolith_terrain.ros import message_conversion, record_codec

    for update in UPDATES:
        data = record_codec.update_bytes(update, RUN)
        assert same_bytes(data, in_run(message_conversion.update_message(update)))
        again = record_codec.update_record(data)
        assert again.records.equals(update.records) and again.owner.tolist() == update.owner.tolist()
        assert again.loose.save() == update.loose.save()
        plain = [(u.key, u.agents, u.conflicts, u.soil_seq, u.soil_hash, u.grants) for u in (again, update)]
        assert plain[0] == plain[1]
    told = [in_run(message_conversion.delta_message(delta)) for delta in DELTAS]
    data = record_codec.delta_batch_bytes(DELTAS, RUN)
    assert same_bytes(data, TerrainDeltaBatch(key=told[0].key, deltas=told))
    for delta, again in zip(DELTAS, record_codec.delta_batch_records(data), strict=True):
        assert again.records.equals(delta.records) and repr(again.work) == repr(delta.work)
        assert (again.key, again.agent) == (delta.key, delta.agent)


def test_messages_in_another_form_are_read_by_the_serializer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A big-endian machine's: here one that only says so, and is handed to the serializer."""
    from regolith_world.ros import record_codec
    from regolith_world.ros.inbox import run_of

    told: list[bytes] = []
    monkeypatch.setattr(record_codec, 'deserialize_message', lambda data, kind: told.append(data))
    monkeypatch.setattr(record_codec.message_conversion, 'cycle_record', lambda message: CYCLES[0])
    data = bytes([0, 0, 0, 0]) + struct.pack('>QI4xQI', 9, 1, 2, 3)
    assert record_codec.cycle_record(data) is CYCLES[0] and told == [data]
    assert record_codec.key_of(data) == (1, 2, 3) and run_of(data) == 9
