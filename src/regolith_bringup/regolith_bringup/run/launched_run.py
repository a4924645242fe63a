# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Supervision of a run whose nodes ``launch`` starts: restarts, end, and results.

It makes the decisions of :mod:`regolith_bringup.run.supervisor` in response to events.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from regolith_bringup.run.node_plan import WORLD_EXECUTABLES, NodeSpec
from regolith_bringup.run.results import (
    dropped_participants,
    exit_code_text,
    succeeded,
    world_exit_message,
    write_results,
)
from regolith_world import should_restart


@dataclass(frozen=True)
class LaunchStep:
    """Next actions of launch. The defaults mean no action."""

    restart: bool = False
    """Whether to start the node again."""
    over: bool = False
    """Whether the world has ended and the other nodes have time to exit."""
    leave: str = ''
    """Reason to end all nodes now, '' for none."""
    problem: str = ''
    """Problem of the run after its end, '' for none."""


class LaunchedRun:
    """State of one launched run until its end.

    Args:
        folder: Run folder.
        specs: Nodes of the run, see :func:`regolith_bringup.run.node_plan.node_specs`.
        report: Whether to write a report if there is a bag.
    """

    def __init__(self, folder: Path, specs: list[NodeSpec], *, report: bool = True) -> None:
        self.folder = folder
        self.specs = specs
        self._report = report
        self._running = {spec.label for spec in specs}
        self._restarts: dict[str, int] = {}
        self._failed: list[str] = []
        self._given_up: list[str] = []
        self._over = False
        self._interrupted = False
        (folder / 'console.log').touch()

    def printed(self, spec: NodeSpec, text: bytes) -> None:
        """Append the output of a node to ``console.log``."""
        with suppress(OSError), (self.folder / 'console.log').open('a', encoding='utf-8') as stream:
            for line in text.decode(errors='replace').splitlines():
                stream.write(f'{spec.label}: {line}\n')

    def ended(self, spec: NodeSpec, code: int, *, shutting_down: bool) -> LaunchStep:
        """Return the actions after a node has exited.

        Args:
            spec: Node that has exited.
            code: Exit code, negative for a signal.
            shutting_down: Whether launch is already ending all nodes.
        """
        world = spec.executable in WORLD_EXECUTABLES
        self._interrupted |= shutting_down and not self._over
        again = code != 0 and spec.respawn and not self._over and not shutting_down
        restarts = self._restarts.get(spec.label, 0)
        if again and should_restart(code, restarts):
            self._restarts[spec.label] = restarts + 1
            return LaunchStep(restart=True)
        self._running.discard(spec.label)
        if code != 0 and (world or not (spec.respawn or self._interrupted)):
            self._failed.append(f'{spec.label} ended {exit_code_text(code)}')
        if not self._running:
            return self._all_ended()
        if world:
            self._over = True
            if code == 0:
                return LaunchStep(over=True)
            killed = self._started() and not (self.folder / 'world_summary.json').exists()
            ended = world_exit_message(self.folder, code) if killed else f'ended {exit_code_text(code)}'
            return LaunchStep(leave=f'the world {ended}')
        if code != 0 and not self._started() and not shutting_down:
            return LaunchStep(leave=f'{spec.label} ended before the first cycle')
        if again:
            self._given_up.append(f'{spec.label} ended {exit_code_text(code)}: stopped after {restarts} restarts')
            return LaunchStep(leave=self._given_up[-1])
        return LaunchStep()

    def _started(self) -> bool:
        return any((self.folder / name).exists() for name in ('started', 'world_summary.json'))

    def _all_ended(self) -> LaunchStep:
        write_results(self.folder, print, report=self._report)
        print(self.folder, flush=True)
        problems = [] if self._interrupted and succeeded(self.folder) else self._failed
        problems = [
            *problems,
            *self._given_up,
            *(f'it continued without {name}' for name in dropped_participants(self.folder)),
        ]
        if problems:
            return LaunchStep(problem=f'run {self.folder}: {"; ".join(problems)}')
        return LaunchStep(leave='the run has ended')
