# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radiance of black bodies in the band of thermal cameras, 8 to 14 micrometers, and its inverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.light import LIGHT_SPEED, PLANCK

Floats = NDArray[np.float64]

BAND_M = (8e-6, 14e-6)
"""Limits of the band [m]."""
BOLTZMANN = 1.380649e-23
"""Boltzmann constant [J/K]."""
SUN_IN_BAND = 1.51
"""Irradiance of the sun in the band at 1 au [W/m^2]."""
COLDEST_K, HOTTEST_K = 20.0, 655.35
"""Range of temperatures in which the radiance is inverted [K]; the highest is that of 16 bits in steps of 10 mK."""


def _integral(temperature: Floats) -> Floats:
    """Return the radiance by Gauss-Legendre integration over the wavelength."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    low, high = BAND_M
    wavelength = 0.5 * (high + low) + 0.5 * (high - low) * nodes
    exponent = PLANCK * LIGHT_SPEED / (wavelength * BOLTZMANN * np.asarray(temperature)[..., None])
    spectral = 2.0 * PLANCK * LIGHT_SPEED**2 / wavelength**5 / np.expm1(np.minimum(exponent, 700.0))
    found: Floats = 0.5 * (high - low) * (spectral @ weights)
    return found


_KNOWN_K = np.linspace(COLDEST_K, HOTTEST_K, 6354)
_LOG_RADIANCE = np.log(_integral(_KNOWN_K))
_INVERSE = 1.0 / _KNOWN_K


def band_radiance(temperature: Floats | float) -> Floats:
    """Return the radiance of black bodies in the band [W/m^2/sr].

    log L is interpolated linearly over 1/T, within 1e-5.

    Args:
        temperature: Temperatures [K], clipped to COLDEST_K and HOTTEST_K.

    Source: rybicki1979, section 1.5 (Planck's law).
    Checked by: test_thermal_camera.py::test_band_radiance_of_the_reference_table.
    """
    inverse = 1.0 / np.clip(temperature, COLDEST_K, HOTTEST_K)
    return np.exp(np.interp(-inverse, -_INVERSE, _LOG_RADIANCE))


def apparent_temperature(radiance: Floats | float) -> Floats:
    """Return the temperature of the black body with a radiance in the band [K], the inverse of :func:`band_radiance`.

    Args:
        radiance: Radiances [W/m^2/sr], clipped to those of COLDEST_K and HOTTEST_K.
    """
    floor = np.exp(_LOG_RADIANCE[0])
    inverse = np.interp(np.log(np.maximum(radiance, floor)), _LOG_RADIANCE, _INVERSE)
    return np.asarray(1.0 / inverse)
