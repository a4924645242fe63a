# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Starts ``./regolith`` without its imports: forked from a process that has made them, one per process of pytest.

A run of some cycles takes about five seconds of processor time, three of them imports: those of the command line, and
those of the process that the run's nodes are forked from. Here both are forked: the command from the process below, its
own process for nodes from the command. Everything from :func:`regolith_bringup.__main__.main` on is what a user starts;
the start of an interpreter itself is for tests that do not come here, as ``test_starting.py`` and some of ``test_failures.py``.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import util
from pathlib import Path
from typing import Any, NoReturn

_MAY_DIFFER = ('ROS_', 'RMW_', 'FASTRTPS_', 'PYTEST_')
"""How variables begin that nothing reads while it is imported."""
_READ_AT_IMPORT = ('ROS_PYTHON_CHECK_FIELDS',)
_LONGEST = 1 << 18
_started = util.spawnv_passfds


class Started:
    """A command that was forked; what :class:`subprocess.Popen` offers of this is named alike."""

    def __init__(self, starter: Starter, pid: int) -> None:
        self._starter = starter
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return its exit code; negative for a signal; None while it runs."""
        return self._code(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code once it has ended.

        Raises:
            subprocess.TimeoutExpired: if it does not
        """
        until = time.monotonic() + (1e9 if timeout is None else timeout)
        while (code := self._code(max(0.0, min(1.0, until - time.monotonic())))) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(f'process {self.pid}', timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _code(self, patience_s: float) -> int | None:
        if self.returncode is None:
            self.returncode = self._starter.code(self.pid, patience_s)
        return self.returncode


class Starter:
    """The process that commands are forked from, and the way to it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._surroundings = _lasting(environment)
        self._codes: dict[int, int] = {}
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self._end)

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether what was imported is what a command would import in this environment."""
        return self._process.poll() is None and _lasting(environment) == self._surroundings

    def start(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path, output: Path, errors: Path
    ) -> Started:
        """Start ``./regolith WORDS`` in a folder, in a session of its own; what it prints is appended to two files."""
        request = {
            'words': list(words),
            'environment': dict(environment),
            'folder': str(folder),
            'output': str(output),
            'errors': str(errors),
        }
        self._socket.send(json.dumps(request).encode())
        while True:
            kind, *values = self._received()
            if kind == 'started':
                return Started(self, values[0])

    def code(self, pid: int, patience_s: float) -> int | None:
        """Return the exit code of a command, or None if it has not ended after so long [wall s]."""
        while pid not in self._codes and select.select([self._socket], [], [], patience_s)[0]:
            self._received()
        return self._codes.get(pid)

    def _received(self) -> list[Any]:
        message = self._socket.recv(_LONGEST)
        if not message:
            raise RuntimeError('the process that commands are forked from has ended')
        received: list[Any] = json.loads(message)
        if received[0] == 'ended':
            self._codes[received[1]] = received[2]
        return received

    def _end(self) -> None:
        self._socket.close()
        self._process.wait(10.0)


def _lasting(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _READ_AT_IMPORT or not name.startswith(_MAY_DIFFER)
    }


# -- in the process that commands are forked from ---------------------------------------------------------------------


def serve(to_tests: socket.socket) -> dict[str, Any]:
    """Fork a command per request until the tests have ended; return its request in the forked process."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        ready = select.select([to_tests, woken], [], [])[0]
        if woken in ready:
            os.read(woken, 1024)
            for pid, status in iter(_ended, (0, 0)):
                to_tests.send(json.dumps(['ended', pid, os.waitstatus_to_exitcode(status)]).encode())
        if to_tests in ready:
            request = to_tests.recv(_LONGEST)
            if not request:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                return dict(json.loads(request))
            to_tests.send(json.dumps(['started', pid]).encode())


def _ended() -> tuple[int, int]:
    """Return process and status of a command that has ended and was not requested; (0, 0): there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0, 0


def become(request: Mapping[str, Any]) -> Callable[[], None]:
    """Make this process the one of a command; return what runs it."""
    from setproctitle import setproctitle

    from regolith_bringup import __main__

    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stream, path in enumerate((os.devnull, request['output'], request['errors'])):
        opened = os.open(path, os.O_WRONLY | os.O_APPEND if stream else os.O_RDONLY)
        os.dup2(opened, stream)
        os.close(opened)
    os.closerange(3, os.sysconf('SC_OPEN_MAX'))
    os.chdir(request['folder'])
    setproctitle(' '.join([sys.executable, '-m', 'regolith_bringup', *request['words']]))
    os.environ.clear()
    os.environ.update(request['environment'])
    sys.argv = [str(__main__.__file__), *request['words']]
    util.spawnv_passfds = _forked_instead  # type: ignore[assignment]
    return __main__.main


def leave(run: Callable[[], None]) -> NoReturn:
    """Run a command and end this process as :mod:`multiprocessing` ends those it forks.

    An interpreter that took itself down would do so to libraries that the command itself has not loaded.
    """
    code: Any = 0
    try:
        run()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        util._exit_function()  # type: ignore[attr-defined]
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code if isinstance(code, int) else int(code is not None))


def _forked_instead(path: bytes, words: Sequence[str], passed: Sequence[int]) -> int:
    """Fork where :mod:`multiprocessing` would start an interpreter for a helper of its own; return its process.

    Not where the command has threads by now: nodes are forked from a process without any.
    """
    if len(os.listdir('/proc/self/task')) > 1:
        return _started(path, words, passed)
    pid = os.fork()
    if pid:
        return pid
    try:
        from regolith_world.node_main import end_with_process

        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        first = 3
        for kept in [*sorted(passed), os.sysconf('SC_OPEN_MAX')]:
            os.closerange(first, kept)
            first = kept + 1
        if 'forkserver' in words[-1]:
            end_with_process(os.getppid())  # as regolith_bringup.run.preload has it, which is imported already
        exec(words[-1], {'__name__': 'helper'})
    finally:
        os._exit(0)


if __name__ == '__main__':
    tests = socket.socket(fileno=int(sys.argv[1]))
    from setproctitle import getproctitle

    getproctitle()  # finds the place of the command line, which moves with the environment
    import regolith_bringup.bag.reading
    import regolith_bringup.cli
    import regolith_bringup.report.summary
    import regolith_bringup.run.preload
    import regolith_bringup.run.supervisor  # noqa: F401

    leave(become(serve(tests)))
