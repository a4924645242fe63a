# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Temperatures of the ground at a site: a table over slope, aspect and time, with the effect of recent shadows.

A class of ground is a slope and the direction into which it falls. A column of soil computes each class over some
lunar days before the run. A slope receives infrared and scattered light of level ground. Ground in the shadow of an
object, or lit after such a shadow, follows curves that the same columns compute: the sun is taken away from ground in
the sun, and given to ground that was dark for DARK_S.

Left out: heat from warm rocks and vehicles on the ground near them, and differences of the soil.

Source: hayne2017.
Checked by: test_ground_temperature.py::test_shadow_of_an_hour_follows_a_finer_column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.heat.soil_column import (
    LUNAR_SOIL,
    STEFAN_BOLTZMANN,
    Column,
    Soil,
    albedo,
    make_column,
    run_column,
    start_profile,
)
from regolith_sensors.heat.sun_path import DAY_STEPS, STEP_S, SunPath

Floats = NDArray[np.float64]

SLOPES_DEG = np.array([0.0, 15.0, 30.0, 60.0, 90.0])
"""Slopes of the classes [deg]."""
ASPECTS = 8
"""Number of directions into which slopes fall, from north, clockwise."""
LUNATIONS = 3
"""Lunar days before the run over which the columns settle; further ones change the surface by less than 0.5 K."""
DARK_S = 86400.0
"""Time for which ground was dark before the sun reaches it, in the curves of warming [s]."""
AGES_S = np.concatenate(([0.0], np.geomspace(10.0, 14.0 * 86400.0, 48)))
"""Times since the beginning of light or shadow in the curves [s]."""
GROUND_ALBEDO = 0.12
"""Albedo of the ground at normal incidence [-]."""
_SUBSTEPS = 4


@dataclass(frozen=True)
class GroundState:
    """Temperatures of all classes of ground at one time [K]; shapes begin with (slopes, aspects)."""

    settled: Floats
    """Surfaces whose light is that of their class, shape (slopes, aspects)."""
    darkened: Floats
    """Surfaces in the shadow of an object for AGES_S, shape (slopes, aspects, ages)."""
    lit: Floats
    """Surfaces in the sun for AGES_S after a shadow of DARK_S, shape (slopes, aspects, ages)."""

    def surface(self, normal: Floats, sunlit: NDArray[np.bool_], age_s: Floats) -> Floats:
        """Return the temperature of surfaces [K], shape (n,); linear between the classes.

        Args:
            normal: Unit normals (east, north, up), shape (n, 3).
            sunlit: Whether the sun reaches the surfaces, shape (n,).
            age_s: Time since that began or since it ended, inf: as far back as known [s], shape (n,).
        """
        slope = np.degrees(np.arccos(np.clip(normal[:, 2], 0.0, 1.0)))
        first = np.clip(np.searchsorted(SLOPES_DEG, slope, side='right') - 1, 0, len(SLOPES_DEG) - 2)
        rise = (slope - SLOPES_DEG[first]) / np.diff(SLOPES_DEG)[first]
        turn = np.mod(np.arctan2(normal[:, 0], normal[:, 1]) / (2.0 * math.pi) * ASPECTS, ASPECTS)
        west = np.minimum(turn.astype(np.int64), ASPECTS - 1)
        part = turn - west
        known = np.where(np.isfinite(age_s), age_s, AGES_S[-1])
        place = np.interp(known, AGES_S, np.arange(len(AGES_S)))
        early = np.minimum(place.astype(np.int64), len(AGES_S) - 2)
        late = place - early
        found = np.zeros(len(normal))
        for s, weight_s in ((first, 1.0 - rise), (first + 1, rise)):
            for a, weight_a in ((west, 1.0 - part), ((west + 1) % ASPECTS, part)):
                dark = self.darkened[s, a, early] * (1.0 - late) + self.darkened[s, a, early + 1] * late
                warm = self.lit[s, a, early] * (1.0 - late) + self.lit[s, a, early + 1] * late
                warm = np.where(np.isfinite(age_s), np.minimum(warm, self.settled[s, a]), self.settled[s, a])
                found += weight_s * weight_a * np.where(sunlit, warm, dark)
        return found

    @property
    def level(self) -> float:
        """Temperature of level ground whose light is that of its class [K]."""
        return float(self.settled[0, 0])


class GroundTemperatures:
    """Table of the temperatures of a site's ground over a run."""

    def __init__(self, path: SunPath, at_normal: float = GROUND_ALBEDO, soil: Soil = LUNAR_SOIL) -> None:
        """Compute the table.

        Args:
            path: The sun over the run and a lunar day before it, which repeats before that.
            at_normal: Albedo of the ground at normal incidence [-].
            soil: Parameters of the soil.
        """
        self.path = path
        """The sun over the site."""
        self._column = make_column(soil, first_m=5e-4)
        self._soil, self._albedo = soil, at_normal
        mu = path.direction @ class_normals().reshape(-1, 3).T
        lit = np.maximum(mu, 0.0) * (path.direction[:, 2:] > -0.01) * path.irradiance[:, None]
        self._absorbed = (1.0 - np.minimum(albedo(at_normal, mu), 1.0)) * lit
        tilt = 0.5 * (1.0 - np.cos(np.radians(np.repeat(SLOPES_DEG, ASPECTS))))
        level = (1.0 - np.minimum(albedo(at_normal, mu[:, 0]), 1.0)) * lit[:, 0]
        scattered = (lit[:, 0] - level)[:, None] * tilt * (1.0 - at_normal)
        surface = np.empty((len(mu), len(tilt)))
        self._surrounding = scattered
        """Power from level ground that each class absorbs, without the sun [W/m^2], shape (n, classes)."""
        self._profiles = np.empty((path.steps, len(tilt), len(self._column.depth)))
        for k in range(len(tilt)):
            if k > 0:
                self._surrounding[:, k] += soil.emissivity**2 * tilt[k] * STEFAN_BOLTZMANN * surface[:, 0] ** 4
            self._run(k, self._absorbed[:, k] + self._surrounding[:, k], surface)
        self.surface = surface.reshape(len(mu), len(SLOPES_DEG), ASPECTS)
        """Temperatures of all classes over the path [K], shape (n, slopes, aspects)."""
        self._last: tuple[int, GroundState] | None = None

    def _run(self, k: int, absorbed: Floats, surface: Floats) -> None:
        """Compute a class: the lunar day repeatedly, then the run, whose profiles are kept."""
        highest = (max(float(absorbed.max()), 1.0) / (self._soil.emissivity * STEFAN_BOLTZMANN)) ** 0.25
        temperature, out = start_profile(self._column, highest), np.empty(len(absorbed))
        for _ in range(LUNATIONS):
            run_column(self._column, temperature, absorbed[:DAY_STEPS], STEP_S, out[:DAY_STEPS])
        self._profiles[0, k] = temperature
        for n in range(1, self.path.steps):
            m = DAY_STEPS + n - 1
            run_column(self._column, temperature, absorbed[m : m + 1], STEP_S, out[m : m + 1])
            self._profiles[n, k] = temperature
        surface[:, k] = out

    def entry(self, t_s: float) -> int:
        """Return the entry of the table for a time of the run [s]."""
        return min(max(int(t_s / STEP_S), 0), self.path.steps - 1)

    def at(self, t_s: float) -> GroundState:
        """Return the temperatures at a time of the run [s], those of the last entry of the table."""
        n = self.entry(t_s)
        if self._last is None or self._last[0] != n:
            self._last = n, self._state(n)
        return self._last[1]

    def _state(self, n: int) -> GroundState:
        m = DAY_STEPS - 1 + n
        dark, lit = [], []
        for k, profile in enumerate(self._profiles[n]):
            around, sun = float(self._surrounding[m, k]), float(self._absorbed[m, k])
            dark.append(_curve(self._column, profile.copy(), around, AGES_S))
            cold = profile.copy()
            _curve(self._column, cold, around, AGES_S[AGES_S <= DARK_S])
            lit.append(_curve(self._column, cold, around + sun, AGES_S))
        shape = (len(SLOPES_DEG), ASPECTS, len(AGES_S))
        return GroundState(self.surface[m], np.array(dark).reshape(shape), np.array(lit).reshape(shape))


def _curve(column: Column, temperature: Floats, absorbed: float, ages: Floats) -> Floats:
    """Return the temperature of a surface at ages [s] after its absorbed power changed; advance its column."""
    found, out = [temperature[0]], np.empty(_SUBSTEPS)
    for step in np.diff(ages).tolist():
        run_column(column, temperature, np.full(_SUBSTEPS, absorbed), step / _SUBSTEPS, out)
        found.append(temperature[0])
    return np.array(found)


def class_normals() -> Floats:
    """Return the unit normals of the classes (east, north, up), shape (slopes, aspects, 3)."""
    slope = np.radians(SLOPES_DEG)[:, None]
    aspect = 2.0 * math.pi * np.arange(ASPECTS)[None, :] / ASPECTS
    flat = np.broadcast_to(np.cos(slope), (len(SLOPES_DEG), ASPECTS))
    return np.stack([np.sin(slope) * np.sin(aspect), np.sin(slope) * np.cos(aspect), flat], axis=2)
