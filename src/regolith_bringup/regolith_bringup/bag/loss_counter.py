# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Count of lost messages of a topic, from the sequence numbers of the publishers only.

Each publisher numbers its messages 1, 2, 3, … A message does not identify its publisher. With several publishers on a
topic, the counter keeps one last number per publisher and assigns each message to the number it continues. The choice
between two publishers with equal numbers does not matter: the sum of all gaps is the sum of the last numbers minus the
number of received messages.
"""

from __future__ import annotations


class LossCounter:
    """Counter of gaps in the sequence numbers of one topic."""

    def __init__(self) -> None:
        self._last: list[int] = []
        self.received = 0
        """Number of received messages."""
        self.lost = 0
        """Number of messages missing between received ones."""

    def add(self, sequence: int, publishers: int) -> None:
        """Count one message.

        Args:
            sequence: Sequence number, >= 1.
            publishers: Present number of publishers. Messages before the first received one of a publisher are not
                lost.
        """
        self.received += 1
        try:
            self._last[self._last.index(sequence - 1)] = sequence
            return
        except ValueError:
            pass
        behind = [k for k, last in enumerate(self._last) if last < sequence]
        # Number 1 always starts a new publisher: a restarted agent counts from the start.
        if sequence == 1 or len(self._last) < publishers or not behind:
            self._last.append(sequence)
            return
        nearest = max(behind, key=self._last.__getitem__)
        self.lost += sequence - self._last[nearest] - 1
        self._last[nearest] = sequence
