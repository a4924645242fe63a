# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Recovery of bags after a killed recorder or a damaged disk: all readable messages, with index and metadata.

A killed recorder leaves an MCAP file without index, and possibly with an incomplete last chunk. A damaged disk destroys
chunks in the middle. All other chunks are written to a new file. The damaged file is kept until the new one is
complete.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mcap.records import Channel, Message
from mcap.records import Schema as SchemaRecord

from regolith_bringup.bag.mcap_reader import is_sound, stored_records
from regolith_bringup.bag.recorder import BagWriter, Schema
from regolith_files import NoRecordingError, load_yaml


class RecoverError(NoRecordingError):
    """Run folder without a bag, or bag without readable messages."""


@dataclass(frozen=True)
class Recovery:
    """Result of a recovery."""

    path: Path
    """Bag folder."""
    messages: int
    """Number of messages in the bag."""
    rebuilt: bool
    """Whether the bag was damaged. A complete bag is unchanged."""
    lost_chunks: int = 0
    """Number of unreadable chunks, each 1 MB or half a second, without those cut off at the end."""


def bag_folder(run: str | Path) -> Path:
    """Return the bag folder of a run, given the run folder or the bag folder itself.

    Args:
        run: Run folder or bag folder.

    Raises:
        RecoverError: If neither contains an MCAP file.
    """
    for folder in (Path(run) / 'bag', Path(run)):
        if any(folder.glob('*.mcap*')):
            return folder
    raise RecoverError(f'{run}: contains no bag; allowed: a run folder with bag/bag_0.mcap, or a bag folder')


def recover(run: str | Path, tick: Callable[[int, int], None] = lambda done, of: None) -> Recovery:
    """Rebuild the bag of a run if its recorder did not close it or parts are unreadable. A complete bag is unchanged.

    Args:
        run: Run folder, or its ``bag`` folder.
        tick: Progress callback (done, total).

    Raises:
        RecoverError: If there is no bag, or no readable message in it.
    """
    folder = bag_folder(run)
    original = folder / f'{folder.name}_0.mcap'
    backup = folder / f'{folder.name}_0.mcap.damaged'
    if not original.exists():
        # An earlier recovery was interrupted between its two renames.
        if not backup.exists():
            found = ', '.join(sorted(path.name for path in folder.iterdir()))
            raise RecoverError(f'{folder}: contains {found}; allowed: a folder with {original.name}')
        backup.rename(original)
    count = _count(folder / 'metadata.yaml')
    if count is not None and is_sound(original, tick):
        return Recovery(folder, count, rebuilt=False)

    scratch = folder / '.recovering'
    _empty(scratch)
    try:
        with BagWriter(scratch, compression='zstd', file_name=original.name) as bag:
            messages, lost = _copy(original, bag)
    except OSError:
        _empty(scratch)
        scratch.rmdir()
        raise
    if messages == 0:
        _empty(scratch)
        scratch.rmdir()
        raise RecoverError(f'{original}: has no readable message; allowed: a bag with messages')
    original.rename(backup)
    (scratch / original.name).replace(original)
    (scratch / 'metadata.yaml').replace(folder / 'metadata.yaml')
    backup.unlink()
    scratch.rmdir()
    return Recovery(folder, messages, rebuilt=True, lost_chunks=lost)


def _copy(path: Path, bag: BagWriter) -> tuple[int, int]:
    """Write all readable messages, and return the numbers of messages and of lost chunks."""
    schemas: dict[int, SchemaRecord] = {}
    channels: dict[int, int] = {}
    messages = 0
    lost: list[None] = []
    for record in stored_records(path, lambda: lost.append(None)):
        if isinstance(record, SchemaRecord):
            schemas[record.id] = record
        elif isinstance(record, Channel) and record.id not in channels and record.schema_id in schemas:
            channels[record.id] = _add_channel(bag, record, schemas[record.schema_id])
        elif isinstance(record, Message) and record.channel_id in channels:
            bag.write(channels[record.channel_id], record.data, record.log_time, record.publish_time, record.sequence)
            messages += 1
    return messages, len(lost)


def _add_channel(bag: BagWriter, channel: Channel, schema: SchemaRecord) -> int:
    profiles: list[dict[str, Any]] = yaml.safe_load(channel.metadata.get('offered_qos_profiles', '')) or []
    bag.give_schema(schema.name, Schema(schema.data.decode(), channel.metadata.get('topic_type_hash', '')))
    return bag.add_topic(channel.topic, schema.name, profiles)


def _count(metadata: Path) -> int | None:
    """Return the message count in the metadata of a bag, None if it cannot be read."""
    try:
        info = load_yaml(metadata.read_text(encoding='utf-8'))
        return int(info['rosbag2_bagfile_information']['message_count'])
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return None


def _empty(folder: Path) -> None:
    """Remove the folder of an interrupted recovery, which contains only files of this module."""
    if folder.exists():
        for path in folder.iterdir():
            path.unlink()
