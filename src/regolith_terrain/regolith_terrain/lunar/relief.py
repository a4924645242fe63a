# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fractal relief: octaves of gradient noise with the measured roughness of the Moon.

Perlin's noise (2002, quintic fade) on lattices rotated by the golden angle and shifted at random, so neither axes nor a
common origin are visible. The amplitude of an octave is proportional to wavelength^H. Absolute height follows from the
*deviation* nu(L), the rms difference of heights at a distance L (Shepard et al. 2001), which altimeters and stereo
measure on lunar terrain: nu(L) = L s(L) with the rms slope s.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.lunar.cell_random import cell_word, uniform_draw
from regolith_world.numerics import kernel, portable_math

Floats = NDArray[np.float64]

_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
SCALE, AMPLITUDE, COS, SIN, SHIFT_U, SHIFT_V = range(6)
"""Columns of the table of octaves: 1 / wavelength [1/m], amplitude [m], cosine and sine of the lattice rotation,
shifts.
"""


def octaves(
    key: np.uint64,
    outer_scale_m: float,
    inner_scale_m: float,
    hurst: float,
    rms_deviation_m: float,
    lag_m: float,
) -> Floats:
    """Return the table of octaves for the kernels, longest wavelength first, shape (n, 6).

    Args:
        key: Key of the random shifts of the lattices.
        outer_scale_m: Longest wavelength [m].
        inner_scale_m: Shortest wavelength [m].
        hurst: Hurst exponent H [-]; amplitudes are proportional to wavelength^H.
        rms_deviation_m: Rms difference of heights at a distance ``lag_m``, of all octaves together [m].
        lag_m: Distance of ``rms_deviation_m`` [m].

    Source: perlin2002; shepard2001; rosenburg2011.
    Checked by: test_lunar_statistics.py::test_lunar_relief_has_the_given_deviation.
    """
    count = max(1, int(math.floor(math.log2(outer_scale_m / inner_scale_m) + 1e-9)) + 1)
    wavelength = outer_scale_m * 0.5 ** np.arange(count)
    amplitude = portable_math.each(math.pow, wavelength, hurst)
    unscaled = math.sqrt(float(np.sum(amplitude**2 * deviation(lag_m / wavelength) ** 2)))
    amplitude *= rms_deviation_m / unscaled
    turn = np.arange(count) * _GOLDEN
    shift = np.array(
        [[uniform_draw(np.uint64(cell_word(key, layer, 0, 0)), axis) for axis in (0, 1)] for layer in range(count)]
    )
    columns = [
        1.0 / wavelength,
        amplitude,
        portable_math.each(math.cos, turn),
        portable_math.each(math.sin, turn),
        *(shift.T * 1024.0),
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def deviation(lag: ArrayLike) -> Floats:
    """Return the rms difference of noise with unit amplitude over a lag in wavelengths.

    It is averaged over directions.

    Source: shepard2001, the deviation nu; perlin2002.
    Checked by: test_lunar_statistics.py::test_lunar_relief_has_the_given_deviation.
    """
    lags, values = _deviations()
    return np.asarray(np.interp(np.asarray(lag, dtype=np.float64), lags, values))


@lru_cache(maxsize=1)
def _deviations() -> tuple[Floats, Floats]:
    """Return lags [wavelengths] and rms differences from the exact covariance of gradient noise.

    With gradient components uniform in [-1, 1], E[n(p) n(q)] is the sum over common lattice corners of w(p - c) w(q -
    c) (p - c).(q - c) / 3.
    """
    lags = np.concatenate([1e-3 * portable_math.each(math.pow, 2e3, np.arange(60) / 59.0), [1e6]])
    at = (np.arange(24) + 0.5) / 24.0
    p = np.stack(np.meshgrid(at, at, indexing='ij'), axis=-1)[None]
    angle = (np.arange(12) + 0.5) * (math.pi / 24.0)
    toward = np.stack([portable_math.each(math.cos, angle), portable_math.each(math.sin, angle)], axis=-1)[
        :, None, None, :
    ]
    out = np.empty(len(lags))
    for n, lag in enumerate(lags[:-1]):
        q = p + lag * toward
        same, other, both = (np.zeros(q.shape[:-1]) for _ in range(3))
        for ci in range(-2, 5):
            for cj in range(-2, 5):
                dp, dq = p - (ci, cj), q - (ci, cj)
                wp, wq = _weight(dp), _weight(dq)
                same = same + wp * wp * np.sum(dp * dp, axis=-1)
                other = other + wq * wq * np.sum(dq * dq, axis=-1)
                both = both + wp * wq * np.sum(dp * dq, axis=-1)
        out[n] = math.sqrt(max(0.0, float(np.mean(same + other - 2.0 * both)) / 3.0))
    out[-1] = out[-2]
    return lags, out


def _weight(d: Floats) -> Floats:
    a = np.minimum(np.abs(d), 1.0)
    fade = 1.0 - a * a * a * (a * (a * 6.0 - 15.0) + 10.0)
    return np.asarray(fade[..., 0] * fade[..., 1])


@kernel
def _gradient(key: np.uint64, layer: int, ix: int, iy: int) -> tuple[float, float]:
    """Return the gradient at a lattice corner, components uniform in [-1, 1]."""
    word = cell_word(key, layer, ix, iy)
    gx = np.float64(word >> np.uint64(32)) * (2.0 / 4294967296.0) - 1.0
    gy = np.float64(word & np.uint64(0xFFFFFFFF)) * (2.0 / 4294967296.0) - 1.0
    return gx, gy


@kernel
def add_relief(x: Floats, y: Floats, key: np.uint64, table: Floats, least: float, out: Floats) -> None:
    """Add the relief at all (x[r], y[c]) [m] to out [m], shape (len(x), len(y)).

    Gradients are hashed once per lattice corner for dense points, and at every point for sparse ones. The results are
    bit-identical.

    Args:
        x: Positions along x [m].
        y: Positions along y [m].
        key: Key of the random numbers.
        table: Table of :func:`octaves`.
        least: Shortest wavelength of included octaves [m].
        out: Input and output: heights [m].

    Source: perlin2002.
    Checked by: test_lunar_statistics.py::test_lunar_relief_has_the_given_deviation.
    """
    ni, nj = len(x), len(y)
    # Gradients by lattice corner, with memory for the densest lattice worth storing, and none for single points.
    room = 4 * ni * nj if ni * nj > 16 else 0
    kept_x = np.empty(room)
    kept_y = np.empty(room)
    for layer in range(table.shape[0]):
        scale, amplitude, cos, sin = table[layer, SCALE], table[layer, AMPLITUDE], table[layer, COS], table[layer, SIN]
        su, sv = table[layer, SHIFT_U], table[layer, SHIFT_V]
        if scale * least > 1.0:
            continue
        u_low, u_high, v_low, v_high = 1e300, -1e300, 1e300, -1e300
        for a in (x[0], x[ni - 1]):
            for b in (y[0], y[nj - 1]):
                u = (cos * a + sin * b) * scale + su
                v = (cos * b - sin * a) * scale + sv
                u_low, u_high = min(u_low, u), max(u_high, u)
                v_low, v_high = min(v_low, v), max(v_high, v)
        # One more on each side: rounding may move a point beyond the extremes of the corners.
        iu0, iv0 = int(math.floor(u_low)) - 1, int(math.floor(v_low)) - 1
        nu, nv = int(math.floor(u_high)) + 3 - iu0, int(math.floor(v_high)) + 3 - iv0
        keep = nu * nv <= room
        if keep:
            for a in range(nu):
                for b in range(nv):
                    kept_x[a * nv + b], kept_y[a * nv + b] = _gradient(key, layer, iu0 + a, iv0 + b)
        for r in range(ni):
            for c in range(nj):
                u = (cos * x[r] + sin * y[c]) * scale + su
                v = (cos * y[c] - sin * x[r]) * scale + sv
                iu, iv = int(math.floor(u)), int(math.floor(v))
                du, dv = u - iu, v - iv
                if keep:
                    at = (iu - iu0) * nv + iv - iv0
                    ax, ay = kept_x[at], kept_y[at]
                    bx, by = kept_x[at + nv], kept_y[at + nv]
                    cx, cy = kept_x[at + 1], kept_y[at + 1]
                    dx, dy = kept_x[at + nv + 1], kept_y[at + nv + 1]
                else:
                    ax, ay = _gradient(key, layer, iu, iv)
                    bx, by = _gradient(key, layer, iu + 1, iv)
                    cx, cy = _gradient(key, layer, iu, iv + 1)
                    dx, dy = _gradient(key, layer, iu + 1, iv + 1)
                fu = du * du * du * (du * (du * 6.0 - 15.0) + 10.0)
                fv = dv * dv * dv * (dv * (dv * 6.0 - 15.0) + 10.0)
                a0 = ax * du + ay * dv
                b0 = bx * (du - 1.0) + by * dv
                c0 = cx * du + cy * (dv - 1.0)
                d0 = dx * (du - 1.0) + dy * (dv - 1.0)
                low = a0 + fu * (b0 - a0)
                high = c0 + fu * (d0 - c0)
                out[r, c] += amplitude * (low + fv * (high - low))
