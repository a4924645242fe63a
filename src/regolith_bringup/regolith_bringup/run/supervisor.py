# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Supervisor of a run: starts the nodes, shows progress, ends all processes, writes the results."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from regolith_bringup.commands.progress import progress
from regolith_bringup.run.console_output import ConsoleOutput
from regolith_bringup.run.fork_server import end_server_if_stopped, start_fork_server
from regolith_bringup.run.middleware import OPEN_WORDS, is_network_visible, middleware_environment, node_environment
from regolith_bringup.run.node_plan import WORLD_EXECUTABLES, NodeSpec, new_run_id, node_specs
from regolith_bringup.run.node_processes import NodeProcess, end_all
from regolith_bringup.run.process_allocation import Processes
from regolith_bringup.run.provenance import write_provenance
from regolith_bringup.run.results import exit_code_text, succeeded, world_exit_message, write_results
from regolith_bringup.run.run_folder import new_run_folder
from regolith_bringup.run.shared_memory import remove_abandoned
from regolith_bringup.scenario.loading import write_resolved
from regolith_bringup.scenario.participant_sections import prepared
from regolith_bringup.scenario.schema import ResolvedScenario
from regolith_files import InputError
from regolith_world import check_ros_environment, should_restart, watchdog

BAD_INPUT = 2
NODE_FAILED = 3
INTERRUPTED = 130
_PATIENCE_S = 10.0
"""Timeout for processes to exit after the world [wall s], mainly for the queues of the recorder."""


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
    if code == BAD_INPUT:
        if not supervisor.started:
            # Else the same command with --out would be refused. All files in the folder are of this run.
            shutil.rmtree(run_dir, ignore_errors=True)
        return code
    if supervisor.interrupted and not supervisor.started:
        supervisor.print_line(escape(f'interrupted before the first cycle; files of the start are in {run_dir}'))
        return INTERRUPTED
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
        return code or BAD_INPUT
    return code


class Supervisor:
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
        self._namespace, self._network = namespace, network
        self._specs = specs
        self._run_dir = run_dir
        self._duration_s = duration_s
        self._quiet = quiet
        self._output = ConsoleOutput([spec.label for spec in specs], run_dir, quiet=quiet)
        self.console, self._say, self.print_line = self._output.console, self._output.say, self._output.print_line
        self._interrupts = 0
        self._unresponsive_s = unresponsive_s

    def run(self) -> int:
        """Start all processes, wait for the end of the run, and end all processes."""
        environment = node_environment(self._run_dir, self._network)
        if is_network_visible(os.environ, self._network):
            self.console.print(OPEN_WORDS, style='yellow')
        # The status subscription of the progress bar is in this process.
        os.environ.update(middleware_environment(os.environ, self._network))
        remove_abandoned()
        start_fork_server('regolith_bringup.run.preload')
        if not self._quiet:
            labels = ', '.join(s.label for s in self._specs)
            count = f'{len(self._specs)} processes' if len(self._specs) > 1 else 'one process'
            self.console.print(f'starting {count}: {labels}', soft_wrap=True)
        nodes: list[NodeProcess] = []
        previous = {n: signal.signal(n, self._on_signal) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            # Started one by one, so that running ones are stopped if another cannot start.
            nodes.extend(NodeProcess(spec, environment, self._say) for spec in self._specs)
            return self._watch(nodes)
        finally:
            for node in nodes:
                node.signal(signal.SIGKILL)
            end_server_if_stopped()
            (self._run_dir / watchdog.FILE).unlink(missing_ok=True)
            for number, handler in previous.items():
                signal.signal(number, handler)
            self._output.close()

    def _watch(self, nodes: list[NodeProcess]) -> int:
        world = next(n for n in nodes if n.spec.executable in WORLD_EXECUTABLES)
        others = [n for n in nodes if n is not world]
        asked = 0
        reported: set[str] = set()
        given_up = False
        asked_at = 0.0
        over_at = math.inf
        watch = watchdog.Watch(self._run_dir / watchdog.FILE, self._unresponsive_s)
        with self._progress() as show:
            while world.running and time.monotonic() - over_at < _PATIENCE_S:
                if over_at == math.inf and (self._run_dir / 'world_summary.json').exists():
                    over_at = time.monotonic()
                if self._interrupts > asked:
                    if not asked and not self._quiet:
                        self.console.print('stopping; press Ctrl-C again to stop immediately')
                    asked, asked_at = self._interrupts, time.monotonic()
                    # The world sends STOP to all participants. A second Ctrl-C does not wait for this.
                    world.signal(signal.SIGINT if asked == 1 else signal.SIGKILL)
                if problem := watch.problem():
                    self._say(world.spec.label, f'{problem}; ending the run (world.unresponsive_s)')
                    world.signal(signal.SIGKILL)
                    world.process.wait(5.0)
                    continue
                if asked and time.monotonic() - asked_at > 2.0:
                    world.signal(signal.SIGKILL)
                for node in others:
                    if node.running or not node.code or node.spec.label in reported:
                        continue
                    node.join_output()  # its output precedes the message about its end
                    again = node.spec.respawn and not asked
                    if again and should_restart(node.code, node.restarts):
                        self._say(node.spec.label, f'ended with {node.code}; starting it again')
                        node.restart()
                        continue
                    reported.add(node.spec.label)
                    self._say(node.spec.label, f'ended {exit_code_text(node.code)}')
                    if again:
                        # The world would wait for it without limit.
                        given_up = True
                        self._say(node.spec.label, f'stopped after {node.restarts} restarts: ending the run')
                        world.signal(signal.SIGTERM)
                if lost := self._lost_before_start(others):
                    self._say(lost.spec.label, 'ended before the first cycle; ending the run')
                    world.signal(signal.SIGTERM)
                    end_all(nodes, 1.0)
                    return NODE_FAILED
                show()
                time.sleep(0.02)
            if not world.running:
                world.join_output()
                if world.code and self.started and not asked:
                    if not (self._run_dir / 'world_summary.json').exists():
                        self._say(world.spec.label, world_exit_message(self._run_dir, world.code))
                    elif succeeded(self._run_dir):
                        self._say(world.spec.label, f'ended {exit_code_text(world.code)} after the run was complete')
                if world.code and not succeeded(self._run_dir):
                    # The world may not have sent STOP.
                    for node in others:
                        node.signal(signal.SIGTERM)
            # The other nodes exit on STOP of the world, the recorder when its queues are empty.
            stuck = end_all(nodes, 1.5 if asked else _PATIENCE_S)
            # A node interrupted during its start cannot receive STOP yet.
            for label in stuck if self.started or not asked else ():
                self._say(label, 'did not exit in time')
        # A node that hangs at exit, or a world that crashes there, has completed its work: the world writes its results
        # after all nodes have responded to STOP. Only a bag is not complete before its recorder has exited.
        parting = [n for n in nodes if n.spec.label in stuck and n.spec.executable != 'recorder_node']
        whole = succeeded(self._run_dir) and (world in parting or (world.code or 0) <= 0)
        excused = [*parting, *(n for n in others if n.spec.respawn and n.spec.executable != 'recorder_node')]
        failed = [n for n in others if n.code and n not in excused]
        for node in failed if whole and not asked else ():
            if node.code and node.spec.label not in reported:
                self._say(node.spec.label, f'ended {exit_code_text(node.code)}')
        if world.code == BAD_INPUT:
            return BAD_INPUT
        if asked:
            if succeeded(self._run_dir):
                return 0
            return NODE_FAILED if (self._run_dir / 'world_summary.json').exists() else INTERRUPTED
        return 0 if whole and not (failed or given_up) else NODE_FAILED

    def _lost_before_start(self, others: list[NodeProcess]) -> NodeProcess | None:
        """Return a node that failed before the first cycle, or None."""
        if self.started:
            return None
        return next((n for n in others if not n.running and n.code not in (0, None)), None)

    @property
    def interrupted(self) -> bool:
        """Whether the run was interrupted."""
        return self._interrupts > 0

    @property
    def started(self) -> bool:
        """Whether the run reached its first cycle."""
        return any((self._run_dir / name).exists() for name in ('started', 'world_summary.json'))

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._interrupts += 1

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
