#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the table and the picture of docs/validation/vehicles.md: ``make validate``.

Everything between the marks in that file is computed here, from the tables of the package's tests.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from marks import written
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from regolith_vehicles.proving_ground.drive import Drive, drive
from regolith_vehicles.proving_ground.figures import figures
from regolith_vehicles.proving_ground.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'vehicles.md'
PICTURE = ROOT / 'docs' / 'images' / 'validation_hmmwv.png'
TABLES = ROOT / 'src' / 'regolith_vehicles' / 'test' / 'data' / 'vehicles'
CASES = (
    'step_v20_s0.05', 'step_v20_s0.1', 'step_v20_s0.3', 'step_v12_s0.15', 'step_v20_s0.1_Fiala', 'step_v20_s0.1_Pac02',
    'circle_s0.1', 'circle_s0.4', 'brake_0.2', 'brake_0.5', 'accel_throttle1',
)  # fmt: skip
DRAWN = ('step_v20_s0.1', 'step_v12_s0.15', 'circle_s0.4', 'brake_0.5', 'accel_throttle1')
EXTRAPOLATED = {'yaw rate': 'yaw_rate_radps', 'lateral acceleration': 'ay_mps2', 'roll': 'roll_deg', 'speed': 'vx_mps'}


def told(case: str) -> dict[str, float]:
    """Return the reference's figures of a case."""
    with (TABLES / 'hmmwv_summary.csv').open() as file:
        return {row['quantity']: float(row['value']) for row in csv.DictReader(file) if row['case'] == case}


def series(case: str) -> dict[str, NDArray[np.float64]]:
    """Return the reference's time, speed and yaw rate of a case."""
    with (TABLES / 'hmmwv_series.csv').open() as file:
        rows = [row for row in csv.DictReader(file) if row['case'] == case]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != 'case'}


def compared(case: str, done: Drive, settings: Settings) -> list[str]:
    """Return lines of the table: what both have, and yaw rates at the reference's speeds of a circle."""
    ours, theirs = figures(settings, done), told(case)
    pairs = []
    for name, value in ours.items():
        if name in theirs:
            column = EXTRAPOLATED.get(name.partition(',')[0])
            exact = [v for k, v in theirs.items() if column is not None and k.startswith(f'{column} mean')]
            pairs.append((name, theirs[name], exact[0] if exact else None, value))
    if settings.manoeuvre == 'circle':
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


def main() -> None:
    """Put the table between its marks and draw the picture."""
    lines = ['| case | figure | Chrono | extrapolated | ours |', '| --- | --- | --- | --- | --- |']
    drives = {}
    for case in track(CASES, 'drives', console=Console(stderr=True), transient=True):
        settings = Settings(case=case)
        drives[case] = drive(settings, lambda done, total: None)
        lines += compared(case, drives[case], settings)
    text = written(PAGE, {'hmmwv': lines})
    draw(drives)
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
