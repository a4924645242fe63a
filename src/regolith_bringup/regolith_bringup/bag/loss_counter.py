# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The number of lost messages of a topic, from the publishers' sequence numbers alone.

Each publisher numbers its messages 1, 2, 3, …; a message does not say which publisher sent it. With several publishers
on a topic the counter keeps one last number per publisher and lets each message continue the one it fits. Which of two
publishers with equal numbers is continued does not matter: the sum of all gaps is the sum of the last numbers less the
messages that arrived.
"""

from __future__ import annotations


class LossCounter:
    """Counts the gaps in the sequence numbers of one topic."""

    def __init__(self) -> None:
        self._last: list[int] = []
        self.received = 0
        """Messages that arrived."""
        self.lost = 0
        """Messages that must have been sent between those that arrived."""

    def add(self, sequence: int, publishers: int) -> None:
        """Count one message.

        Args:
            sequence: its number, >= 1
            publishers: present number of the topic's publishers; messages before a publisher's first are not lost
        """
        self.received += 1
        try:
            self._last[self._last.index(sequence - 1)] = sequence
            return
        except ValueError:
            pass
        behind = [k for k, last in enumerate(self._last) if last < sequence]
        # Number 1 always begins a new publisher: an agent that came back counts from the start.
        if sequence == 1 or len(self._last) < publishers or not behind:
            self._last.append(sequence)
            return
        nearest = max(behind, key=self._last.__getitem__)
        self.lost += sequence - self._last[nearest] - 1
        self._last[nearest] = sequence
