# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Penumbrae without noise: the visible fraction of the sun, averaged over neighboring pixels in soft shadows.

One ray per pixel to the sun's disc is either blocked or not, so a penumbra is noisy. The visible fraction itself varies
slowly: a blocker at distance t changes it over 2 r t across the sun's direction, with r the disc's angular radius. It
is averaged over neighbors on the same object within a fraction of that width. Radiance is not averaged, so relief and
brightness of the surface stay sharp. Where the blocker is near, no neighbor lies within the width, and the border of
the shadow stays sharp.

The distance of the blocker comes from the further rays of pixels at shadow borders, so the filter needs no rays of its
own. For the cost see the documentation of the sensors. The widths of penumbrae grow by :data:`WIDENING`. Direct
neighbors count a little also where it is down to a sixth of a pixel wide: it would be a row of light and dark pixels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Bools, Ints, Longs, Single, Singles
from regolith_sensors.camera.adaptive_sampling import SHAPE
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import RenderedImage
from regolith_world.numerics import kernel

REACH = 4
"""Maximum distance of a neighbor along rows and columns [px]."""
RADIUS = 0.6
"""Radius of the average relative to the half width r t of the penumbra [-]."""
WIDENING = (1.0 + RADIUS**2 / 6.0 / 0.25) ** 0.5
"""Factor on the standard deviation of a penumbra's width. The variance of the average's weights along one axis,
RADIUS^2 / 6, adds to that of a uniform disc, 1 / 4, in units of (r t)^2."""
_ROWS = 16
_MICROMETERS = np.float32(1e6)
_FEW, _MANY = np.float32(8.0), np.float32(24.0)
"""Effective numbers of neighbors between which the average changes from all rays of pixels to their first rays."""
_BESIDE, _DIAGONAL = np.float32(0.3), np.float32(0.1)
"""Least weights of direct neighbors of pixels at borders."""
_NARROW = np.float32(50.0)
"""Square of the distance of neighbors relative to the radius of the average above which a border is sharp."""
_ZERO, _ONE, _INF = np.float32(0.0), np.float32(1.0), np.float32(np.inf)


def smooth_penumbrae(
    frame: RenderedImage, marks: NDArray[np.uint8], facing: Bools, eyes: CameraRays, light: Lights
) -> None:
    """Replace the visible fraction of the sun in a frame's radiance by its average over the penumbra's neighborhood.

    Neighbors have the weight 1 - (d / h)^2, with d their distance across the sun's direction and h = RADIUS r t, where
    t is the mean known distance of blockers in the neighborhood. Where its first rays are all blocked or all free,
    nothing changes. Only pixels at borders have further rays, which biases a mean of all rays by up to 0.05. Where
    there are enough neighbors, only their first rays count. Mehta et al. (2012) also filter the visible fraction by the
    distance of blockers. Weights and window are Regolith's own; tests: test_penumbra.py.

    Args:
        frame: Frame after further rays, with ``sunlit``, ``sun_part`` and ``blocker``; its radiance changes.
        marks: Marks from :func:`regolith_sensors.camera.adaptive_sampling.edge_marks`; edges of shapes do not change.
        facing: Pixels whose first ray hit a surface that faces the sun, shape (height, width).
        eyes: View of the first rays.
        light: Lights with the sun.
    """
    height, width = frame.depth.shape
    if light.disc <= 0.0 or not frame.blocker.any():
        return
    blockers, counts = np.empty((height, width), np.int64), np.empty((height, width), np.int32)
    run_in_ranges(_along_rows, height, _ROWS, frame.blocker, frame.instance, facing, blockers, counts)
    axes = (np.stack([light.across[0], light.across[1], light.direction]) @ eyes.rotation).astype(np.float32)
    sites = np.empty((3, height, width), np.float32)
    run_in_ranges(_sites, height, _ROWS, frame.range, marks, facing, eyes.rays, axes, sites)
    run_in_ranges(
        _average,
        height,
        _ROWS,
        frame.instance,
        frame.object_id,
        frame.range,
        frame.sunlit,
        frame.sun_part,
        marks,
        eyes.rays,
        axes,
        np.float32(RADIUS * light.disc),
        sites,
        blockers,
        counts,
        frame.radiance,
    )


@kernel(views_only=True)
def _along_rows(
    first: int, last: int, blocker: Singles, instance: Ints, facing: Bools, blockers: Longs, counts: Ints
) -> None:
    """Write sums over the pixels within REACH along rows: distances of blockers [um], and three packed counts.

    The counts are those of pixels with a blocker, of facing pixels, and of facing pixels in the sun, 2^8 apart, because
    a neighborhood has 81 pixels. All are integers, so that running sums are exact.
    """
    width = blocker.shape[1]
    for i in range(first, last):
        total, count = 0, 0
        for j in range(-REACH, width):
            entering, leaving = j + REACH, j - REACH - 1
            if entering < width:
                total += int(blocker[i, entering] * _MICROMETERS)
                count += _counted(blocker[i, entering], instance[i, entering], facing[i, entering])
            if leaving >= 0:
                total -= int(blocker[i, leaving] * _MICROMETERS)
                count -= _counted(blocker[i, leaving], instance[i, leaving], facing[i, leaving])
            if j >= 0:
                blockers[i, j], counts[i, j] = total, count


@kernel(views_only=True, forceinline=True)
def _counted(blocker: Single, instance: int, facing: bool) -> int:
    out = 1 if blocker > _ZERO else 0
    if facing:
        out += (1 << 8) + ((instance & 1) << 16)
    return out


@kernel(views_only=True, forceinline=True)
def _site(distance: Singles, rays: Singles, axes: Singles, i: int, j: int, axis: int) -> Single:
    """Return a coordinate of the first ray's hit point [m]: across the sun's direction (axes 0, 1) or along it."""
    along_ray = rays[i, j, 0] * axes[axis, 0] + rays[i, j, 1] * axes[axis, 1] + rays[i, j, 2] * axes[axis, 2]
    return distance[i, j] * along_ray


@kernel(views_only=True)
def _sites(
    first: int,
    last: int,
    distance: Singles,
    marks: NDArray[np.uint8],
    facing: Bools,
    rays: Singles,
    axes: Singles,
    sites: Singles,
) -> None:
    """Write the coordinates of pixels that count as neighbors; those of all others are +inf, beyond the window."""
    for i in range(first, last):
        for j in range(distance.shape[1]):
            counts = facing[i, j] and marks[i, j] != SHAPE
            for axis in range(3):
                sites[axis, i, j] = _site(distance, rays, axes, i, j, axis) if counts else _INF


@kernel
def _average(
    first: int,
    last: int,
    instance: Ints,
    object_id: NDArray[np.uint16],
    distance: Singles,
    sunlit: Singles,
    sun_part: Singles,
    marks: NDArray[np.uint8],
    rays: Singles,
    axes: Singles,
    scale: Single,
    sites: Singles,
    blockers: Longs,
    counts: Ints,
    radiance: Singles,
) -> None:
    """Replace the visible fraction by its average in the radiance of pixels that have one."""
    height, width = sun_part.shape
    distances, numbers = np.empty(width, np.int64), np.empty(width, np.int32)
    for i in range(first, last):
        top, bottom = max(i - REACH, 0), min(i + REACH + 1, height)
        # Sums of whole rows, which the compiler vectorizes.
        distances[:], numbers[:] = 0, 0
        for a in range(top, bottom):
            for j in range(width):
                distances[j] += blockers[a, j]
                numbers[j] += counts[a, j]
        for j in range(width):
            count = numbers[j]
            known, faced, lit = count & 0xFF, (count >> 8) & 0xFF, count >> 16
            if known == 0 or lit == 0 or lit == faced or sunlit[i, j, 1] == _ZERO or marks[i, j] == SHAPE:
                continue
            far = np.float32(distances[j]) / (np.float32(known) * _MICROMETERS)
            square, apart = (scale * far) * (scale * far), np.float32(0.5) * far
            x, y, z = (
                _site(distance, rays, axes, i, j, 0),
                _site(distance, rays, axes, i, j, 1),
                _site(distance, rays, axes, i, j, 2),
            )
            left, right = max(j - REACH, 0), min(j + REACH + 1, width)
            bordering = marks[i, j] != 0
            weights = squares = of_all = of_first = _ZERO
            for a in range(top, bottom):
                for b in range(left, right):
                    dx, dy = sites[0, a, b] - x, sites[1, a, b] - y
                    across = dx * dx + dy * dy
                    # Most neighbors are too far away, so the distance is checked first.
                    least = _ZERO
                    if bordering and abs(a - i) <= 1 and abs(b - j) <= 1 and across < _NARROW * square:
                        least = _BESIDE if a == i or b == j else _DIAGONAL
                    if across >= square and least == _ZERO:
                        continue
                    if abs(sites[2, a, b] - z) < apart and object_id[a, b] == object_id[i, j]:
                        weight = max(_ONE - across / square, least)
                        weights += weight
                        squares += weight * weight
                        of_all += weight * sun_part[a, b] / sunlit[a, b, 1]
                        of_first += weight * np.float32(instance[a, b] & 1)
            if squares == _ZERO:
                continue
            many = min(max((weights * weights / squares - _FEW) / (_MANY - _FEW), _ZERO), _ONE)
            smooth = np.float32((many * of_first + (_ONE - many) * of_all) / weights)
            if smooth >= _ZERO:
                change = smooth - sun_part[i, j] / sunlit[i, j, 1]
                for c in range(3):
                    radiance[i, j, c] = max(radiance[i, j, c] + change * sunlit[i, j, c], _ZERO)


__all__ = ['RADIUS', 'REACH', 'WIDENING', 'smooth_penumbrae']
