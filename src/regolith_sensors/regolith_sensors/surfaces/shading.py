# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Hapke's reflectance from vectors in single precision, for the renderer; :mod:`regolith_sensors.brdf` is exact.

Every function returns r = BRDF cos i [1/sr], so that radiance is r times the irradiance normal to the rays. Near
grazing light the BRDF is unbounded, r is not.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from regolith_sensors.arrays import Floats, Single, Singles
from regolith_sensors.brdf import HapkeParameters
from regolith_sensors.numerics.fast_math import exp, log
from regolith_world.numerics import kernel

HAPKE_SIZE = 16
DIFFUSIVE = 9
"""Column of the diffusive reflectance (1 - gamma) / (1 + gamma)."""
_BC0, _INVERSE_HC = 14, 15
"""Columns of the coherent backscatter parameters."""
_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_TINY, _NEAR_ONE = np.float32(1e-7), np.float32(1.0 - 1e-7)
_INV_PI, _HALF_PI = np.float32(1.0 / math.pi), np.float32(0.5 * math.pi)
# asin x = pi / 2 - sqrt(1 - x) sum a_k x^k, |error| <= 2e-8 (Abramowitz & Stegun 1964, eq. 4.4.46).
_ASIN = tuple(
    np.float32(a)
    for a in (
        1.5707963050,
        -0.2145988016,
        0.0889789874,
        -0.0501743046,
        0.0308918810,
        -0.0170881256,
        0.0066700901,
        -0.0012624911,
    )
)


def hapke_constants(parameters: HapkeParameters) -> Singles:
    """Return the constants of a parameter set for the kernels, shape (16,)."""
    p = parameters
    k = p.porosity_factor
    tan = math.tan(p.theta)
    # Without roughness the exponentials vanish for every slope; a large cotangent has this effect.
    cot = 1.0 / tan if tan > 1e-9 else 1e9
    gamma = math.sqrt(1.0 - p.w)
    top = 0.5 * (1.0 - p.b * p.b)
    return np.array(
        [
            k * p.w / (4.0 * math.pi),
            1.0 + p.b * p.b,
            2.0 * p.b,
            top * (1.0 + p.c),
            top * (1.0 - p.c),
            p.Bs0,
            1.0 / p.hs,
            1.0 / k,
            p.w,
            (1.0 - gamma) / (1.0 + gamma),
            tan,
            2.0 / math.pi * cot,
            cot * cot / math.pi,
            1.0 / math.sqrt(1.0 + math.pi * tan * tan),
            p.Bc0,
            1.0 / p.hc,
        ],
        dtype=np.float32,
    )


def hapke_fast_many(
    incidence: ArrayLike, emission: ArrayLike, azimuth: ArrayLike, parameters: HapkeParameters
) -> Floats:
    """Return the reflectance of :func:`regolith_sensors.brdf.hapke_reflectance` as the renderer computes it.

    The relative difference is below 1e-3 for cosines of 0.01 and more. The arguments broadcast.

    Args:
        incidence: Angle of the sun from the normal [rad].
        emission: Angle of the viewer from the normal [rad].
        azimuth: Angle between both projections on the surface [rad], 0 on the same side.
        parameters: Parameters of the regolith.

    Source: hapke1984; hapke2002; hapke2008; abramowitz1964, eq. 4.4.46.
    Checked by: test_brdf.py::test_fast_hapke_agrees_with_reference.
    """
    i, e, psi = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (incidence, emission, azimuth)))
    haversine = np.sin((i - e) / 2.0) ** 2 + np.sin(i) * np.sin(e) * np.sin(psi / 2.0) ** 2
    out = np.empty(i.size, dtype=np.float32)
    singles = (np.ascontiguousarray(a, dtype=np.float32).ravel() for a in (np.cos(i), np.cos(e), haversine))
    _hapke_many(*singles, hapke_constants(parameters)[None, :], out)
    return out.astype(np.float64).reshape(i.shape)


@kernel(views_only=True)
def _hapke_many(mu0: Singles, mu: Singles, haversine: Singles, constants: Singles, out: Singles) -> None:
    for n in range(out.shape[0]):
        out[n] = hapke_row(mu0[n], mu[n], haversine[n], constants, 0, 0)


@kernel(views_only=True)
def hapke_row(mu0: Single, mu: Single, haversine: Single, table: Singles, row: int, at: int) -> Single:
    """Return r [1/sr] of Hapke's function; 0 where mu0 or mu is not positive.

    Args:
        mu0: Cosine of incidence.
        mu: Cosine of emission.
        haversine: sin^2(g / 2) of the phase angle; computed as |l - v|^2 / 4 it keeps its digits near opposition.
        table: Table with the result of :func:`hapke_constants` in ``row`` from column ``at`` on.
        row: Row of the parameter set.
        at: First column of the constants.
    """
    r = _hapke(mu0, mu, haversine, _constants(table, row, at))
    return r * _coherent(haversine, table[row, at + _BC0], table[row, at + _INVERSE_HC])


@kernel(views_only=True)
def hapke_lanes(
    g: Singles, normal: int, toward: int, light: Singles, table: Singles, row: int, at: int, out: Singles
) -> None:
    """Write r of 16 points of one soil into ``out[0]``, bit-identical to the values of :func:`hapke_row`.

    Args:
        g: Unit vectors of the points in three rows each, shape (n, 16).
        normal: First row of the normals.
        toward: First row of the directions to the viewer.
        light: Direction of the light, shape (3,).
        table: Table of constants.
        row: Row of the parameter set.
        at: First column of the constants.
        out: Result in row 0, shape (m, 16).
    """
    constants = _constants(table, row, at)
    lx, ly, lz = light[0], light[1], light[2]
    # No calls and no branches, so that the compiler vectorizes these lanes.
    for lane in range(16):
        nx, ny, nz = g[normal, lane], g[normal + 1, lane], g[normal + 2, lane]
        vx, vy, vz = g[toward, lane], g[toward + 1, lane], g[toward + 2, lane]
        mu0, mu = nx * lx + ny * ly + nz * lz, nx * vx + ny * vy + nz * vz
        out[0, lane] = _hapke(mu0, mu, haversine(lx, ly, lz, vx, vy, vz), constants)
    if table[row, at + _BC0] > _ZERO:
        for lane in range(16):
            hav = haversine(lx, ly, lz, g[toward, lane], g[toward + 1, lane], g[toward + 2, lane])
            out[0, lane] *= _coherent(hav, table[row, at + _BC0], table[row, at + _INVERSE_HC])


@kernel(views_only=True)
def hapke_of_cosines(angles: Singles, table: Singles, row: int, at: int, out: Singles) -> None:
    """Write r of 16 points of one soil into ``out``, bit-identical to the values of :func:`hapke_row`.

    Args:
        angles: Cosine of incidence, cosine of emission and haversine of the phase angle, shape (>= 3, 16).
        table: Table of constants.
        row: Row of the parameter set.
        at: First column of the constants.
        out: Result, shape (16,).
    """
    constants = _constants(table, row, at)
    for lane in range(16):
        out[lane] = _hapke(angles[0, lane], angles[1, lane], angles[2, lane], constants)
    if table[row, at + _BC0] > _ZERO:
        for lane in range(16):
            out[lane] *= _coherent(angles[2, lane], table[row, at + _BC0], table[row, at + _INVERSE_HC])


@kernel(views_only=True, forceinline=True)
def haversine(lx: Single, ly: Single, lz: Single, vx: Single, vy: Single, vz: Single) -> Single:
    """Return sin^2 of half the angle between two unit vectors."""
    x, y, z = lx - vx, ly - vy, lz - vz
    return min(np.float32(0.25) * (x * x + y * y + z * z), _ONE)


@kernel(views_only=True, forceinline=True)
def _constants(table: Singles, row: int, at: int) -> tuple[Single, ...]:
    return (
        table[row, at],
        table[row, at + 1],
        table[row, at + 2],
        table[row, at + 3],
        table[row, at + 4],
        table[row, at + 5],
        table[row, at + 6],
        table[row, at + 7],
        table[row, at + 8],
        table[row, at + 9],
        table[row, at + 10],
        table[row, at + 11],
        table[row, at + 12],
        table[row, at + 13],
    )


@kernel(views_only=True, forceinline=True)
def _coherent(haversine: Single, amplitude: Single, inverse_width: Single) -> Single:
    """Return the factor of coherent backscatter."""
    hav = min(haversine, _NEAR_ONE)
    y = max(math.sqrt(hav / (_ONE - hav)) * inverse_width, _TINY)
    return _ONE + amplitude * (_ONE + (_ONE - exp(-y)) / y) * _HALF / ((_ONE + y) * (_ONE + y))


@kernel(views_only=True, forceinline=True)
def _arccosine_over_root(x: Single) -> Single:
    """Return acos(x) / sqrt(1 - x) for 0 <= x <= 1."""
    a = _ASIN
    poly = a[4] + x * (a[5] + x * (a[6] + x * a[7]))
    return a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * poly)))


@kernel(views_only=True, forceinline=True)
def arcsine(x: Single) -> Single:
    """Return asin x for -1 <= x <= 1; the error is below 1e-6."""
    found = _HALF_PI - math.sqrt(max(_ONE - abs(x), _ZERO)) * _arccosine_over_root(abs(x))
    return -found if x < _ZERO else found


@kernel(views_only=True, forceinline=True)
def _hapke(mu0: Single, mu: Single, haversine: Single, constants: tuple[Single, ...]) -> Single:
    """Return r without coherent backscatter.

    Hapke's two cases (i <= e and i > e) become one in terms of the smaller and the larger of the two angles.
    """
    scale, one_b2, two_b, back_part, forth_part, bs0, inv_hs, inv_k, w, r0, tan, e1_rate, e2_rate, chi = constants
    low, high = min(max(max(mu0, mu), _TINY), _ONE), min(max(min(mu0, mu), _TINY), _ONE)
    sin_low = math.sqrt(max(_ONE - low * low, _TINY * _TINY))
    sin_high = math.sqrt(max(_ONE - high * high, _TINY * _TINY))
    # sin^2(psi / 2) from the haversines of g and of i - e.
    apart = np.float32(0.25) * ((low - high) * (low - high) + (sin_low - sin_high) * (sin_low - sin_high))
    s2 = min(max((haversine - apart) / (sin_low * sin_high), _ZERO), _NEAR_ONE)
    root = math.sqrt(s2)
    psi_over_pi = _ONE - _TWO * _INV_PI * math.sqrt(_ONE - root) * _arccosine_over_root(root)
    cot_low, cot_high = low / sin_low, high / sin_high
    e1_low, e1_high = exp(-e1_rate * cot_low), exp(-e1_rate * cot_high)
    e2_low, e2_high = exp(-e2_rate * cot_low * cot_low), exp(-e2_rate * cot_high * cot_high)
    eta_low = chi * (low + sin_low * tan * e2_low / (_TWO - e1_low))
    eta_high = chi * (high + sin_high * tan * e2_high / (_TWO - e1_high))
    d = tan / max(_TWO - e1_high - psi_over_pi * e1_low, _TINY)
    low_e = max(chi * (low + sin_low * d * ((_ONE - _TWO * s2) * e2_high + s2 * e2_low)), _TINY)
    high_e = max(chi * (high + sin_high * d * (e2_high - s2 * e2_low)), _TINY)
    f = exp(-_TWO * root / math.sqrt(_ONE - s2))
    shadowing = chi / (eta_low * eta_high * (_ONE - f + f * chi * low / eta_low))
    hav = min(haversine, _NEAR_ONE)
    cos_g = _ONE - _TWO * hav
    tan_half = math.sqrt(hav / (_ONE - hav))
    back, forth = one_b2 - two_b * cos_g, one_b2 + two_b * cos_g
    p = back_part / (back * math.sqrt(back)) + forth_part / (forth * math.sqrt(forth))
    p *= _ONE + bs0 / (_ONE + tan_half * inv_hs)
    x, y = low_e * inv_k, high_e * inv_k
    hx = _ONE - w * x * (r0 + (_HALF - r0 * x) * log((_ONE + x) / x))
    hy = _ONE - w * y * (r0 + (_HALF - r0 * y) * log((_ONE + y) / y))
    # The shadowing function contains both effective cosines, so r / mu0 is symmetric in i and e.
    r = scale * low_e * high_e / (low_e + high_e) * (p + _ONE / (hx * hy) - _ONE) * shadowing * mu0
    return r if mu0 > _ZERO and mu > _ZERO else _ZERO
