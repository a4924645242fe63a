# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of participants of one process that respond together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_world.cycle.participant_group import ParticipantGroup


@pytest.mark.parametrize('threads', [1, 2])
def test_results_of_a_group_are_sent_in_name_order(threads: int) -> None:
    """A participant without a compiled loop responds before the others have ended theirs."""
    sent: list[list[str]] = []
    group = ParticipantGroup(lambda results: sent.append([each.name for each in results]), threads=threads)

    def participant(name: str, *, has_loop: bool) -> Any:
        def result() -> None:
            group.receive(SimpleNamespace(name=name))  # type: ignore[arg-type]

        def begin(cycle: object) -> Any:
            if has_loop:
                return lambda: None
            result()
            return None

        return SimpleNamespace(
            name=name, ready_for=lambda cycle: True, begin=begin, finish=lambda cycle: result(), stopped=False
        )

    for name, has_loop in (('b', False), ('c', True), ('a', True), ('d', False)):
        group.add(participant(name, has_loop=has_loop))
    for _ in range(2):
        group.on_cycle(SimpleNamespace())  # type: ignore[arg-type]
    assert sent == [['a', 'b', 'c', 'd']] * 2
