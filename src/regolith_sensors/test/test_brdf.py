# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of Hapke's reflectance: reference vectors (data/README.md) and general laws."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from regolith_sensors.brdf import (
    PRESETS,
    HapkeParameters,
    hapke_components,
    hapke_reflectance,
    lambert_reflectance,
    phase_function,
)
from regolith_sensors.surfaces.shading import (
    hapke_constants,
    hapke_fast_many,
    hapke_lanes,
    hapke_of_cosines,
    hapke_row,
    haversine,
)

DATA = Path(__file__).parent / 'data'
SETS = {
    'table1': 'lunar_sato2014',
    'table1_K1': 'lunar_sato2014_k1',
    'chrono_table1_misprint': 'chrono_table1_misprint',
    'pommerol2013': 'pommerol2013',
}


def table(name: str) -> dict[str, np.ndarray]:
    with open(DATA / name, newline='') as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows if row[key]]) for key in rows[0] if key != 'set'}


def random_geometry(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.arccos(rng.uniform(0.01, 1, count)), np.arccos(rng.uniform(0.01, 1, count)), rng.uniform(0, np.pi, count)


@pytest.mark.parametrize('name', SETS)
def test_reference_vectors(name: str) -> None:
    t = table(f'{name}.csv')
    i, e, psi = (np.deg2rad(t[f'{k}_deg']) for k in ('incidence', 'emission', 'azimuth'))
    r = hapke_reflectance(i, e, psi, PRESETS[SETS[name]])
    # The tables have 12 digits; the acceptance limit is 1e-9.
    np.testing.assert_allclose(r / np.cos(i), t['brdf'], rtol=1e-9)
    np.testing.assert_allclose(np.pi * r, t['radiance_factor'], rtol=1e-9)
    fast = hapke_fast_many(i, e, psi, PRESETS[SETS[name]])
    # Single precision, angles turned into vectors first.
    np.testing.assert_allclose(fast / np.cos(i), t['brdf'], rtol=1e-3)


def test_reference_components() -> None:
    t = table('components_table1.csv')
    i, e, psi = (np.deg2rad(t[f'{k}_deg']) for k in ('incidence', 'emission', 'azimuth'))
    part = hapke_components(i, e, psi, PRESETS['lunar_sato2014'])
    for ours, theirs in [
        ('mu0e', 'mu0e'),
        ('mue', 'mue'),
        ('S', 'S'),
        ('p', 'p_g'),
        ('Bs', 'Bs_g'),
        ('M', 'M'),
        ('LS', 'LS'),
        ('K', 'K'),
    ]:
        np.testing.assert_allclose(part[ours], t[theirs], rtol=1e-9, err_msg=ours)


def test_reciprocity() -> None:
    i, e, psi = random_geometry(100_000)
    for name in PRESETS:
        there = hapke_reflectance(i, e, psi, PRESETS[name]) / np.cos(i)
        back = hapke_reflectance(e, i, psi, PRESETS[name]) / np.cos(e)
        np.testing.assert_allclose(there, back, rtol=1e-12)
    there, back = (
        hapke_fast_many(i, e, psi, PRESETS['lunar_sato2014']),
        hapke_fast_many(e, i, psi, PRESETS['lunar_sato2014']),
    )
    np.testing.assert_allclose(there / np.cos(i), back / np.cos(e), rtol=1e-5)


def test_phase_function_is_normalized_and_backscatters() -> None:
    x, weight = np.polynomial.legendre.leggauss(200)
    for b, c in [(0.23955, 0.30452), (0.187, 0.273), (0.7, -0.4)]:
        p = phase_function(x, b, c)
        assert 0.5 * np.sum(weight * p) == pytest.approx(1.0, abs=1e-9)
        # x is cos g: positive toward the sun.
        assert 0.5 * np.sum(weight * p * x) == pytest.approx(b * c, abs=1e-9)


@pytest.mark.parametrize(
    ('name', 'opposition', 'standard'),
    [
        ('lunar_sato2014', 0.269994, 0.05247),
        ('lunar_sato2014_k1', 0.18900, 0.03736),
        ('chrono_table1_misprint', 0.02592, 0.00459),
    ],
)
def test_radiance_factors(name: str, opposition: float, standard: float) -> None:
    """Values of the specification, to the printed digits."""
    assert math.pi * hapke_reflectance(0.0, 0.0, 0.0, PRESETS[name]) == pytest.approx(opposition, rel=2e-4)
    assert math.pi * hapke_reflectance(np.deg2rad(60.0), 0.0, 0.0, PRESETS[name]) == pytest.approx(standard, rel=1.1e-3)


def hemispherical(i: float, parameters: HapkeParameters) -> float:
    """Integrate f cos e over the upper hemisphere: Gauss in cos e (squared, for the grazing end) and in psi."""
    x, wx = np.polynomial.legendre.leggauss(160)
    u, wu = 0.5 * (x + 1.0), 0.5 * wx
    mu, weight = u * u, wu * 2.0 * u
    psi, wpsi = np.pi * u, np.pi * wu
    r = hapke_reflectance(i, np.arccos(mu)[:, None], psi[None, :], parameters)
    return float(2.0 * np.sum(weight[:, None] * wpsi[None, :] * r * mu[:, None]) / np.cos(i))


def test_directional_hemispherical_reflectance() -> None:
    with open(DATA / 'directional_hemispherical.csv', newline='') as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        parameters = PRESETS[SETS[row['set']]]
        got = hemispherical(math.radians(float(row['incidence_deg'])), parameters)
        # The opposition cusp limits the quadrature to about four digits.
        assert got == pytest.approx(float(row['directional_hemispherical_reflectance']), rel=3e-4)
        assert got < 1.0


def test_opposition_surge() -> None:
    radf = lambda i: hapke_reflectance(np.deg2rad(i), 0.0, 0.0, PRESETS['lunar_sato2014'])  # noqa: E731
    assert radf(0.0) / radf(5.0) == pytest.approx(1.3089, abs=5e-5)
    assert radf(1.0) / radf(5.0) == pytest.approx(1.2216, abs=5e-5)
    thirty = math.radians(30.0)
    zero = hapke_reflectance(thirty, thirty, 0.0, PRESETS['lunar_sato2014'])
    for g, ratio in [(1, 0.9379), (2, 0.8880), (5, 0.7838), (10, 0.6854), (20, 0.5846)]:
        half = math.radians(g / 2.0)
        r = hapke_reflectance(thirty - half, thirty + half, 0.0, PRESETS['lunar_sato2014'])
        assert r / zero == pytest.approx(ratio, abs=5e-5)


def test_monostatic_reflectance_is_flat() -> None:
    """Therefore a lamp beside the camera hides relief, and a lidar's intensity depends little on slope."""
    zero = hapke_reflectance(0.0, 0.0, 0.0, PRESETS['lunar_sato2014'])
    for i, ratio in [(30, 0.9968), (45, 0.9932), (60, 0.9900), (75, 0.9865)]:
        angle = math.radians(i)
        got = hapke_reflectance(angle, angle, 0.0, PRESETS['lunar_sato2014']) / zero
        assert got == pytest.approx(ratio, abs=5e-5)


def test_continuity() -> None:
    """There is no step across i = e, nor where an angle reaches 0 or pi, and no NaN anywhere."""
    p, step = PRESETS['lunar_sato2014'], 1e-12
    for i, e, psi in np.deg2rad(
        [(40, 40, 70), (40, 0, 70), (0, 40, 70), (0, 0, 0), (60, 60, 0), (60, 30, 180), (89, 89, 180)]
    ):
        here = hapke_reflectance(i, e, psi, p)
        assert np.isfinite(here)
        for di, de, dp in [(step, 0, 0), (0, step, 0), (0, 0, -step if psi > 1 else step)]:
            # The cusp at opposition has a slope of r / hs at most.
            assert abs(hapke_reflectance(i + di, e + de, psi + dp, p) - here) < 1e-9
    grid = np.deg2rad(np.linspace(0.0, 180.0, 61))
    everything = hapke_reflectance(grid[:, None, None], grid[None, :, None], grid[None, None, :], p)
    assert np.isfinite(everything).all() and (everything >= 0.0).all()
    assert (everything[31:] == 0.0).all() and (everything[:, 31:] == 0.0).all()
    assert np.isnan(hapke_reflectance([np.nan, 0.1, 0.1], [0.1, np.nan, 0.1], [0.1, 0.1, np.nan], p)).all()


def test_reflectance_broadcasts_and_uses_only_the_cosine_of_azimuth() -> None:
    p = PRESETS['lunar_sato2014']
    i, e = np.deg2rad([[10.0], [40.0], [70.0]]), np.deg2rad([5.0, 60.0])
    got = hapke_reflectance(i, e, 1.0, p)
    assert got.shape == (3, 2) and got.dtype == np.float64
    assert got[1, 0] == hapke_reflectance(float(i[1, 0]), float(e[0]), 1.0, p)
    for same in (-1.0, 2.0 * np.pi - 1.0, 2.0 * np.pi + 1.0):
        np.testing.assert_allclose(hapke_reflectance(i, e, same, p), got, rtol=1e-13)
    assert hapke_reflectance(np.zeros((0, 4)), 0.0, 0.0, p).shape == (0, 4)
    np.testing.assert_allclose(
        hapke_reflectance(np.float32(0.3), np.float32(0.8), 1, p), hapke_reflectance(0.3, 0.8, 1.0, p), rtol=1e-6
    )


def test_smooth_ground_gives_lommel_seeliger() -> None:
    """Without roughness, opposition and multiple scattering (w -> 0) only single scattering remains."""
    p = HapkeParameters(w=1e-9, b=0.0, c=0.0, Bs0=0.0, hs=0.1, phi=0.0, theta=0.0)
    i, e, psi = random_geometry(1000)
    expected = 1e-9 / (4 * np.pi) * np.cos(i) / (np.cos(i) + np.cos(e))
    np.testing.assert_allclose(hapke_reflectance(i, e, psi, p), expected, rtol=1e-8)


def test_coherent_backscatter_at_most_doubles_opposition() -> None:
    with_it = dataclasses.replace(PRESETS['lunar_sato2014'], Bc0=1.0, hc=0.05)
    zero = hapke_reflectance(0.3, 0.3, 0.0, with_it) / hapke_reflectance(0.3, 0.3, 0.0, PRESETS['lunar_sato2014'])
    far = hapke_reflectance(1.2, 1.2, np.pi, with_it) / hapke_reflectance(1.2, 1.2, np.pi, PRESETS['lunar_sato2014'])
    assert zero == pytest.approx(2.0, abs=1e-12) and 1.0 < far < 1.01


def test_coherent_backscatter_limits() -> None:
    """Limits of Bc(y), y = tan(g/2) / hc: 1 - 9 y / 4 for y -> 0 and (1 + 1 / y) / (2 (1 + y)^2) for y -> infinity."""
    p = dataclasses.replace(PRESETS['lunar_sato2014'], Bc0=1.0, hc=0.1)

    def bc(y: float) -> float:
        return float(hapke_components(2.0 * math.atan(y * p.hc), 0.0, 0.0, p)['Bc'])

    # The next term of the series is 43 y^2 / 12; exp(-40) is 4e-18.
    assert bc(1e-4) == pytest.approx(1.0 - 2.25e-4, abs=4e-8)
    assert bc(40.0) == pytest.approx((1.0 + 1.0 / 40.0) / (2.0 * 41.0**2), rel=1e-12)
    i, e, psi = random_geometry(20_000, 3)
    np.testing.assert_allclose(hapke_fast_many(i, e, psi, p), hapke_reflectance(i, e, psi, p), rtol=1e-3)


def test_porosity_factor_increases_brightness() -> None:
    """K of Hapke 2008: 1 + x / 2 for small x = 1.209 phi^(2/3); 1.440 477 796 at phi = 0.3, infinite where x = 1."""

    def k(phi: float) -> float:
        return dataclasses.replace(PRESETS['lunar_sato2014_k1'], phi=phi).porosity_factor

    assert k(0.0) == 1.0 and k(0.3) == pytest.approx(1.440477796, rel=1e-9)
    x = 1.209 * 1e-6 ** (2.0 / 3.0)
    # The next term is x^2 / 3.
    assert k(1e-6) - 1.0 == pytest.approx(0.5 * x, rel=x)
    assert k(0.7519) > 7.0


def test_lambert_surface_reflects_its_albedo() -> None:
    """Over the hemisphere r cos e / cos i sums to the albedo from any direction; below the horizon there is no light."""
    for i in (0.0, 0.7, 1.5):
        # r does not depend on e: the integral of cos e is pi.
        assert math.pi * lambert_reflectance(i, 0.3) / math.cos(i) == pytest.approx(0.3, rel=1e-12)
    assert lambert_reflectance([1.6, 3.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    'change', [{'w': 1.2}, {'b': 1.0}, {'phi': 0.8}, {'theta': 23.4}, {'hs': 0.0}, {'c': math.nan}]
)
def test_invalid_hapke_parameters_are_rejected(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f'{next(iter(change))} = .*; allowed: '):
        dataclasses.replace(PRESETS['lunar_sato2014'], **change)


def test_fast_hapke_agrees_with_reference() -> None:
    i, e, psi = random_geometry(200_000, 7)
    for name, parameters in PRESETS.items():
        exact = hapke_reflectance(i, e, psi, parameters)
        np.testing.assert_allclose(hapke_fast_many(i, e, psi, parameters), exact, rtol=1e-3, err_msg=name)
    assert hapke_constants(PRESETS['lunar_sato2014']).dtype == np.float32


@pytest.mark.parametrize('coherent', [0.0, 0.6])
def test_hapke_lanes_equal_single_rows(coherent: float) -> None:
    """Bit-identical, with some points turned away from light or viewer: the grouping in packets must have no effect."""
    rng = np.random.default_rng(4)
    table = hapke_constants(dataclasses.replace(PRESETS['lunar_sato2014'], Bc0=coherent))[None, :]
    seen = 0
    for _ in range(20):
        vectors = rng.standard_normal((3, 16, 3))
        vectors[..., 2] = np.abs(vectors[..., 2]) - 0.3
        vectors = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
        normal, toward, light = vectors[0], vectors[1], vectors[2, 0]
        rows = np.ascontiguousarray(np.concatenate([normal.T, toward.T]))
        out = np.zeros((3, 16), dtype=np.float32)
        hapke_lanes(rows, 0, 3, light, table, 0, 0, out)
        angles, own = np.zeros((3, 16), dtype=np.float32), np.zeros(16, dtype=np.float32)
        for lane in range(16):
            n, v = normal[lane], toward[lane]
            mu0 = n[0] * light[0] + n[1] * light[1] + n[2] * light[2]
            mu = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
            single = hapke_row(mu0, mu, np.float32(haversine(*light, *v)), table, 0, 0)
            assert out[0, lane] == np.float32(single)
            angles[:, lane] = mu0, mu, haversine(*light, *v)
            own[lane] = single
            assert (single > 0.0) == (mu0 > 0.0 and mu > 0.0)
            seen += single > 0.0
        hapke_of_cosines(angles, table, 0, 0, out[1])
        np.testing.assert_array_equal(out[1], own)
    assert 100 < seen < 320
