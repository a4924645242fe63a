#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the table and the plots of docs/validation/tires.md: ``make validate``.

All text between the marks in that file is computed here, from the tables of the package's tests.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from page_markers import written

from regolith_vehicles.tires import RingConfig, Tire, load_tire

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'tires.md'
PICTURES = ROOT / 'docs' / 'images'
TABLES = ROOT / 'src' / 'regolith_testbeds' / 'test' / 'data' / 'tires'
TIRES = {'TMeasy': 'hmmwv_tmeasy', 'Fiala': 'hmmwv_fiala', 'Pac89': 'hmmwv_pac89', 'Pac02': 'hmmwv_pac02'}
STEP = 1e-3
"""Step of the transients [s]."""
LOAD = 6000.0

Columns = dict[str, NDArray[np.float64]]


def rows_of(name: str, **where: str) -> Columns:
    """Return the columns of a table, of the rows with these texts."""
    with (TABLES / f'{name}.csv').open() as file:
        rows = [row for row in csv.DictReader(file) if all(row[key] == value for key, value in where.items())]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key not in ('model', 'case')}


def largest_errors() -> list[str]:
    """Return the table of the largest differences, relative to the load."""
    lines = ['| table | ' + ' | '.join(TIRES) + ' |', '| --- ' * (len(TIRES) + 1) + '|']
    for name in ('longitudinal', 'lateral', 'combined', 'camber'):
        cells = []
        for model, tire in TIRES.items():
            rows = rows_of(f'tyre_{name}', model=model)
            found = load_tire(tire, 'reference').steady_state(
                load=rows['Fz_N'],
                slip=rows['kappa'],
                slip_angle=np.radians(rows['alpha_deg']),
                camber=np.radians(rows['gamma_deg']),
                speed=10.0,
                friction=rows['mu'],
            )
            worst = max(
                float(np.max(np.abs(found[key] - rows[f'{key}_{unit}']) / rows['Fz_N']))
                for key, unit in (('Fx', 'N'), ('Fy', 'N'), ('Mx', 'Nm'), ('My', 'Nm'), ('Mz', 'Nm'))
            )
            cells.append(f'{worst:.1e}')
        lines.append(f'| {name} | {" | ".join(cells)} |')
    cells = []
    for model, tire in TIRES.items():
        rows = rows_of('tyre_vertical', model=model)
        found = load_tire(tire, 'reference').vertical(
            height=rows['height_m'], speed_z=rows['vz_mps'], camber=np.radians(rows['gamma_deg'])
        )
        touching = rows['in_contact'] > 0
        cells.append(f'{np.max(np.abs(found["Fz"] - rows["Fz_N"])[touching] / LOAD):.1e}')
    lines.append(f'| vertical | {" | ".join(cells)} |')
    return lines


def draw_curves(path: Path) -> None:
    """Draw force over slip, over slip angle, and for combined slip, of all models: Chrono's points, our curves."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 4, figsize=(13.0, 8.6), layout='constrained')
    slips, angles = np.linspace(-0.9, 0.9, 361), np.linspace(-20.0, 20.0, 321)
    for column, (model, name) in enumerate(TIRES.items()):
        along, across, both = axes[:, column]
        for load, shade in ((4000.0, 'C0'), (8000.0, 'C1')):
            for mu, line in ((0.8, '-'), (0.4, ':')):
                curve = load_tire(name).steady_state(load=load, slip=slips, friction=mu)['Fx']
                along.plot(slips, 1e-3 * curve, line, color=shade)
                rows = rows_of('tyre_longitudinal', model=model)
                at = (rows['Fz_N'] == load) & (rows['mu'] == mu)
                along.plot(rows['kappa'][at], 1e-3 * rows['Fx_N'][at], 'kx', markersize=4)
            curve = load_tire(name).steady_state(load=load, slip_angle=np.radians(angles))['Fy']
            across.plot(angles, 1e-3 * curve, color=shade)
            rows = rows_of('tyre_lateral', model=model)
            at = (rows['Fz_N'] == load) & (rows['mu'] == 0.8)
            across.plot(rows['alpha_deg'][at], 1e-3 * rows['Fy_N'][at], 'kx', markersize=4)
        for angle, shade in ((-2.0, 'C0'), (-6.0, 'C1'), (-10.0, 'C2')):
            found = load_tire(name).steady_state(load=LOAD, slip=slips, slip_angle=math.radians(angle))
            both.plot(1e-3 * found['Fx'], 1e-3 * found['Fy'], color=shade, label=f'{-angle:g}°')
            rows = rows_of('tyre_combined', model=model)
            at = (rows['Fz_N'] == LOAD) & (rows['mu'] == 0.8) & (rows['alpha_deg'] == angle)
            both.plot(1e-3 * rows['Fx_N'][at], 1e-3 * rows['Fy_N'][at], 'kx', markersize=4)
        along.set_title(model)
        along.set_xlabel('slip')
        across.set_xlabel('slip angle [deg]')
        both.set_xlabel('longitudinal force [kN]')
        for axis in (along, across, both):
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel('longitudinal force [kN]')
    axes[1, 0].set_ylabel('lateral force, to the left [kN]')
    axes[2, 0].set_ylabel('lateral force, to the left [kN]')
    axes[2, 0].legend(fontsize=8, title='slip angle')
    figure.savefig(path, dpi=100)
    plt.close(figure)


def stepped(name: str, behavior: str, speed: float, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return times [s] and forces to the left [N] of a tire with a step of the slip angle to 5 degrees at 0.05 s."""
    tire = load_tire(name, behavior).start(load=LOAD)
    times = np.arange(steps) * STEP
    aside = speed * math.tan(math.radians(5.0))
    return times, np.array(
        [tire.step(STEP, speed, aside if t >= 0.05 - 1e-9 else 0.0, speed / tire.rolling_radius)['Fy'] for t in times]
    )


def draw_transients(path: Path) -> None:
    """Draw a step of the slip angle at two speeds, and a tire at rest that is moved sideways back and forth."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13.0, 3.8), layout='constrained')
    for axis, speed, case in ((axes[0], 10.0, 'v10'), (axes[1], 0.5, 'v05')):
        rows = rows_of('tyre_transient', model='TMeasy', case=f'step_alpha5_{case}')
        axis.plot(rows['t_s'], 1e-3 * rows['Fy_N'], 'kx', markersize=4, label='Chrono')
        for behavior, line in (('reference', '-'), ('regolith', '-')):
            times, forces = stepped('hmmwv_tmeasy', behavior, speed, 200 if speed > 1.0 else 1000)
            axis.plot(times, 1e-3 * forces, line, label=behavior)
        axis.set_title(f'TMeasy, step of the slip angle to 5°, {speed:g} m/s')
        axis.set_xlabel('time [s]')
    rows = rows_of('tyre_transient', model='TMeasy', case='stand_lat_sine')
    axes[2].plot(1e3 * rows['y_m'], 1e-3 * rows['Fy_N'], 'kx', markersize=4, label='Chrono')
    for behavior in ('reference', 'regolith'):
        tire = load_tire('hmmwv_tmeasy', behavior).start(load=LOAD)
        way, force = [0.0], []
        for k in range(1500):
            aside = 0.2 * math.cos(2.0 * math.pi * k * STEP)
            force.append(tire.step(STEP, 0.0, aside, 0.0)['Fy'])
            way.append(way[-1] + STEP * aside)
        axes[2].plot(1e3 * np.array(way[:-1]), 1e-3 * np.array(force), label=behavior)
    axes[2].set_title('TMeasy, at rest, moved sideways back and forth')
    axes[2].set_xlabel('lateral displacement [mm]')
    for axis in axes:
        axis.set_ylabel('lateral force, to the left [kN]')
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_rings(path: Path) -> None:
    """Draw the load of rings over their deflection, beside the closed form and TMeasy."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure, (winkler, truck) = plt.subplots(1, 2, figsize=(10, 4), layout='constrained')
    radius, fine = 0.409, np.linspace(1e-3, 0.08, 100)
    angle = np.arccos(1.0 - fine / radius)
    tread = {'stiffness_npm2': 1e8, 'longitudinal_npm2': 1e6, 'lateral_npm2': 1e6}
    for stiffness, color in ((2e4, 'C0'), (4e4, 'C1')):
        closed = 2.0 * stiffness * radius * (radius * np.sin(angle) - (radius - fine) * angle)
        values = {'type': 'ring', 'radius_m': radius, 'width_m': 0.23, 'rim_depth_m': 0.2, 'damping_nspm2': 0.0}
        values |= {'stiffness_npm2': stiffness, 'tangential_npm2': stiffness, 'tread': tread}
        ring, depths = Tire(RingConfig.model_validate(values)), np.linspace(0.0, 0.08, 7)[1:]
        loads = ring.vertical(height=radius - depths)['Fz']
        winkler.plot(1e3 * fine, closed, color, label=f'closed form, {stiffness:.0e} N/m$^2$')
        winkler.plot(1e3 * depths, loads, 'x', color=color, label='ring')
    winkler.set_title('Foundation alone, R = 0.409 m', fontsize=9)
    deep = np.linspace(0.0, 0.1, 100)
    for name, style in (('hmmwv_tmeasy', 'k--'), ('hmmwv_ring', 'C0')):
        truck.plot(1e3 * deep, 1e-3 * load_tire(name).vertical(height=0.4699 - deep)['Fz'], style, label=name)
    truck.plot(1e3 * 0.0208, 8.563, 'ko', markersize=4, label='nominal load')
    truck.set_title('HMMWV', fontsize=9)
    winkler.set_ylabel('load [N]')
    truck.set_ylabel('load [kN]')
    for axis in (winkler, truck):
        axis.set_xlabel('deflection [mm]')
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """Write the table between its marks and draw the plots."""
    text = written(PAGE, {'errors': largest_errors()})
    draw_curves(PICTURES / 'validation_tires.png')
    draw_transients(PICTURES / 'validation_tires_transient.png')
    draw_rings(PICTURES / 'validation_tires_ring.png')
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
