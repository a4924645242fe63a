# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A plan as a launch description, for machines whose ROS 2 has ``launch`` (the wheels from pip have not)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regolith_bringup.middleware import middleware_environment
from regolith_bringup.plan import NodeSpec, Parameter, plan, processes_named
from regolith_bringup.radio_map import with_pair
from regolith_bringup.run_folder import new_run_folder
from regolith_bringup.scenario import load_scenario, write_resolved

ARGUMENTS: Mapping[str, tuple[str, str]] = {
    'scenario': ('two_rovers', 'name of a scenario that ships, or path of a scenario YAML'),
    'duration': ('', 'simulated time [s]; empty: as the scenario says'),
    'speed': ('', "cap on simulated seconds per wall second, or 'max'; empty: as the scenario says"),
    'seed': ('', 'of everything random; empty: as the scenario says'),
    'processes': ('many', "'many': one process per vehicle; 'one': world, terrain and vehicles in one"),
    'set': ('', "further settings 'a.b=value', separated by ';'"),
    'out': ('', 'run folder to make; empty: a new one under runs/'),
}
"""Launch arguments: name -> (default, description)."""


def nodes_of(arguments: Mapping[str, str]) -> list[NodeSpec]:
    """Check the scenario, make the run folder, write the resolved scenario into it and return the plan.

    :param arguments: values of :data:`ARGUMENTS`, as text
    :raises regolith_bringup.problems.ScenarioError: if the scenario cannot be run; nothing has been made then
    """
    given = {name: arguments.get(name, default).strip() for name, (default, _) in ARGUMENTS.items()}
    processes = processes_named(given['processes'])
    resolved = load_scenario(
        given['scenario'],
        [part.strip() for part in given['set'].split(';') if part.strip()],
        seed=int(given['seed']) if given['seed'] else None,
        duration_s=float(given['duration']) if given['duration'] else None,
        speed=given['speed'] or None,
    )
    folder = new_run_folder(resolved.scenario.name, Path(given['out']) if given['out'] else None)
    scenario = with_pair(resolved.scenario, folder / 'comms')
    write_resolved(scenario, folder / 'scenario.yaml')
    return plan(scenario, folder / 'scenario.yaml', folder, processes)


def launch_description(fixed: Mapping[str, str] | None = None) -> Any:
    """Return the ``launch.LaunchDescription`` that starts a scenario.

    :param fixed: values of :data:`ARGUMENTS` that are not asked for
    """
    # mypy: launch is absent from some machines and untyped on the others.
    from launch.actions import DeclareLaunchArgument, OpaqueFunction  # type: ignore
    from launch.substitutions import LaunchConfiguration  # type: ignore

    from launch import LaunchContext, LaunchDescription  # type: ignore

    fixed = dict(fixed or {})
    asked = {name: about for name, about in ARGUMENTS.items() if name not in fixed}

    def start(context: LaunchContext) -> list[Any]:
        values = {name: LaunchConfiguration(name).perform(context) for name in asked}
        return [action(spec) for spec in nodes_of({**values, **fixed})]

    declared = [DeclareLaunchArgument(n, default_value=d, description=t) for n, (d, t) in asked.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def action(spec: NodeSpec) -> Any:
    """Return the ``launch_ros`` action that starts one node; the run ends with the world."""
    from launch.actions import Shutdown
    from launch_ros.actions import Node  # type: ignore

    ends_run = spec.executable in ('world_node', 'solo_node')
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=None if spec.namespace is None else f'/{spec.namespace}',
        parameters=[dict[str, Parameter](spec.parameters)],
        remappings=list(spec.remappings),
        respawn=spec.respawn,
        additional_env=middleware_environment(os.environ),
        output='screen',
        on_exit=[Shutdown(reason='the world has ended')] if ends_run else None,
    )
