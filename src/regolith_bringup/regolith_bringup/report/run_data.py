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
    tracks = {name: _track(bag, name) for name in sorted(scenario.vehicles)}
    cycles, committed = _cycles(bag)
    ground = _ground(bag, committed, scenario.terrain.spacing_m)
    return RunData(folder, scenario, tracks, cycles, ground, {t.name: t.messages for t in bag.topics.values()})


def _seconds(header: Any) -> float:
    return float(header.stamp.sec) + float(header.stamp.nanosec) * 1e-9


def _track(bag: Bag, name: str) -> Track:
    poses: list[tuple[float, ...]] = []
    times: list[float] = []
    wheels: tuple[str, ...] = ()
    states: list[list[tuple[float, ...]]] = []
    told: list[tuple[float, Any]] = []
    for message in bag.messages(f'/{name}/ground_truth/odom', f'/{name}/wheel_states', f'/{name}/gear_state'):
        content = message.content
        if message.topic.endswith('gear_state'):
            told.append((_seconds(content.header), content.quantities))
        elif message.topic.endswith('wheel_states'):
            wheels = tuple(w.name for w in content.wheels)
            times.append(_seconds(content.header))
            states.append(
                [
                    (w.slip_ratio, w.sinkage_total, w.sinkage_incremental, w.normal_load, w.drawbar_pull)
                    for w in content.wheels
                ]
            )
        else:
            p, q = content.pose.pose.position, content.pose.pose.orientation
            poses.append((_seconds(content.header), p.x, p.y, p.z, q.x, q.y, q.z, q.w, content.twist.twist.linear.x))
    pose = np.array(poses, dtype=np.float64).reshape(-1, 9)
    wheel = np.array(states, dtype=np.float64).reshape(len(states), len(wheels), 5)
    slip, total, incremental, load, pull = np.moveaxis(wheel, 2, 0)
    return Track(
        name,
        pose[:, 0],
        pose[:, 1:4],
        pose[:, 4:8],
        pose[:, 8],
        wheels,
        np.array(times, dtype=np.float64),
        slip,
        total,
        incremental,
        load,
        pull,
        _told(told),
    )


def _told(states: list[tuple[float, Any]]) -> tuple[History, ...]:
    """Return the histories of the quantities of GearState messages, by their times."""
    time = np.array([t for t, _ in states], dtype=np.float64)
    first = states[0][1] if states else ()
    return tuple(
        History(q.name, q.unit, tuple(q.parts), time, np.array([each[k].values for _, each in states], np.float64))
        for k, q in enumerate(first)
    )


def _cycles(bag: Bag) -> tuple[CycleTiming, set[Key]]:
    """Return the timing and the keys of the committed attempts; the verdict on each is in the next."""
    rows: dict[Key, tuple[int, int, int, int]] = {}
    committed: set[Key] = set()
    previous: Key | None = None
    for message in bag.messages('/regolith/cycle'):
        content = message.content
        key = (int(content.key.epoch), int(content.key.cycle), int(content.key.attempt))
        if key in rows:
            continue
        if previous is not None and content.verdict == _COMMIT:
            committed.add(previous)
        rows[key] = (content.t_ns, content.dt_ns, message.publish_time_ns, content.command)
        previous = key
    evolved = [(key, row) for key, row in rows.items() if row[3] == _EVOLVE]
    table = np.array([row[:3] for _, row in evolved], dtype=np.int64).reshape(-1, 3)
    wall = np.asarray((table[:, 2] - table[:1, 2].sum()) * 1e-9, dtype=np.float64)
    done = np.array([key in committed for key, _ in evolved], dtype=bool)
    seconds = np.asarray(table * 1e-9, dtype=np.float64)
    return CycleTiming(seconds[:, 0], seconds[:, 1], wall, done), committed


def _ground(bag: Bag, committed: set[Key], spacing: float) -> ChangedGround:
    i: list[NDArray[np.int64]] = []
    j: list[NDArray[np.int64]] = []
    level: list[Array] = []
    conflicts = 0
    seen: set[Key] = set()
    for message in bag.messages('/regolith/terrain/update'):
        content = message.content
        key = (int(content.key.epoch), int(content.key.cycle), int(content.key.attempt))
        if key not in committed or key in seen:
            continue
        seen.add(key)
        conflicts += int(content.conflicts)
        i.append(np.asarray(content.nodes.x, dtype=np.int64))
        j.append(np.asarray(content.nodes.y, dtype=np.int64))
        values = np.asarray(content.nodes.values, dtype=np.float64)
        level.append(values.reshape(len(content.nodes.fields), -1)[list(content.nodes.fields).index('level')])
    if not i:
        none = np.zeros(0, dtype=np.int64)
        return ChangedGround(spacing, none, none, np.zeros(0))
    # Of each node the last update counts: np.unique keeps the first, so the order is reversed before.
    nodes = np.stack([np.concatenate(i), np.concatenate(j)], axis=1)[::-1]
    unique, last = np.unique(nodes, axis=0, return_index=True)
    return ChangedGround(spacing, unique[:, 0], unique[:, 1], np.concatenate(level)[::-1][last], conflicts)
