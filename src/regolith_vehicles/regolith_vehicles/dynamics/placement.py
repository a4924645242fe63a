# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Placing a vehicle on uneven ground before anything moves."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics.portable_math import norm
from regolith_world.numerics.rotation import from_matrix, matrix

Vector = NDArray[np.float64]

PLACED_WITHIN = 1e-3
"""Distance from the place asked for within which a vehicle must come to rest, or is placed anew [m]."""
SETTLING_RATE = 6.0
"""Rate at which speeds fade while a vehicle is placed [1/s]: below those at which it heaves and pitches on soil."""
SETTLING_CYCLE = 0.02
"""Simulated time for which one soil window is used [s]."""
SETTLING_CYCLES = 150
"""Most cycles in which a vehicle comes to rest."""
SETTLED_SPEED = 1e-4
"""Speed of all joints and the base that counts as rest [m/s, rad/s]: held by less than a thousandth of the weight."""
SLIDING_SPEED = 2e-3
"""Speed above which a vehicle that does not come to rest slides [m/s, rad/s]."""


FASTEST = 50.0
"""Speed with which a vehicle may be put somewhere [m/s]: on its wheels it reaches a few."""
FASTEST_TURN = 10.0
"""Rate with which it may [rad/s]: beyond, its wheels are thrown out of the soil that a cycle looks at."""
BURIED = 0.05
"""Depth of a foot below the ground up to which a vehicle may be put somewhere [m]: more than it sinks by standing."""


def check_speed(name: str, linear: Vector, angular: Vector) -> None:
    """Refuse velocities with which a vehicle cannot be put somewhere [m/s, rad/s].

    Raises:
        ValueError: Naming it, the speed and what is allowed.
    """
    for what, velocity, most, unit in (
        ('moves', linear, FASTEST, 'm/s'),
        ('turns', angular, FASTEST_TURN, 'rad/s'),
    ):
        if not norm(velocity) <= most:  # NaN neither
            raise ValueError(f'{name}: {what} at {norm(velocity):g} {unit}; allowed: {most:g} {unit}')


def support_depth(
    position: Vector,
    orientation: Vector,
    foot_x: Vector,
    foot_y: Vector,
    foot_z: Vector,
    levels: Callable[[Vector, Vector], Vector],
) -> float:
    """Return how deep below the ground the deepest foot is [m]; negative: above.

    Args:
        position: Of the base frame in the world [m].
        orientation: Its quaternion (x, y, z, w).
        foot_x: Of the feet in the base frame [m], shape (n,); so are y and z.
        levels: Ground height [m] at (x, y) [m].
    """
    turn = matrix(orientation)
    x, y, z = (turn[k, 0] * foot_x + turn[k, 1] * foot_y + turn[k, 2] * foot_z + position[k] for k in range(3))
    return float(np.max(np.asarray(levels(x, y), dtype=float) - z))


def pose_on_ground(
    x: float,
    y: float,
    heading: float,
    foot_x: Vector,
    foot_y: Vector,
    foot_z: Vector,
    levels: Callable[[Vector, Vector], Vector],
) -> tuple[Vector, Vector]:
    """Return position [m] and orientation (x, y, z, w) of a base frame standing on its feet.

    The base is tilted to the plane that fits the ground under the feet best (least squares), then lifted vertically
    until no foot is below the ground. The heights above that plane are those under the feet of the untilted vehicle:
    exact on a slope, elsewhere as good as the ground is even over the way by which tilting moves a foot. Regolith's
    own; checked by ``test_state_service.py`` and ``test_multibody.py``.

    Args:
        x: Of the base frame in the world [m]; so is y.
        heading: Of its +x before tilting, from the world's +x [rad].
        foot_x: Of the feet in the base frame [m], shape (n,); so are y and z (the wheels' lowest points).
        levels: Ground height [m] at (x, y) [m].
    """
    c, s = math.cos(heading), math.sin(heading)
    px = x + c * foot_x - s * foot_y
    py = y + s * foot_x + c * foot_y
    ground = np.asarray(levels(px, py), dtype=float)
    a, b, height = _plane(px - x, py - y, ground)
    up = np.array([-a, -b, 1.0]) / math.sqrt(1.0 + a * a + b * b)
    ahead = np.array([c, s, a * c + b * s])
    ahead /= norm(ahead)
    left = np.array(
        [
            up[1] * ahead[2] - up[2] * ahead[1],
            up[2] * ahead[0] - up[0] * ahead[2],
            up[0] * ahead[1] - up[1] * ahead[0],
        ]
    )
    rotation = np.column_stack((ahead, left, up))
    feet = np.stack([rotation[k, 0] * foot_x + rotation[k, 1] * foot_y + rotation[k, 2] * foot_z for k in range(3)])
    # Ground under a foot of the tilted vehicle, as far above the plane as at the untilted place.
    plane = height + a * feet[0] + b * feet[1]
    lift = float(np.max(plane + (ground - (height + a * (px - x) + b * (py - y))) - feet[2]))
    return np.array([x, y, lift]), from_matrix(rotation)


def _plane(x: Vector, y: Vector, z: Vector) -> tuple[float, float, float]:
    """Return slope_x, slope_y and height at the origin of the plane through points, by least squares.

    Feet on one line leave the slope across it open; it is taken as level.
    """
    mx, my, mz = (math.fsum(v.tolist()) / len(v) for v in (x, y, z))
    xx = math.fsum(((x - mx) ** 2).tolist())
    yy = math.fsum(((y - my) ** 2).tolist())
    xy = math.fsum(((x - mx) * (y - my)).tolist())
    xz = math.fsum(((x - mx) * (z - mz)).tolist())
    yz = math.fsum(((y - my) * (z - mz)).tolist())
    # A little stiffness keeps the system regular for feet on a line; it changes slopes by a part in 1e12.
    soft = 1e-12 * (xx + yy) + 1e-300
    det = (xx + soft) * (yy + soft) - xy * xy
    a = ((yy + soft) * xz - xy * yz) / det
    b = ((xx + soft) * yz - xy * xz) / det
    return a, b, mz - a * mx - b * my
