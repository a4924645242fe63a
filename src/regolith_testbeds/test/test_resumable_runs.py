# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of experiments that stop and resume."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds.crm.column_collapse import CrmCollapse
from regolith_testbeds.experiments import angle_of_repose
from regolith_testbeds.heap_measurement import SoilColumn
from regolith_testbeds.resumable_runs import Resumable, packed, sweep, unpacked


class Count:
    """Run that counts to ten."""

    def __init__(self, press_at: int = -1) -> None:
        self.n, self.press_at = 0, press_at

    @property
    def part(self) -> float:
        return self.n / 10.0

    def advance(self, tick: Callable[[float], None]) -> None:
        self.n += 1
        if self.n == self.press_at:
            signal.raise_signal(signal.SIGINT)

    def row(self) -> dict[str, Any]:
        return {'n': self.n}

    def save(self) -> bytes:
        return packed(n=self.n)

    def load(self, saved: bytes) -> None:
        self.n = int(unpacked(saved)['n'])


def nothing(done: int, total: int) -> None:
    assert 0 <= done <= total


def test_sweep_stops_on_request_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun: list[int] = []

    def begin(number: int) -> Count:
        begun.append(number)
        return Count(press_at=4 if number == 1 and len(begun) == 2 else -1)

    rows = sweep(Resumable(), begin, 3, nothing)
    left = {
        'n': 4,
        'incomplete': True,
        'checkpoint': 'test-runs-1.checkpoint',
    }  # named after the module of the settings
    assert rows[0] == {'n': 10, 'incomplete': False}
    assert {**rows[1], 'checkpoint': ''} == {**left, 'checkpoint': ''} and len(rows) == 2
    resumed = Resumable.model_validate({'resume': rows[1]['checkpoint']})
    assert sweep(resumed, begin, 3, nothing) == 3 * [{'n': 10, 'incomplete': False}]
    assert begun == [0, 1, 1, 2]
    # A second stop in the same folder overwrites nothing.
    begun[:] = [0]
    again = sweep(Resumable(), lambda number: Count(press_at=2), 1, nothing)
    assert (
        again[0]['n'] == 2 and again[0]['checkpoint'] != rows[1]['checkpoint'] and Path(again[0]['checkpoint']).exists()
    )


def test_sweep_with_a_failed_case_runs_the_others() -> None:
    class Falls(Count):
        def advance(self, tick: Callable[[float], None]) -> None:
            super().advance(tick)
            if self.n == 3:
                raise FloatingPointError('soil blew up at 3 s')

    rows = sweep(Resumable(), lambda number: (Count, Falls, Count)[number](), 3, nothing)
    assert [row['n'] for row in rows] == [10, 3, 10] and [row['incomplete'] for row in rows] == [False, True, False]
    assert rows[1]['problem'] == 'soil blew up at 3 s'
    with pytest.raises(ValueError, match='soil blew up'):
        sweep(Resumable(), lambda number: Falls(), 1, nothing)


def test_sweep_progress_ends_at_the_total() -> None:
    class Hasty(Count):
        def advance(self, tick: Callable[[float], None]) -> None:
            tick(3.0)
            super().advance(tick)

    told: list[tuple[int, int]] = []
    sweep(Resumable(), lambda number: Hasty(), 2, lambda *tick: told.append(tick))
    assert {total for _, total in told} == {told[-1][0]} and max(done for done, _ in told) == told[-1][0]
    assert told[-1][0] // 2 in [done for done, _ in told]


def test_packed_state_unpacks_identically() -> None:
    found = unpacked(packed(a=np.arange(3.0), b=b'\x00\xff', c=0.1, d=np.zeros((0, 5))))
    assert found['a'].tolist() == [0.0, 1.0, 2.0] and found['b'].tobytes() == b'\x00\xff'
    assert float(found['c']) == 0.1 and found['d'].shape == (0, 5)
    with pytest.raises(ValueError, match='is damaged; allowed: a whole one'):
        unpacked(packed(a=np.arange(30.0))[:-40])


@pytest.mark.slow
def test_dem_repose_resumes_bit_identically(tmp_path: Path) -> None:
    values = {
        'radius_m': 0.04,
        'height_m': 0.06,
        'element_count': 250,
        'threads': 1,
        'youngs_modulus_pa': 1e7,
        'friction': '0.3,0.5',
        'checkpoint': str(tmp_path / 'column'),
        'lift_mps': 0.5,
    }
    pressed: list[int] = []

    def stop(done: int, total: int) -> None:
        if done > 0.7 * total and not pressed:
            pressed.append(done)
            signal.raise_signal(signal.SIGINT)

    whole = angle_of_repose.run(angle_of_repose.Settings.model_validate(values), nothing)
    first, stopped = angle_of_repose.run(angle_of_repose.Settings.model_validate(values), stop)
    assert first == whole[0] and stopped['incomplete'] is True and stopped['slope_deg'] is None
    assert set(stopped) == {*first, 'checkpoint'}
    # The same settings, given again, are accepted.
    rows = angle_of_repose.run(
        angle_of_repose.Settings.model_validate({**values, 'resume': stopped['checkpoint']}), nothing
    )
    assert json.dumps(rows) == json.dumps(whole)


@pytest.mark.seconds
def test_crm_collapse_resumes_bit_identically() -> None:
    one, other = (CrmCollapse(SoilColumn(0.04, 0.04, 9.81, 0.5, 0.0), 0.5, 100, workers) for workers in (1, 2))
    while one.part < 0.02:
        one.advance(lambda part: None)
    other.load(one.save())
    for _ in range(2):
        one.advance(lambda part: None)
        other.advance(lambda part: None)
    assert one.save() == other.save() and one.part == other.part


def test_checkpoint_of_another_experiment_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / 'some.checkpoint'
    file.write_text('{"format": 1, "bench": "another", "settings": {}, "rows": []}\n')
    with pytest.raises(ValidationError, match='allowed: a checkpoint of this experiment'):
        angle_of_repose.Settings.model_validate({'resume': str(file)})
    file.write_bytes(b'\x00\xff')
    with pytest.raises(ValidationError, match='allowed: a checkpoint of this experiment'):
        angle_of_repose.Settings.model_validate({'resume': str(file)})


def test_sweep_resume_loads_only_the_stopped_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases after it start at their beginning."""
    monkeypatch.chdir(tmp_path)
    loaded: list[int] = []

    class Known(Count):
        def __init__(self, number: int, press_at: int = -1) -> None:
            super().__init__(press_at)
            self.number = number

        def load(self, saved: bytes) -> None:
            super().load(saved)
            loaded.append(self.number)

    rows = sweep(Resumable(), lambda number: Known(number, 4 if number == 1 else -1), 4, nothing)
    resumed = Resumable.model_validate({'resume': rows[-1]['checkpoint']})
    assert len(sweep(resumed, Known, 4, nothing)) == 4 and loaded == [1]
