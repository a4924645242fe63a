# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Writer of bags: MCAP files with a ``metadata.yaml``, as read and written by ``ros2 bag``.

A bag is written in chunks. :meth:`BagWriter.flush` ends the current chunk and passes it to the operating system. A
killed process therefore loses only the messages after the last flush (see :mod:`regolith_bringup.bag.recover`).

Log time is *simulated* time, so bags of two runs of one scenario are comparable. Publish time is the wall time of
publication.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import yaml
from mcap.writer import CompressionType, Writer

from regolith_bringup.bag.chunk_index import keep_on_disk
from regolith_files import write_atomically

FORMAT = 5
"""Format number of the recorded messages, stored in ``custom_data``. Format 1 had participant kinds and no soil
fields, formats up to 3 terrain updates instead of committed changes, formats up to 4 no visuals of objects."""
CHUNK_BYTES = 1 << 20
"""Size of the messages in a chunk [bytes]."""
METADATA_VERSION = 9
"""Version of ``metadata.yaml``, as in rosbag2 since Jazzy."""

_FOREVER = {'sec': 9223372036, 'nsec': 854775807}


def qos_profile(*, depth: int = 10, latched: bool = False, best_effort: bool = False) -> dict[str, Any]:
    """Return an offered QoS profile in the YAML form of rosbag2 (version 9).

    Args:
        depth: Depth of the history.
        latched: Whether the publisher is TRANSIENT_LOCAL.
        best_effort: Whether the publisher is BEST_EFFORT.
    """
    return {
        'history': 'keep_last',
        'depth': depth,
        'reliability': 'best_effort' if best_effort else 'reliable',
        'durability': 'transient_local' if latched else 'volatile',
        'deadline': dict(_FOREVER),
        'lifespan': dict(_FOREVER),
        'liveliness': 'automatic',
        'liveliness_lease_duration': dict(_FOREVER),
        'avoid_ros_namespace_conventions': False,
    }


_Dumper: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


class _PlainDumper(_Dumper):
    """YAML dumper without aliases, which some bag readers do not support."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dump(data: object) -> str:
    return yaml.dump(data, Dumper=_PlainDumper, sort_keys=False)


@dataclass(frozen=True)
class Schema:
    """Description of one message type in a bag."""

    text: str
    """Full definition in ``ros2msg`` format, dependencies included."""
    type_hash: str = ''
    """RIHS01 hash, '' if unknown."""


@dataclass
class _Topic:
    name: str
    type_name: str
    qos: list[dict[str, Any]]
    type_hash: str
    count: int = 0


class BagWriter:
    """Writer of one bag: ``<folder>/<folder's name>_0.mcap`` and, when closed, ``<folder>/metadata.yaml``.

    Args:
        folder: Bag folder, created if missing. It must not contain a bag.
        schemas: Schemas by type name. Missing types are looked up among the installed ones.
        compression: 'zstd' or 'none'.
        file_name: Name of the MCAP file, if different from the folder name.
        chunk_bytes: Size at which a chunk ends by itself [bytes].

    Raises:
        FileExistsError: If the folder already contains that MCAP file.
    """

    def __init__(
        self,
        folder: str | Path,
        schemas: Mapping[str, Schema] | None = None,
        *,
        compression: str = 'zstd',
        file_name: str | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> None:
        if compression not in ('zstd', 'none'):
            raise ValueError(f"compression {compression!r}; allowed: 'zstd', 'none'")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / (file_name or f'{self.folder.name}_0.mcap')
        self._schemas = dict(schemas or {})
        self._schema_ids: dict[str, int] = {}
        self._topics: dict[int, _Topic] = {}
        self._channels: dict[str, int] = {}
        self._start_ns: int | None = None
        self._end_ns = 0
        self._stream: IO[bytes] | None = self.path.open('xb')
        self._mcap: Any = Writer(
            self._stream,
            chunk_size=chunk_bytes,
            compression=CompressionType.ZSTD if compression == 'zstd' else CompressionType.NONE,
        )
        self._indices = keep_on_disk(self._mcap, self.folder)
        self._mcap.start(profile='ros2', library='regolith')
        self._whole = 0
        self.pending_bytes = 0
        """Size of the messages since the last :meth:`flush` [bytes]."""

    # -- writing --------------------------------------------------------------------------------------------------

    def add_topic(self, topic: str, type_name: str, qos: Sequence[dict[str, Any]] = ()) -> int:
        """Add a topic and return its channel number. A known topic keeps its number.

        Args:
            topic: Absolute name.
            type_name: Message type, e.g. ``nav_msgs/msg/Odometry``.
            qos: Offered profiles, see :func:`qos_profile`.

        Raises:
            UnknownTypeError: If the type is neither installed nor given.
        """
        if topic in self._channels:
            return self._channels[topic]
        schema = self._schema(type_name)
        if type_name not in self._schema_ids:
            self._schema_ids[type_name] = self._mcap.register_schema(type_name, 'ros2msg', schema.text.encode())
        profiles = _dump(list(qos)).strip() if qos else ''
        channel = self._mcap.register_channel(
            topic,
            'cdr',
            self._schema_ids[type_name],
            {'offered_qos_profiles': profiles, 'topic_type_hash': schema.type_hash},
        )
        self._channels[topic] = channel
        self._topics[channel] = _Topic(topic, type_name, list(qos), schema.type_hash)
        return int(channel)

    def give_schema(self, type_name: str, schema: Schema) -> None:
        """Use this schema for a type instead of the installed one. No effect once a topic has the type."""
        self._schemas.setdefault(type_name, schema)

    def write(self, channel: int, data: bytes, log_time_ns: int, publish_time_ns: int, sequence: int = 0) -> None:
        """Append one serialized message.

        Args:
            channel: Channel number from :meth:`add_topic`.
            data: CDR data with encapsulation header.
            log_time_ns: Simulated time [ns].
            publish_time_ns: Wall time of publication [ns].
            sequence: Sequence number of the publisher.
        """
        # The library keeps the data until the chunk is full. Bytes cannot change in that time.
        self._mcap.add_message(channel, log_time_ns, data, publish_time_ns, sequence & 0xFFFFFFFF)
        self._topics[channel].count += 1
        self.pending_bytes += len(data)
        self._start_ns = log_time_ns if self._start_ns is None else min(self._start_ns, log_time_ns)
        self._end_ns = max(self._end_ns, log_time_ns)

    def flush(self) -> None:
        """End the current chunk and pass it to the operating system (no fsync: a killed process loses nothing)."""
        if self._stream is not None:
            self._mcap.flush()
            self.pending_bytes = 0
            self._whole = os.fstat(self._stream.fileno()).st_size

    def close(self) -> None:
        """Write the index and ``metadata.yaml``. Idempotent."""
        if self._stream is None:
            return
        info = self._metadata()
        text = _dump(info)
        self._mcap.add_metadata('rosbag2', {'serialized_metadata': text, 'ROS_DISTRO': info['ros_distro']})
        self._mcap.finish()
        self._indices.close()
        self._stream.close()
        self._stream = None
        write_atomically(self.folder / 'metadata.yaml', _dump({'rosbag2_bagfile_information': info}))

    def abandon(self) -> None:
        """Leave the bag at its last flush because the disk is full. An incomplete chunk would be useless.

        The bag then has no index and no ``metadata.yaml``. Readers that read chunk by chunk get all of it.
        """
        if self._stream is None:
            return
        os.ftruncate(self._stream.fileno(), self._whole)
        with suppress(OSError):  # the buffered data does not fit
            self._indices.close()
        # Data still buffered by Python would be written behind the last flush when the stream is closed.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._stream.close()
        self._stream = None

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- what was written -----------------------------------------------------------------------------------------

    @property
    def counts(self) -> dict[str, int]:
        """Number of written messages by topic, in name order."""
        return dict(sorted((t.name, t.count) for t in self._topics.values()))

    def _schema(self, type_name: str) -> Schema:
        if type_name not in self._schemas:
            from regolith_bringup.bag.message_definitions import schema_text, type_hash

            self._schemas[type_name] = Schema(schema_text(type_name), type_hash(type_name))
        return self._schemas[type_name]

    def _metadata(self) -> dict[str, Any]:
        start = self._start_ns or 0
        span = {
            'starting_time': {'nanoseconds_since_epoch': start},
            'duration': {'nanoseconds': max(0, self._end_ns - start)},
            'message_count': sum(t.count for t in self._topics.values()),
        }
        return {
            'version': METADATA_VERSION,
            'storage_identifier': 'mcap',
            'duration': span['duration'],
            'starting_time': span['starting_time'],
            'message_count': span['message_count'],
            'topics_with_message_count': [
                {
                    'topic_metadata': {
                        'name': t.name,
                        'type': t.type_name,
                        'serialization_format': 'cdr',
                        'offered_qos_profiles': t.qos,
                        'type_description_hash': t.type_hash,
                    },
                    'message_count': t.count,
                }
                for t in sorted(self._topics.values(), key=lambda t: t.name)
            ],
            'compression_format': '',
            'compression_mode': '',
            'relative_file_paths': [self.path.name],
            'files': [{'path': self.path.name, **span}],
            'custom_data': {'regolith_format': str(FORMAT)},
            'ros_distro': os.environ.get('ROS_DISTRO') or 'jazzy',
        }
