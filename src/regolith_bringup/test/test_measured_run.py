# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of runs whose real-time factor is measured."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from regolith_bringup.bench import driving, measured_run

SUMMARY = {'real_time_factor': 2.0, 'wall_s': 5.0, 'cycles': 500, 'bag': {'lost': 0}}


def run_with(monkeypatch: pytest.MonkeyPatch, code: int = 0, **values: Any) -> list[list[str]]:
    """Replace the command by one with this exit code and summary; return the list of its calls."""
    calls: list[list[str]] = []

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        calls.append(command)
        return SimpleNamespace(returncode=code, stdout=json.dumps({**SUMMARY, **values}))

    monkeypatch.setattr(measured_run.subprocess, 'run', run)
    return calls


def test_driving_benchmark_computes_the_inverse_of_the_real_time_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = run_with(monkeypatch)
    result = driving.two_rovers(duration_s=10.0)
    assert [command[command.index('--processes') + 1] for command in calls] == ['one', 'many', 'one']
    expected = {'real_time_factor': 2.0, 'compute_per_sim_s': 0.5, 'cycles_per_s': 100.0, 'lost': 0}
    assert result['many_processes'] == result['one_process'] == expected


@pytest.mark.parametrize(('key', 'value'), [('real_time_factor', None), ('real_time_factor', 0.0), ('wall_s', 0.0)])
def test_run_without_measured_time_is_an_error(monkeypatch: pytest.MonkeyPatch, key: str, value: float | None) -> None:
    run_with(monkeypatch, **{key: value})
    with pytest.raises(RuntimeError, match=rf'^two_rovers in one: {key} = {value}: was not measured; the run ended'):
        driving.two_rovers(duration_s=10.0)


def test_failed_run_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_with(monkeypatch, code=3)
    with pytest.raises(RuntimeError, match=r'^two_rovers in many ended with exit code 3$'):
        measured_run.measured_run('two_rovers', 'many', 1.0, tmp_path)
