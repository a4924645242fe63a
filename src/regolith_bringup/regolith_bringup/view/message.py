# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for the view, and the interface of its drawers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

LATEST = 1
"""Period [ns] of topics of which only the last message counts."""


@dataclass
class ViewMessage:
    """Message that is decoded on first access."""

    topic: str
    """Topic name relative to the namespace of the run."""
    t_ns: int
    """Simulated time of reception [ns]."""
    raw: bytes
    """CDR data with encapsulation header."""
    decode: Callable[[bytes], Any]

    @cached_property
    def content(self) -> Any:
        """Decoded message with fields as attributes and arrays as NumPy arrays."""
        return self.decode(self.raw)

    @cached_property
    def stamp_ns(self) -> int:
        """Time of the content [ns]: the header stamp, or the time of reception without a header."""
        stamp = getattr(getattr(self.content, 'header', self.content), 'stamp', None)
        return self.t_ns if stamp is None else int(stamp.sec) * 10**9 + int(stamp.nanosec)


class Drawer(Protocol):
    """Interface of a part of the view."""

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics to draw, with the minimum time between two messages of each [ns]; 0: all messages are
        needed.

        Args:
            types: Message types of all current topics, by name relative to the namespace of the run.
        """

    def take(self, message: ViewMessage) -> None:
        """Draw a message, or store it until the next tick."""

    def tick(self, t_ns: int) -> None:
        """Draw stored messages if they are due at this time [ns]."""
