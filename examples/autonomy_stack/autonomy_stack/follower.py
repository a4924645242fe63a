# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Path follower: select the arc with the least cost along it and from its end to the goal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.planner import BLOCKED, CostToGo

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Driving:
    """Limits and weights of the follower."""

    speed_mps: float = 0.4
    """Speed on level ground [m/s]."""
    slowest_mps: float = 0.15
    """Speed near hazards and the goal [m/s]."""
    curvature_pm: float = 0.55
    """Maximum curvature [1/m]."""
    arcs: int = 13
    """Number of candidate arcs, odd."""
    ahead_m: float = 3.0
    """Length of a forward arc [m]."""
    reverse_m: float = 1.5
    """Length of a backward arc [m]."""
    turning_m: float = 1.5
    """Cost of a turn of one radian, as a distance [m]."""
    reverse_cost_m: float = 8.0
    """Cost of driving backwards, because the sensors face ahead, as a distance [m]."""


@dataclass(frozen=True)
class Arc:
    """Arc of constant curvature that starts at the rover."""

    curvature: float
    """Curvature, positive to the left [1/m]."""
    length: float
    """Length; negative: backwards [m]."""


def points(
    curvature: Vector, length: float, x: float, y: float, heading: float, spacing: float = 0.2
) -> tuple[Vector, Vector, Vector]:
    """Return x, y [m] and headings [rad] along arcs of equal length, without their start, shape (arcs, points).

    Args:
        curvature: Curvature of each arc [1/m].
        length: Length; negative: backwards [m].
        x: Start x [m].
        y: Start y [m].
        heading: Start heading [rad].
        spacing: Maximum distance between points [m].
    """
    count = max(round(abs(length) / spacing), 1)
    s = length * np.arange(1, count + 1) / count
    turned = np.asarray(curvature)[..., None] * s
    # sin(t) / t and (1 - cos(t)) / t, finite at 0.
    along, across = s * np.sinc(turned / np.pi), s * np.sinc(0.5 * turned / np.pi) * np.sin(0.5 * turned)
    c, si = math.cos(heading), math.sin(heading)
    return x + c * along - si * across, y + si * along + c * across, heading + turned


@dataclass(frozen=True)
class Choice:
    """Selected arc and its speed."""

    arc: Arc
    speed: float
    """Speed; negative: backwards [m/s]."""
    total: float
    """Cost of the path to the goal along the arc, as a distance on level ground [m]."""


def choose(
    driving: Driving, pose: tuple[float, float, float], field: CostToGo, cost: CostToGo, last: Arc | None = None
) -> Choice:
    """Return the best arc from a pose.

    The cost is the sum of four terms: the cost along the arc, the cost to go from its end, the turn towards the path
    from there, and a small cost of an arc that differs from the last one, which prevents oscillation.

    Args:
        driving: Limits and weights of the follower.
        pose: x, y [m], heading [rad].
        field: Cost to go to the goal [m].
        cost: Cost per distance, as a field [-].
        last: Arc selected before; None: none.
    """
    bends = np.linspace(-driving.curvature_pm, driving.curvature_pm, driving.arcs)
    found = []
    for length, extra in ((driving.ahead_m, 0.0), (-driving.reverse_m, driving.reverse_cost_m)):
        x, y, heading = points(bends, length, *pose)
        meter = np.minimum(cost.at(x, y), BLOCKED)
        piece = abs(length) / x.shape[1]
        to_go = field.at(x, y)
        off = np.abs((field.descent(x, y) - heading + math.pi) % (2.0 * math.pi) - math.pi)
        totals = np.cumsum(meter, axis=1) * piece + to_go + driving.turning_m * np.where(to_go < 1.0, 0.0, off) + extra
        # If the goal is on an arc and not beyond its end, the arc ends there.
        total = np.where(to_go.min(axis=1) < driving.ahead_m, totals.min(axis=1), totals[:, -1])
        if last is not None:
            total = total + 0.3 * np.minimum(np.abs(bends - last.curvature) / driving.curvature_pm, 1.0)
            total += 1.0 * (length * last.length < 0.0)
        k = int(np.argmin(total))
        # Ground of high cost within the next meter is crossed slowly.
        near = float(meter[k, : max(round(1.0 / piece), 1)].mean())
        found.append((float(total[k]), Arc(float(bends[k]), length), near))
    total_m, arc, near = min(found, key=lambda one: one[0])
    left = float(field.at(np.array(pose[0]), np.array(pose[1])))
    speed = min(driving.speed_mps / max(0.5 * (near - 1.0), 1.0), 0.3 * left)
    return Choice(arc, math.copysign(max(speed, driving.slowest_mps), arc.length), total_m)
