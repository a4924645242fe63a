# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of startup timeouts and of pacing, on a simulated clock."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not in this environment')

from regolith_world.ros import pacing, startup_timeout, world_monitor


class Graph:
    """Stands in for a node: another node compiles until a time."""

    def __init__(self, until: float) -> None:
        self.until, self.now = until, 0.0

    def count_publishers(self, topic: str) -> int:
        assert topic == 'starting'
        return int(self.now < self.until)


@pytest.mark.parametrize(('compiles_s', 'ends_s'), [(0.0, 60.0), (66.0, 126.0), (1e6, 960.0)])
def test_startup_timeout_excludes_compilation(
    compiles_s: float, ends_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """66 s of compilation exceed 60 s. A node that hangs is abandoned after the maximum build time plus the timeout."""
    graph: Any = Graph(compiles_s)
    monkeypatch.setattr(startup_timeout.time, 'monotonic', lambda: graph.now)
    waiting = startup_timeout.StartupTimeout(graph, 'starting', 60.0)
    while waiting.left() >= 0.0:
        graph.now += 0.5
    assert graph.now == pytest.approx(ends_s, abs=1.0)


@pytest.mark.parametrize(('compiles_s', 'setup_s'), [(0.0, 0.0), (66.0, 66.0), (1e6, 900.0)])
def test_unresponsive_world_is_reported_after_the_compilation_which_is_reported_once(
    compiles_s: float, setup_s: float
) -> None:
    """A setup does not count, but a node that hangs in it is reported after the maximum build time."""
    lines: list[tuple[float, str]] = []

    class Unresponsive(Graph):
        def get_logger(self) -> Any:
            return types.SimpleNamespace(
                info=lambda text: lines.append((self.now, text)), warning=lambda text: lines.append((self.now, text))
            )

    graph: Any = Unresponsive(compiles_s)
    watch = world_monitor.WorldMonitor(graph, 'starting', clock=lambda: graph.now)
    while graph.now < setup_s + 50.0:
        graph.now += 0.5
        watch.check()
    told = [text for _, text in lines if text == world_monitor.COMPILING]
    assert len(told) == (1 if compiles_s else 0)
    warned = [at for at, text in lines if 'hangs' in text]
    assert setup_s < warned[0] < setup_s + 2.0 * world_monitor.SILENT_S + 1.0
    assert warned[1] - warned[0] == pytest.approx(world_monitor.SILENT_S, abs=1.0)


def test_pacer_reports_lost_time_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """At real time, with steps of 0.02 s that take 0.04 s: a second is lost every fifty steps."""
    now = [100.0]
    monkeypatch.setattr(pacing.time, 'monotonic', lambda: now[0])
    keeper, lost = pacing.Pacer(1.0, False, 0.005), 0
    for cycle in range(500):
        lost += keeper.wait(cycle * 20_000_000, lambda spare_s: None)
        now[0] += 0.04
    assert lost == pytest.approx(500 * 0.02 / pacing.HOPELESS_S, abs=1)


def test_deadline_statistics_have_two_percent_resolution_for_any_number_of_cycles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against the percentile of all delays: steps late by 1 ms on average, one in fifty by about 10 ms."""
    rng = np.random.default_rng(3)
    late = np.where(
        rng.random(20_000) < 0.02, rng.normal(10e-3, 1e-3, 20_000), rng.lognormal(np.log(1e-3), 0.3, 20_000)
    )
    now = [0.0]
    monkeypatch.setattr(pacing.time, 'monotonic', lambda: now[0])
    keeper = pacing.Pacer(1.0, True, 0.005)
    held = sys.getsizeof(keeper._starts)
    for cycle, lateness in enumerate(late):
        now[0] = cycle * 0.02 + max(lateness, 1e-9)
        keeper.wait(cycle * 20_000_000, lambda spare_s: None)
    told = keeper.deadline_statistics()
    assert told is not None and told['timed_cycles'] == 20_000 and told['deadline_misses'] == (late > 0.005).sum()
    assert told['jitter_p99_s'] == pytest.approx(np.percentile(late, 99.0), rel=0.021)
    assert told['jitter_max_s'] == pytest.approx(late.max(), abs=1e-9)
    assert sys.getsizeof(keeper._starts) == held


def test_deadline_statistics_without_delay_have_no_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(pacing.time, 'monotonic', lambda: now[0])
    keeper = pacing.Pacer(2.0, True, 0.005)
    assert keeper.deadline_statistics() is None
    for cycle in range(100):
        now[0] = cycle * 0.01 + 1e-9  # slightly late, or it would wait on a stopped clock
        keeper.wait(cycle * 20_000_000, lambda spare_s: None)
    assert keeper.deadline_statistics() == {
        'timed_cycles': 100,
        'deadline_misses': 0,
        'jitter_p99_s': pytest.approx(0.0, abs=1e-8),
        'jitter_max_s': pytest.approx(0.0, abs=1e-8),
    }


@pytest.mark.parametrize('speed', [4.0, 0.25])
def test_new_real_time_factor_applies_from_its_change(speed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds at real time, then another factor: the next step of 0.02 s is due 0.02 s / factor later."""
    now = [50.0]
    monkeypatch.setattr(pacing.time, 'monotonic', lambda: now[0])
    monkeypatch.setattr(pacing.time, 'sleep', lambda seconds: now.__setitem__(0, now[0] + seconds + 1e-9))
    keeper = pacing.Pacer(1.0, False, 0.005)
    keeper.wait(10_000_000_000, lambda spare_s: now.__setitem__(0, now[0] + spare_s))
    assert now[0] == pytest.approx(60.0, abs=1e-6)
    keeper.change_speed(speed, 10_000_000_000)
    keeper.wait(10_020_000_000, lambda spare_s: now.__setitem__(0, now[0] + spare_s))
    assert now[0] - 60.0 == pytest.approx(0.02 / speed, abs=1e-6)
