# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes forked from one that has imported everything, so that nodes need not do it one by one.

The process they are forked from is :mod:`multiprocessing`'s fork server. It never has a thread or a ROS context of its
own, and ends with the process that started it. A forked node runs the same executable file as ``ros2 run`` would, with
the same arguments, environment and command line in ``ps``; executables that are no script of this Python are not ours
to run this way (:func:`is_ours`).
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

from regolith_world.node_main import PARENT

_context = get_context('forkserver')


def start_fork_server(module: str) -> None:
    """Start the process that nodes are forked from; it imports a module while the caller goes on."""
    _context.set_forkserver_preload([module])
    _ensure_running()


def _ensure_running() -> None:
    # A helper of the fork server's; its start lets SIGINT in.
    resource_tracker.ensure_running()
    # Ctrl-C in the terminal is the caller's alone; nodes let it in when they can take it (regolith_world.node_main).
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_ours(path: Path) -> bool:
    """Return whether a file is a script for the Python that runs this, of the same environment."""
    with path.open('rb') as file:
        line = file.readline().decode(errors='replace').strip()
    interpreter, own = Path(line.removeprefix('#!')), Path(sys.executable)
    # A virtual environment has several names for its Python, all of them links to the one it was made with.
    return line.startswith('#!') and interpreter.parent == own.parent and interpreter.resolve() == own.resolve()


class ForkedProcess:
    """A script running in a forked process; what :class:`subprocess.Popen` offers of this is named alike."""

    def __init__(self, path: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it in a session of its own; SIGINT is blocked, standard input is empty."""
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
        """What it prints, errors and all."""
        output.close()

    def poll(self) -> int | None:
        """Return its exit code; negative for a signal; None while it runs."""
        if self._code is None:
            code = self._process.exitcode
            # Seen once, it stays: what the process was forked from removes the zombie before its message arrives.
            self._code = _code_of_zombie(self.pid) if code is None else code
        return self._code

    def wait(self, timeout: float) -> int | None:
        """Return its exit code once it has ended, or None after ``timeout`` [wall s]."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None and (left := until - time.monotonic()) > 0.0:
            # What it was forked from may be stopped and report nothing.
            self._process.join(min(left, 0.1))
        return code


def _stat(pid: int) -> list[str]:
    """Return the fields of ``/proc/PID/stat`` from the third on, the state; empty: there is no such process."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(') ')[2].split()
    except OSError:
        return []


def _code_of_zombie(pid: int) -> int | None:
    """Return the exit code of a process that has ended and was not waited for; None: it runs, or is gone."""
    fields = _stat(pid)
    if not fields or fields[0] != 'Z':
        return None
    return os.waitstatus_to_exitcode(int(fields[49]))


def server_runs() -> bool:
    """Return whether the process that nodes are forked from is not stopped."""
    return _stat(_server_pid())[:1] not in (['T'], ['t'])


def end_server_if_stopped() -> None:
    """End the process that nodes are forked from if it is stopped: this one would wait for it at its own end."""
    if not server_runs():
        with suppress(ProcessLookupError):
            os.kill(_server_pid(), signal.SIGKILL)


def _server_pid() -> int:
    # The library has no public name for it.
    return int(forkserver._forkserver._forkserver_pid or 0)  # type: ignore[attr-defined]


def _name_for_logs(path: str, arguments: Sequence[str]) -> None:
    """Have the C library, and so ROS, which names log files by it, call this process by its node: ``amber_agent``.

    Otherwise it would be a piece of the command line, which has moved.
    """
    told = dict(word.split(':=', 1) for word in arguments if ':=' in word)
    name = '_'.join(filter(None, [*told.get('__ns', '').split('/'), told.get('__node', Path(path).name)]))
    _NAMES.append(name.encode())
    with suppress(ValueError):  # a C library without it
        ctypes.c_char_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value = _NAMES[-1]


_NAMES: list[bytes] = []
"""What the C library points to, kept as long as the process."""


def _run(path: str, arguments: list[str], environment: dict[str, str], output: Connection) -> None:
    """Become the process that the script at ``path`` runs in."""
    os.setsid()
    # Before the environment moves, by which it finds the place of the command line.
    setproctitle(' '.join([sys.executable, path, *arguments]))
    _name_for_logs(path, arguments)
    with open(os.devnull, 'rb') as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    # Among them is what the fork server lives as long as: it and all nodes are to end with the process that asked.
    os.closerange(3, os.sysconf('SC_OPEN_MAX'))
    os.environ.clear()
    os.environ.update(environment)
    # It ends with the process it was forked from, and that with the one that asked for it.
    os.environ[PARENT] = str(os.getppid())
    if environment.get('PYTHONFAULTHANDLER'):
        faulthandler.enable()
    for text in (sys.stdout, sys.stderr):
        text.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.argv = [path, *arguments]
    runpy.run_path(path, run_name='__main__')
