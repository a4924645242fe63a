# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the capacity windows and of random draws per packet."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_comms.packet_delivery import CapacityWindows, DeliveryOutcome, deliver
from regolith_comms.radio_config import Radio
from regolith_world.random.philox import stream_key

KEY = stream_key(1, 'comms', 'attempt')


def test_windows_contain_the_bytes_of_the_last_second() -> None:
    """Three radios, up to hundreds of random packets per second: byte sums equal those of a plain list."""
    rng = np.random.default_rng(3)
    windows, radio = CapacityWindows(3), Radio(model='distance', capacity_bps=8e9)
    log: list[tuple[int, int, int, int]] = []
    t_ns = 0
    for burst in range(120):
        t_ns += int(rng.integers(0, 60_000_000))
        count = int(rng.integers(1, 30 if burst > 40 else 3))
        tx = rng.integers(0, 3, count)
        rx = (tx + rng.integers(1, 3, count)) % 3
        size = rng.integers(0, 1500, count)
        done = deliver(windows, radio, KEY, t_ns, tx, rx, size, -20.0, 0.0, 7, np.arange(count) + 1000 * burst)
        assert (done.outcome == DeliveryOutcome.DELIVERED).all()
        log += [(t_ns, int(a), int(b), int(n)) for a, b, n in zip(tx, rx, size)]
        # A packet exactly one second old still counts.
        fresh = [entry for entry in log if entry[0] >= t_ns - 1_000_000_000]
        for k in {int(k) for k in tx}:
            assert windows.bytes_in_window(k)[0] == sum(n for _, a, _, n in fresh if a == k)
        for k in {int(k) for k in rx}:
            assert windows.bytes_in_window(k)[1] == sum(n for _, _, b, n in fresh if b == k)
    assert windows.stamps.shape[1] > 64, 'the rings have grown'


def test_packet_refused_at_sender_reaches_no_receiver() -> None:
    """A broadcast to three receivers beyond the capacity is refused completely; the next one of another radio is sent."""
    windows, radio = CapacityWindows(4), Radio(model='distance', capacity_bps=8000.0)
    tx, rx = [0, 0, 0, 1, 1, 1], [1, 2, 3, 0, 2, 3]
    size, charge = [1001] * 3 + [1000] * 3, [True, False, False] * 2
    done = deliver(windows, radio, KEY, 0, tx, rx, size, -20.0, 0.0, 0, [0, 0, 0, 1, 1, 1], charge)
    assert done.outcome.tolist() == [DeliveryOutcome.TX_CAPACITY] * 3 + [DeliveryOutcome.DELIVERED] * 3
    assert np.isnan(done.rssi_dbm[:3]).all() and done.rssi_dbm[3:].tolist() == [-20.0] * 3
    assert [windows.bytes_in_window(k) for k in range(4)] == [(0, 1000), (1000, 0), (0, 1000), (0, 1000)]
    # A full receiver receives nothing, but the packet counts for the sender.
    more = deliver(windows, radio, KEY, 1, [2], [3], [1], -20.0, 0.0, 0, [0])
    assert more.outcome.tolist() == [DeliveryOutcome.RX_CAPACITY] and windows.bytes_in_window(2)[0] == 1


def test_draws_depend_on_pair_and_packet_number() -> None:
    """The same packet has the same fading in any context; another pair, number or scenario has different fading."""
    radio = Radio(model='distance')

    def power(key: np.uint64, stream: int, number: int, before: int = 0) -> float:
        many = [0] * before + [0]
        numbers = [*range(1000, 1000 + before), number]
        streams = [99] * before + [stream]
        done = deliver(
            CapacityWindows(2), radio, key, 0, many, [1] * len(many), [1] * len(many), -30.0, 9.0, streams, numbers
        )
        return float(done.rssi_dbm[-1])

    first = power(KEY, 5, 3)
    assert first == power(KEY, 5, 3, before=7) != -30.0
    others = {power(stream_key(2, 'comms', 'attempt'), 5, 3), power(KEY, 6, 3), power(KEY, 5, 4)}
    assert len(others | {first}) == 4
    spread = np.array([power(KEY, 5, k) for k in range(400)])
    # Four standard errors of mean and deviation of 400 draws.
    assert spread.mean() == pytest.approx(-30.0, abs=4 * 3.0 / 20.0) and spread.std() == pytest.approx(
        3.0, rel=4 / np.sqrt(800.0)
    )
