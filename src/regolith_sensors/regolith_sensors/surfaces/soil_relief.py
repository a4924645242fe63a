# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Relief of soil below the grid with clods and small craters, and the shadows that it casts on itself.

The relief is a periodic tile of heights: a self-affine field, clods and craters. Steep places are relaxed like loose
soil, so that slopes are bounded. For each texel the tile holds the height of the horizon in 16 azimuths. A hit point
reads the horizon of both layers of the relief toward the light; the visible part of the light's disc follows.

Pixels show slopes and shadows of heights that are averaged over their width. Far pixels therefore have neither.

Hapke's mean slope includes this relief. Its slopes are subtracted from it, see
:func:`regolith_sensors.brdf.remaining_mean_slope`. Where they are too far away to be shown, the ground is brighter than
with the whole mean slope, by 1 %.

Simplifications: a layer's relief casts no shadow on the other layer, and none beyond 64 texels.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Single, Singles
from regolith_sensors.surfaces.micro_relief import LEVELS, SIDE, floor, level_of
from regolith_sensors.surfaces.shading import arcsine
from regolith_world.numerics import kernel

Horizons = NDArray[np.uint8]
"""Tangents of horizons as bytes, shape (n, 16)."""

AZIMUTHS = 16
STEEPEST = 2.6
"""Limit of the slopes while the heights relax, in units of their r.m.s."""
_TOP = 3.5
"""Tangent of a horizon that the largest byte means, in units of the r.m.s. slope."""
_REACH = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 64)
"""Distances at which the horizon is sought [texel]."""
_RELAXATIONS = 80
STEP, TOP = 0, 1
"""Columns of the table of :func:`relief_shadows`: tangent per unit of a byte; largest tangent of a horizon."""
_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_HIGH = np.float32(5.0)
_QUARTER_TURN, _EIGHTH = np.float32(0.25 * AZIMUTHS), np.float32(AZIMUTHS / 8.0)
_INV_PI = np.float32(1.0 / math.pi)


class SoilTile(NamedTuple):
    """Relief of soil with an r.m.s. slope of 1, and its averages over 2, 4, 8 ... texels, level by level."""

    height: Floats
    """Heights [texel], shape (512, 512)."""
    slopes: Singles
    """Slope along both axes, shape (n, 2)."""
    horizons: Horizons
    """Tangents of the horizon, shape (n, 16); azimuth k is k / 16 of a turn from the first axis to the second."""


@lru_cache(maxsize=1)
def soil_tile() -> SoilTile:
    """Return the tile; it is the same in every process.

    Sizes and numbers of clods and craters are chosen by eye after close views of lunar soil.

    Source: helfenstein1999.
    Checked by: test_soil_relief.py::test_slopes_are_isotropic_and_bounded,
    test_soil_relief.py::test_horizon_is_that_of_a_slow_search.
    """
    rng = np.random.Generator(np.random.Philox(key=[0x5EED, 0xC10D], counter=[0, 0, 0, 0]))
    k = np.fft.fftfreq(SIDE) * SIDE
    radius = np.hypot(k[:, None], k[None, :])
    amplitude = np.where((radius >= 16.0) & (radius < SIDE / 2), np.maximum(radius, 1.0) ** -1.8, 0.0)
    field = np.fft.ifft2(np.fft.fft2(rng.standard_normal((SIDE, SIDE))) * amplitude).real
    clods, craters = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    _add_clods(clods, _shapes(rng, 0.5, 1.6, 9.0, 2.4))
    _add_craters(craters, _shapes(rng, 0.2, 4.0, 16.0, 2.0))
    height = 0.7 * _with_unit_slopes(field) + 0.55 * _with_unit_slopes(clods) + 0.4 * _with_unit_slopes(craters)
    height = _with_unit_slopes(height)
    for _ in range(_RELAXATIONS):
        height = _relaxed(height)
    height = _with_unit_slopes(height - height.mean())
    return SoilTile(height, *levels_of(height))


def levels_of(height: Floats) -> tuple[Singles, Horizons]:
    """Return slopes and horizons of periodic heights and of their averages, see :class:`SoilTile`.

    Args:
        height: Heights [texel], shape (512, 512).
    """
    slopes: list[Singles] = []
    horizons: list[Horizons] = []
    for level in range(LEVELS):
        texel = 1 << level
        slopes.append((np.stack(_slopes(height), axis=-1) / texel).reshape(-1, 2).astype(np.float32))
        tangents = np.zeros((*height.shape, AZIMUTHS))
        reach = np.array([far for far in _REACH if far <= max(len(height) // 8, 4)], dtype=np.float64)
        _find_horizons(height, reach, tangents)
        horizons.append(np.clip(np.rint(tangents * (255.0 / _TOP / texel)), 0, 255).astype(np.uint8))
        height = 0.25 * (height[::2, ::2] + height[1::2, ::2] + height[::2, 1::2] + height[1::2, 1::2])
    return np.concatenate(slopes), np.concatenate([part.reshape(-1, AZIMUTHS) for part in horizons])


def relief_shadows(rms_slope: float) -> tuple[Horizons, Singles]:
    """Return the horizons of the tile, and the table of numbers that :func:`relief_part` needs, shape (2,).

    Args:
        rms_slope: Root mean square of the slope of both layers together (tangent); 0: no relief, empty arrays.
    """
    if rms_slope <= 0.0:
        return np.zeros((0, AZIMUTHS), np.uint8), np.zeros(0, np.float32)
    table = np.array([_TOP / 255.0, _TOP]) * (rms_slope / math.sqrt(2.0))
    return soil_tile().horizons, table.astype(np.float32)


def _slopes(height: Floats) -> tuple[Floats, Floats]:
    return (
        0.5 * (np.roll(height, -1, 0) - np.roll(height, 1, 0)),
        0.5 * (np.roll(height, -1, 1) - np.roll(height, 1, 1)),
    )


def _with_unit_slopes(height: Floats) -> Floats:
    a, b = _slopes(height)
    out: Floats = height / math.sqrt(float(np.mean(a * a + b * b)))
    return out


def _shapes(rng: np.random.Generator, share: float, least: float, most: float, power: float) -> Floats:
    """Return shapes that cover a share of the tile, shape (n, 6).

    The columns are row, column, radius [texel], ratio of the axes, direction of the long axis [rad] and a number in
    [0, 1) for the height. Numbers of shapes fall with their radius as a power law.
    """
    u = rng.random((20_000, 6))
    radius = least * (1.0 - u[:, 2] * (1.0 - (most / least) ** -power)) ** (-1.0 / power)
    ratio = 0.6 + 0.4 * u[:, 3]
    count = int(np.searchsorted(np.cumsum(math.pi * radius**2 * ratio), share * SIDE * SIDE))
    every = np.stack([SIDE * u[:, 0], SIDE * u[:, 1], radius, ratio, math.pi * u[:, 4], u[:, 5]], axis=1)
    return np.ascontiguousarray(every[:count])


@kernel
def _add_clods(height: Floats, shapes: Floats) -> None:
    """Add flat round bodies to the heights."""
    side = height.shape[0]
    for n in range(shapes.shape[0]):
        row, column, radius = shapes[n, 0], shapes[n, 1], shapes[n, 2]
        ratio, turn, amount = shapes[n, 3], shapes[n, 4], shapes[n, 5]
        reach = int(radius) + 2
        cos, sin = math.cos(turn), math.sin(turn)
        for i in range(int(row) - reach, int(row) + reach + 2):
            for j in range(int(column) - reach, int(column) + reach + 2):
                x, y = i - row, j - column
                u, v = (x * cos + y * sin) / radius, (y * cos - x * sin) / (radius * ratio)
                inside = 1.0 - u * u - v * v
                if inside > 0.0:
                    height[i % side, j % side] += 0.4 * (0.5 + amount) * radius * ratio * inside * math.sqrt(inside)


@kernel
def _add_craters(height: Floats, shapes: Floats) -> None:
    """Add round hollows with a low rim to the heights."""
    side = height.shape[0]
    for n in range(shapes.shape[0]):
        row, column, radius, amount = shapes[n, 0], shapes[n, 1], shapes[n, 2], shapes[n, 5]
        depth = 0.2 * (0.2 + 0.8 * amount * math.sqrt(amount)) * radius
        reach = int(2.0 * radius) + 2
        for i in range(int(row) - reach, int(row) + reach + 2):
            for j in range(int(column) - reach, int(column) + reach + 2):
                r = math.hypot(i - row, j - column) / radius
                rim = 0.25 * depth * max(1.0 - (r - 1.0) / 0.9, 0.0) ** 2
                height[i % side, j % side] += rim if r > 1.0 else depth * (r * r - 0.75)


@kernel
def _relaxed(height: Floats) -> Floats:
    """Return heights after a part of the height differences above the limit has moved downhill."""
    side = height.shape[0]
    out = height.copy()
    for i in range(side):
        for j in range(side):
            x, y = height[(i + 1) % side, j] - height[i, j], height[i, (j + 1) % side] - height[i, j]
            slope = math.sqrt(x * x + y * y)
            if slope > STEEPEST:
                part = 0.2 * (1.0 - STEEPEST / slope)
                out[i, j] += part * (x + y)
                out[(i + 1) % side, j] -= part * x
                out[i, (j + 1) % side] -= part * y
    return out


@kernel
def _find_horizons(height: Floats, distances: Floats, out: Floats) -> None:
    """Write the tangents of the horizons of a periodic tile; 0 where nothing rises above the level plane."""
    side = height.shape[0]
    for i in range(side):
        for j in range(side):
            for k in range(out.shape[2]):
                turn = 2.0 * math.pi * k / out.shape[2]
                cos, sin = math.cos(turn), math.sin(turn)
                highest = 0.0
                for n in range(distances.shape[0]):
                    x, y = i + distances[n] * cos, j + distances[n] * sin
                    a, b = math.floor(x), math.floor(y)
                    u, v = x - a, y - b
                    a, b = int(a) % side, int(b) % side
                    c, d = (a + 1) % side, (b + 1) % side
                    near = height[a, b] + v * (height[a, d] - height[a, b])
                    far = height[c, b] + v * (height[c, d] - height[c, b])
                    highest = max(highest, (near + u * (far - near) - height[i, j]) / distances[n])
                out[i, j, k] = highest


@kernel(views_only=True, forceinline=True)
def disc_part(x: Single) -> Single:
    """Return the visible part of a uniform disc whose center is x radii above a straight horizon.

    F = 1/2 + (x sqrt(1 - x^2) + asin x) / pi.

    Source: abramowitz1964, eq. 4.4.46.
    Checked by: test_soil_relief.py::test_part_of_a_disc_above_a_straight_horizon.
    """
    if x >= _ONE:
        return _ONE
    if x <= -_ONE:
        return _ZERO
    return _HALF + (x * math.sqrt(_ONE - x * x) + arcsine(x)) * _INV_PI


@kernel(views_only=True, forceinline=True)
def _azimuth(x: Single, y: Single) -> Single:
    """Return the direction of (x, y) in 16ths of a turn, in [0, 16]; the error is below 0.25 degrees."""
    a, b = abs(x), abs(y)
    low, high = min(a, b), max(max(a, b), np.float32(1e-20))
    r = low / high
    # atan r = r (pi / 4 + 0.273 (1 - r)) in 16ths of a turn.
    turn = r * (_EIGHTH + np.float32(0.273 * AZIMUTHS / (2.0 * math.pi)) * (_ONE - r))
    if b > a:
        turn = _QUARTER_TURN - turn
    if x < _ZERO:
        turn = _TWO * _QUARTER_TURN - turn
    return np.float32(AZIMUTHS) - turn if y < _ZERO else turn


@kernel(views_only=True, forceinline=True)
def _horizon(horizons: Horizons, level: int, u: Single, v: Single, azimuth: Single) -> Single:
    """Return the horizon at a place of a level in bytes, linear between four texels and two azimuths."""
    side = SIDE >> level
    first = (4 * SIDE * SIDE - 4 * side * side) // 3
    i, j, k = floor(u), floor(v), int(azimuth)
    du, dv, dk = u - np.float32(i), v - np.float32(j), azimuth - np.float32(k)
    mask = side - 1
    top, low = first + (i & mask) * side, first + ((i + 1) & mask) * side
    left, right = j & mask, (j + 1) & mask
    a, b, c, d = np.uint32(top + left), np.uint32(top + right), np.uint32(low + left), np.uint32(low + right)
    here, after = np.uint32(k & (AZIMUTHS - 1)), np.uint32((k + 1) & (AZIMUTHS - 1))
    wc, wd = du * (_ONE - dv), du * dv
    wa, wb = _ONE - dv - wc, dv - wd
    near = (
        wa * np.float32(horizons[a, here])
        + wb * np.float32(horizons[b, here])
        + wc * np.float32(horizons[c, here])
        + wd * np.float32(horizons[d, here])
    )
    far = (
        wa * np.float32(horizons[a, after])
        + wb * np.float32(horizons[b, after])
        + wc * np.float32(horizons[c, after])
        + wd * np.float32(horizons[d, after])
    )
    return near + dk * (far - near)


@kernel(views_only=True)
def relief_part(
    horizons: Horizons,
    table: Singles,
    layers: Singles,
    x: Single,
    y: Single,
    ahead: Single,
    aside: Single,
    rise: Single,
    amount: Single,
    footprint: Single,
    disc: Single,
) -> Single:
    """Return the part of a light's disc that the relief leaves visible at scene coordinates (x, y) [m].

    Args:
        horizons: Horizons of the tile.
        table: Numbers of :func:`relief_shadows`.
        layers: Position, scale and rotation of the layers, see
            :func:`regolith_sensors.surfaces.micro_relief.micro_relief`.
        x: Coordinate along the first axis of the relief's plane [m].
        y: Coordinate along its second axis [m].
        ahead: Component along the first axis of the direction to the light.
        aside: Component along the second axis.
        rise: Tangent of the light's elevation above the mean surface.
        amount: Factor on the heights of the relief.
        footprint: Width of a pixel on the ground [m].
        disc: Tangent of the light's angular radius.

    Source: max1988.
    Checked by: test_soil_relief.py::test_shadow_of_a_sinusoidal_relief, test_soil_relief.py::test_mean_radiance.
    """
    # The radius of the disc in tangents of elevation; no horizon is near a light that is higher than the limit.
    rise = min(rise, _HIGH)
    radius = disc * (_ONE + rise * rise)
    if rise >= amount * table[TOP] + radius:
        return _ONE
    tangent = _ZERO
    for layer in range(2):
        per_meter, cos, sin = layers[layer, 2], layers[layer, 3], layers[layer, 4]
        level, wide = level_of(footprint * per_meter)
        if level >= LEVELS - 2:
            continue
        u = layers[layer, 0] + (cos * x + sin * y) * per_meter
        v = layers[layer, 1] + (cos * y - sin * x) * per_meter
        azimuth = _azimuth(cos * ahead + sin * aside, cos * aside - sin * ahead)
        shrink = _ONE / np.float32(1 << level)
        at, bt = (u + _HALF) * shrink - _HALF, (v + _HALF) * shrink - _HALF
        found = _horizon(horizons, level, at, bt, azimuth)
        # Levels blend as in micro_at.
        blend = _TWO * wide - np.float32(3.0)
        if blend > _ZERO:
            at, bt = (at + _HALF) * _HALF - _HALF, (bt + _HALF) * _HALF - _HALF
            found += blend * (_horizon(horizons, level + 1, at, bt, azimuth) - found)
        tangent = max(tangent, found)
    return disc_part((rise - amount * table[STEP] * tangent) / radius)
