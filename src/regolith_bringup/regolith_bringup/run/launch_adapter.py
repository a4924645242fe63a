# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Launch description of a run, for ROS 2 installs with ``launch`` (the pip wheels lack it)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from regolith_bringup.report.provenance import write_provenance
from regolith_bringup.run.environment_pinning import check_pinned
from regolith_bringup.run.launched_run import LaunchedRun
from regolith_bringup.run.middleware import OPEN_WORDS, is_network_visible, middleware_environment
from regolith_bringup.run.node_plan import NodeSpec, Parameter, new_run_id, node_specs, parse_remote_nodes
from regolith_bringup.run.process_allocation import ABOUT, parse_processes
from regolith_bringup.run.ros_graph import parse_namespace
from regolith_bringup.run.run_folder import check_checkpoint, new_run_folder
from regolith_bringup.scenario import participant_sections
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_files import InputError, Problem, allowed_names
from regolith_world import PARENT_VARIABLE, check_ros_environment, run_policy

ARGUMENTS: Mapping[str, tuple[str, str]] = {
    'scenario': ('two_rovers', 'Name of a shipped scenario, or path of a scenario file.'),
    'duration': ('', 'Stop at this simulated time [s]. Empty: duration_s of the scenario.'),
    'rtf': ('', "Upper limit of the real-time factor, or 'max'. Empty: real_time_factor of the scenario."),
    'seed': ('', 'Seed of all random numbers. Empty: seed of the scenario.'),
    'processes': ('many', ABOUT),
    'set': ('', "Keys to set, as 'a.b=value', separated by ';'."),
    'record': ('', "Write a bag: 'true' or 'false'. Empty: recording of the scenario."),
    'report': ('true', "Write report.html at the end if there is a bag: 'true' or 'false'."),
    'checkpoint': ('', 'Continue from this checkpoint folder. Empty: start at t = 0.'),
    'out': ('', 'New run folder. Empty: runs/NAME_NNN.'),
    'remote': ('', 'Participants that `regolith join` starts on other machines, separated by commas.'),
    'namespace': ('', 'Namespace of all names of the run, /clock and /tf included.'),
}
"""Launch arguments: name -> (default, description)."""


def prepared(arguments: Mapping[str, str], above: str = '') -> LaunchedRun:
    """Check the scenario, create the run folder with the resolved scenario, and return the nodes to start.

    Args:
        arguments: Values of :data:`ARGUMENTS` as text.
        above: Namespace that launch itself adds (``PushRosNamespace``).

    Raises:
        InputError: If the scenario cannot be run. Nothing has been created then.
    """
    given = {name: arguments.get(name, default).strip() for name, (default, _) in ARGUMENTS.items()}
    check_ros_environment(os.environ)
    try:
        processes = parse_processes(given['processes'])
        resolved = load_scenario(
            given['scenario'],
            [part.strip() for part in given['set'].split(';') if part.strip()],
            seed=_number('seed', given['seed'], int, 'a whole number'),
            duration_s=_number('duration', given['duration'], float, 'a number of seconds'),
            real_time_factor=given['rtf'] or None,
            record=_switch('record', given['record']),
        )
        check_pinned(resolved.scenario)
        report = _switch('report', given['report'])
        namespace = parse_namespace(given['namespace'])
        remote_nodes = parse_remote_nodes(given['remote'], resolved.scenario, processes)
        restore_from = Path(given['checkpoint']) if given['checkpoint'] else None
        if restore_from is not None:
            check_checkpoint(restore_from, resolved.scenario)
        folder = new_run_folder(resolved.scenario.name, Path(given['out']) if given['out'] else None).absolute()
    except InputError as error:
        raise InputError(map(_of_argument, error.problems)) from None
    scenario = participant_sections.prepared(resolved.scenario, folder)
    write_resolved(scenario, folder / 'scenario.yaml')
    write_provenance(folder)
    specs = node_specs(
        scenario,
        folder / 'scenario.yaml',
        folder,
        processes,
        restore_from=restore_from,
        namespace=namespace,
        run=new_run_id(),
        remote_nodes=remote_nodes,
    )
    return LaunchedRun(folder, specs, report=report is not False)


def _number(name: str, text: str, kind: Callable[[str], Any], allowed: str) -> Any:
    try:
        return kind(text) if text else None
    except ValueError:
        raise InputError(Problem(f'--{name}', '', 'has the wrong type', allowed, text)) from None


def _switch(name: str, text: str) -> bool | None:
    if text.lower() not in ('', 'true', 'false'):
        raise InputError(Problem(f'--{name}', '', 'is not a truth value', 'true or false', text))
    return text.lower() == 'true' if text else None


def _of_argument(problem: Problem) -> Problem:
    """Return a problem of a command line option as a problem of the launch argument with this name."""
    flag = re.match(r'--(\w+) ?', problem.where)
    if flag is None:
        return problem
    value = problem.where[flag.end() :] or problem.value
    return replace(problem, where=f'{flag[1]}:={value}', value='' if value == problem.value else problem.value)


def refuse_unknown(given: Sequence[str], known: Mapping[str, object]) -> None:
    """Refuse unknown arguments of the shipped launch files.

    Args:
        given: Arguments ``name:=value``.
        known: Known arguments by name.

    Raises:
        InputError: If an argument is unknown. The message states the first one.
    """
    for argument in given:
        name, sign, _ = argument.partition(':=')
        if sign and name not in known:
            allowed = allowed_names(known, name)
            raise InputError(Problem(argument, '', 'is not an argument of this launch file', allowed))


def launch_description(fixed: Mapping[str, str] | None = None) -> Any:
    """Return the ``launch.LaunchDescription`` that starts a scenario.

    Args:
        fixed: Values of :data:`ARGUMENTS` set by the launch file.
    """
    # mypy: launch is absent from some machines and untyped on the others.
    from launch.actions import DeclareLaunchArgument, OpaqueFunction  # type: ignore
    from launch.substitutions import LaunchConfiguration  # type: ignore

    from launch import LaunchContext, LaunchDescription  # type: ignore

    fixed = dict(fixed or {})
    asked = {name: about for name, about in ARGUMENTS.items() if name not in fixed}

    def start(context: LaunchContext) -> list[Any]:
        if _on_command_line(context):
            refuse_unknown(context.argv, asked)
        values = {name: LaunchConfiguration(name).perform(context) for name in asked}
        run = prepared({**values, **fixed})
        print(f'run folder: {run.folder}', flush=True)
        if is_network_visible(os.environ):
            print(OPEN_WORDS, flush=True)
        return [part for spec in run.specs for part in actions(spec, run)]

    declared = [DeclareLaunchArgument(n, default_value=d, description=t) for n, (d, t) in asked.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def _on_command_line(context: Any) -> bool:
    """Return whether the current launch file is the one given to ``ros2 launch``, not an included one.

    Arguments of other launch files are not checked.
    """
    path = context.get_locals_as_dict().get('current_launch_file_path', '')
    return bool(path) and Path(path).name in {Path(word).name for word in sys.argv}


@cache
def _quiet_start() -> str:
    """Return a command that defers Ctrl-C until a node's process can handle it; '' if ``env`` cannot.

    ``launch`` and the terminal send SIGINT to all processes; an interpreter that is still starting prints its stack.
    """
    command = ['env', '--block-signal=INT']
    try:
        subprocess.run([*command, 'true'], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return ''
    return ' ' + ' '.join(command)


def actions(spec: NodeSpec, run: LaunchedRun) -> list[Any]:
    """Return the actions that start one node and handle its exit."""
    from launch.actions import EmitEvent, RegisterEventHandler, Shutdown, TimerAction
    from launch.event_handlers import OnProcessIO  # type: ignore
    from launch.events import Shutdown as ShutdownEvent  # type: ignore
    from launch.substitutions import LaunchConfiguration
    from launch_ros.actions import Node  # type: ignore

    def ended(event: Any, context: Any) -> list[Any]:
        step = run.ended(spec, event.returncode, shutting_down=context.is_shutdown)
        if step.problem:
            # Only this action of a handler makes `ros2 launch` end with a nonzero exit code.
            raise RuntimeError(step.problem)
        if step.restart:
            return actions(spec, run)
        if step.leave:
            return [EmitEvent(event=ShutdownEvent(reason=step.leave))]
        if step.over:
            return [
                TimerAction(period=run_policy.EXIT_TIMEOUT_S, actions=[Shutdown(reason='nodes did not exit in time')])
            ]
        return []

    def printed(event: Any) -> None:
        run.printed(spec, event.text)

    node = Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace,
        # It prefixes the output of the node.
        exec_name=spec.label.replace('/', '.'),
        parameters=[dict[str, Parameter](spec.parameters)],
        additional_env={
            **middleware_environment(os.environ),
            'ROS_LOG_DIR': str(run.folder / 'log'),
            'PYTHONUNBUFFERED': '1',
            'PYTHONFAULTHANDLER': '1',
            PARENT_VARIABLE: str(os.getpid()),
        },
        output='screen',
        on_exit=ended,
        prefix=[LaunchConfiguration('launch-prefix', default=''), _quiet_start()],
    )
    handler = OnProcessIO(target_action=node, on_stdout=printed, on_stderr=printed)
    return [RegisterEventHandler(handler), node]
