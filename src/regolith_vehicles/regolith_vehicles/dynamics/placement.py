# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Initial placement of a vehicle on uneven ground."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]

PLACED_WITHIN = 1e-3
"""Maximum distance of the settled vehicle from its requested position, else it is placed again [m]."""
SETTLING_RATE = 6.0
"""Decay rate of speeds during placement [1/s]; lower than the heave and pitch frequencies on soil."""
SETTLING_CYCLE = 0.02
"""Simulated time for which one soil window is used [s]."""
SETTLING_CYCLES = 150
"""Maximum number of cycles in which a vehicle comes to rest."""
SETTLED_SPEED = 1e-4
"""Speed of joints and base that counts as rest [m/s, rad/s]; its damping force is below 0.1 % of the weight."""
SLIDING_SPEED = 2e-3
"""Speed above which a vehicle that does not come to rest is sliding [m/s, rad/s]."""


FASTEST = 50.0
"""Maximum speed with which a vehicle can be placed [m/s]; on its wheels it reaches a few m/s."""
FASTEST_TURN = 10.0
"""Maximum angular rate with which a vehicle can be placed [rad/s]; above it, wheels leave the soil window."""
BURIED = 0.05
"""Maximum depth of a support point below the ground at which a vehicle can be placed [m]; more than static sinkage."""


def check_speed(name: str, linear: Vector, angular: Vector) -> None:
    """Refuse velocities with which a vehicle cannot be placed.

    Args:
        name: Name of the vehicle.
        linear: Linear velocity [m/s], shape (3,).
        angular: Angular velocity [rad/s], shape (3,).

    Raises:
        ValueError: If the vehicle is too fast; names it, the speed and the limit.
    """
    for what, velocity, most, unit in (
        ('moves', linear, FASTEST, 'm/s'),
        ('turns', angular, FASTEST_TURN, 'rad/s'),
    ):
        if not portable_math.norm(velocity) <= most:  # also refuses NaN
            raise ValueError(
                f'{name}: {what} at {portable_math.norm(velocity):g} {unit}; allowed: up to {most:g} {unit}'
            )


def support_depth(
    position: Vector,
    orientation: Vector,
    foot_x: Vector,
    foot_y: Vector,
    foot_z: Vector,
    levels: Callable[[Vector, Vector], Vector],
) -> float:
    """Return the depth of the deepest support point below the ground [m]; negative: above the ground.

    Args:
        position: Position of the base in the world frame [m].
        orientation: Orientation of the base, quaternion (x, y, z, w).
        foot_x: Support points along x in the base frame [m], shape (n,).
        foot_y: Support points along y in the base frame [m], shape (n,).
        foot_z: Support points along z in the base frame [m], shape (n,).
        levels: Function of x and y [m] that returns ground heights [m].
    """
    turn = rotation.matrix(orientation)
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
    """Return position [m] and orientation (x, y, z, w) of a base frame on its support points.

    The base is tilted to the plane of best fit through the ground under the support points (least squares). It is then
    lifted vertically until no support point is below the ground. Heights above the plane are those under the untilted
    vehicle. This is exact on a slope; elsewhere its error depends on the unevenness over the distance by which tilting
    moves a support point. Regolith's own; checked by ``test_state_service.py`` and ``test_multibody.py``.

    Args:
        x: Position of the base along x in the world frame [m].
        y: Position of the base along y in the world frame [m].
        heading: Heading of the base's x axis before tilting, from the world's x axis [rad].
        foot_x: Support points along x in the base frame [m], shape (n,); the lowest points of the wheels.
        foot_y: Support points along y in the base frame [m], shape (n,).
        foot_z: Support points along z in the base frame [m], shape (n,).
        levels: Function of x and y [m] that returns ground heights [m].
    """
    c, s = math.cos(heading), math.sin(heading)
    px = x + c * foot_x - s * foot_y
    py = y + s * foot_x + c * foot_y
    ground = np.asarray(levels(px, py), dtype=float)
    a, b, height = _plane(px - x, py - y, ground)
    up = np.array([-a, -b, 1.0]) / math.sqrt(1.0 + a * a + b * b)
    ahead = np.array([c, s, a * c + b * s])
    ahead /= portable_math.norm(ahead)
    left = np.array(
        [
            up[1] * ahead[2] - up[2] * ahead[1],
            up[2] * ahead[0] - up[0] * ahead[2],
            up[0] * ahead[1] - up[1] * ahead[0],
        ]
    )
    axes = np.column_stack((ahead, left, up))
    feet = np.stack([axes[k, 0] * foot_x + axes[k, 1] * foot_y + axes[k, 2] * foot_z for k in range(3)])
    # Ground under a support point of the tilted vehicle, as far above the plane as under the untilted vehicle.
    plane = height + a * feet[0] + b * feet[1]
    lift = float(np.max(plane + (ground - (height + a * (px - x) + b * (py - y))) - feet[2]))
    return np.array([x, y, lift]), rotation.from_matrix(axes)


def _plane(x: Vector, y: Vector, z: Vector) -> tuple[float, float, float]:
    """Return slope_x, slope_y and height at the origin of the plane through points, by least squares.

    Support points on one line do not determine the slope across it; it is assumed level.
    """
    mx, my, mz = (math.fsum(v.tolist()) / len(v) for v in (x, y, z))
    xx = math.fsum(((x - mx) ** 2).tolist())
    yy = math.fsum(((y - my) ** 2).tolist())
    xy = math.fsum(((x - mx) * (y - my)).tolist())
    xz = math.fsum(((x - mx) * (z - mz)).tolist())
    yz = math.fsum(((y - my) * (z - mz)).tolist())
    # A small stiffness keeps the system regular for points on a line; it changes slopes by 1e-12.
    soft = 1e-12 * (xx + yy) + 1e-300
    det = (xx + soft) * (yy + soft) - xy * xy
    a = ((yy + soft) * xz - xy * yz) / det
    b = ((xx + soft) * yz - xy * xz) / det
    return a, b, mz - a * mx - b * my
