# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Procedural lunar terrain: craters on fractal relief, a pure function of seed and position.

*Fractal relief*: a sum of octaves of gradient noise (Perlin 2002, quintic fade) with amplitudes proportional to
wavelength^H. The relief is self-affine with Hurst exponent H between the outer and the inner scale (Rosenburg et al.
2011 find H about 0.95 for highlands and 0.76 for maria).

*Craters*: diameters follow a power law, N(> D) = density D^-b. Each octave of diameters has a separate lattice. Number,
positions and sizes of the craters in a cell are drawn from a hash of (seed, octave, cell). A point depends on the 3 x 3
cells around it only, so the result does not depend on the order or extent of evaluation. A crater is a parabolic bowl
with a raised rim (Pike 1977: rim height 0.04 D, depth 0.2 D when fresh) and an ejecta blanket that falls as r^-3
(McGetchin et al. 1973). Age lowers and rounds it. All parts are joined by polynomial smooth minima and steps, so they
are continuously differentiable.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field import HeightField, Heights
from regolith_terrain.lunar.cell_random import DRAW_GAMMA, cell_word, unit
from regolith_terrain.terrain_source_config import RoughnessConfig
from regolith_world.numerics import kernel, portable_math
from regolith_world.random import GOLDEN_GAMMA, mix_bits

_REACH = 3.0
"""Extent of a crater in radii from its center. A cell of the octave [d, 2 d) is 3 d wide, the largest extent."""
_RIM = 0.04
"""Rim height of a fresh crater over its diameter."""
_CLEAR_FRESHNESS = 0.15
"""Freshness of craters within the clear region: their walls stay below about 7 degrees."""
_CRATER_LAYER, _COUNT_LAYER = 1000, 2000
"""Layers of random words for craters and their numbers; those of the noise octaves start at 0."""
DENSITY, EXPONENT, LEAST, LARGEST, DEPTH_RATIO, CLEAR_RADIUS, CLEAR_LARGEST = range(7)
"""Crater parameters: density of craters wider than 1 m [1/m^2], exponent, smallest and largest diameter [m], fresh
depth over diameter, radius of the clear region about the origin [m], largest diameter in it [m]."""
FREQUENCY, AMPLITUDE, COS, SIN = range(4)
"""Columns of the noise octaves: 1 / wavelength [1/m], amplitude [m], cosine and sine of the lattice rotation."""
_VERSION = 1


class ProceduralField(HeightField):
    """Unbounded procedural terrain; the height at the origin is 0."""

    def __init__(self, seed: int, roughness: RoughnessConfig | None = None) -> None:
        """Create the terrain of a seed.

        Args:
            seed: Seed of relief and craters.
            roughness: Shape of the relief; none: that of a gentle mare.
        """
        config = roughness if roughness is not None else RoughnessConfig()
        self.seed = int(seed)
        self.roughness = config
        self._key = np.uint64(int.from_bytes(hashlib.sha256(f'procedural {self.seed}'.encode()).digest()[:8], 'little'))
        self._octaves = _noise_octaves(config)
        self._craters = np.array(
            [
                config.crater_density,
                config.crater_exponent,
                config.crater_min_m,
                config.crater_max_m,
                config.depth_ratio,
                config.crater_free_radius_m,
                config.crater_free_max_diameter_m,
            ]
        )
        self._offset = 0.0
        self._offset = float(self.heights(0.0, 0.0))

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        """Return z [m] at (x, y) [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = np.empty(x.size)
        _points(x.ravel(), y.ravel(), self._key, self._octaves, self._craters, self._offset, out)
        return out.reshape(x.shape)

    def nodes(self, i0: int, i1: int, j0: int, j1: int, spacing: float) -> Heights:
        """Return z [m] of a block of nodes, bit-identical to :meth:`heights` and several times faster."""
        out = np.zeros((i1 - i0, j1 - j0))
        _block(i0, j0, float(spacing), self._key, self._octaves, self._craters, self._offset, out)
        return out

    def fingerprint(self) -> str:
        """Return the SHA-256 (hex) of seed, parameters and version of the algorithm."""
        return hashlib.sha256(f'procedural {_VERSION} {self.seed} {self.roughness!r}'.encode()).hexdigest()


def _noise_octaves(config: RoughnessConfig) -> NDArray[np.float64]:
    """Return the noise octaves, longest wavelength first, shape (n, 4).

    Their amplitudes are proportional to wavelength^H and give the configured rms height.

    Source: perlin2002; turcotte1997; rosenburg2011.
    Checked by: test_procedural.py::test_procedural_relief_has_the_given_height_and_hurst_exponent.
    """
    count = int(math.floor(math.log2(config.outer_scale_m / config.inner_scale_m) + 1e-9)) + 1
    wavelength = config.outer_scale_m * 0.5 ** np.arange(count)
    amplitude = portable_math.each(math.pow, wavelength, config.hurst)
    amplitude *= config.rms_height_m / np.sqrt(np.sum(amplitude**2)) / _noise_rms()
    # Rotation of each lattice by the golden angle hides the lattice axes.
    turn = np.arange(count) * math.pi * (3.0 - math.sqrt(5.0))
    columns = [1.0 / wavelength, amplitude, portable_math.each(math.cos, turn), portable_math.each(math.sin, turn)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _noise_rms() -> float:
    """Return the standard deviation of gradient noise with gradient components uniform in [-1, 1].

    Its square is the cell mean of the sum over corners of w^2 |d|^2 / 3 with w = (1 - f(x)) (1 - f(y)), f the quintic
    fade. By symmetry it is 8/3 times the integrals of (1 - f)^2 and of (1 - f)^2 x^2 over [0, 1].

    Source: perlin2002.
    Checked by: test_lunar_statistics.py::test_lunar_relief_has_the_given_deviation.
    """
    weight = (1.0 - Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])) ** 2
    plain, moment = weight.integ(), (weight * Polynomial([0.0, 0.0, 1.0])).integ()
    return math.sqrt(8.0 / 3.0 * (plain(1.0) - plain(0.0)) * (moment(1.0) - moment(0.0)))


@kernel
def _corner(key: np.uint64, layer: int, ix: int, iy: int, dx: float, dy: float) -> float:
    """Return the product of the gradient at a lattice corner and the distance (dx, dy) from it."""
    word = cell_word(key, layer, ix, iy)
    gx = np.float64(word >> np.uint64(32)) * (2.0 / 4294967296.0) - 1.0
    gy = np.float64(word & np.uint64(0xFFFFFFFF)) * (2.0 / 4294967296.0) - 1.0
    return gx * dx + gy * dy


@kernel
def _fractal(x: float, y: float, key: np.uint64, octaves: Floats) -> float:
    """Return the fractal relief [m] at (x, y) [m]: octaves of gradient noise with the quintic fade.

    Source: perlin2002.
    Checked by: test_procedural.py::test_procedural_relief_has_the_given_height_and_hurst_exponent.
    """
    z = 0.0
    for layer in range(octaves.shape[0]):
        cos, sin = octaves[layer, COS], octaves[layer, SIN]
        u = (cos * x + sin * y) * octaves[layer, FREQUENCY]
        v = (cos * y - sin * x) * octaves[layer, FREQUENCY]
        iu, iv = int(math.floor(u)), int(math.floor(v))
        du, dv = u - iu, v - iv
        fu = du * du * du * (du * (du * 6.0 - 15.0) + 10.0)
        fv = dv * dv * dv * (dv * (dv * 6.0 - 15.0) + 10.0)
        a = _corner(key, layer, iu, iv, du, dv)
        b = _corner(key, layer, iu + 1, iv, du - 1.0, dv)
        c = _corner(key, layer, iu, iv + 1, du, dv - 1.0)
        d = _corner(key, layer, iu + 1, iv + 1, du - 1.0, dv - 1.0)
        low = a + fu * (b - a)
        high = c + fu * (d - c)
        z += octaves[layer, AMPLITUDE] * (low + fv * (high - low))
    return z


@kernel
def _crater_height(x: float, depth: float, rim: float, blend: float) -> float:
    """Return the height [m] of a crater at x = distance / radius < 3.

    Args:
        x: Distance over radius [-].
        depth: Depth from rim to floor [m].
        rim: Height of the rim [m].
        blend: Height difference below which bowl and ejecta are blended [m].

    Source: pike1977; mcgetchin1973.
    Checked by: test_procedural.py::test_procedural_crater_profile_is_smooth.
    """
    bowl = depth * (x * x - 1.0) + rim
    outside = rim / max(x, 0.5) ** 3
    if x > 2.0:
        t = x - 2.0
        outside *= 1.0 - t * t * (3.0 - 2.0 * t)
    overlap = max(blend - abs(bowl - outside), 0.0)
    return min(bowl, outside) - overlap * overlap / (4.0 * blend)


@kernel
def _crater(
    key: np.uint64, layer: int, ix: int, iy: int, index: int, least: float, craters: Floats
) -> tuple[float, float, float, float, float, float]:
    """Return (x, y, radius, depth, rim, blend) of a crater of a cell [m]; radius 0 for an omitted crater.

    Source: trask1966, diameters follow a power law; pike1977.
    Checked by: test_procedural.py::test_procedural_crater_count_matches_the_density.
    """
    cell = _REACH * least
    word = mix_bits(cell_word(key, _CRATER_LAYER + layer, ix, iy) + np.uint64(index + 1) * DRAW_GAMMA)
    cx = (ix + unit(word)) * cell
    word = mix_bits(word + GOLDEN_GAMMA)
    cy = (iy + unit(word)) * cell
    word = mix_bits(word + GOLDEN_GAMMA)
    exponent = craters[EXPONENT]
    diameter = least * (1.0 - unit(word) * (1.0 - 0.5**exponent)) ** (-1.0 / exponent)
    word = mix_bits(word + GOLDEN_GAMMA)
    freshness = unit(word)
    # Most craters are old: the mean depth is 0.43 of that of a fresh crater.
    freshness = 0.15 + 0.85 * freshness * freshness
    radius = 0.5 * diameter
    if diameter > craters[LARGEST]:
        return cx, cy, 0.0, 0.0, 0.0, 1.0
    distance = math.sqrt(cx * cx + cy * cy)
    if distance < craters[CLEAR_RADIUS] + 1.5 * radius:
        if diameter > craters[CLEAR_LARGEST]:
            return cx, cy, 0.0, 0.0, 0.0, 1.0
        freshness = min(freshness, _CLEAR_FRESHNESS)
    depth = craters[DEPTH_RATIO] * diameter * freshness
    rim = _RIM * diameter * freshness
    blend = depth * (0.25 + 0.5 * (1.0 - freshness))
    return cx, cy, radius, depth, rim, blend


@kernel
def _crater_count(key: np.uint64, layer: int, ix: int, iy: int, mean: float) -> int:
    """Return a Poisson number of craters of a cell (inverse of the distribution function, limited to 8)."""
    u = unit(mix_bits(cell_word(key, _COUNT_LAYER + layer, ix, iy)))
    term = math.exp(-mean)
    total = term
    count = 0
    while u >= total and count < 8:
        count += 1
        term *= mean / count
        total += term
    return count


@kernel
def _cell_mean(least: float, craters: Floats) -> float:
    """Return the expected number of craters of diameters [least, 2 least) in a cell.

    Source: trask1966.
    Checked by: test_procedural.py::test_procedural_crater_count_matches_the_density.
    """
    cell = _REACH * least
    exponent = craters[EXPONENT]
    mean: float = craters[DENSITY] * least**-exponent * (1.0 - 0.5**exponent) * cell * cell
    return mean


@kernel
def _points(x: Floats, y: Floats, key: np.uint64, octaves: Floats, craters: Floats, offset: float, out: Floats) -> None:
    """Write the heights [m] at scattered points to ``out``.

    The order of summation (octave, cell, crater) must be that of :func:`_block`.
    """
    for n in range(x.shape[0]):
        z = 0.0
        least = craters[LEAST]
        layer = 0
        while craters[DENSITY] > 0.0 and craters[DEPTH_RATIO] > 0.0 and least <= craters[LARGEST]:
            cell = _REACH * least
            mean = _cell_mean(least, craters)
            ix, iy = int(math.floor(x[n] / cell)), int(math.floor(y[n] / cell))
            for kx in range(ix - 1, ix + 2):
                for ky in range(iy - 1, iy + 2):
                    for index in range(_crater_count(key, layer, kx, ky, mean)):
                        cx, cy, radius, depth, rim, blend = _crater(key, layer, kx, ky, index, least, craters)
                        dx, dy = x[n] - cx, y[n] - cy
                        rr = dx * dx + dy * dy
                        reach = _REACH * radius
                        if rr < reach * reach:
                            z += _crater_height(math.sqrt(rr) / radius, depth, rim, blend)
            least *= 2.0
            layer += 1
        out[n] = (z + _fractal(x[n], y[n], key, octaves)) - offset


@kernel
def _block(
    i0: int, j0: int, spacing: float, key: np.uint64, octaves: Floats, craters: Floats, offset: float, out: Floats
) -> None:
    """Write the heights [m] of nodes (i0 + r, j0 + c) to the zeroed array ``out``, crater by crater."""
    ni, nj = out.shape
    x0, x1 = i0 * spacing, (i0 + ni - 1) * spacing
    y0, y1 = j0 * spacing, (j0 + nj - 1) * spacing
    least = craters[LEAST]
    layer = 0
    while craters[DENSITY] > 0.0 and craters[DEPTH_RATIO] > 0.0 and least <= craters[LARGEST]:
        cell = _REACH * least
        mean = _cell_mean(least, craters)
        for kx in range(int(math.floor(x0 / cell)) - 1, int(math.floor(x1 / cell)) + 2):
            for ky in range(int(math.floor(y0 / cell)) - 1, int(math.floor(y1 / cell)) + 2):
                for index in range(_crater_count(key, layer, kx, ky, mean)):
                    cx, cy, radius, depth, rim, blend = _crater(key, layer, kx, ky, index, least, craters)
                    reach = _REACH * radius
                    first = max(0, int(math.floor((cx - reach) / spacing)) - i0)
                    last = min(ni, int(math.ceil((cx + reach) / spacing)) - i0 + 1)
                    low = max(0, int(math.floor((cy - reach) / spacing)) - j0)
                    high = min(nj, int(math.ceil((cy + reach) / spacing)) - j0 + 1)
                    for r in range(first, last):
                        dx = (i0 + r) * spacing - cx
                        for c in range(low, high):
                            dy = (j0 + c) * spacing - cy
                            rr = dx * dx + dy * dy
                            if rr < reach * reach:
                                out[r, c] += _crater_height(math.sqrt(rr) / radius, depth, rim, blend)
        least *= 2.0
        layer += 1
    for r in range(ni):
        for c in range(nj):
            out[r, c] = (out[r, c] + _fractal((i0 + r) * spacing, (j0 + c) * spacing, key, octaves)) - offset
