# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress: the time that is left, lines in a log, a bar on a terminal."""

from __future__ import annotations

import re
import time

import pytest

from regolith_bringup.run.progress import ProgressEstimate, duration_text, progress


def test_the_time_left_is_that_of_the_pace_so_far() -> None:
    now = [100.0]
    work = ProgressEstimate('wheel-rig', lambda: now[0])
    work.update(0, 0)
    now[0] = 110.0
    assert work.left_s is None and work.line() == 'wheel-rig: 10 s so far'
    work.update(40, 100)  # continued from a checkpoint: these took no time
    assert work.left_s is None and work.line() == 'wheel-rig: 40 %, 10 s so far'
    now[0] = 140.0
    work.update(46, 100)
    assert work.left_s == pytest.approx(270.0)  # 6 parts in 30 s, 54 are left
    now[0] = 200.0  # no report for one minute
    assert work.left_s == pytest.approx(210.0) and work.line() == 'wheel-rig: 46 %, about 4 min left'
    now[0] = 500.0  # so much for that
    assert work.left_s is None and work.line() == 'wheel-rig: 46 %, 7 min so far'


def test_duration_text_is_human_readable() -> None:
    assert [duration_text(s) for s in (7.4, 89.0, 200.0, 5399.0, 9000.0)] == ['7 s', '89 s', '3 min', '90 min', '2.5 h']


def test_a_log_gets_lines_between_calls_too(capsys: pytest.CaptureFixture[str]) -> None:
    with progress('repose', first_s=0.1, every_s=0.1) as show:
        show(0, 100)
        time.sleep(0.05)
        show(1, 100)
        time.sleep(0.45)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2 and re.fullmatch('repose: 1 %, about [0-9]+ s left', lines[-1])


def test_what_is_done_soon_or_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress('repose') as show:
        show(1, 2)
    with progress('repose', quiet=True, first_s=0.0, every_s=0.01) as show:
        show(1, 2)
        time.sleep(0.05)
    with progress('repose', first_s=0.0, every_s=0.01):
        time.sleep(0.05)
    assert capsys.readouterr().err == ''


def test_a_terminal_gets_a_bar_with_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (('FORCE_COLOR', '1'), ('TERM', 'xterm'), ('COLUMNS', '100')):
        monkeypatch.setenv(name, value)
    with progress('repose') as show:
        show(0, 100)
        time.sleep(0.05)
        show(1, 100)
        time.sleep(0.3)
    said = capsys.readouterr().err
    assert re.search('repose.* 1%.*about [0-9]+ s left', said)
