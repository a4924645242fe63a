# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of how a world waits for others, and what a slow one says it waits for."""

from types import SimpleNamespace

import pytest

from regolith_world.ros.followers import Followers
from regolith_world.ros.waits import Waits


class Stand:
    """Waits with a clock of the test's own."""

    def __init__(self) -> None:
        self.now, self.lines = 0.0, list[str]()
        self.waits = Waits(self.lines.append, lambda: self.now)

    def wait(self, seconds: float, what: str = 'x') -> None:
        self.waits.begin()
        for _ in range(round(seconds / 0.01)):
            self.now += 0.01
            self.waits.note(what)


def test_world_that_mostly_waits_says_for_what_every_five_seconds() -> None:
    """Also where a single wait is longer than that, as with a time-out of 60 s."""
    for waits in ([0.09] * 200, [20.0]):
        stand = Stand()
        for seconds in waits:
            stand.wait(seconds, 'a message on /truck/driver_inputs')
            stand.now += 0.01  # a cycle
        assert 3 <= len(stand.lines) <= 4
        assert all(line.startswith('waiting for a message on /truck/driver_inputs: ') for line in stand.lines)


def test_world_that_waits_little_says_nothing() -> None:
    stand = Stand()
    for _ in range(300):
        stand.wait(0.02)
        stand.now += 0.04
    assert not stand.lines


def test_longest_of_several_waits_is_named() -> None:
    stand = Stand()
    for _ in range(60):
        stand.wait(0.02, 'the recorder')
        stand.wait(0.08, 'a message')
    assert len(stand.lines) == 1 and stand.lines[0].startswith('waiting for a message: ')


@pytest.mark.parametrize('wait', ['wait_for_recorder', 'wait_for_sensors', 'wait_for_input'])
def test_held_back_messages_are_published_before_the_world_waits(wait: str) -> None:
    """Without it, in one process, both would wait: they for the last records of a cycle, the world for their word."""
    order: list[str] = []
    leaving = SimpleNamespace(asked=False)

    def pause(_: float) -> None:
        order.append('wait')
        leaving.asked = True

    inbox = SimpleNamespace(subscribe=lambda *_: None, subscribe_any=lambda *_: None, wait=pause)
    barrier = SimpleNamespace(topic='/cmd_vel', type='geometry_msgs/msg/Twist', timeout_s=9.0)
    config = SimpleNamespace(heartbeat_s=0.02, agent_timeout_s=5.0, input_barrier=barrier)
    world = SimpleNamespace(config=config, cycle=1000, t_ns=20_000_000_000, epoch=0)
    node = SimpleNamespace(get_namespace=lambda: '/regolith')
    followers = Followers(
        node, inbox, world, leaving, lambda: order.append('serve'), lambda *_: False, lambda _: None,
        recorded=True, sensors_lag_s=0.04,
    )  # fmt: skip
    getattr(followers, wait)()
    assert order == ['serve', 'wait']
