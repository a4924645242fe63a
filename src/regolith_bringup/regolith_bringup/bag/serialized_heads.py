# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""First fields of serialized messages, read at fixed offsets without decoding the rest."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple


class CycleHead(NamedTuple):
    """First fields of a regolith_msgs/Cycle."""

    run: int
    epoch: int
    cycle: int
    command: int
    resimulating: bool


def cycle_head(data: bytes) -> CycleHead:
    """Return the head of a serialized regolith_msgs/Cycle without decoding the rest."""
    order = '<' if data[1] & 1 else '>'
    run, epoch, cycle, _, _, _, _, _, command, resimulating = struct.unpack_from(order + 'QI4xQI4xqqqBB?', data, 4)
    return CycleHead(int(run), int(epoch), int(cycle), int(command), bool(resimulating))


def key_head(data: bytes) -> tuple[int, int]:
    """Return epoch and cycle of a serialized message that begins with a regolith_msgs/CycleKey."""
    epoch, cycle = struct.unpack_from(('<' if data[1] & 1 else '>') + '8xI4xQ', data, 4)
    return int(epoch), int(cycle)


def clock_ns(data: bytes) -> int:
    """Return the time of a serialized rosgraph_msgs/Clock [ns]."""
    seconds, nanoseconds = struct.unpack_from(('<' if data[1] & 1 else '>') + 'iI', data, 4)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def stamp_ns(data: bytes, offset: int) -> int:
    """Return the time of a ``builtin_interfaces/Time`` in a serialized message [ns].

    Args:
        data: Serialized message.
        offset: Offset of the stamp in the message [bytes], 0 for no stamp.

    Returns:
        Time, or -1 without a stamp.
    """
    if not offset or len(data) < offset + 8:
        return -1
    seconds, nanoseconds = struct.unpack_from(('<' if data[1] & 1 else '>') + 'iI', data, offset)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def stamp_offset(message_type: Any) -> int:
    """Return the offset of the first stamp in serialized messages of a type [bytes], 0 if they do not begin with
    one."""
    first = next(iter(message_type.get_fields_and_field_types().values()), '')
    # After the 4 bytes of the encapsulation header, and for a sequence after its length.
    known = {'std_msgs/Header': 4, 'builtin_interfaces/Time': 4, 'sequence<geometry_msgs/TransformStamped>': 8}
    return known.get(first, 0)
