# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How a run ends when its processes do not; scripts stand in for nodes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from regolith_bringup.run import node_processes
from regolith_bringup.run.node_plan import NodeSpec
from regolith_bringup.run.supervisor import Supervisor
from regolith_world import run_policy
from regolith_world.checkpoint.files import Checkpoint, write_checkpoint
from regolith_world.run_policy import NODE_FAILED, RESTARTS

OVER = """printf '{"failure": "%s"}' > world_summary.json\n"""
LEAVES, FAILS = 'exit 0\n', 'exit 4\n'
ONCE_STARTED = 'while [ ! -e started ]; do sleep 0.02; done\n'
STUCK = """trap '' TERM\nwhile :; do sleep 0.05; done\n"""


@pytest.mark.parametrize(
    ('world', 'agent', 'recorder', 'code', 'stuck'),
    [
        (OVER % '' + LEAVES, LEAVES, LEAVES, 0, []),
        (OVER % '' + LEAVES, STUCK, LEAVES, 0, ['agent']),
        (OVER % '' + STUCK, STUCK, LEAVES, 0, ['agent', 'world']),
        (OVER % 'amber does not respond' + STUCK, LEAVES, LEAVES, NODE_FAILED, ['world']),
        (OVER % '' + LEAVES, LEAVES, STUCK, NODE_FAILED, ['recorder']),
        (OVER % '' + LEAVES, FAILS, LEAVES, NODE_FAILED, []),
        (OVER % '' + FAILS, LEAVES, LEAVES, NODE_FAILED, []),
        (OVER % '' + 'kill -SEGV $$\n', LEAVES, LEAVES, 0, []),
        (OVER % 'amber does not respond' + 'kill -SEGV $$\n', LEAVES, LEAVES, NODE_FAILED, []),
        # The request comes at once, so the process must have had time to ignore it.
        ('sleep 0.5\n' + OVER % '' + FAILS, STUCK, LEAVES, NODE_FAILED, ['agent']),
    ],
)
def test_node_that_hangs_at_exit_is_killed_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: str, agent: str, recorder: str, code: int, stuck: list[str]
) -> None:
    """The node is killed and named. The run fails only if data is lost."""
    specs = []
    for name, script in (('world', world), ('agent', agent), ('recorder', recorder)):
        path = tmp_path / f'{name}_node'
        path.write_text(f'#!/bin/bash\ncd {tmp_path}\ntouch started\n{script}')
        path.chmod(0o755)
        specs.append(NodeSpec('any', f'{name}_node', name, ''))
    monkeypatch.setattr(node_processes, 'executable', lambda spec: tmp_path / spec.executable)
    # On a busy machine a process needs a second to start and to exit.
    monkeypatch.setattr(run_policy, 'EXIT_TIMEOUT_S', 2.0)
    monkeypatch.setattr(node_processes, 'LEAVING_S', 2.0)
    assert Supervisor(specs, tmp_path, 1.0, quiet=True).run() == code
    said = (tmp_path / 'console.log').read_text().splitlines()
    assert sorted(line.split(':')[0] for line in said if 'did not exit in time' in line) == stuck
    # An exit code of 3 never comes without a word.
    assert (
        code == 0
        or 'amber does not respond' in world
        or any(' ended ' in line or 'did not exit' in line for line in said)
    )
    crashed = OVER % '' in world and world.endswith((FAILS, '$$\n'))
    assert any('after the run was complete' in line for line in said) == crashed


def scripted(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripts: dict[str, str],
    respawn: str = '',
    unresponsive_s: float = 30.0,
) -> Supervisor:
    """Return the supervisor of scripts in place of nodes; one of them may be started again."""
    for name, script in scripts.items():
        path = folder / f'{name}_node'
        path.write_text(f'#!/bin/bash\ncd {folder}\n{script}')
        path.chmod(0o755)
    monkeypatch.setattr(node_processes, 'executable', lambda spec: folder / spec.executable)
    specs = [NodeSpec('any', f'{name}_node', name, '', respawn=name == respawn) for name in scripts]
    return Supervisor(specs, folder, 1.0, quiet=True, unresponsive_s=unresponsive_s)


@pytest.mark.parametrize(('failure', 'code'), [('no response from amber', 3), ('', 0)])
def test_a_node_that_fails_too_often_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str, code: int
) -> None:
    """A world that waits for the node would wait without limit. A stopped world names the missing node."""
    scripts = {
        'world': f'trap "printf \'{{\\"failure\\": \\"{failure}\\"}}\' > outcome; '
        f'mv outcome world_summary.json; exit {code}" TERM\n'
        'touch started\nwhile :; do sleep 0.02; done\n',
        'agent': f'{ONCE_STARTED}exit 1\n',
    }
    assert scripted(tmp_path, monkeypatch, scripts, respawn='agent').run() == NODE_FAILED
    said = [line for line in (tmp_path / 'console.log').read_text().splitlines() if line.startswith('agent')]
    assert said == [
        *['agent: ended with 1; starting it again'] * RESTARTS,
        'agent: ended with exit code 1',
        f'agent: stopped after {RESTARTS} restarts: ending the run',
    ]


def test_node_that_reports_a_fatal_error_is_not_restarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restart would fail in the same way: the disk is full, or the restored state is not the one of the world."""
    scripts = {
        'world': 'trap "exit 3" TERM\ntouch started\nwhile :; do sleep 0.02; done\n',
        'recorder': f'{ONCE_STARTED}echo "no space"\nexit 3\n',
    }
    assert scripted(tmp_path, monkeypatch, scripts, respawn='recorder').run() == NODE_FAILED
    said = [line for line in (tmp_path / 'console.log').read_text().splitlines() if line.startswith('recorder')]
    assert said == [
        'recorder: no space',
        'recorder: ended with exit code 3',
        'recorder: stopped after 0 restarts: ending the run',
    ]


def test_killed_world_is_named_with_the_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'scenario.yaml').write_text('name: two\nseed: 1\nvehicles: {agent: {}}\n')
    for name in ('t000005.000', 't000010.000', 't000015.000'):
        write_checkpoint(
            tmp_path / 'checkpoints' / name, Checkpoint(0, '', dict.fromkeys(('world', 'agent', 'terrain'), b''))
        )
    (tmp_path / 'checkpoints' / 't000015.000' / 'manifest.json').unlink()  # it was killed while it wrote
    scripts = {'world': 'touch started\nsleep 0.1\nkill -9 $$\n', 'agent': 'sleep 30\n'}
    assert scripted(tmp_path, monkeypatch, scripts).run() == NODE_FAILED
    assert (tmp_path / 'console.log').read_text() == (
        'world: ended with exit code -9 (SIGKILL), which ends the run; its committed states are in the bag; to continue: '
        f'./regolith run {tmp_path}/scenario.yaml --checkpoint {tmp_path}/checkpoints/t000010.000\n'
    )


def test_run_that_lost_a_node_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if its process is still there at the end, hanging, and the world has come through without it."""
    outcome = '{"failure": "", "dropped_participants": {"agent": "no response within 5 s, at 1.2 s"}}'
    scripts = {'world': f"printf '{outcome}' > world_summary.json\n", 'agent': 'exit 0\n'}
    assert scripted(tmp_path, monkeypatch, scripts).run() == NODE_FAILED


def test_stack_of_a_hanging_node_is_printed(tmp_path: Path) -> None:
    """A Python node with the fault handler on, as the supervisor starts it, that ignores requests."""
    path = tmp_path / 'world_node'
    script = 'import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint("up", flush=True)\n'
    path.write_text(f'#!/usr/bin/env python3\n{script}def linger():\n    time.sleep(60.0)\nlinger()\n')
    path.chmod(0o755)
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_processes, 'executable', lambda spec: path)
        patch.setattr(node_processes, 'LEAVING_S', 0.5)
        spec = NodeSpec('any', 'world_node', 'world', '')
        node = node_processes.NodeProcess(
            spec, {**os.environ, 'PYTHONFAULTHANDLER': '1'}, lambda label, line: said.append(line)
        )
        while 'up' not in said:
            assert node.running
            time.sleep(0.01)
        assert node_processes.end_all([node], 0.0) == ['world']
    assert any('linger' in line for line in said) and node.code != 0


def test_interrupted_before_the_first_cycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to sum up, and that is no success."""
    path = tmp_path / 'world_node'
    path.write_text(f'#!/bin/bash\ntrap "exit 0" INT\ntouch {tmp_path}/up\nwhile :; do sleep 0.05; done\n')
    path.chmod(0o755)
    monkeypatch.setattr(node_processes, 'executable', lambda spec: path)
    run = Supervisor([NodeSpec('any', 'world_node', 'world', '')], tmp_path, 1.0, quiet=True)

    def interrupt() -> None:
        while not (tmp_path / 'up').exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    Thread(target=interrupt).start()
    run.run()
    assert run.interrupted and not run.started


INTERRUPTED_AT = """
import os, runpy, signal, sys
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupter())
sys.argv = ['regolith', 'check', 'two_rovers']
runpy.run_module('regolith_bringup', run_name='__main__', alter_sys=True)
"""


@pytest.mark.parametrize(
    ('module', 'code'),
    [('regolith_bringup.cli', -signal.SIGINT), ('typer', -signal.SIGINT), ('pydantic', 130), ('yaml', 130)],
)
def test_a_command_interrupted_while_it_starts_says_nothing(module: str, code: int) -> None:
    """At the import of a module, not after a time: how far it is by then differs from machine to machine."""
    script = INTERRUPTED_AT.format(module=module)
    ended = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, '', '')


def _world_node(said: list[str]) -> node_processes.NodeProcess:
    spec = NodeSpec('regolith_world', 'world_node', 'world', 'regolith')
    return node_processes.NodeProcess(spec, os.environ, lambda _, line: said.append(line))


@pytest.fixture(scope='module')
def start_s() -> float:
    """Return how long a node of its own interpreter takes until it says that it lacks a scenario [s]."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(node_processes, 'is_ours', lambda path: False)
        took = []
        for _ in range(2):  # the machine may be busy with other tests
            begin = time.monotonic()
            assert _world_node([]).process.wait(30.0) == 2
            took.append(time.monotonic() - begin)
        return min(took)


@pytest.mark.parametrize(
    ('forked', 'part'), [(True, 0.0), (True, 0.01), (False, 0.03), (False, 0.1), (False, 0.25), (False, 0.45)]
)
def test_a_node_interrupted_while_it_starts_says_nothing(
    monkeypatch: pytest.MonkeyPatch, start_s: float, forked: bool, part: float
) -> None:
    """Neither the stack of an interpreter that is not yet up, nor that of an import."""
    if not forked:
        monkeypatch.setattr(node_processes, 'is_ours', lambda path: False)
    for _ in range(10):
        said: list[str] = []
        node = _world_node(said)
        time.sleep(part * start_s)
        node.signal(signal.SIGINT)
        ended = node.process.wait(30.0)
        node.join_output()
        # On a loaded machine the node may have started, and refused its missing scenario in one line, before the signal.
        if (ended, len(said)) != (2, 1):
            break
    assert (ended, said) == (-signal.SIGINT, [])


def test_world_that_does_not_run_is_ended_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes for a while, then stops; all other nodes end with it."""
    scripts = {
        'world': 'touch started\nfor k in 1 2 3 4 5; do echo $k > alive; sleep 0.1; done\nkill -STOP $$\n',
        'agent': f"{ONCE_STARTED}trap 'exit 0' TERM\nwhile :; do sleep 0.02; done\n",
    }
    assert scripted(tmp_path, monkeypatch, scripts, unresponsive_s=1.0).run() == NODE_FAILED
    said = (tmp_path / 'console.log').read_text().splitlines()
    assert said[0].startswith('world: its process has not run for 1 s: it is stopped')
    assert 'ended with exit code -9 (SIGKILL), which ends the run' in said[1]
    assert not (tmp_path / 'alive').exists()


def test_world_stopped_before_its_first_cycle_is_ended_at_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = {'world': 'echo 0 > alive\nkill -STOP $$\n', 'agent': 'while :; do sleep 0.02; done\n'}
    assert scripted(tmp_path, monkeypatch, scripts, unresponsive_s=0.5).run() == NODE_FAILED
    (said,) = (tmp_path / 'console.log').read_text().splitlines()
    assert said.startswith('world: its process has not run for 0.5 s: it is stopped') and 'ending the run' in said


def test_node_that_fails_before_the_first_cycle_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = {'world': 'while :; do sleep 0.02; done\n', 'agent': FAILS}
    assert scripted(tmp_path, monkeypatch, scripts).run() == NODE_FAILED
    said = (tmp_path / 'console.log').read_text().splitlines()
    assert said == ['agent: ended with exit code 4', 'agent: ended before the first cycle; ending the run']
