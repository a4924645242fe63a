# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of participants of one process that respond together."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import TERRAIN_ROLES, VEHICLE_ROLES


@pytest.mark.parametrize('threads', [1, 2])
def test_results_of_a_group_are_sent_in_name_order(threads: int) -> None:
    """A participant without a compiled loop responds before the others have ended theirs."""
    sent: list[list[str]] = []
    group = ParticipantGroup(threads)
    group.on_results = lambda results: sent.append([each.name for each in results])

    def participant(name: str, *, has_loop: bool) -> Any:
        def result() -> None:
            group.receive(SimpleNamespace(name=name))  # type: ignore[arg-type]

        def begin(cycle: object) -> Any:
            if has_loop:
                return lambda: None
            result()
            return None

        return SimpleNamespace(name=name, begin=begin, finish=lambda cycle: result(), stopped=False)

    for name, has_loop in (('b', False), ('c', True), ('a', True), ('d', False)):
        group.add(participant(name, has_loop=has_loop))
    for _ in range(2):
        group.on_cycle(SimpleNamespace(participants=(), roles=()))  # type: ignore[arg-type]
    assert sent == [['a', 'b', 'c', 'd']] * 2


class Copy:
    """A copy of the terrain that is ready on demand."""

    def __init__(self, calls: list[str]) -> None:
        self.ready, self._calls = False, calls

    def ready_for(self, cycle: object) -> bool:
        return self.ready

    def on_cycle(self, cycle: object) -> None:
        self._calls.append('terrain')


def test_record_waits_until_the_copy_of_the_terrain_is_ready() -> None:
    """The copy applies the verdict before any participant reads it, and once."""
    calls: list[str] = []
    group, copy = ParticipantGroup(), Copy(calls)
    group.terrain_copies.append(copy)
    group.add(SimpleNamespace(name='a', begin=lambda cycle: calls.append('a'), stopped=False))  # type: ignore[arg-type]
    record: Any = SimpleNamespace(participants=(), roles=())
    group.on_cycle(record)
    group.retry_deferred()
    assert calls == []
    copy.ready = True
    group.retry_deferred()
    group.retry_deferred()
    assert calls == ['terrain', 'a']


def test_result_after_the_others_is_sent_at_once() -> None:
    """Terrain responds only when the last soil change has arrived, between two records."""
    sent: list[list[str]] = []
    group = ParticipantGroup()
    group.on_results = lambda results: sent.append([each.name for each in results])
    group.receive(SimpleNamespace(name='terrain'))  # type: ignore[arg-type]
    assert sent == [['terrain']]


def test_participants_of_an_earlier_phase_come_first() -> None:
    """In a process with terrain, vehicles read the soil after terrain has committed it."""
    calls: list[str] = []
    group = ParticipantGroup()
    for name in ('a', 'terrain'):
        begin = partial(_note, calls, name)
        group.add(SimpleNamespace(name=name, begin=begin, stopped=False))  # type: ignore[arg-type]
    group.on_cycle(SimpleNamespace(participants=('a', 'terrain'), roles=(VEHICLE_ROLES, TERRAIN_ROLES)))  # type: ignore[arg-type]
    assert calls == ['terrain', 'a']


def _note(calls: list[str], name: str, cycle: object) -> None:
    calls.append(name)
