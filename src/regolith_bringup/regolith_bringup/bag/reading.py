# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of bags without ROS. Messages are decoded with the definitions in the bag."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from mcap.reader import make_reader
from mcap.records import Channel, Message, Schema
from mcap.summary import Summary
from numpy.typing import NDArray
from yaml import YAMLError

from regolith_bringup.bag import chunks
from regolith_bringup.bag.chunks import Batch
from regolith_bringup.bag.mcap_reader import DAMAGE, MAGIC, damage_error, is_closed, stored_messages, topic_counts
from regolith_bringup.bag.recorder import FORMAT
from regolith_bringup.bag.recover import RecoverError, bag_folder
from regolith_files import load_yaml

if TYPE_CHECKING:
    from regolith_bringup.bag.columns import FieldColumn

_PART_BYTES = 2_000_000
"""Size of messages of one topic that are decoded together [bytes], about the cache size of a processor."""


def recordings(run: Path) -> list[Path]:
    """Return the bag folders of a run in order: ``bag``, and one more for each rewind."""
    folders = [path for path in run.glob('bag*') if any(path.glob('*.mcap*'))]
    numbered = {path: path.name.removeprefix('bag').removeprefix('_') or '0' for path in folders}
    return sorted((path for path in folders if numbered[path].isdigit()), key=lambda path: int(numbered[path]))


class BagMessage(NamedTuple):
    """Decoded message of a bag."""

    topic: str
    log_time_ns: int
    """Simulated time [ns]."""
    publish_time_ns: int
    """Wall time of publication [ns]."""
    content: Any
    """Message with fields as attributes and arrays as NumPy arrays."""


class RawMessage(NamedTuple):
    """Serialized message of a bag."""

    topic: str
    log_time_ns: int
    """Simulated time [ns]."""
    data: bytes
    """CDR data with encapsulation header."""


@dataclass(frozen=True)
class TopicSummary:
    """Summary of one topic in a bag."""

    name: str
    type_name: str
    messages: int


def root_among(topics: Iterable[str]) -> str:
    """Return the namespace of a run, '' or ``/moon``, from its topic names."""
    end = '/regolith/cycle'
    return next((topic.removesuffix(end) for topic in topics if topic.endswith(end)), '')


class Bag:
    """Bag of a run, closed or interrupted (slower to read). Topic names are relative to the namespace of the run.

    Args:
        run: Run folder or bag folder.

    Raises:
        regolith_bringup.bag.recover.RecoverError: If there is no bag, or it is empty or has another format.
    """

    def __init__(self, run: str | Path) -> None:
        folder = bag_folder(run)
        self.path = folder / f'{folder.name}_0.mcap'
        _check_begin(self.path)
        self.whole = is_closed(self.path)
        """Whether the bag was closed or recovered."""
        self._texts: dict[str, bytes] = {}
        """Definitions that were read, by type."""
        _check_format(folder / 'metadata.yaml')

    @cached_property
    def _store(self) -> Any:
        """Known message types. The import is slow and not needed for counting."""
        from rosbags.typesys import Stores, get_typestore

        return get_typestore(Stores.ROS2_JAZZY)

    @cached_property
    def topics(self) -> dict[str, TopicSummary]:
        """Topics by name, in name order."""
        found = [
            TopicSummary(topic.removeprefix(self.root), type_name, messages)
            for topic, type_name, messages in self._channels
        ]
        return {t.name: t for t in sorted(found, key=lambda t: t.name)}

    @cached_property
    def root(self) -> str:
        """Namespace of the run, '' or ``/moon``."""
        return root_among(topic for topic, _, _ in self._channels)

    @cached_property
    def _channels(self) -> list[tuple[str, str, int]]:
        """Recorded name, type and message count of every topic."""
        summary = self._summary
        if summary is None or summary.statistics is None:
            return topic_counts(self.path)
        counts = summary.statistics.channel_message_counts
        return [(c.topic, summary.schemas[c.schema_id].name, counts.get(c.id, 0)) for c in summary.channels.values()]

    @cached_property
    def _summary(self) -> Summary | None:
        """Summary at the end of a closed bag."""
        if not self.whole:
            return None
        with self.path.open('rb') as stream:
            try:
                return make_reader(stream).get_summary()
            except DAMAGE as error:
                raise damage_error(str(self.path), error) from None

    def _stored(self, topics: Collection[str] | None) -> Iterator[tuple[Schema | None, Channel, Message]]:
        """Yield undecoded messages of some topics (recorded names, None for all) in order of arrival."""
        summary = self._summary
        if summary is None or not chunks.is_indexed(summary):
            yield from stored_messages(self.path, topics)
            return
        chosen = {c.id: c for c in summary.channels.values() if topics is None or c.topic in topics}
        with self.path.open('rb') as stream:
            for message in chunks.messages(stream, summary, chosen):
                channel = chosen[message.channel_id]
                yield summary.schemas.get(channel.schema_id), channel, message

    def messages(self, *topics: str) -> Iterator[BagMessage]:
        """Yield the messages of some topics (default: all) in order of arrival."""
        wanted = [self.root + topic for topic in topics]
        for schema, channel, message in self._stored(wanted or None):
            if schema is None:
                continue
            self._learn(schema.name, schema.data)
            content = self._store.deserialize_cdr(message.data, schema.name)
            yield BagMessage(channel.topic.removeprefix(self.root), message.log_time, message.publish_time, content)

    def raw(self, *topics: str) -> Iterator[RawMessage]:
        """Yield the serialized messages of some topics (default: all) in order of arrival."""
        wanted = [self.root + topic for topic in topics]
        for schema, channel, message in self._stored(wanted or None):
            if schema is not None:
                self._texts.setdefault(schema.name, schema.data)
                yield RawMessage(channel.topic.removeprefix(self.root), message.log_time, message.data)

    def decoded(self, message: RawMessage) -> Any:
        """Return the decoded content of a message from :meth:`raw`."""
        type_name = self.topics[message.topic].type_name
        self._learn(type_name, self._texts[type_name])
        return self._store.deserialize_cdr(message.data, type_name)

    @cached_property
    def latched(self) -> frozenset[str]:
        """Topics whose last message is also sent to later subscribers (transient local)."""
        found: dict[str, str] = {}
        summary = self._summary
        channels = summary.channels if summary is not None else {c.id: c for _, c, _ in self._stored(None)}
        for channel in channels.values():
            found[channel.topic.removeprefix(self.root)] = channel.metadata.get('offered_qos_profiles', '')
        return frozenset(topic for topic, profiles in found.items() if 'durability: transient_local' in profiles)

    def some(self, topic: str, numbers: Collection[int]) -> list[BagMessage]:
        """Return the messages of a topic with these indices, from 0 in order of arrival. No others are decoded."""
        found = []
        for number, (schema, _, message) in enumerate(self._stored([self.root + topic])):
            if number in numbers and schema is not None:
                self._learn(schema.name, schema.data)
                content = self._store.deserialize_cdr(message.data, schema.name)
                found.append(BagMessage(topic, message.log_time, message.publish_time, content))
        return found

    def columns(self, topic: str, *paths: str) -> dict[str, NDArray[Any]]:
        """Return fields of all messages of a topic as arrays.

        Args:
            topic: Topic name.
            paths: Field paths.

        Returns:
            Arrays by path in order of arrival, shape (n,), or (n, k) for arrays and sequences. ``log_time_ns`` and
            ``publish_time_ns`` are included. Empty without messages.

        Raises:
            ValueError: If the count of numbers differs between messages.
        """
        return self.columns_of({topic: paths})[topic]

    def columns_of(self, wanted: Mapping[str, Sequence[str]]) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the result of :meth:`columns` for several topics in one pass over the bag.

        Args:
            wanted: Field paths by topic.
        """
        from regolith_bringup.bag.columns import joined, tables

        parts: dict[str, list[dict[str, NDArray[Any]]]] = {topic: [] for topic in wanted}
        for topic, part in self.column_parts_of(wanted):
            parts[topic].append(tables(part))
        return {topic: joined(some) for topic, some in parts.items()}

    def column_parts_of(self, wanted: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, dict[str, FieldColumn]]]:
        """Yield the parts of :meth:`columns_of`, for any count of numbers in each message.

        Args:
            wanted: Field paths by topic.

        Yields:
            Topic, and the columns of many consecutive messages.
        """
        gathered: dict[str, list[Batch]] = {}
        sizes: dict[str, int] = {}
        schemas: dict[str, Schema] = {}
        for schema, topic, batch in self._batches({self.root + topic for topic in wanted}):
            gathered.setdefault(topic, []).append(batch)
            schemas[topic] = schema
            sizes[topic] = sizes.get(topic, 0) + sum(map(len, batch.data))
            if sizes[topic] > _PART_BYTES:
                name, sizes[topic] = topic.removeprefix(self.root), 0
                yield name, self._columns(schema, gathered.pop(topic), wanted[name])
        for topic, batches in gathered.items():
            name = topic.removeprefix(self.root)
            yield name, self._columns(schemas[topic], batches, wanted[name])

    def _columns(self, schema: Schema, batches: Sequence[Batch], paths: Sequence[str]) -> dict[str, FieldColumn]:
        from regolith_bringup.bag.columns import FieldColumn, columns

        self._learn(schema.name, schema.data)
        data = [content for batch in batches for content in batch.data]
        found = columns(data, schema.name, self._store.fielddefs, paths)
        each, one = np.arange(len(data)), np.ones(len(data), np.int64)
        for name in ('log_time', 'publish_time'):
            times = np.concatenate([getattr(batch, name) for batch in batches]).astype(np.int64)
            found[f'{name}_ns'] = FieldColumn(times, each, one, many=False)
        return found

    def _batches(self, topics: Collection[str]) -> Iterator[tuple[Schema, str, Batch]]:
        """Yield undecoded messages of some topics (recorded names), each topic in order of arrival."""
        summary = self._summary
        if summary is None or not chunks.is_indexed(summary):
            for schema, channel, message in stored_messages(self.path, topics):
                if schema is not None:
                    times = (np.array([time], np.uint64) for time in (message.log_time, message.publish_time))
                    yield schema, channel.topic, Batch(channel.id, [message.data], *times)
            return
        chosen = {c.id: c for c in summary.channels.values() if c.topic in topics and c.schema_id in summary.schemas}
        with self.path.open('rb') as stream:
            for batch in chunks.batches(stream, summary, chosen):
                channel = chosen[batch.channel]
                yield summary.schemas[channel.schema_id], channel.topic, batch

    def _learn(self, type_name: str, text: bytes) -> None:
        if type_name not in self._store.types:
            from rosbags.typesys import get_types_from_msg

            types = get_types_from_msg(text.decode(), type_name)
            self._store.register({name: fields for name, fields in types.items() if name not in self._store.types})


def _check_begin(path: Path) -> None:
    """Refuse a file that does not begin like an MCAP file."""
    with path.open('rb') as stream:
        begin = stream.read(len(MAGIC))
    if begin != MAGIC:
        raise RecoverError(f'{path}: {"is no MCAP file" if begin else "is empty"}; allowed: a bag as it was written')


def _check_format(metadata: Path) -> None:
    """Refuse a bag of another format. Bags of other recorders have no format entry and pass."""
    if not metadata.is_file():
        return
    try:
        info = load_yaml(metadata.read_text(encoding='utf-8')) or {}
    except (ValueError, YAMLError) as error:
        reason = ' '.join(str(error).split())
        raise RecoverError(
            f'{metadata}: cannot be read: {reason}; allowed: a file made by ./regolith recover'
        ) from None
    if not isinstance(info, dict):
        raise RecoverError(f'{metadata}: has no bag metadata; allowed: a mapping with rosbag2_bagfile_information')
    known = (info.get('rosbag2_bagfile_information', {}).get('custom_data') or {}).get('regolith_format', FORMAT)
    if str(known) != str(FORMAT):
        allowed = f'{FORMAT}, which this version of Regolith writes'
        raise RecoverError(f'{metadata}: custom_data.regolith_format = {known!r}: another format; allowed: {allowed}')
