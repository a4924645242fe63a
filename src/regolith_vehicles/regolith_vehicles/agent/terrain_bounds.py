# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Monitor that warns when a vehicle leaves the elevation model."""

from __future__ import annotations

from regolith_terrain import HeightField


class TerrainBoundsMonitor:
    """Monitor of the elevation model's edge; other terrain has no edge."""

    def __init__(self, name: str, field: HeightField) -> None:
        self._name = name
        self._field = field
        self._outside = False

    def notice(self, t_ns: int, x: float, y: float) -> str:
        """Return a warning if the vehicle crossed the edge since the last call, else ''.

        Args:
            t_ns: Simulated time [ns].
            x: Position of the vehicle along x [m].
            y: Position of the vehicle along y [m].
        """
        if self._field.holds(x, y) != self._outside:
            return ''
        self._outside = not self._outside
        place = f'at {t_ns * 1e-9:.2f} s, x {x:.2f} m, y {y:.2f} m'
        if self._outside:
            return f'{self._name} left the elevation model {place}: the heights at its edge are extended'
        return f'{self._name} returned to the elevation model {place}'
