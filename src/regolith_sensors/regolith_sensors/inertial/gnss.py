# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Satellite positioning and its lunar stand-ins: a place on a body, white noise over a slowly wandering error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.inertial.drift import Drift, white
from regolith_sensors.inertial.gnss_config import GnssConfig
from regolith_terrain.geodesy import curvature_radii
from regolith_world.counter import stream_key

Floats = NDArray[np.float64]

MOON_RADIUS = 1737400.0
"""Radius of the sphere for latitude and longitude [m]."""
WGS84 = (6378137.0, 1.0 / 298.257223563)
"""Semi-major axis [m] and flattening of the Earth's ellipsoid."""


def geodetic(
    local: ArrayLike, latitude: float, longitude: float, altitude: float, radius: float | tuple[float, float]
) -> Floats:
    """Return (latitude, longitude) [rad] and altitude [m] of local east, north, up [m], shape (..., 3).

    North counts along the meridian, east along the parallel of the origin. Against the plane that touches the body
    there the error is below d^2 tan |latitude| / R, 6 mm at 100 m and 45 degrees.

    :param latitude: of the origin [rad]
    :param longitude: of the origin [rad]
    :param altitude: of the origin [m]
    :param radius: of the sphere; or of curvature along the meridian and along the parallel of an ellipsoid [m]
    """
    local = np.asarray(local, dtype=np.float64)
    along_meridian, along_parallel = radius if isinstance(radius, tuple) else (radius, radius)
    return np.stack(
        [
            latitude + local[..., 1] / along_meridian,
            longitude + local[..., 0] / (along_parallel * math.cos(latitude)),
            altitude + local[..., 2],
        ],
        axis=-1,
    )


class Gnss:
    """One receiver; equal seed, name and index give equal errors.

    White noise over a Gauss-Markov error, see :class:`regolith_sensors.inertial.drift.Drift`.
    """

    def __init__(self, config: GnssConfig, seed: int, name: str) -> None:
        """Make the receiver.

        :param seed: of the scenario
        :param name: of the sensor
        """
        self.config = config
        self._noise = (seed, name, 'white')
        self._white = np.array([config.white_horizontal_m, config.white_horizontal_m, config.white_vertical_m])
        self._drift = np.array([config.drift_horizontal_m, config.drift_horizontal_m, config.drift_vertical_m])
        self._slow = Drift(stream_key(seed, name, 'drift'), 3, 1.0 / config.rate_hz, 1.0, config.drift_tau_s)

    def errors(self, first: int, count: int) -> Floats:
        """Return the errors east, north, up [m] of consecutive fixes, shape (count, 3)."""
        return self._drift * self._slow.run(first, count) + self._white * white(*self._noise, first, count, 3)

    def fix(self, n: int, position: ArrayLike) -> tuple[float, float, float]:
        """Return fix n of a true position in the world [m]: (latitude [deg], longitude [deg], altitude [m]).

        :raises ValueError: if the model does not state the place of the origin; that of a resolved scenario does
        """
        c = self.config
        if c.latitude_deg is None or c.longitude_deg is None or c.altitude_m is None:
            raise ValueError('latitude_deg, longitude_deg and altitude_m of the origin are unknown')
        x, y, z = (float(v) for v in np.asarray(position))
        turn, latitude = math.radians(c.north_deg or 0.0), math.radians(c.latitude_deg)
        place = [x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn), z]
        radius = (MOON_RADIUS, MOON_RADIUS) if c.body == 'moon' else curvature_radii(*WGS84, latitude)
        found = geodetic(
            np.array(place) + self.errors(n, 1)[0], latitude, math.radians(c.longitude_deg), c.altitude_m, radius
        )
        return math.degrees(found[0]), math.degrees(found[1]), float(found[2])

    def covariance(self) -> Floats:
        """Return the variances east, north, up [m^2] as a diagonal matrix, shape (3, 3)."""
        return np.diag(self._white**2 + self._drift**2)
