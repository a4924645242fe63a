# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Position correction by matching a point cloud with the map of earlier clouds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.elevation_map import ElevationMap

Vector = NDArray[np.float64]


class Match(NamedTuple):
    """Result of the match of a cloud."""

    shift: Vector
    """Correction of the position [m], shape (3,)."""
    residual: float
    """Root mean square of the remaining height differences, without outliers [m]."""
    points: int
    """Number of points on known cells."""


def match(
    ground: ElevationMap,
    points: Vector,
    prior_m: tuple[float, float] = (0.05, 0.02),
    noise_m: float = 0.03,
    rounds: int = 3,
    least: int = 200,
) -> Match | None:
    """Return the shift with the best agreement of points and map; None: too few points are on known cells.

    Heights of points are compared with the map. Its slopes determine the shift: least squares by Gauss-Newton with
    Huber weights, and the position by wheel odometry as prior. So level ground does not change the position.

    Args:
        points: Points in the level frame, from the position by wheel odometry [m], shape (n, 3).
        ground: Elevation map.
        prior_m: Standard deviation of the position by wheel odometry since the last match, horizontal and vertical [m].
        noise_m: Standard deviation of a height above the map, including relief within cells [m].
        rounds: Number of iterations.
        least: Minimum number of points on known cells.
    """
    shift = np.zeros(3)
    across, up = prior_m
    # Errors of points of one cloud are correlated (attitude, cells), so a hundred of them count as one.
    weight = 1.0 / (100.0 * noise_m**2)
    residual = 0.0
    count = 0
    for _ in range(rounds):
        moved = points + shift
        height, along_x, along_y, known = ground.height(moved[:, 0], moved[:, 1])
        i, j, there = ground.indices(moved[:, 0], moved[:, 1])
        good = known & there & (ground.count[i, j] >= 3.0)
        count = int(good.sum())
        if count < least:
            return None
        left = moved[good, 2] - height[good]
        slopes = np.stack([-along_x[good], -along_y[good], np.ones(count)], axis=1)
        trust = np.minimum(1.0, 1.5 * noise_m / np.maximum(np.abs(left), 1e-9))
        normal = weight * (slopes * trust[:, None]).T @ slopes + np.diag([across**-2, across**-2, up**-2])
        right = weight * (slopes * trust[:, None]).T @ left + shift * np.array([across**-2, across**-2, up**-2])
        step = -np.linalg.solve(normal, right)
        shift = shift + step
        residual = float(np.sqrt(np.mean(trust * left**2)))
        if float(np.abs(step).max()) < 1e-3:
            break
    return Match(shift, residual, count)
