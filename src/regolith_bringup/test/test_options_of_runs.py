# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every option of commands for runs reaches what does the work, and the line printed has the numbers of the response."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from noted_calls import DOMAIN, Noted

pytestmark = pytest.mark.ros


def test_run_hands_on_all_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    start = Noted(returns=3)
    monkeypatch.setattr('regolith_bringup.run.supervisor.run_scenario', start)
    monkeypatch.setattr('regolith_bringup.run.run_folder.check_checkpoint', lambda folder, scenario: None)
    monkeypatch.setenv('ROS_DOMAIN_ID', '5')
    assert say('run', 'two_rovers')[0] == 3
    (_, (resolved,), options) = start.calls.pop()
    from regolith_bringup.run.process_allocation import parse_processes

    assert (
        options
        == {
            'processes': parse_processes('many'),
            'out': None,
            'as_json': False,
            'report': True,
            'restore_from': None,
            'namespace': '',
            'network': False,
            'remote_nodes': (),
        }
        and resolved.scenario.recording.enabled
        and os.environ['ROS_DOMAIN_ID'] == '5'
    )
    words = '--duration 7 --rtf 2.5 --processes one --seed 12 --set terrain.spacing_m=0.07 --no-record --no-report --namespace /east/ --network --json'
    code, out, _ = say(
        'run', 'two_rovers', '--out', tmp_path / 'o', '--checkpoint', tmp_path / 'c', '--domain', 23, *words.split()
    )
    assert (code, out) == (3, '')
    (_, (resolved,), options) = start.calls.pop()
    assert options == {
        'processes': parse_processes('one'),
        'out': tmp_path / 'o',
        'as_json': True,
        'report': False,
        'restore_from': tmp_path / 'c',
        'namespace': 'east',
        'network': True,
        'remote_nodes': (),
    }
    scenario = resolved.scenario
    assert (scenario.duration_s, scenario.real_time_factor, scenario.seed, scenario.terrain.spacing_m) == (
        7.0,
        2.5,
        12,
        0.07,
    )
    assert not scenario.recording.enabled and os.environ['ROS_DOMAIN_ID'] == '23'
    assert say('run', 'two_rovers', '--remote', 'amber,terrain', '--rtf', 'max')[0] == 3
    assert set(start.calls[-1][2]['remote_nodes']) == {'amber', 'terrain'}
    assert start.calls[-1][1][0].scenario.real_time_factor in ('max', math.inf)
    assert say('run', 'two_rovers', '--domain', 'auto')[2] == f'ROS_DOMAIN_ID={os.environ["ROS_DOMAIN_ID"]}\n'
    assert 1 <= int(os.environ['ROS_DOMAIN_ID']) <= 101


def test_dry_runs_have_the_arguments_of_nodes(say: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two rovers with a folder, a namespace and one process."""
    given = (
        'run',
        'two_rovers',
        '--dry-run',
        '--out',
        tmp_path / 'o',
        '--namespace',
        'east',
        '--checkpoint',
        tmp_path / 'c',
        '--rtf',
        2,
    )
    monkeypatch.setattr('regolith_bringup.run.run_folder.check_checkpoint', lambda folder, scenario: None)
    nodes = {f'{node["namespace"]}/{node["name"]}': node for node in json.loads(say(*given, '--json')[1])}
    assert list(nodes) == [
        'east/regolith/recorder',
        'east/regolith/world',
        'east/regolith/terrain',
        'east/amber/agent',
        'east/basalt/agent',
    ]
    agent, world = nodes['east/basalt/agent'], nodes['east/regolith/world']
    assert (agent['package'], agent['executable'], agent['respawn']) == ('regolith_vehicles', 'vehicle_node', False)
    assert agent['parameters'] == {
        'scenario_file': f'{tmp_path}/o/scenario.yaml',
        'use_sim_time': False,
        'run_id': 0,
        'vehicles': ['basalt'],
        'lossless_streams': [''],
    }
    assert world['parameters'] == {
        'scenario_file': f'{tmp_path}/o/scenario.yaml',
        'use_sim_time': False,
        'run_id': 0,
        'run_dir': f'{tmp_path}/o',
        'duration_s': 30.0,
        'real_time_factor': 2.0,
        'wait_for_recorder': True,
        'max_sensor_lag_s': -1.0,
        'restore_from': f'{tmp_path}/c',
        'remote_nodes': [''],
        'processes': 'many',
    }
    lines = say(*given)[1].splitlines()
    assert (
        lines[-1]
        == (
            'ros2 run regolith_vehicles vehicle_node --ros-args -r __node:=agent -r __ns:=/east/basalt '
            f'-p \'scenario_file:="{tmp_path}/o/scenario.yaml"\' -p use_sim_time:=false -p run_id:=0 '
            """-p 'vehicles:=["basalt"]' -p 'lossless_streams:=[""]'"""
        )
        and len(lines) == 5
    )
    assert 'runs/two_rovers_NNN' in say('run', 'two_rovers', '--dry-run')[1]
    without = [
        line.split()[3]
        for line in say('run', 'two_rovers', '--dry-run', '--no-record', '--remote', 'amber')[1].splitlines()
    ]
    assert without == ['world_node', 'terrain_node', 'vehicle_node']
    assert len(say('run', 'two_rovers', '--dry-run', '--processes', 'one', '--no-record')[1].splitlines()) == 1
    code, out, err = say('run', 'two_rovers', '--dry-run', '--domain', '300')
    assert (code, out) == (2, '') and '--domain: 300: is not a domain; allowed: 0 to 232, or auto' in err


def test_join_hands_on_all_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    joined = Noted(returns=130)
    monkeypatch.setattr('regolith_bringup.run.remote_nodes.join_run', joined)
    monkeypatch.setenv('ROS_DOMAIN_ID', '5')
    assert say('join')[0] == 130
    assert joined.calls.pop() == ('', ((),), {'namespace': '', 'network': False, 'out': None})
    assert os.environ['ROS_DOMAIN_ID'] == '5'
    assert say('join', 'amber', 'basalt', '--out', tmp_path, *DOMAIN, '--namespace', 'a/b/', '--network')[0] == 130
    assert joined.calls.pop() == ('', (['amber', 'basalt'],), {'namespace': 'a/b', 'network': True, 'out': tmp_path})
    assert os.environ['ROS_DOMAIN_ID'] == '17'
    assert say('join', '--domain', 'auto')[0] == 2 and not joined.calls


def test_verify_hands_on_its_options_and_says_what_it_found(
    say: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from regolith_bringup.commands.verify import RunFailed

    found: dict[str, Any] = {'repeats': True, 'promises': 'cross_process'}
    repeat = Noted(returns=found)
    monkeypatch.setattr('regolith_bringup.commands.verify.verify', repeat)
    assert say('verify', 'two_rovers') == (0, 'two_rovers: is deterministic: all state hashes are equal\n', '')
    name, options, _, keep, promise, processors = repeat.calls.pop()[1]
    assert (name, options, keep, processors) == ('two_rovers', [], None, False)
    given = ('--set', 'world.determinism=cross_machine', '--out', tmp_path / 'k', '--cpu-variants', '--json')
    assert json.loads(say('verify', 'two_rovers', *given)[1]) == found
    name, options, _, keep, promise, processors = repeat.calls.pop()[1]
    assert (keep, promise, processors) == (tmp_path / 'k', 'cross_machine', True)
    found['repeats'] = False
    assert say('verify', 'two_rovers') == (3, '', 'two_rovers: violates world.determinism: cross_process\n')
    found['promises'] = None
    assert say('verify', 'two_rovers')[2].endswith(': null, which is checked as cross_process is\n')

    def fail(*_: object) -> None:
        raise RunFailed('the run ended with 3: why')

    monkeypatch.setattr('regolith_bringup.commands.verify.verify', fail)
    assert say('verify', 'two_rovers') == (3, '', 'the run ended with 3: why\n')


def test_replay_hands_on_all_its_options(say: Any, monkeypatch: pytest.MonkeyPatch, run_dir: Path) -> None:
    made = Noted(publish=41)
    monkeypatch.setattr('regolith_bringup.run.bag_player.BagPlayer', made)
    topics = ['--topic', '/clock', '--topic', '/amber/wheel_states']
    code, out, err = say(
        'replay',
        run_dir,
        '--start',
        1,
        '--end',
        2.5,
        '--rate',
        4,
        *topics,
        '--delay',
        0.25,
        *DOMAIN,
        '--namespace',
        'east',
    )
    assert (code, out) == (0, '41 messages\n'), err
    assert 'ROS_DOMAIN_ID=' in err
    bag, *rest = made.calls[0][1]
    assert bag.path.name == 'bag_0.mcap' and rest == [('/clock', '/amber/wheel_states'), '17', 'east']
    options = made.calls[1][2]
    options.pop('on_progress')
    assert options == {'from_ns': 10**9, 'to_ns': 2_500_000_000, 'rate': 4.0, 'wait_s': 0.25}
    del made.calls[:]
    assert json.loads(say('replay', run_dir, '--rate', 'max', '--json')[1]) == {'messages': 41}
    assert made.calls[0][1][1:] == ((), None, '')
    options = made.calls[1][2]
    options.pop('on_progress')
    assert options == {'from_ns': 0, 'to_ns': 2**63 - 1, 'rate': math.inf, 'wait_s': 1.0}


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        ('--rate 0', 'replay --rate: 0: is not a real-time factor'),
        ('--topic /nope', 'replay: --topic = /nope: was not recorded; allowed: '),
        ('--start 1000', 'is after the end; allowed: up to '),
        ('--start inf', 'is not a time; allowed: seconds for --start and --delay'),
        ('--branch 1', 'replay: --branch = '),
        ('--start 3 --end 2', '--start = 3: is after the end; allowed: up to 2'),
        *(
            (
                f'--resimulate {option}',
                f'replay --resimulate: {option.split()[0]}: does not apply to --resimulate; allowed: --start',
            )
            for option in ('--end 1', '--rate 2', '--topic /clock', '--domain 1')
        ),
    ],
)
def test_what_replay_refuses(say: Any, run_dir: Path, words: str, said: str) -> None:
    code, out, err = say('replay', run_dir, *words.split())
    assert (code, out) == (2, '') and said in err


def test_resimulation_says_what_was_compared(say: Any, monkeypatch: pytest.MonkeyPatch, run_dir: Path) -> None:
    from regolith_bringup.run.resimulation import ResimulationResult

    calls: list[Any] = []

    def evolve(run: Path, begin: float, tick: Any) -> ResimulationResult:
        calls.append((run, begin))
        return ResimulationResult(**{**fields, 'difference': difference})

    fields: dict[str, Any] = {field.name: None for field in dataclasses.fields(ResimulationResult)}
    fields |= {'cycles': 31, 'from_s': 1.5, 'to_s': 4.25}
    difference: Any = ''
    monkeypatch.setattr('regolith_bringup.run.resimulation.resimulate', evolve)
    words = '31 cycles from 1.5 to 4.25 s: bit-identical states\n'
    assert say('replay', run_dir, '--resimulate', '--start', 1.75)[:2] == (0, words) and calls == [(run_dir, 1.75)]
    difference = 'cycle 4: amber'
    assert say('replay', run_dir, '--resimulate')[:2] == (3, 'cycle 4: amber\n')
    code, out, _ = say('replay', run_dir, '--resimulate', '--json')
    assert code == 3 and json.loads(out) == {**fields, 'difference': difference}
    monkeypatch.setattr('regolith_bringup.commands.recordings.open_recording', lambda *given: None)
    code, out, err = say('replay', run_dir, '--resimulate', '--branch', 1)
    assert (code, out) == (2, '') and '--branch: does not apply to --resimulate' in err
