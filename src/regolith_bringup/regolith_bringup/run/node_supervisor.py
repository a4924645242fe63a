# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Supervisor of node processes: passes events to the run policy and performs its actions."""

from __future__ import annotations

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from regolith_bringup.run.console_output import ConsoleOutput
from regolith_bringup.run.fork_server import end_server_if_stopped, start_fork_server
from regolith_bringup.run.middleware import node_environment
from regolith_bringup.run.node_plan import WORLD_EXECUTABLES, NodeSpec
from regolith_bringup.run.node_processes import NodeProcess, end_all
from regolith_world import run_policy
from regolith_world.ros import remove_abandoned_segments


class NodeSupervisor(ABC):
    """Supervisor of the processes of a run that are on this machine.

    Subclasses define :meth:`stage`, and may add events and ways to perform actions.

    Args:
        specs: Nodes to start.
        folder: Run folder, or folder of the logs.
        policy: Policy of the run.
        quiet: Whether the terminal shows errors only.
        network: Whether the run is visible from other machines.
    """

    def __init__(
        self, specs: Sequence[NodeSpec], folder: Path, policy: run_policy.RunPolicy, *, quiet: bool, network: bool
    ) -> None:
        self._specs, self._folder, self._policy, self._network = specs, folder, policy, network
        self._output = ConsoleOutput([spec.label for spec in specs], folder, quiet=quiet)
        self.console, self._say = self._output.console, self._output.say
        self._nodes: dict[str, NodeProcess] = {}
        self._ended: set[str] = set()
        self._interrupts = self._reported_interrupts = 0
        self._end: run_policy.End | None = None
        self._code = 0

    def run(self) -> int:
        """Start the nodes, supervise them to their end, and return the exit code of the run."""
        environment = node_environment(self._folder, self._network)
        remove_abandoned_segments()
        start_fork_server('regolith_bringup.run.preload')
        previous = {n: signal.signal(n, self._on_signal) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            # Started one by one, so that running ones are stopped if another cannot start.
            for spec in self._specs:
                self._nodes[spec.label] = NodeProcess(spec, environment, self._say)
            self.supervise()
            return self._code
        finally:
            for node in self._nodes.values():
                node.signal(signal.SIGKILL)
            end_server_if_stopped()
            for number, handler in previous.items():
                signal.signal(number, handler)
            self._output.close()

    def supervise(self) -> None:
        """Pass events to the policy and perform its actions, until all nodes have ended."""
        while self._end is None and len(self._ended) < len(self._nodes):
            for event in self.events():
                self._handle(event)
                if self._end is not None:
                    break
            else:
                time.sleep(0.02)
        hung = end_all(list(self._nodes.values()), self._end.grace_s if self._end else run_policy.EXIT_TIMEOUT_S)
        for event in self._exits():
            self._handle(event)
        self._handle(run_policy.AllEnded(self.stage(), tuple(hung)))

    def _handle(self, event: run_policy.Event) -> None:
        for action in self._policy.on(event):
            self.perform(action)

    @abstractmethod
    def stage(self) -> run_policy.Stage:
        """Return the stage of the run."""

    def connected(self) -> bool:
        """Return whether the middleware sees the world."""
        return True

    def events(self) -> Iterator[run_policy.Event]:
        """Yield what has happened since the last call."""
        while self._reported_interrupts < self._interrupts:
            self._reported_interrupts += 1
            yield run_policy.Interrupted(time.monotonic())
        yield from self._exits()
        yield run_policy.Tick(time.monotonic(), self.stage(), self.connected())

    def _exits(self) -> Iterator[run_policy.Event]:
        # The world first: it may have ended the others.
        for node in sorted(self._nodes.values(), key=lambda n: n.spec.executable not in WORLD_EXECUTABLES):
            code, label = node.code, node.spec.label
            if code is not None and label not in self._ended:
                self._ended.add(label)
                node.join_output()  # its output precedes the message about its end
                yield run_policy.NodeEnded(label, code, self.stage())

    def perform(self, action: run_policy.Action) -> None:
        """Perform an action of the policy."""
        match action:
            case run_policy.Restart(label, code):
                self._say(label, f'ended with {code}; starting it again')
                self._nodes[label].restart()
                self._ended.remove(label)
            case run_policy.Report(label, None):
                self._say(label, 'did not exit in time')
            case run_policy.End(_, terminate):
                self._end = action
                for node in self._nodes.values() if terminate else ():
                    node.signal(signal.SIGTERM)
            case run_policy.Exit(code):
                self._code = code

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._interrupts += 1
