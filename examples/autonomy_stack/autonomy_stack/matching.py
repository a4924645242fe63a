# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Correction of position and attitude by matching a point cloud with the map of earlier clouds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.attitude import turn
from autonomy_stack.elevation_map import ElevationMap

Vector = NDArray[np.float64]


class Match(NamedTuple):
    """Result of the match of a cloud."""

    shift: Vector
    """Correction of the position [m], shape (3,)."""
    rotation: Vector
    """Correction of the attitude: rotation vector in the level frame, about the position [rad], shape (3,)."""
    residual: float
    """Root mean square of the remaining height differences, without outliers [m]."""
    points: int
    """Number of points on known cells."""


def match(
    ground: ElevationMap,
    points: Vector,
    place: Vector,
    prior_m: tuple[float, float] = (0.05, 0.02),
    prior_rad: float = 1.7e-3,
    noise_m: float = 0.03,
    rounds: int = 4,
    least: int = 200,
) -> Match | None:
    """Return the motion with the best agreement of points and map; None: too few points are on known cells.

    Heights of points are compared with the map. Its slopes determine shift and rotation: least squares by Gauss-Newton
    with Huber weights, and the pose by wheels and IMU as prior. So level ground changes neither position nor heading.

    A match without rotation is wrong where the tilt is: an accelerometer bias of 0.02 m/s^2 is a tilt of 0.7 degrees on
    the Moon. It turns with the rover, so that the map and a cloud of the way back differ by twice as much, 0.3 m at a
    distance of 14 m. On a slope of 10 degrees the best shift for that is 2 m.

    Args:
        ground: Elevation map.
        points: Points in the level frame, from the pose by wheels and IMU [m], shape (n, 3).
        place: Position of the rover in it, the center of the rotation [m], shape (3,).
        prior_m: Standard deviation of the position by wheel odometry since the last match, horizontal and vertical [m].
        prior_rad: Standard deviation of the attitude by the IMU since the last match, about each axis [rad].
        noise_m: Standard deviation of a height above the map, including relief within cells [m].
        rounds: Maximum number of iterations.
        least: Minimum number of points on known cells.
    """
    across, up = prior_m
    prior = np.array([across, across, up, prior_rad, prior_rad, prior_rad]) ** -2.0
    # Errors of neighboring points of one cloud are correlated by the cells, so thirty of them count as one.
    weight = 1.0 / (30.0 * noise_m**2)
    motion = np.zeros(6)
    residual = 0.0
    count = 0
    for _ in range(rounds):
        arms = (points - place) @ turn(motion[3:]).T
        moved = arms + place + motion[:3]
        height, along_x, along_y, known = ground.height(moved[:, 0], moved[:, 1])
        i, j, there = ground.indices(moved[:, 0], moved[:, 1])
        good = known & there & (ground.count[i, j] >= 3.0)
        count = int(good.sum())
        if count < least:
            return None
        left = moved[good, 2] - height[good]
        normals = np.stack([-along_x[good], -along_y[good], np.ones(count)], axis=1)
        slopes = np.concatenate([normals, np.cross(arms[good], normals)], axis=1)
        trust = np.minimum(1.0, 1.5 * noise_m / np.maximum(np.abs(left), 1e-9))
        normal = weight * (slopes * trust[:, None]).T @ slopes + np.diag(prior)
        right = weight * (slopes * trust[:, None]).T @ left + motion * prior
        step = -np.linalg.solve(normal, right)
        motion = motion + step
        residual = float(np.sqrt(np.mean(trust * left**2)))
        # 1 mm, and 1 mm at a distance of 10 m.
        if float(np.abs(step[:3]).max()) < 1e-3 and float(np.abs(step[3:]).max()) < 1e-4:
            break
    return Match(motion[:3], motion[3:], residual, count)
