# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Attempts to deliver packets: capacity of both radios, fading, packet errors, in the order of the SubT simulator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_comms.radio import Floats
from regolith_comms.radio_config import Radio
from regolith_world.numerics import kernel
from regolith_world.random import normal_and_uniform

Longs = NDArray[np.int64]
Keys = NDArray[np.uint64]

WINDOW_NS = 1_000_000_000
"""Length of the sliding window for a radio's capacity [ns]."""


class DeliveryOutcome(IntEnum):
    """Result of an attempt; the last three are the reasons of a drop."""

    DELIVERED = 0
    TX_CAPACITY = 1
    """The transmitter exceeded its capacity within the last second; no bytes are counted."""
    ERROR = 2
    """Bit errors, or no link; the bytes count for the transmitter."""
    RX_CAPACITY = 3
    """The receiver exceeded its capacity; the bytes count only for the transmitter."""


_TX_CAPACITY, _ERROR, _RX_CAPACITY = (
    int(DeliveryOutcome.TX_CAPACITY),
    int(DeliveryOutcome.ERROR),
    int(DeliveryOutcome.RX_CAPACITY),
)


class CapacityWindows:
    """Bytes sent and received by each radio within the last second: two rings of (time, bytes) per radio."""

    def __init__(self, radios: int) -> None:
        """Start without traffic; row 2 k is radio k as transmitter, row 2 k + 1 as receiver."""
        self.stamps = np.zeros((2 * radios, 16), dtype=np.int64)
        self.sizes = np.zeros((2 * radios, 16), dtype=np.int64)
        self.first = np.zeros(2 * radios, dtype=np.int64)
        self.count = np.zeros(2 * radios, dtype=np.int64)
        self.total = np.zeros(2 * radios, dtype=np.int64)

    def grow(self) -> None:
        """Double the length of the rings."""
        rows, length = self.stamps.shape
        order = (self.first[:, None] + np.arange(length)) % length
        for name in ('stamps', 'sizes'):
            ring = np.zeros((rows, 2 * length), dtype=np.int64)
            ring[:, :length] = np.take_along_axis(getattr(self, name), order, axis=1)
            setattr(self, name, ring)
        self.first[:] = 0

    def add_radio(self) -> int:
        """Add a radio and return its index."""
        self.stamps, self.sizes = (np.pad(ring, ((0, 2), (0, 0))) for ring in (self.stamps, self.sizes))
        self.first, self.count, self.total = (np.pad(v, (0, 2)) for v in (self.first, self.count, self.total))
        return len(self.count) // 2 - 1

    def bytes_in_window(self, radio: int) -> tuple[int, int]:
        """Return the bytes sent and received at the radio's last activity."""
        return int(self.total[2 * radio]), int(self.total[2 * radio + 1])


@dataclass(frozen=True, slots=True)
class DeliveryResults:
    """Results of n attempts; arrays have shape (n,)."""

    outcome: NDArray[np.int8]
    """Values of :class:`DeliveryOutcome`."""
    rssi_dbm: Floats
    """Received power of each attempt as drawn [dBm]; nan where none was drawn."""


def deliver(
    windows: CapacityWindows,
    radio: Radio,
    key: np.uint64,
    t_ns: int,
    tx: ArrayLike,
    rx: ArrayLike,
    n_bytes: ArrayLike,
    mean_dbm: ArrayLike,
    variance_db2: ArrayLike,
    stream: ArrayLike,
    sequence: ArrayLike,
    charge: ArrayLike = True,
) -> DeliveryResults:
    """Attempt to deliver packets one after another, update the windows, and return the results.

    Bytes count for a transmitter within its capacity. The received power is drawn from Normal(mean, variance). The
    packet is received with probability 1 - PER if the receiver is within its capacity, and then counts for the
    receiver.

    Args:
        windows: Capacity windows of all radios.
        radio: Parameters of all radios.
        key: Key of the random stream; see :func:`regolith_world.random.philox.stream_key`.
        t_ns: Simulated time of all attempts [ns], not before that of earlier calls.
        tx: Index of each transmitter in the windows, shape (n,); -1: unknown radio.
        rx: Index of each receiver in the windows, shape (n,); -1: unknown radio.
        n_bytes: Size of each payload [B].
        mean_dbm: Mean received power [dBm].
        variance_db2: Variance of the received power [dB^2].
        stream: 64 bits for the pair of radios.
        sequence: Number of the packet; with ``stream`` it determines the draw.
        charge: Whether bytes count for the transmitter; False for further receivers of one broadcast.

    Source: subt2022, RFModel.
    Checked by: test_reference.py::test_success_rates_match_the_exact_probability,
    test_reference.py::test_capacity_trace_matches_the_reference.
    """
    shape = np.broadcast_shapes(np.shape(tx), np.shape(rx))
    arrays = [
        np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=kind), shape))
        for values, kind in (
            (tx, np.int64),
            (rx, np.int64),
            (n_bytes, np.int64),
            (mean_dbm, np.float64),
            (variance_db2, np.float64),
            (stream, np.uint64),
            (sequence, np.uint64),
            (charge, np.bool_),
        )
    ]
    outcome = np.zeros(shape, dtype=np.int8)
    rssi = np.full(shape, np.nan)
    done = 0
    while True:
        w = windows
        done = _attempt(
            done,
            key,
            t_ns,
            radio.noise_floor_dbm,
            radio.capacity_bps * (WINDOW_NS * 1e-9),
            w.stamps,
            w.sizes,
            w.first,
            w.count,
            w.total,
            *arrays,
            outcome,
            rssi,
        )
        if done == len(outcome):
            return DeliveryResults(outcome, rssi)
        windows.grow()


@kernel
def _prune(row: int, oldest: int, stamps: Longs, sizes: Longs, first: Longs, count: Longs, total: Longs) -> None:
    """Remove the packets of a ring that are older than the window."""
    length = stamps.shape[1]
    while count[row] > 0 and stamps[row, first[row]] < oldest:
        total[row] -= sizes[row, first[row]]
        first[row] = (first[row] + 1) % length
        count[row] -= 1


@kernel
def _record(
    row: int, now: int, size: int, stamps: Longs, sizes: Longs, first: Longs, count: Longs, total: Longs
) -> None:
    """Append a packet to a ring."""
    at = (first[row] + count[row]) % stamps.shape[1]
    stamps[row, at], sizes[row, at] = now, size
    count[row] += 1
    total[row] += size


@kernel
def _attempt(
    done: int,
    key: np.uint64,
    now: int,
    noise: float,
    capacity_bits: float,
    stamps: Longs,
    sizes: Longs,
    first: Longs,
    count: Longs,
    total: Longs,
    tx: Longs,
    rx: Longs,
    n_bytes: Longs,
    mean: Floats,
    variance: Floats,
    stream: Keys,
    sequence: Keys,
    charge: NDArray[np.bool_],
    outcome: NDArray[np.int8],
    rssi: Floats,
) -> int:
    """Return the number of finished attempts; fewer than all if a ring is full."""
    oldest = now - WINDOW_NS
    for n in range(done, tx.shape[0]):
        sender, receiver = 2 * tx[n], 2 * rx[n] + 1
        for row in (sender, receiver):
            _prune(row, oldest, stamps, sizes, first, count, total)
            if count[row] == stamps.shape[1]:
                return n
        if not charge[n]:
            # A further receiver of a broadcast does not receive it if the transmitter could not send it.
            if n > 0 and outcome[n - 1] == _TX_CAPACITY:
                outcome[n] = _TX_CAPACITY
                continue
        else:
            if (total[sender] + n_bytes[n]) * 8 > capacity_bits:
                outcome[n] = _TX_CAPACITY
                continue
            _record(sender, now, n_bytes[n], stamps, sizes, first, count, total)
        power = mean[n]
        normal, uniform = normal_and_uniform(key, stream[n], sequence[n])
        if variance[n] > 0.0:
            power += math.sqrt(variance[n]) * normal
        rssi[n] = power
        error = math.erfc(math.sqrt(10.0 ** ((power - noise) / 10.0)))
        survival = 1.0 - error
        # An empty packet at zero power is lost: 0 log 0 is undefined.
        arrives = math.exp(n_bytes[n] * math.log1p(-error)) if survival > 0.0 else 0.0
        if not uniform < arrives:
            outcome[n] = _ERROR
            continue
        if (total[receiver] + n_bytes[n]) * 8 > capacity_bits:
            outcome[n] = _RX_CAPACITY
            continue
        _record(receiver, now, n_bytes[n], stamps, sizes, first, count, total)
    return len(tx)
