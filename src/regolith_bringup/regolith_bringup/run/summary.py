# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``summary.json``: the figures of a run under keys that never change their names (design, section 8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regolith_bringup.bag.reading import Bag
from regolith_bringup.bag.recover import RecoverError
from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.scenario.sensing_section import scenario_sensors
from regolith_files.atomic import write_atomically
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
_TERRAIN_KEYS = ('modified_nodes', 'max_rut_depth_m', 'conflicts', 'ledger')
_SENSOR_TYPES = ('Image', 'CompressedImage', 'PointCloud2', 'Imu', 'NavSatFix', 'LaserScan')


def build_summary(run_dir: str | Path) -> dict[str, Any]:
    """Return the summary of a finished run.

    Of a vehicle or of the ground that did not report (its node died), the values are None.

    :param run_dir: run folder with ``scenario.yaml``, ``world.json`` and what the recorder left, or one of the two
    :raises FileNotFoundError: if there is neither ``world.json`` nor a bag with cycles in it
    """
    run_dir = Path(run_dir)
    world = _world(run_dir)
    if world is None:
        from regolith_bringup.run.aftermath import outcome_from_bag

        world = outcome_from_bag(run_dir)
    scenario = load_section(run_dir / 'scenario.yaml', '', Scenario)
    reports = {name: _mapping(report) for name, report in world.get('reports', {}).items()}
    summary: dict[str, Any] = {key: world.get(key) for key in _WORLD_KEYS}
    summary['vehicles'] = {name: _part(reports.get(name), _VEHICLE_KEYS) for name in sorted(scenario.vehicles)}
    summary['events'] = sorted(
        (
            {'t_s': event['t_s'], 'vehicle': name, 'kind': event['kind'], 'basis': event['basis']}
            for name, report in summary['vehicles'].items()
            for event in report.pop('events', ())
        ),
        key=lambda event: (event['t_s'], event['vehicle']),
    )
    summary['terrain'] = _part(reports.get('terrain'), _TERRAIN_KEYS)
    summary['failure'] = world.get('failure') or ''
    topics, summary['bag'] = _bag(run_dir)
    recorded = summary['bag'].pop('failure')
    summary['failure'] = summary['failure'] or recorded
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


def write_summary(run_dir: str | Path, summary: dict[str, Any] | None = None) -> dict[str, Any]:
    """Write ``summary.json`` into a run folder and return what it says; from :func:`build_summary`, if not given."""
    summary = build_summary(run_dir) if summary is None else summary
    write_atomically(Path(run_dir) / 'summary.json', json.dumps(summary, indent=1, allow_nan=False) + '\n')
    return summary


def radio_history(run_dir: str | Path) -> dict[str, Any]:
    """Return what comms reports of all pairs over time, see ``regolith_comms.reach``; empty without radios."""
    world = _world(Path(run_dir)) or {}
    return dict(_mapping(world.get('reports', {}).get('comms', {})).get('history', {}))


def _world(run_dir: Path) -> dict[str, Any] | None:
    """Return what the world wrote at its end; None if it did not come to that."""
    path = run_dir / 'world.json'
    return dict(json.loads(path.read_text(encoding='utf-8'))) if path.is_file() else None


def _mapping(report: Any) -> dict[str, Any]:
    """Return a participant's report, which travels as JSON text."""
    value = json.loads(report or '{}') if isinstance(report, str) else report
    return dict(value) if isinstance(value, dict) else {}


def _part(report: dict[str, Any] | None, keys: tuple[str, ...]) -> dict[str, Any]:
    return {**dict.fromkeys(keys), **(report or {})}


def _bag(run_dir: Path) -> tuple[list[tuple[str, str, int]], dict[str, Any]]:
    """Return (topic, type, messages) of all topics, and the summary's ``bag``."""
    counts = run_dir / 'recorder.json'
    recorder = json.loads(counts.read_text(encoding='utf-8')) if counts.is_file() else {}
    try:
        bag = Bag(run_dir)
    except RecoverError:
        return [], {'path': None, 'messages': 0, 'lost': 0, 'whole': True, 'failure': recorder.get('failure', '')}
    topics = [(t.name, t.type_name, t.messages) for t in bag.topics.values()]
    return topics, {
        'path': str((run_dir / 'bag').resolve()),
        'messages': sum(messages for _, _, messages in topics),
        'lost': int(recorder.get('lost', 0)),
        'whole': bag.whole and (run_dir / 'bag' / 'metadata.yaml').is_file(),
        'failure': recorder.get('failure', ''),
    }
