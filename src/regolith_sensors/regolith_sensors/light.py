# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light sources: the sun as a disc, spotlights, and the sun's position in the lunar sky."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Color = tuple[float, float, float]

SUN_BANDS = (154.0, 174.0, 171.0)
"""Irradiance at 1 au of bands 100 nm wide around red, green and blue (650, 550, 450 nm) [W/m^2]."""
SUN_RADIUS = 4.6505e-3
"""Angular radius of the sun at 1 au [rad]."""
LIMB_DARKENING = 0.6
"""Coefficient u of the limb darkening law L(mu) / L(1) = 1 - u (1 - mu)."""
BAND_WAVELENGTHS = (650e-9, 550e-9, 450e-9)
"""Center wavelengths of the bands [m]."""


LAMP_PLACE, LAMP_AXIS, LAMP_INNER, LAMP_OUTER, LAMP_INTENSITY = 0, 3, 6, 7, 8
"""Columns of the kernels' table of spotlights: position (3), unit axis (3), cosines of the inner and the outer half
angle, intensity of the bands (3)."""
LAMP_COLUMNS = 11
LAMP_HOUSING_M = 0.01
"""Depth of a lamp's own housing, which does not block its light [m]."""


@dataclass(frozen=True)
class Sun:
    """The sun as a light source in a direction of the scene (x east, y north, z up).

    The bands are those of a black body of 5772 K. The limb darkens by 1 - u (1 - mu) with u = 3/5, as for a gray
    atmosphere in Eddington's approximation.
    Source: prsa2016; milne1921.
    Checked by: test_light_off_axis.py::test_sun_is_a_black_body_at_one_au,
    test_light_off_axis.py::test_penumbra_of_a_sun_with_limb_darkening.
    """

    azimuth: float
    """Azimuth of the sun, clockwise from north [rad]."""
    elevation: float
    """Elevation of the sun's center above the level plane [rad]; negative below it."""
    distance_au: float = 1.0
    limb_darkening: bool = False
    """Whether the disc is darker toward its limb."""

    @property
    def direction(self) -> Floats:
        """Return the unit vector toward the center of the sun, shape (3,)."""
        flat = math.cos(self.elevation)
        return np.array([flat * math.sin(self.azimuth), flat * math.cos(self.azimuth), math.sin(self.elevation)])

    @property
    def irradiance(self) -> Floats:
        """Return the irradiance of the three bands on a plane normal to the sun's rays [W/m^2], shape (3,)."""
        return np.array(SUN_BANDS) / self.distance_au**2

    @property
    def angular_radius(self) -> float:
        """Return the angular radius of the sun's disc [rad]."""
        return SUN_RADIUS / self.distance_au


@dataclass(frozen=True)
class Spotlight:
    """Small spotlight: full intensity within the inner cone, zero outside the outer cone.

    Between the cones the intensity follows a squared smooth step, which is Regolith's own choice. Irradiance falls as
    1 / distance^2.
    """

    position: Floats
    """Position in the world frame [m], shape (3,)."""
    direction: Floats
    """Direction of the axis, shape (3,)."""
    intensity: Color
    """Intensity on the axis per band [W/sr]."""
    inner: float
    """Half angle of the inner cone [rad]."""
    outer: float
    """Half angle of the outer cone [rad], larger than the inner one."""

    def row(self, origin: Floats) -> Singles:
        """Return the spotlight's row of the kernels' table, columns LAMP_*, shape (11,), relative to ``origin``."""
        axis = np.asarray(self.direction) / np.linalg.norm(self.direction)
        cones = [math.cos(self.inner), math.cos(self.outer)]
        return np.concatenate([self.position - origin, axis, cones, self.intensity]).astype(np.float32)


def sun_over(latitude: float, longitude: float, when: datetime) -> Sun:
    """Return the sun as seen from a location on the Moon.

    The level plane is that of a sphere. The result is accurate to 0.1 degrees. The optical libration is computed from
    the mean orbit. The physical libration (up to 0.04 degrees) and the small terms of the Moon's longitude are
    neglected.

    Args:
        latitude: Selenographic latitude, north positive [rad].
        longitude: Selenographic longitude, east positive [rad].
        when: UTC time; a time without a zone counts as UTC.

    Source: meeus1998, chapter 53.
    Checked by: test_scene.py::test_sun_over_the_moon.
    """
    sub_latitude, sub_longitude, distance = subsolar_point(when)
    turn = sub_longitude - longitude
    sin_elevation = math.sin(latitude) * math.sin(sub_latitude)
    sin_elevation += math.cos(latitude) * math.cos(sub_latitude) * math.cos(turn)
    east = math.cos(sub_latitude) * math.sin(turn)
    north = math.cos(latitude) * math.sin(sub_latitude) - math.sin(latitude) * math.cos(sub_latitude) * math.cos(turn)
    azimuth = math.atan2(east, north) % (2.0 * math.pi)
    return Sun(azimuth, math.asin(max(-1.0, min(1.0, sin_elevation))), distance)


def subsolar_point(when: datetime) -> tuple[float, float, float]:
    """Return the subsolar point on the Moon: (latitude [rad], longitude [rad], distance to the sun [au]).

    Only the largest terms of each series are used.

    Source: meeus1998, chapters 25, 47 and 53.
    Checked by: test_scene.py::test_sun_over_the_moon.
    """
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    # Terrestrial time is 69 s ahead of UTC; in that time the subsolar point moves by 0.01 degrees.
    days = (when - datetime(2000, 1, 1, 12, tzinfo=UTC)).total_seconds() / 86400.0 + 69.2 / 86400.0
    t = days / 36525.0
    radian = math.radians
    sun_mean = radian(280.46646 + 36000.76983 * t)
    anomaly = radian(357.52911 + 35999.05029 * t)
    center = radian((1.914602 - 0.004817 * t) * math.sin(anomaly))
    center += radian(0.019993 * math.sin(2.0 * anomaly) + 0.000289 * math.sin(3.0 * anomaly))
    sun = sun_mean + center
    earth_au = 1.000001018 * (1.0 - 0.016708634**2) / (1.0 + 0.016708634 * math.cos(anomaly + center))
    mean = radian(218.3164477 + 481267.88123421 * t)
    elongation = radian(297.8501921 + 445267.1114034 * t)
    moon_anomaly = radian(134.9633964 + 477198.8675055 * t)
    argument = radian(93.2720950 + 483202.0175233 * t)
    node = radian(125.0445479 - 1934.1362891 * t)
    d, m1, f = elongation, moon_anomaly, argument
    longitude = mean + radian(
        6.288774 * math.sin(m1)
        + 1.274027 * math.sin(2.0 * d - m1)
        + 0.658314 * math.sin(2.0 * d)
        + 0.213618 * math.sin(2.0 * m1)
        - 0.185116 * math.sin(anomaly)
        - 0.114332 * math.sin(2.0 * f)
    )
    latitude = radian(
        5.128122 * math.sin(f)
        + 0.280602 * math.sin(m1 + f)
        + 0.277693 * math.sin(m1 - f)
        + 0.173237 * math.sin(2.0 * d - f)
    )
    moon_km = 385000.56 - 20905.355 * math.cos(m1) - 3699.111 * math.cos(2.0 * d - m1) - 2955.968 * math.cos(2.0 * d)
    ratio = moon_km / (earth_au * 149597870.7)
    # Ecliptic direction from the Moon to the sun, as if it were the Moon seen from the Earth (Meeus, p. 376).
    heliocentric = sun + math.pi + ratio * math.cos(latitude) * math.sin(sun - longitude)
    beta = ratio * latitude
    tilt = radian(1.54242)
    w = heliocentric - node
    along = math.atan2(
        math.sin(w) * math.cos(beta) * math.cos(tilt) - math.sin(beta) * math.sin(tilt), math.cos(w) * math.cos(beta)
    )
    sub_longitude = math.remainder(along - argument, 2.0 * math.pi)
    sine = -math.sin(w) * math.cos(beta) * math.sin(tilt) - math.sin(beta) * math.cos(tilt)
    distance = earth_au * (1.0 + ratio * math.cos(latitude) * math.cos(sun - longitude - math.pi))
    return math.asin(sine), sub_longitude, distance
