# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotation of the Moon in the celestial frame, and Sun and Earth from the Python package astronomy-engine."""

from __future__ import annotations

import importlib.util
import math
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.light import ASTRONOMICAL_UNIT_M

Floats = NDArray[np.float64]

_SPEEDS = (
    # Angles E1 to E13 [deg] and their speeds [deg/day].
    (125.045, -0.0529921),
    (250.089, -0.1059842),
    (260.008, 13.0120009),
    (176.625, 13.3407154),
    (357.529, 0.9856003),
    (311.589, 26.4057084),
    (134.963, 13.0649930),
    (276.617, 0.3287146),
    (34.226, 1.7484877),
    (15.134, -0.1589763),
    (119.743, 0.0036096),
    (239.961, 0.1643573),
    (25.053, 12.9590088),
)
_ASCENSION = {1: -3.8787, 2: -0.1204, 3: 0.0700, 4: -0.0172, 6: 0.0072, 10: -0.0052, 13: 0.0043}
_DECLINATION = {1: 1.5419, 2: 0.0239, 3: -0.0278, 4: 0.0068, 6: -0.0029, 7: 0.0009, 10: 0.0008, 13: -0.0009}
_SPIN = {
    1: 3.5610,
    2: 0.1208,
    3: -0.0642,
    4: 0.0158,
    5: 0.0252,
    6: -0.0066,
    7: -0.0047,
    8: -0.0046,
    9: 0.0028,
    10: 0.0052,
    11: 0.0040,
    12: 0.0019,
    13: -0.0044,
}
"""Amplitudes of sines (right ascension of the pole, rotation) and cosines (declination) of these angles [deg]."""
_TT_AHEAD_S = 69.2
"""Terrestrial time minus UTC [s]."""


def moon_from_celestial(when: datetime) -> Floats:
    """Return the matrix that rotates directions of the celestial frame (ICRF) to the Moon's mean-Earth frame.

    The frame has z along the rotation axis and x toward the mean sub-Earth point. Accurate to some 0.005 degrees.

    Args:
        when: UTC time; a time without a zone counts as UTC.

    Returns:
        Rotation, shape (3, 3).

    Source: archinal2011.
    Checked by: test_sky.py::test_axis_of_the_moon_is_that_of_astronomy_engine,
    test_sky.py::test_directions_of_stars_are_those_of_astronomy_engine.
    """
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    d = ((when - datetime(2000, 1, 1, 12, tzinfo=UTC)).total_seconds() + _TT_AHEAD_S) / 86400.0
    t = d / 36525.0
    e = [math.radians(start + speed * d) for start, speed in _SPEEDS]
    ascension = 269.9949 + 0.0031 * t + sum(a * math.sin(e[n - 1]) for n, a in _ASCENSION.items())
    declination = 66.5392 + 0.0130 * t + sum(a * math.cos(e[n - 1]) for n, a in _DECLINATION.items())
    spin = 38.3213 + 13.17635815 * d - 1.4e-12 * d * d + sum(a * math.sin(e[n - 1]) for n, a in _SPIN.items())
    return _body_from_celestial(math.radians(ascension), math.radians(declination), math.radians(spin))


def _body_from_celestial(ascension: float, declination: float, spin: float) -> Floats:
    """Return the rotation to a body's frame from right ascension and declination of its pole, and its spin [rad]."""
    out: Floats = (
        _about_z(spin)
        @ np.array(
            [
                [1.0, 0.0, 0.0],
                [0.0, math.sin(declination), math.cos(declination)],
                [0.0, -math.cos(declination), math.sin(declination)],
            ]
        )
        @ _about_z(0.5 * math.pi + ascension)
    )
    return out


def _about_z(angle: float) -> Floats:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])


def local_from_moon(latitude: float, longitude: float, north: float = 0.0) -> Floats:
    """Return the matrix that rotates directions of the Moon's frame to those of a place.

    Args:
        latitude: Selenographic latitude [rad].
        longitude: Selenographic longitude, east positive [rad].
        north: Bearing of y of the place, clockwise from true north [rad].

    Returns:
        Rotation to x right of y, y along the bearing and z up, shape (3, 3).
    """
    sin_lat, cos_lat, sin_lon, cos_lon = (
        math.sin(latitude),
        math.cos(latitude),
        math.sin(longitude),
        math.cos(longitude),
    )
    east = np.array([-sin_lon, cos_lon, 0.0])
    true_north = np.array([-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat])
    up = np.array([cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
    cos, sin = math.cos(north), math.sin(north)
    return np.stack([cos * east - sin * true_north, sin * east + cos * true_north, up])


def has_astronomy_engine() -> bool:
    """Return whether the Python package astronomy-engine is installed."""
    return importlib.util.find_spec('astronomy') is not None


def precise_points(when: datetime) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the subsolar point and the sub-Earth point from astronomy-engine, as the functions of Meeus do.

    Args:
        when: UTC time; a time without a zone counts as UTC.

    Returns:
        Latitude [rad], longitude [rad] and distance to the sun [au]; latitude, longitude and distance of the Earth's
        center [m].

    Source: cross2023; archinal2011.
    Checked by: test_sky.py::test_precise_points_are_those_of_the_reference_ephemeris.
    """
    import astronomy

    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    seconds = when.second + 1e-6 * when.microsecond
    time = astronomy.Time.Make(when.year, when.month, when.day, when.hour, when.minute, seconds)
    axis = astronomy.RotationAxis(astronomy.Body.Moon, time)
    turn = _body_from_celestial(math.radians(15.0 * axis.ra), math.radians(axis.dec), math.radians(axis.spin))
    moon, earth = astronomy.GeoMoon(time), astronomy.HelioVector(astronomy.Body.Earth, time)
    to_earth = -np.array([moon.x, moon.y, moon.z])
    to_sun = to_earth - np.array([earth.x, earth.y, earth.z])
    sun, world = _spherical(turn @ to_sun), _spherical(turn @ to_earth)
    return sun, (world[0], world[1], world[2] * ASTRONOMICAL_UNIT_M)


def _spherical(v: Floats) -> tuple[float, float, float]:
    distance = float(np.linalg.norm(v))
    return math.asin(v[2] / distance), math.atan2(v[1], v[0]), distance
