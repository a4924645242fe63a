# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Policy of a run: which nodes are restarted, when the run ends, and with which exit code.

A supervisor passes events to :class:`RunPolicy` and performs the actions that it returns. ``./regolith run``,
``./regolith join``, ``ros2 launch`` and, for a spawned vehicle, the world node are supervisors.
"""

from __future__ import annotations

import math
import signal
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum

RESTARTS = 3
"""Maximum number of restarts of a node before the run ends."""
BAD_INPUT, NODE_FAILED, INTERRUPTED = 2, 3, 130
"""Exit codes of a run, also: of a world that refuses its input, of a node that reported why it cannot continue."""
EXIT_TIMEOUT_S = 10.0
"""Timeout for nodes to exit after the world, and for the world after its results, mainly for the recorder [wall s]."""
_INTERRUPTED_S, _STARTING_S = 1.5, 1.0
"""The same timeout in an interrupted run, and in one that lost a node before the first cycle [wall s]."""
_STOP_S = 2.0
"""Timeout for the world to exit after an interrupt [wall s]."""
_WARNING_S = 10.0
"""Period of warnings while there is no message from the world [wall s]."""


class Stage(IntEnum):
    """Stage of a run: before the first cycle, after it, and with results that state a failure or none."""

    STARTING, RUNNING, FAILED, COMPLETE = range(4)


@dataclass(frozen=True)
class NodeEnded:
    """Event: a process has ended, with an exit code that is negative for a signal."""

    label: str
    code: int
    stage: Stage = Stage.RUNNING


@dataclass(frozen=True)
class Interrupted:
    """Event: the user ends the run, at a wall time [s]."""

    at_s: float = 0.0


@dataclass(frozen=True)
class WorldLost:
    """Event: the process of the world does not run, or another run has replaced it."""

    reason: str


@dataclass(frozen=True)
class Tick:
    """Event: wall time passes [s]. ``connected``: the middleware sees the world."""

    at_s: float
    stage: Stage = Stage.RUNNING
    connected: bool = True


@dataclass(frozen=True)
class AllEnded:
    """Event: all processes have ended. ``hung``: those that did not exit in time."""

    stage: Stage
    hung: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restart:
    """Action: start a failed node again."""

    label: str
    code: int


@dataclass(frozen=True)
class Report:
    """Action: print the exit code of a node, None: it did not exit in time."""

    label: str
    code: int | None


@dataclass(frozen=True)
class Warn:
    """Action: print a message about the world."""

    text: str


@dataclass(frozen=True)
class GiveUp:
    """Action: end the run, because a node is not started again. The world would wait for it without limit."""

    label: str
    code: int
    restarts: int


@dataclass(frozen=True)
class SignalWorld:
    """Action: send a signal to the world. On SIGINT it sends STOP to all participants."""

    number: signal.Signals


@dataclass(frozen=True)
class End:
    """Action: wait for all nodes to exit, after SIGTERM if ``terminate``, and kill them after ``grace_s`` [wall s]."""

    grace_s: float
    terminate: bool = False
    reason: str = ''
    label: str = ''


@dataclass(frozen=True)
class Exit:
    """Action: exit. ``failures``: exit codes of the failed nodes."""

    code: int
    failures: tuple[tuple[str, int], ...] = ()
    given_up: tuple[GiveUp, ...] = ()


Event = NodeEnded | Interrupted | WorldLost | Tick | AllEnded
Action = Restart | Report | Warn | GiveUp | SignalWorld | End | Exit


class RunPolicy:
    """Policy of one run.

    Args:
        world: Label of the node whose exit ends the run, '' if it has another supervisor.
        recorder: Label of the node without which the bag is incomplete, '' for none.
        respawn: Labels of the nodes that are restarted after a failure.
        timeout_s: Time without a connection after which the world counts as lost [wall s].
    """

    def __init__(
        self, world: str = '', recorder: str = '', respawn: Collection[str] = (), timeout_s: float = math.inf
    ) -> None:
        self._world, self._recorder, self._respawn = world, recorder, frozenset(respawn)
        self._timeout_s = timeout_s
        self._restarts: Counter[str] = Counter()
        self._codes: dict[str, int] = {}
        self._reported: set[str] = set()
        self._excused: set[str] = set()
        self._given_up: list[GiveUp] = []
        self._interrupts = 0
        self._interrupted_s = self._results_s = math.inf
        self._connected_s = self._warned_s = -math.inf
        self._ending = self._lost = False

    def on(self, event: Event) -> tuple[Action, ...]:
        """Return the actions after an event, in order."""
        return tuple(self._actions(event))

    def _actions(self, event: Event) -> Iterator[Action]:
        match event:
            case NodeEnded():
                yield from self._on_node_ended(event)
            case Interrupted(at_s) if self._world not in self._codes:
                self._interrupts, self._interrupted_s = self._interrupts + 1, at_s
                if self._world:
                    # The second interrupt does not wait for the participants.
                    yield SignalWorld(signal.SIGINT if self._interrupts == 1 else signal.SIGKILL)
                else:
                    yield self._end('interrupted')
            case WorldLost(reason) if self._world:
                yield Warn(reason)
                yield SignalWorld(signal.SIGKILL)
            case WorldLost(reason):
                yield self._end(reason)
            case Tick():
                yield from self._on_tick(event)
            case AllEnded():
                yield from self._on_all_ended(event)

    def _on_node_ended(self, event: NodeEnded) -> Iterator[Action]:
        label, code = event.label, event.code
        again = code != 0 and label in self._respawn and not (self._interrupts or self._ending)
        restarts = self._restarts[label]
        if again and code != NODE_FAILED and restarts < RESTARTS:
            self._restarts[label] += 1
            yield Restart(label, code)
            return
        self._codes[label] = code
        if self._interrupts and label != self._world:
            self._excused.add(label)
        if self._ending:
            return
        if label == self._world:
            if code and not self._interrupts and event.stage in (Stage.RUNNING, Stage.COMPLETE):
                yield Report(label, code)
            # A world that fails may not have sent STOP.
            yield self._end(terminate=code != 0 and event.stage is not Stage.COMPLETE)
        elif code:
            self._reported.add(label)
            yield Report(label, code)
            if again:
                self._given_up.append(GiveUp(label, code, restarts))
                yield self._given_up[-1]
            if event.stage is Stage.STARTING and not self._interrupts:
                yield self._end('ended before the first cycle', label)

    def _on_tick(self, event: Tick) -> Iterator[Action]:
        now = event.at_s
        if now - self._interrupted_s > _STOP_S:
            yield SignalWorld(signal.SIGKILL)
        if event.stage >= Stage.FAILED:
            self._results_s = min(self._results_s, now)
            if not self._world or now - self._results_s >= EXIT_TIMEOUT_S:
                yield self._end()
        elif event.connected or self._connected_s == -math.inf:
            self._connected_s = self._warned_s = now
        elif now - self._connected_s > self._timeout_s:
            yield self._end(f'no message from the world for {now - self._connected_s:.0f} s')
        elif now - self._warned_s > _WARNING_S:
            self._warned_s = now
            yield Warn(f'no message from the world for {now - self._connected_s:.0f} s')

    def _end(self, reason: str = '', label: str = '', *, terminate: bool = False) -> End:
        self._ending, self._lost = True, bool(reason)
        in_time_s = _INTERRUPTED_S if self._world and self._interrupts else EXIT_TIMEOUT_S
        return End(_STARTING_S if label else in_time_s, terminate or self._lost, reason, label)

    def _on_all_ended(self, event: AllEnded) -> Iterator[Action]:
        stage, complete = event.stage, event.stage is Stage.COMPLETE
        if stage is not Stage.STARTING or not (self._interrupts or self._lost):
            # A node interrupted during its start cannot receive STOP yet.
            yield from (Report(label, None) for label in event.hung)
        # A node that hangs at exit, or a world that crashes there, has completed its work: the world writes its results
        # after all nodes have responded to STOP. Only a bag is not complete before its recorder has exited.
        excused = {*event.hung, *self._respawn} - {self._recorder}
        failures = {label: code for label, code in self._codes.items() if code and label not in excused}
        failed = [label for label in failures if label != self._world]
        if self._world and complete and not self._interrupts:
            yield from (Report(label, failures[label]) for label in failed if label not in self._reported)
        code = NODE_FAILED
        if not self._world:
            if self._interrupts:
                code = INTERRUPTED
            elif not (self._lost or stage is Stage.FAILED or any(self._codes.values())):
                code = 0
        elif self._codes.get(self._world) == BAD_INPUT and not self._lost:
            code = BAD_INPUT
        elif self._interrupts:
            code = 0 if complete else NODE_FAILED if stage is Stage.FAILED else INTERRUPTED
        elif complete and failures.get(self._world, 0) <= 0 and not (failed or self._given_up):
            code = 0
        if self._interrupts:
            # Only failures before the interrupt count, and only without results.
            failures = {} if complete else {k: v for k, v in failures.items() if k not in self._excused}
        yield Exit(code, tuple(failures.items()), tuple(self._given_up))
