# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of throttled warnings: the first at once, the others merged, none lost."""

from __future__ import annotations

from regolith_comms.ros.throttled_log import MOST, ThrottledLog


def test_first_warning_is_logged_at_once_and_the_rest_after_a_second() -> None:
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


def test_many_warnings_are_counted_and_flushed_at_the_end() -> None:
    told: list[str] = []
    complaints = ThrottledLog(told.append, lambda: 1.0)
    complaints.add('first')
    complaints.add(*(f'text {k}' for k in range(MOST + 3)), 'text 0')
    complaints.flush()
    complaints.flush()
    assert len(told) == 2
    assert told[1].startswith('text 0 (2 times); text 1; ') and told[1].endswith(f'text {MOST - 1}; and 3 more')
