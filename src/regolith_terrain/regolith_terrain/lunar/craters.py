# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of superposed craters of all ages.

Each octave of diameters (a *class*) has a separate lattice. The cells draw number, positions, sizes and ages of their
craters from a hash of (seed, class, cell). A crater extends at most one cell away, so a point depends on 3 x 3 cells
per class, and the result does not depend on other evaluations.

Craters are applied in order of age. A new one follows the slopes it falls on, but removes relief of its own size and
smaller within its bowl, and covers it with the thick ejecta at its rim.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.lunar.cell_random import cell_word, poisson, uniform_draw
from regolith_terrain.lunar.degradation import AGE_ROWS, REACH, STEPS, fresh_depth_ratio
from regolith_terrain.lunar.statistics import crater_density, equilibrium, production, visible_count
from regolith_world.numerics import kernel, portable_math

Floats = NDArray[np.float64]

# Columns of a class: smallest diameter, width of a cell, mean number per cell, largest diameter, exponent of the
# number. Then pairs (value at the smallest diameter, exponent) of power laws within the class: production C since the
# oldest crater formed, production until K = 1, fresh depth over diameter.
CLASS_COLUMNS = 11
LEAST, CELL, NUMBER, LARGEST, NUMBER_EXPONENT = range(5)
MADE, MADE_EXPONENT, WEAR, WEAR_EXPONENT, FRESH, FRESH_EXPONENT = range(5, CLASS_COLUMNS)
# Columns of a crater.
AGE, CLASS, X, Y, RADIUS, DEPTH, ROW, WOBBLE = range(8)
CRATER_COLUMNS = WOBBLE + 6

# Outlines deviate from circles by up to 11 %: three harmonics of +-0.026 in sine and cosine.
_WOBBLE = 0.052
_SLIMMEST = 0.88
FARTHEST = REACH / _SLIMMEST
"""Distance from its center, in radii, beyond which a crater has certainly ended."""
_ANCHOR_M = 100.0
_LAYER = 1000
_MAX_ROW = len(AGE_ROWS) - 1.001


def crater_classes(
    min_diameter_m: float, max_diameter_m: float, density: float, exponent: float, age_gyr: float, faintest_age: float
) -> Floats:
    """Return the table of classes for the kernels, smallest first, shape (n, 11).

    Micrometeorites that form craters also erode them. A crater formed C production units ago has the diffusion age K =
    faintest_age C / C_eq(D), which is ``faintest_age`` at the end of its visible time. So kappa is about proportional
    to D^0.9, an anomalous diffusion as found by Xie et al. (2017). Beyond 100 m that law is extrapolated.

    Args:
        min_diameter_m: Smallest diameter [m].
        max_diameter_m: Largest diameter [m]; the last class ends there.
        density: Density of the equilibrium, see :func:`regolith_terrain.lunar.statistics.equilibrium`.
        exponent: Exponent of the equilibrium, see :func:`regolith_terrain.lunar.statistics.equilibrium`.
        age_gyr: Age of the surface [Gyr].
        faintest_age: K of a crater that is just visible.

    Source: neukum2001; trask1966; xie2017; fassett2014.
    Checked by: test_lunar_statistics.py::test_crater_degradation_ends_at_minimum_visible_depth,
    test_lunar_statistics.py::test_diffusivity_agrees_with_fassett_and_thomson,
    test_lunar_statistics.py::test_crater_counts_pass_chi_square.
    """
    edges = [min_diameter_m]
    while edges[-1] * 1.5 < max_diameter_m:
        edges.append(min(2.0 * edges[-1], max_diameter_m))
    d = np.array(edges)
    number = crater_density(d, density, exponent, age_gyr)
    made = visible_count(d, density, exponent, age_gyr)
    small = np.minimum(d, _ANCHOR_M)
    wider = portable_math.each(math.pow, d / small, 1.1)
    wear = equilibrium(small, density, exponent) * 1e6 / production(small) * wider / faintest_age
    depth = fresh_depth_ratio(d)
    octave = portable_math.each(math.log, d[1:] / d[:-1])
    cell = REACH * 0.5 / _SLIMMEST * d[1:]
    columns = [d[:-1], cell, (number[:-1] - number[1:]) * cell**2, d[1:]]
    columns.append(portable_math.each(math.log, number[1:] / number[:-1]) / octave)
    for value in (made, wear, depth):
        columns += [value[:-1], portable_math.each(math.log, value[1:] / value[:-1]) / octave]
    return np.ascontiguousarray(np.stack(columns, axis=1))


@kernel
def cell_count(key: np.uint64, layer: int, ix: int, iy: int, classes: Floats) -> int:
    """Return the number of craters in a cell: a Poisson number with the mean of the class.

    Source: neukum2001; trask1966.
    Checked by: test_lunar_statistics.py::test_crater_counts_pass_chi_square.
    """
    count: int = poisson(uniform_draw(cell_word(key, _LAYER + layer, ix, iy), -1), classes[layer, NUMBER])
    return count


@kernel
def make_crater(
    key: np.uint64, layer: int, ix: int, iy: int, index: int, classes: Floats, rows: Floats, crater: Floats
) -> None:
    """Write the columns of one crater of a cell, shape (CRATER_COLUMNS,).

    Diameters follow the power law of the class. Ages are uniform in production since the oldest visible crater.

    Args:
        key: Key of the random numbers.
        layer: Number of the class.
        ix: Cell index along x.
        iy: Cell index along y.
        index: Number of the crater in its cell, from 0.
        classes: Table of classes.
        rows: Ages K of the rows of the profile table.
        crater: Output: columns of the crater.

    Source: neukum2001; trask1966; fassett2014.
    Checked by: test_lunar_statistics.py::test_crater_counts_pass_chi_square,
    test_lunar_statistics.py::test_crater_ages_are_uniform_over_the_visible_time.
    """
    word = cell_word(key, _LAYER + layer, ix, iy)
    first = 16 * index
    least, cell = classes[layer, LEAST], classes[layer, CELL]
    slope = classes[layer, NUMBER_EXPONENT]
    share = 1.0 - (classes[layer, LARGEST] / least) ** slope
    diameter = least * (1.0 - uniform_draw(word, first) * share) ** (1.0 / slope)
    ratio = diameter / least
    made = uniform_draw(word, first + 1) * classes[layer, MADE] * ratio ** classes[layer, MADE_EXPONENT]
    worn = made / (classes[layer, WEAR] * ratio ** classes[layer, WEAR_EXPONENT])
    crater[AGE] = made
    crater[CLASS] = layer
    crater[X] = (ix + uniform_draw(word, first + 2)) * cell
    crater[Y] = (iy + uniform_draw(word, first + 3)) * cell
    crater[RADIUS] = 0.5 * diameter
    crater[DEPTH] = diameter * classes[layer, FRESH] * ratio ** classes[layer, FRESH_EXPONENT]
    row = 0.0
    if worn >= rows[-1]:
        row = _MAX_ROW
    elif worn > 0.0:
        at = np.searchsorted(rows, worn) - 1
        row = min(at + (worn - rows[at]) / (rows[at + 1] - rows[at]), _MAX_ROW)
    crater[ROW] = row
    for k in range(6):
        crater[WOBBLE + k] = (uniform_draw(word, first + 4 + k) - 0.5) * _WOBBLE


@kernel
def gather(
    west: float,
    east: float,
    south: float,
    north: float,
    key: np.uint64,
    classes: Floats,
    rows: Floats,
    first: int,
    grown: float,
) -> Floats:
    """Return all craters of classes from ``first`` on that may extend to a box, oldest first, shape (n,
    CRATER_COLUMNS).

    Args:
        west: West edge of the box [m].
        east: East edge of the box [m].
        south: South edge of the box [m].
        north: North edge of the box [m].
        key: Key of the random numbers.
        classes: Table of classes.
        rows: Ages K of the rows of the profile table.
        first: First class.
        grown: Extent of a crater in radii, at most FARTHEST.
    """
    found = np.empty((64, CRATER_COLUMNS))
    count = 0
    one = np.empty(CRATER_COLUMNS)
    for layer in range(first, classes.shape[0]):
        cell = classes[layer, CELL]
        for kx in range(int(math.floor(west / cell)) - 1, int(math.floor(east / cell)) + 2):
            for ky in range(int(math.floor(south / cell)) - 1, int(math.floor(north / cell)) + 2):
                for index in range(cell_count(key, layer, kx, ky, classes)):
                    make_crater(key, layer, kx, ky, index, classes, rows, one)
                    dx = max(west - one[X], 0.0, one[X] - east)
                    dy = max(south - one[Y], 0.0, one[Y] - north)
                    reach = grown * one[RADIUS]
                    if dx * dx + dy * dy <= reach * reach:
                        if count == found.shape[0]:
                            more = np.empty((2 * count, CRATER_COLUMNS))
                            more[:count] = found
                            found = more
                        found[count] = one
                        count += 1
    order = np.argsort(-found[:count, AGE], kind='mergesort')
    return found[:count][order]


@kernel
def _profile(table: Floats, row: float, x: float) -> float:
    """Return the height of a degraded crater at x < REACH radii from a row of the profile table.

    It is cubic in x and linear between rows.

    Source: catmull1974.
    Checked by: test_lunar_field.py::test_ground_is_continuously_differentiable,
    test_craters.py::test_crater_has_its_profile_at_its_position.
    """
    at = x * STEPS
    i = int(at)
    t = at - i
    k = int(row)
    f = row - k
    last = table.shape[1] - 1
    # The profile is even in x.
    before, after, beyond = abs(i - 1), min(i + 1, last), min(i + 2, last)
    a = table[k, before] + f * (table[k + 1, before] - table[k, before])
    b = table[k, i] + f * (table[k + 1, i] - table[k, i])
    c = table[k, after] + f * (table[k + 1, after] - table[k, after])
    d = table[k, beyond] + f * (table[k + 1, beyond] - table[k, beyond])
    height: float = b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
    return height


@kernel
def _wiped(x: float) -> float:
    """Return the fraction of older, smaller relief that a crater removes at x radii.

    All relief is removed in the bowl, none at 1.5 radii and more.
    """
    if x <= 0.9:
        return 1.0
    if x >= 1.5:
        return 0.0
    t = (x - 0.9) / 0.6
    return 1.0 - t * t * (3.0 - 2.0 * t)


@kernel
def add_craters(
    x: Floats,
    y: Floats,
    key: np.uint64,
    classes: Floats,
    rows: Floats,
    table: Floats,
    least: float,
    layers: Floats,
    out: Floats,
) -> None:
    """Add the relief of all craters at (x[r], y[c]) [m], both ascending, to out [m], shape (len(x), len(y)).

    Args:
        x: Positions along x [m].
        y: Positions along y [m].
        key: Key of the random numbers.
        classes: Table of classes.
        rows: Ages K of the rows of the profile table.
        table: Table of profiles.
        least: Smallest diameter of included classes [m].
        layers: Work array, shape (len(x), len(y), number of classes).
        out: Input and output: heights [m].
    """
    first = first_class(classes, least)
    craters = gather(x[0], x[-1], y[0], y[-1], key, classes, rows, first, FARTHEST)
    lay_craters(x, y, craters, table, first, layers, out)


@kernel
def first_class(classes: Floats, least: float) -> int:
    """Return the first class whose smallest diameter is at least ``least``."""
    first: int = np.int64(0)  # type: ignore[assignment]  # a plain 0 would compile callers for a literal, too
    while first < classes.shape[0] and classes[first, LEAST] < least:
        first += 1
    return first


@kernel
def lay_craters(x: Floats, y: Floats, craters: Floats, table: Floats, first: int, layers: Floats, out: Floats) -> None:
    """Add the relief of given craters, oldest first, at (x[r], y[c]) to out; see :func:`add_craters`."""
    layers[:] = 0.0
    for n in range(craters.shape[0]):
        _lay(x, y, craters[n], table, layers)
    for r in range(len(x)):
        for c in range(len(y)):
            for k in range(first, layers.shape[2]):
                out[r, c] += layers[r, c, k]


@kernel
def _lay(x: Floats, y: Floats, crater: Floats, table: Floats, layers: Floats) -> None:
    """Apply one crater to the relief of each class."""
    radius = crater[RADIUS]
    own = int(crater[CLASS])
    limit = radius * FARTHEST
    limit *= limit
    for r in range(len(x)):
        dx = x[r] - crater[X]
        if dx * dx >= limit:
            continue
        for c in range(len(y)):
            dy = y[c] - crater[Y]
            rr = dx * dx + dy * dy
            if rr >= limit:
                continue
            at = math.sqrt(rr)
            c1, s1 = (dx / at, dy / at) if at > 0.0 else (1.0, 0.0)
            c2, s2 = c1 * c1 - s1 * s1, 2.0 * c1 * s1
            c3, s3 = c2 * c1 - s2 * s1, s2 * c1 + c2 * s1
            c4, s4 = c2 * c2 - s2 * s2, 2.0 * c2 * s2
            wobble = crater[WOBBLE] * c2 + crater[WOBBLE + 1] * s2 + crater[WOBBLE + 2] * c3
            wobble += crater[WOBBLE + 3] * s3 + crater[WOBBLE + 4] * c4 + crater[WOBBLE + 5] * s4
            away = at / radius * (1.0 + wobble)
            if away >= REACH:
                continue
            gone = _wiped(away)
            if gone > 0.0:
                for k in range(own + 1):
                    layers[r, c, k] *= 1.0 - gone
            layers[r, c, own] += crater[DEPTH] * _profile(table, crater[ROW], away)
