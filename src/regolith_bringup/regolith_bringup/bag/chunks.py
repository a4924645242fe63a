# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a few channels out of an indexed MCAP file, without looking at the others.

The library makes an object of every record of a chunk before it asks which are wanted: of sixty topics' messages
fifty-nine are read for nothing. Format: https://mcap.dev/spec, records Chunk, Message Index and Message.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from typing import IO, Any, NamedTuple

import numpy as np
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.records import Chunk, ChunkIndex, Message
from mcap.summary import Summary
from numpy.typing import NDArray

from regolith_bringup.bag.mcap_reader import DAMAGE, damage_error

_RECORD = struct.Struct('<BQ')
"""Opcode and length, before every record."""
_INDEX = struct.Struct('<BQHI')
"""That, and of an index its channel and the length of its entries [bytes]."""
_MESSAGE = np.dtype(
    [
        ('opcode', 'u1'),
        ('length', '<u8'),
        ('channel', '<u2'),
        ('sequence', '<u4'),
        ('log_time', '<u8'),
        ('publish_time', '<u8'),
    ]
)
"""What is before the content of a message; its length is of all behind itself."""
_THREADS = 2
"""That unpack chunks, which takes longer than anything else, while another is looked at."""
_AHEAD = 4
"""Number of chunks that are unpacked before they are asked for; each is a megabyte, or what half a second brought."""


class Batch(NamedTuple):
    """Messages of one channel that follow one another."""

    channel: int
    data: list[bytes]
    log_time: NDArray[np.uint64]
    """[ns]"""
    publish_time: NDArray[np.uint64]
    """[ns]"""


class _Unpacked(NamedTuple):
    """Those messages of a chunk that are asked for, in the order they were written."""

    data: bytes
    begins: NDArray[np.int64]
    """Of their contents in the data."""
    ends: NDArray[np.int64]
    heads: NDArray[Any]
    """What is before each content."""


def is_indexed(summary: Summary) -> bool:
    """Return whether all messages can be found by the indices, in chunks packed as our recorder does, or not."""
    chunks = summary.chunk_indexes
    return bool(chunks) and all(c.message_index_offsets and c.compression in ('zstd', '') for c in chunks)


def messages(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[Message]:
    """Yield the messages of some channels in the order they were written.

    Args:
        summary: of the file, :func:`is_indexed`

    Raises:
        InputError: if a chunk of it was damaged
    """
    for data, begins, ends, heads in _chunks(stream, summary, channels):
        for begin, end, (_, _, channel, sequence, log_time, publish_time) in zip(
            begins.tolist(), ends.tolist(), heads.tolist(), strict=True
        ):
            yield Message(channel, log_time, data[begin:end], publish_time, sequence)


def batches(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[Batch]:
    """Yield the messages of some channels, those of each in the order they were written.

    Args:
        summary: of the file, :func:`is_indexed`

    Raises:
        InputError: if a chunk of it was damaged
    """
    for data, begins, ends, heads in _chunks(stream, summary, channels):
        owners = heads['channel']
        for channel in sorted({*owners.tolist()}):
            rows = np.flatnonzero(owners == channel)
            cut = zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)
            own = heads[rows]
            yield Batch(channel, [data[begin:end] for begin, end in cut], own['log_time'], own['publish_time'])


def _chunks(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[_Unpacked]:
    """Yield what is asked for of each chunk."""
    with ThreadPoolExecutor(_THREADS, 'chunks') as ahead:
        unpacked: deque[Future[_Unpacked | None]] = deque()
        for index in summary.chunk_indexes:
            unpacked.append(ahead.submit(_unpacked, stream.fileno(), index, channels))
            if len(unpacked) > _AHEAD and (found := _whole(unpacked.popleft(), stream)) is not None:
                yield found
        while unpacked:
            if (found := _whole(unpacked.popleft(), stream)) is not None:
                yield found


def _whole(unpacked: Future[_Unpacked | None], stream: IO[bytes]) -> _Unpacked | None:
    """Return the messages of a chunk.

    Raises:
        InputError: if it was damaged
    """
    try:
        return unpacked.result()
    except DAMAGE as error:
        raise damage_error(str(stream.name), error) from None


def _unpacked(file: int, index: ChunkIndex, channels: Collection[int]) -> _Unpacked | None:
    """Return the messages of some channels in a chunk; None: there are none."""
    offsets = index.message_index_offsets
    wanted = [offsets[channel] for channel in channels if channel in offsets]
    if not wanted:
        return None
    # The indices of a chunk follow it. Threads share the file, so that none may move its place.
    begin = index.chunk_start_offset
    stored = os.pread(file, index.chunk_length + index.message_index_length, begin)
    places = np.sort(np.concatenate([_places(stored, offset - begin) for offset in wanted]))
    data = _uncompressed(Chunk.read(ReadDataStream(BytesIO(memoryview(stored)[_RECORD.size :]))))
    each = np.frombuffer(data, np.uint8)[places[:, None] + np.arange(_MESSAGE.itemsize)]
    heads = each.view(_MESSAGE)[:, 0]
    ends = places + _RECORD.size + heads['length'].astype(np.int64)
    return _Unpacked(data, places + _MESSAGE.itemsize, ends, heads)


def _places(stored: bytes, at: int) -> NDArray[np.int64]:
    """Return where the messages of a channel begin in their chunk [bytes], by its index at a place."""
    length = _INDEX.unpack_from(stored, at)[3]
    return np.frombuffer(stored, '<u8', length // 8, at + _INDEX.size)[1::2].astype(np.int64)


def _uncompressed(chunk: Chunk) -> bytes:
    data = zstandard.decompress(chunk.data, chunk.uncompressed_size) if chunk.compression else chunk.data
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError('a chunk is not what was written')
    return data
