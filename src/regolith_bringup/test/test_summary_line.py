# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the lines at the end of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regolith_bringup.report import summary as of_run
from regolith_bringup.run.results import write_results


@pytest.mark.parametrize(
    ('undone_s', 'line'),
    [
        (84.0, '3.00 s simulated, and 84.00 s before resets and rewinds, in 87.00 s: real-time factor 1.00, '),
        (0.0, '3.00 s simulated in 87.00 s: real-time factor 1.00, '),
        (None, '3.00 s simulated in 87.00 s: real-time factor 1.00, '),
    ],
)
def test_line_states_the_time_that_the_real_time_factor_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undone_s: float | None, line: str
) -> None:
    summary: dict[str, Any] = {
        'simulated_s': 3.0,
        'undone_s': undone_s,
        'wall_s': 87.0,
        'real_time_factor': 1.0,
        'cycles': 150,
        'discarded_cycles': 0,
        'state_hash': '',
        'real_time': None,
        'dropped_participants': {},
        'failure': '',
        'bag': {'path': None, 'complete': True},
    }
    monkeypatch.setattr(of_run, 'build_summary', lambda folder: summary)
    said: list[str] = []
    write_results(tmp_path, said.append, report=False)
    assert said[0].startswith(line)
