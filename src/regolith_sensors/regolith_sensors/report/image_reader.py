# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Camera frames from a run's bag: images as arrays, and messages of several topics grouped by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import BagReader

_TYPES = {
    'mono8': ('u1', 1),
    '8UC1': ('u1', 1),
    'rgb8': ('u1', 3),
    'mono16': ('u2', 1),
    '16UC1': ('u2', 1),
    'rgb16': ('u2', 3),
    '32FC1': ('f4', 1),
    '32FC3': ('f4', 3),
}
_WAITING = 64
"""Maximum number of incomplete frames of one set of topics."""


def image_pixels(message: Any) -> NDArray[Any]:
    """Return the pixels of a sensor_msgs/Image, shape (height, width) or (height, width, channels).

    Raises:
        ValueError: If the encoding is not one of the simulated cameras.
    """
    kind, channels = _TYPES.get(message.encoding, ('u2', 1) if message.encoding.startswith('bayer_') else ('', 0))
    if not kind:
        raise ValueError(f'image of encoding {message.encoding!r}; allowed: {", ".join(_TYPES)}, bayer_*16')
    data = np.frombuffer(message.data, dtype=('>' if message.is_bigendian else '<') + kind)
    shape = (message.height, message.width, channels) if channels > 1 else (message.height, message.width)
    return data.reshape(shape)


def stamp_ns(message: Any) -> int:
    """Return the stamp of a message with a header [ns]."""
    return int(message.header.stamp.sec) * 10**9 + int(message.header.stamp.nanosec)


def frames(bag: BagReader, topics: Sequence[str]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield (stamp [ns], messages in the order of the topics) for every frame that is present on all topics."""
    waiting: dict[int, dict[str, Any]] = {}
    for message in bag.messages(*topics):
        t_ns = stamp_ns(message.content)
        parts = waiting.setdefault(t_ns, {})
        parts[message.topic] = message.content
        if len(parts) == len(topics):
            del waiting[t_ns]
            yield t_ns, tuple(parts[topic] for topic in topics)
        elif len(waiting) > _WAITING:
            del waiting[min(waiting)]
