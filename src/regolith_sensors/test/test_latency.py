# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Delivery times of frames and the queue of delayed messages."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from regolith_sensors.config.latency import LatencyConfig
from regolith_sensors.latency import DelayedPublisher, DeliveryQueue, DeliveryTimes

PERIOD_NS = 100_000_000


def times(count: int, seed: int = 4, sensor: str = 'rover/eye', **config: float) -> list[int | None]:
    made = DeliveryTimes(LatencyConfig(**config), seed, sensor, lambda n: 5_000_000 + n * PERIOD_NS)
    return [made.time_ns(n) for n in range(count)]


def test_delivery_is_end_plus_readout_plus_lag() -> None:
    assert times(3, readout_s=0.02, lag_s=0.25) == [275_000_000 + n * PERIOD_NS for n in range(3)]
    assert LatencyConfig().is_zero and not LatencyConfig(jitter_s=0.1).is_zero


def test_jitter_is_half_normal_and_depends_on_seed_sensor_and_frame_alone() -> None:
    found = times(20_000, lag_s=0.01, jitter_s=0.001)
    late = np.array(found, dtype=np.int64) - 5_000_000 - PERIOD_NS * np.arange(20_000) - 10_000_000
    # Mean sqrt(2 / pi) sigma; its standard error over 20 000 frames is 0.6 sigma / 141.
    assert late.min() >= 0 and late.mean() * 1e-6 == pytest.approx(math.sqrt(2.0 / math.pi), abs=0.02)
    backwards = DeliveryTimes(
        LatencyConfig(lag_s=0.01, jitter_s=0.001), 4, 'rover/eye', lambda n: 5_000_000 + n * PERIOD_NS
    )
    assert [backwards.time_ns(n) for n in (9, 3, 0)] == [found[n] for n in (9, 3, 0)]
    assert times(20, seed=5, lag_s=0.01, jitter_s=0.001) != found[:20]
    assert times(20, sensor='rover/ear', lag_s=0.01, jitter_s=0.001) != found[:20]


def test_jitter_larger_than_the_period_keeps_the_order() -> None:
    found = times(500, jitter_s=0.5)
    assert all(a is not None and b is not None and a <= b for a, b in itertools.pairwise(found))
    assert len(set(found)) < 500, 'frames that would overtake come at the same time'


def test_frame_that_finds_a_full_queue_is_dropped() -> None:
    # Delivered 0.25 s after its end: two frames wait at the end of the third.
    assert times(6, lag_s=0.25, queue=2) == [
        255_000_000,
        355_000_000,
        None,
        555_000_000,
        655_000_000,
        None,
    ]
    made = DeliveryTimes(LatencyConfig(lag_s=0.25, queue=2), 0, 'eye', lambda n: n * PERIOD_NS)
    assert made.time_ns(7) is not None and made.dropped == 2
    assert None not in times(50, lag_s=0.25, queue=3)


class Publisher:
    topic_name = '/rover/eye/image'

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def publish(self, message: bytes) -> None:
        self.sent.append(message)


def test_messages_wait_for_their_time_and_keep_their_content() -> None:
    queue, plain = DeliveryQueue(), Publisher()
    delayed = DelayedPublisher(plain, queue, lambda message: str(message).encode())
    assert delayed.topic_name == '/rover/eye/image'
    message = [1]
    delayed.time_ns = 30
    delayed.publish(message)
    message[0] = 2
    delayed.time_ns = 20
    delayed.publish(message)
    delayed.publish(b'raw')
    queue.deliver(19)
    assert plain.sent == []
    queue.deliver(20)
    assert plain.sent == [b'[2]', b'raw']
    queue.deliver(1000)
    assert plain.sent == [b'[2]', b'raw', b'[1]']
    delayed.publish(b'late')
    queue.clear()
    queue.deliver(1000)
    assert len(plain.sent) == 3


@pytest.mark.parametrize('change', [{'lag_s': -0.1}, {'jitter_s': math.inf}, {'readout_s': 11.0}, {'queue': 0}])
def test_values_out_of_range_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        LatencyConfig(**change)  # type: ignore[arg-type]
