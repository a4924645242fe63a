# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixels that need more than one ray: edges of objects and borders of shadows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Ints, Single, Singles
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.image import RenderedImage
from regolith_sensors.scene.scene import Semantic
from regolith_world.numerics import kernel

_ROWS, _TILE = 16, 8
_BENT = np.float32(0.9)
"""Cosine between the normals of neighboring pixels on one object, below which there is an edge: 26 degrees."""
_BEHIND = np.float32(1.25)
"""Ratio of the distances of neighboring ground pixels above which the far one lies behind the near one."""
_GROUND = np.uint8(Semantic.GROUND)


SHADOW, SHAPE = np.uint8(1), np.uint8(2)
"""Marks of pixels: at the border of a shadow only, or at the edge of a shape."""


def edge_marks(frame: RenderedImage) -> NDArray[np.uint8]:
    """Return the marks of pixels that differ from one of their four neighbors in instance, shadow or normal.

    Normals of the ground are ignored, because micro-relief changes them everywhere. Ground in front of other ground
    counts as an edge. The criterion is Regolith's own.

    Args:
        frame: Frame with one ray per pixel.

    Returns:
        0, :data:`SHADOW` or :data:`SHAPE`, shape (height, width).
    """
    height, width = frame.depth.shape
    marks = np.empty((height, width), np.uint8)
    run_in_ranges(_mark, height, _ROWS, frame.instance, frame.semantic, frame.range, frame.normal, marks)
    return marks


def edge_pixels(marks: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the marked pixels (row times width plus column), sorted by tile so that rays of a packet stay close."""
    out = np.empty(np.count_nonzero(marks), np.int32)
    _list(marks, out)
    return out


def average_pixels(frame: RenderedImage, pixels: NDArray[np.int32], rays: int) -> None:
    """Divide the light of pixels, summed over their rays, by the number of rays.

    Args:
        frame: Frame after further rays; its ``radiance``, ``sunlit`` and ``sun_part`` change.
        pixels: Row times width plus column of each pixel.
        rays: Number of rays of each of these pixels.
    """
    radiance, sunlit = frame.radiance.reshape(-1, 3), frame.sunlit.reshape(-1, 3)
    _scale(pixels, np.float32(1.0 / rays), radiance, sunlit, frame.sun_part.reshape(-1))


@kernel(views_only=True)
def _scale(pixels: Ints, factor: Single, radiance: Singles, sunlit: Singles, sun_part: Singles) -> None:
    for pixel in pixels:
        for c in range(3):
            radiance[pixel, c] *= factor
            sunlit[pixel, c] *= factor
        sun_part[pixel] *= factor


@kernel(views_only=True, forceinline=True)
def _differ(
    instance: Ints, semantic: NDArray[np.uint8], distance: Singles, normal: Singles, i: int, j: int, a: int, b: int
) -> int:
    """Return SHAPE if two neighbors show different objects, SHADOW if exactly one of them is sunlit, else 0."""
    here, there = instance[i, j], instance[a, b]
    ground = semantic[i, j] == _GROUND and semantic[a, b] == _GROUND
    if ground:
        # All ground tiles count as one object.
        near, far = min(distance[i, j], distance[a, b]), max(distance[i, j], distance[a, b])
        if far > _BEHIND * near:
            return 2
        return int((here ^ there) & 1)
    if here >> 1 != there >> 1:
        return 2
    cosine = normal[i, j, 0] * normal[a, b, 0] + normal[i, j, 1] * normal[a, b, 1] + normal[i, j, 2] * normal[a, b, 2]
    if here >= 0 and cosine < _BENT:
        return 2
    return int((here ^ there) & 1)


@kernel(views_only=True)
def _mark(
    first: int,
    last: int,
    instance: Ints,
    semantic: NDArray[np.uint8],
    distance: Singles,
    normal: Singles,
    marks: NDArray[np.uint8],
) -> None:
    height, width = instance.shape
    for i in range(first, last):
        right = 0
        for j in range(width):
            edge = right
            right = _differ(instance, semantic, distance, normal, i, j, i, j + 1) if j + 1 < width else 0
            edge = max(edge, right)
            if i > 0:
                edge = max(edge, _differ(instance, semantic, distance, normal, i, j, i - 1, j))
            if i + 1 < height:
                edge = max(edge, _differ(instance, semantic, distance, normal, i, j, i + 1, j))
            marks[i, j] = edge


@kernel(views_only=True)
def _list(marks: NDArray[np.uint8], out: Ints) -> None:
    height, width = marks.shape
    count = 0
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            for i in range(top, min(top + _TILE, height)):
                for j in range(left, min(left + _TILE, width)):
                    if marks[i, j] != 0:
                        out[count] = i * width + j
                        count += 1
