# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a run that another program starts, on the same machine here; on several: test_many_hosts.py."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness import LiveRun, command, environment, library_run, vehicle, write_scenario

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

DRIVES = {
    'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.4),
    'basalt': vehicle(-2.6, 0.1, type='constant', speed_mps=0.4),
}


def test_a_run_is_joined_from_elsewhere(tmp_path: Path) -> None:
    """The joining side gets only a name: run, scenario and options come from the world; the hash is the same."""
    path = write_scenario(tmp_path, DRIVES)
    options = ('--duration', 0.6, '--set', 'vehicles.basalt.heading_deg=3', '--no-record')
    with LiveRun(tmp_path, path, *options, '--remote', 'basalt', node=False) as live:
        joined = subprocess.run(
            command('join', '--out', tmp_path / 'joined'),
            cwd=tmp_path,
            env=environment(live.domain),
            timeout=90,
            capture_output=True,
            text=True,
        )
        result = live.finish()
    assert joined.returncode == 0, joined.stderr
    assert joined.stdout == f'{tmp_path / "joined"}\n'
    assert 'of scenario on ' in joined.stderr
    alone = library_run(path, 'vehicles.basalt.heading_deg=3', 'duration_s=0.6')
    assert result.summary['state_hash'] == alone.world.state_hash
    assert {p.name for p in (tmp_path / 'joined').iterdir()} == {'log', 'console.log', 'scenario.yaml'}
