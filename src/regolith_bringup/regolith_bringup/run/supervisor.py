# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Supervisor of a run: starts the nodes, shows progress, ends all processes, writes the results."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from regolith_bringup.report.provenance import write_provenance
from regolith_bringup.run.middleware import OPEN_WORDS, is_network_visible, middleware_environment
from regolith_bringup.run.node_plan import WORLD_EXECUTABLES, NodeSpec, new_run_id, node_specs
from regolith_bringup.run.node_supervisor import NodeSupervisor
from regolith_bringup.run.process_allocation import Processes
from regolith_bringup.run.progress import progress
from regolith_bringup.run.results import exit_code_text, run_stage, world_exit_message, write_results
from regolith_bringup.run.run_folder import new_run_folder
from regolith_bringup.scenario.loading import write_resolved
from regolith_bringup.scenario.participant_sections import prepared
from regolith_bringup.scenario.schema import ResolvedScenario
from regolith_files import InputError
from regolith_world import check_ros_environment, run_policy, watchdog


def run_scenario(
    resolved: ResolvedScenario,
    *,
    processes: Processes = 'many',
    out: Path | None = None,
    as_json: bool = False,
    report: bool = True,
    restore_from: Path | None = None,
    namespace: str = '',
    network: bool = False,
    remote_nodes: Sequence[str] = (),
) -> int:
    """Run a scenario in separate processes, and print the run folder last (or the summary, with ``as_json``).

    Args:
        resolved: Resolved scenario.
        processes: Process allocation, see :mod:`regolith_bringup.run.process_allocation`.
        out: Run folder to create, None for a new one in runs/.
        as_json: Whether to print the summary as JSON.
        report: Whether to write a report if there is a bag.
        restore_from: Checkpoint folder to continue from, None to start at t = 0.
        namespace: Namespace of all names of the run, '' for none.
        network: Whether the run is visible from other machines.
        remote_nodes: Participants whose nodes are started on other machines.

    Returns:
        Exit code: 0 done, 2 another run is active, 3 a node failed, 130 interrupted before the first cycle.

    Raises:
        InputError: If the run cannot be started, or, at the end, if standard output cannot be written.
    """
    check_ros_environment(os.environ)
    run_dir = new_run_folder(resolved.scenario.name, out).absolute()
    scenario = resolved.scenario
    with ExitStack() as bars:
        scenario = prepared(scenario, run_dir, lambda name: bars.enter_context(progress(name, quiet=as_json)))
    scenario_file = run_dir / 'scenario.yaml'
    write_resolved(scenario, scenario_file)
    write_provenance(run_dir)
    specs = node_specs(
        scenario,
        scenario_file,
        run_dir,
        processes,
        restore_from=restore_from,
        namespace=namespace,
        run=new_run_id(),
        remote_nodes=remote_nodes,
    )
    supervisor = Supervisor(
        specs,
        run_dir,
        scenario.duration_s,
        quiet=as_json,
        namespace=namespace,
        network=network,
        unresponsive_s=scenario.world.unresponsive_s,
    )
    code = supervisor.run()
    if code == run_policy.BAD_INPUT:
        if not supervisor.started:
            # Else the same command with --out would be refused. All files in the folder are of this run.
            shutil.rmtree(run_dir, ignore_errors=True)
        return code
    if supervisor.interrupted and not supervisor.started:
        supervisor.print_line(escape(f'interrupted before the first cycle; files of the start are in {run_dir}'))
        return run_policy.INTERRUPTED
    if supervisor.interrupted and report and not as_json:
        supervisor.console.print('writing the report; Ctrl-C skips it')
    with supervisor.console.status('writing the report') if report else nullcontext():
        summary = write_results(run_dir, lambda line: supervisor.print_line(escape(line)), report=report)
    output = json.dumps(summary or {'run': str(run_dir), 'failed': True}, indent=1) if as_json else str(run_dir)
    try:
        print(output, flush=True)
    except InputError as error:
        # The run is complete: print its folder where it can be read.
        supervisor.print_line(escape(f'{error}; the run is in {run_dir}'))
        return code or run_policy.BAD_INPUT
    return code


class Supervisor(NodeSupervisor):
    """Supervisor of the processes of one run.

    Args:
        specs: Nodes to start, see ``node_specs()``.
        run_dir: Run folder.
        duration_s: Simulated duration of the run, for the progress bar [s].
        quiet: Whether to hide progress.
        namespace: Namespace of all names of the run.
        network: Whether the run is visible from other machines.
        unresponsive_s: Unresponsive timeout, see ``world.unresponsive_s`` [wall s].
    """

    def __init__(
        self,
        specs: list[NodeSpec],
        run_dir: Path,
        duration_s: float,
        *,
        quiet: bool,
        namespace: str = '',
        network: bool = False,
        unresponsive_s: float = 30.0,
    ) -> None:
        self._world = next(spec.label for spec in specs if spec.executable in WORLD_EXECUTABLES)
        recorder = next((spec.label for spec in specs if spec.executable == 'recorder_node'), '')
        respawn = [spec.label for spec in specs if spec.respawn]
        policy = run_policy.RunPolicy(self._world, recorder, respawn)
        super().__init__(specs, run_dir, policy, quiet=quiet, network=network)
        self._duration_s, self._quiet, self._namespace = duration_s, quiet, namespace
        self._watchdog, self._unresponsive_s = run_dir / watchdog.FILE, unresponsive_s
        self.print_line = self._output.print_line

    def run(self) -> int:
        """Start all processes, wait for the end of the run, and end all processes."""
        if is_network_visible(os.environ, self._network):
            self.console.print(OPEN_WORDS, style='yellow')
        # The status subscription of the progress bar is in this process.
        os.environ.update(middleware_environment(os.environ, self._network))
        if not self._quiet:
            labels = ', '.join(s.label for s in self._specs)
            count = f'{len(self._specs)} processes' if len(self._specs) > 1 else 'one process'
            self.console.print(f'starting {count}: {labels}', soft_wrap=True)
        try:
            return super().run()
        finally:
            self._watchdog.unlink(missing_ok=True)

    def supervise(self) -> None:
        """Supervise the nodes and show progress."""
        self._watch = watchdog.Watch(self._watchdog, self._unresponsive_s)
        with self._progress() as self._show:
            super().supervise()

    def stage(self) -> run_policy.Stage:
        """Return the stage of the run, from its folder."""
        return run_stage(self._folder)

    def events(self) -> Iterator[run_policy.Event]:
        """Yield what has happened, and whether the process of the world runs."""
        yield from super().events()
        if problem := self._watch.problem():
            yield run_policy.WorldLost(f'{problem}; ending the run (world.unresponsive_s)')
        self._show()

    def perform(self, action: run_policy.Action) -> None:
        """Perform an action of the policy."""
        world = self._nodes[self._world]
        match action:
            case run_policy.SignalWorld(number):
                if number == signal.SIGINT and not self._quiet:
                    self.console.print('stopping; press Ctrl-C again to stop immediately')
                world.signal(number)
                if number == signal.SIGKILL:
                    world.process.wait(5.0)
            case run_policy.Warn(text):
                self._say(self._world, text)
            case run_policy.Report(self._world, int(code)) if self.stage() is run_policy.Stage.RUNNING:
                self._say(self._world, world_exit_message(self._folder, code))
            case run_policy.Report(label, int(code)):
                late = ' after the run was complete' if label == self._world else ''
                self._say(label, f'ended {exit_code_text(code)}{late}')
            case run_policy.GiveUp(label, _, restarts):
                self._say(label, f'stopped after {restarts} restarts: ending the run')
                world.signal(signal.SIGTERM)
            case run_policy.End(reason=reason, label=label) if reason:
                self._say(label, f'{reason}; ending the run')
        super().perform(action)

    @property
    def interrupted(self) -> bool:
        """Whether the run was interrupted."""
        return self._interrupts > 0

    @property
    def started(self) -> bool:
        """Whether the run reached its first cycle."""
        return self.stage() > run_policy.Stage.STARTING

    @contextmanager
    def _progress(self) -> Iterator[Any]:
        """Show simulated time, real-time factor and cycle rate from the status of the world."""
        if self._quiet or not sys.stderr.isatty():
            yield lambda: None
            return
        from regolith_bringup.run.status_listener import StatusListener

        bar = Progress(
            TextColumn('[bold]{task.description}'),
            BarColumn(),
            TextColumn(
                '{task.completed:6.2f} / {task.total:.0f} s   real-time factor {task.fields[speed]:5.2f}   '
                '{task.fields[rate]:5.0f} cycles/s'
            ),
            console=self.console,
            transient=True,
        )
        with StatusListener(f'/{self._namespace}' if self._namespace else '') as listener, bar:
            task = bar.add_task('starting', total=self._duration_s, speed=0.0, rate=0.0)

            def show() -> None:
                status = listener.latest()
                if status is not None:
                    bar.update(
                        task,
                        description=listener.state_name(status),
                        completed=status.t_ns * 1e-9,
                        speed=status.real_time_factor,
                        rate=status.cycle_rate,
                    )

            yield show
