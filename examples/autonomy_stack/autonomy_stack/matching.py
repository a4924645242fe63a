# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How far off the reckoned place is: a cloud laid on the map of the clouds before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.elevation_map import ElevationMap

Vector = NDArray[np.float64]


class Match(NamedTuple):
    """What a cloud says of the place from which it was seen."""

    shift: Vector
    """What is to be added to the place [m], shape (3,)."""
    residual: float
    """Root mean square of what is left between cloud and map, outliers aside [m]."""
    points: int
    """Number of points that were laid on known ground."""


def match(
    ground: ElevationMap,
    points: Vector,
    prior_m: tuple[float, float] = (0.05, 0.02),
    noise_m: float = 0.03,
    rounds: int = 3,
    least: int = 200,
) -> Match | None:
    """Return the shift that lays points best on the map; None: too few of them lie on known ground.

    Heights of points are held against the map's, whose slopes say which shift would mend what is left: least squares by
    Gauss and Newton, weighted after Huber, with the reckoned place as prior. Level ground so leaves the place as it is.

    Args:
        points: in the level frame, from the reckoned place [m], shape (n, 3)
        prior_m: standard deviation of the reckoned place since the last match, on the level and up [m]
        noise_m: of a height above the map, cells' relief included [m]
    """
    shift = np.zeros(3)
    across, up = prior_m
    # Points of one cloud err together (attitude, cells): a hundred of them count as one.
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
