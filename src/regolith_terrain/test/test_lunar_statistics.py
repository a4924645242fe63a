# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of lunar craters, relief and rocks against published statistics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from regolith_terrain.lunar.cell_random import cell_word, key_of, poisson, uniform_draw, unit
from regolith_terrain.lunar.craters import LEAST, RADIUS, WEAR, crater_classes
from regolith_terrain.lunar.degradation import (
    AGE_ROWS,
    REACH,
    age_at_depth,
    diffused,
    fresh_depth_ratio,
    fresh_profile,
    profile_table,
    relative_depth,
)
from regolith_terrain.lunar.field import LunarField
from regolith_terrain.lunar.presets import LunarPreset, load_preset, preset_names
from regolith_terrain.lunar.relief import deviation
from regolith_terrain.lunar.rocks import DIAMETER, ROCK_COLUMNS, RockField, _apart, rock_density, steepness
from regolith_terrain.lunar.statistics import (
    age_of,
    chronology,
    chronology_table,
    crater_density,
    production,
    visible_count,
)
from regolith_terrain.procedural import _noise_rms

# Fixed seeds. A p-value below this occurs in one of a thousand correct implementations and in every wrong one.
LEAST_P = 1e-3


def chi_square_p(found: np.ndarray, expected: np.ndarray) -> float:
    from scipy.stats import chi2

    assert expected.min() > 5.0
    # Poisson numbers: the total is free, so there are as many degrees of freedom as bins.
    return float(chi2.sf(np.sum((found - expected) ** 2 / expected), len(found)))


def edited(name: str, **parts: dict) -> LunarPreset:
    preset = load_preset(name)
    return preset.model_copy(update={k: getattr(preset, k).model_copy(update=v) for k, v in parts.items()})


def test_production_and_chronology_match_neukum() -> None:
    # Neukum et al. 2001: log10 N(1 km) = -3.0876 per Gyr and km^2; the chronology of 1983: 8.38e-4, 3 % apart.
    assert chronology(1.0) == pytest.approx(10.0**-3.0876, rel=0.03)
    assert float(production(1000.0)) == 1.0
    # Fig. 2 of the paper: about N(> 10 m) = 10^6.6 and N(> 100 m) = 10^3.5 times N(> 1 km), read to a tenth of a
    # decade.
    assert np.log10(production([10.0, 100.0])) == pytest.approx([6.65, 3.55], abs=0.1)
    below = np.log(production([1.0, 5.0, 9.9])) / np.log(10.0)
    slope = np.diff(below) / np.diff(np.log10([1.0, 5.0, 9.9]))
    assert slope == pytest.approx([slope[0]] * 2) and -3.3 < slope[0] < -2.9
    assert age_of(chronology([0.01, 1.0, 3.0, 3.9])) == pytest.approx([0.01, 1.0, 3.0, 3.9], rel=2e-4)
    assert np.array_equal(age_of(chronology_table()[0]), chronology_table()[1])
    # Before 3 Gyr the rate doubles every ln 2 / 6.93 = 100 Myr; Nectaris, 4.1 Gyr old, has 0.12 per km^2.
    early = chronology([3.9, 4.0, 4.1]) - 8.38e-4 * np.array([3.9, 4.0, 4.1])
    assert np.log(early[1:] / early[:-1]) == pytest.approx([0.693] * 2, rel=1e-6)
    assert chronology(4.1) == pytest.approx(0.122, rel=0.01)
    # Decades of the production function from the polynomial of table 1, evaluated independently of the code.
    table = Polynomial(
        [
            0.0,
            -3.557528,
            0.781027,
            1.021521,
            -0.156012,
            -0.444058,
            0.019977,
            0.086850,
            -0.005874,
            -0.006809,
            8.25e-4,
            5.54e-5,
        ]
    )
    assert np.log10(production(10.0 ** np.arange(1.0, 6.0))) == pytest.approx(table(np.arange(-2.0, 3.0)), abs=1e-12)


def test_cell_random_draws_are_uniform_and_poisson() -> None:
    from scipy.stats import poisson as law

    key = key_of(7, 'test')
    draws = np.array([uniform_draw(np.uint64(cell_word(key, 3, n // 50, -n // 7)), n % 50) for n in range(8000)])
    assert chi_square_p(np.histogram(draws, 16, (0.0, 1.0))[0], np.full(16, 500.0)) > LEAST_P
    counts = np.bincount([poisson(u, 2.5) for u in draws], minlength=8)[:8]
    assert chi_square_p(counts, 8000.0 * law.pmf(np.arange(8), 2.5)) > LEAST_P
    assert unit(np.uint64(0)) == 0.0 and unit(np.uint64(2**64 - 1)) == 1.0 - 2.0**-53


def test_small_craters_are_in_equilibrium_and_large_ones_in_production() -> None:
    d = np.geomspace(1.0, 1000.0, 61)
    n = crater_density(d, 0.079, 2.0, 3.5)
    made = production(d) * chronology(3.5) * 1e-6
    assert n == pytest.approx(np.minimum(0.079 / d**2, made))
    crossing = d[np.argmax(made < 0.079 / d**2)]
    # Trask 1966, Xiao & Werner 2015: maria of this age are saturated up to 100 to 250 m.
    assert 80.0 < crossing < 250.0
    life = age_of(visible_count(d, 0.079, 2.0, 3.5))
    assert np.all(np.diff(life) >= 0.0) and life[-1] == pytest.approx(3.5)


def test_crater_degradation_ends_at_minimum_visible_depth() -> None:
    """At the end of its visible time a crater has the minimum visible depth; above 100 m kappa grows as D^0.9."""
    faintest = 0.5
    classes = crater_classes(1.0, 2000.0, 0.079, 2.0, 3.5, faintest)
    d, wear = classes[:, LEAST], classes[:, WEAR]
    small = d < 100.0
    assert wear[small] * faintest == pytest.approx(0.079e6 / d[small] ** 2 / production(d[small]), rel=1e-12)
    kappa = (d**2 / wear)[d > 100.0]
    assert len(kappa) > 3
    assert np.diff(np.log(kappa)) / np.diff(np.log(d[d > 100.0])) == pytest.approx(0.9, rel=1e-9)


def test_diffusivity_agrees_with_fassett_and_thomson() -> None:
    # The paper gives 5.5 m^2/Myr as the mean of 3 Gyr for craters of 0.8 to 5 km; no value was fitted to it.
    field = LunarField(0, load_preset('mare'))
    row = field.classes[np.searchsorted(field.classes[:, 0], 600.0) - 1]
    units_per_myr = 8.38e-7
    wear = row[7] * (800.0 / row[0]) ** row[8]
    kappa = 400.0**2 * units_per_myr / wear
    assert 5.5 / 3.0 < kappa < 5.5 * 3.0


def test_diffusion_conserves_volume_and_spreads_gaussians_exactly() -> None:
    step = 1.0 / 64.0
    r = (np.arange(12 * 64) + 0.5) * step
    area = np.diff((np.arange(len(r) + 1) * step) ** 2)
    ages = [1e-3, 0.1, 1.0]
    for profile in (fresh_profile(r), np.exp(-(r**2))):
        worn = diffused(profile, step, ages)
        assert worn @ area == pytest.approx(np.full(3, profile @ area), rel=1e-9, abs=1e-9)
    # exp(-r^2) becomes exp(-r^2 / (1 + 4 K)) / (1 + 4 K); second-order cells of 1/64: (1/64)^2 of curvatures about 4.
    for row, age in zip(diffused(np.exp(-(r**2)), step, ages), ages, strict=True):
        assert row == pytest.approx(np.exp(-(r**2) / (1 + 4 * age)) / (1 + 4 * age), abs=1e-3)


def test_crater_profiles_start_fresh_and_degrade() -> None:
    table = profile_table()
    x = np.arange(table.shape[1]) / 64.0
    assert table[0, x < 0.8] == pytest.approx(fresh_profile(x[x < 0.8]), abs=0.02)
    # The rim is rounded slightly from the start: 0.2 of the depth, less at most a third.
    assert 0.13 < table[0].max() < 0.2 and 0.95 < x[table[0].argmax()] < 1.15
    depth = relative_depth(AGE_ROWS)
    assert np.all(np.diff(depth) < 0.0) and depth[0] == 1.0
    assert relative_depth(age_at_depth(0.3)) == pytest.approx(0.3, abs=0.01)
    assert table[:, -1] == pytest.approx(0.0)
    # Pike 1977; Stopar et al. 2017.
    assert fresh_depth_ratio([1000.0, 70.0]) == pytest.approx([0.2, 0.145], abs=0.01)


def test_fresh_crater_profile_matches_pike_and_mcgetchin() -> None:
    """A parabola of unit depth below a rim of 0.2, within a tenth of 0.036 / 0.196 (Pike), and cubic ejecta decay."""
    x = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
    assert fresh_profile(x) == pytest.approx([-0.8, -0.55, 0.2, 0.2 / 8.0, 0.2 / 64.0], rel=1e-12)
    assert fresh_profile(1.0) == pytest.approx(0.036 / 0.196, rel=0.1)
    assert fresh_profile(1.0 - 1e-9) == pytest.approx(float(fresh_profile(1.0)), abs=1e-8)


def test_rock_cover_matches_golombek_and_rapp() -> None:
    """-dN/dD pi D^2 / 4 = k q exp(-q D), by differences of 1e-4 D with an error of about 1e-8; q after Wu."""
    assert steepness([0.004, 0.01]) == pytest.approx([0.5648 + 3.2125, 0.5648 + 1.285])
    for k in (0.004, 0.05):
        d, q = np.geomspace(0.1, 4.0, 7), float(steepness(k))
        slope = (rock_density(d * 0.9999, k) - rock_density(d * 1.0001, k)) / (2e-4 * d)
        assert slope * np.pi * d**2 / 4.0 == pytest.approx(k * q * np.exp(-q * d), rel=1e-6)


def test_lunar_relief_has_the_given_deviation() -> None:
    preset = edited('mare', craters={'equilibrium_density': 0.0}, texture={'rms_deviation_m': 0.0})
    preset = preset.model_copy(
        update={'relief': preset.relief.model_copy(update={'outer_scale_m': 32.0, 'inner_scale_m': 0.5, 'lag_m': 4.0})}
    )
    field = LunarField(3, preset)
    z = field.nodes(0, 900, 0, 900, 0.5)
    for lag in (2, 4, 8, 20):
        stated = np.sqrt(np.sum(field.octaves[:, 1] ** 2 * deviation(0.5 * lag * field.octaves[:, 0]) ** 2))
        # 450 m contain about 200 patches of 32 m: some percent.
        assert np.sqrt(np.mean((z[lag:] - z[:-lag]) ** 2)) == pytest.approx(stated, rel=0.08)
        if lag == 8:
            assert stated == pytest.approx(preset.relief.rms_deviation_m, rel=1e-3)
    wide = preset.relief.model_copy(update={'outer_scale_m': 3000.0, 'inner_scale_m': 0.05})
    wide_octaves = LunarField(3, preset.model_copy(update={'relief': wide})).octaves
    lags = np.array([1.0, 4.0, 16.0])[:, None]
    stated = np.sqrt(np.sum(wide_octaves[:, 1] ** 2 * deviation(lags * wide_octaves[:, 0]) ** 2, axis=1))
    # Far from both ends, nu(L) is the power law L^H.
    assert np.diff(np.log(stated)) / np.log(4.0) == pytest.approx([preset.relief.hurst] * 2, abs=0.04)
    # Two distant points are independent: sqrt(2) times the rms of the noise, which has a closed form.
    assert deviation(50.0) == pytest.approx(np.sqrt(2.0) * _noise_rms(), rel=1e-3)


@pytest.mark.seconds
@pytest.mark.parametrize('name', preset_names())
def test_crater_counts_pass_chi_square(name: str) -> None:
    c = load_preset(name).craters
    field = LunarField(21, load_preset(name))
    for side, least, most in ((60.0, 0.4, 8.0), (2500.0, 20.0, 320.0)):
        if least >= c.max_diameter_m:
            continue  # the preset has no such craters
        found = field.craters_in(0.0, side, -side, 0.0, least)
        edges = np.geomspace(least, most, 9)
        number = crater_density(edges, c.equilibrium_density, c.equilibrium_exponent, c.age_gyr)
        expected = -np.diff(number) * side**2
        counts = np.histogram(found.diameter, edges)[0]
        keep = expected > 8.0
        assert expected[keep].sum() > 1000.0
        # Within an octave, numbers follow a power law, which bends by a percent where production applies.
        assert chi_square_p(counts[keep], expected[keep]) > LEAST_P
        # Positions are uniform.
        cells = np.histogram2d(found.x, found.y, 5, [[0.0, side], [-side, 0.0]])[0].ravel()
        assert chi_square_p(cells, np.full(25, len(found) / 25.0)) > LEAST_P


def test_crater_ages_are_uniform_over_the_visible_time() -> None:
    field = LunarField(5, load_preset('mare'))
    found = field.craters_in(0.0, 300.0, 0.0, 300.0, 2.0)
    assert len(found) > 1000 and np.all(np.diff(found.age_gyr) <= 0.0)
    c = field.preset.craters
    life = age_of(visible_count(found.diameter, c.equilibrium_density, c.equilibrium_exponent, c.age_gyr))
    shares = np.histogram(found.age_gyr / life, 10, (0.0, 1.0))[0]
    assert chi_square_p(shares, np.full(10, len(found) / 10.0)) > LEAST_P
    # Mahanti et al. 2018: craters of 35 to 250 m at Apollo sites have d / D of 0.02 to 0.17, on average 0.06 to 0.1.
    found = field.craters_in(0.0, 3000.0, 0.0, 3000.0, 35.0)
    ratio = found.depth / found.diameter
    assert len(found) > 100 and 0.05 < ratio.mean() < 0.1 and ratio.max() < 0.2


def test_rock_counts_pass_chi_square() -> None:
    preset = edited('mare', rocks={'block_crater_min_diameter_m': 5000.0, 'abundance': 0.01})
    rocks = RockField(LunarField(8, preset))
    side = 250.0
    found = rocks.rocks_in(10.0, 10.0 + side, -side, 0.0)
    edges = np.geomspace(0.1, 1.0, 9)
    expected = -np.diff(rock_density(edges, 0.01, 4.0)) * side**2
    keep = expected > 8.0
    counts = np.histogram(found.diameter, edges)[0]
    assert expected[keep].sum() > 1000.0 and chi_square_p(counts[keep], expected[keep]) > LEAST_P
    # The covered area beyond 0.2 m is k exp(-q D) (Golombek & Rapp 1997), less what is beyond 4 m.
    q = float(steepness(0.01))
    covered = np.sum(np.pi / 4.0 * found.diameter[found.diameter > 0.2] ** 2) / side**2
    assert covered == pytest.approx(0.01 * (np.exp(-0.2 * q) - np.exp(-4.0 * q)), rel=0.06)
    # Demidov & Basilevsky 2014: heights 0.54 +- 0.03 of the width on average.
    assert np.mean(found.height / found.diameter) == pytest.approx(0.54, abs=0.01)


def test_rock_diameter_is_limited_by_the_preset() -> None:
    """Widths are drawn by octaves; the last one ends at max_diameter_m, here slightly above its start."""
    preset = edited(
        'mare',
        rocks={'block_crater_min_diameter_m': 5000.0, 'abundance': 0.01, 'min_diameter_m': 0.1, 'max_diameter_m': 0.45},
    )
    found = RockField(LunarField(8, preset)).rocks_in(0.0, 300.0, 0.0, 300.0, 0.3)
    assert len(found) > 100 and 0.4 < found.diameter.max() <= 0.45


@pytest.mark.slow
def test_rocks_concentrate_at_fresh_craters_for_any_box() -> None:
    field = LunarField(2, load_preset('mare'))
    rocks = RockField(field)
    craters = field.craters_in(-3000.0, 3000.0, -3000.0, 3000.0, 80.0)
    at = np.argmax(rocks.abundance(craters.x, craters.y))
    x, y = craters.x[at], craters.y[at]
    box = (x - 60.0, x + 60.0, y - 60.0, y + 60.0)
    found = rocks.rocks_in(*box, 0.2)
    places = (np.arange(60) + 0.5) * 2.0 - 60.0
    local = rocks.abundance(x + places[:, None], y + places[None, :])
    assert local.max() > 3.0 * field.preset.rocks.abundance
    expected = np.mean([rock_density(0.2, k, 4.0) for k in local.ravel()]) * 120.0**2
    assert len(found) == pytest.approx(expected, abs=4.0 * np.sqrt(expected))
    half = [rocks.rocks_in(box[0], x, *box[2:], 0.2), rocks.rocks_in(x, box[1], *box[2:], 0.2)]
    for name, column in found.columns().items():
        joined = np.concatenate([part.columns()[name] for part in half])
        assert np.sort(joined).tobytes() == np.sort(column).tobytes(), name
    assert found.z.tobytes() == field.heights(found.x, found.y).tobytes()
    # Bandfield et al. 2011: 0.4 % on average over large areas.
    grid = np.linspace(-3000.0, 3000.0, 120)
    assert 0.003 < rocks.abundance(grid[:, None], grid[None, :]).mean() < 0.008


def test_adjacent_boxes_contain_each_crater_once() -> None:
    """Each crater is in the box of its center; one on a shared border is in the box to the east or north."""
    field = LunarField(5, load_preset('mare'))
    whole = field.craters_in(-30.0, 25.0, -20.0, 35.0, 1.0)
    assert len(whole) > 50
    for values, low, high in ((whole.x, -30.0, 25.0), (whole.y, -20.0, 35.0)):
        assert values.min() >= low and values.max() < high
    middle = np.argmin(np.hypot(whole.x + 2.0, whole.y - 7.0))
    x, y = float(whole.x[middle]), float(whole.y[middle])
    parts = [field.craters_in(*a, *b, 1.0) for a in ((-30.0, x), (x, 25.0)) for b in ((-20.0, y), (y, 35.0))]
    assert min(map(len, parts)) > 5 and x in parts[3].x and x not in parts[0].x
    assert np.sort(np.concatenate([part.x for part in parts])).tobytes() == np.sort(whole.x).tobytes()


def test_rock_field_uses_all_craters_that_reach_bedrock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest of these craters follows from the regolith depth, as in the abundance."""
    field = LunarField(2, load_preset('mare'))
    given: list[np.ndarray] = []

    def none(*told: object) -> np.ndarray:
        given.append(told[-3])  # type: ignore[arg-type]
        return np.zeros((0, ROCK_COLUMNS))

    monkeypatch.setattr('regolith_terrain.lunar.rocks._rocks', none)
    box, least = (-500.0, 500.0, -500.0, 500.0), field.preset.rocks.block_crater_min_diameter_m
    RockField(field).rocks_in(*box)
    expected = field.craters_in(*box, least, REACH).diameter
    assert len(expected) > 3 and expected.min() < 1.9 * least
    assert np.sort(2.0 * given[0][:, RADIUS]).tobytes() == np.sort(expected).tobytes()


def test_rocks_keep_their_full_width_away_from_paths() -> None:
    """This holds for segments and ends; rocks of 5 cm are not restricted."""
    pieces = np.array([[0.0, 0.0, 10.0, 0.0, 2.0], [10.0, 0.0, 10.0, 10.0, 2.0]])
    rocks = np.zeros((8, ROCK_COLUMNS))
    places = [(5.0, 2.4), (5.0, 2.6), (-2.4, 0.0), (-2.6, 0.0), (7.6, 5.0), (7.3, 5.0), (10.0, 12.4), (10.0, 12.6)]
    rocks[:, :2], rocks[:, DIAMETER] = places, 1.0
    assert _apart(rocks, pieces).tolist() == [False, True, False, True, False, True, False, True]
    rocks[:, DIAMETER] = 0.05
    assert _apart(rocks, pieces).all()
