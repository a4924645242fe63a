# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Colors of terrain: light of a low sun, ruts darker, heaps brighter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain import hillshade_image

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

_LEVEL = 0.40
"""Display brightness of level terrain."""
_AMBIENT = 0.05
_CONTRAST = 0.9
"""Exponent of the light relative to that on level terrain."""
_TINT = np.array([1.0, 0.965, 0.92])
"""Color of regolith, gray with a slight brown tone."""
_RUT = np.array([0.78, 0.55, 0.36])
_HEAP = np.array([1.16, 1.17, 1.2])
_DEEP_M = 0.04
"""Rut depth and heap height with the full tint [m]."""
_STRENGTH = 0.62


@dataclass(frozen=True)
class TerrainShading:
    """Shading of terrain without cast shadows. A low sun is raised, so that shapes are visible everywhere."""

    azimuth_deg: float = 315.0
    elevation_deg: float = 25.0

    @classmethod
    def of(cls, sun: object | None) -> TerrainShading:
        """Return the shading for a :class:`regolith_sensors.light.Sun`, or a default one for None."""
        if sun is None:
            return cls()
        azimuth, elevation = float(sun.azimuth), float(sun.elevation)  # type: ignore[attr-defined]
        return cls(math.degrees(azimuth), min(max(math.degrees(elevation), 16.0), 45.0))

    def colors(self, height: Floats, spacing: float, dug: Floats | None = None) -> Bytes:
        """Return sRGB colors of nodes, shape (ni, nj, 3).

        Args:
            height: Heights [m], x along the first axis, shape (ni, nj).
            spacing: Spacing of the nodes [m].
            dug: Undisturbed minus present height [m], shape (ni, nj), None for undisturbed terrain.
        """
        lit = hillshade_image(height, spacing, self.azimuth_deg, self.elevation_deg)
        relative = lit / math.sin(math.radians(self.elevation_deg))
        value = (_AMBIENT + _LEVEL * relative**_CONTRAST)[..., None] * _TINT
        if dug is not None:
            deep = np.clip(dug / _DEEP_M, -1.0, 1.0)[..., None]
            tint = np.maximum(deep, 0.0) * (_RUT - 1.0) + np.maximum(-deep, 0.0) * (_HEAP - 1.0)
            value = value * (1.0 + _STRENGTH * tint)
        return np.asarray(np.clip(255.0 * value + 0.5, 0.0, 255.0)).astype(np.uint8)
