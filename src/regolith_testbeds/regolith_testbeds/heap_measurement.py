# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Heaps of released soil columns as points with volumes, and their measurement for all terrain models."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_files import counted_noun
from regolith_terrain.grid import Floats

_LOW, _HIGH = 0.2, 0.8
"""Fractions of the height between which the flank is fitted."""
_FOOT = 3
"""Number of rings at the foot of a heap."""
_RING = 2.0
"""Width of a ring of the profile in element sizes; narrower rings would show the lattice of the elements, if any."""


class SoilColumn(NamedTuple):
    """A column of soil in a tube about z on a rough floor at z = 0, and its release."""

    radius: float
    """Radius of the column [m]."""
    height: float
    """Approximate height of the column [m]."""
    gravity: float
    """Gravity [m/s^2]."""
    lift: float | None
    """Lifting speed of the tube [m/s]; None: the tube is removed at once."""
    floor_friction: float
    """Coefficient of friction and rolling resistance of the floor [-]."""


class Heap(NamedTuple):
    """Heap left by a column, about the axis of the cylinder, on a floor at z = 0."""

    place: Floats
    """Positions of the elements [m], shape (n, 3)."""
    volume: Floats
    """Bulk volume of each element at the density of the column [m^3], shape (n,)."""
    element_m: float
    """Size of an element [m]."""
    column_m: float
    """Initial height of the column [m]."""
    settled_s: float
    """Time from the release until the kinetic energy is below a thousandth of its peak [s]."""
    largest_overlap: float | None
    """Largest contact overlap over the smaller radius; None: the model has no contacts."""
    step_s: float
    """Step size [s]."""


def profile(heap: Heap) -> tuple[Floats, Floats]:
    """Return radii [m] and mean heights [m] of the soil in rings about the axis, both of shape (k,).

    A height is the volume in a ring over its area, so single elements count with their volume.
    """
    width = _RING * heap.element_m
    radius = np.hypot(heap.place[:, 0], heap.place[:, 1])
    ring = np.floor(radius / width).astype(np.int64)
    volume = np.bincount(ring, heap.volume)
    edges = width * np.arange(len(volume) + 1)
    return 0.5 * (edges[1:] + edges[:-1]), volume / (math.pi * np.diff(edges**2))


def measured(heap: Heap, radius: float) -> dict[str, float]:
    """Return flank slope, height and run-out of a heap.

    The height is a mean over the innermost rings. The peak is the visible top of the highest element.

    Args:
        heap: Heap to measure.
        radius: Radius of the cylinder [m].
    """
    at, height = profile(heap)
    top = float(height[:2].max())
    edge = _edge(at, height, 0.5 * heap.element_m)
    flank = (height >= _LOW * top) & (height <= _HIGH * top) & (at <= edge)
    if flank.sum() < 2:
        found = counted_noun(int(flank.sum()), 'point')
        raise ValueError(f'{found} on the flank of the heap; allowed: at least 2; fix: use more elements')
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
    """Return the radius at the foot of the heap [m], extrapolated from its outermost rings.

    Only rings of at least a given height count; those further out hold single elements. With the line the radius does
    not depend on the size of the elements.
    """
    below = np.flatnonzero(height < least)
    k = int(below[0]) if len(below) else len(at)
    if k == 0:
        return float(at[0])
    foot = slice(max(0, k - _FOOT), k)
    slope, level = np.polyfit(at[foot], height[foot], 1) if k > 1 else (0.0, 0.0)
    return float(min(-level / slope, 2.0 * at[k - 1])) if slope < 0.0 else float(at[k - 1])
