# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil properties for excavation: strength, density and bedrock depth."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.relaxation import LOOSE_COLUMNS, critical_height
from regolith_terrain.excavation.sweep import SOIL_COLUMNS
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_map import SoilMap

ON_FIRM_GROUND = (1500.0, 0.0, 35.0)
"""Density [kg/m^3], cohesion [Pa] and friction angle [deg] of loose soil on terrain without such parameters."""


class DiggableSoil:
    """Soils of a scenario's terrain for tools and loose soil."""

    def __init__(self, config: TerrainConfig, gravity_mps2: float) -> None:
        soils = [config.soil, *(region.soil for region in config.regions)]
        self.cut: Floats = np.full((len(soils), SOIL_COLUMNS), np.nan)
        """Soils in the form of :class:`regolith_terrain.excavation.sweep.ToolArrays`; NaN where nothing can be dug."""
        self.lying: Floats = np.empty((len(soils), LOOSE_COLUMNS))
        """Soils in the form of :func:`regolith_terrain.excavation.relaxation.relax`."""
        self.gravity = float(gravity_mps2)
        """Gravity [m/s^2]."""
        self.is_thrown = config.digs_in
        """Whether slipping wheels move soil to other columns."""
        self._depth = math.inf if config.bedrock_depth_m is None else config.bedrock_depth_m
        self._regions = [region.region() for region in config.regions]
        for row, soil in enumerate(soils):
            density, cohesion, friction = ON_FIRM_GROUND
            if (strength := soil.strength()) is not None:
                density, cohesion, friction = strength
                self.cut[row] = density, cohesion, math.radians(friction)
            angle = math.radians(friction)
            self.lying[row] = density, critical_height(cohesion, angle, density, self.gravity), math.tan(angle)
            if (flowing := soil.flowing_density()) is not None:
                self.lying[row] = flowing, math.inf, math.tan(angle)

    def rows(self, i0: int, j0: int, shape: tuple[int, int], spacing: float) -> NDArray[np.uint8]:
        """Return the row of the tables at each node of a window, shape (ni, nj)."""
        if not self._regions:
            return np.zeros(shape, dtype=np.uint8)
        soils = SoilMap(self.lying, self._regions)
        return soils.rows(i0, i0 + shape[0], j0, j0 + shape[1], spacing)

    def bedrock(self, base: Floats) -> Floats:
        """Return the height below which no tool digs [m], for undisturbed surface heights [m]."""
        if math.isinf(self._depth):
            return np.full(base.shape, -math.inf)
        with np.errstate(invalid='ignore', over='ignore'):  # parts of a window may be undefined
            return base - self._depth
