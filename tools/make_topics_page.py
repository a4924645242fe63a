#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/reference/topics.md: topics, services and actions of every node, with types and QoS.

The tool runs the nodes of two small scenarios for some steps and records what they create. ``tools/topics.yaml`` has
the texts. ``--check`` starts no node and only compares the texts. ``test/test_topics_page.py`` compares the whole page.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from page_markers import written

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'reference' / 'topics.md'
TEXTS = ROOT / 'tools' / 'topics.yaml'
LIMIT_S = 240.0
"""Maximum duration of a run, wall time [s]."""
PROCESSES = 4
"""Processes for five vehicles: two vehicles share one."""
RATE_HZ = 7.0
"""Rate of all sensors. No profile has this depth."""
KINDS = ('publishes', 'subscribes', 'service', 'action')
OPTIONAL = ('/regolith/terrain/grid_map',)
"""Topics of packages that an installation may lack."""
UNLISTED = re.compile(r'/rosout|/parameter_events|.*/(\w+_parameters|\w+_parameters_atomically|\w+_parameter_types)')
"""Names that every ROS 2 node has."""
SENSORS = {
    'camera': 'navcam',
    'lidar': 'vlp16',
    'spad': 'spad_flash',
    'event_camera': 'event_qvga',
    'thermal_camera': 'microbolometer',
    'imu': 'imu_mems',
    'gnss': 'gnss_lunanet',
}
"""Model by type of sensor. The name of the sensor is the type."""
MODELS = {'rover': 'viper_solar', 'car': 'hmmwv', 'digger': 'rassor', 'tank': 'm113', 'other': 'rocker_bogie'}
SCENARIO: Mapping[str, Any] = {
    'duration_s': 0.04,
    'dust': {},
    'terrain': {'source': 'flat', 'map_size_m': 64.0, 'site': {'latitude_deg': 0.0, 'longitude_deg': 0.0}},
    'vehicles': {
        name: {
            'model': model,
            'position': [0.0, 12.0 * k],
            'driver': {'type': 'external'},
            'publish_world_to_odom': name == 'other',
        }
        for k, (name, model) in enumerate(MODELS.items())
    },
    'comms': {'radio': 'lunar_uhf', 'tile_size_m': 32.0, 'margin_m': 1.0},
    'view': {'markers': True},
}
"""Every running gear, type of sensor and optional node."""
PARTICLES: Mapping[str, Any] = {
    'duration_s': 0.01,
    'recording': {'enabled': False},
    'terrain': {
        'source': 'flat',
        'regions': [
            {
                'model': 'crm',
                'name': 'bed',
                'vehicle': 'rover',
                'rectangle': {'low': [3.0, -0.4], 'high': [3.8, 0.4]},
                'spacing_m': 0.1,
                'depth_m': 0.3,
                'soil': 'lunar_regolith',
            }
        ],
    },
    'vehicles': {'rover': {'model': 'viper', 'position': [0.0, 0.0]}},
}
"""A vehicle with a CRM region."""


class Endpoint(NamedTuple):
    """Topic, service or action of a node."""

    node: str
    kind: str
    """One of :data:`KINDS`."""
    name: str
    type: str
    qos: str
    """Reliability, durability, depth; '' for services and actions."""


def scenarios() -> list[dict[str, Any]]:
    """Return the scenarios. The first has every output of every type of sensor."""
    from regolith_sensors.config.sensor_types import SENSOR_TYPES

    first = copy.deepcopy(dict(SCENARIO))
    first['vehicles']['rover']['sensors'] = {
        kind: {
            'model': SENSORS[kind],
            'rate_hz': RATE_HZ,
            'mount': {'xyz': [0.7, 0.2 * k, 2.0]},
            'outputs': list(type_.outputs),
        }
        for k, (kind, type_) in enumerate(SENSOR_TYPES.items())
    }
    return [first, dict(PARTICLES)]


# -- in the process of a node -----------------------------------------------------------------------------------------


def run_node(file: str, package: str, executable: str, arguments: list[str]) -> None:
    """Run a node, and append what it creates to a file."""
    from regolith_world.node_main import disable_mujoco_graphics, exit_with_parent
    from regolith_world.numerics import kernel_cache

    exit_with_parent()
    disable_mujoco_graphics()
    kernel_cache.configure()
    from rclpy.action import ActionServer
    from rclpy.node import Node

    def record(node: Any, kind: str, name: str, type_: Any, profile: Any = None) -> None:
        words = () if profile is None else (profile.reliability.name, profile.durability.name, str(profile.depth))
        qos = ', '.join(word.lower().replace('_', ' ') for word in words)
        type_name = f'{type_.__module__.split(".")[0]}/{type_.__name__}'
        with Path(file).open('a', encoding='utf-8') as stream:
            stream.write(json.dumps([node.get_fully_qualified_name(), kind, name, type_name, qos]) + '\n')

    def wrap(method: str, kind: str, name: str) -> None:
        create = getattr(Node, method)

        def recorded(node: Any, type_: Any, *rest: Any, **options: Any) -> Any:
            made = create(node, type_, *rest, **options)
            record(node, kind, getattr(made, name), type_, None if kind == 'service' else made.qos_profile)
            return made

        setattr(Node, method, recorded)

    wrap('create_publisher', 'publishes', 'topic_name')
    wrap('create_subscription', 'subscribes', 'topic_name')
    wrap('create_service', 'service', 'service_name')
    serve = ActionServer.__init__

    def served(server: Any, node: Any, type_: Any, name: str, *rest: Any, **options: Any) -> None:
        serve(server, node, type_, name, *rest, **options)
        record(node, 'action', node.resolve_service_name(name), type_)

    ActionServer.__init__ = served
    sys.argv = [f'{package}/{executable}', *arguments]
    import_module(f'{package}.{executable}').main()


# -- the run ----------------------------------------------------------------------------------------------------------


def run(scenario: Mapping[str, Any], folder: Path) -> set[Endpoint]:
    """Run the nodes of a scenario to its end, and return what they created.

    Raises:
        RuntimeError: If a node fails or does not end.
    """
    from regolith_bringup.run import ros_graph
    from regolith_bringup.run.middleware import middleware_environment
    from regolith_bringup.run.node_plan import new_run_id, node_specs
    from regolith_bringup.scenario import load_scenario, write_resolved
    from regolith_bringup.scenario.participant_sections import prepared
    from regolith_world.node_main import PARENT_VARIABLE

    file, created = folder / 'scenario.yaml', folder / 'created'
    file.write_text(yaml.safe_dump(dict(scenario)), encoding='utf-8')
    resolved = prepared(load_scenario(file).scenario, folder)
    write_resolved(resolved, file)
    domain = ros_graph.free_domain(range(20, 81))
    environment = {
        **os.environ,
        **middleware_environment(os.environ),
        'ROS_DOMAIN_ID': str(domain.number),
        PARENT_VARIABLE: str(os.getpid()),
    }
    nodes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for spec in node_specs(resolved, file, folder, PROCESSES, run=new_run_id()):
            words = [sys.executable, __file__, '--node', str(created), spec.package, spec.executable]
            nodes[spec.label] = subprocess.Popen([*words, *spec.arguments()], env=environment)
        until = time.monotonic() + LIMIT_S
        while running := [label for label, node in nodes.items() if node.poll() is None]:
            failed = [label for label, node in nodes.items() if node.poll()]
            if failed or time.monotonic() > until:
                raise RuntimeError(f'failed: {failed}; still running: {running}')
            time.sleep(0.1)
    finally:
        for node in nodes.values():
            node.kill()
            node.wait()
        domain.release()
    return {Endpoint(*json.loads(line)) for line in created.read_text(encoding='utf-8').splitlines()}


def general(found: Iterable[Endpoint]) -> list[Endpoint]:
    """Return endpoints with NAME and SENSOR in place of names, and with those of helper nodes at their main nodes."""
    vehicles, sensors = '|'.join(MODELS), '|'.join(SENSORS)

    def renamed(name: str) -> str:
        name = re.sub(rf'^/({vehicles})/({sensors})(?=/|$)', '/NAME/SENSOR', name)
        return re.sub(r'/fleet_0(?=/|$)', '/fleet_N', re.sub(rf'^/({vehicles})(?=/|$)', '/NAME', name))

    rows = set()
    for each in found:
        node, name = renamed(each.node.removesuffix('_link')), renamed(each.name)
        qos = each.qos.replace(f'volatile, {RATE_HZ:.0f}', 'volatile, 1 s')
        recorded = node.endswith('/recorder') and each.kind == 'subscribes'
        if not (recorded or name in OPTIONAL or UNLISTED.fullmatch(name)):
            rows.add(Endpoint(node, each.kind, name, each.type, qos))
    return sorted(rows)


# -- the page ---------------------------------------------------------------------------------------------------------


def tables(rows: Iterable[Endpoint], texts: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the lines of the tables.

    Raises:
        SystemExit: If a node or name has no text, or a text has no node or name.
    """
    rows = list(rows)
    for key, names in (('nodes', {row.node for row in rows}), ('topics', {row.name for row in rows})):
        missing, unused = names - set(texts[key]), set(texts[key]) - names
        if missing or unused:
            raise SystemExit(f'{TEXTS}: {key}: no text of {sorted(missing)}; no such name: {sorted(unused)}')
    lines = []
    for node, text in texts['nodes'].items():
        lines += ['', f'### `{node}`', '', text, '', '| name | type | kind | QoS | content |', '|---|---|---|---|---|']
        for row in sorted((row for row in rows if row.node == node), key=lambda row: (KINDS.index(row.kind), row)):
            cells = (f'`{row.name}`', f'`{row.type}`', row.kind, row.qos, texts['topics'][row.name])
            lines.append(f'| {" | ".join(cells)} |'.replace('|  |', '| |'))
    return [*lines, '']


def rows_of(page: str) -> list[Endpoint]:
    """Return the endpoints in the tables of the page."""
    rows, node = [], ''
    for line in page.splitlines():
        if heading := re.fullmatch('### `(/.*)`', line):
            node = heading[1]
        elif row := re.fullmatch(rf'\| `(/.*?)` \| `(.*?)` \| ({"|".join(KINDS)}) \| (.*?) ?\| .* \|', line):
            rows.append(Endpoint(node, row[3], row[1], row[2], row[4]))
    return rows


def current() -> list[Endpoint]:
    """Run all scenarios and return what their nodes create."""
    found: set[Endpoint] = set()
    for scenario in scenarios():
        with tempfile.TemporaryDirectory(prefix='topics') as folder:
            found |= run(scenario, Path(folder))
    return general(found)


def main() -> int:
    """Write the page, compare its texts, or run a node."""
    if sys.argv[1:2] == ['--node']:
        run_node(*sys.argv[2:5], sys.argv[5:])
        return 0
    texts, check = yaml.safe_load(TEXTS.read_text(encoding='utf-8')), '--check' in sys.argv
    before = PAGE.read_text(encoding='utf-8')
    text = written(PAGE, {'nodes': tables(rows_of(before) if check else current(), texts)})
    if check and text != before:
        print(f'{PAGE.relative_to(ROOT)} differs from {TEXTS.relative_to(ROOT)}; run tools/make_topics_page.py')
        return 1
    PAGE.write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
