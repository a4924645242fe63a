# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of complete or damaged MCAP files: all readable chunks, one after another.

With an index at the end of the file, each chunk is found independently, and a damaged one does not affect others.
Without an index (the writer was killed), chunks are read up to the first incomplete one. Format: https://mcap.dev/spec.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, DataEnd, McapRecord, Message, Schema
from mcap.stream_reader import StreamReader, breakup_chunk, get_chunk_data_stream
from mcap.summary import Summary

from regolith_files import InputError, Problem

MAGIC = b'\x89MCAP0\r\n'
"""First and last bytes of an MCAP file."""
DAMAGE = (McapError, ValueError, IndexError, EOFError, struct.error, MemoryError, zstandard.ZstdError)
"""Exceptions raised when a damaged file is read."""
_RECORD = struct.Struct('<BQ')
"""Opcode and length, at the start of every record."""

Lost = Callable[[], None]
"""Callback for each chunk that cannot be read."""


def damage_error(file: str, error: BaseException) -> InputError:
    """Return the input error for a damaged file."""
    problem = f'is damaged: {" ".join(str(error).split())}'
    return InputError(Problem(file, '', problem, 'a bag as it was written, or as repaired by ./regolith recover'))


def is_closed(path: Path) -> bool:
    """Return whether an MCAP file ends with footer and magic, which means that its writer closed it."""
    size = path.stat().st_size
    if size < 37:
        return False
    with path.open('rb') as stream:
        stream.seek(size - 37)
        tail = stream.read()
    # Footer record: opcode 0x02, length 20, then its content and the closing magic.
    return tail[:9] == _RECORD.pack(Opcode.FOOTER, 20) and tail[-8:] == MAGIC


def is_sound(path: Path, tick: Callable[[int, int], None] = lambda done, of: None) -> bool:
    """Return whether an MCAP file was closed and all its chunks are readable. The whole file is read.

    Args:
        path: MCAP file.
        tick: Progress callback (done, total).
    """
    if not is_closed(path):
        return False
    with path.open('rb') as stream:
        if (summary := _summary(stream)) is None:
            return False
        for number, chunk in enumerate(_indexed_chunks(stream, summary)):
            tick(number, len(summary.chunk_indexes))
            try:
                if chunk is None:
                    return False
                get_chunk_data_stream(chunk, validate_crc=True)
            except DAMAGE:
                return False
    return True


def stored_messages(
    path: Path, topics: Collection[str] | None = None, lost: Lost = lambda: None
) -> Iterator[tuple[Schema | None, Channel, Message]]:
    """Yield the messages of a complete or damaged MCAP file in order of arrival, each with schema and channel.

    Args:
        path: MCAP file.
        topics: Selected topics, None for all.
        lost: Callback for each chunk that cannot be read.
    """
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    for record in stored_records(path, lost):
        if isinstance(record, Schema):
            schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
        elif isinstance(record, Message):
            channel = channels.get(record.channel_id)
            if channel is not None and (topics is None or channel.topic in topics):
                yield schemas.get(channel.schema_id), channel, record


def topic_counts(path: Path) -> list[tuple[str, str, int]]:
    """Return topic, type and message count of every topic of an MCAP file without index."""
    counts: dict[tuple[str, str], int] = {}
    for schema, channel, _ in stored_messages(path):
        key = (channel.topic, schema.name if schema is not None else '')
        counts[key] = counts.get(key, 0) + 1
    return [(*key, count) for key, count in sorted(counts.items())]


def stored_records(path: Path, lost: Lost = lambda: None) -> Iterator[McapRecord]:
    """Yield all readable schemas, channels and messages. Schemas and channels may occur several times."""
    with path.open('rb') as stream:
        summary = _summary(stream) if is_closed(path) else None
        if summary is not None and summary.chunk_indexes:
            # A channel is defined in the chunk of its first message, which may be lost.
            yield from summary.schemas.values()
            yield from summary.channels.values()
            parts: Iterator[McapRecord | None] = _indexed_chunks(stream, summary)
        else:
            stream.seek(0)
            parts = _in_turn(stream)
        for part in parts:
            if isinstance(part, Chunk):
                try:
                    inner = breakup_chunk(part, validate_crc=True)
                except DAMAGE:
                    lost()
                else:
                    yield from inner
            elif part is None:
                lost()
            else:
                yield part


def _summary(stream: IO[bytes]) -> Summary | None:
    try:
        return make_reader(stream).get_summary()
    except DAMAGE:
        return None


def _indexed_chunks(stream: IO[bytes], summary: Summary) -> Iterator[Chunk | None]:
    """Yield every chunk of the index, None for a chunk that is damaged."""
    for index in summary.chunk_indexes:
        try:
            stream.seek(index.chunk_start_offset)
            opcode, length = _RECORD.unpack(stream.read(_RECORD.size))
            whole = opcode == Opcode.CHUNK and length == index.chunk_length - _RECORD.size
            yield Chunk.read(ReadDataStream(stream)) if whole else None
        except DAMAGE:
            yield None


def _in_turn(stream: IO[bytes]) -> Iterator[McapRecord]:
    """Yield records up to the end of the data, or the first incomplete record."""
    records = StreamReader(stream, emit_chunks=True).records
    while True:
        try:
            record = next(records)
        except (StopIteration, *DAMAGE):
            return
        if isinstance(record, DataEnd):
            return
        if isinstance(record, Chunk | Schema | Channel | Message):
            yield record
