# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Recovery of bags after a killed recorder: all messages up to the damage, with index and metadata.

A killed recorder leaves an MCAP file without index, and maybe with an incomplete last chunk. The chunks before it are
read one by one and written anew. The damaged file stays until the new one is in place.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel, DataEnd, McapRecord, Message
from mcap.records import Schema as SchemaRecord
from mcap.stream_reader import StreamReader

from regolith_bringup.bag.recorder import BagWriter, Schema
from regolith_files.doors import NoRecordingError

_DAMAGE = (McapError, ValueError, EOFError, struct.error, MemoryError, zstandard.ZstdError)


class RecoverError(NoRecordingError):
    """A run folder without a bag, or a bag without readable messages."""


@dataclass(frozen=True)
class Recovery:
    """Result of a recovery."""

    path: Path
    """The bag's folder."""
    messages: int
    """Number of messages in the bag."""
    rebuilt: bool
    """Whether the bag was damaged; a whole one is unchanged."""


def bag_folder(run: str | Path) -> Path:
    """Return the folder of a run's bag, given the run folder or the bag folder itself.

    :raises RecoverError: if neither holds an MCAP file
    """
    for folder in (Path(run) / 'bag', Path(run)):
        if any(folder.glob('*.mcap*')):
            return folder
    raise RecoverError(f'{run}: no bag here; expected {Path(run) / "bag"} with an .mcap file in it')


def recover(run: str | Path) -> Recovery:
    """Rebuild a run's bag if its recorder did not close it; a whole bag stays unchanged.

    :param run: the run folder, or its ``bag`` folder
    :raises RecoverError: if there is no bag, or no readable message in it
    """
    folder = bag_folder(run)
    original = folder / f'{folder.name}_0.mcap'
    backup = folder / f'{folder.name}_0.mcap.damaged'
    if not original.exists():
        # An earlier recovery was cut off between its two renames.
        if not backup.exists():
            raise RecoverError(f'{folder}: expected {original.name}; found {sorted(p.name for p in folder.iterdir())}')
        backup.rename(original)
    if is_whole(original) and (folder / 'metadata.yaml').exists():
        return Recovery(folder, _count(folder), rebuilt=False)

    scratch = folder / '.recovering'
    _empty(scratch)
    with BagWriter(scratch, compression='zstd', file_name=original.name) as bag:
        messages = _copy(original, bag)
    if messages == 0:
        _empty(scratch)
        scratch.rmdir()
        raise RecoverError(f'{original}: not one readable message')
    original.rename(backup)
    (scratch / original.name).replace(original)
    (scratch / 'metadata.yaml').replace(folder / 'metadata.yaml')
    backup.unlink()
    scratch.rmdir()
    return Recovery(folder, messages, rebuilt=True)


def is_whole(path: Path) -> bool:
    """Return whether an MCAP file ends with footer and magic, as a finished one does."""
    size = path.stat().st_size
    if size < 37:
        return False
    with path.open('rb') as stream:
        stream.seek(size - 37)
        tail = stream.read()
    # Footer record: opcode 0x02, length 20, then its content and the closing magic.
    return tail[:9] == struct.pack('<BQ', 0x02, 20) and tail[-8:] == b'\x89MCAP0\r\n'


def _records(path: Path) -> Iterator[McapRecord]:
    """Yield schemas, channels and messages up to the end of the data or the damage."""
    with path.open('rb') as stream:
        records = StreamReader(stream, validate_crcs=True).records
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except _DAMAGE:
                return
            if isinstance(record, DataEnd):
                return
            yield record


def stored_messages(
    path: Path, topics: Collection[str] | None = None
) -> Iterator[tuple[SchemaRecord | None, Channel, Message]]:
    """Yield the messages of an MCAP file, whole or not, in order of arrival, each with its schema and channel.

    :param topics: selection; None: all
    """
    schemas: dict[int, SchemaRecord] = {}
    channels: dict[int, Channel] = {}
    for record in _records(path):
        if isinstance(record, SchemaRecord):
            schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
        elif isinstance(record, Message):
            channel = channels[record.channel_id]
            if topics is None or channel.topic in topics:
                yield schemas.get(channel.schema_id), channel, record


def counted(path: Path) -> list[tuple[str, str, int]]:
    """Return topic, type and number of messages of every topic of an MCAP file without index."""
    counts: dict[tuple[str, str], int] = {}
    for schema, channel, _ in stored_messages(path):
        key = (channel.topic, schema.name if schema is not None else '')
        counts[key] = counts.get(key, 0) + 1
    return [(*key, count) for key, count in sorted(counts.items())]


def _copy(path: Path, bag: BagWriter) -> int:
    schemas: dict[int, SchemaRecord] = {}
    channels: dict[int, int] = {}
    messages = 0
    for record in _records(path):
        if isinstance(record, SchemaRecord):
            schemas[record.id] = record
        elif isinstance(record, Channel) and record.id not in channels:
            channels[record.id] = _add_channel(bag, record, schemas[record.schema_id])
        elif isinstance(record, Message):
            bag.write(channels[record.channel_id], record.data, record.log_time, record.publish_time, record.sequence)
            messages += 1
    return messages


def _add_channel(bag: BagWriter, channel: Channel, schema: SchemaRecord) -> int:
    profiles: list[dict[str, Any]] = yaml.safe_load(channel.metadata.get('offered_qos_profiles', '')) or []
    bag.give_schema(schema.name, Schema(schema.data.decode(), channel.metadata.get('topic_type_hash', '')))
    return bag.add_topic(channel.topic, schema.name, profiles)


def _count(folder: Path) -> int:
    info = yaml.safe_load((folder / 'metadata.yaml').read_text(encoding='utf-8'))
    return int(info['rosbag2_bagfile_information']['message_count'])


def _empty(folder: Path) -> None:
    """Remove the folder of an interrupted recovery, which holds only files of this module."""
    if folder.exists():
        for path in folder.iterdir():
            path.unlink()
