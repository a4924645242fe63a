# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What a replay publishes, and when: on a clock of the test's own, without nodes."""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.ros
SECOND = 10**9


class Recorder:
    """A republisher's publishers, executor and clock: notes what is published at which time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.published: list[tuple[float, bytes]] = []
        monkeypatch.setattr('regolith_bringup.run.bag_player.time.monotonic', lambda: self.now)

    def publish(self, data: bytes) -> None:
        self.published.append((self.now - 100.0, data))

    def spin_once(self, timeout_sec: float) -> None:
        self.now += timeout_sec


def republished(monkeypatch: pytest.MonkeyPatch, messages: list[tuple[str, float]], **options: Any) -> Recorder:
    """Return what is published of messages by topic and log time [s], of which those of /map are latched."""
    from regolith_bringup.bag.reading import RawMessage
    from regolith_bringup.run.bag_player import BagPlayer

    stored = [RawMessage(topic, round(t * SECOND), f'{topic} {t}'.encode()) for topic, t in messages]
    bag: Any = SimpleNamespace(latched={'/map'}, raw=lambda *names: (m for m in stored if m.topic in names))
    recorder = Recorder(monkeypatch)
    made: Any = BagPlayer(bag)
    made._publishers = {'/map': recorder, '/odom': recorder}
    made.executor, made.wait = recorder, lambda until, seconds: None
    made.publish(**{'from_ns': 0, 'to_ns': 100 * SECOND, 'rate': math.inf, 'wait_s': 0.0, **options})
    return recorder


def test_what_was_latched_at_the_very_beginning_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [('/map', 1.0), ('/odom', 1.5), ('/map', 2.0), ('/odom', 2.0), ('/odom', 3.0)]
    told = [data for _, data in republished(monkeypatch, messages, from_ns=2 * SECOND).published]
    assert told == [b'/map 1.0', b'/map 2.0', b'/odom 2.0', b'/odom 3.0']


@pytest.mark.parametrize('rate', [1.0, 4.0])
def test_a_replay_from_the_middle_begins_at_once_and_keeps_its_rate(
    monkeypatch: pytest.MonkeyPatch, rate: float
) -> None:
    messages = [('/odom', 10.0 + 0.25 * k) for k in range(9)]
    recorder = republished(monkeypatch, messages, from_ns=11 * SECOND, to_ns=12 * SECOND, rate=rate)
    assert [data for _, data in recorder.published] == [f'/odom {11.0 + 0.25 * k}'.encode() for k in range(5)]
    assert [t for t, _ in recorder.published] == pytest.approx([0.25 * k / rate for k in range(5)])


@pytest.mark.parametrize(('given', 'to_ns', 'span'), [(None, 2**63 - 1, 8000), (0.0, 0, 1), (2.5, 2_500_000_000, 2500)])
def test_replay_ends_at_the_given_time_at_zero_too(
    given: float | None, to_ns: int, span: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from regolith_bringup.commands.replay import replay

    found: dict[str, Any] = {}
    steps: list[tuple[int, int]] = []

    def publish(on_progress: Any, **options: Any) -> int:
        found.update(options)
        on_progress(10**12)
        return 3

    made = nullcontext(SimpleNamespace(publish=publish))
    monkeypatch.setattr('regolith_bringup.run.bag_player.BagPlayer', lambda *args: made)
    bag = SimpleNamespace(topics={})
    monkeypatch.setattr('regolith_bringup.commands.recordings.open_recording', lambda *args: bag)
    tools = SimpleNamespace(
        run=lambda run: SimpleNamespace(simulated_s=8.0),
        print_json=found.update,
        progress=lambda name: nullcontext(lambda done, of: steps.append((done, of))),
    )
    context: Any = SimpleNamespace(obj=tools)
    replay(context, tmp_path, begin=0.0, end=given, delay=0.0, as_json=True)
    assert (found['from_ns'], found['to_ns'], found['wait_s'], found['messages']) == (0, to_ns, 0.0, 3)
    assert steps == [(span, span)]
