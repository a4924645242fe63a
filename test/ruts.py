# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Find from the topics of a run which wheels rolled on undisturbed soil and which in the ruts of which vehicle.

Geometry only: where wheels were (vehicle states) and whose marks lay there before (soil deltas). It knows nothing
of how sinkage comes about, so it can check it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

AHEAD_M = (0.0, 0.04, 0.08, 0.12, 0.16)
"""Lines across a wheel's path that must lie on the same kind of ground: from its center to just ahead of the contact,
which for a wheel of 0.25 m sunk by 2 cm reaches 0.10 m."""
BEFORE_NS = 1_000_000_000
"""Marks count as ruts once they are so old: none is the vehicle's own bow wave."""


class WheelSample(NamedTuple):
    """One front wheel at one time."""

    t_ns: int
    wheel: str
    sinkage: float
    """Incremental [m]."""
    load: float
    """Normal [N]."""
    x: float
    y: float


class Marks:
    """Vehicle that changed each node first, and the time.

    Args:
        spacing: of the soil grid [m]
    """

    def __init__(self, spacing: float) -> None:
        self.spacing = spacing
        self.first: dict[str, dict[tuple[int, int], int]] = {}
        """Agent -> node -> time of its first committed change [ns]."""

    def add(self, cycles: Iterable[Any], deltas: Iterable[Any]) -> None:
        """Take messages of ``cycle`` and ``terrain/delta``, of committed attempts and others."""
        ended: dict[tuple[int, int], int] = {}
        last_attempt: dict[tuple[int, int], int] = {}
        for cycle in cycles:
            if cycle.command == 0:  # EVOLVE
                at = (cycle.key.epoch, cycle.key.cycle)
                ended[at] = cycle.t_ns + cycle.dt_ns
                last_attempt[at] = max(last_attempt.get(at, 0), cycle.key.attempt)
        for delta in (delta for message in deltas for delta in message.deltas):
            at = (delta.key.epoch, delta.key.cycle)
            # All attempts but the last of a cycle were discarded.
            if last_attempt.get(at) != delta.key.attempt:
                continue
            seen = self.first.setdefault(delta.agent, {})
            for node in zip(delta.nodes.x, delta.nodes.y, strict=True):
                seen.setdefault((int(node[0]), int(node[1])), ended[at])

    def nodes(self, agent: str, before_ns: int) -> np.ndarray:
        """Return the nodes an agent had changed by then, shape (n, 2)."""
        return np.array([n for n, t in self.first.get(agent, {}).items() if t <= before_ns], dtype=np.int64)

    def without_start(self, until_ns: int) -> Marks:
        """Return the marks less those of the standing start: pits of wheels at rest, ruts of rear wheels alone."""
        later = Marks(self.spacing)
        later.first = {a: {n: t for n, t in seen.items() if t > until_ns} for a, seen in self.first.items()}
        return later

    def ground(self, x: float, y: float, heading: float, half_width: float, t_ns: int) -> set[str]:
        """Return the kinds of ground below and just ahead of a wheel: 'virgin', and names of vehicles that changed it long before.

        Args:
            heading: of the wheel [rad]
        """
        lanes = int(half_width / self.spacing + 1e-9)
        kinds: set[str] = set()
        for ahead in AHEAD_M:
            for lane in range(-lanes, lanes + 1):
                # Half a node narrower than the wheel: a node at its very edge may or may not have been touched.
                across = lane * self.spacing * (1.0 - 0.5 / max(lanes, 1))
                i = round((x + ahead * np.cos(heading) - across * np.sin(heading)) / self.spacing)
                j = round((y + ahead * np.sin(heading) + across * np.cos(heading)) / self.spacing)
                who = {a for a, seen in self.first.items() if seen.get((i, j), t_ns) <= t_ns - BEFORE_NS}
                kinds |= who or {'virgin'}
        return kinds


def front_wheels(
    marks: Marks, vehicle_states: Iterable[Any], wheel_states: Iterable[Any], half_width: float, wanted: str
) -> list[WheelSample]:
    """Return the samples of a vehicle's front wheels that stand on one kind of ground over their whole width.

    Args:
        wanted: 'virgin', or the name of the vehicle in whose rut they are
    """
    poses = {_t_ns(m): m for m in vehicle_states}
    samples = []
    for message in wheel_states:
        t_ns = _t_ns(message)
        if t_ns not in poses:
            continue
        chassis = poses[t_ns].chassis.orientation
        yaw = np.arctan2(
            2.0 * (chassis.w * chassis.z + chassis.x * chassis.y), 1.0 - 2.0 * (chassis.y**2 + chassis.z**2)
        )
        for wheel, pose in zip(message.wheels, poses[t_ns].wheels, strict=True):
            if not wheel.name.startswith('front'):
                continue
            at = pose.position
            heading = yaw + wheel.steering_angle
            if marks.ground(at.x, at.y, heading, half_width, t_ns) == {wanted}:
                samples.append(WheelSample(t_ns, wheel.name, wheel.sinkage_incremental, wheel.normal_load, at.x, at.y))
    return samples


def at_load(samples: Iterable[WheelSample], load: float, within: float = 0.15) -> np.ndarray:
    """Return the sinkages [m] of the samples whose load is so near to ``load`` [N]."""
    return np.array([s.sinkage for s in samples if abs(s.load - load) <= within * load])


def median_load(samples: Iterable[WheelSample]) -> float:
    """Return the median load [N]."""
    return float(np.median([s.load for s in samples]))


def _t_ns(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)
