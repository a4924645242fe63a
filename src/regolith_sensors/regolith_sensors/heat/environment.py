# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radiative environment of the vehicles of a scenario: its sun, far terrain and ground temperature."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.heat.ground import GROUND_ALBEDO, GroundTemperatures
from regolith_sensors.heat.soil_column import LUNAR_SOIL, SOLAR_CONSTANT
from regolith_sensors.heat.sun_path import far_part, scenario_sun_path
from regolith_sensors.light import Sun
from regolith_sensors.sky.far_terrain import FarTerrain
from regolith_terrain import TerrainConfig, build_height_field
from regolith_vehicles.energy import Radiation, RadiativeEnvironment


class LunarEnvironment(RadiativeEnvironment):
    """Sun of section ``light``, shadows of ``light.horizon``, and level ground.

    Values are rounded, so that they do not depend on the last bits of a processor's functions. The temperature of the
    ground is that of level ground in the light of the site; a vehicle in a local shadow has the same ground around it.
    """

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        """Read the sections ``light`` and ``terrain`` of a resolved scenario, and its ``seed`` and ``duration_s``."""
        light = LightConfig.model_validate(scenario['light'])
        terrain = TerrainConfig.model_validate(scenario['terrain'])
        self.range_m = light.view_range_m
        self._light = light
        self._far: FarTerrain | None = None
        if light.horizon is not None:
            half = 0.5 * terrain.map_size_m + light.view_range_m
            field = build_height_field(terrain, scenario['seed'])
            self._far = FarTerrain(light.horizon, field, half, light.view_range_m)
        latitude = 0.0 if terrain.site is None else terrain.site.latitude_deg
        path = scenario_sun_path(light, self._sun, latitude, float(scenario['duration_s']))
        self._ground = GroundTemperatures(path)

    def _sun(self, t_ns: int) -> Sun | None:
        """Return the sun at a time [ns], with the shadow of far terrain."""
        sun = self._light.sun_at(t_ns)
        return sun if sun is None or self._far is None else replace(sun, far=self._far.shadow(sun))

    def at(self, t_ns: int, x: float, y: float) -> Radiation:
        """Return light and heat at a simulated time [ns] and a place [m]."""
        level = round(self._ground.at(t_ns * 1e-9).level, 3)
        sun = self._sun(t_ns)
        if sun is None or (sun.elevation < -2.0 * sun.angular_radius and self._far is None):
            return Radiation(ground_k=level, ground_emissivity=LUNAR_SOIL.emissivity, ground_albedo=GROUND_ALBEDO)
        visible = 1.0 if sun.far is None else far_part(sun.far, x, y)
        flat = math.cos(sun.elevation)
        toward = flat * math.sin(sun.azimuth), flat * math.cos(sun.azimuth), math.sin(sun.elevation)
        return Radiation(
            np.array([round(value, 12) for value in toward]),
            round(SOLAR_CONSTANT / sun.distance_au**2 * visible, 6),
            sun.angular_radius,
            level,
            LUNAR_SOIL.emissivity,
            GROUND_ALBEDO,
        )
