# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixels where one ray is not enough: edges of things and borders of shadows."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_sensors.arrays import Bools, Ints, Singles
from regolith_sensors.rays.frame import Frame
from regolith_sensors.rays.threads import in_bands
from regolith_sensors.scene.scene import Semantic

_ROWS, _TILE = 16, 8
_BENT = np.float32(0.9)
"""Cosine between the normals of neighbours on a thing beyond which there is an edge between them: 26 degrees."""
_BEHIND = np.float32(1.25)
"""Distance over that which the pixels before lead to expect, beyond which ground is seen behind other ground."""
_GROUND = np.uint8(Semantic.GROUND)


def edge_pixels(frame: Frame) -> NDArray[np.int32]:
    """Return the pixels that differ from one of their four neighbours in instance, shadow or normal.

    Normals of the ground do not count, whose micro-relief bends them everywhere; ground that stands before other ground
    does.

    The criterion is Regolith's own.

    :param frame: with one ray per pixel
    :return: row times width plus column, tile by tile: rays of one packet stay together
    """
    height, width = frame.depth.shape
    marks = np.empty((height, width), np.bool_)
    in_bands(_mark, height, _ROWS, frame.instance, frame.semantic, frame.range, frame.normal, marks)
    out = np.empty(np.count_nonzero(marks), np.int32)
    _list(marks, out)
    return out


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False, forceinline=True)
def _differ(
    instance: Ints, semantic: NDArray[np.uint8], distance: Singles, normal: Singles, i: int, j: int, a: int, b: int
) -> bool:
    """Return whether two neighbours show different things."""
    here, there = instance[i, j], instance[a, b]
    ground = semantic[i, j] == _GROUND and semantic[a, b] == _GROUND
    if ground:
        # Tiles of the ground are one thing.
        near, far = min(distance[i, j], distance[a, b]), max(distance[i, j], distance[a, b])
        return bool((here ^ there) & 1 != 0 or far > _BEHIND * near)
    if here != there:
        return True
    cosine = (
        normal[i, j, 0] * normal[a, b, 0] + normal[i, j, 1] * normal[a, b, 1] + normal[i, j, 2] * normal[a, b, 2]
    )
    return bool(here >= 0 and cosine < _BENT)


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _mark(
    first: int, last: int, instance: Ints, semantic: NDArray[np.uint8], distance: Singles, normal: Singles,
    marks: Bools,
) -> None:
    height, width = instance.shape
    for i in range(first, last):
        for j in range(width):
            edge = False
            if j > 0:
                edge |= _differ(instance, semantic, distance, normal, i, j, i, j - 1)
            if j + 1 < width:
                edge |= _differ(instance, semantic, distance, normal, i, j, i, j + 1)
            if i > 0:
                edge |= _differ(instance, semantic, distance, normal, i, j, i - 1, j)
            if i + 1 < height:
                edge |= _differ(instance, semantic, distance, normal, i, j, i + 1, j)
            marks[i, j] = edge


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def _list(marks: Bools, out: Ints) -> None:
    height, width = marks.shape
    count = 0
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            for i in range(top, min(top + _TILE, height)):
                for j in range(left, min(left + _TILE, width)):
                    if marks[i, j]:
                        out[count] = i * width + j
                        count += 1
