# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of robot files as vehicles of a scenario, and of ``./regolith vehicle import``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError

ROBOTS = Path(__file__).resolve().parents[2] / 'regolith_vehicles' / 'test' / 'data' / 'robots'
COMMAND = [sys.executable, '-m', 'regolith_bringup', 'vehicle', 'import']
SCENARIO = """
duration_s: 1.0
terrain: {{source: flat, spacing_m: 0.04, soil: chrono_hard}}
vehicles:
  rover: {{model: {model}, position: [0.0, 0.0], driver: {{type: constant, speed_mps: 0.4}}}}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep converted robots of these tests out of the user's cache; kernels stay where they are."""
    home = tmp_path / 'cache'
    monkeypatch.setattr('regolith_vehicles.robot_import.converter.cache_home', lambda: home)


def scenario(folder: Path, model: str) -> Path:
    path = folder / f'{Path(model).suffix[1:]}.yaml'
    path.write_text(SCENARIO.format(model=model))
    return path


@pytest.mark.seconds
def test_robot_file_drives_as_its_imported_folder(tmp_path: Path) -> None:
    """``model: robot.urdf`` and the files of the command lead to the same state hash; the rover drives ahead."""
    done = subprocess.run(
        [*COMMAND, str(ROBOTS / 'six_wheeler.urdf'), '--out', str(tmp_path / 'rover')],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / 'rover' / f'six_wheeler.{kind}') for kind in ('xml', 'yaml', 'md')]
    named = (
        'front_left_drive, middle_left_drive, rear_left_drive, front_right_drive, middle_right_drive, rear_right_drive'
    )
    assert f'driven wheels: {named}; if not: --wheels A,B,...' in done.stderr.splitlines()
    hashes = set()
    for model in (ROBOTS / 'six_wheeler.urdf', tmp_path / 'rover' / 'six_wheeler.yaml'):
        resolved = load_scenario(scenario(tmp_path, str(model)))
        assert resolved.scenario.vehicles['rover'].model == str(model)
        simulation = Simulation(resolved.scenario)
        hashes.add(simulation.run(0.5))
        assert simulation.world.objects['rover'].body.position[0] > 0.02
    assert len(hashes) == 1


def test_check_refuses_robot_without_limits_and_names_the_line_to_add(tmp_path: Path) -> None:
    text = (ROBOTS / 'six_wheeler.urdf').read_text()
    line = 1 + text.splitlines().index('  <joint name="front_left_drive" type="continuous">')
    (tmp_path / 'rover.urdf').write_text(text.replace('<limit effort="12" velocity="6"/>', '', 1))
    with pytest.raises(InputError) as error:
        load_scenario(scenario(tmp_path, 'rover.urdf'))
    (problem,) = error.value.problems
    assert problem.where == f'{tmp_path / "rover.urdf"}:{line}'
    assert problem.allowed.startswith('<limit effort="…" velocity="…"/> in <joint name="front_left_drive">')


def test_error_of_the_command_is_one_line_without_a_folder(tmp_path: Path) -> None:
    (tmp_path / 'rover.urdf').write_text('<robot name="rover"><link name="base_link"/></robot>')
    done = subprocess.run(
        [*COMMAND, 'rover.urdf', '--out', 'rover'], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, '')
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        'rover.urdf:1: link base_link: has no mass, nor has a link fixed to it; allowed: <inertial> with a mass for the chassis'
    )
    assert [path.name for path in tmp_path.iterdir()] == ['rover.urdf']
