# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of procedural terrain and hillshade."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.hillshade import hillshade_image
from regolith_terrain.procedural import ProceduralField, _crater_height
from regolith_terrain.terrain_source_config import RoughnessConfig


def slopes_deg(z: np.ndarray, spacing: float) -> np.ndarray:
    return np.degrees(np.arctan(np.hypot(*np.gradient(z, spacing))))


def test_procedural_field_blocks_and_points_are_bit_identical() -> None:
    field = ProceduralField(11)
    block = field.nodes(-900, -800, 2000, 2080, 0.02)
    x, y = np.arange(-900, -800) * 0.02, np.arange(2000, 2080) * 0.02
    assert field.heights(x[:, None], y[None, :]).tobytes() == block.tobytes()
    assert field.nodes(-850, -840, 2013, 2044, 0.02).tobytes() == block[50:60, 13:44].tobytes()
    backwards = field.heights(x[::-1, None], y[None, ::-1])
    assert backwards[::-1, ::-1].tobytes() == block.tobytes()
    assert ProceduralField(11).nodes(-900, -800, 2000, 2080, 0.02).tobytes() == block.tobytes()


def test_procedural_field_depends_on_seed_and_parameters() -> None:
    field = ProceduralField(11)
    assert float(field.heights(0.0, 0.0)) == 0.0
    other = ProceduralField(12)
    assert not np.array_equal(field.nodes(0, 50, 0, 50, 0.1), other.nodes(0, 50, 0, 50, 0.1))
    rough = ProceduralField(11, RoughnessConfig(rms_height_m=0.1))
    prints = {f.fingerprint() for f in (field, other, rough, FlatField(), FlatField(1.0), PlaneField(0.1))}
    assert len(prints) == 6 and ProceduralField(11).fingerprint() == field.fingerprint()


def test_procedural_relief_has_the_given_height_and_hurst_exponent() -> None:
    config = RoughnessConfig(rms_height_m=0.5, outer_scale_m=16.0, inner_scale_m=0.25, hurst=0.8, crater_density=0.0)
    z = ProceduralField(4, config).nodes(0, 1200, 0, 1200, 0.25)
    # 300 m contain about 350 independent patches of 16 m: the rms is known to 4 %; three sigma.
    assert z.std() == pytest.approx(0.5, rel=0.12)
    # Structure function |z(x + l) - z(x)| ~ l^H between the scales (Turcotte 1997); the end octaves change it slightly.
    lags = np.array([2, 4, 8])
    rms = [np.sqrt(np.mean((z[lag:] - z[:-lag]) ** 2)) for lag in lags]
    assert np.polyfit(np.log(lags), np.log(rms), 1)[0] == pytest.approx(0.8, abs=0.1)


def test_ground_is_continuously_differentiable() -> None:
    field = ProceduralField(2)
    x = np.linspace(16.0, 76.0, 600)
    for step in (1e-3, 1e-4):
        left = (field.heights(x, 3.0) - field.heights(x - step, 3.0)) / step
        right = (field.heights(x + step, 3.0) - field.heights(x, 3.0)) / step
        # A kink would keep the difference with a smaller step. Curvatures reach a few 1/m on small fresh rims.
        assert np.abs(right - left).max() < 20.0 * step


def test_procedural_crater_profile_is_smooth() -> None:
    depth, rim = 0.2, 0.04
    for blend in (0.05, 0.15):
        x = np.linspace(0.0, 3.0, 3001)
        z = np.array([_crater_height(v, depth, rim, blend) for v in x])
        slope = np.gradient(z, x)
        assert np.abs(np.diff(slope)).max() < 0.01  # curvature below 10 per radius everywhere
        assert z[0] == pytest.approx(rim - depth) and abs(z[-1]) < 1e-12 and abs(slope[-1]) < 1e-4
        assert 0.0 < z.max() < rim and 0.9 < x[z.argmax()] < 1.5


def test_procedural_start_area_has_gentle_slopes() -> None:
    for seed in range(5):
        z = ProceduralField(seed).nodes(-100, 101, -100, 101, 0.1)  # 10 m around the origin
        slopes = slopes_deg(z, 0.1)
        assert np.percentile(slopes, 95) < 8.0 and slopes.max() < 20.0
        # On the scale of a rover (1.2 m) the terrain is gentler.
        assert slopes_deg(z[::12, ::12], 1.2).max() < 8.0


def test_procedural_crater_count_matches_the_density() -> None:
    config = RoughnessConfig(
        rms_height_m=0.0, crater_min_m=4.0, crater_max_m=7.9, crater_density=0.1, crater_free_radius_m=0.0
    )
    z = ProceduralField(9, config).nodes(0, 1000, 0, 1000, 0.5)
    inner = z[1:-1, 1:-1]
    around = [z[1 + a : 999 + a, 1 + b : 999 + b] for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    pits = np.count_nonzero((inner < np.min(around, axis=0)) & (inner < -0.03))
    expected = 0.1 * (4.0**-2 - 8.0**-2) * 500.0**2
    # Poisson: sqrt(1170) = 3 %; up to a quarter of the craters overlap another one and lose or share their pit.
    assert 0.7 * expected < pits < 1.1 * expected


def test_hillshade_matches_the_angle_of_incidence() -> None:
    flat = hillshade_image(np.zeros((5, 6)), 1.0, 90.0, 30.0)
    assert flat == pytest.approx(np.full((5, 6), 0.5))
    x = np.arange(5.0)[:, None] + np.zeros((1, 6))
    # Terrain that rises to the east at 30 degrees. Sun 60 degrees up in the west: full light; 20 degrees in the east:
    # none.
    slope = x * np.tan(np.radians(30.0))
    assert hillshade_image(slope, 1.0, 270.0, 60.0) == pytest.approx(np.ones((5, 6)))
    assert not hillshade_image(slope, 1.0, 90.0, 20.0).any()
    assert hillshade_image(slope.T, 1.0, 180.0, 60.0) == pytest.approx(np.ones((6, 5)))
