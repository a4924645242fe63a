# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""GNSS receivers and their lunar equivalents: position on a body, with white noise and a slow error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.inertial.drift import Drift, white
from regolith_terrain import MOON_RADIUS_M
from regolith_world.random import stream_key

Floats = NDArray[np.float64]

"""Radius of the sphere for latitude and longitude [m]."""
WGS84 = (6378137.0, 1.0 / 298.257223563)
"""Semi-major axis [m] and flattening of the Earth's ellipsoid."""


def geodetic(
    local: ArrayLike, latitude: float, longitude: float, altitude: float, semi_major: float, flattening: float = 0.0
) -> Floats:
    """Return (latitude, longitude) [rad] and altitude [m] of local east, north, up [m], shape (..., 3).

    East and north are coordinates in the tangent plane at the origin. The result is the point on the body below that
    point of the plane. The altitude is that of the origin plus up, because heights count from the surface of the body.
    A pole has no north, so north is along the meridian of the given longitude: away from it at the north pole, towards
    it at the south pole. The error of the latitude is below 1e-10 rad (one step of Bowring's iteration). Distances are
    longer than on the ground by d^3 / (3 R^2), 0.1 micrometers at 100 m.

    Args:
        local: East, north, up [m], shape (..., 3).
        latitude: Geodetic latitude of the origin, poles included [rad].
        longitude: Longitude of the origin [rad].
        altitude: Altitude of the origin [m].
        semi_major: Semi-major axis of the ellipsoid, or radius of the sphere [m].
        flattening: Flattening of the ellipsoid; 0 for a sphere.

    Source: bowring1976, eqs. 1 and 2.
    Checked by: test_inertial.py::test_local_coordinates_against_the_tangent_plane.
    """
    local = np.asarray(local, dtype=np.float64)
    sin_lat, cos_lat, sin_lon, cos_lon = *_sin_cos(latitude), *_sin_cos(longitude)
    semi_minor, e2 = semi_major * (1.0 - flattening), flattening * (2.0 - flattening)
    normal = semi_major / math.sqrt(1.0 - e2 * sin_lat**2)
    up = np.array([cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
    east = np.array([-sin_lon, cos_lon, 0.0])
    north = np.cross(up, east)
    x, y, z = np.moveaxis(normal * up * [1.0, 1.0, 1.0 - e2] + local[..., :1] * east + local[..., 1:2] * north, -1, 0)
    across = np.hypot(x, y)
    reduced = np.arctan2(z * semi_major, across * semi_minor)
    found = np.arctan2(
        z + e2 / (1.0 - e2) * semi_minor * np.sin(reduced) ** 3, across - e2 * semi_major * np.cos(reduced) ** 3
    )
    # Relative to the meridian of the origin, so that it does not jump by a full turn within a site.
    turn = np.arctan2(y * cos_lon - x * sin_lon, x * cos_lon + y * sin_lon)
    return np.stack([found, longitude + turn, altitude + local[..., 2]], axis=-1)


def _sin_cos(angle: float) -> tuple[float, float]:
    """Return sine and cosine. The cosine of a right angle is 0."""
    cosine = math.cos(angle)
    return math.sin(angle), cosine if abs(cosine) > 1e-15 else 0.0


class Gnss:
    """A GNSS receiver. Equal seed, name and index give equal errors.

    The error is white noise plus a Gauss-Markov process, see :class:`regolith_sensors.inertial.drift.Drift`.
    """

    def __init__(self, config: GnssConfig, seed: int, name: str) -> None:
        """Make the receiver.

        Args:
            config: Model of the receiver.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config = config
        self._noise = (seed, name, 'white')
        self._white = np.array([config.noise_horizontal_m, config.noise_horizontal_m, config.noise_vertical_m])
        self._drift = np.array([config.drift_horizontal_m, config.drift_horizontal_m, config.drift_vertical_m])
        self._slow = Drift(
            stream_key(seed, name, 'drift'), 3, 1.0 / config.rate_hz, 1.0, config.drift_correlation_time_s
        )

    def errors(self, first: int, count: int) -> Floats:
        """Return the errors east, north, up [m] of consecutive fixes, shape (count, 3)."""
        return self._drift * self._slow.run(first, count) + self._white * white(*self._noise, first, count, 3)

    def fix(self, n: int, position: ArrayLike) -> tuple[float, float, float]:
        """Return fix n of a true position in the world frame [m]: (latitude [deg], longitude [deg], altitude [m]).

        Args:
            n: Index of the fix.
            position: True position in the world frame [m], shape (3,).

        Raises:
            ValueError: If the model lacks the place of the origin; a resolved scenario has it.
        """
        c = self.config
        if c.latitude_deg is None or c.longitude_deg is None or c.altitude_m is None:
            raise ValueError('latitude_deg, longitude_deg and altitude_m of the origin are unknown')
        x, y, z = (float(v) for v in np.asarray(position))
        turn, latitude = math.radians(c.north_deg or 0.0), math.radians(c.latitude_deg)
        place = [x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn), z]
        ellipsoid = (MOON_RADIUS_M, 0.0) if c.body == 'moon' else WGS84
        found = geodetic(
            np.array(place) + self.errors(n, 1)[0], latitude, math.radians(c.longitude_deg), c.altitude_m, *ellipsoid
        )
        longitude = math.remainder(math.degrees(found[1]), 360.0)
        return math.degrees(found[0]), longitude, float(found[2])

    def covariance(self) -> Floats:
        """Return the variances east, north, up [m^2] as a diagonal matrix, shape (3, 3)."""
        return np.diag(self._white**2 + self._drift**2)
