# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of nodes: start, prefixed output, and end without orphans."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from regolith_bringup.run.fork_server import ForkedProcess, is_ours, server_runs
from regolith_bringup.run.node_plan import NodeSpec
from regolith_world import PARENT_VARIABLE


def executable(spec: NodeSpec) -> Path:
    """Return the executable file of a node.

    Args:
        spec: Node to start.

    Raises:
        FileNotFoundError: If the package is not built or has no such executable.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        path = Path(get_package_prefix(spec.package)) / 'lib' / spec.package / spec.executable
    except PackageNotFoundError:
        raise FileNotFoundError(f'package {spec.package} is not built; run make setup') from None
    if not path.is_file():
        raise FileNotFoundError(f'{path}: no such executable; run make setup')
    return path


def _spawned(path: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a program that cannot be forked, with an interface like :class:`ForkedProcess`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return subprocess.Popen(
            [str(path), *arguments],
            env={**environment, PARENT_VARIABLE: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class NodeProcess:
    """Process of one node, running or ended.

    Args:
        spec: Node to start.
        environment: Environment of the process.
        say: Callback ``say(label, line)`` for every line of output.
    """

    def __init__(self, spec: NodeSpec, environment: Mapping[str, str], say: Callable[[str, str], None]) -> None:
        self.spec = spec
        self._environment = dict(environment)
        self._say = say
        self.restarts = 0
        self._start()

    def _start(self) -> None:
        # In a separate session, Ctrl-C in the terminal reaches the supervisor only, which ends the run in order.
        # SIGINT is blocked until the node can handle it (regolith_world.node_main). An interpreter that is still
        # starting would print its stack.
        path, arguments = executable(self.spec), self.spec.arguments()
        start = ForkedProcess if is_ours(path) and server_runs() else _spawned
        self.process = start(path, arguments, self._environment)
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: Iterable[str]) -> None:
        for line in output:
            self._say(self.spec.label, line.rstrip('\n'))

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    @property
    def code(self) -> int | None:
        """Exit code, negative for a signal, None while the process runs."""
        return self.process.poll()

    def restart(self) -> None:
        """Start the process again after its end."""
        self.restarts += 1
        self._start()

    def signal(self, number: int) -> None:
        """Send a signal to the whole process group, if it still runs."""
        if not self.running:
            return
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            # It was just forked and has no session yet, or it has just ended.
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    def join_output(self) -> None:
        """Wait until all output has been forwarded."""
        self._reader.join(timeout=1.0)


LEAVING_S = 3.0
"""Time for a node to exit after a request [wall s]; :mod:`regolith_world.ros.shutdown` limits itself to 2 s."""


def end_all(nodes: Sequence[NodeProcess], grace_s: float) -> list[str]:
    """Wait up to ``grace_s`` for nodes to exit, then send SIGTERM, then kill them.

    Hanging nodes first print the stacks of all threads, with the fault handler of Python on SIGABRT.

    Args:
        nodes: Nodes to end.
        grace_s: Wait before SIGTERM [wall s].

    Returns:
        Labels of the nodes that did not exit without SIGTERM.
    """
    asked: list[str] = []
    patience = ((None, grace_s), (signal.SIGTERM, LEAVING_S), (signal.SIGABRT, 0.3), (signal.SIGKILL, 1.0))
    for number, patience_s in patience:
        if number == signal.SIGTERM:
            asked = [node.spec.label for node in nodes if node.running]
        if number is not None:
            for node in nodes:
                node.signal(number)
        until = time.monotonic() + patience_s
        while any(node.running for node in nodes):
            if time.monotonic() > until:
                break
            time.sleep(0.02)
        else:
            break
    for node in nodes:
        node.join_output()
    return asked
