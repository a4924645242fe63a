# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sun and Earth in the lunar sky: subsolar and sub-Earth points from series of Meeus, and directions at a place.

The optical libration is computed from the orbit. The physical libration, up to 0.04 degrees, is neglected. For the
Earth, the longitude of the Moon has all terms of Meeus above 0.004 degrees. For the sun, whose direction depends on it
400 times less, it has the largest ones only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from regolith_sensors.light import Sun
from regolith_sensors.moon_axis import precise_points
from regolith_terrain import MOON_RADIUS_M

EQUATOR_TILT = math.radians(1.54242)
"""Inclination of the Moon's mean equator to the ecliptic [rad]."""

_LONGITUDE = (
    # D, M, M', F: multiples of the arguments; longitude [1e-6 deg], distance [m]
    (0, 0, 1, 0, 6288774, -20905355),
    (2, 0, -1, 0, 1274027, -3699111),
    (2, 0, 0, 0, 658314, -2955968),
    (0, 0, 2, 0, 213618, -569925),
    (0, 1, 0, 0, -185116, 48888),
    (0, 0, 0, 2, -114332, -3149),
    (2, 0, -2, 0, 58793, 246158),
    (2, -1, -1, 0, 57066, -152138),
    (2, 0, 1, 0, 53322, -170733),
    (2, -1, 0, 0, 45758, -204586),
    (0, 1, -1, 0, -40923, -129620),
    (1, 0, 0, 0, -34720, 108743),
    (0, 1, 1, 0, -30383, 104755),
    (2, 0, 0, -2, 15327, 10321),
    (0, 0, 1, 2, -12528, 0),
    (0, 0, 1, -2, 10980, 79661),
    (4, 0, -1, 0, 10675, -34782),
    (0, 0, 3, 0, 10034, -23210),
    (4, 0, -2, 0, 8548, -21636),
    (2, 1, -1, 0, -7888, 24208),
    (2, 1, 0, 0, -6766, 30824),
    (1, 0, -1, 0, -5163, -8379),
    (1, 1, 0, 0, 4987, -16675),
    (2, -1, 1, 0, 4036, -12831),
)
"""Largest periodic terms of the Moon's ecliptic longitude and distance (Meeus, table 47.A)."""
_LATITUDE = (
    (0, 0, 0, 1, 5128122),
    (0, 0, 1, 1, 280602),
    (0, 0, 1, -1, 277693),
    (2, 0, 0, -1, 173237),
    (2, 0, -1, 1, 55413),
    (2, 0, -1, -1, 46271),
    (2, 0, 0, 1, 32573),
    (0, 0, 2, 1, 17198),
    (2, 0, 1, -1, 9266),
    (0, 0, 2, -1, 8822),
    (2, -1, 0, -1, 8216),
    (2, 0, -2, -1, 4324),
    (2, 0, 1, 1, 4200),
)
"""Largest periodic terms of the Moon's ecliptic latitude [1e-6 deg] (Meeus, table 47.B)."""


def utc_time(text: str) -> datetime:
    """Return the time of a text in ISO 8601; without a zone it is UTC.

    Raises:
        ValueError: If the text is no time.
    """
    when = datetime.fromisoformat(text)
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


@dataclass(frozen=True)
class _Arguments:
    """Arguments of the series [rad], at a time in Julian centuries of terrestrial time from J2000."""

    t: float
    mean: float
    """Mean longitude of the Moon."""
    elongation: float
    sun_anomaly: float
    moon_anomaly: float
    latitude: float
    """Argument of latitude F."""
    node: float
    """Mean longitude of the ascending node."""

    @classmethod
    def at(cls, when: datetime) -> _Arguments:
        """Return the arguments at a UTC time."""
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
        # Terrestrial time is 69 s ahead of UTC; in that time the subsolar point moves by 0.01 degrees.
        t = ((when - datetime(2000, 1, 1, 12, tzinfo=UTC)).total_seconds() / 86400.0 + 69.2 / 86400.0) / 36525.0
        radian = math.radians
        return cls(
            t,
            radian(218.3164477 + 481267.88123421 * t),
            radian(297.8501921 + 445267.1114034 * t),
            radian(357.52911 + 35999.05029 * t),
            radian(134.9633964 + 477198.8675055 * t),
            radian(93.2720950 + 483202.0175233 * t),
            radian(125.0445479 - 1934.1362891 * t),
        )


def sun_over(latitude: float, longitude: float, when: datetime, precise: bool = False) -> Sun:
    """Return the sun as seen from a location on the Moon.

    The level plane is that of a sphere. The result is accurate to 0.1 degrees, or to 0.005 degrees if precise.

    Args:
        latitude: Selenographic latitude, north positive [rad].
        longitude: Selenographic longitude, east positive [rad].
        when: UTC time; a time without a zone counts as UTC.
        precise: Whether the position is that of the package astronomy-engine.

    Source: meeus1998, chapter 53.
    Checked by: test_scene.py::test_sun_over_the_moon, test_sky.py::test_precise_sun_is_near_that_of_the_series.
    """
    sub_latitude, sub_longitude, distance = precise_points(when)[0] if precise else subsolar_point(when)
    azimuth, elevation = direction_over(latitude, longitude, sub_latitude, sub_longitude)
    return Sun(azimuth, elevation, distance)


def earth_over(latitude: float, longitude: float, when: datetime) -> tuple[float, float]:
    """Return azimuth, clockwise from north, and elevation of the Earth's center at a location on the Moon [rad].

    The Earth is seen from the location, not from the center of the Moon: near the limb this is up to 0.26 degrees.

    Args:
        latitude: Selenographic latitude, north positive [rad].
        longitude: Selenographic longitude, east positive [rad].
        when: UTC time; a time without a zone counts as UTC.

    Source: meeus1998, chapter 53.
    Checked by: test_ephemeris.py::test_earth_stands_over_the_sub_earth_point.
    """
    sub_latitude, sub_longitude, distance = sub_earth_point(when)
    azimuth, elevation = direction_over(latitude, longitude, sub_latitude, sub_longitude)
    return azimuth, math.atan2(math.sin(elevation) - MOON_RADIUS_M / distance, math.cos(elevation))


def direction_over(latitude: float, longitude: float, sub_latitude: float, sub_longitude: float) -> tuple[float, float]:
    """Return azimuth, clockwise from north, and elevation at a location of a body far above a point [rad].

    Args:
        latitude: Latitude of the location [rad].
        longitude: Longitude of the location [rad].
        sub_latitude: Latitude of the point below the body [rad].
        sub_longitude: Longitude of the point below the body [rad].
    """
    turn = sub_longitude - longitude
    sin_elevation = math.sin(latitude) * math.sin(sub_latitude)
    sin_elevation += math.cos(latitude) * math.cos(sub_latitude) * math.cos(turn)
    east = math.cos(sub_latitude) * math.sin(turn)
    north = math.cos(latitude) * math.sin(sub_latitude) - math.sin(latitude) * math.cos(sub_latitude) * math.cos(turn)
    return math.atan2(east, north) % (2.0 * math.pi), math.asin(max(-1.0, min(1.0, sin_elevation)))


def subsolar_point(when: datetime) -> tuple[float, float, float]:
    """Return the subsolar point on the Moon: (latitude [rad], longitude [rad], distance to the sun [au]).

    Only the largest terms of each series are used.

    Args:
        when: UTC time; a time without a zone counts as UTC.

    Source: meeus1998, chapters 25, 47 and 53.
    Checked by: test_scene.py::test_sun_over_the_moon,
    test_ephemeris.py::test_subsolar_points_are_those_of_the_reference_ephemeris.
    """
    a = _Arguments.at(when)
    t, d, m1, f, anomaly = a.t, a.elongation, a.moon_anomaly, a.latitude, a.sun_anomaly
    radian = math.radians
    sun_mean = radian(280.46646 + 36000.76983 * t)
    center = radian((1.914602 - 0.004817 * t) * math.sin(anomaly))
    center += radian(0.019993 * math.sin(2.0 * anomaly) + 0.000289 * math.sin(3.0 * anomaly))
    sun = sun_mean + center
    earth_au = 1.000001018 * (1.0 - 0.016708634**2) / (1.0 + 0.016708634 * math.cos(anomaly + center))
    longitude = a.mean + radian(
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
    sub_latitude, sub_longitude = _seen_point(heliocentric - a.node, ratio * latitude, f)
    distance = earth_au * (1.0 + ratio * math.cos(latitude) * math.cos(sun - longitude - math.pi))
    return sub_latitude, sub_longitude, distance


def sub_earth_point(when: datetime) -> tuple[float, float, float]:
    """Return the point of the Moon below the Earth: (latitude [rad], longitude [rad], distance of the centers [m]).

    Accurate to 0.06 degrees, most of it the physical libration, and to 100 km.

    Args:
        when: UTC time; a time without a zone counts as UTC.

    Source: meeus1998, chapters 47 and 53.
    Checked by: test_ephemeris.py::test_sub_earth_points_are_those_of_the_reference_ephemeris.
    """
    a = _Arguments.at(when)
    arguments = (a.elongation, a.sun_anomaly, a.moon_anomaly, a.latitude)
    eccentricity = 1.0 - 0.002516 * a.t
    longitude, distance, latitude = a.mean, 385000560.0, 0.0
    for *multiples, degrees, meters in _LONGITUDE:
        angle = sum(n * x for n, x in zip(multiples, arguments, strict=True))
        scale = eccentricity ** abs(multiples[1])
        longitude += math.radians(1e-6 * degrees * scale) * math.sin(angle)
        distance += meters * scale * math.cos(angle)
    for *multiples, degrees in _LATITUDE:
        angle = sum(n * x for n, x in zip(multiples, arguments, strict=True))
        latitude += math.radians(1e-6 * degrees * eccentricity ** abs(multiples[1])) * math.sin(angle)
    sub_latitude, sub_longitude = _seen_point(longitude - a.node, latitude, a.latitude)
    return sub_latitude, sub_longitude, distance


def _seen_point(w: float, beta: float, latitude: float) -> tuple[float, float]:
    """Return latitude and longitude of the point of the Moon below a body [rad].

    Args:
        w: Ecliptic longitude of the Moon as seen from the body, from the ascending node [rad].
        beta: Ecliptic latitude of the Moon as seen from the body [rad].
        latitude: Argument of latitude F of the Moon [rad].

    Source: meeus1998, chapter 53.
    Checked by: test_scene.py::test_sun_over_the_moon.
    """
    tilt = EQUATOR_TILT
    along = math.atan2(
        math.sin(w) * math.cos(beta) * math.cos(tilt) - math.sin(beta) * math.sin(tilt), math.cos(w) * math.cos(beta)
    )
    sine = -math.sin(w) * math.cos(beta) * math.sin(tilt) - math.sin(beta) * math.cos(tilt)
    return math.asin(sine), math.remainder(along - latitude, 2.0 * math.pi)
