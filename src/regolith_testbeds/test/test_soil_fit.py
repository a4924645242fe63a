# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of soil parameters to curves: recovery of known parameters, probability of the intervals, files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from regolith_files import InputError
from regolith_terrain import load_soil
from regolith_testbeds.experiments import bevameter, plate_sinkage, soil_fit
from regolith_testbeds.soil_fit import COLUMNS, LAWS, Points, curves_text, fit, pressure, read_curves, shear_stress

TRUE = {
    'k_c': 1400.0,
    'k_phi': 8.2e5,
    'exponent': 1.0,
    'cohesion_pa': 170.0,
    'friction_angle_deg': 35.0,
    'janosi_shear_m': 0.018,
}


def points(kind: str, seed: int | None = None, count: int = 25) -> Points:
    """Return points of two plates, or of three normal pressures, with errors of 3 % or 2 % from a seed."""
    random = np.random.default_rng(seed)
    displacement = np.linspace(0.04, 1.0, count)
    if kind == 'pressure':
        b, z = np.repeat([0.02, 0.1], count), np.tile(0.04 * displacement, 2)
        clean = pressure(TRUE['k_c'], TRUE['k_phi'], TRUE['exponent'], b, z)  # type: ignore[arg-type]
        return Points(b, z, clean * np.exp(0.03 * random.standard_normal(len(b)) * (seed is not None)))
    normal, slid = np.repeat([5e3, 1e4, 2e4], count), np.tile(0.1 * displacement, 3)
    slope, modulus = math.tan(math.radians(35.0)), TRUE['janosi_shear_m']
    clean = shear_stress(TRUE['cohesion_pa'], slope, modulus, normal, slid)  # type: ignore[arg-type]
    top = TRUE['cohesion_pa'] + normal * slope
    return Points(normal, slid, clean + 0.02 * top * random.standard_normal(len(normal)) * (seed is not None))


@pytest.mark.parametrize('kind', LAWS)
def test_points_without_errors_give_the_parameters(kind: str) -> None:
    """All parameters are those of the points to 1e-4: the assumed reading error of 1e-6 and the chains."""
    found = fit(kind, points(kind), 1)
    assert found.median == pytest.approx([TRUE[key] for key in found.keys], rel=1e-4)
    assert np.all(found.low <= found.median) and np.all(found.median <= found.high)


@pytest.mark.parametrize('kind', LAWS)
def test_known_parameters_are_within_their_intervals(kind: str) -> None:
    """Each parameter is within its interval for at least 19 of 20 seeds; the chains agree."""
    inside = []
    for seed in range(20):
        found = fit(kind, points(kind, seed), seed)
        true = np.array([TRUE[key] for key in found.keys])
        inside.append((found.low <= true) & (true <= found.high))
        assert found.r_hat < 1.1
        assert found.error == pytest.approx(0.03 if kind == 'pressure' else 0.02, rel=0.5)
    assert np.sum(inside, axis=0).min() >= 19


@pytest.mark.slow
@pytest.mark.parametrize('kind', LAWS)
def test_intervals_have_their_probability(kind: str) -> None:
    """Of 300 seeds, 99 % are within the intervals; the deviation of that share is 0.6 %, the bound three times that."""
    inside = []
    for seed in range(1000, 1300):
        found = fit(kind, points(kind, seed), seed)
        true = np.array([TRUE[key] for key in found.keys])
        inside.append((found.low <= true) & (true <= found.high))
    assert np.mean(inside, axis=0) == pytest.approx(np.full(3, 0.99), abs=0.018)


def test_intervals_shrink_with_the_number_of_points() -> None:
    """Four times the points: half the width, within 35 % of chance."""
    few, many = (np.subtract(f.high, f.low) for f in (fit('shear', points('shear', 3, n), 1) for n in (25, 100)))
    assert many / few == pytest.approx(np.full(3, 0.5), rel=0.35)


def test_same_seed_gives_the_same_bits() -> None:
    first, again, other = (fit('shear', points('shear', 1), seed) for seed in (1, 1, 2))
    assert np.array_equal(first.samples, again.samples) and not np.array_equal(first.samples, other.samples)


def test_curves_of_the_bevameter_give_a_soil_file_of_its_soil(tmp_path: Path) -> None:
    """Virtual bevameter, fit, soil file: the parameters of the soil to 1e-3, all others those of the given soil."""
    curves, out = tmp_path / 'points.csv', tmp_path / 'fitted.yaml'
    soil = load_soil('jsc1a')
    bevameter.run(bevameter.Settings.model_validate({'soil': 'jsc1a', 'curves': str(curves)}), lambda *_: None)
    settings = soil_fit.Settings.model_validate({'curves': str(curves), 'out': str(out), 'soil': 'lunar_nominal'})
    rows = {row['parameter']: row for row in soil_fit.run(settings, lambda *_: None)}
    assert set(rows) == set(TRUE)
    fitted, base = load_soil(str(out)), load_soil('lunar_nominal')
    for key in TRUE:
        assert getattr(fitted, key) == pytest.approx(rows[key]['median'], rel=1e-5)
        assert rows[key]['median'] == pytest.approx(getattr(soil, key), rel=1e-3)
    assert fitted.name == 'fitted' and fitted.damping == base.damping
    text = out.read_text()
    assert 'points.csv' in text and text.count('  # ') == 6 and yaml.safe_load(text)['name'] == 'fitted'


def test_file_of_one_kind_gives_the_parameters_of_that_kind(tmp_path: Path) -> None:
    curves = tmp_path / 'shear.csv'
    curves.write_text(curves_text([], [points('shear', 1)]))
    assert np.array_equal(read_curves(curves)['shear'].stress, points('shear', 1).stress)
    rows = soil_fit.run(soil_fit.Settings(curves=(str(curves),)), lambda *_: None)
    assert [row['parameter'] for row in rows] == ['cohesion_pa', 'friction_angle_deg', 'janosi_shear_m']


def test_curves_of_pressed_plates_give_the_moduli(tmp_path: Path) -> None:
    """Two plates pressed into SCM soil by a force, a file each: k_phi and n to 1 %, k_c, which is 6 % of the small plate, to 5 %.

    The plates cover an odd number of whole cells.
    """
    files = []
    for k, (a, b) in enumerate([(0.05, 0.05), (0.31, 0.31)]):
        files.append(str(tmp_path / f'plate_{k}.csv'))
        values = {'soil': 'jsc1a', 'a_m': a, 'b_m': b, 'load_n': 2e4 * a * b, 'curves': files[-1]}
        plate_sinkage.run(plate_sinkage.Settings.model_validate(values), lambda *_: None)
    rows = soil_fit.run(soil_fit.Settings.model_validate({'curves': ','.join(files)}), lambda *_: None)
    soil = load_soil('jsc1a')
    for row in rows:
        bound = 0.05 if row['parameter'] == 'k_c' else 0.01
        assert row['median'] == pytest.approx(getattr(soil, row['parameter']), rel=bound)


def test_points_of_a_disc_have_its_radius_and_its_area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pressure is the force on pi r^2; b is r."""
    depth = np.linspace(0.001, 0.02, 20)
    row = {'curve': np.column_stack((depth, 1e4 * depth)).tolist(), 'incomplete': False}
    monkeypatch.setattr(plate_sinkage, 'sweep', lambda *_: [row])
    file = tmp_path / 'disc.csv'
    values = {'terrain_model': 'crm', 'shape': 'disc', 'a_m': 0.1, 'load_n': 300.0, 'curves': str(file)}
    plate_sinkage.run(plate_sinkage.Settings.model_validate(values), lambda *_: None)
    found = read_curves_of_one_plate(file)
    assert found.of == pytest.approx(np.full(len(found.of), 0.1), rel=1e-12)
    assert found.stress == pytest.approx(1e4 * found.displacement / (math.pi * 0.01), rel=1e-12)


def read_curves_of_one_plate(file: Path) -> Points:
    """Return the points of a file with one plate, which alone does not determine k_c."""
    rows = [line.split(',') for line in file.read_text().splitlines()[1:]]
    return Points(*np.array([[row[1], row[3], row[4]] for row in rows], dtype=float).T)


HEAD = ','.join(COLUMNS)
GOOD = 'pressure,0.1,,0.01,1000'


@pytest.mark.parametrize(
    ('lines', 'said'),
    [
        ([], ":1: '' are not the columns; allowed: kind,b_m"),
        (['kind,b_m'], ":1: 'kind,b_m' are not the columns"),
        ([HEAD], ': has no points; allowed: points of kind pressure or shear'),
        ([HEAD, GOOD, 'pressure,0.1,,0.01'], ':3: has 4 values; allowed: 5'),
        ([HEAD, 'press,0.1,,0.01,1000'], ':2: kind = press: is unknown; allowed: pressure, shear'),
        ([HEAD, 'pressure,0.1,5,0.01,1000'], ':2: normal_pa = 5: does not apply to pressure; allowed: an empty value'),
        ([HEAD, 'shear,0.1,5,0.01,1000'], ':2: b_m = 0.1: does not apply to shear'),
        ([HEAD, 'pressure,,,0.01,1000'], ':2: b_m'),
        (
            [HEAD, 'pressure,0.1,,-0.01,1000'],
            ':2: displacement_m = -0.01: is out of range; allowed: a number above 0, up to 10',
        ),
        ([HEAD, 'pressure,0.1,,0.01,nan'], ':2: stress_pa = nan: is out of range'),
        (
            [HEAD, 'pressure,0.1,,0.01,1e12'],
            ':2: stress_pa = 1e12: is out of range; allowed: a number above 0, up to 1e+08',
        ),
        ([HEAD, *[GOOD] * 5], ': has 5 points of kind pressure; allowed: 6 to 5000'),
        ([HEAD, *[GOOD] * 6], ': b_m: is the same for all points of kind pressure'),
        ([HEAD, *[GOOD] * 6000], ': has 6000 points of kind pressure'),
    ],
)
def test_bad_files_of_curves_are_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    """The message names file, line, column, value and what is allowed."""
    file = tmp_path / 'points.csv'
    file.write_text('\n'.join(lines))
    with pytest.raises(InputError) as caught:
        read_curves(file)
    assert str(caught.value).startswith(str(file)) and said in str(caught.value)


@pytest.mark.parametrize('out', ['fitted.txt', 'no_folder/fitted.yaml', 'there.yaml'])
def test_soil_file_is_never_overwritten(tmp_path: Path, out: str) -> None:
    (tmp_path / 'there.yaml').write_text('mine')
    values: dict[str, Any] = {'curves': 'points.csv', 'out': str(tmp_path / out)}
    with pytest.raises(ValueError, match=r'allowed: a new file with the ending \.yaml'):
        soil_fit.Settings.model_validate(values)
    assert (tmp_path / 'there.yaml').read_text() == 'mine'
