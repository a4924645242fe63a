# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a few channels out of an indexed MCAP file, without looking at the others.

The library makes an object of every record of a chunk before it asks which are wanted: of sixty topics' messages
fifty-nine are read for nothing. Format: https://mcap.dev/spec, records Chunk, Message Index and Message.
"""

from __future__ import annotations

import struct
import zlib
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO

import numpy as np
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.records import Chunk, ChunkIndex, Message
from mcap.summary import Summary

from regolith_files.problems import InputError, Problem

_RECORD = struct.Struct('<BQ')
"""Opcode and length, before every record."""
_MESSAGE = struct.Struct('<BQHIQQ')
"""That, and of a message its channel, sequence, log time and publish time."""
_INDEX = struct.Struct('<BQHI')
"""That, and of an index its channel and the length of its entries [bytes]."""
_AHEAD = 2
"""Number of chunks that are unpacked before they are asked for; each is a megabyte, or what half a second brought."""


def is_indexed(summary: Summary) -> bool:
    """Return whether all messages can be found by the indices, in chunks packed as our recorder does, or not."""
    chunks = summary.chunk_indexes
    return bool(chunks) and all(c.message_index_offsets and c.compression in ('zstd', '') for c in chunks)


def messages(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[Message]:
    """Yield the messages of some channels in the order they were written.

    A chunk is unpacked, which takes longer than anything else, while the one before it is looked at.

    :param summary: of the file, :func:`is_indexed`
    :raises InputError: if a chunk of it was damaged
    """
    with ThreadPoolExecutor(1, 'chunks') as ahead:
        unpacked: deque[Future[list[Message]]] = deque()
        for index in summary.chunk_indexes:
            unpacked.append(ahead.submit(_messages, stream, index, channels))
            if len(unpacked) > _AHEAD:
                yield from _whole(unpacked.popleft(), stream)
        while unpacked:
            yield from _whole(unpacked.popleft(), stream)


def _whole(unpacked: Future[list[Message]], stream: IO[bytes]) -> list[Message]:
    """Return the messages of a chunk.

    :raises InputError: if it was damaged
    """
    try:
        return unpacked.result()
    except (zstandard.ZstdError, McapError, ValueError, struct.error) as error:
        problem = f'is damaged: {" ".join(str(error).split())}'
        allowed = 'a bag as it was written, or what ./regolith recover makes of it'
        raise InputError(Problem(str(stream.name), '', problem, allowed)) from None


def _messages(stream: IO[bytes], index: ChunkIndex, channels: Collection[int]) -> list[Message]:
    """Return the messages of some channels in a chunk."""
    offsets = index.message_index_offsets
    entries = [_entries(stream, offsets[channel]) for channel in channels if channel in offsets]
    if not entries:
        return []
    stream.seek(index.chunk_start_offset + _RECORD.size)
    data = _uncompressed(Chunk.read(ReadDataStream(stream)))
    found = []
    for at in np.sort(np.concatenate(entries)).tolist():
        _, length, channel, sequence, log_time, publish_time = _MESSAGE.unpack_from(data, at)
        content = data[at + _MESSAGE.size : at + _RECORD.size + length]
        found.append(Message(channel, log_time, content, publish_time, sequence))
    return found


def _entries(stream: IO[bytes], at: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return where the messages of a channel begin in their chunk [bytes]."""
    stream.seek(at)
    length = _INDEX.unpack(stream.read(_INDEX.size))[3]
    return np.frombuffer(stream.read(length), '<u8')[1::2]


def _uncompressed(chunk: Chunk) -> bytes:
    data = zstandard.decompress(chunk.data, chunk.uncompressed_size) if chunk.compression else chunk.data
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError('a chunk is not what was written')
    return data
