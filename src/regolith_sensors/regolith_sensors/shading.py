# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The same reflectances as :mod:`regolith_sensors.brdf`, in single precision and from vectors, for the renderer.

Everything here returns r = BRDF cos i [1/sr], so that radiance is r times the irradiance normal to the rays; the BRDF
itself grows without bound towards grazing light, r does not.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.brdf import HapkeParameters

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

HAPKE_SIZE = 16
_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_TINY, _NEAR_ONE = np.float32(1e-7), np.float32(1.0 - 1e-7)
_INV_PI = np.float32(1.0 / math.pi)
# Abramowitz & Stegun 4.4.46: asin x = pi/2 - sqrt(1 - x) sum a_k x^k, |error| <= 2e-8.
_ASIN = tuple(
    np.float32(a)
    for a in (
        1.5707963050, -0.2145988016, 0.0889789874, -0.0501743046, 0.0308918810, -0.0170881256, 0.0066700901,
        -0.0012624911,
    )
)  # fmt: skip


def hapke_constants(parameters: HapkeParameters) -> Singles:
    """Return what the kernel needs of a parameter set, shape (16,)."""
    p = parameters
    k = p.porosity_factor
    tan = math.tan(p.theta)
    # Without roughness the exponentials vanish for every slope, which a large cotangent does.
    cot = 1.0 / tan if tan > 1e-9 else 1e9
    gamma = math.sqrt(1.0 - p.w)
    top = 0.5 * (1.0 - p.b * p.b)
    return np.array(
        [
            k * p.w / (4.0 * math.pi), 1.0 + p.b * p.b, 2.0 * p.b, top * (1.0 + p.c), top * (1.0 - p.c),
            p.Bs0, 1.0 / p.hs, 1.0 / k, p.w, (1.0 - gamma) / (1.0 + gamma),
            tan, 2.0 / math.pi * cot, cot * cot / math.pi, 1.0 / math.sqrt(1.0 + math.pi * tan * tan),
            p.Bc0, 1.0 / p.hc,
        ],
        dtype=np.float32,
    )  # fmt: skip


def hapke_fast_many(
    incidence: ArrayLike, emission: ArrayLike, azimuth: ArrayLike, parameters: HapkeParameters
) -> Floats:
    """Return what :func:`regolith_sensors.brdf.hapke_reflectance` does, by way of the renderer's kernel.

    Within 1e-3 of it, relative, for cosines of 0.01 and more; the arguments broadcast.
    """
    i, e, psi = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (incidence, emission, azimuth)))
    haversine = np.sin((i - e) / 2.0) ** 2 + np.sin(i) * np.sin(e) * np.sin(psi / 2.0) ** 2
    out = np.empty(i.size, dtype=np.float32)
    singles = (np.ascontiguousarray(a, dtype=np.float32).ravel() for a in (np.cos(i), np.cos(e), haversine))
    _hapke_many(*singles, hapke_constants(parameters)[None, :], out)
    return out.astype(np.float64).reshape(i.shape)


@njit(cache=True, nogil=True, error_model='numpy')
def _hapke_many(mu0, mu, haversine, constants, out):  # type: ignore[no-untyped-def]
    for n in range(out.shape[0]):
        out[n] = hapke_row(mu0[n], mu[n], haversine[n], constants, 0, 0)


@njit(cache=True, nogil=True, error_model='numpy')
def hapke_row(mu0, mu, haversine, table, row, at):  # type: ignore[no-untyped-def]
    """Return r [1/sr] of Hapke's function; 0 where mu0 or mu is not positive.

    :param mu0: cosine of incidence
    :param mu: cosine of emission
    :param haversine: sin^2(g / 2) of the phase angle, which is |l - v|^2 / 4 and keeps its digits near opposition
    :param table: holds :func:`hapke_constants` in ``row`` from column ``at``
    """
    if not (mu0 > _ZERO and mu > _ZERO):
        return _ZERO
    sin_i = math.sqrt(max(_ONE - mu0 * mu0, _TINY * _TINY))
    sin_e = math.sqrt(max(_ONE - mu * mu, _TINY * _TINY))
    # sin^2(psi / 2) from the haversines of g and of i - e.
    apart = np.float32(0.25) * ((mu0 - mu) * (mu0 - mu) + (sin_i - sin_e) * (sin_i - sin_e))
    s2 = min(max((haversine - apart) / (sin_i * sin_e), _ZERO), _NEAR_ONE)
    root = math.sqrt(s2)
    a = _ASIN
    poly = a[4] + root * (a[5] + root * (a[6] + root * a[7]))
    poly = a[0] + root * (a[1] + root * (a[2] + root * (a[3] + root * poly)))
    psi_over_pi = _ONE - _TWO * _INV_PI * math.sqrt(_ONE - root) * poly
    cot_i, cot_e = mu0 / sin_i, mu / sin_e
    e1_i, e1_e = math.exp(-table[row, at + 11] * cot_i), math.exp(-table[row, at + 11] * cot_e)
    e2_i, e2_e = math.exp(-table[row, at + 12] * cot_i * cot_i), math.exp(-table[row, at + 12] * cot_e * cot_e)
    tan, chi = table[row, at + 10], table[row, at + 13]
    eta_i = chi * (mu0 + sin_i * tan * e2_i / (_TWO - e1_i))
    eta_e = chi * (mu + sin_e * tan * e2_e / (_TWO - e1_e))
    cos_psi = _ONE - _TWO * s2
    if mu0 >= mu:
        d = tan / max(_TWO - e1_e - psi_over_pi * e1_i, _TINY)
        mu0e = chi * (mu0 + sin_i * d * (cos_psi * e2_e + s2 * e2_i))
        mue = chi * (mu + sin_e * d * (e2_e - s2 * e2_i))
        ratio = chi * mu0 / eta_i
    else:
        d = tan / max(_TWO - e1_i - psi_over_pi * e1_e, _TINY)
        mu0e = chi * (mu0 + sin_i * d * (e2_i - s2 * e2_e))
        mue = chi * (mu + sin_e * d * (cos_psi * e2_i + s2 * e2_e))
        ratio = chi * mu / eta_e
    mu0e, mue = max(mu0e, _TINY), max(mue, _TINY)
    f = math.exp(-_TWO * root / math.sqrt(_ONE - s2))
    shadowing = mue * mu0 * chi / (eta_e * eta_i * (_ONE - f + f * ratio))
    hav = min(haversine, _NEAR_ONE)
    cos_g = _ONE - _TWO * hav
    tan_half = math.sqrt(hav / (_ONE - hav))
    back, forth = table[row, at + 1] - table[row, at + 2] * cos_g, table[row, at + 1] + table[row, at + 2] * cos_g
    p = table[row, at + 3] / (back * math.sqrt(back)) + table[row, at + 4] / (forth * math.sqrt(forth))
    p *= _ONE + table[row, at + 5] / (_ONE + tan_half * table[row, at + 6])
    x, y = mu0e * table[row, at + 7], mue * table[row, at + 7]
    w, r0 = table[row, at + 8], table[row, at + 9]
    hx = _ONE - w * x * (r0 + (_HALF - r0 * x) * math.log((_ONE + x) / x))
    hy = _ONE - w * y * (r0 + (_HALF - r0 * y) * math.log((_ONE + y) / y))
    r = table[row, at + 0] * mu0e / (mu0e + mue) * (p + _ONE / (hx * hy) - _ONE) * shadowing
    if table[row, at + 14] > _ZERO:
        z = max(tan_half * table[row, at + 15], _TINY)
        r *= _ONE + table[row, at + 14] * (_ONE + (_ONE - math.exp(-z)) / z) * _HALF / ((_ONE + z) * (_ONE + z))
    return r
