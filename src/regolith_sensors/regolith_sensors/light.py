# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light sources: the sun as a disc, and spotlights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Color = tuple[float, float, float]

SUN_BANDS = (154.0, 174.0, 171.0)
"""Irradiance at 1 au of bands 100 nm wide around red, green and blue (650, 550, 450 nm) [W/m^2]."""
ASTRONOMICAL_UNIT_M = 149_597_870_700.0
"""Astronomical unit [m]."""
SUN_RADIUS = 4.6505e-3
"""Angular radius of the sun at 1 au [rad]."""
LUNAR_TINT = (1.18, 1.0, 0.82)
"""Red, green and blue reflectance of mature lunar soil relative to its mean; it rises by some 45 % from 450 to
650 nm."""
LIMB_DARKENING = 0.6
"""Coefficient u of the limb darkening law L(mu) / L(1) = 1 - u (1 - mu)."""
BAND_WAVELENGTHS = (650e-9, 550e-9, 450e-9)
"""Center wavelengths of the bands [m]."""
PLANCK = 6.62607015e-34
"""Planck constant [J s]."""
LIGHT_SPEED = 299_792_458.0
"""Speed of light [m/s]."""

LAMP_PLACE, LAMP_AXIS, LAMP_INNER, LAMP_OUTER, LAMP_INTENSITY = 0, 3, 6, 7, 8
"""Columns of the kernels' table of spotlights: position (3), unit axis (3), cosines of the inner and the outer half
angle, intensity of the bands (3)."""
LAMP_COLUMNS = 11
LAMP_HOUSING_M = 0.01
"""Depth of a lamp's own housing, which does not block its light [m]."""


@dataclass(frozen=True, eq=False)
class FarShadow:
    """Visible part of the sun's disc above far terrain, at posts of a square grid."""

    part: Floats
    """Visible part of the disc, shape (n, m), n >= 2, m >= 3."""
    x0: float
    """x of the first post in the world [m]."""
    y0: float
    """y of the first post [m]."""
    spacing: float
    """Distance of posts [m]."""

    def at(self, place: Floats) -> float:
        """Return the visible part at the post next to a place [m]."""
        index = np.rint((np.asarray(place)[:2] - (self.x0, self.y0)) / self.spacing)
        i, j = np.clip(index, 0, np.array(self.part.shape) - 1).astype(int)
        return float(self.part[i, j])

    def table(self, origin: Floats) -> Singles:
        """Return the table of the kernels, see :attr:`regolith_sensors.rays.camera_rays.Lights.far`."""
        found = np.zeros((self.part.shape[0] + 1, self.part.shape[1]), dtype=np.float32)
        found[0, :3] = self.x0 - origin[0], self.y0 - origin[1], 1.0 / self.spacing
        found[1:] = self.part
        return found


class SkyLight(Protocol):
    """Other light of the sky than the sun, see :class:`regolith_sensors.night_sky.Sky`."""

    def lamps(self, origin: Floats) -> list[Spotlight]:
        """Return distant lamps that light the scene around a place [m]."""

    def add_to(self, radiance: Singles, depth: Singles, camera: Any, place: Any) -> None:
        """Add the light of the sky to the pixels of a camera that show it."""


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
    far: FarShadow | None = None
    """Shadow of terrain that is too far for rays; None: there is none."""
    sky: SkyLight | None = None
    """Earth and stars at the same time; None: the rest of the sky is black."""

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

    def irradiance_at(self, place: Floats) -> Floats:
        """Return the irradiance of the bands at a place [m] on a plane normal to the light [W/m^2], shape (3,)."""
        away = place - self.position
        square = max(float(away @ away), 1e-6)
        axis = np.asarray(self.direction) / np.linalg.norm(self.direction)
        cosine, outer = float(away @ axis) / math.sqrt(square), math.cos(self.outer)
        step = min(max((cosine - outer) / max(math.cos(self.inner) - outer, 1e-6), 0.0), 1.0)
        fade = step * step * (3.0 - 2.0 * step)
        return np.array(self.intensity) * (fade * fade / square)

    def row(self, origin: Floats) -> Singles:
        """Return the spotlight's row of the kernels' table, columns LAMP_*, shape (11,), relative to ``origin``."""
        axis = np.asarray(self.direction) / np.linalg.norm(self.direction)
        cones = [math.cos(self.inner), math.cos(self.outer)]
        return np.concatenate([self.position - origin, axis, cones, self.intensity]).astype(np.float32)
