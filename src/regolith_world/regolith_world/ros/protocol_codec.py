# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Codecs of the cycle protocol, see :mod:`regolith_world.ros.message_codec`."""

from __future__ import annotations

import struct
from typing import Any

from regolith_msgs import msg as m
from regolith_msgs import srv

from regolith_world.cycle import records as r
from regolith_world.ros.cdr import HEAD
from regolith_world.ros.message_codec import codec as codec
from regolith_world.ros.message_codec import register_record as register_record


def _join_request(*values: Any) -> r.JoinRequest:
    *before, names, texts, restitution, friction, bodies, visuals = values
    made: Any = r.JoinRequest
    request: r.JoinRequest = made(*before, dict(zip(names, texts)), restitution, friction, bodies, visuals)
    return request


register_record(m.CycleKey, r.CycleKey)
register_record(m.Shape, r.Shape)
# An agent's result and the next cycle contain the same record of a body, and both are sent.
register_record(m.BodyState, r.BodyState, cached=True)
register_record(m.Intersection, r.IntersectionRecord)
register_record(m.Impulse, r.Impulse)
register_record(m.SpawnedObject, r.SpawnedObject)
register_record(m.AssignedBody, r.AssignedBody)
register_record(m.ComputedBody, r.ComputedBody)
register_record(m.ObjectVisual, r.ObjectVisual)
register_record(m.ForceField, r.FieldRecord)
register_record(m.Cycle, r.Cycle)
register_record(m.CycleResult, r.CycleResult)
register_record(
    m.CycleResultBatch,
    list,
    {'key': lambda results: results[0].key, 'results': lambda results: results},
    lambda key, results: list(results),
)
register_record(
    srv.Join.Request,
    r.JoinRequest,
    {
        'parameter_names': lambda request: sorted(request.parameters),
        'parameter_values': lambda request: [request.parameters[name] for name in sorted(request.parameters)],
    },
    _join_request,
)

KEY, SHAPE, BODY = codec(m.CycleKey), codec(m.Shape), codec(m.BodyState)
SPAWNED = codec(m.SpawnedObject)
CYCLE, RESULT, JOIN = codec(m.Cycle), codec(m.CycleResult), codec(srv.Join.Request)
RESULTS = codec(m.CycleResultBatch)
"""Codec of the results of a process: a list of at least one, in name order."""

_KEY = 'QI4xQI'


def key_of(message: bytes) -> r.CycleKey:
    """Return the key at the front of the bytes of a message."""
    _, *key = struct.unpack_from(('<' if message[1] & 1 else '>') + _KEY, message, len(HEAD))
    return r.CycleKey(*key)
