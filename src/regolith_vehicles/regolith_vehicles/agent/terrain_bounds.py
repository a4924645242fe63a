# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings when a vehicle leaves the ground that is known."""

from __future__ import annotations

from regolith_terrain.height_field import HeightField


class TerrainBoundsMonitor:
    """Watch over the edge of an elevation model; other ground goes on for ever."""

    def __init__(self, name: str, field: HeightField) -> None:
        self._name = name
        self._field = field
        self._outside = False

    def notice(self, t_ns: int, x: float, y: float) -> str:
        """Return a warning when the edge was crossed since the last call, '' otherwise; time [ns], place [m]."""
        if self._field.holds(x, y) != self._outside:
            return ''
        self._outside = not self._outside
        place = f'at {t_ns * 1e-9:.2f} s, x {x:.2f} m, y {y:.2f} m'
        if self._outside:
            return f'{self._name} leaves the elevation model {place}: beyond its edge the last heights go on'
        return f'{self._name} is back on the elevation model {place}'
