# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading bags without ROS: messages are decoded by the bag's own definitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from mcap.reader import make_reader
from mcap.records import Channel, Message, Schema

from regolith_bringup.bag.recorder import FORMAT
from regolith_bringup.bag.recover import RecoverError, bag_folder, counted, is_whole, stored_messages
from regolith_files.bounded_yaml import load_yaml


class BagMessage(NamedTuple):
    """One message of a bag."""

    topic: str
    log_time_ns: int
    """Simulated time [ns]."""
    publish_time_ns: int
    """Wall time of its sending [ns]."""
    content: Any
    """The message, fields as attributes, arrays as NumPy arrays."""


class RawMessage(NamedTuple):
    """One message of a bag as it was sent."""

    topic: str
    log_time_ns: int
    """Simulated time [ns]."""
    data: bytes
    """CDR, with its encapsulation header."""


@dataclass(frozen=True)
class TopicSummary:
    """Summary of one topic in a bag."""

    name: str
    type_name: str
    messages: int


def root_among(topics: Iterable[str]) -> str:
    """Return the namespace of a run, '' or ``/moon``, from the names of its topics."""
    end = '/regolith/cycle'
    return next((topic.removesuffix(end) for topic in topics if topic.endswith(end)), '')


class Bag:
    """A bag, closed or (slower to read) broken off; topics have their names from the root of the run.

    :param run: run folder or bag folder
    :raises regolith_bringup.bag.recover.RecoverError: if there is none, or it is of another format
    """

    def __init__(self, run: str | Path) -> None:
        folder = bag_folder(run)
        self.path = folder / f'{folder.name}_0.mcap'
        self.whole = is_whole(self.path)
        """Whether it was closed, or recovered."""
        _check_format(folder / 'metadata.yaml')

    @cached_property
    def _store(self) -> Any:
        """The known message types; the import is slow and not needed for counting."""
        from rosbags.typesys import Stores, get_typestore

        return get_typestore(Stores.ROS2_JAZZY)

    @cached_property
    def topics(self) -> dict[str, TopicSummary]:
        """Its topics, in name order."""
        found = [
            TopicSummary(topic.removeprefix(self.root), type_name, messages)
            for topic, type_name, messages in self._channels
        ]
        return {t.name: t for t in sorted(found, key=lambda t: t.name)}

    @cached_property
    def root(self) -> str:
        """The namespace of the run, '' or ``/moon``."""
        return root_among(topic for topic, _, _ in self._channels)

    @cached_property
    def _channels(self) -> list[tuple[str, str, int]]:
        """Name as recorded, type and number of messages of every topic."""
        if not self.whole:
            return counted(self.path)
        with self.path.open('rb') as stream:
            summary = make_reader(stream).get_summary()
        if summary is None or summary.statistics is None:
            return counted(self.path)
        counts = summary.statistics.channel_message_counts
        return [(c.topic, summary.schemas[c.schema_id].name, counts.get(c.id, 0)) for c in summary.channels.values()]

    def _stored(self, topics: Collection[str] | None) -> Iterator[tuple[Schema | None, Channel, Message]]:
        """Yield the messages of some topics (as recorded; None: of all) undecoded, in order of arrival."""
        if not self.whole:
            yield from stored_messages(self.path, topics)
            return
        with self.path.open('rb') as stream:
            yield from make_reader(stream).iter_messages(topics, log_time_order=False)

    def messages(self, *topics: str) -> Iterator[BagMessage]:
        """Yield the messages of some topics (without any: of all) in order of arrival."""
        wanted = [self.root + topic for topic in topics]
        for schema, channel, message in self._stored(wanted or None):
            if schema is None:
                continue
            self._learn(schema.name, schema.data)
            content = self._store.deserialize_cdr(message.data, schema.name)
            yield BagMessage(channel.topic.removeprefix(self.root), message.log_time, message.publish_time, content)

    def raw(self, *topics: str) -> Iterator[RawMessage]:
        """Yield the messages of some topics (without any: of all) in order of arrival, as they were sent."""
        wanted = [self.root + topic for topic in topics]
        for schema, channel, message in self._stored(wanted or None):
            if schema is not None:
                yield RawMessage(channel.topic.removeprefix(self.root), message.log_time, message.data)

    @cached_property
    def latched(self) -> frozenset[str]:
        """Topics whose last message is for those who come late, too."""
        found: dict[str, str] = {}
        if self.whole:
            with self.path.open('rb') as stream:
                summary = make_reader(stream).get_summary()
            channels = list(summary.channels.values()) if summary is not None else []
        else:
            channels = list({c.id: c for _, c, _ in self._stored(None)}.values())
        for channel in channels:
            found[channel.topic.removeprefix(self.root)] = channel.metadata.get('offered_qos_profiles', '')
        return frozenset(topic for topic, profiles in found.items() if 'durability: transient_local' in profiles)

    def some(self, topic: str, numbers: Collection[int]) -> list[BagMessage]:
        """Return the messages of a topic with these numbers, from 0 in order of arrival; no others are decoded."""
        found = []
        for number, (schema, _, message) in enumerate(self._stored([self.root + topic])):
            if number in numbers and schema is not None:
                self._learn(schema.name, schema.data)
                content = self._store.deserialize_cdr(message.data, schema.name)
                found.append(BagMessage(topic, message.log_time, message.publish_time, content))
        return found

    def _learn(self, type_name: str, text: bytes) -> None:
        if type_name not in self._store.types:
            from rosbags.typesys import get_types_from_msg

            types = get_types_from_msg(text.decode(), type_name)
            self._store.register({name: fields for name, fields in types.items() if name not in self._store.types})


def _check_format(metadata: Path) -> None:
    """Refuse a bag of another format; bags of other recorders carry none and pass."""
    if not metadata.is_file():
        return
    info = load_yaml(metadata.read_text(encoding='utf-8')) or {}
    known = (info.get('rosbag2_bagfile_information', {}).get('custom_data') or {}).get('regolith_format', FORMAT)
    if str(known) != str(FORMAT):
        allowed = f'{FORMAT}, which this version of Regolith writes'
        raise RecoverError(f'{metadata}: custom_data.regolith_format = {known!r}: another format; allowed: {allowed}')
