# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A message that was told, and who draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

LATEST = 1
"""Period [ns] of topics of which only the last message counts, whenever it comes."""


@dataclass
class ViewMessage:
    """One message, decoded if anybody looks into it."""

    topic: str
    """From the root of the run."""
    t_ns: int
    """Simulated time at which it was heard [ns]."""
    raw: bytes
    """CDR, with its encapsulation header."""
    decode: Callable[[bytes], Any]

    @cached_property
    def content(self) -> Any:
        """The message, fields as attributes, arrays as NumPy arrays."""
        return self.decode(self.raw)

    @cached_property
    def stamp_ns(self) -> int:
        """Time of what it tells [ns]: its header's, without one that at which it was heard."""
        stamp = getattr(getattr(self.content, 'header', self.content), 'stamp', None)
        return self.t_ns if stamp is None else int(stamp.sec) * 10**9 + int(stamp.nanosec)


class Drawer(Protocol):
    """A part of the view."""

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics it draws, with the least time between two messages of each [ns]; 0: it needs them all.

        Args:
            types: all topics there are now, by name from the root of the run
        """

    def take(self, told: ViewMessage) -> None:
        """Draw a message, or remember it until the next tick."""

    def tick(self, t_ns: int) -> None:
        """Draw what waits, if it is time [ns]."""
