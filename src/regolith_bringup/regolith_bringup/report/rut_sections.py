# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cross-sections of ruts: the terrain across a track, before and after the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.report.changed_terrain import ChangedTerrain
from regolith_bringup.report.run_data import RunData, VehicleTrack
from regolith_terrain import HeightField, build_height_field

Array = NDArray[np.float64]

HALF_WIDTH_M = 1.5
"""Half width of a cross-section, to both sides of the track [m]."""
_LEAST_M = 0.3
"""Minimum path length for a cross-section [m]."""
_STRETCH_M = 0.3
"""Length of path used to determine its direction [m]."""


@dataclass(frozen=True)
class RutSection:
    """Terrain across the track of a vehicle, n points from right to left."""

    name: str
    """Name of the vehicle."""
    at: tuple[float, float]
    """Point at half the length of the track [m]."""
    traveled: float
    """Path length up to this point [m]."""
    across: Array
    """Distance from the track, positive to the left [m], shape (n,)."""
    undisturbed: Array
    """Height before the run [m], shape (n,)."""
    final: Array
    """Height after the run [m], shape (n,)."""

    @property
    def depth(self) -> float:
        """Maximum depth below the undisturbed surface [m]."""
        return float((self.undisturbed - self.final).max())


def rut_sections(run: RunData) -> list[RutSection]:
    """Return a section at half the length of each track, in name order, without vehicles that did not move."""
    field = build_height_field(run.scenario.terrain, run.scenario.seed)
    found = []
    for name, track in sorted(run.tracks.items()):
        if (place := _halfway(track)) is None:
            continue
        at, left, traveled = place
        across = np.arange(
            -HALF_WIDTH_M, HALF_WIDTH_M + 0.5 * run.changed_terrain.spacing, 0.5 * run.changed_terrain.spacing
        )
        x, y = at[:, None] + left[:, None] * across
        undisturbed = field.heights(x, y)
        change = _changes(run.changed_terrain, field, x, y)
        point = (float(at[0]), float(at[1]))
        found.append(RutSection(name, point, traveled, across, undisturbed, undisturbed + change))
    return found


def _halfway(track: VehicleTrack) -> tuple[Array, Array, float] | None:
    """Return the middle of a path [m], the direction to its left there, and the path length up to it [m]."""
    xy = track.position[:, :2]
    path = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(xy, axis=0), axis=1))) if len(xy) else np.zeros(1)
    if path[-1] < _LEAST_M:
        return None
    middle = 0.5 * path[-1]
    begin, at, end = (
        np.array([np.interp(s, path, xy[:, k]) for k in (0, 1)])
        for s in (middle - 0.5 * _STRETCH_M, middle, middle + 0.5 * _STRETCH_M)
    )
    ahead = (end - begin) / max(float(np.linalg.norm(end - begin)), 1e-9)
    return at, np.array([-ahead[1], ahead[0]]), float(middle)


def _changes(changed_terrain: ChangedTerrain, field: HeightField, x: Array, y: Array) -> Array:
    """Return the height change of terrain at points [m], interpolated between the four surrounding grid nodes."""
    spacing = changed_terrain.spacing
    u, v = x / spacing, y / spacing
    i0, j0 = int(np.floor(u.min())), int(np.floor(v.min()))
    rise = np.zeros((int(np.floor(u.max())) - i0 + 2, int(np.floor(v.max())) - j0 + 2))
    i, j = changed_terrain.i - i0, changed_terrain.j - j0
    inside = (i >= 0) & (i < rise.shape[0]) & (j >= 0) & (j < rise.shape[1])
    base = field.heights(changed_terrain.i[inside] * spacing, changed_terrain.j[inside] * spacing)
    rise[i[inside], j[inside]] = changed_terrain.level[inside] - base
    a, b = np.floor(u).astype(np.int64) - i0, np.floor(v).astype(np.int64) - j0
    s, t = u - np.floor(u), v - np.floor(v)
    found: Array = (1.0 - s) * ((1.0 - t) * rise[a, b] + t * rise[a, b + 1]) + s * (
        (1.0 - t) * rise[a + 1, b] + t * rise[a + 1, b + 1]
    )
    return found
