# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Profile of a simple crater, fresh and softened with age.

*Fresh*: a parabolic bowl with a raised rim (Pike 1977: rim height 0.036 D, depth 0.196 D, here 0.2 of the depth) and
ejecta that fall as r^-3 (McGetchin et al. 1973). Small craters are shallower (:func:`fresh_depth_ratio`).

*Worn*: micrometeorites move soil downhill like heat, dh/dt = kappa laplace h (Soderblom 1970; Fassett & Thomson 2014).
In units of the crater's radius only K = kappa t / R^2 matters, so one table of profiles over K applies to all craters.
The diffusivity follows from the time in which craters stay visible, see :mod:`regolith_terrain.lunar.field`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.numerics import portable_math

Floats = NDArray[np.float64]

REACH = 4.0
"""Radius at which craters end, in crater radii."""
STEPS = 64
"""Number of samples of the table per radius."""
AGE_ROWS = np.concatenate([[0.0], 1e-3 * portable_math.each(math.pow, 4e3, np.arange(59) / 58.0)])
"""Values of K of the table's rows, [0] and 59 in geometric sequence."""

_RIM = 0.2
# A rim as sharp as that of the formula does not survive the impact itself, so all craters start slightly worn.
_FIRST = 4e-3


def fresh_depth_ratio(diameter_m: ArrayLike) -> Floats:
    """Return depth over diameter of fresh craters: 0.2 from 400 m up, less for small ones.

    Stopar et al. (2017, LROC stereo) find the freshest at 0.17-0.2 above 100-400 m and 0.11-0.15 at 40-100 m. Daubar et
    al. (2014) find about 0.1-0.15 for new ones of a few meters. Values are interpolated linearly in log D.

    Source: stopar2017; daubar2014; pike1977.
    Checked by: test_lunar_statistics.py::test_crater_profiles_start_fresh_and_degrade.
    """
    known = portable_math.each(math.log10, [1.0, 40.0, 100.0, 400.0])
    return np.asarray(np.interp(portable_math.each(math.log10, diameter_m), known, [0.11, 0.13, 0.16, 0.2]))


def fresh_profile(x: ArrayLike) -> Floats:
    """Return the height at x = r / R in units of the depth from rim to floor, shaped as ``x``.

    It is a parabola up to the rim at 0.2, and beyond it ejecta that fall as x^-3.

    Source: pike1977; mcgetchin1973.
    Checked by: test_lunar_statistics.py::test_fresh_crater_profile_matches_pike_and_mcgetchin.
    """
    x = np.asarray(x, dtype=np.float64)
    return np.asarray(
        np.where(x < 1.0, x * x - 1.0 + _RIM, _RIM / portable_math.each(math.pow, np.maximum(x, 1.0), 3.0))
    )


def diffused(profile: Floats, step: float, ages: ArrayLike) -> Floats:
    """Return an axisymmetric profile after diffusion, exact in time, shape (len(ages), n).

    Finite volumes in r without flux through the outer edge conserve the volume sum(h (r_out^2 - r_in^2)).

    Args:
        profile: Heights at r = (i + 1/2) step, shape (n,).
        step: Cell size in units of R.
        ages: Diffusion ages K = kappa t / R^2.

    Source: soderblom1970; fassett2014.
    Checked by: test_lunar_statistics.py::test_diffusion_conserves_volume_and_spreads_gaussians_exactly,
    test_convergence_order.py::test_diffusion_converges_with_second_order.
    """
    from scipy.linalg import eigh_tridiagonal  # slow to import, and many sites have no craters

    n = len(profile)
    edge = np.arange(n + 1) * step
    area = 0.5 * np.diff(edge**2)
    flux = edge[1:-1] / step
    loss = np.zeros(n)
    loss[:-1] += flux
    loss[1:] += flux
    # Symmetric with weights sqrt(area), so eigenvalues are real and the basis is orthogonal.
    root = np.sqrt(area)
    rate, basis = eigh_tridiagonal(-loss / area, flux / (root[:-1] * root[1:]))
    amount = basis.T @ (root * profile)
    decay = np.exp(np.minimum(rate, 0.0)[None, :] * np.asarray(ages, dtype=np.float64)[:, None])
    return np.asarray((decay * amount) @ basis.T / root)


@lru_cache(maxsize=1)
def profile_table() -> Floats:
    """Return profiles at x = j / STEPS for the rows of :data:`AGE_ROWS`, shape (60, REACH STEPS + 1).

    Beyond three radii they decrease to zero. They are rounded to 2^-32, so that terrain does not depend on the last
    bits of a machine's linear algebra.

    Source: pike1977; soderblom1970.
    Checked by: test_lunar_statistics.py::test_crater_profiles_start_fresh_and_degrade.
    """
    step = 1.0 / STEPS
    r = (np.arange(12 * STEPS) + 0.5) * step
    worn = diffused(fresh_profile(r), step, AGE_ROWS + _FIRST)
    x = np.arange(int(REACH) * STEPS + 1) * step
    table = np.stack([np.interp(x, np.concatenate([[-r[0]], r]), np.concatenate([row[:1], row])) for row in worn])
    t = np.clip(x - (REACH - 1.0), 0.0, 1.0)
    table *= 1.0 - t * t * (3.0 - 2.0 * t)
    return np.ascontiguousarray(np.round(table * 2.0**32) / 2.0**32)


def relative_depth(age: ArrayLike) -> Floats:
    """Return depth from rim to floor relative to the fresh crater, for K = ``age``.

    Source: fassett2014.
    Checked by: test_lunar_statistics.py::test_crater_profiles_start_fresh_and_degrade.
    """
    table = profile_table()
    depth = table.max(axis=1) - table[:, 0]
    return np.asarray(np.interp(np.asarray(age, dtype=np.float64), AGE_ROWS, depth / depth[0]))


def age_at_depth(ratio: float) -> float:
    """Return the K at which a crater has a fraction ``ratio`` of its fresh depth.

    Source: fassett2014.
    Checked by: test_lunar_statistics.py::test_crater_profiles_start_fresh_and_degrade.
    """
    table = profile_table()
    depth = table.max(axis=1) - table[:, 0]
    return float(np.interp(-ratio, -depth / depth[0], AGE_ROWS))
