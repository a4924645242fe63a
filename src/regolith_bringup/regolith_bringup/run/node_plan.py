# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a scenario: one list for all launchers.

``./regolith run`` and ``ros2 launch`` start exactly these nodes with exactly these parameters.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from regolith_bringup.bag.topics import recorded_topics
from regolith_bringup.run.process_allocation import Processes, allocate_processes
from regolith_bringup.scenario.participant_sections import participant_context, sections
from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.scenario.sensors_section import recorded_sensor_topics
from regolith_files import InputError, Problem, allowed_names, as_yaml_text
from regolith_sensors.config import lossless_streams, max_sensor_lag_s, scenario_sensors
from regolith_vehicles import load_vehicle_model, unpublished_topics

WORLD_EXECUTABLES = ('world_node', 'single_process_node')
"""Executables whose exit ends a run."""
Parameter = bool | int | float | str | list[str]


def new_run_id() -> int:
    """Return a random run id, which is not part of any hash."""
    return secrets.randbits(62) + 1


@dataclass(frozen=True)
class NodeSpec:
    """Process to start: its package, executable, names and parameters."""

    package: str
    executable: str
    name: str
    """Name of the main node of the process. Other nodes in the process have their own names."""
    namespace: str
    """Namespace, relative to the graph root."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    respawn: bool = False
    """Whether the launcher restarts it after a failure. An agent then rejoins and restores its state."""

    @property
    def label(self) -> str:
        """Short name that prefixes the output, unique in a plan."""
        return f'{self.namespace}/{self.name}'.removeprefix('/')

    @property
    def public_name(self) -> str:
        """Public name: that of the vehicle for the process of a single one, else the node name."""
        vehicles = self.parameters.get('vehicles')
        return vehicles[0] if isinstance(vehicles, list) and len(vehicles) == 1 else self.name

    def arguments(self) -> list[str]:
        """Return the command line arguments, starting with ``--ros-args``."""
        arguments = ['--ros-args', '-r', f'__node:={self.name}', '-r', f'__ns:=/{self.namespace}']
        for key, value in self.parameters.items():
            # JSON is valid YAML, and quotes text that YAML would parse as another type.
            arguments += ['-p', f'{key}:={json.dumps(value)}']
        return arguments


def node_specs(
    scenario: Scenario,
    scenario_file: str | Path,
    run_dir: str | Path,
    processes: Processes = 'many',
    *,
    restore_from: str | Path | None = None,
    namespace: str = '',
    run: int = 0,
    remote_nodes: Collection[str] = (),
) -> list[NodeSpec]:
    """Return the nodes of a scenario on this machine, in start order.

    Args:
        scenario: Resolved scenario.
        scenario_file: File of the resolved scenario, see ``write_resolved``.
        run_dir: Run folder, for world and recorder.
        processes: 'one': world, terrain, vehicles and other participants in one process. Otherwise each has its own
            process, except that vehicles on this machine may share processes, see
            :mod:`regolith_bringup.run.process_allocation`.
        restore_from: Checkpoint folder to continue from, None to start at t = 0.
        namespace: Namespace of all names of the run, such as ``moon``, '' for none.
        run: Run id from :func:`new_run_id`, which distinguishes the messages of different runs.
        remote_nodes: Participants whose nodes are started on other machines, see :func:`parse_remote_nodes`.
    """
    nodes = _nodes(scenario, scenario_file, run_dir, processes, restore_from, namespace, run, remote_nodes)
    return [node for node in nodes if node.public_name not in remote_nodes]


def parse_remote_nodes(text: str, scenario: Scenario, processes: Processes) -> tuple[str, ...]:
    """Return the participants to start on other machines, from a comma-separated text.

    Args:
        text: Names separated by commas.
        scenario: Resolved scenario.
        processes: Process allocation.

    Raises:
        InputError: If a participant cannot run remotely. World and recorder must be on the machine of the run folder.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(',') if part.strip()))
    nodes = _nodes(scenario, '', '', processes, remote_nodes=names)
    movable = dict.fromkeys(node.public_name for node in nodes if node.public_name not in ('world', 'recorder'))
    if nodes[-1].executable != 'single_process_node':
        movable |= dict.fromkeys(sorted(scenario.vehicles))
    for name in names:
        if name not in movable:
            problem = 'cannot run on a remote machine'
            raise InputError(Problem('--remote', '', problem, allowed_names(movable, name), as_yaml_text(name)))
    return names


def _nodes(
    scenario: Scenario,
    scenario_file: str | Path,
    run_dir: str | Path,
    processes: Processes,
    restore_from: str | Path | None = None,
    namespace: str = '',
    run: int = 0,
    remote_nodes: Collection[str] = (),
) -> list[NodeSpec]:
    """Return all nodes of a run, including remote nodes, see :func:`node_specs`."""
    file, folder = str(Path(scenario_file).absolute()), str(Path(run_dir).absolute())
    common: dict[str, Parameter] = {'scenario_file': file, 'use_sim_time': False, 'run_id': run}
    prefix = f'{namespace}/' if namespace else ''
    world = f'{prefix}regolith'
    names = sorted(scenario.vehicles)
    remote = [name for name in names if name in remote_nodes]
    here = [name for name in names if name not in remote]
    shared = allocate_processes(processes, here)
    if processes == 'auto' and shared.processes == 'one' and {*remote_nodes} - {'sensors'}:
        # In one process, all participants belong to the world process.
        shared = allocate_processes('many', here)
    groups = [*shared.groups, *((name,) for name in remote)]
    others = sections(scenario)
    sensors = scenario_sensors(scenario)
    unpublished = _unpublished(scenario)
    particles = {region.vehicle for region in scenario.terrain.owned_regions()}
    wheeled = {name for name in names if f'/{name}/wheel_states' not in unpublished}
    followed = lossless_streams(sensors, names, particles, wheeled)
    seen = recorded_sensor_topics(scenario) if scenario.recording.enabled else ()
    on_world: dict[str, Parameter] = {
        **common,
        'run_dir': folder,
        'duration_s': float(scenario.duration_s),
        # ROS parameters on the command line cannot be infinite: 0 means no limit.
        'real_time_factor': 0.0 if scenario.real_time_factor == 'max' else float(scenario.real_time_factor),
        'wait_for_recorder': scenario.recording.enabled,
        'max_sensor_lag_s': max_sensor_lag_s(sensors, scenario.world.max_step_s) if sensors else -1.0,
        'restore_from': str(Path(restore_from).absolute()) if restore_from is not None else '',
        # rclpy does not accept an empty list of strings on the command line.
        'remote_nodes': sorted(remote_nodes) or [''],
    }
    respawn = scenario.world.on_failure == 'wait'
    nodes: list[NodeSpec] = []
    if scenario.recording.enabled:
        site = participant_context(scenario)
        extra = [line for kind, section in others.values() for line in kind.recorded(section, site)]
        extra += [*(topic.line() for topic in seen), *scenario.recording.topics]
        topics = [topic.line() for topic in recorded_topics(names, extra, unpublished)]
        on_recorder: dict[str, Parameter] = {'run_dir': folder, 'topics': topics, 'use_sim_time': False, 'run_id': run}
        nodes.append(NodeSpec('regolith_bringup', 'recorder_node', 'recorder', world, on_recorder, respawn=respawn))
    if sensors:
        on_sensors: dict[str, Parameter] = {
            **common,
            'run_dir': folder,
            'restore_from': on_world['restore_from'],
            'recorded_topics': [topic.name for topic in seen] or [''],
        }
        nodes.append(NodeSpec('regolith_sensors', 'sensors_node', 'sensors', world, on_sensors, respawn=respawn))
    if scenario.view.markers:
        on_markers: dict[str, Parameter] = {**common, 'rate_hz': scenario.view.rate_hz}
        nodes.append(NodeSpec('regolith_bringup', 'markers_node', 'markers', world, on_markers))
    if shared.processes == 'one':
        nodes.append(NodeSpec('regolith_bringup', 'single_process_node', 'world', world, on_world))
        return nodes
    on_world['processes'] = shared.processes
    nodes.append(NodeSpec('regolith_world', 'world_node', 'world', world, on_world))
    nodes.append(NodeSpec('regolith_terrain', 'terrain_node', 'terrain', world, common, respawn=respawn))
    for name, (kind, _) in others.items():
        package, executable = kind.node
        nodes.append(NodeSpec(package, executable, name, world, {**common, 'participant': name}, respawn=respawn))
    fleets = [group for group in groups if len(group) > 1]
    for group in sorted(groups, key=lambda group: (group in fleets, group if len(group) == 1 else ())):
        node, space = ('agent', f'{prefix}{group[0]}') if len(group) == 1 else (f'fleet_{fleets.index(group)}', world)
        streams = [f'{name}/{stream}' for name in group for stream in followed[name]]
        on_vehicles: dict[str, Parameter] = {**common, 'vehicles': list(group), 'lossless_streams': streams or ['']}
        if len(group) > 1:
            on_vehicles['threads'] = shared.threads
        nodes.append(NodeSpec('regolith_vehicles', 'vehicle_node', node, space, on_vehicles, respawn=respawn))
    return nodes


def _unpublished(scenario: Scenario) -> frozenset[str]:
    """Return the topics of wheels and odometry that vehicles without them do not publish, '/NAME/TOPIC'."""
    found: set[str] = set()
    for name, entry in scenario.vehicles.items():
        found |= {f'/{name}/{topic}' for topic in unpublished_topics(*load_vehicle_model(entry.model))}
    return frozenset(found)
