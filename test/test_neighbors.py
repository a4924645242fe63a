# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that share a graph: one domain, one machine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from harness import LiveRun, command, environment, free_domain, new_domain, vehicle, write_scenario
from regolith_msgs.msg import WorldStatus

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario

pytestmark = pytest.mark.ros


@pytest.mark.slow
def test_runs_in_one_graph_leave_each_other_alone(tmp_path: Path) -> None:
    """The later of two worlds yields; a namespace moves everything; no two nodes have one name."""
    amber = vehicle(0.0, 0.0, type='constant', speed_mps=0.2)
    file = write_scenario(tmp_path, {'amber': amber}, duration_s=2.0)
    with LiveRun(tmp_path, file, '--no-record', '--rtf', 0.2, processes='one', name='first') as first:
        status = first.subscribe(WorldStatus, '/regolith/status', latched=True)
        first.wait_for(lambda: any(s.state == WorldStatus.PLAYING for s in status), what='the first run')
        first.pause()  # it is there, and in the middle of its way, for as long as the others take
        start = {'cwd': tmp_path, 'env': environment(first.domain), 'stdout': subprocess.PIPE, 'text': True}
        later = subprocess.Popen(
            command('run', file, '--processes', 'one', '--out', tmp_path / 'later'), stderr=subprocess.STDOUT, **start
        )  # type: ignore[call-overload]
        moved = subprocess.Popen(
            command('run', file, '--namespace', 'moon', '--rtf', 0.2, '--no-report', '--out', tmp_path / 'moved'),
            stderr=subprocess.STDOUT,
            **start,
        )  # type: ignore[call-overload]
        moon = first.subscribe(WorldStatus, '/moon/regolith/status', latched=True)
        first.wait_for(lambda: any(s.state == WorldStatus.PLAYING for s in moon), 60.0, what='the run in a namespace')
        names = {'/clock', '/tf', '/moon/clock', '/moon/tf', '/moon/diagnostics', '/moon/amber/odom'}

        def topics() -> set[str]:
            return {name for name, _ in first.node.get_topic_names_and_types()}

        first.wait_for(lambda: names <= topics(), 60.0, what='the topics of both runs')
        first.wait_for(lambda: later.poll() is not None, 60.0, what='the later run leaving')

        def twice() -> bool:
            ours = [node for node in first.node.get_node_names_and_namespaces() if node[0] != 'test']
            return len(ours) > len(set(ours))

        first.wait_for(lambda: not twice(), 60.0, what='the names of the run that left being gone')
        said, _ = later.communicate(timeout=60.0)
        printed, _ = moved.communicate(timeout=60.0)
        first.pause(False)
        result = first.finish()
    assert later.returncode == 2, said
    # Nothing is left that would refuse the same command later.
    assert not (tmp_path / 'later').exists()
    for part in ('another run', f'domain {first.domain}', '--namespace', '--domain'):
        assert part in said
    assert 'Traceback' not in said
    assert moved.returncode == 0, printed
    # What the run in a namespace computed is what the one beside it did, and its bag holds nothing else's.
    assert f'state hash {result.summary["state_hash"][:16]}' in printed.replace('\n', ' ').replace('  ', ' ')
    from regolith_bringup.bag.reading import Bag

    bag = Bag(tmp_path / 'moved')
    assert bag.root == '/moon'
    assert len({m.content.key.run_id for m in bag.messages('/regolith/cycle')} - {0}) == 1


@pytest.mark.slow
@pytest.mark.parametrize('apart', ['domains', 'namespaces'])
def test_four_runs_at_once_are_four_right_runs(tmp_path: Path, apart: str) -> None:
    """Started within a second, each a scenario of its own: each reaches its own hash, and no log has a word of another."""
    from regolith_bringup.bag.reading import Bag

    domains = [new_domain() for _ in range(4 if apart == 'domains' else 1)]
    names = ['io', 'europa', 'ganymede', 'callisto']
    files = []
    for k, name in enumerate(names):
        (tmp_path / name).mkdir()
        drive = vehicle(0.0, 0.0, type='constant', speed_mps=0.1 * (k + 1))
        files.append(write_scenario(tmp_path / name, {f'{name}rover': drive}, duration_s=2.0, seed=k))
    expected = [Simulation(load_scenario(str(file)).scenario).run(2.0) for file in files]
    assert len(set(expected)) == 4
    try:
        runs = []
        for k, (name, file) in enumerate(zip(names, files)):
            place = ['--namespace', name] if apart == 'namespaces' else []
            processes = ['--processes', 'many' if k % 2 else 'one']
            runs.append(
                subprocess.Popen(
                    command('run', file, '--no-report', '--out', tmp_path / f'run_{name}', *place, *processes),
                    cwd=tmp_path,
                    env=environment(domains[k % len(domains)]),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        assert all(run.poll() is None for run in runs), 'they run at the same time'
        told = [run.communicate(timeout=240.0)[0] for run in runs]
    finally:
        for run in runs:
            if run.poll() is None:
                run.kill()
        for domain in domains:
            free_domain(domain)
    ids = []
    for k, name in enumerate(names):
        folder = tmp_path / f'run_{name}'
        assert runs[k].returncode == 0, told[k]
        assert json.loads((folder / 'summary.json').read_text())['state_hash'] == expected[k]
        log = told[k] + (folder / 'console.log').read_text()
        assert not [other for other in names if other != name and other in log] and 'another run' not in log
        keys = {message.content.key.run_id for message in Bag(folder).messages('/regolith/cycle')}
        assert len(keys) == 1
        ids += keys
    assert len(set(ids)) == 4
