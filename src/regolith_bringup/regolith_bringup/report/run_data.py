# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A run folder as arrays: tracks and wheels of each vehicle, timing of the cycles, changed ground.

Times are simulated seconds; positions are in the world frame [m]; quaternions are (x, y, z, w).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.bag.reading import Bag
from regolith_bringup.scenario.schema import Scenario
from regolith_world.config import load_section

Array = NDArray[np.float64]
Key = tuple[int, int, int]
"""(epoch, cycle, attempt)"""

SLIP = 'slip ratio'
"""Name of the slip among histories."""
_COMMIT = 1
_EVOLVE = 0


@dataclass(frozen=True)
class History:
    """A quantity of a running gear over time: m samples of k parts."""

    name: str
    """E.g. 'slip ratio'."""
    unit: str
    """Of SI; '' of ratios."""
    parts: tuple[str, ...]
    """What each column is of."""
    time: Array
    """[s], shape (m,)."""
    values: Array
    """Shape (m, k)."""


@dataclass(frozen=True)
class Charge:
    """A battery over time; shape (n,) each."""

    time: Array
    """[s]"""
    share: Array
    """Of what it holds at most [-]."""
    power: Array
    """Drawn from it [W]."""


@dataclass(frozen=True)
class Track:
    """History of one vehicle: n samples of its true pose, m of its w wheels."""

    name: str
    time: Array
    """[s], shape (n,)."""
    position: Array
    """Position of the base frame [m], shape (n, 3)."""
    orientation: Array
    """Shape (n, 4)."""
    speed: Array
    """Forward, in the base frame [m/s], shape (n,)."""
    wheels: tuple[str, ...]
    """Names, w of them."""
    wheel_time: Array
    """[s], shape (m,)."""
    slip_ratio: Array
    """Shape (m, w)."""
    sinkage_total: Array
    """Wheel bottom below the undisturbed ground [m], shape (m, w)."""
    sinkage_incremental: Array
    """Wheel bottom below the ground just ahead of it [m], shape (m, w)."""
    normal_load: Array
    """[N], shape (m, w)."""
    drawbar_pull: Array
    """[N], shape (m, w)."""
    told: tuple[History, ...] = ()
    """What its running gear tells of itself besides."""
    charge: Charge | None = None
    """Of its battery; None: it has none."""

    @property
    def histories(self) -> tuple[History, ...]:
        """What there is to plot of its running gear: of wheels what they measure, then what the gear tells."""
        if not self.wheels:
            return self.told
        sunk = History('incremental sinkage', 'm', self.wheels, self.wheel_time, self.sinkage_incremental)
        return sunk, History(SLIP, '', self.wheels, self.wheel_time, self.slip_ratio), *self.told

    @property
    def distance(self) -> float:
        """Length of the path over ground [m]."""
        return float(np.linalg.norm(np.diff(self.position, axis=0), axis=1).sum()) if len(self.time) else 0.0


@dataclass(frozen=True)
class CycleTiming:
    """Every attempt at every cycle, in order; shape (n,) each."""

    time: Array
    """Committed time at its start [s]."""
    length: Array
    """Length of the attempt [s]."""
    wall: Array
    """Wall time of its start since the first [s]."""
    committed: NDArray[np.bool_]
    """Whether it was committed, not discarded."""


@dataclass(frozen=True)
class ChangedGround:
    """The changed nodes of the soil grid at the end, sorted by (i, j), shape (n,) each."""

    spacing: float
    """[m]"""
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """Node (i, j) lies at (i, j) * spacing."""
    level: Array
    """Height [m]."""
    conflicts: int = 0
    """Number of nodes changed by several agents in one cycle, summed over cycles."""


@dataclass(frozen=True)
class RunData:
    """All data of the report."""

    folder: Path
    scenario: Scenario
    tracks: dict[str, Track]
    cycles: CycleTiming
    ground: ChangedGround
    topics: dict[str, int] = field(default_factory=dict)
    """Numbers of messages by topic."""


def read_run(folder: str | Path) -> RunData:
    """Read a run folder's scenario and bag.

    :raises regolith_bringup.bag.recover.RecoverError: if it holds no bag
    """
    folder = Path(folder)
    scenario = load_section(folder / 'scenario.yaml', '', Scenario)
    bag = Bag(folder)
    names = sorted(scenario.vehicles)
    wanted: dict[str, tuple[str, ...]] = {_CYCLE: (*_KEY, 't_ns', 'dt_ns', 'verdict', 'command')}
    for name in names:
        wanted |= {f'/{name}/{topic}': (*_STAMP, *paths) for topic, paths in _TOLD.items()}
    told = bag.columns_of(wanted)
    tracks = {name: _track(bag, name, told) for name in names}
    cycles, committed = _cycles(told[_CYCLE])
    ground = _ground(bag, committed, scenario.terrain.spacing_m)
    return RunData(folder, scenario, tracks, cycles, ground, {t.name: t.messages for t in bag.topics.values()})


_POSE = tuple(
    f'pose.pose.{part}' for part in (*map('position.{}'.format, 'xyz'), *map('orientation.{}'.format, 'xyzw'))
)
_FORWARD = 'twist.twist.linear.x'
_WHEEL = ('slip_ratio', 'sinkage_total', 'sinkage_incremental', 'normal_load', 'drawbar_pull')
_STAMP = ('header.stamp.sec', 'header.stamp.nanosec')
_ODOMETRY, _WHEELS, _GEAR, _BATTERY = 'ground_truth/odom', 'wheel_states', 'gear_state', 'battery_state'
_TOLD = {
    _ODOMETRY: (*_POSE, _FORWARD),
    _WHEELS: tuple(f'wheels.{path}' for path in _WHEEL),
    _GEAR: ('quantities.values',),
    _BATTERY: ('percentage', 'voltage', 'current'),
}
"""Topic of a vehicle -> fields of its messages."""

Columns = dict[str, NDArray[Any]]
"""Path of a field -> its values in the messages of a topic; empty without messages."""


def _time(found: Columns) -> Array:
    """Return the times of a topic's messages [s]."""
    if not found:
        return np.zeros(0)
    seconds, nanoseconds = (found[path].astype(np.float64) for path in _STAMP)
    return seconds + nanoseconds * 1e-9


def _track(bag: Bag, name: str, told: dict[str, Columns]) -> Track:
    odometry, wheel, gear, battery = (told[f'/{name}/{topic}'] for topic in _TOLD)
    poses = np.stack([odometry[path] for path in _POSE], axis=1) if odometry else np.zeros((0, 7))
    first = next(bag.messages(f'/{name}/{_WHEELS}')).content.wheels if wheel else ()
    slip, total, incremental, load, pull = (wheel[f'wheels.{p}'] if wheel else np.zeros((0, 0)) for p in _WHEEL)
    return Track(
        name, _time(odometry), poses[:, :3], poses[:, 3:], odometry.get(_FORWARD, np.zeros(0)),
        tuple(each.name for each in first), _time(wheel), slip, total, incremental, load, pull,
        _histories(bag, f'/{name}/{_GEAR}', gear), _charge(battery),
    )  # fmt: skip


def _histories(bag: Bag, topic: str, found: Columns) -> tuple[History, ...]:
    """Return the histories of the quantities of GearState messages."""
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
    share, voltage, current = (found[path].astype(np.float64) for path in _TOLD[_BATTERY])
    return Charge(_time(found), share, -voltage * current)


_CYCLE = '/regolith/cycle'
_KEY = ('key.epoch', 'key.cycle', 'key.attempt')


def _cycles(told: Columns) -> tuple[CycleTiming, set[Key]]:
    """Return the timing and the keys of the committed attempts; the verdict on each is in the next."""
    if not told:
        none = np.zeros(0)
        return CycleTiming(none, none, none, none.astype(bool)), set()
    keys = np.stack([told[path].astype(np.int64) for path in _KEY], axis=1)
    # What was sent again counts once.
    first = np.sort(np.unique(keys, axis=0, return_index=True)[1])
    keys, told = keys[first], {path: values[first] for path, values in told.items()}
    committed = np.append(told['verdict'][1:] == _COMMIT, False)
    evolved = told['command'] == _EVOLVE
    wall = told['publish_time_ns'][evolved]
    timing = CycleTiming(
        told['t_ns'][evolved] * 1e-9, told['dt_ns'][evolved] * 1e-9, (wall - wall[:1].sum()) * 1e-9, committed[evolved]
    )
    return timing, set(map(tuple, keys[committed].tolist()))


def _ground(bag: Bag, committed: set[Key], spacing: float) -> ChangedGround:
    """Return the last level of every node that a committed update changed."""
    ground = _LastLevels()
    conflicts = 0
    seen: set[Key] = set()
    for message in bag.messages('/regolith/terrain/update'):
        content = message.content
        key = (int(content.key.epoch), int(content.key.cycle), int(content.key.attempt))
        if key not in committed or key in seen:
            continue
        seen.add(key)
        conflicts += int(content.conflicts)
        values = content.nodes.values.reshape(len(content.nodes.fields), -1)
        ground.set(content.nodes.x, content.nodes.y, values[list(content.nodes.fields).index('level')])
    return ChangedGround(spacing, *ground.all(), conflicts)


class _LastLevels:
    """Levels of nodes, the last of each."""

    _MANY = 2_000_000
    """Numbers of levels from which those that others followed are dropped."""

    def __init__(self) -> None:
        self._nodes: list[NDArray[np.int64]] = []
        self._levels: list[Array] = []
        self._count = 0

    def set(self, i: NDArray[Any], j: NDArray[Any], level: Array) -> None:
        """Take levels of nodes (i, j)."""
        # As one number, in the order of pairs.
        self._nodes.append((i.astype(np.int64) << 32) + j.astype(np.int64))
        self._levels.append(np.asarray(level, np.float64))
        self._count += len(level)
        if self._count > self._MANY:
            self._drop()
            self._count = 0

    def _drop(self) -> None:
        # np.unique keeps the first of each, so the order is reversed before.
        nodes, last = np.unique(np.concatenate(self._nodes)[::-1], return_index=True)
        self._nodes, self._levels = [nodes], [np.concatenate(self._levels)[::-1][last]]

    def all(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
        """Return i, j and level of all nodes, sorted by (i, j)."""
        if not self._nodes:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0)
        self._drop()
        (nodes,), (levels,) = self._nodes, self._levels
        i = (nodes + (1 << 31)) >> 32
        return i, nodes - (i << 32), levels
