# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fork server for nodes: a process that has imported all modules, so that nodes start quickly.

The nodes are forked from the fork server of :mod:`multiprocessing`. It never has a thread or a ROS context, and ends
with the process that started it. A forked node runs the same executable file as ``ros2 run``, with the same arguments,
environment and command line in ``ps``. Executables that are not scripts of this Python cannot be forked
(:func:`is_ours`).
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import runpy
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import forkserver, get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path

from setproctitle import setproctitle

from regolith_world import PARENT_VARIABLE

_context = get_context('forkserver')


def start_fork_server(module: str) -> None:
    """Start the fork server. It imports a module while the caller continues."""
    _context.set_forkserver_preload([module])
    _ensure_running()


def _ensure_running() -> None:
    # A helper of the fork server. Its start unblocks SIGINT.
    resource_tracker.ensure_running()
    # Ctrl-C in the terminal is handled by the caller only. Nodes unblock it when ready (regolith_world.node_main).
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_ours(path: Path) -> bool:
    """Return whether a file is a script for the running Python in the same environment."""
    with path.open('rb') as file:
        line = file.readline().decode(errors='replace').strip()
    interpreter, own = Path(line.removeprefix('#!')), Path(sys.executable)
    # The Python of a virtual environment has several names, all links to the base Python.
    return line.startswith('#!') and interpreter.parent == own.parent and interpreter.resolve() == own.resolve()


class ForkedProcess:
    """Script that runs in a forked process, with an interface like :class:`subprocess.Popen`."""

    def __init__(self, path: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the script in a new session, with SIGINT blocked and empty standard input."""
        _ensure_running()
        output, inner = _context.Pipe(duplex=False)
        self._process = _context.Process(
            target=_run, args=(str(path), list(arguments), dict(environment), inner), daemon=True
        )
        try:
            self._process.start()
        finally:
            inner.close()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        self._code: int | None = None
        self.stdout = os.fdopen(os.dup(output.fileno()), encoding='utf-8', errors='replace')
        """Standard output and standard error of the script."""
        output.close()

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, None while the process runs."""
        if self._code is None:
            code = self._process.exitcode
            # The code is stored, because the fork server removes the zombie before its message arrives.
            self._code = _code_of_zombie(self.pid) if code is None else code
        return self._code

    def wait(self, timeout: float) -> int | None:
        """Wait up to ``timeout`` [wall s] and return the exit code, or None if the process still runs."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None and (left := until - time.monotonic()) > 0.0:
            # The fork server may be stopped and report nothing.
            self._process.join(min(left, 0.1))
        return code


def _stat(pid: int) -> list[str]:
    """Return the fields of ``/proc/PID/stat`` from the third (state) on, empty if there is no such process."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(') ')[2].split()
    except OSError:
        return []


def _code_of_zombie(pid: int) -> int | None:
    """Return the exit code of a zombie process, None if the process runs or does not exist."""
    fields = _stat(pid)
    if not fields or fields[0] != 'Z':
        return None
    return os.waitstatus_to_exitcode(int(fields[49]))


def server_runs() -> bool:
    """Return whether the fork server is running, not stopped."""
    return _stat(_server_pid())[:1] not in (['T'], ['t'])


def end_server_if_stopped() -> None:
    """Kill the fork server if it is stopped. Otherwise this process would wait for it at exit."""
    if not server_runs():
        with suppress(ProcessLookupError):
            os.kill(_server_pid(), signal.SIGKILL)


def _server_pid() -> int:
    # The library has no public name for the process id.
    return int(forkserver._forkserver._forkserver_pid or 0)  # type: ignore[attr-defined]


def _name_for_logs(path: str, arguments: Sequence[str]) -> None:
    """Set the process name that the C library reports to ``amber_agent`` or similar.

    ROS names log files by it. Otherwise the name would be a fragment of the moved command line.
    """
    remappings = dict(word.split(':=', 1) for word in arguments if ':=' in word)
    name = '_'.join(filter(None, [*remappings.get('__ns', '').split('/'), remappings.get('__node', Path(path).name)]))
    _NAMES.append(name.encode())
    with suppress(ValueError):  # a C library without this variable
        ctypes.c_char_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value = _NAMES[-1]


_NAMES: list[bytes] = []
"""Strings that the C library refers to, kept for the lifetime of the process."""


def _run(path: str, arguments: list[str], environment: dict[str, str], output: Connection) -> None:
    """Turn this process into the one that runs the script at ``path``."""
    os.setsid()
    # Must precede the change of the environment, which is used to find the memory of the command line.
    setproctitle(' '.join([sys.executable, path, *arguments]))
    _name_for_logs(path, arguments)
    with open(os.devnull, 'rb') as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    # One of these descriptors controls the lifetime of the fork server, which must end with its parent.
    os.closerange(3, os.sysconf('SC_OPEN_MAX'))
    os.environ.clear()
    os.environ.update(environment)
    # This process ends with the fork server, and the fork server with the supervisor.
    os.environ[PARENT_VARIABLE] = str(os.getppid())
    if environment.get('PYTHONFAULTHANDLER'):
        faulthandler.enable()
    for text in (sys.stdout, sys.stderr):
        text.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.argv = [path, *arguments]
    runpy.run_path(path, run_name='__main__')
