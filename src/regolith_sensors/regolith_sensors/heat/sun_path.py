# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The sun over a site during a lunar day before a run, and during the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.lighting import FixedSunConfig, LightConfig
from regolith_sensors.heat.soil_column import LUNATION_S, SOLAR_CONSTANT
from regolith_sensors.light import FarShadow, Sun

Floats = NDArray[np.float64]

STEP_S = 1800.0
"""Time between two entries of a path [s]."""
DAY_STEPS = round(LUNATION_S / STEP_S)
"""Number of entries of a lunar day."""


@dataclass(frozen=True)
class SunPath:
    """The sun at equal time steps: a lunar day up to the start of a run, then the run."""

    direction: Floats
    """Unit vectors toward the sun in the axes of the world, shape (n, 3)."""
    irradiance: Floats
    """Total irradiance normal to the rays, reduced by far terrain [W/m^2], shape (n,)."""
    steps: int = 1
    """Number of the last entries that belong to the run, the first at its start."""

    def before(self, n: int, steps: int) -> Floats:
        """Return the direction some steps before entry n of the run, shape (3,)."""
        found: Floats = self.direction[max(len(self.direction) - self.steps + n - steps, 0)]
        return found


def daily_circle(latitude: float, azimuth: float, elevation: float) -> SunPath:
    """Return the lunar day at whose end a sun stands at an azimuth and elevation, at constant declination.

    It stands for the history of a sun that a scenario fixes.

    Args:
        latitude: Latitude of the site [rad].
        azimuth: Azimuth of the sun, clockwise from north [rad].
        elevation: Elevation of the sun [rad].
    """
    east = math.cos(elevation) * math.sin(azimuth)
    north, up = math.cos(elevation) * math.cos(azimuth), math.sin(elevation)
    polar = north * math.cos(latitude) + up * math.sin(latitude)  # along the Moon's axis
    outward = up * math.cos(latitude) - north * math.sin(latitude)
    radius, now = math.hypot(east, outward), math.atan2(-east, outward)
    hour = now + 2.0 * math.pi * (np.arange(DAY_STEPS) + 1 - DAY_STEPS) / DAY_STEPS
    x, equatorial = -radius * np.sin(hour), radius * np.cos(hour)
    y = polar * math.cos(latitude) - equatorial * math.sin(latitude)
    z = polar * math.sin(latitude) + equatorial * math.cos(latitude)
    return SunPath(np.stack([x, y, z], axis=1), np.full(DAY_STEPS, SOLAR_CONSTANT))


def scenario_sun_path(
    light: LightConfig, sun_at: Callable[[int], Sun | None], latitude_deg: float, duration_s: float
) -> SunPath:
    """Return the sun over the site of a scenario.

    A sun that the scenario fixes has the history of :func:`daily_circle`; at night it is midnight.

    Args:
        light: Section ``light``, resolved.
        sun_at: Function that returns the sun at a simulated time [ns], with the shadow of far terrain.
        latitude_deg: Latitude of the site, for a fixed sun [deg].
        duration_s: Duration of the run [s].
    """
    latitude = math.radians(latitude_deg)
    if light.sun is None:
        return daily_circle(latitude, 0.0 if latitude >= 0.0 else math.pi, abs(latitude) - 0.5 * math.pi)
    if isinstance(light.sun, FixedSunConfig):
        return daily_circle(latitude, math.radians(light.sun.azimuth_deg), math.radians(light.sun.elevation_deg))
    steps = 1 + math.ceil(duration_s / STEP_S)
    times = np.arange(DAY_STEPS + steps - 1) - (DAY_STEPS - 1)
    suns = [sun_at(int(n * STEP_S * 1e9)) for n in times]
    shown = [sun for sun in suns if sun is not None]
    visible = np.array([1.0 if sun.far is None else far_part(sun.far, 0.0, 0.0) for sun in shown])
    distance = np.array([sun.distance_au for sun in shown])
    return SunPath(np.array([sun.direction for sun in shown]), SOLAR_CONSTANT / distance**2 * visible, steps)


def far_part(far: FarShadow, x: float, y: float) -> float:
    """Return the visible part of the sun's disc above far terrain at a position [m]: that of the nearest post."""
    i, j = (round((value - first) / far.spacing) for value, first in ((x, far.x0), (y, far.y0)))
    n, m = far.part.shape
    return float(far.part[min(max(i, 0), n - 1), min(max(j, 0), m - 1)])
