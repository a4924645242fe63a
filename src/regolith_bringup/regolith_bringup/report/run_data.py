# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Data of a run folder as arrays: tracks and wheels of each vehicle, cycle timing, changed terrain.

Times are simulated seconds. Positions are in the world frame [m]. Quaternions are (x, y, z, w).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.bag.reading import Bag
from regolith_bringup.report.changed_terrain import COMMIT_PATHS, ChangedLevels, ChangedTerrain
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.updates import COMMITTED_TOPIC
from regolith_world import load_section
from regolith_world.reporting import ATTEMPT_KEY_FIELDS, attempt_keys

Array = NDArray[np.float64]

SLIP = 'slip ratio'
"""Name of the slip history."""
_COMMIT = 1
_EVOLVE = 0


@dataclass(frozen=True)
class History:
    """Telemetry quantity of a running gear over time: m samples of k parts."""

    name: str
    """Name of the quantity, e.g. 'slip ratio'."""
    unit: str
    """SI unit, '' for ratios."""
    parts: tuple[str, ...]
    """Part of the running gear for each column."""
    time: Array
    """Times [s], shape (m,)."""
    values: Array
    """Values, shape (m, k)."""


@dataclass(frozen=True)
class Charge:
    """Battery state over time, shape (n,) each."""

    time: Array
    """Times [s]."""
    share: Array
    """State of charge, 0 to 1 [-]."""
    power: Array
    """Power drawn from the battery [W]."""


@dataclass(frozen=True)
class VehicleTrack:
    """History of one vehicle: n samples of its true pose, m samples of its w wheels."""

    name: str
    time: Array
    """Times [s], shape (n,)."""
    position: Array
    """Position of the base frame [m], shape (n, 3)."""
    orientation: Array
    """Orientation of the base frame, shape (n, 4)."""
    speed: Array
    """Forward speed in the base frame [m/s], shape (n,)."""
    wheels: tuple[str, ...]
    """Names of the w wheels."""
    wheel_time: Array
    """Times of the wheel samples [s], shape (m,)."""
    slip_ratio: Array
    """Slip ratio [-], shape (m, w)."""
    sinkage_total: Array
    """Depth of the wheel bottom below the undisturbed surface [m], shape (m, w)."""
    sinkage_incremental: Array
    """Depth of the wheel bottom below the surface just ahead of the wheel [m], shape (m, w)."""
    normal_load: Array
    """Normal load [N], shape (m, w)."""
    drawbar_pull: Array
    """Drawbar pull [N], shape (m, w)."""
    telemetry: tuple[History, ...] = ()
    """Additional telemetry of the running gear."""
    charge: Charge | None = None
    """Battery history, None without a battery."""

    @property
    def histories(self) -> tuple[History, ...]:
        """Histories to plot: measurements of wheels, then other telemetry of the running gear."""
        if not self.wheels:
            return self.telemetry
        sunk = History('incremental sinkage', 'm', self.wheels, self.wheel_time, self.sinkage_incremental)
        return sunk, History(SLIP, '', self.wheels, self.wheel_time, self.slip_ratio), *self.telemetry

    @property
    def distance(self) -> float:
        """Length of the path over terrain [m]."""
        return float(np.linalg.norm(np.diff(self.position, axis=0), axis=1).sum()) if len(self.time) else 0.0


@dataclass(frozen=True)
class CycleTiming:
    """Every attempt of every cycle in order, shape (n,) each."""

    time: Array
    """Committed time at the start of the attempt [s]."""
    length: Array
    """Length of the attempt [s]."""
    wall: Array
    """Wall time of its start since the first attempt [s]."""
    committed: NDArray[np.bool_]
    """Whether it was committed, not discarded."""


@dataclass(frozen=True)
class RunData:
    """All data of a report."""

    folder: Path
    scenario: Scenario
    tracks: dict[str, VehicleTrack]
    cycles: CycleTiming
    changed_terrain: ChangedTerrain
    topics: dict[str, int] = field(default_factory=dict)
    """Message count by topic."""


def read_run(folder: str | Path, bag: Bag | None = None) -> RunData:
    """Read scenario and bag of a run folder.

    Args:
        folder: Run folder.
        bag: Bag of the folder, if already open.

    Raises:
        regolith_bringup.bag.recover.RecoverError: If the folder contains no bag.
    """
    from regolith_bringup.bag.columns import joined, tables

    folder = Path(folder)
    scenario = load_section(folder / 'scenario.yaml', '', Scenario)
    bag = bag or Bag(folder)
    names = sorted(scenario.vehicles)
    wanted: dict[str, tuple[str, ...]] = {_CYCLE: (*ATTEMPT_KEY_FIELDS, 't_ns', 'dt_ns', 'verdict', 'command')}
    for name in names:
        wanted |= {f'/{name}/{topic}': (*_STAMP, *paths) for topic, paths in _STATE_TOPICS.items()}
    soil = ChangedLevels(bag)
    parts: dict[str, list[Columns]] = {topic: [] for topic in wanted}
    for topic, part in bag.column_parts_of({**wanted, COMMITTED_TOPIC: COMMIT_PATHS}):
        if topic == COMMITTED_TOPIC:
            soil.take(part)
        else:
            parts[topic].append(tables(part))
    columns = {topic: joined(some) for topic, some in parts.items()}
    tracks = {name: _track(bag, name, columns) for name in names}
    cycles, changed_terrain = _cycles(columns[_CYCLE]), soil.changed_terrain(scenario.terrain.spacing_m)
    return RunData(folder, scenario, tracks, cycles, changed_terrain, {t.name: t.messages for t in bag.topics.values()})


_POSE = tuple(
    f'pose.pose.{part}' for part in (*map('position.{}'.format, 'xyz'), *map('orientation.{}'.format, 'xyzw'))
)
_FORWARD = 'twist.twist.linear.x'
_WHEEL = ('slip_ratio', 'sinkage_total', 'sinkage_incremental', 'normal_load', 'drawbar_pull')
_STAMP = ('header.stamp.sec', 'header.stamp.nanosec')
_ODOMETRY, _WHEELS, _GEAR, _BATTERY = 'ground_truth/odom', 'wheel_states', 'running_gear_state', 'battery_state'
_STATE_TOPICS = {
    _ODOMETRY: (*_POSE, _FORWARD),
    _WHEELS: tuple(f'wheels.{path}' for path in _WHEEL),
    _GEAR: ('quantities.values',),
    _BATTERY: ('percentage', 'voltage', 'current'),
}
"""Message fields by vehicle topic."""

Columns = dict[str, NDArray[Any]]
"""Field values of the messages of a topic by path, empty without messages."""


def _time(found: Columns) -> Array:
    """Return the times of the messages of a topic [s]."""
    if not found:
        return np.zeros(0)
    seconds, nanoseconds = (found[path].astype(np.float64) for path in _STAMP)
    return seconds + nanoseconds * 1e-9


def _track(bag: Bag, name: str, columns: dict[str, Columns]) -> VehicleTrack:
    odometry, wheel, gear, battery = (columns[f'/{name}/{topic}'] for topic in _STATE_TOPICS)
    poses = np.stack([odometry[path] for path in _POSE], axis=1) if odometry else np.zeros((0, 7))
    first = next(bag.messages(f'/{name}/{_WHEELS}')).content.wheels if wheel else ()
    slip, total, incremental, load, pull = (wheel[f'wheels.{p}'] if wheel else np.zeros((0, 0)) for p in _WHEEL)
    return VehicleTrack(
        name,
        _time(odometry),
        poses[:, :3],
        poses[:, 3:],
        odometry.get(_FORWARD, np.zeros(0)),
        tuple(each.name for each in first),
        _time(wheel),
        slip,
        total,
        incremental,
        load,
        pull,
        _histories(bag, f'/{name}/{_GEAR}', gear),
        _charge(battery),
    )


def _histories(bag: Bag, topic: str, found: Columns) -> tuple[History, ...]:
    """Return the histories of the quantities in GearState messages."""
    if not found:
        return ()
    quantities = next(bag.messages(topic)).content.quantities
    ends = np.cumsum([len(each.values) for each in quantities])
    parts = np.split(found['quantities.values'].astype(np.float64), ends[:-1], axis=1)
    return tuple(
        History(each.name, each.unit, tuple(each.parts), _time(found), values)
        for each, values in zip(quantities, parts, strict=True)
    )


def _charge(found: Columns) -> Charge | None:
    if not found:
        return None
    share, voltage, current = (found[path].astype(np.float64) for path in _STATE_TOPICS[_BATTERY])
    return Charge(_time(found), share, -voltage * current)


_CYCLE = '/regolith/cycle'


def _cycles(columns: Columns) -> CycleTiming:
    """Return the timing of all attempts. The verdict on each is in the next message."""
    if not columns:
        none = np.zeros(0)
        return CycleTiming(none, none, none, none.astype(bool))
    first, _ = attempt_keys(columns)
    columns = {path: values[first] for path, values in columns.items()}
    committed = np.append(columns['verdict'][1:] == _COMMIT, False)
    evolved = columns['command'] == _EVOLVE
    wall = columns['publish_time_ns'][evolved]
    return CycleTiming(
        columns['t_ns'][evolved] * 1e-9,
        columns['dt_ns'][evolved] * 1e-9,
        (wall - wall[:1].sum()) * 1e-9,
        committed[evolved],
    )
