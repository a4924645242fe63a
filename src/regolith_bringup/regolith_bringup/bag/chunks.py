# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of selected channels of an indexed MCAP file, which skips all other messages.

The MCAP library creates an object for every record of a chunk before it selects. With sixty topics, 59 of 60 messages
would be read in vain. Format: https://mcap.dev/spec, records Chunk, Message Index and Message.
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
"""Opcode and length, at the start of every record."""
_INDEX = struct.Struct('<BQHI')
"""Record head, and of an index its channel and the length of its entries [bytes]."""
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
"""Fields before the content of a message. The length counts everything after itself."""
_THREADS = 2
"""Number of threads that decompress chunks, the slowest step, in parallel to the evaluation."""
_AHEAD = 4
"""Number of chunks decompressed in advance. A chunk has 1 MB, or the data of half a second."""


class Batch(NamedTuple):
    """Consecutive messages of one channel."""

    channel: int
    data: list[bytes]
    log_time: NDArray[np.uint64]
    """Log times [ns]."""
    publish_time: NDArray[np.uint64]
    """Publish times [ns]."""


class _Unpacked(NamedTuple):
    """Selected messages of a chunk in the order of writing."""

    data: bytes
    begins: NDArray[np.int64]
    """Start of each content in the data [bytes]."""
    ends: NDArray[np.int64]
    heads: NDArray[Any]
    """Fields before each content."""


def is_indexed(summary: Summary) -> bool:
    """Return whether the indices locate all messages, in uncompressed chunks or with the recorder's compression."""
    chunks = summary.chunk_indexes
    return bool(chunks) and all(c.message_index_offsets and c.compression in ('zstd', '') for c in chunks)


def messages(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[Message]:
    """Yield the messages of selected channels in the order of writing.

    Args:
        stream: MCAP file.
        summary: Summary of the file, with :func:`is_indexed` true.
        channels: Channel numbers.

    Raises:
        InputError: If a chunk is damaged.
    """
    for data, begins, ends, heads in _chunks(stream, summary, channels):
        for begin, end, (_, _, channel, sequence, log_time, publish_time) in zip(
            begins.tolist(), ends.tolist(), heads.tolist(), strict=True
        ):
            yield Message(channel, log_time, data[begin:end], publish_time, sequence)


def batches(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[Batch]:
    """Yield the messages of selected channels in batches, in the order of writing within each channel.

    Args:
        stream: MCAP file.
        summary: Summary of the file, with :func:`is_indexed` true.
        channels: Channel numbers.

    Raises:
        InputError: If a chunk is damaged.
    """
    for data, begins, ends, heads in _chunks(stream, summary, channels):
        owners = heads['channel']
        for channel in sorted({*owners.tolist()}):
            rows = np.flatnonzero(owners == channel)
            cut = zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)
            own = heads[rows]
            yield Batch(channel, [data[begin:end] for begin, end in cut], own['log_time'], own['publish_time'])


def _chunks(stream: IO[bytes], summary: Summary, channels: Collection[int]) -> Iterator[_Unpacked]:
    """Yield the selected messages of each chunk."""
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
        InputError: If the chunk is damaged.
    """
    try:
        return unpacked.result()
    except DAMAGE as error:
        raise damage_error(str(stream.name), error) from None


def _unpacked(file: int, index: ChunkIndex, channels: Collection[int]) -> _Unpacked | None:
    """Return the messages of selected channels in a chunk, or None if there are none."""
    offsets = index.message_index_offsets
    wanted = [offsets[channel] for channel in channels if channel in offsets]
    if not wanted:
        return None
    # The indices of a chunk follow it. Threads share the file and must not move its position.
    begin = index.chunk_start_offset
    stored = os.pread(file, index.chunk_length + index.message_index_length, begin)
    places = np.sort(np.concatenate([_places(stored, offset - begin) for offset in wanted]))
    data = _uncompressed(Chunk.read(ReadDataStream(BytesIO(memoryview(stored)[_RECORD.size :]))))
    each = np.frombuffer(data, np.uint8)[places[:, None] + np.arange(_MESSAGE.itemsize)]
    heads = each.view(_MESSAGE)[:, 0]
    ends = places + _RECORD.size + heads['length'].astype(np.int64)
    return _Unpacked(data, places + _MESSAGE.itemsize, ends, heads)


def _places(stored: bytes, at: int) -> NDArray[np.int64]:
    """Return the start of each message of a channel in its chunk [bytes], from the index at a file position."""
    length = _INDEX.unpack_from(stored, at)[3]
    return np.frombuffer(stored, '<u8', length // 8, at + _INDEX.size)[1::2].astype(np.int64)


def _uncompressed(chunk: Chunk) -> bytes:
    data = zstandard.decompress(chunk.data, chunk.uncompressed_size) if chunk.compression else chunk.data
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError('the checksum of a chunk is wrong')
    return data
