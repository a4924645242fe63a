# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rock fields of lunar terrain from size-frequency distributions.

The fraction of the surface covered by rocks wider than D is F(> D) = k exp(-q D) (Golombek & Rapp 1997; on the Moon Di
et al. 2016 at the Chang'e-3 site), with q(k) = 0.5648 + 0.01285 / k [1/m] as fitted to lunar sites (Wu et al. 2018).
The number per area and diameter is then n(D) = 4 k q exp(-q D) / (pi D^2).

Far from craters k is that of the preset. Craters that reach bedrock spread blocks: within 1.2 radii they add k = 0.27
(age / 1 Myr)^-0.46 (Ghent et al. 2014), decreasing as r^-3 like the ejecta. Those are craters of 18 km and more. Two
factors remove most of it from small and old craters: the bedrock fraction of the excavated bowl, (1 - D_b / D)^2 with
D_b the narrowest crater that reaches it, and the survival of meter-sized boulders, 2^-(age / 60 Myr) (Basilevsky et al.
2013: 40 to 80 Myr). Rocks do not roll, and their positions are random: they may overlap.

Like craters, rocks of an octave of diameters are drawn in the cells of a lattice, here by thinning candidates of the
densest possible field, so any box gives the same rocks.

Vehicles collide with rocks wider than 5 cm (:mod:`regolith_terrain.solids`). Rock-free zones on their paths contain no
rocks of this width, as drivers would avoid them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.height_field import HeightField
from regolith_terrain.lunar.cell_random import cell_word, key_of, poisson, uniform_draw
from regolith_terrain.lunar.craters import AGE, LARGEST, RADIUS, X, Y, gather
from regolith_terrain.lunar.degradation import AGE_ROWS, REACH
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.statistics import PRESENT_RATE
from regolith_world.numerics import kernel, portable_math

Floats = NDArray[np.float64]

_LOW_M = 0.05
"""Largest diameter of rocks in rock-free zones [m]."""
_DENSEST = 0.3
_PER_CELL = 8.0
_HALF_LIFE_MYR = 60.0
_PER_MYR = PRESENT_RATE * 1e-3
"""Number of craters wider than 1 km formed per km^2 and Myr."""
_Q0, _Q1 = 0.5648, 0.01285
"""Coefficients of q(k) = _Q0 + _Q1 / k [1/m]."""
LOW, HIGH, CELL, MEAN = range(4)
"""Columns of a class of rocks: smallest and largest diameter [m], width of a cell [m], candidates per cell."""
MIDDLE_X, MIDDLE_Y, DIAMETER, HEIGHT, ASPECT, YAW, SHAPE, ROCK_COLUMNS = range(8)
"""Columns of a rock, see :class:`Rocks`."""


@dataclass(frozen=True, slots=True)
class Rocks:
    """Catalog of rocks; all arrays of shape (n,), in an order that depends on the queried box."""

    x: Floats
    """x of the centers [m]."""
    y: Floats
    """y of the centers [m]."""
    z: Floats
    """Height of the surface at the centers [m]."""
    diameter: Floats
    """Largest width [m]."""
    height: Floats
    """Height of the tops above the surface [m]."""
    aspect: Floats
    """Smallest over largest width [-]."""
    yaw: Floats
    """Direction of the largest width, counterclockwise from +x [rad], 0 to pi."""
    shape: NDArray[np.int64]
    """A number, 0 to 2^31 - 1, that selects a shape."""

    def __len__(self) -> int:
        """Return the number of rocks."""
        return len(self.x)

    def columns(self) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
        """Return the arrays by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


def steepness(abundance: ArrayLike) -> Floats:
    """Return q [1/m], the decrease of the covered fraction with diameter, for an abundance k.

    Source: wu2018.
    Checked by: test_lunar_statistics.py::test_rock_cover_matches_golombek_and_rapp.
    """
    return np.asarray(_Q0 + _Q1 / np.maximum(abundance, 1e-12))


def rock_density(diameter_m: ArrayLike, abundance: float, max_diameter_m: float = np.inf) -> Floats:
    """Return the cumulative number of rocks wider than D and narrower than ``max_diameter_m`` per m^2.

    It is the integral of n(D) = 4 k q exp(-q D) / (pi D^2).

    Source: golombek1997; wu2018.
    Checked by: test_lunar_statistics.py::test_rock_cover_matches_golombek_and_rapp,
    test_lunar_statistics.py::test_rock_counts_pass_chi_square.
    """
    from scipy.special import exp1

    q = steepness(abundance)

    def beyond(d: Floats) -> Floats:
        # The integral of exp(-q D) / D^2, by parts.
        return np.asarray(portable_math.each(math.exp, -q * d) / d - q * exp1(q * d))

    d = np.asarray(diameter_m, dtype=np.float64)
    end = beyond(np.asarray(max_diameter_m)) if np.isfinite(max_diameter_m) else 0.0
    return np.asarray(4.0 / math.pi * abundance * q * np.maximum(beyond(d) - end, 0.0))


class RockField:
    """Rocks of a lunar field."""

    def __init__(
        self, field: LunarField, free: Sequence[tuple[Floats, float]] = (), ground: HeightField | None = None
    ) -> None:
        """Create the rocks of a field's craters and preset.

        Args:
            field: Lunar field.
            free: Lines (shape (n, 2) [m]) and distances from them [m] within which no rock is wider than 5 cm.
            ground: Surface on which rocks lie, if the field is only its finest part.
        """
        self.field = field
        self.ground: HeightField = field if ground is None else ground
        self._free = _pieces(free)
        self._key = key_of(field.seed, 'rocks')
        r = field.preset.rocks
        count = max(1, math.ceil(math.log2(r.max_diameter_m / r.min_diameter_m) - 1e-9))
        least = r.min_diameter_m * 2.0 ** np.arange(count)
        most = np.minimum(2.0 * least, r.max_diameter_m)
        q = steepness(_DENSEST)
        # Candidates: D^-2 times the maximum of the rest of n(D) in the class.
        density = 4.0 / math.pi * _DENSEST * q * portable_math.each(math.exp, -q * least) * (1.0 / least - 1.0 / most)
        cell = np.sqrt(_PER_CELL / density)
        self._classes = np.ascontiguousarray(np.stack([least, most, cell, density * cell**2], axis=1))

    def rocks_in(self, west: float, east: float, south: float, north: float, min_diameter_m: float = 0.0) -> Rocks:
        """Return the rocks whose centers are in west <= x < east, south <= y < north [m].

        Args:
            west: West edge of the box [m].
            east: East edge of the box [m].
            south: South edge of the box [m].
            north: North edge of the box [m].
            min_diameter_m: Smallest diameter of returned rocks [m].
        """
        field, r = self.field, self.field.preset.rocks
        first = int(np.searchsorted(field.classes[:, LARGEST], r.block_crater_min_diameter_m, side='right'))
        box = (float(west), float(east), float(south), float(north))
        craters = gather(*box, field.key, field.classes, AGE_ROWS, first, REACH)
        blocky = np.ascontiguousarray(craters[2.0 * craters[:, RADIUS] >= r.block_crater_min_diameter_m])
        found = _rocks(
            *box, self._key, self._classes, r.abundance, blocky, r.block_crater_min_diameter_m, float(min_diameter_m)
        )
        # Beyond the edge of an elevation model the surface is extrapolated and has no rocks.
        found = found[self.ground.inside(found[:, MIDDLE_X], found[:, MIDDLE_Y])]
        if len(self._free):
            found = found[_apart(found, self._free)]
        x, y, diameter, height, aspect, yaw, shape = (np.ascontiguousarray(column) for column in found.T)
        return Rocks(x, y, self.ground.heights(x, y), diameter, height, aspect, yaw, shape.astype(np.int64))

    def abundance(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the abundance k, the fraction of the surface covered by rocks, at (x, y) [m].

        Source: ghent2014; basilevsky2013.
        Checked by: test_craters.py::test_rock_abundance_near_a_crater_matches_the_formula,
        test_lunar_statistics.py::test_rocks_concentrate_at_fresh_craters_for_any_box.
        """
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        field, r = self.field, self.field.preset.rocks
        first = int(np.searchsorted(field.classes[:, LARGEST], r.block_crater_min_diameter_m, side='right'))
        out = np.full(x.size, r.abundance)
        if x.size:
            box = (float(x.min()), float(x.max()), float(y.min()), float(y.max()))
            craters = gather(*box, field.key, field.classes, AGE_ROWS, first, REACH)
            blocky = np.ascontiguousarray(craters[2.0 * craters[:, RADIUS] >= r.block_crater_min_diameter_m])
            for n, (px, py) in enumerate(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)):
                out[n] = _abundance(px, py, r.abundance, blocky, r.block_crater_min_diameter_m)
        return out.reshape(x.shape)


def _pieces(lines: Sequence[tuple[Floats, float]]) -> Floats:
    """Return the straight pieces of lines: x, y of both ends and the distance, shape (n, 5)."""
    rows = [
        (*points[max(k - 1, 0)], *points[k], distance)
        for points, distance in lines
        for k in range(min(1, len(points) - 1), len(points))
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 5)


@kernel
def _apart(rocks: Floats, pieces: Floats) -> NDArray[np.bool_]:
    """Return whether each rock is small or far enough from every piece of a line, shape (n,).

    Args:
        rocks: Rocks, shape (n, ROCK_COLUMNS).
        pieces: x, y of both ends and the smallest distance [m], shape (k, 5).
    """
    out = np.ones(rocks.shape[0], np.bool_)
    for n in range(rocks.shape[0]):
        if rocks[n, DIAMETER] <= _LOW_M:
            continue
        for k in range(pieces.shape[0]):
            ax, ay = pieces[k, 0], pieces[k, 1]
            dx, dy = pieces[k, 2] - ax, pieces[k, 3] - ay
            px, py = rocks[n, MIDDLE_X] - ax, rocks[n, MIDDLE_Y] - ay
            along = min(max((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-12), 0.0), 1.0)
            if math.hypot(px - along * dx, py - along * dy) < pieces[k, 4] + 0.5 * rocks[n, DIAMETER]:
                out[n] = False
                break
    return out


@kernel
def _abundance(x: float, y: float, background: float, blocky: Floats, reaches_m: float) -> float:
    """Return the abundance k at a position: the background plus the blocks excavated by nearby fresh craters.

    Args:
        x: Position along x [m].
        y: Position along y [m].
        background: Abundance far from craters [-].
        blocky: Craters that reach bedrock, rows of :func:`regolith_terrain.lunar.craters.gather`.
        reaches_m: Diameter of the narrowest crater that reaches bedrock [m].

    Source: ghent2014, 0.27 (age / Myr)^-0.46; basilevsky2013; mcgetchin1973.
    Checked by: test_craters.py::test_rock_abundance_near_a_crater_matches_the_formula.
    """
    k = background
    for n in range(blocky.shape[0]):
        away = math.hypot(x - blocky[n, X], y - blocky[n, Y]) / blocky[n, RADIUS]
        if away < REACH:
            age = max(blocky[n, AGE] / _PER_MYR, 1e-6)
            bedrock = 1.0 - 0.5 * reaches_m / blocky[n, RADIUS]
            fresh = min(0.27 * age**-0.46, _DENSEST) * bedrock * bedrock * 0.5 ** (age / _HALF_LIFE_MYR)
            fall = max(away / 1.2, 1.0) ** -3
            # Decreased to zero over the last radius.
            t = max(away - (REACH - 1.0), 0.0)
            k += fresh * fall * (1.0 - t * t * (3.0 - 2.0 * t))
    return min(k, _DENSEST)


@kernel
def _frequency(diameter: float, k: float) -> float:
    """Return n(D) D^2 pi / 4 = k q exp(-q D) [1/m] for rocks of a diameter [m].

    Source: golombek1997; wu2018.
    Checked by: test_lunar_statistics.py::test_rock_counts_pass_chi_square.
    """
    if k <= 0.0:
        return 0.0
    q = _Q0 + _Q1 / k
    return k * q * math.exp(-q * diameter)


@kernel
def _rocks(
    west: float,
    east: float,
    south: float,
    north: float,
    key: np.uint64,
    classes: Floats,
    background: float,
    blocky: Floats,
    reaches_m: float,
    least: float,
) -> Floats:
    """Return all rocks of a box, shape (n, ROCK_COLUMNS).

    Candidates of the densest field are thinned to the local one. Heights are on average 0.54 of the width, mostly 0.3
    to 0.8.

    Source: golombek1997; wu2018; demidov2014.
    Checked by: test_lunar_statistics.py::test_rock_counts_pass_chi_square.
    """
    found = np.empty((256, ROCK_COLUMNS))
    count = 0
    for layer in range(classes.shape[0]):
        low, high, cell, mean = classes[layer, LOW], classes[layer, HIGH], classes[layer, CELL], classes[layer, MEAN]
        if high <= least:
            continue
        bound = _frequency(low, _DENSEST)
        for kx in range(int(math.floor(west / cell)), int(math.floor(east / cell)) + 1):
            for ky in range(int(math.floor(south / cell)), int(math.floor(north / cell)) + 1):
                word = cell_word(key, layer, kx, ky)
                for index in range(poisson(uniform_draw(word, -1), mean)):
                    at = 8 * index
                    x, y = (kx + uniform_draw(word, at)) * cell, (ky + uniform_draw(word, at + 1)) * cell
                    if x < west or x >= east or y < south or y >= north:
                        continue
                    share = uniform_draw(word, at + 2)
                    diameter = 1.0 / (1.0 / low - share * (1.0 / low - 1.0 / high))
                    if diameter < least:
                        continue
                    k = _abundance(x, y, background, blocky, reaches_m)
                    if uniform_draw(word, at + 3) * bound >= _frequency(diameter, k):
                        continue
                    if count == found.shape[0]:
                        more = np.empty((2 * count, ROCK_COLUMNS))
                        more[:count] = found
                        found = more
                    look = uniform_draw(word, at + 6)
                    height = 0.54 + 0.26 * (uniform_draw(word, at + 4) + uniform_draw(word, at + 5) - 1.0)
                    found[count, MIDDLE_X] = x
                    found[count, MIDDLE_Y] = y
                    found[count, DIAMETER] = diameter
                    found[count, HEIGHT] = diameter * height
                    found[count, ASPECT] = 0.6 + 0.4 * math.sqrt(look)
                    found[count, YAW] = math.pi * uniform_draw(word, at + 7)
                    found[count, SHAPE] = math.floor(2147483648.0 * (look * 4096.0 - math.floor(look * 4096.0)))
                    count += 1
    return found[:count]
