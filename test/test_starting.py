# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes that another program starts: without what they need, before they are ready, and whose parent ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import environment, process_runs, vehicle, write_scenario

from regolith_bringup.run.node_plan import NodeSpec
from regolith_bringup.run.node_processes import executable
from regolith_world.node_main import PARENT_VARIABLE
from regolith_world.ros import remove_abandoned_segments

pytestmark = pytest.mark.ros

NODES = {
    'world_node': 'regolith_world',
    'terrain_node': 'regolith_terrain',
    'vehicle_node': 'regolith_vehicles',
    'recorder_node': 'regolith_bringup',
}


def path_of(node: str) -> str:
    return str(executable(NodeSpec(NODES[node], node, 'n', 'ns')))


def test_ros2_run_without_a_scenario_says_what_is_missing(tmp_path: Path) -> None:
    """One line that names the parameter and what is allowed, exit code 2, and nothing left behind."""
    remove_abandoned_segments()  # by nodes that were killed: Fast DDS complains of what they left, as ./regolith run does not
    unresolved = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0)})
    before = sorted(tmp_path.iterdir())
    # Of those that need a scenario one without and one with what is none: the message is the same.
    commands = [[path_of('world_node')], [path_of('recorder_node')]]
    commands.append(
        [path_of('vehicle_node'), '--ros-args', '-p', f'scenario_file:={unresolved}', '-p', 'vehicles:=[amber]']
    )
    running = [
        subprocess.Popen(
            c,
            cwd=tmp_path,
            env={**environment(1), 'ROS_LOG_DIR': '/tmp'},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for c in commands
    ]
    for node, process in zip(('world', 'recorder', 'agent'), running, strict=True):
        said, _ = process.communicate(timeout=60.0)
        assert process.returncode == 2, (node, said)
        assert len(said.strip().splitlines()) == 1, (node, said)
        assert 'allowed:' in said, (node, said)
    assert sorted(tmp_path.iterdir()) == before


def test_a_node_that_still_starts_leaves_without_a_word() -> None:
    """What launch does for its nodes: SIGINT waits until a handler can take it."""
    process = subprocess.Popen(
        ['env', '--block-signal=INT', path_of('terrain_node')],
        env=environment(1),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30.0)
    assert (process.returncode, said) == (-signal.SIGINT, '')


def test_a_node_ends_with_the_process_that_started_it() -> None:
    """However that ends: SIGKILL leaves no time for a shutdown."""
    child = (
        'from regolith_world.node_main import exit_with_parent; exit_with_parent(); print("ready", flush=True); '
        'import time; time.sleep(60)'
    )
    parent = (
        'import os, subprocess, sys, time\n'
        f'os.environ[{PARENT_VARIABLE!r}] = str(os.getpid())\n'
        f'p = subprocess.Popen([sys.executable, "-c", {child!r}])\n'
        'print(p.pid, flush=True)\n'
        'time.sleep(60)\n'
    )
    started = subprocess.Popen([sys.executable, '-c', parent], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    said = {started.stdout.readline().strip(), started.stdout.readline().strip()}
    (pid,) = (int(word) for word in said if word.isdecimal())
    started.kill()
    started.wait()
    until = time.monotonic() + 5.0
    while process_runs(pid):
        assert time.monotonic() < until, 'the child outlived its parent'
        time.sleep(0.02)


def test_a_node_whose_parent_is_gone_already_does_not_begin() -> None:
    nobody = subprocess.Popen(['true'])
    nobody.wait()
    code = 'from regolith_world.node_main import exit_with_parent; exit_with_parent(); raise SystemExit(0)'
    left = subprocess.run(
        [sys.executable, '-c', code], env={**os.environ, PARENT_VARIABLE: str(nobody.pid)}, check=False
    )
    assert left.returncode == 128 + signal.SIGTERM
