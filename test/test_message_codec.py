# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the protocol to the bytes of their messages and back: the serializer's bytes, every field in its place."""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import IntEnum
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.node_records import FIELDS, NodeRecords
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_world.cycle import codec, records

pytest.importorskip('regolith_msgs')

RUN = 0xFEDCBA9876543210
SHAPES = {
    'orientation': (4,),
    'inertia': (3, 3),
    'inverse_inertia': (6, 6),
    'points': (2, 3),
    'normals': (2, 3),
    'vertices': (2, 3),
    'surface_points': (3, 3),
}
"""Shapes of arrays by the names of fields, others (3,)."""


def filled(kind: Any, count: itertools.count[int], name: str = '') -> Any:
    """Return a value of a record's type in which no two numbers or texts are equal."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{f.name: filled(hints[f.name], count, f.name) for f in fields(kind)})  # type: ignore[operator]
    if kind is records.Roles:
        return records.Roles(inputs=True, phase=next(count) % 16)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return kind(*(next(count) for _ in kind._fields))  # type: ignore[attr-defined]
    if get_origin(kind) is tuple:
        return tuple(filled(get_args(kind)[0], count, name) for _ in range(2))
    if get_origin(kind) is dict:
        return {f'key{next(count)}': f'text{next(count)}' for _ in range(2)}
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return list(kind)[-1]
    if kind == records.Vector:
        shape = SHAPES.get(name, (3,))
        return np.array([float(next(count)) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return {
        int: lambda: next(count),
        float: lambda: next(count) + 0.5,
        bytes: lambda: bytes([next(count) % 256]),
        str: lambda: f'text{next(count)}',
        bool: lambda: bool(next(count)),
    }[kind]()


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
RESULTS = [
    filled(records.CycleResult, itertools.count(1)),
    *(
        records.CycleResult(records.CycleKey(0, n, 0), 'c' * n, 2**62, live_inputs=bytes(range(n)), state_hash='d' * n)
        for n in range(9)
    ),
]
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
        edited=-(2**40) * count,
    )
    for count in range(6)
)
DELTAS = [
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
]


def read_by_the_serializer(given: bytes, kind: Any) -> Any:
    """Return the message object of bytes, which must be those that the serializer makes of it.

    Padding may have any value. The serializer counts the alignment of empty arrays, in each message of a list, and
    leaves so many stray bytes at the end.
    """
    from rclpy.serialization import deserialize_message, serialize_message

    message = deserialize_message(given, kind)
    usual = serialize_message(message)
    here, there = (np.frombuffer(data, np.uint8)[: len(given)] for data in (given, usual))
    assert np.all((here == there) | (here == 0)) and 0 <= len(usual) - len(given) <= 32
    return message


def numbers_of(message: Any) -> list[float]:
    """Return all numbers of a message in the order of its fields."""
    if isinstance(message, (int, float)):
        return [float(message)]
    if hasattr(message, 'get_fields_and_field_types'):
        return [x for name in message.get_fields_and_field_types() for x in numbers_of(getattr(message, name))]
    return [x for part in message for x in numbers_of(part)]


def assert_equal(message: Any, record: Any) -> None:
    """Compare a message object with a record, field by field by name."""
    if is_dataclass(record) or hasattr(record, '_fields'):
        names = [f.name for f in fields(record)] if is_dataclass(record) else record._fields  # type: ignore[union-attr]
        if isinstance(record, records.Roles):
            assert message == record.code()
            return
        for name in names:
            # The pose of a body has its position and orientation.
            owner = message if hasattr(message, name) else message.pose
            assert_equal(getattr(owner, name), getattr(record, name))
    elif isinstance(record, np.ndarray):
        assert numbers_of(message) == record.ravel().tolist()
    elif isinstance(record, (tuple, bytes)):
        assert len(message) == len(record)
        for one, other in zip(message, record):
            assert_equal(one, other)
    else:
        assert message == record


@pytest.mark.parametrize('number', range(len(CYCLES)))
def test_bytes_of_cycles_are_those_of_the_serializer(number: int) -> None:
    from regolith_msgs.msg import Cycle

    from regolith_world.ros import protocol_codec

    cycle = CYCLES[number]
    data = protocol_codec.CYCLE.pack(cycle, run_id=RUN)
    message = read_by_the_serializer(data, Cycle)
    assert_equal(message, cycle)
    assert message.key.run_id == RUN
    for back in (protocol_codec.CYCLE.unpack(data), protocol_codec.CYCLE.from_message(message)):
        assert codec.encode_record(back) == codec.encode_record(cycle)
    assert protocol_codec.CYCLE.to_message(cycle, run_id=RUN) == message
    assert protocol_codec.key_of(data) == cycle.key


def test_bytes_of_results_are_those_of_the_serializer() -> None:
    from regolith_msgs.msg import CycleResultBatch

    from regolith_world.ros import protocol_codec

    data = protocol_codec.RESULTS.pack(RESULTS, run_id=RUN)
    message = read_by_the_serializer(data, CycleResultBatch)
    assert {message.key.run_id, *(result.key.run_id for result in message.results)} == {RUN}
    assert_equal(message.results, tuple(RESULTS))
    back = protocol_codec.RESULTS.unpack(data)
    assert [*map(codec.encode_record, back)] == [*map(codec.encode_record, RESULTS)]


def test_join_request_is_kept_with_the_numbers_of_its_process() -> None:
    from regolith_world.ros import protocol_codec

    record = filled(records.JoinRequest, itertools.count(1))
    message = protocol_codec.JOIN.to_message(record, run_id=RUN, process_token=5)
    assert (message.run_id, message.process_token) == (RUN, 5)
    assert dict(zip(message.parameter_names, message.parameter_values)) == record.parameters
    for name in ('name', 'roles', 'shapes', 'bodies', 'next_dt_ns', 'restitution', 'friction', 'shape_bodies'):
        assert_equal(getattr(message, name), getattr(record, name))
    assert codec.encode_record(protocol_codec.JOIN.from_message(message)) == codec.encode_record(record)


def test_bytes_of_soil_are_those_of_the_serializer() -> None:
    from regolith_msgs.msg import TerrainDeltaBatch, TerrainUpdate

    from regolith_terrain.ros import protocol_codec

    for update in UPDATES:
        data = protocol_codec.UPDATE.pack(update, run_id=RUN)
        message = read_by_the_serializer(data, TerrainUpdate)
        assert_equal(message.nodes.x, update.records.i)
        assert_equal(message.nodes.y, update.records.j)
        assert_equal(message.nodes.values, update.records.table)
        loose = message.loose_x, message.loose_y, message.loose_kgpm2, message.loose_state
        for one, other in zip(loose, (update.loose.i, update.loose.j, update.loose.mass, update.loose.mark)):
            assert_equal(one, other)
        again = protocol_codec.UPDATE.unpack(data)
        assert again.records.equals(update.records) and again.owner.tolist() == update.owner.tolist()
        assert again.loose.rows.tobytes() == update.loose.rows.tobytes()
        plain = [(u.key, u.agents, u.conflicts, u.soil_seq, u.soil_hash, u.grants, u.edited) for u in (again, update)]
        assert plain[0] == plain[1]
        for name in ('key', 'agents', 'conflicts', 'soil_seq', 'soil_hash', 'edited'):
            assert_equal(getattr(message, name), getattr(update, name))
        assert [(g.agent, g.tool, g.granted_kgpm2) for g in message.grants] == [*update.grants]
    data = protocol_codec.DELTAS.pack(DELTAS, run_id=RUN)
    message = read_by_the_serializer(data, TerrainDeltaBatch)
    for delta, told, again in zip(DELTAS, message.deltas, protocol_codec.DELTAS.unpack(data), strict=True):
        assert told.agent == delta.agent and [each.tool for each in told.requests] == [
            each.tool for each in delta.work.requests
        ]
        for one, other in zip(told.requests, delta.work.requests):
            for name, own in (('x', 'i'), ('y', 'j'), ('requested_kgpm2', 'requested'), ('cut_height', 'path')):
                assert_equal(getattr(one, name), getattr(other, own))
        landed = delta.work.landed
        assert_equal(told.deposited_x, whole() if landed is None else landed.i)
        assert_equal(told.deposited_y, whole() if landed is None else landed.j)
        assert_equal(told.deposited_kgpm2, np.zeros(0) if landed is None else landed.mass)
        assert again.records.equals(delta.records) and repr(again.work) == repr(delta.work)
        assert (again.key, again.agent) == (delta.key, delta.agent)


def test_messages_in_another_form_are_converted_by_the_middleware(monkeypatch: pytest.MonkeyPatch) -> None:
    """A big-endian machine's: here one that only says so, and is handed to the middleware."""
    from regolith_msgs.msg import Cycle

    from regolith_world.ros import message_codec, protocol_codec
    from regolith_world.ros.inbox import run_of

    told: list[bytes] = []
    message = protocol_codec.CYCLE.to_message(CYCLES[0])

    def deserialize(data: bytes, kind: Any) -> Any:
        told.append(data)
        assert kind is Cycle
        return message

    monkeypatch.setattr(message_codec, 'deserialize_message', deserialize)
    data = bytes([0, 0, 0, 0]) + struct.pack('>QI4xQI', 9, 1, 2, 3)
    assert codec.encode_record(protocol_codec.CYCLE.unpack(data)) == codec.encode_record(CYCLES[0]) and told == [data]
    assert protocol_codec.key_of(data) == (1, 2, 3) and run_of(data) == 9


@dataclass(slots=True)
class Longer(records.Cycle):
    """A cycle with one more field."""

    wind: float = 0.0


def test_new_field_is_one_line_in_the_message_and_one_in_the_record() -> None:
    """The field of a copy of Cycle passes through both transports: by bytes between processes, unchanged in one."""
    from regolith_msgs.msg import Cycle
    from rosidl_parser.definition import BasicType

    from regolith_world.cycle.participant_group import ParticipantGroup
    from regolith_world.ros import message_codec

    class LongerMessage:
        SLOT_TYPES = (*Cycle.SLOT_TYPES, BasicType('double'))

        @classmethod
        def get_fields_and_field_types(cls) -> dict[str, str]:
            return {**Cycle.get_fields_and_field_types(), 'wind': 'double'}

    message_codec.register_record(LongerMessage, Longer)
    sent = Longer(**{f.name: getattr(CYCLES[0], f.name) for f in fields(CYCLES[0])}, wind=7.25)
    made = message_codec.codec(LongerMessage)
    between_processes = made.unpack(made.pack(sent, run_id=RUN))
    assert between_processes.wind == 7.25 and between_processes.constrained == sent.constrained
    seen: list[Any] = []
    group = ParticipantGroup()
    group.on_record = seen.append
    with pytest.raises(Exception, match='no response'):
        group.exchange(sent)
    assert seen[0].wind == 7.25


def test_field_without_an_attribute_is_refused_by_name() -> None:
    from regolith_msgs.msg import SpawnedObject

    from regolith_world.ros import message_codec

    class Other(SpawnedObject):
        pass

    message_codec.register_record(Other, records.CycleKey)
    with pytest.raises(TypeError, match=r'Other\.name is no attribute of CycleKey'):
        message_codec.codec(Other)


def test_a_body_that_stays_is_read_as_the_same_record() -> None:
    from regolith_msgs.msg import BodyState, CycleResult

    from regolith_world.ros import message_codec, protocol_codec

    assert protocol_codec.RESULTS  # registers the records
    body, other = (filled(records.BodyState, itertools.count(7)) for _ in range(2))
    codec_of_body = message_codec.codec(BodyState)
    first = codec_of_body.unpack(codec_of_body.pack(body))
    # The record is found behind texts of any length, and the equal record of the sender is another object.
    for name in ('a', 'a longer name'):
        result = replace(filled(records.CycleResult, itertools.count(7)), name=name, bodies=(other,))
        read = message_codec.codec(CycleResult)
        assert read.unpack(read.pack(result)).bodies[0] is first
    moved = replace(body, position=body.position + [0.0, 0.0, 1e-12])
    again = codec_of_body.unpack(codec_of_body.pack(moved))
    assert again is not first and again.position[2] == moved.position[2] != first.position[2]


def test_a_cached_message_is_a_name_followed_by_numbers() -> None:
    from regolith_msgs.msg import SpawnedObject

    from regolith_world.ros import message_codec

    class Other(SpawnedObject):
        pass

    message_codec.register_record(Other, records.SpawnedObject, cached=True)
    with pytest.raises(TypeError, match='a cached message is a name followed by float64 numbers'):
        message_codec.codec(Other)
