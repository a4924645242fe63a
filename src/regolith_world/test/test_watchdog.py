# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the detection of a world that does not run."""

from __future__ import annotations

import os
from pathlib import Path

from regolith_world.watchdog import FILE, LOOP, Alive, Watch

LIMIT_S = 30.0


class Looked:
    """A watch with clock and file moved by the test."""

    def __init__(self, folder: Path) -> None:
        self.file, self.now, self.turns = folder / FILE, 100.0, 0
        self.watch = Watch(self.file, LIMIT_S, lambda: self.now)

    def go(self, seconds: float, *, runs: bool = True, turns: bool = True) -> str:
        """Advance time, with a look per second; return the text at the end."""
        said = ''
        for _ in range(round(seconds)):
            self.now += 1.0
            self.turns += turns
            if runs:
                self.file.write_text(f'{self.turns}\n')
                os.utime(self.file, ns=(0, round(self.now * 1e9)))
            said = self.watch.problem()
        return said


def test_stopped_process_is_reported_within_the_limit(tmp_path: Path) -> None:
    looked = Looked(tmp_path)
    assert not looked.go(200.0)
    assert not looked.go(LIMIT_S, runs=False, turns=False)
    assert looked.go(1.0, runs=False, turns=False).startswith('its process has not run for 30 s')


def test_hung_main_loop_is_reported_later(tmp_path: Path) -> None:
    """Compiling is not a hang: the thread writes, and the main loop has minutes."""
    looked = Looked(tmp_path)
    assert not looked.go(200.0)
    assert not looked.go(LOOP * LIMIT_S, turns=False)
    assert looked.go(1.0, turns=False) == 'its main loop has not turned for 600 s'


def test_process_waiting_for_its_start_is_reported_only_when_stopped(tmp_path: Path) -> None:
    """Before the main loop begins, which may take as long as kernels compile, the file contains 0."""
    looked = Looked(tmp_path)
    assert not looked.go(2.0 * LOOP * LIMIT_S, turns=False)
    assert looked.go(LIMIT_S + 1.0, runs=False, turns=False).startswith('its process has not run for 30 s')


def test_watch_reports_nothing_before_the_start_after_the_end_or_after_its_own_pause(tmp_path: Path) -> None:
    looked = Looked(tmp_path)
    assert not looked.go(500.0, runs=False)
    looked.go(5.0)
    looked.now += 1000.0  # the watching process was stopped, too
    assert not looked.watch.problem() and not looked.go(5.0)
    looked.file.unlink()
    assert not looked.go(500.0, runs=False)


def test_file_is_rewritten_until_it_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / FILE
    alive = Alive(file, period_s=0.01)
    before = file.stat().st_mtime_ns
    alive.turns = 7
    while file.read_text() != '7\n' or file.stat().st_mtime_ns == before:
        pass
    alive.stop()
    assert not alive._thread.is_alive() and not file.exists()
