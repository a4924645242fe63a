# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Supervision of a run whose nodes ``launch`` starts: restarts, end, and results."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from regolith_bringup.run.node_plan import WORLD_EXECUTABLES, NodeSpec
from regolith_bringup.run.results import (
    dropped_participants,
    exit_code_text,
    run_stage,
    world_exit_message,
    write_results,
)
from regolith_world import run_policy


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
        # Without the recorder: launch does not count a restarted one that fails at the end of the run.
        world = next(spec.label for spec in specs if spec.executable in WORLD_EXECUTABLES)
        self._policy = run_policy.RunPolicy(world, respawn=[spec.label for spec in specs if spec.respawn])
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
        stage = run_stage(self.folder)
        if shutting_down:
            self._policy.on(run_policy.Interrupted())
        step = LaunchStep()
        for action in self._policy.on(run_policy.NodeEnded(spec.label, code, stage)):
            match action:
                case run_policy.Restart():
                    return LaunchStep(restart=True)
                case run_policy.GiveUp():
                    step = LaunchStep(leave=_gave_up(action))
                case run_policy.End(reason=reason, label=label) if reason:
                    step = LaunchStep(leave=f'{label} {reason}')
                case run_policy.End() if code == 0:
                    step = LaunchStep(over=True)
                case run_policy.End():
                    killed = stage is run_policy.Stage.RUNNING
                    ended = world_exit_message(self.folder, code) if killed else f'ended {exit_code_text(code)}'
                    step = LaunchStep(leave=f'the world {ended}')
        self._running.discard(spec.label)
        return step if self._running else self._all_ended(stage)

    def _all_ended(self, stage: run_policy.Stage) -> LaunchStep:
        write_results(self.folder, print, report=self._report)
        print(self.folder, flush=True)
        problems = []
        for action in self._policy.on(run_policy.AllEnded(stage)):
            if isinstance(action, run_policy.Exit):
                problems = [f'{label} ended {exit_code_text(code)}' for label, code in action.failures]
                problems += map(_gave_up, action.given_up)
        problems += [f'it continued without {name}' for name in dropped_participants(self.folder)]
        if problems:
            return LaunchStep(problem=f'run {self.folder}: {"; ".join(problems)}')
        return LaunchStep(leave='the run has ended')


def _gave_up(action: run_policy.GiveUp) -> str:
    return f'{action.label} ended {exit_code_text(action.code)}: stopped after {action.restarts} restarts'
