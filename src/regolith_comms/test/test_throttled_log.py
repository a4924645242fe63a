# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings in crowds: the first at once, the others together, none forgotten."""

from __future__ import annotations

from regolith_comms.ros.throttled_log import MOST, ThrottledLog


def test_the_first_is_told_at_once_and_the_rest_a_second_later() -> None:
    told: list[str] = []
    time = 5.0
    complaints = ThrottledLog(told.append, lambda: time)
    complaints.add('ghost')
    assert told == ['ghost']
    complaints.add('port', 'ghost', 'port')
    complaints.add()
    assert told == ['ghost']
    time = 6.0
    complaints.add()
    assert told[1:] == ['port (2 times); ghost']
    time = 7.5
    complaints.add()
    assert len(told) == 2


def test_very_many_are_counted_and_the_end_tells_what_is_left() -> None:
    told: list[str] = []
    complaints = ThrottledLog(told.append, lambda: 1.0)
    complaints.add('first')
    complaints.add(*(f'text {k}' for k in range(MOST + 3)), 'text 0')
    complaints.flush()
    complaints.flush()
    assert len(told) == 2
    assert told[1].startswith('text 0 (2 times); text 1; ') and told[1].endswith(f'text {MOST - 1}; and 3 more')
