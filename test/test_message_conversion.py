# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the protocol to messages and back: every field is kept, and in its place."""

from __future__ import annotations

import itertools
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from regolith_world.checkpoint import codec
from regolith_world.cycle import records

pytest.importorskip('regolith_msgs')


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
        shape = {'orientation': (4,), 'inertia': (3, 3), 'inverse_inertia': (6, 6)}.get(name, (3,))
        return np.array([float(next(count)) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return {
        int: lambda: next(count),
        float: lambda: next(count) + 0.5,
        bytes: lambda: bytes([next(count) % 256]),
        str: lambda: f'text{next(count)}',
        bool: lambda: bool(next(count)),
    }[kind]()


@pytest.mark.parametrize('name', ['cycle', 'cycle_result', 'join'])
def test_every_field_is_kept(name: str) -> None:
    from regolith_world.ros import message_conversion

    kind = {'cycle': records.Cycle, 'cycle_result': records.CycleResult, 'join': records.JoinRequest}[name]
    record = filled(kind, itertools.count(1))
    back = getattr(message_conversion, f'{name}_record')(getattr(message_conversion, f'{name}_message')(record))
    assert codec.encode_record(back) == codec.encode_record(record)


def test_tool_requests_and_grants_are_kept() -> None:
    """Requests, soil that lands, grants and loose soil, as records and as messages; most deltas have none of it."""
    from regolith_terrain.excavation.exchange import SoilDeposit, SoilGrant, SoilRequest, ToolExchange
    from regolith_terrain.excavation.loose_soil import LooseSoil
    from regolith_terrain.grid.merge import SoilDelta, SoilUpdate
    from regolith_terrain.grid.node_records import NodeRecords
    from regolith_terrain.ros import message_conversion

    def whole(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.array(values, np.int32)

    key = records.CycleKey(1, 2, 3)
    asked = tuple(
        SoilRequest(tool, whole(n, 7), whole(-n, 5), np.array([0.5 * n, 2.0]), np.array([-0.1 * n, 0.3]))
        for n, tool in enumerate(('blade', 'drum'), start=1)
    )
    work = ToolExchange(asked, SoilDeposit(whole(-3, 4), whole(8, 9), np.array([0.25, 1.5])))
    for given in (work, ToolExchange()):
        delta = SoilDelta(key, 'amber', NodeRecords.empty(), given)
        back = message_conversion.delta_record(message_conversion.delta_message(delta)).work
        assert repr(back) == repr(given) and back.is_done == given.is_done
    loose = LooseSoil(whole(1, 2), whole(3, 4), np.array([0.5, 0.0]), np.array([2, 1], np.int8))
    grants = SoilGrant('amber', 'blade', 0.75), SoilGrant('beryl', 'drum', 0.0)
    update = SoilUpdate(key, NodeRecords.empty(), np.zeros(0, np.int16), ('amber',), 0, 5, 'hash', grants, loose)
    again = message_conversion.update_record(message_conversion.update_message(update))
    assert again.grants == grants and again.loose.save() == loose.save()
