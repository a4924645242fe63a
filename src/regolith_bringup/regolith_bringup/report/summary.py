# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Finished run opened for reading, and ``summary.json``: its results under permanent keys.

Commands, statistics and report sections of all packages receive the run as their argument
(:mod:`regolith_files.extension_points`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from regolith_bringup.bag.reading import Bag, TopicSummary, recordings
from regolith_bringup.plugin_calls import summary_values
from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, NoRecordingError, Problem, write_atomically
from regolith_terrain.grid import soil_mass_balance
from regolith_world import load_section

_WORLD_KEYS = (
    'scenario',
    'simulated_s',
    'undone_s',
    'wall_s',
    'real_time_factor',
    'cycles',
    'discarded_cycles',
    'forced_cycles',
    'shared_contacts',
    'bodies_over_limit',
    'state_hash',
    'processes',
    'real_time',
)
_VEHICLE_KEYS = ('distance_m', 'mean_slip', 'max_sinkage_m', 'final_pose', 'battery')
_TERRAIN_KEYS = ('modified_nodes', 'max_rut_depth_m', 'conflicts', 'mass_balance')


class FinishedRun:
    """A :class:`regolith_files.extension_points.Run`. All parts are read on first access.

    Args:
        folder: Run folder with ``scenario.yaml`` and ``world_summary.json`` or the bag.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @cached_property
    def scenario(self) -> Scenario:
        """Resolved scenario of the run."""
        return load_section(self.folder / 'scenario.yaml', '', Scenario)

    @cached_property
    def bag(self) -> Bag:
        """Recording of the run.

        Raises:
            NoRecordingError: If there is none.
        """
        return Bag(self.folder)

    @cached_property
    def recorded(self) -> Mapping[str, TopicSummary]:
        """Topics of the recording, empty without one."""
        try:
            return self.bag.topics
        except NoRecordingError:
            return {}

    @cached_property
    def outcome(self) -> dict[str, Any]:
        """Results of the world at its end, computed from the bag if the world did not write them.

        Raises:
            NoRecordingError: If there is neither ``world_summary.json`` nor a bag with cycles.
        """
        path = self.folder / 'world_summary.json'
        if path.is_file():
            return _read(path)
        from regolith_bringup.report.result_from_bag import result_from_bag

        return result_from_bag(self.folder)

    @property
    def simulated_s(self) -> float:
        """Committed simulated time [s]."""
        return float(self.outcome.get('simulated_s') or 0.0)

    @cached_property
    def participant_summaries(self) -> dict[str, dict[str, Any]]:
        """Final report of each participant, by name."""
        return {name: _mapping(report) for name, report in self.outcome.get('participant_summaries', {}).items()}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Contents of ``summary.json``, computed if the file does not exist."""
        path = self.folder / 'summary.json'
        if path.is_file():
            return _read(path)
        return build_summary(self.folder)


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file of the run.

    Raises:
        InputError: If the file is not valid.
    """
    try:
        return dict(json.loads(path.read_text(encoding='utf-8')))
    except (ValueError, TypeError) as error:
        problem = f'cannot be read: {" ".join(str(error).split())}'
        raise InputError(Problem(str(path), '', problem, 'the file as written by the run, or none')) from None


def build_summary(run_dir: str | Path) -> dict[str, Any]:
    """Return the summary of a finished run.

    Values of a vehicle or terrain without a report (its node failed) are None.

    Args:
        run_dir: Run folder with ``scenario.yaml`` and ``world_summary.json`` or the bag.

    Raises:
        NoRecordingError: If there is neither ``world_summary.json`` nor a bag with cycles.
    """
    run = FinishedRun(run_dir)
    world, reports = run.outcome, run.participant_summaries
    summary: dict[str, Any] = {key: world.get(key) for key in _WORLD_KEYS}
    summary['vehicles'] = {name: _part(reports.get(name), _VEHICLE_KEYS) for name in sorted(run.scenario.vehicles)}
    summary['events'] = sorted(
        (
            {'t_s': event['t_s'], 'vehicle': name, 'kind': event['kind'], 'source': event['source']}
            for name, report in summary['vehicles'].items()
            for event in report.pop('events', ())
        ),
        key=lambda event: (event['t_s'], event['vehicle']),
    )
    summary['terrain'] = _part(reports.get('terrain'), _TERRAIN_KEYS)
    _close_books(summary)
    summary['failure'] = world.get('failure') or ''
    summary['bag'] = _bag(run)
    recorded = summary['bag'].pop('failure')
    summary['failure'] = summary['failure'] or recorded
    summary['dropped_participants'] = world.get('dropped_participants') or {}
    summary |= {key: value for key, value in summary_values(run).items() if key not in summary}
    return summary


def write_summary(run_dir: str | Path, summary: dict[str, Any] | None = None) -> dict[str, Any]:
    """Write ``summary.json`` into a run folder and return it, by default from :func:`build_summary`."""
    summary = build_summary(run_dir) if summary is None else summary
    write_atomically(Path(run_dir) / 'summary.json', json.dumps(summary, indent=1, allow_nan=False) + '\n')
    return summary


def _close_books(summary: dict[str, Any]) -> None:
    """Add soil held and thrown by vehicles to the mass balance of terrain, which contains the soil grid only."""
    held = [vehicle['soil'] for vehicle in summary['vehicles'].values() if 'soil' in vehicle]
    soil_balance = summary['terrain']['mass_balance']
    if soil_balance is not None and held:
        keys = ('carried_kg', 'in_flight_kg', 'in_transit_kg')
        parts = {key: math.fsum(soil[key] for soil in held) for key in keys}
        parts['edited_kg'] = soil_balance['edited_kg']
        summary['terrain']['mass_balance'] = dict(soil_mass_balance(soil_balance['ground_kg'], 1.0, **parts))


def _mapping(report: Any) -> dict[str, Any]:
    """Return the report of a participant from its JSON text."""
    value = json.loads(report or '{}') if isinstance(report, str) else report
    return dict(value) if isinstance(value, dict) else {}


def _part(report: dict[str, Any] | None, keys: tuple[str, ...]) -> dict[str, Any]:
    return {**dict.fromkeys(keys), **(report or {})}


def _bag(run: FinishedRun) -> dict[str, Any]:
    """Return the ``bag`` section of the summary."""
    counts = run.folder / 'recorder.json'
    recorder = json.loads(counts.read_text(encoding='utf-8')) if counts.is_file() else {}
    failure = recorder.get('failure', '')
    try:
        bag = run.bag
    except NoRecordingError:
        return {'path': None, 'recordings': [], 'messages': 0, 'lost': 0, 'complete': True, 'failure': failure}
    return {
        'path': str((run.folder / 'bag').resolve()),
        'recordings': [folder.name for folder in recordings(run.folder)],
        'messages': sum(topic.messages for topic in run.recorded.values()),
        'lost': int(recorder.get('lost', 0)),
        'complete': bag.whole and (run.folder / 'bag' / 'metadata.yaml').is_file(),
        'failure': failure,
    }
