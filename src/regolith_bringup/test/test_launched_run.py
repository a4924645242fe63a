# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What follows from the end of a node that ``launch`` started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regolith_bringup.run.launch_adapter import prepared, refuse_unknown
from regolith_bringup.run.launched_run import LaunchedRun, LaunchStep
from regolith_bringup.run.node_plan import NodeSpec, node_specs
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_world.checkpoint.files import Checkpoint, write_checkpoint
from regolith_world.run_policy import RESTARTS


def the_run(folder: Path, *settings: str) -> tuple[LaunchedRun, dict[str, NodeSpec]]:
    scenario = load_scenario('two_rovers', ['recording.enabled=false', *settings]).scenario
    specs = node_specs(scenario, folder / 'scenario.yaml', folder)
    return LaunchedRun(folder, specs, report=False), {spec.label: spec for spec in specs}


def outcome(folder: Path, failure: str = '') -> None:
    (folder / 'world_summary.json').write_text(json.dumps({'failure': failure}))


def end_of_others(run: LaunchedRun, specs: dict[str, NodeSpec], monkeypatch: pytest.MonkeyPatch) -> LaunchStep:
    monkeypatch.setattr('regolith_bringup.run.launched_run.write_results', lambda *args, **named: None)
    left = [spec for label, spec in specs.items() if label != 'regolith/world']
    return [run.ended(spec, 0, shutting_down=False) for spec in left][-1]


def test_node_that_ended_well_is_not_restarted(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path, 'world.on_failure=wait')
    (tmp_path / 'started').touch()
    assert run.ended(specs['amber/agent'], 0, shutting_down=False) == LaunchStep()


def test_failed_node_is_restarted_three_times_at_most(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path, 'world.on_failure=wait')
    (tmp_path / 'started').touch()
    steps = [run.ended(specs['amber/agent'], -9, shutting_down=False) for _ in range(RESTARTS + 1)]
    assert [s.restart for s in steps] == [True, True, True, False]
    # A world that waits for it would wait without limit.
    assert 'amber/agent ended with exit code -9 (SIGKILL): stopped after 3 restarts' in steps[-1].leave
    # No node is restarted in a run that is ending.
    assert not run.ended(specs['basalt/agent'], -9, shutting_down=True).restart


def test_the_end_of_the_world_gives_others_time_and_a_failed_one_does_not(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path)
    assert run.ended(specs['regolith/world'], 0, shutting_down=False) == LaunchStep(over=True)
    run, specs = the_run(tmp_path)
    assert 'exit code 3' in run.ended(specs['regolith/world'], 3, shutting_down=False).leave


def test_a_failed_world_is_a_problem_once_all_have_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, specs = the_run(tmp_path)
    outcome(tmp_path, 'no response from amber')
    run.ended(specs['regolith/world'], 3, shutting_down=False)
    last = end_of_others(run, specs, monkeypatch)
    assert 'regolith/world ended with exit code 3' in last.problem


def test_run_that_dropped_a_participant_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it hung, and its process ended well after the request to exit."""
    run, specs = the_run(tmp_path)
    (tmp_path / 'world_summary.json').write_text(
        json.dumps({'failure': '', 'dropped_participants': {'amber': 'no response within 5 s'}})
    )
    run.ended(specs['regolith/world'], 0, shutting_down=False)
    assert 'amber' in end_of_others(run, specs, monkeypatch).problem


def test_a_killed_world_is_a_reason_with_a_way_on(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path)
    (tmp_path / 'started').touch()
    (tmp_path / 'scenario.yaml').write_text('name: two\nseed: 1\nvehicles: {amber: {}}\n')
    write_checkpoint(
        tmp_path / 'checkpoints' / 't000005.000', Checkpoint(0, '', dict.fromkeys(('world', 'amber', 'terrain'), b''))
    )
    leave = run.ended(specs['regolith/world'], -9, shutting_down=False).leave
    assert leave.startswith('the world ended with exit code -9 (SIGKILL), which ends the run')
    assert leave.endswith(f'./regolith run {tmp_path}/scenario.yaml --checkpoint {tmp_path}/checkpoints/t000005.000')


def test_a_run_that_ended_well_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, specs = the_run(tmp_path)
    outcome(tmp_path)
    run.ended(specs['regolith/world'], 0, shutting_down=False)
    last = end_of_others(run, specs, monkeypatch)
    assert (last.problem, last.leave) == ('', 'the run has ended')


def test_a_node_that_is_lost_before_the_beginning_ends_everything(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path)
    assert 'before the first cycle' in run.ended(specs['amber/agent'], 2, shutting_down=False).leave


def test_what_nodes_print_is_kept(tmp_path: Path) -> None:
    run, specs = the_run(tmp_path)
    run.printed(specs['amber/agent'], b'one\ntwo\n')
    assert (tmp_path / 'console.log').read_text() == 'amber/agent: one\namber/agent: two\n'


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        ({'duration': 'abc'}, 'duration:=abc'),
        ({'seed': '1.5'}, 'seed:=1.5'),
        ({'record': 'maybe'}, 'record:=maybe'),
        ({'checkpoint': '/nope'}, 'checkpoint:=/nope'),
        ({'processes': 'three'}, 'processes:=three'),
        ({'namespace': 'a__b'}, 'namespace:=a__b'),
    ],
)
def test_messages_name_launch_arguments(arguments: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        prepared({'scenario': 'two_rovers', 'out': str(tmp_path / 'run'), **arguments})
    assert words in str(error.value)
    assert '--' not in str(error.value)
    assert not (tmp_path / 'run').exists()


def test_unknown_launch_arguments_are_refused() -> None:
    with pytest.raises(InputError, match='did you mean duration'):
        refuse_unknown(['duraton:=3'], {'duration': ''})
    refuse_unknown(['duration:=3', '--noninteractive'], {'duration': ''})
