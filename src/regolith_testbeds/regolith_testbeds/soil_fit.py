# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fit of SCM parameters to measured curves of pressed and sheared plates, with credible intervals.

Points of pressed plates give k_c, k_phi and n of ln p = ln(k_c / b + k_phi) + n ln z, those of sheared plates c, phi
and K of tau = (c + sigma tan phi) (1 - exp(-j / K)). Errors are normal: those of ln p, and those of tau relative to the
largest tau at the same sigma. Their scale is unknown and integrated out with the prior 1 / scale, so the posterior
density is proportional to S^(-N / 2) with the sum S of squared residuals of N points. Priors are flat in k_c >= 0,
ln k_phi, ln n, c >= 0, tan phi and ln K. Least squares give the start and the steps of Metropolis chains, from whose
states the medians and intervals are.

Simplification: errors of different points are independent. Those of neighboring points of a real curve are not, so real
intervals are wider; take points at least as far apart as such errors reach.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from regolith_files import InputError, Problem, as_yaml_text, usable_file, write_atomically
from regolith_terrain import ScmSoilConfig
from regolith_terrain.grid import Floats
from regolith_world.random import generator

COLUMNS = ('kind', 'b_m', 'normal_pa', 'displacement_m', 'stress_pa')
"""Columns of a file of curves; ``b_m`` is for points of kind pressure, ``normal_pa`` for those of kind shear."""
MOST_POINTS = 5000
"""Largest number of points of a kind."""
LEAST_POINTS = 6
"""Least number of points of a kind: twice that of parameters."""
LIMITS = {'b_m': 10.0, 'normal_pa': 1e8, 'displacement_m': 10.0, 'stress_pa': 1e8}
"""Largest values of the columns; all values are above 0."""
INTERVAL = 0.99
"""Probability of the credible intervals."""
_CHAINS, _BURN_IN, _KEPT = 24, 400, 1000
_READING = 1e-6
"""Relative error of a point that is always assumed, because points without errors have no posterior density."""


class Points(NamedTuple):
    """Points of curves of one kind, shape (n,) each."""

    of: Floats
    """Plate size b = 2 area / perimeter [m] of a pressed plate, or normal pressure [Pa] of a sheared one."""
    displacement: Floats
    """Sinkage or shear displacement [m]."""
    stress: Floats
    """Pressure or shear stress [Pa]."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Posterior distribution of three soil parameters."""

    keys: tuple[str, str, str]
    """Keys of the parameters in a soil file."""
    median: Floats
    """Medians, shape (3,)."""
    low: Floats
    """Lower ends of the credible intervals, shape (3,)."""
    high: Floats
    """Upper ends, shape (3,)."""
    r_hat: float
    """Largest potential scale reduction of the chains; 1: they agree."""
    error: float
    """Relative standard deviation of the points from the curves of least squares."""
    samples: Floats
    """Some states of the chains, shape (n, 3)."""


class _Law(NamedTuple):
    """Law of one kind of curve in the coordinates of the chains, of which the first is at least 0."""

    keys: tuple[str, str, str]
    residuals: Callable[[Floats, Points], Floats]
    """Residuals of coordinates (m, 3) at the points, shape (m, n)."""
    start: Callable[[Points], Floats]
    """First guess of the coordinates, shape (3,)."""
    values: Callable[[Floats], Floats]
    """Parameters of coordinates, shape (m, 3) each."""


def pressure(k_c: Floats, k_phi: Floats, exponent: Floats, b: Floats, sinkage: Floats) -> Floats:
    """Return the pressure under a plate (k_c / b + k_phi) z^n [Pa].

    Source: bekker1969.
    Checked by: test_soil_fit.py::test_points_without_errors_give_the_parameters.
    """
    found: Floats = (k_c / b + k_phi) * sinkage**exponent
    return found


def shear_stress(cohesion: Floats, slope: Floats, modulus: Floats, normal: Floats, slid: Floats) -> Floats:
    """Return the shear stress (c + sigma tan phi) (1 - exp(-j / K)) [Pa].

    Source: janosi1961.
    Checked by: test_soil_fit.py::test_points_without_errors_give_the_parameters.
    """
    found: Floats = (cohesion + normal * slope) * -np.expm1(-slid / modulus)
    return found


def _pressed(x: Floats, points: Points) -> Floats:
    k_c, k_phi, exponent = x[:, :1], np.exp(x[:, 1:2]), np.exp(x[:, 2:])
    # Chains may propose a negative k_c, which has no density.
    modulus = np.maximum(k_c / points.of + k_phi, 1e-300)
    found: Floats = np.log(points.stress) - np.log(modulus) - exponent * np.log(points.displacement)
    return found


def _pressed_start(points: Points) -> Floats:
    exponent, level = np.polyfit(np.log(points.displacement), np.log(points.stress), 1)
    return np.array([0.01 * math.exp(level) * points.of.mean(), level, math.log(max(exponent, 0.05))])


def _sheared(x: Floats, points: Points) -> Floats:
    highest = _highest(points)
    found: Floats = shear_stress(x[:, :1], x[:, 1:2], np.exp(x[:, 2:]), points.of, points.displacement)
    return (points.stress - found) / highest


def _sheared_start(points: Points) -> Floats:
    slope = float(np.mean(_highest(points) / points.of))
    return np.array([0.01 * points.stress.max(), slope, math.log(0.2 * points.displacement.max())])


def _highest(points: Points) -> Floats:
    """Return the largest stress at the same normal pressure for each point [Pa], shape (n,)."""
    _, test = np.unique(points.of, return_inverse=True)
    top = np.zeros(test.max() + 1)
    np.maximum.at(top, test, points.stress)
    return top[test]


LAWS = {
    'pressure': _Law(
        ('k_c', 'k_phi', 'exponent'),
        _pressed,
        _pressed_start,
        lambda x: np.column_stack((x[:, 0], np.exp(x[:, 1]), np.exp(x[:, 2]))),
    ),
    'shear': _Law(
        ('cohesion_pa', 'friction_angle_deg', 'janosi_shear_m'),
        _sheared,
        _sheared_start,
        lambda x: np.column_stack((x[:, 0], np.degrees(np.arctan(x[:, 1])), np.exp(x[:, 2]))),
    ),
}
"""Laws of the curves by kind."""


def fit(kind: str, points: Points, seed: int) -> Fit:
    """Return the posterior distribution of the parameters of a kind of curves.

    Args:
        kind: ``pressure`` or ``shear``.
        points: Points of at least two plate sizes or normal pressures.
        seed: Seed of the chains.

    Source: metropolis1953; gelman1992.
    Checked by: test_soil_fit.py::test_known_parameters_are_within_their_intervals,
    test_soil_fit.py::test_intervals_have_their_probability.
    """
    from scipy.optimize import least_squares

    law, count = LAWS[kind], len(points.stress)
    start = law.start(points)
    found = least_squares(
        lambda x: law.residuals(x[None], points)[0],
        start,
        bounds=([0.0, -np.inf, -np.inf], np.inf),
        x_scale=np.maximum(np.abs(start), 1e-3),
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    variance = 2.0 * found.cost / (count - 3) + _READING**2
    spread = np.linalg.cholesky(np.linalg.inv(found.jac.T @ found.jac) * variance)
    chains = _chains(law, points, found.x, spread, generator(seed, 'soil_fit', kind, 0))
    states = law.values(chains.reshape(-1, 3))
    tail = 0.5 * (1.0 - INTERVAL)
    low, median, high = np.quantile(states, (tail, 0.5, 1.0 - tail), axis=0)
    return Fit(law.keys, median, low, high, _r_hat(chains), math.sqrt(variance), states[:: len(states) // 200])


def _chains(law: _Law, points: Points, best: Floats, spread: Floats, random: np.random.Generator) -> Floats:
    """Return the states of Metropolis chains after their burn-in, shape (_KEPT, _CHAINS, 3).

    Args:
        law: Law of the curves.
        points: Points.
        best: Coordinates of least squares, shape (3,).
        spread: Cholesky factor of their covariance, shape (3, 3).
        random: Random numbers.
    """
    count = len(points.stress)

    def log_density(x: Floats) -> Floats:
        squares = (law.residuals(x, points) ** 2).sum(axis=1) + count * _READING**2
        return np.where(x[:, 0] >= 0.0, -0.5 * count * np.log(squares), -np.inf)

    # Chains that start twice as far away as the posterior reaches, and agree, no longer depend on their starts.
    state = best + 2.0 * random.standard_normal((_CHAINS, 3)) @ spread.T
    state[:, 0] = np.abs(state[:, 0])
    density, kept = log_density(state), np.empty((_KEPT, _CHAINS, 3))
    for k in range(-_BURN_IN, _KEPT):
        # 2.38 / sqrt(3): the best step in three dimensions.
        proposal = state + 2.38 / math.sqrt(3.0) * random.standard_normal((_CHAINS, 3)) @ spread.T
        other = log_density(proposal)
        taken = np.log(random.random(_CHAINS)) < other - density
        state, density = np.where(taken[:, None], proposal, state), np.where(taken, other, density)
        if k >= 0:
            kept[k] = state
    return kept


def _r_hat(chains: Floats) -> float:
    """Return the largest potential scale reduction of the coordinates of chains, shape (states, chains, 3)."""
    length = len(chains)
    within, between = chains.var(axis=0, ddof=1).mean(axis=0), chains.mean(axis=0).var(axis=0, ddof=1)
    return float(np.sqrt((length - 1.0) / length + between / within).max())


def read_curves(*paths: str | Path) -> dict[str, Points]:
    """Return the points of files by kind.

    Args:
        paths: CSV files with the columns :data:`COLUMNS`.

    Raises:
        InputError: If a file is invalid; names file, line, column, value and allowed values.
    """
    rows: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in LAWS}
    for path in paths:
        for kind, own in _rows(path).items():
            rows[kind] += own
    found = {kind: Points(*np.array(own).T) for kind, own in rows.items() if own}
    _refuse_unusable(', '.join(str(path) for path in paths), found)
    return found


def _rows(path: str | Path) -> dict[str, list[tuple[float, float, float]]]:
    """Return the numbers of a file of curves by kind."""
    file = usable_file(path, 'the path of a file of curves (.csv)')
    try:
        lines = list(csv.reader(file.read_text(encoding='utf-8').splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(Problem(str(file), '', f'is not a CSV file: {error}', 'text with commas')) from error
    if not lines or tuple(cell.strip() for cell in lines[0]) != COLUMNS:
        first = ','.join(lines[0]) if lines else ''
        raise InputError(Problem(f'{file}:1', '', f'{first[:80]!r} are not the columns', ','.join(COLUMNS)))
    rows: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in LAWS}
    for number, line in enumerate(lines[1:], start=2):
        if line:
            kind, row = _row(f'{file}:{number}', line)
            rows[kind].append(row)
    return rows


def _row(where: str, line: list[str]) -> tuple[str, tuple[float, float, float]]:
    """Return kind and numbers of a line of a file of curves."""
    if len(line) != len(COLUMNS):
        raise InputError(Problem(where, '', f'has {len(line)} values', f'{len(COLUMNS)}: {",".join(COLUMNS)}'))
    cells = dict(zip(COLUMNS, (cell.strip() for cell in line), strict=True))
    kind = cells['kind']
    if kind not in LAWS:
        raise InputError(Problem(where, 'kind', 'is unknown', ', '.join(LAWS), kind or "''"))
    own, other = ('b_m', 'normal_pa') if kind == 'pressure' else ('normal_pa', 'b_m')
    if cells[other]:
        raise InputError(Problem(where, other, f'does not apply to {kind}', 'an empty value', cells[other]))
    numbers = []
    for key in (own, 'displacement_m', 'stress_pa'):
        try:
            number = float(cells[key])
        except ValueError:
            number = math.nan
        if not 0.0 < number <= LIMITS[key]:
            allowed = f'a number above 0, up to {LIMITS[key]:g}'
            raise InputError(Problem(where, key, 'is out of range', allowed, cells[key] or "''"))
        numbers.append(number)
    return kind, (numbers[0], numbers[1], numbers[2])


def _refuse_unusable(file: str, found: dict[str, Points]) -> None:
    """Refuse points that do not determine the parameters.

    Raises:
        InputError: If there are too few or too many points, or only one plate size, normal pressure or displacement.
    """
    if not found:
        raise InputError(Problem(file, '', 'has no points', f'points of kind {" or ".join(LAWS)}'))
    for kind, points in found.items():
        if not LEAST_POINTS <= len(points.stress) <= MOST_POINTS:
            allowed = f'{LEAST_POINTS} to {MOST_POINTS}'
            raise InputError(Problem(file, '', f'has {len(points.stress)} points of kind {kind}', allowed))
        what = 'b_m' if kind == 'pressure' else 'normal_pa'
        for key, values in ((what, points.of), ('displacement_m', points.displacement)):
            if np.ptp(values) < 0.01 * values.max():
                allowed = f'at least two values of {key} that differ by 1 %'
                raise InputError(Problem(file, key, f'is the same for all points of kind {kind}', allowed))


def curves_text(pressed: Iterable[Points], sheared: Iterable[Points]) -> str:
    """Return a file of curves that :func:`read_curves` reads."""
    lines = [','.join(COLUMNS)]
    for kind, curves in (('pressure', pressed), ('shear', sheared)):
        for points in curves:
            for of, displacement, stress in zip(*(column.tolist() for column in points), strict=True):
                place = f'{of!r},' if kind == 'pressure' else f',{of!r}'
                lines.append(f'{kind},{place},{displacement!r},{stress!r}')
    return '\n'.join(lines) + '\n'


def pressed_points(b: float, area: float, depth: Floats, force: Floats) -> Points:
    """Return points of the curve of a pressed plate that are at least a 50th of its depth apart.

    Args:
        b: Size of the plate, 2 area / perimeter [m].
        area: Its area [m^2].
        depth: Depths [m], shape (n,).
        force: Forces [N], shape (n,).
    """
    kept: list[int] = []
    apart = 0.02 * float(depth.max())
    for k, z in enumerate(depth.tolist()):
        if force[k] > 0.0 and z >= (depth[kept[-1]] if kept else 0.0) + apart:
            kept.append(k)
    return Points(np.full(len(kept), b), depth[kept], force[kept] / area)


def write_pressed(path: str, b: float, area: float, depth: Floats, force: Floats) -> None:
    """Write the curve of a pressed plate as a file of curves, by :func:`pressed_points`."""
    write_atomically(Path(path), curves_text([pressed_points(b, area, depth, force)], []))


def fitted_soil(name: str, fits: Iterable[Fit], base: ScmSoilConfig) -> ScmSoilConfig:
    """Return a soil with the medians of fits to six digits, and all other parameters of another soil."""
    values = base.model_dump() | {'name': name}
    for each in fits:
        values |= {key: float(f'{value:.6g}') for key, value in zip(each.keys, each.median.tolist(), strict=True)}
    return ScmSoilConfig.model_validate(values)


def soil_text(soil: ScmSoilConfig, fits: Iterable[Fit], curves: str, base: str) -> str:
    """Return the text of a soil file, with the interval of each fitted parameter.

    Args:
        soil: Soil of :func:`fitted_soil`.
        fits: Its fits.
        curves: Name of the file of curves.
        base: Name of the soil that gave all other parameters.
    """
    ranges = {
        key: f'{low:.4g} to {high:.4g}'
        for each in fits
        for key, low, high in zip(each.keys, each.low.tolist(), each.high.tolist(), strict=True)
    }
    lines = [
        f'# Fitted to {curves} by experiment soil-fit: medians, with intervals of {INTERVAL:.0%} probability.',
        f'# All other parameters are those of {base}.',
    ]
    for key, value in soil.model_dump(mode='json').items():
        lines.append(f'{key}: {as_yaml_text(value)}' + (f'  # {ranges[key]}' if key in ranges else ''))
    return '\n'.join(lines) + '\n'
