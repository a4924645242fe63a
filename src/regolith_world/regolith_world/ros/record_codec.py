# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codec of protocol records to the bytes of their messages and back, bit for bit.

For a message object rclpy visits every attribute of every part twice, about 3000 visits for a cycle with 64 bodies.
Here bodies are rows of 26 numbers. The bytes equal those that rclpy makes from the messages of
:mod:`regolith_world.ros.message_conversion`, so subscribers see no difference.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np
from rclpy.serialization import deserialize_message
from regolith_msgs import msg as m

from regolith_world.cycle import records as r
from regolith_world.ros import message_conversion
from regolith_world.ros.cdr import HEAD, Reader, Writer, is_plain

_KEY = struct.Struct('<QI4xQI')
_HEAD = struct.Struct('<qqqBB?')
_STATUS = struct.Struct('<B')
_LONG = struct.Struct('<q')
_REAL = np.dtype('<f8')
_BODY = 26
"""Number of values of a body: position, orientation, both velocities, mass, center of mass, inertia."""


def write_key(out: Writer, key: r.CycleKey, run: int) -> None:
    """Write a CycleKey.

    Args:
        out: The writer.
        key: The key.
        run: Id of the run.
    """
    out.pack(_KEY, 8, run, *key)


def read_key(data: Reader) -> r.CycleKey:
    """Read a CycleKey."""
    _, *key = data.unpack(_KEY, 8)
    return r.CycleKey(*key)


def key_of(message: bytes) -> r.CycleKey:
    """Return the key at the front of the bytes of a message."""
    order = '<' if message[1] & 1 else '>'
    _, *key = struct.unpack_from(order + _KEY.format[1:], message, len(HEAD))
    return r.CycleKey(*key)


_bodies: dict[str, tuple[r.BodyState, bytes]] = {}


def _write_body(out: Writer, b: r.BodyState) -> None:
    """Write a BodyState. The bytes of a record are cached, because records never change.

    An agent's result and the next cycle contain the same record, and both are sent.
    """
    known = _bodies.get(b.name)
    if known is None or known[0] is not b:
        numbers = np.concatenate(
            (
                b.position,
                b.orientation,
                b.linear_velocity,
                b.angular_velocity,
                (b.mass,),
                b.center_of_mass,
                b.inertia.ravel(),
            )
        )
        known = _bodies[b.name] = b, numbers.astype(_REAL, copy=False).tobytes()
    out.text(b.name)
    out.fixed(known[1], 8)


def _read_body(data: Reader) -> r.BodyState:
    """Read a BodyState."""
    name = data.text()
    n = data.fixed(_BODY, _REAL).astype(float)
    return r.BodyState(name, n[0:3], n[3:7], n[7:10], n[10:13], float(n[13]), n[14:17], n[17:26].reshape(3, 3))


def _write_bodies(out: Writer, bodies: Sequence[r.BodyState]) -> None:
    out.count(len(bodies))
    for body in bodies:
        _write_body(out, body)


def _read_bodies(data: Reader) -> tuple[r.BodyState, ...]:
    return tuple([_read_body(data) for _ in range(data.count())])


def cycle_bytes(c: r.Cycle, run: int) -> bytes:
    """Return the bytes of the message of a cycle.

    Args:
        c: The cycle.
        run: Id of the run.
    """
    out = Writer()
    write_key(out, c.key, run)
    out.pack(_HEAD, 8, c.t_ns, c.dt_ns, c.clock_offset_ns, c.verdict, c.command, c.resimulating)
    out.texts(c.participants)
    out.raw(bytes([roles.code() for roles in c.roles]))
    _write_bodies(out, c.bodies)
    out.count(len(c.intersections))
    for i in c.intersections:
        out.text(i.a)
        out.text(i.b)
        out.pack(_STATUS, 1, i.status)
        out.fixed(_reals((i.distance,), i.point, i.normal), 8)
    out.count(len(c.impulses))
    for blow in c.impulses:
        out.text(blow.a)
        out.text(blow.b)
        out.fixed(_reals(blow.point, blow.impulse), 8)
    for names in (c.spawned, c.removed, c.constrained):
        out.texts(names)
    return bytes(out.data)


def cycle_record(message: bytes) -> r.Cycle:
    """Return the record from the bytes of a cycle."""
    if not is_plain(message):
        return message_conversion.cycle_record(deserialize_message(message, m.Cycle))
    data = Reader(message)
    key = read_key(data)
    t_ns, dt_ns, clock_offset_ns, verdict, command, silent = data.unpack(_HEAD, 8)
    participants = data.texts()
    roles = tuple(map(r.Roles.of_code, data.raw()))
    bodies = _read_bodies(data)
    intersections = []
    for _ in range(data.count()):
        a, b, (status,) = data.text(), data.text(), data.unpack(_STATUS, 1)
        n = data.fixed(7, _REAL).astype(float)
        intersections.append(r.IntersectionRecord(a, b, status, float(n[0]), n[1:4], n[4:7]))
    impulses = []
    for _ in range(data.count()):
        a, b, n = data.text(), data.text(), data.fixed(6, _REAL).astype(float)
        impulses.append(r.Impulse(a, b, n[:3], n[3:]))
    spawned, removed, constrained = data.texts(), data.texts(), data.texts()
    return r.Cycle(
        key,
        t_ns,
        dt_ns,
        r.Verdict(verdict),
        r.Command(command),
        participants,
        roles,
        bodies,
        tuple(intersections),
        tuple(impulses),
        spawned,
        removed,
        silent,
        clock_offset_ns,
        constrained,
    )


def cycle_result_batch_bytes(results: Iterable[r.CycleResult], run: int) -> bytes:
    """Return the bytes of the message of the results of one process in a cycle.

    ``results`` are the results, at least one, in name order. ``run`` is the id of the run.
    """
    results = list(results)
    out = Writer()
    write_key(out, results[0].key, run)
    out.count(len(results))
    for result in results:
        _write_cycle_result(out, result, run)
    return bytes(out.data)


def cycle_result_batch_records(message: bytes) -> list[r.CycleResult]:
    """Return the results from the bytes of a batch."""
    if not is_plain(message):
        return [
            message_conversion.cycle_result_record(e) for e in deserialize_message(message, m.CycleResultBatch).results
        ]
    data = Reader(message)
    read_key(data)
    return [_read_cycle_result(data) for _ in range(data.count())]


def _write_cycle_result(out: Writer, e: r.CycleResult, run: int) -> None:
    write_key(out, e.key, run)
    out.text(e.name)
    out.pack(_LONG, 8, e.next_dt_ns)
    _write_bodies(out, e.bodies)
    out.fixed(_reals(e.swept_min, e.swept_max), 8)
    out.count(len(e.spawned))
    for spawned in e.spawned:
        out.text(spawned.name)
        out.count(len(spawned.shapes))
        for shape in spawned.shapes:
            out.pack(_STATUS, 1, shape.kind)
            out.fixed(_reals(shape.size, shape.position, shape.orientation), 8)
        _write_body(out, spawned.state)
        out.fixed(_reals((spawned.restitution, spawned.friction)), 8)
    out.raw(e.live_inputs)
    for text in (e.state_hash, e.soil_hash, e.summary_json, e.failure):
        out.text(text)
    out.numbers(e.inverse_inertia.ravel(), _REAL)


def _read_cycle_result(data: Reader) -> r.CycleResult:
    key = read_key(data)
    name, (next_dt_ns,) = data.text(), data.unpack(_LONG, 8)
    bodies = _read_bodies(data)
    swept = data.fixed(6, _REAL).astype(float)
    spawned = tuple([_read_spawned_object(data) for _ in range(data.count())])
    live_inputs = data.raw()
    state_hash, soil_hash, report, failure = data.text(), data.text(), data.text(), data.text()
    inverse_inertia = data.numbers(_REAL).reshape(-1, 6)
    return r.CycleResult(
        key,
        name,
        next_dt_ns,
        bodies,
        swept[:3],
        swept[3:],
        spawned,
        live_inputs,
        state_hash,
        soil_hash,
        report,
        failure,
        inverse_inertia,
    )


def _read_spawned_object(data: Reader) -> r.SpawnedObject:
    name = data.text()
    shapes = []
    for _ in range(data.count()):
        (kind,) = data.unpack(_STATUS, 1)
        n = data.fixed(10, _REAL).astype(float)
        shapes.append(r.Shape(r.ShapeKind(kind), n[:3], n[3:6], n[6:]))
    state = _read_body(data)
    restitution, friction = data.fixed(2, _REAL).tolist()
    return r.SpawnedObject(name, tuple(shapes), state, restitution, friction)


def _reals(*parts: r.Vector | tuple[float, ...]) -> bytes:
    """Return numbers as bytes of float64, one part after the other."""
    return np.concatenate(parts).astype(_REAL, copy=False).tobytes()
