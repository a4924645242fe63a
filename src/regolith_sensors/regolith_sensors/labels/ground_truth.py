# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Labels from the rendered ground truth: boxes around the objects in an image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Longs
from regolith_world.numerics import kernel


@dataclass(frozen=True)
class Box2D:
    """Bounding box of the visible part of an object; pixels count from 0 at the top left, both ends included."""

    object_id: int
    semantic: int
    """Class of the object's largest visible part, see :class:`regolith_sensors.scene.scene.Semantic`."""
    left: int
    top: int
    right: int
    bottom: int
    pixels: int
    """Number of visible pixels of the object."""


def boxes(object_id: NDArray[np.uint16], semantic: NDArray[np.uint8], least_pixels: int = 4) -> list[Box2D]:
    """Return the boxes around all objects except sky and ground, in the order of their numbers.

    Args:
        object_id: Object image, shape (height, width).
        semantic: Class image, shape (height, width).
        least_pixels: Minimum number of visible pixels; smaller objects are left out.
    """
    count = int(object_id.max(initial=0)) + 1
    bounds = np.full((count, 4), -1, dtype=np.int64)
    bounds[:, :2] = 2**31
    votes = np.zeros((count, 256), dtype=np.int64)
    _bounds(object_id, semantic, bounds, votes)
    pixels = votes.sum(axis=1)
    return [
        Box2D(number, int(votes[number].argmax()), left, top, right, bottom, int(pixels[number]))
        for number, (left, top, right, bottom) in enumerate(bounds.tolist())
        if number >= 2 and pixels[number] >= max(least_pixels, 1)
    ]


@kernel
def _bounds(object_id: NDArray[np.uint16], semantic: NDArray[np.uint8], bounds: Longs, votes: Longs) -> None:
    for row in range(object_id.shape[0]):
        for column in range(object_id.shape[1]):
            n = object_id[row, column]
            bounds[n, 0], bounds[n, 1] = min(bounds[n, 0], column), min(bounds[n, 1], row)
            bounds[n, 2], bounds[n, 3] = max(bounds[n, 2], column), max(bounds[n, 3], row)
            votes[n, semantic[row, column]] += 1
