# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Heaps that columns of ground leave, as points with volumes, and how they are measured whatever made them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_files.problems import counted
from regolith_terrain.grid.node_records import Floats

_LOW, _HIGH = 0.2, 0.8
"""Parts of the height between which the flank is fitted."""
_FOOT = 3
"""Rings of the foot of a heap."""
_RING = 2.0
"""Width of a ring of the profile, in sizes of an element: narrower ones would tell of a lattice, if there is one."""


class SoilColumn(NamedTuple):
    """A column of ground in a tube about z, on a rough floor at z = 0, and how it is let go."""

    radius: float
    """[m]."""
    height: float
    """About [m]."""
    gravity: float
    """[m/s^2]."""
    lift: float | None
    """Speed at which the tube is drawn up [m/s]; None: it vanishes at once."""
    floor_friction: float
    """Coefficient of the floor, which grains neither slide on nor roll over with ease [-]."""


class Heap(NamedTuple):
    """What is left of a column, about the axis of the cylinder, on a floor at z = 0."""

    place: Floats
    """Of elements [m], shape (n, 3)."""
    volume: Floats
    """That each stands for in ground as dense as the column was [m^3], shape (n,)."""
    element_m: float
    """Size of an element [m]."""
    column_m: float
    """Height of the column before [m]."""
    settled_s: float
    """When the energy of motion had fallen below a thousandth of its peak, from the release on [s]."""
    largest_overlap: float | None
    """Of contacts, over the smaller radius; None: there are none."""
    step_s: float
    """[s]."""


def profile(heap: Heap) -> tuple[Floats, Floats]:
    """Return radii [m] and mean heights of the ground in rings about the axis [m], both of shape (k,).

    A height is the volume in a ring over its area, so that single elements on top or far out count for what they are.
    """
    width = _RING * heap.element_m
    radius = np.hypot(heap.place[:, 0], heap.place[:, 1])
    ring = np.floor(radius / width).astype(np.int64)
    volume = np.bincount(ring, heap.volume)
    edges = width * np.arange(len(volume) + 1)
    return 0.5 * (edges[1:] + edges[:-1]), volume / (math.pi * np.diff(edges**2))


def measured(heap: Heap, radius: float) -> dict[str, float]:
    """Return slope of the flank, height and run-out of a heap.

    The height is a mean over the innermost rings; the peak, the top of the highest element, is what one sees.

    Args:
        radius: Of the cylinder [m].
    """
    at, height = profile(heap)
    top = float(height[:2].max())
    edge = _edge(at, height, 0.5 * heap.element_m)
    flank = (height >= _LOW * top) & (height <= _HIGH * top) & (at <= edge)
    if flank.sum() < 2:
        found = counted(int(flank.sum()), 'point')
        raise ValueError(f'{found} on the flank of the heap; allowed: 2 at least, of more elements')
    slope = float(np.polyfit(at[flank], height[flank], 1)[0])
    return {
        'slope_deg': math.degrees(math.atan(-slope)),
        'height_m': top,
        'radius_m': edge,
        'height_over_radius': top / radius,
        'peak_over_radius': (float(heap.place[:, 2].max()) + 0.5 * heap.element_m) / radius,
        'run_out': (edge - radius) / radius,
    }


def _edge(at: Floats, height: Floats, least: float) -> float:
    """Return where the foot of the heap ends [m]: where a line through the outermost rings so high comes to zero.

    What lies further out is single elements; the line ends the heap at the same place however large they are.
    """
    below = np.flatnonzero(height < least)
    k = int(below[0]) if len(below) else len(at)
    if k == 0:
        return float(at[0])
    foot = slice(max(0, k - _FOOT), k)
    slope, level = np.polyfit(at[foot], height[foot], 1) if k > 1 else (0.0, 0.0)
    return float(min(-level / slope, 2.0 * at[k - 1])) if slope < 0.0 else float(at[k - 1])
