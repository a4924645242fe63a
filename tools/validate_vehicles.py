#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables and plots of docs/validation/vehicles.md: ``make validate``.

All text between the marks in that file is computed here, from the tables of the package's tests.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from page_markers import written
from rich.console import Console
from rich.progress import track

from regolith_testbeds.proving_ground.drive import Drive, drive
from regolith_testbeds.proving_ground.results import results
from regolith_testbeds.proving_ground.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'vehicles.md'
PICTURE = ROOT / 'docs' / 'images' / 'validation_hmmwv.png'
TANK_PICTURE = ROOT / 'docs' / 'images' / 'validation_m113.png'
CHAIN_PICTURE = ROOT / 'docs' / 'images' / 'validation_m113_chain.png'
TESTS = ROOT / 'src' / 'regolith_vehicles' / 'test'
TABLES = ROOT / 'src' / 'regolith_testbeds' / 'test' / 'data' / 'vehicles'
CASES = (
    'step_v20_s0.05',
    'step_v20_s0.1',
    'step_v20_s0.3',
    'step_v12_s0.15',
    'step_v20_s0.1_Fiala',
    'step_v20_s0.1_Pac02',
    'circle_s0.1',
    'circle_s0.4',
    'brake_0.2',
    'brake_0.5',
    'accel_throttle1',
)
TANK_CASES = ('settle', 'straight_1.0', 'turn_0.4', 'pivot_1.0', 'scm_soft_0.8')
TANK_COLUMNS = {'z_m': 'height [m]', 'vx_mps': 'speed [m/s]', 'yaw_rate_radps': 'yaw rate [rad/s]'}
DRAWN = ('step_v20_s0.1', 'step_v12_s0.15', 'circle_s0.4', 'brake_0.5', 'accel_throttle1')
EXTRAPOLATED = {'yaw rate': 'yaw_rate_radps', 'lateral acceleration': 'ay_mps2', 'roll': 'roll_deg', 'speed': 'vx_mps'}


def told(case: str) -> dict[str, float]:
    """Return the results of the reference for a case."""
    with (TABLES / 'hmmwv_summary.csv').open() as file:
        return {row['quantity']: float(row['value']) for row in csv.DictReader(file) if row['case'] == case}


def series(case: str) -> dict[str, NDArray[np.float64]]:
    """Return time, speed and yaw rate of the reference for a case."""
    with (TABLES / 'hmmwv_series.csv').open() as file:
        rows = [row for row in csv.DictReader(file) if row['case'] == case]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != 'case'}


def compared(case: str, done: Drive, settings: Settings) -> list[str]:
    """Return lines of the table: common quantities, and yaw rates at the reference's speeds on a circle."""
    ours, theirs = results(settings, done), told(case)
    pairs = []
    for name, value in ours.items():
        if name in theirs:
            column = EXTRAPOLATED.get(name.partition(',')[0])
            exact = [v for k, v in theirs.items() if column is not None and k.startswith(f'{column} mean')]
            pairs.append((name, theirs[name], exact[0] if exact else None, value))
    if settings.maneuver == 'circle':
        steady = done['t_s'] > settings.speed_rate_start_s
        for name, value in theirs.items():
            if name.startswith('yaw rate at'):
                speed = float(name.partition('=')[2])
                rate = np.interp(speed, done['vx_mps'][steady], done['yaw_rate_radps'][steady])
                pairs.append((name, value, None, rate))
    lines = []
    for name, given, exact, ours in pairs:
        limit = '' if exact is None else f'{exact:.4g}'
        cells = (case, name.partition(' (road')[0], f'{given:.4g}', limit, f'{ours:.4g}')
        lines.append(f'| {" | ".join(cells)} |')
    return lines


def draw(drives: dict[str, Drive]) -> None:
    """Draw speed or yaw rate over time, crosses for Chrono."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(DRAWN), figsize=(15.0, 3.4), layout='constrained')
    for axis, case in zip(axes, DRAWN, strict=True):
        turning = case.startswith(('step', 'circle'))
        column, label = ('yaw_rate_radps', 'yaw rate [rad/s]') if turning else ('vx_mps', 'speed [m/s]')
        points = series(case)
        axis.plot(points['t_s'], points[column], 'kx', markersize=4, label='Chrono')
        axis.plot(drives[case]['t_s'], drives[case][column], label='ours')
        axis.set(title=case, xlabel='time [s]', ylabel=label)
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(PICTURE, dpi=100)
    plt.close(figure)


def tank_means(case: str) -> dict[str, NDArray[np.float64]]:
    """Return the means of the reference over intervals of time, for a case of the tracked vehicle."""
    with (TABLES / 'm113_means.csv').open() as file:
        rows = [row for row in csv.DictReader(file) if row['case'] == case]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != 'case'}


def tank_lines(case: str, done: Drive) -> list[str]:
    """Return lines of the table: at rest all quantities, otherwise the means at the end of every second second."""
    given, lines = tank_means(case), []
    at_rest = case == 'settle'
    columns = [key for key in given if not key.endswith('_s')] if at_rest else list(TANK_COLUMNS)
    for column in columns:
        for start, end, value in zip(given['start_s'], given['end_s'], given[column], strict=True):
            if not at_rest and (start % 2.0 != 0.5 or start < 2.0):
                continue
            span = (done['t_s'] > start + 1e-6) & (done['t_s'] <= end + 1e-6)
            cells = (case, column, f'{start:g} to {end:g}', f'{value:.4g}', f'{done[column][span].mean():.4g}')
            lines.append(f'| {" | ".join(cells)} |')
    return lines


def draw_tanks(drives: dict[str, Drive]) -> None:
    """Draw height, speed and yaw rate of tracked vehicles over time, crosses for Chrono's means."""
    import matplotlib.pyplot as plt

    cases = [case for case in TANK_CASES if case != 'settle']
    figure, axes = plt.subplots(len(TANK_COLUMNS), len(cases), figsize=(14.0, 7.0), layout='constrained', sharex='col')
    for column, case in enumerate(cases):
        points = tank_means(case)
        for row, (name, label) in enumerate(TANK_COLUMNS.items()):
            axis = axes[row, column]
            axis.plot(0.5 * (points['start_s'] + points['end_s']), points[name], 'kx', markersize=4, label='Chrono')
            axis.plot(drives[case]['t_s'], drives[case][name], label='ours')
            axis.set(ylabel=label if column == 0 else '', title=case if row == 0 else '')
            axis.grid(alpha=0.3)
        axes[-1, column].set(xlabel='time [s]')
    axes[0, 0].legend()
    figure.savefig(TANK_PICTURE, dpi=90)
    plt.close(figure)


Loads = dict[tuple[str, str, str], dict[int, tuple[float, float]]]
"""x [m] and value by number, by case, quantity and side."""


def chain_tables() -> tuple[Loads, Loads]:
    """Return the stored results of the chain of shoes, and the results of the band."""
    sys.path.insert(0, str(TESTS))
    import shoe_chain

    def sorted_out(rows: list[Any]) -> Loads:
        out: Loads = {}
        for case, quantity, side, number, x, value in rows:
            out.setdefault((case, quantity, side), {})[number] = (x, value)
        return out

    with tempfile.TemporaryDirectory() as folder:
        band = sorted_out(shoe_chain.band_measured(Path(folder)))
    return sorted_out(shoe_chain.read()), band


def chain_lines(chain: Loads, band: Loads) -> list[str]:
    """Return lines of the table: mean differences of pressure, loads of wheels, moments of turning."""
    lines = ['| case | quantity | chain | band |', '| --- | --- | --- | --- |']
    for (case, quantity, side), theirs in chain.items():
        ours = band[case, quantity, side]
        if quantity in ('shoe', 'line'):
            none = (0.0, 0.0)
            apart = sum(abs(ours.get(k, none)[1] - theirs.get(k, none)[1]) for k in {*ours, *theirs})
            difference = 100.0 * apart / sum(value for _, value in theirs.values())
            lines.append(f'| {case} | pressure, {side}: mean difference | | {difference:.1f} % |')
        elif quantity == 'wheel':
            for k, (_, value) in theirs.items():
                lines.append(f'| {case} | wheel {side} {k + 1} [N] | {value:.0f} | {ours[k][1]:.0f} |')
        elif case == 'pivot':
            unit = 'rad/s' if quantity == 'yaw_rate' else 'N m'
            name = quantity.replace('_', ' ')
            lines.append(f'| {case} | {name} [{unit}] | {theirs[0][1]:.4g} | {ours[0][1]:.4g} |')
    return lines


def draw_chain(chain: Loads, band: Loads) -> None:
    """Draw loads along the track: per shoe at rest, per length in motion."""
    import matplotlib.pyplot as plt

    cases = {
        'rest': ('shoe', 'load of a shoe [kN]'),
        'straight': ('line', 'load per length [kN/m]'),
        'pivot': ('line', 'load per length [kN/m]'),
    }
    figure, axes = plt.subplots(2, len(cases), figsize=(14.0, 6.0), layout='constrained')
    for column, (case, (quantity, label)) in enumerate(cases.items()):
        for row, side in enumerate(('left', 'right')):
            axis = axes[row, column]
            for name, given, style in (('chain', chain, 'kx'), ('band', band, 'o-' if case == 'rest' else '-')):
                points = np.array(sorted(given[case, quantity, side].values()))
                axis.plot(points[:, 0], 1e-3 * points[:, 1], style, markersize=4, label=name)
            axis.set(ylabel=label, title=f'{case}, {side} track', xlabel='x in the hull [m]' if row else '')
            axis.grid(alpha=0.3)
    axes[0, 0].legend()
    figure.savefig(CHAIN_PICTURE, dpi=90)
    plt.close(figure)


def main() -> None:
    """Write the tables between their marks and draw the plots."""
    lines = ['| case | quantity | Chrono | extrapolated | ours |', '| --- | --- | --- | --- | --- |']
    drives = {}
    for case in track(CASES, 'drives', console=Console(stderr=True), transient=True):
        settings = Settings(case=case)
        drives[case] = drive(settings, lambda done, total: None)
        lines += compared(case, drives[case], settings)
    tanks = ['| case | column | from, to [s] | Chrono | ours |', '| --- | --- | --- | --- | --- |']
    for case in track(TANK_CASES, 'tracked', console=Console(stderr=True), transient=True):
        drives[case] = drive(Settings(case=case), lambda done, total: None)
        tanks += tank_lines(case, drives[case])
    chain, band = chain_tables()
    text = written(PAGE, {'hmmwv': lines, 'm113': tanks, 'chain': chain_lines(chain, band)})
    draw(drives)
    draw_tanks(drives)
    draw_chain(chain, band)
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
