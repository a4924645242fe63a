# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Which curve to drive next: the one of some arcs that costs least, and leads where it costs least from there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.planner import BLOCKED, CostToGo

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Driving:
    """How the rover may be driven."""

    speed_mps: float = 0.4
    """On level ground [m/s]."""
    slowest_mps: float = 0.15
    """Near hazards and the goal [m/s]."""
    curvature_pm: float = 0.55
    """Tightest curve [1/m]."""
    arcs: int = 13
    """Number of curves looked at, an odd one."""
    ahead_m: float = 3.0
    """Length of each [m]."""
    reverse_m: float = 1.5
    """Length of those that lead backwards [m]."""
    turning_m: float = 1.5
    """Way that a radian of turning is worth [m]."""
    reverse_cost_m: float = 8.0
    """Way that driving backwards is worth, as the sensors look ahead [m]."""


@dataclass(frozen=True)
class Arc:
    """A curve of constant curvature from the rover on."""

    curvature: float
    """To the left positive [1/m]."""
    length: float
    """Negative: backwards [m]."""


def points(
    curvature: Vector, length: float, x: float, y: float, heading: float, spacing: float = 0.2
) -> tuple[Vector, Vector, Vector]:
    """Return x, y [m] and headings [rad] along arcs of one length, their beginning left out, shape (arcs, points).

    Args:
        curvature: of each arc [1/m]
        length: negative: backwards [m]
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
    """The curve chosen, and the speed for it."""

    arc: Arc
    speed: float
    """Negative: backwards [m/s]."""
    total: float
    """Cost of the way to the goal over it, in metres of level ground."""


def choose(
    driving: Driving, pose: tuple[float, float, float], field: CostToGo, cost: CostToGo, last: Arc | None = None
) -> Choice:
    """Return the best curve from a pose.

    Counted are the way along the curve at its cost, the cost to go from its end, the turn towards the way from there
    on, and a little for a curve that is not the last one, which keeps the rover from dithering.

    Args:
        pose: x, y [m], heading [rad]
        field: cost to go to the goal
        cost: of a metre, as a field
    """
    bends = np.linspace(-driving.curvature_pm, driving.curvature_pm, driving.arcs)
    found = []
    for length, extra in ((driving.ahead_m, 0.0), (-driving.reverse_m, driving.reverse_cost_m)):
        x, y, heading = points(bends, length, *pose)
        metre = np.minimum(cost.at(x, y), BLOCKED)
        piece = abs(length) / x.shape[1]
        to_go = field.at(x, y)
        off = np.abs((field.descent(x, y) - heading + math.pi) % (2.0 * math.pi) - math.pi)
        totals = np.cumsum(metre, axis=1) * piece + to_go + driving.turning_m * np.where(to_go < 1.0, 0.0, off) + extra
        # Where the goal lies on a curve rather than beyond its end, the curve ends there.
        total = np.where(to_go.min(axis=1) < driving.ahead_m, totals.min(axis=1), totals[:, -1])
        if last is not None:
            total = total + 0.3 * np.minimum(np.abs(bends - last.curvature) / driving.curvature_pm, 1.0)
            total += 1.0 * (length * last.length < 0.0)
        k = int(np.argmin(total))
        # Dear ground within the next metre is taken slowly.
        near = float(metre[k, : max(round(1.0 / piece), 1)].mean())
        found.append((float(total[k]), Arc(float(bends[k]), length), near))
    total_m, arc, near = min(found, key=lambda one: one[0])
    left = float(field.at(np.array(pose[0]), np.array(pose[1])))
    speed = min(driving.speed_mps / max(0.5 * (near - 1.0), 1.0), 0.3 * left)
    return Choice(arc, math.copysign(max(speed, driving.slowest_mps), arc.length), total_m)
