# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Files to begin with run as they are; completion for shells; nodes that a run would start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regolith_bringup.commands.new import FILES, new
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError

ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, '-m', 'regolith_bringup']


@pytest.mark.seconds
def test_what_is_made_runs(tmp_path: Path) -> None:
    """A rover with a vehicle and a camera of one's own drives, and sinks in."""
    for kind in FILES:
        new(kind, f'my_{kind}', tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        'my_scenario.yaml',
        'my_sensor.yaml',
        'my_vehicle.xml',
        'my_vehicle.yaml',
    ]
    plain = load_scenario(tmp_path / 'my_scenario.yaml')
    assert plain.scenario.name == 'my_scenario' and plain.scenario.vehicles['rover'].sensors
    own = [
        f'vehicles.rover.model={tmp_path / "my_vehicle.yaml"}',
        f'vehicles.rover.sensors.navcam.model={tmp_path / "my_sensor.yaml"}',
        'terrain.source=flat',
        'terrain.preset=null',
    ]
    simulation = Simulation(load_scenario(tmp_path / 'my_scenario.yaml', own).scenario)
    simulation.run(3.0)
    base = simulation.world.objects['rover'].body
    assert base.position[0] > 0.5 and 0.05 < base.position[2] < 0.2, 'it stands on wheels of 0.15 m, which sink in'


@pytest.mark.parametrize(
    ('kind', 'name', 'why'),
    [
        ('scenari', 'x', r"new: 'scenari'|did you mean scenario"),
        ('sensor', 'My', 'is not a name'),
        ('sensor', '../x', 'is not a name'),
        ('sensor', 'taken', 'exists'),
    ],
)
def test_what_cannot_be_made_is_refused(tmp_path: Path, kind: str, name: str, why: str) -> None:
    (tmp_path / 'taken.yaml').write_text('')
    with pytest.raises(InputError, match=why):
        new(kind, name, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ['taken.yaml']


@pytest.mark.seconds
@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_a_shell_can_load_what_completes(tmp_path: Path, shell: str) -> None:
    """The script is for the given shell. Bash accepts it, and queries scenarios with a prefix."""
    asked = {**os.environ, '_REGOLITH_COMPLETE': f'source_{shell}'}
    script = subprocess.run(COMMAND, env=asked, capture_output=True, text=True, check=True).stdout
    assert f'complete_{shell}' in script
    if shell != 'bash':
        return
    # Typed as installed: the program's own name.
    program = tmp_path / 'regolith'
    program.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    program.chmod(0o755)
    words = f'{script}\nCOMP_WORDS=(regolith run two_); COMP_CWORD=2; _regolith_completion {program}; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(['bash', '-c', words], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ['two_rovers'], done.stderr


@pytest.mark.seconds
def test_a_dry_run_lists_nodes_and_leaves_nothing(tmp_path: Path) -> None:
    command = [*COMMAND, 'run', 'two_rovers', '--dry-run', '--out', str(tmp_path / 'out')]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == 5 and all(line.startswith('ros2 run regolith_') for line in lines)
    told = json.loads(subprocess.run([*command, '--json'], capture_output=True, text=True, check=True).stdout)
    assert [node['executable'] for node in told] == [line.split()[3] for line in lines]
    assert not (tmp_path / 'out').exists()


def test_checkout_of_another_user_is_refused_in_one_line(tmp_path: Path) -> None:
    """A set-up whose interpreter this user cannot run: no traceback of another interpreter."""
    shutil.copy(ROOT / 'regolith', tmp_path / 'regolith')
    (tmp_path / 'install').mkdir()
    (tmp_path / 'install' / '.stamp').touch()
    done = subprocess.run([tmp_path / 'regolith', 'scenarios'], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, '', 1)
    assert 'cannot be run by this user; allowed: ' in done.stderr
