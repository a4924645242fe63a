# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Number and age of lunar craters: production, chronology and equilibrium.

*Production*: the cumulative number of craters formed since t [Gyr ago] is N(> D, t) = F(D) C(t). F is the production
function of Neukum, Ivanov & Hartmann (2001, table 1, "new", 10 m to 300 km) scaled to 1 at 1 km. C is the number of
craters wider than 1 km of Neukum (1983). Below 10 m F is extrapolated with its slope there (about -3); additional
secondaries are not modeled.

*Equilibrium*: small craters erode as fast as they form. Their number stays at N_eq(> D) = density D^-exponent (Trask
1966: 0.079 D^-2 per m^2; Hartmann 1984: exponent 1.83; Xiao & Werner 2015 find the same range). Visible craters are
then those younger than the time T(D) in which production alone forms N_eq(D): C(T) = min(N_eq(D) / F(D), C(age of the
surface)).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.numerics import portable_math

Floats = NDArray[np.float64]

_PRODUCTION = (
    -3.0876,
    -3.557528,
    0.781027,
    1.021521,
    -0.156012,
    -0.444058,
    0.019977,
    0.086850,
    -0.005874,
    -0.006809,
    8.25e-4,
    5.54e-5,
)
"""Coefficients a_0 to a_11 of log10 N over log10 D [km]: Neukum et al. 2001, table 1, column "new"."""
_LEAST_KM = 0.01
PRESENT_RATE = 8.38e-4
"""Number of craters wider than 1 km formed per km^2 and Gyr in the last 3 Gyr."""
_AGES_GYR = np.linspace(0.0, 4.4, 441)


def chronology(age_gyr: ArrayLike) -> Floats:
    """Return C, the number of craters wider than 1 km [1/km^2] formed since an age [Gyr].

    Source: neukum1983, eq. 19; neukum2001.
    Checked by: test_lunar_statistics.py::test_production_and_chronology_match_neukum.
    """
    t = np.asarray(age_gyr, dtype=np.float64)
    return np.asarray(5.44e-14 * (portable_math.each(math.exp, 6.93 * t) - 1.0) + PRESENT_RATE * t)


def age_of(count: ArrayLike) -> Floats:
    """Return the age [Gyr] whose :func:`chronology` is ``count`` [1/km^2]; 4.4 Gyr at most.

    Source: neukum1983, eq. 19, inverted by linear interpolation between ages 10 Myr apart.
    Checked by: test_lunar_statistics.py::test_production_and_chronology_match_neukum.
    """
    return np.asarray(np.interp(np.asarray(count, dtype=np.float64), chronology(_AGES_GYR), _AGES_GYR))


def chronology_table() -> Floats:
    """Return C [1/km^2] over age [Gyr] as an interpolation table: rows C and age, shape (2, n).

    Source: neukum1983, eq. 19.
    Checked by: test_lunar_statistics.py::test_production_and_chronology_match_neukum.
    """
    return np.stack([chronology(_AGES_GYR), _AGES_GYR])


def production(diameter_m: ArrayLike) -> Floats:
    """Return F: the number of craters wider than a diameter [m] for each one wider than 1 km.

    Below 10 m it is extrapolated with its slope there.

    Source: neukum2001, table 1.
    Checked by: test_lunar_statistics.py::test_production_and_chronology_match_neukum.
    """
    d = np.asarray(diameter_m, dtype=np.float64) / 1000.0
    slope = sum(j * a * math.log10(_LEAST_KM) ** (j - 1) for j, a in enumerate(_PRODUCTION) if j)
    log_d = portable_math.each(math.log10, np.maximum(d, _LEAST_KM))
    log_n = sum(a * portable_math.each(math.pow, log_d, j) for j, a in enumerate(_PRODUCTION) if j)
    log_n = log_n + slope * np.minimum(portable_math.each(math.log10, d / _LEAST_KM), 0.0)
    return portable_math.each(math.pow, 10.0, log_n)


def equilibrium(diameter_m: ArrayLike, density: float, exponent: float) -> Floats:
    """Return N_eq(> D) [1/m^2] = density D^-exponent, with D in meters.

    Source: trask1966.
    Checked by: test_lunar_statistics.py::test_small_craters_are_in_equilibrium_and_large_ones_in_production.
    """
    return np.asarray(density * portable_math.each(math.pow, diameter_m, -exponent))


def visible_count(diameter_m: ArrayLike, density: float, exponent: float, age_gyr: float) -> Floats:
    """Return C(T(D)) [1/km^2]: the production, on the scale of 1 km, since the oldest visible crater.

    It is the smaller of the equilibrium, N_eq(D) / F(D), and of the total production, C(age of the surface).

    Source: trask1966; neukum2001.
    Checked by: test_lunar_statistics.py::test_small_craters_are_in_equilibrium_and_large_ones_in_production.
    """
    made = equilibrium(diameter_m, density, exponent) * 1e6 / production(diameter_m)
    return np.minimum(made, chronology(age_gyr))


def crater_density(diameter_m: ArrayLike, density: float, exponent: float, age_gyr: float) -> Floats:
    """Return the cumulative number of visible craters N(> D) [1/m^2].

    Small craters are in equilibrium, large ones in production.

    Source: trask1966; neukum2001.
    Checked by: test_lunar_statistics.py::test_small_craters_are_in_equilibrium_and_large_ones_in_production,
    test_lunar_statistics.py::test_crater_counts_pass_chi_square.
    """
    return production(diameter_m) * visible_count(diameter_m, density, exponent, age_gyr) * 1e-6
