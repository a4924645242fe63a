# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Initial positions of soil particles, and markers that fill walls and bodies.

Markers are in layers below a surface, the first half a spacing below it. Soil begins half a spacing above it, so the
surface is at its geometric position. Three layers fill the reach of the kernel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.crm.arrays import Floats
from regolith_world.numerics import portable_math

LAYERS = 3


def lattice(low: ArrayLike, high: ArrayLike, spacing: float) -> Floats:
    """Return centers of cubes that fill a box, as many as fit best along each side [m], shape (n, 3)."""
    axes = []
    for a, b in zip(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64), strict=True):
        count = max(0, round((b - a) / spacing))
        axes.append(a + (np.arange(count) + 0.5) * (b - a) / max(1, count))
    return np.stack(np.meshgrid(*axes, indexing='ij'), axis=-1).reshape(-1, 3)


def trough(low: ArrayLike, high: ArrayLike, spacing: float, height: float = 0.0) -> Floats:
    """Return markers of a floor and four walls around a box of soil [m], shape (n, 3).

    Args:
        low: Lower corner of the soil [m].
        high: Upper corner of the soil [m].
        spacing: Particle spacing [m].
        height: Height of the walls above the soil [m].
    """
    a, b = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    size = np.round((b - a) / spacing) * spacing
    edge = LAYERS * spacing
    grown = lattice(a - edge, a + size + [edge, edge, round(height / spacing) * spacing], spacing)
    inside = (grown > a).all(axis=1) & (grown[:, :2] < (a + size)[:2]).all(axis=1)
    around: Floats = grown[~inside]
    return around


def channel(x: tuple[float, float], width: float, floor: float, spacing: float, height: float) -> tuple[Floats, Floats]:
    """Return positions of soil below z = 0, and markers of floor and ends of a channel [m], shape (n, 3).

    The channel is periodic along y, where it has no walls.

    Args:
        x: Positions of its ends [m], the second moved to whole spacings.
        width: Period along y [m].
        floor: Height z of the floor [m].
        spacing: Particle spacing [m].
        height: Height of the ends above the soil [m].
    """
    edge = LAYERS * spacing
    (a, b), count = x, round((x[1] - x[0]) / spacing)
    b, floor = a + count * spacing, round(floor / spacing) * spacing

    def filled(x0: float, x1: float, z0: float, z1: float) -> Floats:
        return lattice((x0, 0.0, z0), (x1, width, z1), spacing)

    walls = np.concatenate(
        (
            filled(a - edge, b + edge, floor - edge, floor),
            filled(a - edge, a, floor, height),
            filled(b, b + edge, floor, height),
        )
    )
    return filled(a, b, floor, 0.0), walls


def floor(low: ArrayLike, high: ArrayLike, spacing: float) -> Floats:
    """Return markers below a rectangle, given by x, y of its corners and z of the lower one [m], shape (n, 3)."""
    a, b = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    return lattice([a[0], a[1], a[2] - LAYERS * spacing], [b[0], b[1], a[2]], spacing)


def box(half: ArrayLike, spacing: float) -> Floats:
    """Return markers in the outer layers of a box around the origin [m], shape (n, 3).

    Args:
        half: Half lengths [m], shape (3,).
        spacing: Particle spacing [m].
    """
    side = np.asarray(half, dtype=np.float64)
    filled = lattice(-side, side, spacing)
    depth = (side - np.abs(filled)).min(axis=1)
    outer: Floats = filled[depth < LAYERS * spacing]
    return outer


def together(*parts: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Return markers of the world and of bodies in one array [m], and the body of each: 0, 1 and so on."""
    return np.concatenate(parts), np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])


def slab(length: float, width: float, spacing: float) -> Floats:
    """Return markers of a plate above z = 0, centered at the origin, none on y = 0 [m], shape (n, 3).

    Args:
        length: Length along x [m].
        width: Width along y [m].
        spacing: Particle spacing [m].
    """
    half = lattice((-0.5 * length, 0.0, 0.0), (0.5 * length, 0.5 * width, LAYERS * spacing), spacing)
    return np.concatenate((half, half * [1.0, -1.0, 1.0]))


def disc(radius: float, spacing: float) -> Floats:
    """Return markers of a round plate above z = 0, in rings about z, none on y = 0 [m], shape (n, 3)."""
    count = max(1, round(radius / spacing))
    rings = []
    for k in range(count):
        r = (k + 0.5) * radius / count
        around = 2 * max(2, round(math.pi * r / spacing))
        turn = 2.0 * math.pi * (np.arange(around) + 0.5) / around
        rings.append(
            np.stack(
                (r * portable_math.each(math.cos, turn), r * portable_math.each(math.sin, turn), np.zeros(len(turn))),
                axis=1,
            )
        )
    flat = np.concatenate(rings)
    return np.concatenate([flat + [0.0, 0.0, (layer + 0.5) * spacing] for layer in range(LAYERS)])


def ball(radius: float, spacing: float) -> Floats:
    """Return markers of a ball in spherical layers [m], shape (n, 3)."""
    shells = []
    for layer in range(LAYERS):
        r = radius - (layer + 0.5) * spacing
        if r <= 0.5 * spacing:
            shells.append(np.zeros((1, 3)))
            break
        count = max(4, round(4.0 * math.pi * (r / spacing) ** 2))
        z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
        turn = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
        flat = np.sqrt(1.0 - z * z)
        shells.append(
            r
            * np.stack(
                (flat * portable_math.each(math.cos, turn), flat * portable_math.each(math.sin, turn), z), axis=1
            )
        )
    return np.concatenate(shells)


def wheel(
    radius: float,
    width: float,
    spacing: float,
    grousers: int = 0,
    height: float = 0.0,
    thickness: float = 0.0,
    even: bool = False,
) -> Floats:
    """Return markers of a drum with axle along y and straight grousers [m], shape (n, 3).

    Its sides are closed to a depth of five times the outer layers; soil does not enter further.

    Args:
        radius: Radius of the drum [m].
        width: Width of the drum [m].
        spacing: Particle spacing [m].
        grousers: Number of grousers.
        height: Height of the grousers above the drum [m].
        thickness: Thickness of a grouser [m]; one thinner than the spacing has one layer of markers.
        even: Whether no marker is on the plane y = 0.
    """
    rows = max(1, round(width / spacing))
    rows += rows % 2 if even else 0
    across = (np.arange(rows) + 0.5) * width / rows - 0.5 * width
    parts = []
    for layer in range(5 * LAYERS):
        r = radius - (layer + 0.5) * spacing
        if r < 0.5 * spacing:
            break
        count = max(3, round(2.0 * math.pi * r / spacing))
        turn = 2.0 * math.pi * np.arange(count) / count
        y = across if layer < LAYERS else across[np.abs(across) > 0.5 * width - LAYERS * spacing]
        ring = np.stack(
            (r * portable_math.each(math.sin, turn), np.zeros(count), r * portable_math.each(math.cos, turn)), axis=1
        )
        parts.append((ring[:, None, :] + y[None, :, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3))
    tall = max(1, round(height / spacing)) if grousers and height > 0.0 else 0
    thick = max(1, round(thickness / spacing))
    for k in range(grousers if tall else 0):
        turn_k = 2.0 * math.pi * k / grousers
        out = np.array([math.sin(turn_k), 0.0, math.cos(turn_k)])
        along = np.array([math.cos(turn_k), 0.0, -math.sin(turn_k)])
        for i in range(tall):
            for j in range(thick):
                place = (radius + (i + 0.5) * height / tall) * out + (j - 0.5 * (thick - 1)) * spacing * along
                parts.append(place + across[:, None] * np.array([0.0, 1.0, 0.0]))
    return np.concatenate(parts)
