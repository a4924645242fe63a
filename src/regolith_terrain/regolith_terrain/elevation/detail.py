# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Detail between the posts of an elevation model: extrapolated roughness and small craters.

The deviation nu(L), the rms difference of heights at a distance L, of lunar terrain is a power L^H from hundreds of
meters to centimeters, with slow changes of H (Shepard et al. 2001; Rosenburg et al. 2011). Below the post spacing the
nu of the model is extrapolated. It is estimated from second differences z(x - L) - 2 z(x) + z(x + L), which hills much
wider than L do not affect (in a self-affine relief their rms is nu (4 - 2^(2 H))^(1/2)). Their median is used, which
the walls of a few craters do not affect. Models are smoother than the terrain over a few posts, so lags are four posts
or more.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.height_field import Heights
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import LunarPreset, Relief
from regolith_world.numerics import portable_math

_LAGS = np.array([4, 6, 8, 12, 16])
# The median of the absolute values of a normal distribution is this fraction of its rms.
_MEDIAN = 0.6744897501960817
_MOST_DIFFERENCES = 4_000_000
# Limits: interpolated models appear smoother than real terrain (H > 1), noisy ones rougher.
_HURST = (0.5, 0.95)


def roughness(posts: Heights, spacing: float) -> tuple[float, float]:
    """Return the deviation [m] at a lag of one post and the Hurst exponent, fitted to lags of 4 to 16 posts.

    Args:
        posts: Heights [m], shape (ni, nj), at least (9, 9).
        spacing: Post spacing [m].

    Raises:
        ValueError: If there are too few posts.

    Source: shepard2001; rosenburg2011.
    Checked by: test_dem_import.py::test_roughness_recovers_deviation_and_hurst_exponent.
    """
    least = min(posts.shape)
    lags = _LAGS[least > 2 * _LAGS]
    if len(lags) == 0:
        raise ValueError(
            f'{posts.shape[0]} x {posts.shape[1]} posts are too few to estimate roughness; allowed: at least 9 x 9'
        )
    # Large models: every k-th line in each direction, about two million differences; the median hardly changes.
    every = max(1, posts.size // _MOST_DIFFERENCES)
    lines = (posts[:, ::every], posts.T[:, ::every])
    second = [np.concatenate([_second(some, n).ravel() for some in lines]) for n in lags.tolist()]
    typical = np.array([np.median(np.abs(values)) for values in second]) / _MEDIAN
    if not typical.min() > 0.0:
        return 0.0, _HURST[1]
    hurst = (
        _HURST[1]
        if len(lags) < 2
        else _slope(portable_math.each(math.log, lags), portable_math.each(math.log, typical))
    )
    hurst = min(max(hurst, _HURST[0]), _HURST[1])
    at_first = float(typical[0]) / math.sqrt(4.0 - 2.0 ** (2.0 * hurst))
    return at_first * float(lags[0]) ** -hurst, hurst


def _slope(x: Heights, y: Heights) -> float:
    """Return the slope of the least-squares line through points."""
    away = x - x.mean()
    return float((away * (y - y.mean())).sum() / (away * away).sum())


def _second(z: Heights, n: int) -> Heights:
    """Return the second differences of heights at a lag of ``n`` posts along the first axis."""
    return z[2 * n :] - 2.0 * z[n:-n] + z[: -2 * n]


def detail_field(
    posts: Heights, spacing: float, seed: int, preset: LunarPreset, *, finest_m: float = 0.05, craters: bool = True
) -> LunarField:
    """Return the field of detail finer than the posts: extrapolated roughness and small craters.

    Args:
        posts: Heights [m], shape (ni, nj).
        spacing: Post spacing [m].
        seed: Seed of the random parts.
        preset: Preset whose craters (narrower than two posts) and texture are added to the roughness.
        finest_m: Shortest wavelength [m].
        craters: Whether small craters are added.

    Source: shepard2001; rosenburg2011.
    Checked by: test_dem_import.py::test_upsampling_keeps_posts_and_adds_detail.
    """
    deviation, hurst = roughness(posts, spacing)
    finest = min(finest_m, spacing)
    lag = 0.25 * spacing
    relief = Relief(
        outer_scale_m=max(2.0 * spacing, finest),
        inner_scale_m=finest,
        hurst=hurst,
        rms_deviation_m=deviation * (lag / spacing) ** hurst,
        lag_m=lag,
    )
    texture = preset.texture.model_copy(
        update={'outer_scale_m': min(preset.texture.outer_scale_m, 2.0 * spacing), 'inner_scale_m': max(finest, 0.01)}
    )
    c = preset.craters
    largest = 2.0 * spacing
    has_craters = craters and largest >= 2.0 * c.min_diameter_m
    density = c.equilibrium_density if has_craters else 0.0
    small = c.model_copy(update={'max_diameter_m': largest, 'equilibrium_density': density})
    kept = {'description': f'detail of {preset.description}', 'relief': relief, 'texture': texture, 'craters': small}
    return LunarField(seed, preset.model_copy(update=kept))
