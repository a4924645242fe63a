# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of deliveries between each pair of radios over time, and intervals without delivery."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle import Saved, StateField, StateLayout

LOST_AFTER = 5
"""Number of packets lost in a row after which a link counts as lost.

If half of all packets are lost at random, this happens in 3 % of all sequences of five.
"""
MOST_BINS = 240
"""Maximum number of bins of the history; bins become longer with the run."""
FIRST_BIN_NS = 250_000_000
"""Length of the first bins [ns]."""


@dataclass(slots=True)
class _Pair:
    """Packets from one radio to another."""

    sent: int = 0
    delivered: int = 0
    missed: int = 0
    """Number of packets lost in a row up to now."""
    missed_since_ns: int = 0
    lost_ns: list[list[int | None]] = field(default_factory=list)
    """Intervals from the first lost packet to the next delivery [ns]; None: no later delivery."""
    sent_bins: list[int] = field(default_factory=list)
    delivered_bins: list[int] = field(default_factory=list)

    @property
    def lost(self) -> bool:
        return bool(self.lost_ns) and self.lost_ns[-1][1] is None

    def note(self, t_ns: int, sent: int, delivered: int) -> None:
        self.sent += sent
        self.delivered += delivered
        if delivered:
            if self.lost:
                self.lost_ns[-1][1] = t_ns
            self.missed = 0
            return
        if self.missed == 0:
            self.missed_since_ns = t_ns
        self.missed += sent
        if self.missed >= LOST_AFTER and not self.lost:
            self.lost_ns.append([self.missed_since_ns, None])


class LinkStatistics(Saved):
    """Statistics of a run's deliveries; without effect on them."""

    STATE = StateLayout(
        'link statistics', StateField('_bin_ns', 'q'), StateField('_rows', tuple[tuple[str, str, _Pair], ...])
    )

    def __init__(self) -> None:
        """Start without packets."""
        self._pairs: dict[tuple[str, str], _Pair] = {}
        self._bin_ns = FIRST_BIN_NS

    def record_delivery(
        self,
        t_ns: int,
        pairs: Iterable[tuple[str, str]],
        sent: NDArray[np.int64],
        delivered: NDArray[np.int64],
    ) -> None:
        """Record the packets of one time.

        Args:
            t_ns: Simulated time [ns], not before that of earlier calls.
            pairs: n pairs of transmitter and receiver.
            sent: Number of packets of each pair, shape (n,).
            delivered: Number of delivered packets of each pair, shape (n,).
        """
        while t_ns // self._bin_ns >= MOST_BINS:
            self._bin_ns *= 2
            for pair in self._pairs.values():
                pair.sent_bins, pair.delivered_bins = _merged(pair.sent_bins), _merged(pair.delivered_bins)
        at = t_ns // self._bin_ns
        for key, tried, arrived in zip(pairs, sent.tolist(), delivered.tolist()):
            pair = self._pairs.setdefault(key, _Pair())
            pair.note(t_ns, tried, arrived)
            for bins, count in ((pair.sent_bins, tried), (pair.delivered_bins, arrived)):
                bins.extend([0] * (at + 1 - len(bins)))
                bins[at] += count

    def links(self) -> dict[str, dict[str, Any]]:
        """Return packet counts and the intervals without contact [s] by ``transmitter->receiver``.

        The keys of each entry are ``sent``, ``delivered`` and ``lost_s``.
        """
        return {
            f'{src}->{dst}': {
                'sent': pair.sent,
                'delivered': pair.delivered,
                'lost_s': [[None if t is None else t / 1e9 for t in interval] for interval in pair.lost_ns],
            }
            for (src, dst), pair in sorted(self._pairs.items())
        }

    def history(self) -> dict[str, Any]:
        """Return ``bin_s`` [s], and the packets ``sent`` and ``delivered`` in each bin by ``transmitter->receiver``."""
        pairs = {
            f'{src}->{dst}': {'sent': pair.sent_bins, 'delivered': pair.delivered_bins}
            for (src, dst), pair in sorted(self._pairs.items())
        }
        return {'bin_s': self._bin_ns * 1e-9, 'pairs': pairs}

    @property
    def _rows(self) -> tuple[tuple[str, str, _Pair], ...]:
        """Pairs with the names of their radios."""
        return tuple((*names, pair) for names, pair in self._pairs.items())

    @_rows.setter
    def _rows(self, rows: tuple[tuple[str, str, _Pair], ...]) -> None:
        self._pairs = {(src, dst): pair for src, dst, pair in rows}


def _merged(bins: list[int]) -> list[int]:
    """Return the sums of adjacent pairs of bins."""
    return [sum(bins[k : k + 2]) for k in range(0, len(bins), 2)]
