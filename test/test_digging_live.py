# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A digger in processes of its own: the same bits as in one, from a checkpoint with full drums, and after a death."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import LiveRun, RunResult, run_scenario
from test_digging import write
from test_failures import kill_in_mid_run

from regolith_world.machine_score import machine_score

pytestmark = pytest.mark.ros


def test_one_process_and_many_dig_the_same_hole(tmp_path: Path) -> None:
    """The same hash, the same ledger, closed to 1e-9 of what was dug."""
    file = write(tmp_path, duration_s=5.0)
    whole = run_scenario(tmp_path, file, '--no-record', name='whole', processes='one')
    many = run_scenario(tmp_path, file, '--no-record', name='many')
    same_outcome(many, whole)
    book, soil = whole.summary['terrain']['ledger'], whole.summary['vehicles']['digger']['soil']
    assert book['carried_kg'] == soil['carried_kg'] > 10.0 and soil['poured_kg'] > 1.0
    assert abs(book['error_kg']) <= 1e-9 * soil['dug_kg']


@pytest.mark.slow
def test_a_checkpoint_of_one_process_goes_on_in_many(tmp_path: Path) -> None:
    """Soil is in the drums and in the air at 4.5 s; restored into many processes it lands as in one."""
    file = write(tmp_path, duration_s=6.0, world={'checkpoint_period_s': 4.5})
    whole = run_scenario(tmp_path, file, '--no-record', name='whole', processes='one')
    saved = whole.run_dir / 'checkpoints' / 't000004.500'
    same_outcome(run_scenario(tmp_path, file, '--from', saved, '--no-record', name='rest'), whole)


def same_outcome(result: RunResult, other: RunResult) -> None:
    """Hold two runs against each other."""
    for key in ('state_hash', 'terrain', 'vehicles'):
        assert result.summary[key] == other.summary[key]


@pytest.mark.slow
@pytest.mark.parametrize('node', ['digger/agent', 'regolith/terrain'])
def test_who_dies_while_it_digs_comes_back_with_the_soil_it_had(tmp_path: Path, node: str) -> None:
    """Killed at 3 s, started again by the policy ``wait``: it replays grants and loose soil to the same hash."""
    world = {'on_failure': 'wait', 'agent_timeout_s': 3.0, 'checkpoint_period_s': 2.0}
    file = write(tmp_path, duration_s=6.0, world=world)
    undisturbed = run_scenario(tmp_path, file, '--no-record', name='undisturbed')
    with LiveRun(tmp_path, file, '--no-record', '--speed', 1.0) as live:
        kill_in_mid_run(live, node, 3.0)
        result = live.finish()
    assert result.summary['state_hash'] == undisturbed.summary['state_hash']


@pytest.mark.slow
@pytest.mark.alone
def test_a_digger_keeps_up_with_real_time(tmp_path: Path) -> None:
    """One process, recording, on two cores: at least as fast as the clock, beside the machine's score."""
    result = run_scenario(tmp_path, 'rassor_dig', processes='one')
    print(f'speed {result.summary["speed"]:.2f}, machine_score {machine_score():.3g}')
    assert result.summary['speed'] >= 1.0
