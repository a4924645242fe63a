# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Earth and stars above a place on the Moon: their light in images, and earthshine.

Simplifications: the Earth is a Lambert sphere without clouds and land. Earthshine comes from the center of the Earth,
so its shadows have no penumbrae. Stars keep their places of 1991.25. There is no zodiacal light and no Milky Way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.ephemeris import sub_earth_point
from regolith_sensors.light import BAND_WAVELENGTHS, LIGHT_SPEED, PLANCK, SUN_BANDS, Spotlight, Sun
from regolith_sensors.moon_axis import local_from_moon, moon_from_celestial
from regolith_sensors.rays.camera_rays import CameraRays
from regolith_terrain import MOON_RADIUS_M

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

EARTH_RADIUS_M = 6.371e6
"""Mean radius of the Earth [m]."""
EARTH_ALBEDO = 0.434
"""Geometric albedo of the Earth in visible light; its Lambert albedo is 1.5 times as large."""
EARTH_TINT = (0.92, 1.0, 1.12)
"""Red, green and blue reflectance of the Earth relative to its mean."""
SUN_MAGNITUDE = -26.76
"""Visual magnitude of the sun at 1 au."""
_BOLTZMANN = 1.380649e-23
_SUN_K = 5772.0
_FAR_M = 1e6
"""Distance of the lamp that stands for earthshine [m]; over a scene of 1 km its light changes by 0.2 %."""


Place = Callable[[Floats], Floats]
"""Function that returns the pixels (u, v) of directions in the optical frame, shape (n, 2)."""


@dataclass(frozen=True, eq=False)
class Sky:
    """Earth and stars at one time, in directions of the world (x, y, z up)."""

    earth: Floats | None
    """Unit vector to the center of the Earth, shape (3,); None: it is not shown."""
    earth_radius: float
    """Angular radius of the Earth [rad]."""
    sun: Floats
    """Unit vector to the sun, shape (3,)."""
    sunlight: Floats
    """Irradiance of the bands on a plane normal to the sun's rays [W/m^2], shape (3,)."""
    stars: Floats
    """Unit vectors to the stars, shape (n, 3)."""
    starlight: Floats
    """Irradiance of the bands on a plane normal to the rays of each star [W/m^2], shape (n, 3)."""
    earthshine: bool = False
    """Whether the Earth lights the scene."""

    def lamps(self, origin: Floats) -> list[Spotlight]:
        """Return the light of the Earth as a distant lamp around a place [m]; empty without earthshine."""
        if not self.earthshine or self.earth is None or self.earth[2] < -self.earth_radius:
            return []
        phase = math.acos(float(np.clip(self.earth @ self.sun, -1.0, 1.0)))
        light = earth_irradiance(math.pi - phase, self.earth_radius, self.sunlight) * _FAR_M**2
        return [Spotlight(origin + _FAR_M * self.earth, -self.earth, (light[0], light[1], light[2]), 0.5, 0.6)]

    def add_to(self, radiance: Singles, depth: Singles, camera: CameraRays, place: Place) -> None:
        """Add the light of Earth and stars to pixels that show the sky.

        Args:
            radiance: Radiance of a frame [W/m^2/sr], shape (height, width, 3); changes.
            depth: Depth of its first rays [m], infinite where they met nothing, shape (height, width).
            camera: View of its first rays.
            place: Function that returns the pixels (u, v) of directions in the optical frame.
        """
        free = np.isinf(depth)
        if not free.any():
            return
        world = camera.rotation.astype(np.float64)
        if self.earth is not None:
            self._add_earth(radiance, free, camera, self.earth @ world, self.sun @ world)
        if len(self.stars):
            self._add_stars(radiance, free, camera, self.stars @ world, place)

    def _add_earth(
        self, radiance: Singles, free: NDArray[np.bool_], camera: CameraRays, earth: Floats, sun: Floats
    ) -> None:
        """Add the disc; its edge is smooth over a pixel."""
        near = camera.rays @ earth.astype(np.float32) > math.cos(self.earth_radius + camera.pixel_angle)
        rows, columns = np.nonzero(near & free)
        rays = camera.rays[rows, columns].astype(np.float64)
        along = rays @ earth
        across = rays - along[:, None] * earth
        sine = np.linalg.norm(across, axis=1)
        away = np.arctan2(sine, along)
        covered = np.clip((self.earth_radius - away) / camera.pixel_angle + 0.5, 0.0, 1.0)
        radii = np.minimum(away / self.earth_radius, 1.0)
        ahead = across / np.maximum(sine, 1e-12)[:, None]
        normal = radii[:, None] * ahead - np.sqrt(1.0 - radii**2)[:, None] * earth
        mu0 = np.maximum(normal @ sun, 0.0) * covered
        light = 1.5 * EARTH_ALBEDO / math.pi * np.array(EARTH_TINT) * self.sunlight
        radiance[rows, columns] += (mu0[:, None] * light).astype(np.float32)

    def _add_stars(
        self,
        radiance: Singles,
        free: NDArray[np.bool_],
        camera: CameraRays,
        stars: Floats,
        place: Place,
    ) -> None:
        """Add the energy of each star to the four pixels around its exact place."""
        height, width = free.shape
        shown = stars[:, 2] > 0.0
        if self.earth is not None:
            shown &= self.stars @ self.earth < math.cos(self.earth_radius)
        at, light = place(stars[shown]), self.starlight[shown]
        # Far off the axis a distortion can fold directions into the image, so each star must lie along its pixel.
        inside = np.all((at > -1.0) & (at < (width, height)), axis=1)
        at, light, ways = at[inside], light[inside], stars[shown][inside]
        first = np.floor(at).astype(np.int64)
        part = at - first
        for right in (0, 1):
            for down in (0, 1):
                j, i = first[:, 0] + right, first[:, 1] + down
                weight = (part[:, 0] if right else 1.0 - part[:, 0]) * (part[:, 1] if down else 1.0 - part[:, 1])
                valid = (i >= 0) & (i < height) & (j >= 0) & (j < width)
                i, j, weight, energy, way = i[valid], j[valid], weight[valid], light[valid], ways[valid]
                kept = free[i, j] & (np.sum(camera.rays[i, j] * way, axis=1) > math.cos(4.0 * camera.pixel_angle))
                i, j = i[kept], j[kept]
                per = weight[kept] / solid_angles(camera.rays, i, j)
                np.add.at(radiance, (i, j), (per[:, None] * energy[kept]).astype(np.float32))


def sky_over(
    latitude: float, longitude: float, north: float, when: datetime, sun: Sun, stars: bool, earth: bool, shine: bool
) -> Sky:
    """Return the sky of a place on the Moon.

    Args:
        latitude: Selenographic latitude [rad].
        longitude: Selenographic longitude, east positive [rad].
        north: Bearing of y of the world, clockwise from true north [rad].
        when: UTC time.
        sun: The sun there at this time.
        stars: Whether there are stars.
        earth: Whether there is the Earth.
        shine: Whether the Earth lights the scene.

    Source: meeus1998; archinal2011.
    Checked by: test_sky.py::test_earth_is_where_the_ephemeris_has_it,
    test_sky.py::test_directions_of_stars_are_those_of_astronomy_engine.
    """
    turn = local_from_moon(latitude, longitude, north)
    sub_latitude, sub_longitude, distance = sub_earth_point(when)
    flat = math.cos(sub_latitude)
    center = np.array([flat * math.cos(sub_longitude), flat * math.sin(sub_longitude), math.sin(sub_latitude)])
    to_earth = distance * turn @ center - np.array([0.0, 0.0, MOON_RADIUS_M])
    away = float(np.linalg.norm(to_earth))
    ways, light = star_table() if stars else (np.zeros((0, 3)), np.zeros((0, 3)))
    return Sky(
        to_earth / away if earth or shine else None,
        math.asin(EARTH_RADIUS_M / away),
        sun.direction,
        sun.irradiance,
        ways @ (turn @ moon_from_celestial(when)).T,
        light,
        shine,
    )


def solid_angles(rays: Singles, i: NDArray[np.int64], j: NDArray[np.int64]) -> Floats:
    """Return the solid angles of pixels from the directions of their neighbors [sr].

    Args:
        rays: Unit directions of all pixels, shape (height, width, 3), at least 2 x 2.
        i: Rows of the pixels.
        j: Columns of the pixels.
    """
    height, width = rays.shape[:2]
    up, down, left, right = np.maximum(i - 1, 0), np.minimum(i + 1, height - 1), np.maximum(j - 1, 0), j + 1
    right = np.minimum(right, width - 1)
    along = rays[i, right].astype(np.float64) - rays[i, left]
    across = rays[down, j].astype(np.float64) - rays[up, j]
    out: Floats = np.linalg.norm(np.cross(along, across), axis=1) / ((right - left) * (down - up))
    return out


def earth_irradiance(phase: float, angular_radius: float, sunlight: Floats) -> Floats:
    """Return the irradiance of the bands by the Earth on a plane normal to its light [W/m^2], shape (3,).

    E = E_n p Phi (R / d)^2, with the phase function of a Lambert sphere, Phi = (sin a + (pi - a) cos a) / pi.

    Args:
        phase: Phase angle: angle at the Earth between sun and Moon [rad], 0 for a full Earth.
        angular_radius: Angular radius of the Earth [rad].
        sunlight: Irradiance by the sun [W/m^2], shape (3,).

    Source: russell1916.
    Checked by: test_sky.py::test_earthshine, test_sky.py::test_light_of_the_disc_is_the_earthshine.
    """
    whole = (math.sin(phase) + (math.pi - phase) * math.cos(phase)) / math.pi
    out: Floats = sunlight * EARTH_ALBEDO * whole * math.sin(angular_radius) ** 2 * np.array(EARTH_TINT)
    return out


def temperature(color_index: Floats) -> Floats:
    """Return the temperatures of stars from their color indices B-V [K].

    Source: ballesteros2012, eq. 14.
    Checked by: test_sky.py::test_light_of_stars.
    """
    bv = np.asarray(color_index, dtype=np.float64)
    out: Floats = 4600.0 * (1.0 / (0.92 * bv + 1.7) + 1.0 / (0.92 * bv + 0.62))
    return out


def star_irradiance(magnitude: Floats, color_index: Floats) -> Floats:
    """Return the irradiance of the bands by stars [W/m^2], shape (n, 3).

    In green it follows from the visual magnitude relative to the sun. Red and blue have the ratios of black bodies.

    Args:
        magnitude: Visual magnitudes, shape (n,).
        color_index: Color indices B-V, shape (n,).

    Source: ballesteros2012.
    Checked by: test_sky.py::test_light_of_stars.
    """
    green = 10.0 ** (-0.4 * (np.asarray(magnitude, dtype=np.float64) - SUN_MAGNITUDE))
    waves = np.array(BAND_WAVELENGTHS)
    kelvin = temperature(color_index)
    ratio = _planck(waves, kelvin[:, None]) / _planck(waves[1:2], kelvin[:, None])
    ratio /= _planck(waves, np.array(_SUN_K)) / _planck(waves[1:2], np.array(_SUN_K))
    out: Floats = green[:, None] * np.array(SUN_BANDS) * ratio
    return out


def _planck(wavelength: Floats, kelvin: Floats) -> Floats:
    """Return the radiance of a black body, up to a factor."""
    out: Floats = wavelength**-5.0 / np.expm1(PLANCK * LIGHT_SPEED / (wavelength * _BOLTZMANN * kelvin))
    return out


@lru_cache(maxsize=1)
def star_table() -> tuple[Floats, Floats]:
    """Return the 5000 brightest stars: unit vectors in the celestial frame, shape (n, 3), and irradiance, (n, 3).

    Source: vanleeuwen2007.
    Checked by: test_sky.py::test_table_of_stars.
    """
    text = (resources.files('regolith_sensors') / 'data' / 'stars.csv').read_text()
    table = np.array([line.split(',') for line in text.splitlines() if not line.startswith('#')], dtype=np.float64)
    ascension, declination = table[:, 0], table[:, 1]
    ways = np.stack(
        [np.cos(declination) * np.cos(ascension), np.cos(declination) * np.sin(ascension), np.sin(declination)], axis=1
    )
    return ways, star_irradiance(table[:, 2], table[:, 3])
