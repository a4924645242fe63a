# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Missions of the challenge: agents of known score, ends, failures, evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from regolith_bringup.challenge import mission_run
from regolith_bringup.challenge.agent_process import AgentError, AgentProcess
from regolith_bringup.challenge.geometric_map import HEIGHT
from regolith_bringup.challenge.mission_run import MissionResult, MissionRun, score_file
from regolith_bringup.cli import main

AGENTS = Path(__file__).with_name('challenge_agents.py')
COARSE = {'terrain.spacing_m': '0.06'}


def mission(name: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[MissionRun, MissionResult]:
    """Run a mission of an agent of this folder, on a coarse grid, which is fast."""
    monkeypatch.setenv('CHALLENGE_AGENT', name)
    order = MissionRun('lac_lite', AGENTS, options.pop('preset', 1), options.pop('seed', 3), settings=COARSE, **options)
    return order, order.run()


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that changes the limits of missions."""

    def change(**limits: Any) -> None:
        kind = replace(mission_run.MISSIONS['lac_lite'], **limits)
        monkeypatch.setattr(mission_run, 'MISSIONS', {'lac_lite': kind})

    return change


def test_agent_that_does_nothing_scores_localization(monkeypatch: pytest.MonkeyPatch) -> None:
    order, result = mission('Nothing', monkeypatch, preset=0)
    scored = score_file(order, result)
    assert result.status == 'finished: the agent completed it' and result.duration_s == pytest.approx(0.05)
    assert scored['rules']['lac2025']['total'] == 150.0 and scored['rules']['regolith1']['total'] == 0.0
    assert json.loads(json.dumps(scored)) == scored


@pytest.mark.slow
def test_truth_scores_everything_and_zeros_at_least_400(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Truth: 1000.0 before the time limit, twice bit-equal; zeros: productivity, localization and level ground."""
    _, empty = mission('Nothing', monkeypatch, preset=0)
    known = tmp_path / 'truth.npy'
    np.save(known, empty.truth)
    found = [mission('Truth', monkeypatch, preset=0, config=str(known)) for _ in range(2)]
    scores = [score_file(*pair) for pair in found]
    assert scores[0]['rules']['lac2025']['total'] == scores[0]['rules']['regolith1']['total'] == 1000.0
    for each in scores:
        del each['wall_s']
    assert scores[0] == scores[1]
    zeros = score_file(*mission('Zeros', monkeypatch))
    assert zeros['rules']['lac2025']['total'] >= 400.0 and zeros['rules']['lac2025']['rocks'] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ('name', 'status'),
    [
        ('Crashes', 'failed: RuntimeError: out of ideas'),
        ('Dies', 'failed: the process of the agent ended with status 7'),
        ('Hangs', 'failed: no response within'),
    ],
)
def test_map_of_an_agent_that_fails_is_scored_as_it_stood(
    name: str, status: str, monkeypatch: pytest.MonkeyPatch, shorter: Any
) -> None:
    shorter(wall_limit_s=40.0 if name == 'Hangs' else 600.0)
    _, result = mission(name, monkeypatch)
    assert result.status.startswith(status)
    assert result.found[3, 4, HEIGHT] == 0.25 and np.isneginf(result.found[:, :, HEIGHT]).sum() == 60 * 60 - 1


@pytest.mark.slow
def test_missions_end_by_time_by_rest_and_by_an_empty_battery(monkeypatch: pytest.MonkeyPatch, shorter: Any) -> None:
    shorter(limit_s=0.5)
    _, result = mission('Parks', monkeypatch)
    assert result.status == 'finished: time limit' and result.duration_s == 0.5
    shorter(limit_s=20.0)
    monkeypatch.setattr(mission_run, 'SLOW_S', 1.0)
    _, result = mission('Parks', monkeypatch)
    assert result.status == 'finished: rover was slower than 0.1 m/s for 1 s' and result.duration_s == pytest.approx(
        1.0
    )
    monkeypatch.setattr(mission_run, 'EMPTY_WH', 282.999)
    _, result = mission('Parks', monkeypatch)
    assert result.status == 'finished: battery empty'
    monkeypatch.setattr(mission_run, 'AREA_M', 1.0)
    monkeypatch.setattr(mission_run, 'EMPTY_WH', 0.0)
    _, result = mission('Parks', monkeypatch)
    assert result.status == 'finished: rover left the area'


@pytest.mark.slow
def test_charging_takes_its_share_of_two_hours(monkeypatch: pytest.MonkeyPatch, shorter: Any) -> None:
    """100 of 283 Wh: 4655.8 s; not again before the rover was a meter away."""
    shorter(limit_s=20000.0)
    monkeypatch.setattr(mission_run, 'SLOW_S', 0.5)
    monkeypatch.setattr(mission_run, 'charges', lambda place, turn: True)
    original = mission_run._Mission._setup

    def drained(self: Any) -> None:
        original(self)
        self._vehicle.gear.charge[mission_run.STORED] = 100.0 * 3600.0

    monkeypatch.setattr(mission_run._Mission, '_setup', drained)
    _, result = mission('Parks', monkeypatch)
    # Standby of 8 W during the first step: 1e-4 Wh, 3 ms of charging.
    assert result.duration_s == pytest.approx(4655.8 + 0.5, abs=0.1)


@pytest.mark.slow
def test_images_come_at_their_rate_show_fiducials_and_the_arm_turns_its_camera(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, result = mission('Sees', monkeypatch, preset=0, seed=1, config=str(tmp_path / 'seen'))
    assert result.status == 'finished: the agent completed it' and result.frames == 14
    seen = np.load(tmp_path / 'seen.npz')
    front, classes = seen['Grayscale_FrontLeft'], seen['Semantic_FrontLeft']
    assert front.shape == (7, 360, 640) and front.dtype == np.uint8 and classes.shape == front.shape
    assert np.diff(seen['times']) == pytest.approx(0.05)
    # Speeds are limited to 0.49 m/s, and wheels slip.
    assert 0.3 < seen['speeds'][-1] < 0.55
    assert seen['arm'] == pytest.approx(1.2, abs=0.1)
    # The camera on the arm looks down at first, then ahead.
    arm = seen['Grayscale_Front'].astype(float)
    assert np.abs(arm[-1] - arm[0]).mean() > 5.0
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    _, numbers, _ = cv2.aruco.ArucoDetector(family).detectMarkers(front[-1])
    assert numbers is not None and set(numbers.ravel().tolist()) <= set(range(17))


@pytest.mark.slow
def test_evaluation_gives_no_truth(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A hostile agent finds neither poses, nor objects of the simulation, nor files; in training it has the pose."""
    _, hidden = mission('Hostile', monkeypatch, config=str(tmp_path), evaluation=True)
    assert hidden.status == 'finished: the agent completed it' and (hidden.found[:, :, HEIGHT] == 0.0).all()
    _, shown = mission('Hostile', monkeypatch, config=str(tmp_path))
    assert (shown.found[:, :, HEIGHT] == 1.0).all()
    _, refused = mission('RequestsClasses', monkeypatch, config=str(tmp_path), evaluation=True)
    assert refused.status.startswith('failed: ') and 'is not given in an evaluation' in refused.status


@pytest.mark.slow
def test_commands_that_are_not_valid_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    _, result = mission('NotFinite', monkeypatch)
    assert 'numbers that are not finite' in result.status
    _, result = mission('SwitchesOn', monkeypatch)
    assert result.status == 'failed: 3 cameras are active; allowed: up to 2' and result.duration_s == pytest.approx(0.1)


def test_summary_of_missions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, total in (('a', 900.0), ('b', 700.0)):
        (tmp_path / name).mkdir()
        rules = {each: {'total': total} for each in ('lac2025', 'regolith1')}
        (tmp_path / name / 'score.json').write_text(json.dumps({'rules': rules}))
    folders = [str(tmp_path / name) for name in ('a', 'b')]
    with pytest.raises(SystemExit) as ended:
        main(['challenge', 'summary', *folders, '--planned', '4', '--json'])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)['lac2025'] == {'mean': 400.0, 'stddev': 141.4}
    with pytest.raises(SystemExit) as ended:
        main(['challenge', 'summary', str(tmp_path)])
    assert ended.value.code == 2 and 'allowed: a folder of challenge run' in capsys.readouterr().err


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('x = 1', 'has no function get_entry_point'),
        ("def get_entry_point():\n    return 'Missing'", "get_entry_point() = 'Missing': names no subclass"),
        ('import missing_module', "No module named 'missing_module'"),
    ],
)
def test_files_without_an_agent_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / 'agent.py'
    file.write_text(text, encoding='utf-8')
    with pytest.raises(AgentError) as refused:
        AgentProcess(file, 4)
    assert message in str(refused.value)
