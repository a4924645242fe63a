# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the waits of a world for other nodes, and of their report."""

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_world.ros.backpressure import Backpressure
from regolith_world.ros.wait_report import WaitReport


class Stand:
    """Waits on a simulated clock."""

    def __init__(self) -> None:
        self.now, self.lines = 0.0, list[str]()
        self.waits = WaitReport(self.lines.append, lambda: self.now)

    def wait(self, seconds: float, what: str = 'x') -> None:
        self.waits.begin()
        for _ in range(round(seconds / 0.01)):
            self.now += 0.01
            self.waits.note(what)


def test_wait_report_names_the_longest_wait_every_five_seconds() -> None:
    """Also if a single wait is longer than that, as with a timeout of 60 s."""
    for waits in ([0.09] * 200, [20.0]):
        stand = Stand()
        for seconds in waits:
            stand.wait(seconds, 'a message on /truck/driver_inputs')
            stand.now += 0.01  # a cycle
        assert 3 <= len(stand.lines) <= 4
        assert all(line.startswith('waiting for a message on /truck/driver_inputs: ') for line in stand.lines)


def test_wait_report_of_short_waits_is_empty() -> None:
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
def test_deferred_messages_are_published_before_the_world_waits(wait: str) -> None:
    """Otherwise, in one process, both would wait: the nodes for the last records, the world for their acknowledgments."""
    order: list[str] = []
    leaving = SimpleNamespace(requested=False)

    def pause(_: float) -> None:
        order.append('wait')
        leaving.requested = True

    inbox = SimpleNamespace(subscribe=lambda *_: None, subscribe_any=lambda *_: None, wait=pause)
    barrier = SimpleNamespace(topic='/cmd_vel', type='geometry_msgs/msg/Twist', timeout_s=9.0, period_s=0.02)
    config = SimpleNamespace(max_step_s=0.02, participant_timeout_s=5.0, input_barrier=barrier)
    world = SimpleNamespace(config=config, cycle=1000, t_ns=20_000_000_000, published_ns=19_980_000_000, epoch=0)
    node = SimpleNamespace(get_namespace=lambda: '/regolith')
    followers = Backpressure(
        node,
        inbox,
        world,
        leaving,
        lambda: order.append('serve'),
        lambda *_: False,
        lambda _: None,
        recorded=True,
        max_sensor_lag_s=0.04,
    )
    getattr(followers, wait)()
    assert order == ['serve', 'wait']


class Followed:
    """A world with followers on a simulated clock: each look at the inbox takes 0.5 s and gives the next message."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *,
        recorded: bool = True,
        lag_s: float = 0.04,
        max_step_s: float = 0.02,
        patient: bool = False,
    ) -> None:
        self.now, self.words, self.silent, self.lines = (
            0.0,
            list[tuple[str, Any]](),
            list[tuple[str, str]](),
            list[str](),
        )
        self.takes: dict[str, Any] = {}
        monkeypatch.setattr('regolith_world.ros.backpressure.time', SimpleNamespace(monotonic=lambda: self.now))
        barrier = SimpleNamespace(topic='/cmd_vel', type='geometry_msgs/msg/Twist', timeout_s=2.0, period_s=0.02)
        config = SimpleNamespace(max_step_s=max_step_s, participant_timeout_s=5.0, input_barrier=barrier)
        self.world = SimpleNamespace(config=config, cycle=100, t_ns=2_000_000_000, published_ns=1_980_000_000, epoch=0)
        inbox = SimpleNamespace(subscribe=self._subscribe, subscribe_any=self._subscribe_any, wait=self._wait)
        self.node = SimpleNamespace(
            get_namespace=lambda: '/regolith',
            count_publishers=lambda topic: 1,
            get_logger=lambda: SimpleNamespace(info=self.lines.append),
        )

        def timeout(who: str, what: str) -> bool:
            self.silent.append((who, what))
            return patient and len(self.silent) < 3

        self.followers = Backpressure(
            self.node,
            inbox,
            self.world,
            SimpleNamespace(requested=False),
            lambda: None,
            timeout,
            lambda _: None,
            recorded=recorded,
            max_sensor_lag_s=lag_s,
        )

    def _subscribe(self, kind: Any, topic: str, take: Any, qos: Any) -> None:
        self.takes[topic] = take

    def _subscribe_any(self, readers: dict[Any, Any], topic: str, qos: Any) -> None:
        self.takes[topic] = next(iter(readers.values()))

    def _wait(self, _: float) -> None:
        self.now += 0.5
        if self.words:
            topic, message = self.words.pop(0)
            self.takes[topic](message)

    def written(self, *cycles: int) -> None:
        self.words += [('recorder/ack', SimpleNamespace(data=cycle)) for cycle in cycles]

    def sensed(self, *times_ns: int, epoch: int = 0) -> None:
        self.words += [('sensors/ack', SimpleNamespace(t_ns=t_ns, epoch=epoch)) for t_ns in times_ns]


@pytest.mark.parametrize(('max_step_s', 'lag'), [(0.02, 25), (0.001, 25), (0.1, 5), (0.15, 4), (2.0, 1)])
def test_the_recorder_may_lag_by_25_cycles_or_half_a_second(
    monkeypatch: pytest.MonkeyPatch, max_step_s: float, lag: int
) -> None:
    held = Followed(monkeypatch, max_step_s=max_step_s)
    held.written(100 - lag - 2, 100 - lag - 1, 100 - lag, 100)
    held.followers.wait_for_recorder()
    assert len(held.words) == 1 and held.now == 1.5 and not held.silent
    held.followers.wait_for_recorder()
    assert held.now == 1.5, 'it is close enough already'
    # A restarted recorder does not owe earlier cycles.
    held.world.cycle = 1000
    held.words[:] = []
    held.written(0)
    held.followers.wait_for_recorder()
    assert held.now == 2.0


@pytest.mark.parametrize(('patient', 'told', 'now'), [(False, 1, 5.5), (True, 3, 16.5)])
def test_the_world_waits_for_a_recorder_until_its_timeout(
    monkeypatch: pytest.MonkeyPatch, patient: bool, told: int, now: float
) -> None:
    held = Followed(monkeypatch, patient=patient)
    held.followers.wait_for_recorder()
    assert held.silent == [('recorder', 'no acknowledgment within 5 s')] * told and held.now == pytest.approx(now)
    assert held.followers.missing() == ['sensors']
    alone = Followed(monkeypatch, recorded=False, lag_s=-1.0)
    alone.followers.wait_for_recorder()
    alone.followers.wait_for_sensors()
    assert (
        alone.now == 0.0
        and alone.followers.missing() == alone.followers.present() == []
        and set(alone.takes) == {'/cmd_vel'}
    )


def test_nodes_that_sent_a_message_are_present(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Followed(monkeypatch)
    assert held.followers.missing() == ['recorder', 'sensors'] and held.followers.present() == []
    held.takes['sensors/ack'](SimpleNamespace(t_ns=-1, epoch=0))
    assert held.followers.missing() == ['recorder'] and held.followers.present() == ['sensors']
    held.takes['recorder/ack'](SimpleNamespace(data=3))
    assert held.followers.missing() == [] and held.followers.present() == ['recorder', 'sensors']


def test_sensors_may_lag_by_the_limit_in_the_present_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Followed(monkeypatch)
    held.sensed(1_900_000_000, 1_959_999_999, 1_960_000_000, 2_000_000_000)
    held.followers.wait_for_sensors()
    assert held.now == 1.5
    held.followers.wait_for_sensors(0)
    assert held.now == 2.0 and not held.words
    # After a rewind, a message of before it does not count, even with a later time.
    held.world.epoch, held.world.t_ns = 1, 1_000_000_000
    held.sensed(3_000_000_000)
    held.sensed(990_000_000, epoch=1)
    held.followers.wait_for_sensors()
    assert held.now == 3.0 and not held.words
    # Restarted sensors in a world that runs begin with the present time.
    held.world.t_ns = 5_000_000_000
    held.sensed(-1)
    held.followers.wait_for_sensors()
    assert held.now == 3.5


def test_sensors_with_a_frame_in_progress_have_a_longer_timeout_than_absent_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A message after 5 s, a timeout after 120 s; after 5 s if the publisher no longer exists."""
    held = Followed(monkeypatch)
    held.followers.wait_for_sensors()
    assert held.silent == [('sensors', 'no frame within 120 s')] and held.now == 120.5 and not held.followers.sensing
    assert held.lines == ['sensors: no frame for 5 s; the world waits for one, 120 s at most']
    gone = Followed(monkeypatch)
    gone.node.count_publishers = lambda topic: 0
    gone.followers.wait_for_sensors()
    assert gone.silent == [('sensors', 'no frame within 5 s')] and gone.now == 5.0


def test_input_barrier_counts_each_input_once_and_its_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Followed(monkeypatch)
    held.words += [('/cmd_vel', None)]
    held.followers.wait_for_input()
    assert (held.now, held.followers.input_timeouts) == (0.5, 0)
    held.takes['/cmd_vel'](None)
    held.takes['/cmd_vel'](None)
    held.world.published_ns += 20_000_000
    held.followers.wait_for_input()
    assert held.now == 0.5, 'there was one already'
    for number in (1, 2):
        held.world.published_ns += 20_000_000
        held.followers.wait_for_input()
        assert (held.now, held.followers.input_timeouts) == (0.5 + 2.5 * number, number)
    held.world.config.input_barrier = None
    held.world.published_ns += 20_000_000
    held.followers.wait_for_input()
    assert held.now == 5.5


class Commanded:
    """A world of cycles and holds, and a stack that sends one message for each state that vehicles publish.

    Vehicles publish the first state of each period of 20 ms. Messages arrive when the world next looks, or, if the world
    is slow, all before it looks.
    """

    def __init__(self, followed: Followed, step_ns: int = 20_000_000) -> None:
        self.followed, self.step_ns, self.slot = followed, step_ns, -1
        self.world = followed.world
        self.world.t_ns = 0

    def _publish(self) -> None:
        self.world.published_ns = self.world.t_ns
        if (slot := self.world.t_ns // 20_000_000) != self.slot:
            self.slot = slot
            self.followed.words.append(('/cmd_vel', None))

    def hold(self) -> None:
        """Publish the committed state, as a pause or a checkpoint does."""
        self._publish()

    def cycle(self) -> None:
        self.followed.followers.wait_for_input()
        self._publish()
        self.world.t_ns += self.step_ns

    def deliver(self) -> None:
        """Let all messages arrive at once."""
        while self.followed.words:
            topic, message = self.followed.words.pop(0)
            self.followed.takes[topic](message)


@pytest.mark.parametrize('at_once', [False, True])
def test_a_hold_makes_the_world_wait_for_no_message_that_the_stack_does_not_owe(
    monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    """A state that a hold published is not published again, so one wait less follows. Both messages may come before one."""
    commanded = Commanded(Followed(monkeypatch))
    commanded.hold()
    for number in range(20):
        commanded.cycle()
        if number % 5 == 4:
            commanded.hold()
        if at_once:
            commanded.deliver()
    assert commanded.followed.followers.input_timeouts == 0


def test_cycles_within_the_period_of_published_states_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles of 7 ms, as before an impact: two of three have no new state. Each period has its message."""
    commanded = Commanded(Followed(monkeypatch), 7_000_000)
    commanded.hold()
    for _ in range(60):
        commanded.cycle()
    followed = commanded.followed
    assert followed.followers.input_timeouts == 0
    # 59 cycles of 7 ms reach 413 ms, the state before it is of period 20. Each look takes 0.5 s and gives one message.
    assert followed.now == 0.5 * 21
