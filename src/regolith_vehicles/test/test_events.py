# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicle events."""

from __future__ import annotations

from collections.abc import Iterable

from regolith_vehicles.agent.events import EventDetector

STEP_NS = 20_000_000


def _look(watch: EventDetector, steps: Iterable[int], **told: float) -> list[tuple[float, str]]:
    """Run the detector over cycles k of 20 ms (``vx`` is the true speed); return times [s] and kinds of events."""
    values = {'up': 1.0, 'share': 0.0, 'speed': 0.0, 'vx': 0.0, **told}
    found = []
    for k in steps:
        events = watch.update(
            (k + 1) * STEP_NS, 0.02, values['up'], values['share'], values['speed'], values['vx'] * 0.02 * (k + 1), 0.0
        )
        found += [(event.t_ns / 1e9, event.kind) for event in events]
    return found


def test_rolled_over_is_detected_after_a_second_and_again_after_recovery() -> None:
    """Less than a second does not count, staying overturned does not repeat the event, recovery in between does."""
    watch = EventDetector()
    assert _look(watch, range(49), up=0.2) == []
    assert _look(watch, range(49, 60), up=0.9) == []
    assert _look(watch, range(60, 600), up=-1.0) == [(2.2, 'rolled_over')]
    assert _look(watch, range(600, 700), up=0.4) == []
    assert _look(watch, range(700, 800), up=0.2) == []
    assert _look(watch, range(800, 810), up=0.9) == []
    assert _look(watch, range(810, 900), up=0.2) == [(17.2, 'rolled_over')]
    assert [kind for _, kind in watch.history] == ['rolled_over', 'rolled_over']


def test_high_centered_is_detected_when_the_hull_carries_load() -> None:
    """A short load does not count; a lasting one does: 1 - exp(-t / 0.5 s) of 40 % exceeds 30 % after 0.693 s."""
    watch = EventDetector()
    assert _look(watch, range(5), share=1.0) == []
    watch = EventDetector()
    assert _look(watch, range(200), share=0.4) == [(0.70, 'high_centered')]
    assert _look(watch, range(200, 400), share=0.0) == []
    assert [kind for _, kind in _look(watch, range(400, 600), share=1.0)] == ['high_centered']
    # An overturned rover is not high-centered.
    assert _look(EventDetector(), range(49), share=1.0, up=-1.0) == []


def test_stuck_is_detected_after_ten_seconds_without_motion() -> None:
    """Creep below 5 mm/s is stuck, 6 mm/s is not, nor is a rest without a command; a new command restarts the timer."""
    assert _look(EventDetector(), range(1500), speed=0.3, vx=0.0045) == [(10.0, 'stuck')]
    assert _look(EventDetector(), range(1500), speed=0.3, vx=0.006) == []
    assert _look(EventDetector(), range(1500), speed=0.04) == []
    watch = EventDetector()
    assert _look(watch, range(400), speed=-0.3) == []
    assert _look(watch, range(400, 410)) == []
    assert _look(watch, range(410, 900), speed=-0.3) == []
    assert _look(watch, range(900, 1000), speed=-0.3) == [(18.2, 'stuck')]


def test_detector_continues_from_saved_state() -> None:
    """A detector restored midway finds the same events and keeps those reported before."""
    first = EventDetector()
    _look(first, range(300), up=0.1, share=0.9, speed=1.0)
    second = EventDetector()
    second.load(first.save())
    assert second.save() == first.save() and second.history == first.history
    rest = _look(first, range(300, 700), share=0.9, speed=1.0)
    assert rest and _look(second, range(300, 700), share=0.9, speed=1.0) == rest
    assert second.save() == first.save()


def test_battery_empty_is_reported_once() -> None:
    watch = EventDetector()
    found = []
    for k, empty in enumerate((False, True, True, False, True)):
        found += [e.kind for e in watch.update(k * STEP_NS, 0.02, 1.0, 0.0, 0.0, 0.0, 0.0, empty)]
        saved, watch = watch.save(), EventDetector()
        watch.load(saved)
    assert found == ['battery_empty', 'battery_empty']
