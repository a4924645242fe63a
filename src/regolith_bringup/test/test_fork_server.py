# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes forked from one that has imported everything, beside what the same script does in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regolith_bringup.run import fork_server
from regolith_bringup.run.fork_server import ForkedProcess, is_ours
from regolith_bringup.run.node_processes import _spawned
from regolith_world.node_main import PARENT_VARIABLE

TELLS = """
import json, os, signal, sys
print(json.dumps({
    'argv': sys.argv, 'file': __file__, 'environment': dict(sorted(os.environ.items())), 'folder': os.getcwd(),
    'leads': os.getsid(0) == os.getpid(), 'input': os.read(0, 9).decode(),
    'blocked': sorted(int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    'command': open('/proc/self/cmdline').read().replace('\\0', ' ').split(), 'open': len(os.listdir('/proc/self/fd')),
}, sort_keys=True))
print('wrong', file=sys.stderr)
raise SystemExit(7)
"""


def script(folder: Path, text: str) -> Path:
    path = folder / 'some_node'
    path.write_text(f'#!{sys.executable}\n{text}')
    path.chmod(0o755)
    return path


def test_a_script_finds_what_it_finds_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Arguments, environment, folder, session, signals, command line, no open files, and returned output."""
    path = script(tmp_path, TELLS)
    environment = {name: os.environ[name] for name in ('PATH', 'HOME') if name in os.environ} | {'OF_ITS_OWN': 'yes'}
    found = []
    for start in (ForkedProcess, _spawned):
        process = start(path, ['--one', 'two three'], environment)
        assert process.stdout is not None
        lines = sorted(process.stdout.read().splitlines())
        assert process.wait(10.0) == 7 and lines[0] == 'wrong', lines
        found.append(json.loads(lines[1]))
        # Each ends with its own parent.
        given = found[-1].pop('environment')
        assert int(given[PARENT_VARIABLE]) > 0 and given['OF_ITS_OWN'] == 'yes' and 'PYTEST_CURRENT_TEST' not in given
    forked, spawned = found
    assert forked == spawned
    assert forked['argv'] == [str(path), '--one', 'two three']
    assert forked['leads'] and forked['blocked'] == [signal.SIGINT] and forked['input'] == ''


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='of the GNU C library')
def test_log_files_are_named_by_the_node(tmp_path: Path) -> None:
    """ROS reads the program name from the C library."""
    text = "import ctypes\nprint(ctypes.c_char_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value.decode())\n"
    path = script(tmp_path, text)
    for words, name in (
        (['--ros-args', '-r', '__node:=agent', '-r', '__ns:=/moon/amber'], 'moon_amber_agent'),
        ([], 'some_node'),
    ):
        process = ForkedProcess(path, words, os.environ)
        assert process.stdout.read() == f'{name}\n'


def test_a_signal_ends_it_and_is_its_exit_code(tmp_path: Path) -> None:
    process = ForkedProcess(script(tmp_path, 'import time\nprint("up")\ntime.sleep(60.0)\n'), [], os.environ)
    assert process.stdout.readline() == 'up\n'
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait(10.0) == -signal.SIGKILL and process.poll() == -signal.SIGKILL


def test_an_exit_code_once_seen_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the end of the zombie and the message on it, nothing shows the code."""
    process = ForkedProcess(script(tmp_path, 'import time\nprint("up")\ntime.sleep(60.0)\n'), [], os.environ)
    assert process.stdout.readline() == 'up\n'
    codes = [None, -signal.SIGKILL, None, None]
    monkeypatch.setattr(fork_server, '_code_of_zombie', lambda pid: codes.pop(0))
    assert [process.poll() for _ in range(4)] == [None, *[-signal.SIGKILL] * 3]
    os.killpg(process.pid, signal.SIGKILL)


def test_an_exit_code_stays_while_the_server_takes_notice(tmp_path: Path) -> None:
    """Polled without a pause from the kill on, until its server has reported it."""
    path = script(tmp_path, 'import time\nprint("up", flush=True)\ntime.sleep(60.0)\n')
    for _ in range(8):
        process = ForkedProcess(path, [], os.environ)
        assert process.stdout.readline() == 'up\n'
        os.killpg(process.pid, signal.SIGKILL)
        codes = []
        while process._process.exitcode is None:
            codes.append(process.poll())
        codes.append(process.poll())
        first = codes.index(-signal.SIGKILL)
        assert set(codes[first:]) == {-signal.SIGKILL}


def test_only_scripts_of_this_python_are_run_this_way(tmp_path: Path) -> None:
    """Its other names count, as an executable may be installed under one of them."""
    path = script(tmp_path, '')
    assert is_ours(path)
    for line in ('#!/bin/bash', '#!/usr/bin/env python3', '#!/nowhere/python3', '\x7fELF\x02'):
        path.write_bytes(line.encode('latin-1') + b'\n')
        assert not is_ours(path)


@pytest.mark.skipif(not Path('/proc').is_dir(), reason='looks processes up in /proc')
def test_forked_process_ends_with_its_starter(tmp_path: Path) -> None:
    """Killed without a word; neither the node nor what it was forked from stays."""
    node = script(
        tmp_path,
        'from regolith_world.node_main import exit_with_parent\nexit_with_parent()\nimport os, time\n'
        'print(os.getpid(), os.getppid(), flush=True)\ntime.sleep(60.0)\n',
    )
    asks = (
        'import os, sys, time\nfrom pathlib import Path\nfrom regolith_bringup.run.fork_server import ForkedProcess\n'
        f'process = ForkedProcess(Path({str(node)!r}), [], os.environ)\n'
        'print(process.stdout.readline(), end="", flush=True)\ntime.sleep(60.0)\n'
    )
    asking = subprocess.Popen([sys.executable, '-c', asks], stdout=subprocess.PIPE, text=True)
    assert asking.stdout is not None
    pids = [int(word) for word in asking.stdout.readline().split()]
    assert len(pids) == 2
    asking.kill()
    asking.wait()
    until = time.monotonic() + 10.0
    # A zombie has ended: not every machine removes it at once.
    while any(fork_server._stat(pid)[:1] not in ([], ['Z']) for pid in pids):
        assert time.monotonic() < until, 'processes are left'
        time.sleep(0.02)


def test_end_is_noticed_though_what_it_was_forked_from_is_stopped(tmp_path: Path) -> None:
    """The library would wait for that process, also at the end of this one: in a process of its own."""
    node = script(tmp_path, 'import sys, time\nprint("up", flush=True)\ntime.sleep(0.5)\nsys.exit(5)\n')
    text = (
        'import os, signal\nfrom pathlib import Path\nfrom regolith_bringup.run import fork_server\n'
        f'process = fork_server.ForkedProcess(Path({str(node)!r}), [], os.environ)\n'
        'assert process.stdout.readline() == "up\\n" and fork_server.server_runs()\n'
        'os.kill(fork_server._server_pid(), signal.SIGSTOP)\n'
        'print(process.wait(60.0), process.poll(), fork_server.server_runs())\n'
        'fork_server.end_server_if_stopped()\n'
    )
    done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, '5 5 False\n'), done.stderr
