# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``summary.json``: the figures of a run under keys that never change their names (design, section 8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from regolith_bringup.bag_reading import root_among
from regolith_bringup.recorder import write_atomically
from regolith_bringup.scenario import Scenario
from regolith_bringup.sensing_section import scenario_sensors
from regolith_world.config import load_section

_WORLD_KEYS = (
    'scenario',
    'simulated_s',
    'wall_s',
    'speed',
    'compute_per_sim_s',
    'cycles',
    'discarded_cycles',
    'forced_cycles',
    'state_hash',
    'processes',
)
_VEHICLE_KEYS = ('distance_m', 'mean_slip', 'max_sinkage_m', 'final_pose')
_TERRAIN_KEYS = ('modified_nodes', 'max_rut_depth_m', 'conflicts')
_SENSOR_TYPES = ('Image', 'CompressedImage', 'PointCloud2', 'Imu', 'NavSatFix', 'LaserScan')


def build_summary(run_dir: str | Path) -> dict[str, Any]:
    """Return the summary of a finished run.

    Of a vehicle or of the ground that did not report (its node died), the values are None.

    :param run_dir: run folder with ``world.json`` and ``scenario.yaml``, and what the recorder left, if it ran
    :raises FileNotFoundError: if the world did not get so far as to write ``world.json``
    """
    run_dir = Path(run_dir)
    path = run_dir / 'world.json'
    if not path.is_file():
        raise FileNotFoundError(f'{path}: the world wrote no figures; it was ended before it could')
    world = json.loads(path.read_text(encoding='utf-8'))
    scenario = load_section(run_dir / 'scenario.yaml', '', Scenario)
    reports = {name: _mapping(report) for name, report in world.get('reports', {}).items()}
    summary: dict[str, Any] = {key: world.get(key) for key in _WORLD_KEYS}
    summary['vehicles'] = {name: _part(reports.get(name), _VEHICLE_KEYS) for name in sorted(scenario.vehicles)}
    summary['terrain'] = _part(reports.get('terrain'), _TERRAIN_KEYS)
    topics, summary['bag'] = _bag(run_dir)
    simulated = float(world.get('simulated_s') or 0.0)
    published = {name for sensor in scenario_sensors(scenario) for name, _ in sensor.topics}
    summary['sensors'] = {
        name: {'messages': count, 'rate_hz': count / simulated if simulated > 0.0 else 0.0}
        for name, type_name, count in topics
        if name in published or (type_name.startswith('sensor_msgs/') and type_name.split('/')[-1] in _SENSOR_TYPES)
    }
    comms = _mapping(reports.get('comms', {}))
    summary['comms'] = {
        'sent': comms.get('sent', 0),
        'delivered': comms.get('delivered', 0),
        'dropped': comms.get('dropped', {}),
        'links': comms.get('links', {}),
    }
    return summary


def write_summary(run_dir: str | Path) -> dict[str, Any]:
    """Write ``summary.json`` into a run folder and return what it says."""
    summary = build_summary(run_dir)
    write_atomically(Path(run_dir) / 'summary.json', json.dumps(summary, indent=1, allow_nan=False) + '\n')
    return summary


def radio_history(run_dir: str | Path) -> dict[str, Any]:
    """Return what comms reports of all pairs over time, see ``regolith_comms.reach``; empty without radios."""
    world = json.loads((Path(run_dir) / 'world.json').read_text(encoding='utf-8'))
    return dict(_mapping(world.get('reports', {}).get('comms', {})).get('history', {}))


def _mapping(report: Any) -> dict[str, Any]:
    """Return a participant's report, which travels as JSON text."""
    value = json.loads(report or '{}') if isinstance(report, str) else report
    return dict(value) if isinstance(value, dict) else {}


def _part(report: dict[str, Any] | None, keys: tuple[str, ...]) -> dict[str, Any]:
    return {**dict.fromkeys(keys), **(report or {})}


def _bag(run_dir: Path) -> tuple[list[tuple[str, str, int]], dict[str, Any]]:
    """Return (topic, type, messages) of all topics, and the summary's ``bag``."""
    metadata = run_dir / 'bag' / 'metadata.yaml'
    counts = run_dir / 'recorder.json'
    if not metadata.is_file():
        return [], {'path': None, 'messages': 0, 'lost': 0}
    info = yaml.safe_load(metadata.read_text(encoding='utf-8'))['rosbag2_bagfile_information']
    root = root_among(t['topic_metadata']['name'] for t in info['topics_with_message_count'])
    topics = [
        (t['topic_metadata']['name'].removeprefix(root), t['topic_metadata']['type'], int(t['message_count']))
        for t in info['topics_with_message_count']
    ]
    lost = json.loads(counts.read_text(encoding='utf-8'))['lost'] if counts.is_file() else 0
    path = str((run_dir / 'bag').resolve())
    return topics, {'path': path, 'messages': int(info['message_count']), 'lost': int(lost)}
