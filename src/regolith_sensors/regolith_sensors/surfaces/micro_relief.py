# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Relief and brightness variation below the grid resolution, which give soil its texture at close range.

A periodic tile of self-affine relief is overlaid on the ground twice, the second time rotated and scaled by irrational
amounts, so the sum does not repeat within view. It is a function of world coordinates alone: the same for both cameras
of a stereo pair and for every run. Pixels show its mean over their footprint.

The self-affine relief of this module changes normals and casts no shadows. That of
:mod:`regolith_sensors.surfaces.soil_relief` has clods and craters and casts shadows.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Single, Singles
from regolith_world.numerics import kernel

SIDE = 512
LEVELS = 8
_HURST = 0.7
_TEXELS_PER_CELL = 8
_SHRINK, _TURN = 0.381966, 0.65
_ONE = np.float32(1.0)
_HALF, _TWO = np.float32(0.5), np.float32(2.0)


def micro_relief(
    spacing: float,
    origin: NDArray[np.float64],
    rms_slope: float,
    rms_albedo: float,
    unit_slopes: Singles | None = None,
) -> tuple[Singles, Singles]:
    """Return the relief below a grid, the input of :func:`micro_at`.

    Amplitudes of the self-affine relief fall as k^-(1 + H), with the Hurst exponent H = 0.7 of lunar soil at these
    scales.

    Args:
        spacing: Spacing of the grid [m]; waves shorter than four cells are part of the relief.
        origin: Origin of the scene's coordinates in the world, (x, y) [m].
        rms_slope: Root mean square of the slope of both layers together (tangent).
        rms_albedo: Root mean square of the relative brightness of both layers together.
        unit_slopes: Slopes of another relief than the self-affine one, with an r.m.s. of 1, level by level, shape
            (n, 2).

    Returns:
        Slope along x, slope along y and relative brightness minus 1 of all levels of the tile, one after the other,
        shape (n, 4), the last column unused; and for each layer the scene's origin (2), texels per m, cosine and sine
        of its rotation, shape (2, 5).

    Source: helfenstein1999.
    Checked by: test_materials.py::test_micro_relief_is_self_affine.
    """
    per_meter = np.array([_TEXELS_PER_CELL / spacing, _TEXELS_PER_CELL / spacing / _SHRINK])
    turn = np.array([[1.0, 0.0], [math.cos(_TURN), math.sin(_TURN)]])
    x, y = float(origin[0]), float(origin[1])
    along = np.stack([turn[:, 0] * x + turn[:, 1] * y, turn[:, 0] * y - turn[:, 1] * x], axis=1)
    # Reduced in double precision: far from the world's origin single precision would lose the texel.
    at = np.remainder(along * per_meter[:, None], SIDE)
    scale = np.array([rms_slope, rms_slope, rms_albedo], dtype=np.float32) / np.float32(math.sqrt(2.0))
    layers = np.concatenate([at, per_meter[:, None], turn], axis=1)
    texels = np.zeros((len(_tile()), 4), dtype=np.float32)
    texels[:, :3] = _tile() * scale
    if unit_slopes is not None:
        texels[:, :2] = unit_slopes * scale[:2]
    return texels, layers.astype(np.float32)


@lru_cache(maxsize=1)
def _tile() -> Singles:
    """Return the tile with unit r.m.s. of each of its three values, and its averages over 2, 4, 8 ... texels."""
    rng = np.random.Generator(np.random.Philox(key=[0x5EED, 0x5011], counter=[0, 0, 0, 0]))
    k = np.fft.fftfreq(SIDE) * SIDE
    kx, ky = k[:, None], k[None, :]
    radius = np.hypot(kx, ky)
    # Waves from four cells (of 8 texels) down to two texels; amplitude of a self-affine surface, k^-(1 + H).
    band = (radius >= SIDE / (4.0 * _TEXELS_PER_CELL)) & (radius <= SIDE / 2.0 - 1.0)
    amplitude = np.where(band, np.maximum(radius, 1.0) ** -(1.0 + _HURST), 0.0)
    relief = np.fft.fft2(rng.standard_normal((SIDE, SIDE))) * amplitude
    # Brightness also varies at longer waves, with a flatter spectrum.
    falling = np.where(radius >= 3.0, np.maximum(radius, 1.0) ** -1.2, 0.0)
    shade = np.fft.fft2(rng.standard_normal((SIDE, SIDE))) * falling
    waves = [relief * (2j * np.pi * kx), relief * (2j * np.pi * ky), shade]
    values = np.stack([np.fft.ifft2(w).real for w in waves], axis=-1)
    slope = math.sqrt(float(np.mean(values[..., 0] ** 2 + values[..., 1] ** 2)))
    values /= np.array([slope, slope, float(values[..., 2].std())])
    parts = []
    for _ in range(LEVELS):
        parts.append(values.reshape(-1, 3))
        values = 0.25 * (values[::2, ::2] + values[1::2, ::2] + values[::2, 1::2] + values[1::2, 1::2])
    return np.concatenate(parts).astype(np.float32)


@kernel(views_only=True, forceinline=True)
def floor(u: Single) -> int:
    """Return the largest integer not above u; math.floor would call a library."""
    n = int(u)
    return n - 1 if u < np.float32(n) else n


@kernel(views_only=True, forceinline=True)
def level_of(wide: Single) -> tuple[int, Single]:
    """Return the level for a pixel as wide as some texels, and its width in texels of this level."""
    level = 0
    while wide >= _TWO and level < LEVELS - 1:
        wide *= _HALF
        level += 1
    return level, wide


@kernel(views_only=True, forceinline=True)
def _bilinear(texels: Singles, side: int, u: Single, v: Single) -> tuple[Single, Single, Single]:
    # Number of texels of the finer levels: a geometric series.
    first = (4 * SIDE * SIDE - 4 * side * side) // 3
    i, j = floor(u), floor(v)
    du, dv = u - np.float32(i), v - np.float32(j)
    mask = side - 1
    top, low = first + (i & mask) * side, first + ((i + 1) & mask) * side
    left, right = j & mask, (j + 1) & mask
    a, b, c, d = np.uint32(top + left), np.uint32(top + right), np.uint32(low + left), np.uint32(low + right)
    wc, wd = du * (_ONE - dv), du * dv
    wa, wb = _ONE - dv - wc, dv - wd
    return (
        wa * texels[a, 0] + wb * texels[b, 0] + wc * texels[c, 0] + wd * texels[d, 0],
        wa * texels[a, 1] + wb * texels[b, 1] + wc * texels[c, 1] + wd * texels[d, 1],
        wa * texels[a, 2] + wb * texels[b, 2] + wc * texels[c, 2] + wd * texels[d, 2],
    )


@kernel(views_only=True, forceinline=True)
def micro_at(
    texels: Singles, layers: Singles, x: Single, y: Single, footprint: Single
) -> tuple[Single, Single, Single]:
    """Return (slope along x, slope along y, relative brightness minus 1) at scene coordinates (x, y) [m].

    Args:
        texels: Tile of the relief.
        layers: Position, scale and rotation of the layers.
        x: Scene coordinate x [m].
        y: Scene coordinate y [m].
        footprint: Width of a pixel on the ground [m].
    """
    sx = sy = shade = np.float32(0.0)
    for layer in range(2):
        per_meter, cos, sin = layers[layer, 2], layers[layer, 3], layers[layer, 4]
        level, wide = level_of(footprint * per_meter)
        if level >= LEVELS - 2:
            continue
        u = layers[layer, 0] + (cos * x + sin * y) * per_meter
        v = layers[layer, 1] + (cos * y - sin * x) * per_meter
        # Texel centers: those of level l lie at ((n + 1/2) 2^l - 1/2) of the finest level.
        shrink = _ONE / np.float32(1 << level)
        at, bt = (u + _HALF) * shrink - _HALF, (v + _HALF) * shrink - _HALF
        a0, b0, c0 = _bilinear(texels, SIDE >> level, at, bt)
        # Levels blend over the upper half of each octave only, which saves half of the reads.
        blend = _TWO * wide - np.float32(3.0)
        if blend > np.float32(0.0):
            at, bt = (at + _HALF) * _HALF - _HALF, (bt + _HALF) * _HALF - _HALF
            a1, b1, c1 = _bilinear(texels, SIDE >> (level + 1), at, bt)
            a0, b0, c0 = a0 + blend * (a1 - a0), b0 + blend * (b1 - b0), c0 + blend * (c1 - c0)
        sx += cos * a0 - sin * b0
        sy += sin * a0 + cos * b0
        shade += c0
    return sx, sy, shade
