#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables and the plot of docs/validation/scm.md: ``make validate``.

All text between the marks in that file is computed here, from the reference tables of the packages.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from page_markers import written
from rich.console import Console
from rich.progress import track

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_testbeds.experiments import plate_sinkage, wheel_rig
from regolith_testbeds.settings import reference_rows
from regolith_testbeds.sinkage_formulas import bekker_sinkage, ding_sinkage, lyasko_factor
from regolith_testbeds.slope_climb import load_wheel_rig
from regolith_testbeds.wong_reece import drawbar_curve, rigid_wheel
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'scm.md'
PICTURE = ROOT / 'docs' / 'images' / 'validation_scm.png'
VEHICLES = ROOT / 'src' / 'regolith_vehicles' / 'test' / 'data'
CONTINUUM = ROOT / 'docs' / 'validation' / 'crm.csv'
CASES = (('lunar', 200), ('lunar', 1000), ('sandmid', 200), ('sandmid', 1000))
RADIUS, WIDTH = 0.25, 0.21
SINKAGE = ROOT / 'docs' / 'images' / 'validation_slip_sinkage.png'
SLIPPING: dict[str, dict[str, Any]] = {
    'smooth': {'grousers': 0},
    '12 mm': {'grousers': 24, 'grouser_height_m': 0.012},
    '30 mm': {'grousers': 24, 'grouser_height_m': 0.03},
    'small wheel, 15 mm': {
        'radius_m': 0.15,
        'width_m': 0.16,
        'load_n': 80.0,
        'grousers': 24,
        'grouser_height_m': 0.015,
        'grouser_thickness_m': 0.002,
    },
    'GRC-1, 30 mm': {
        'soil': 'grc1',
        'radius_m': 0.255,
        'width_m': 0.2,
        'load_n': 171.7,
        'grousers': 24,
        'grouser_height_m': 0.03,
        'grouser_thickness_m': 0.005,
    },
}
"""Settings of the wheels with slip; defaults: the wheel of the reference tables with 200 N on ``lunar_nominal``."""
SLIPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
MEASURED = 0.6, 3.0, 7.0
"""Slip, and smallest and largest ratio of the sinkage to that without slip, of lugged wheels by Ding et al. (2010)."""


def progress(items: Iterable[Any], what: str) -> Iterable[Any]:
    """Show the progress of a table on stderr."""
    return track(list(items), what, console=Console(stderr=True), transient=True)


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Return a Markdown table."""
    return [f'| {" | ".join(line)} |' for line in (head, ['---'] * len(head), *rows)]


def rolled(soil: str, load: float, slips: tuple[float, ...], mode: str) -> list[dict[str, Any]]:
    """Return the rows of the rig for the wheel of the reference."""
    settings = wheel_rig.Settings.model_validate(
        {'soil': f'chrono_{soil}', 'load_n': load, 'slip': slips, 'scm_mode': mode, 'slip_sinkage': False}
    )
    return wheel_rig.run(settings, lambda done, total: None)


def wheels(geometry: str) -> list[str]:
    """Return the table of wheels at prescribed slip against one kind of Chrono's rays."""
    head = [
        'soil',
        'load [N]',
        'slip',
        'pull [N]: Chrono',
        'ours',
        'torque [N m]: Chrono',
        'ours',
        'sinkage [mm]: Chrono',
        'ours',
        'largest error [% of the tolerance]',
    ]
    rows = []
    for row in progress(reference_rows('scm_slip', geometry=geometry), f'wheels, {geometry}'):
        load, slip = float(row['load_N']), float(row['slip'])
        ours = rolled(row['soil'], load, (slip,), 'reference')[0]
        pairs = (
            (float(row['drawbar_pull_N']), ours['drawbar_pull_n'], 0.003 * load),
            (float(row['driving_torque_Nm']), ours['torque_nm'], 0.003 * load * RADIUS),
            (float(row['axle_sinkage_m']) * 1e3, ours['sinkage_m'] * 1e3, 0.0),
        )
        # The tolerance: 1 % of the value or 0.3 % of the load (of the torque: load times radius), the larger.
        worst = max(abs(mine - theirs) / max(0.01 * abs(theirs), floor) for theirs, mine, floor in pairs)
        cells = [f'{value:.3f}' for theirs, mine, _ in pairs for value in (theirs, mine)]
        rows.append([row['soil'], f'{load:g}', f'{slip:g}', *cells, f'{100.0 * worst:.2f}'])
    # Bullet's rays are shown only: no tolerance applies.
    return table(head, rows) if geometry == 'exact' else table(head[:-1], (row[:-1] for row in rows))


def pressing(geometry: str) -> list[str]:
    """Return the table of bodies pressed in, unloaded and loaded again."""
    head = [
        'case',
        'largest load [N]',
        'sinkage at this load [mm]: Chrono',
        'ours',
        'largest difference of force [N]',
        'of sinkage [mm]',
    ]
    rows = []
    samples = reference_rows('scm_static', geometry=geometry)
    for case in progress(sorted({row['case'] for row in samples}), f'pressing, {geometry}'):
        soil, shape, size, spacing = case.split('_')
        a, b = (float(v) for v in size.split('x'))
        here = [row for row in samples if row['case'] == case]
        peak = max(float(row['load_N']) for row in here)
        settings = plate_sinkage.Settings.model_validate(
            {
                'soil': f'chrono_{soil}',
                'shape': shape,
                'a_m': a,
                'b_m': b,
                'grid_spacing_m': float(spacing[1:]),
                'scm_mode': 'reference',
                'load_n': peak,
            }
        )
        done = {round(p.time, 3): p for p in plate_sinkage.loading_cycle(settings, peak)}
        pairs = [(done[float(row['t_s'])], row) for row in here]
        force = max(abs(ours.force - float(row['soil_Fz_N'])) for ours, row in pairs)
        depth = max(abs(ours.depth - float(row['sinkage_m'])) for ours, row in pairs)
        theirs = next(float(row['sinkage_m']) for row in here if float(row['t_s']) == 11.0)
        cells = [f'{theirs * 1e3:.4f}', f'{done[11.0].depth * 1e3:.4f}', f'{force:.3f}', f'{depth * 1e3:.6f}']
        rows.append([f'`{case}`', f'{peak:g}', *cells])
    return table(head, rows)


def closed_form() -> list[str]:
    """Return the table of both modes against Wong and Reece's integrals."""
    head = [
        'soil',
        'load [N]',
        'slip',
        'pull [N]: Wong & Reece',
        'the same, shear kept with the soil',
        'regolith',
        'reference',
        'sinkage [mm]: Wong & Reece',
        'regolith',
        'reference',
    ]
    rows = []
    for soil, load in progress(CASES, 'closed form'):
        slips = (0.05, 0.15, 0.3, 0.5)
        parameters = load_soil(f'chrono_{soil}').parameters()
        modes = [rolled(soil, load, slips, mode) for mode in ('regolith', 'reference')]
        for k, slip in enumerate(slips):
            rim = rigid_wheel(parameters, load, slip, RADIUS, WIDTH)
            kept = rigid_wheel(parameters, load, slip, RADIUS, WIDTH, 'soil')
            pulls = [rim.drawbar_pull, kept.drawbar_pull, *(mode[k]['drawbar_pull_n'] for mode in modes)]
            depths = [rim.sinkage, *(mode[k]['sinkage_m'] for mode in modes)]
            cells = [*(f'{v:.1f}' for v in pulls), *(f'{v * 1e3:.1f}' for v in depths)]
            rows.append([soil, f'{load:g}', f'{slip:g}', *cells])
    return table(head, rows)


def slipping() -> dict[str, list[float]]:
    """Return the sinkage of each wheel at each slip [m]."""
    out = {}
    for name, wheel in progress(SLIPPING.items(), 'wheels with slip'):
        settings = wheel_rig.Settings.model_validate({'slip': SLIPS, 'individual_contact': False, **wheel})
        out[name] = [row['sinkage_m'] for row in wheel_rig.run(settings, lambda done, total: None)]
    return out


def sinkages(deep: dict[str, list[float]]) -> list[str]:
    """Return the table of sinkage against slip."""
    head = ['slip', *(f'{name} [mm]' for name in deep), *(f'{name}: times' for name in deep), 'Lyasko 2010: times']
    rows = (
        [
            f'{slip:g}',
            *(f'{z[k] * 1e3:.1f}' for z in deep.values()),
            *(f'{z[k] / z[0]:.2f}' for z in deep.values()),
            f'{lyasko_factor(slip):.2f}',
        ]
        for k, slip in enumerate(SLIPS)
    )
    return table(head, rows)


def continuum() -> list[str]:
    """Return the table of the rig grc1_mgru3 at the slips and loads of its climbs on particles."""
    rig, wheel = load_wheel_rig('grc1_mgru3'), SLIPPING['GRC-1, 30 mm']
    head = ['slope [deg]', 'slip', 'sinkage [mm]: particles, 9 mm', 'regolith', 'ratio']
    rows = []
    for climb in csv.DictReader(CONTINUUM.read_text(encoding='utf-8').splitlines()):
        case = re.fullmatch(r'wheel_(\d+)', climb['case'])
        if case is None:
            continue
        load = rig.mass_kg * rig.gravity_mps2 * math.cos(math.radians(float(case[1])))
        settings = wheel_rig.Settings.model_validate({**wheel, 'load_n': load, 'slip': float(climb['slip'])})
        ours, theirs = wheel_rig.run(settings, lambda done, total: None)[0]['sinkage_m'], float(climb['sinkage_m'])
        cells = [f'{theirs * 1e3:.1f}', f'{ours * 1e3:.1f}', f'{ours / theirs:.2f}']
        rows.append([case[1], f'{float(climb["slip"]):.3f}', *cells])
    return table(head, rows)


def growth(times: float, slip: float) -> float:
    """Return the growth of the exponent with slip for which Ding's formula gives this ratio of sinkages."""
    soil = load_soil('lunar_nominal')
    wheel = 200.0, RADIUS, WIDTH, soil.k_phi + soil.k_c / WIDTH, soil.exponent
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        deeper = ding_sinkage(*wheel, middle, slip) / bekker_sinkage(*wheel)
        low, high = (middle, high) if deeper < times else (low, middle)
    return low


def picture_of_sinkage(deep: dict[str, list[float]]) -> None:
    """Draw the ratio of sinkage to that without slip over slip, beside published formulas."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8.0, 5.5), layout='constrained')
    for name, z in deep.items():
        axes.plot(SLIPS, [depth / z[0] for depth in z], 'o-', markersize=4, label=name)
    fine = np.linspace(0.0, 0.8, 60)
    axes.plot(fine, [lyasko_factor(s) for s in fine], 'k--', label='Lyasko 2010')
    soil = load_soil('lunar_nominal')
    wheel = 200.0, RADIUS, WIDTH, soil.k_phi + soil.k_c / WIDTH, soil.exponent
    slip, *ends = MEASURED
    for times in ends:
        grows = growth(times, slip)
        curve = [ding_sinkage(*wheel, grows, s) / bekker_sinkage(*wheel) for s in fine]
        axes.plot(
            fine,
            curve,
            ':',
            color='0.4',
            label="Ding et al. 2010, n + n1 s, n1 from the range's ends" if times == ends[0] else None,
        )
    axes.plot([slip, slip], ends, color='0.4', linewidth=5.0, alpha=0.5, label='Ding et al. 2010, measured')
    axes.set(xlabel='slip 1 - v / (ωR)', ylabel='sinkage over that without slip', ylim=(0.5, 9.0))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(SINKAGE, dpi=110)
    plt.close(figure)


def viper() -> list[str]:
    """Return the table of the locked rover over 20 s."""
    head = [
        'slope [deg]',
        'distance [m]: Chrono',
        'ours',
        'largest difference [mm]',
        'mean slip, 10-20 s: Chrono',
        'ours',
        'largest difference of sinkage [%]',
    ]
    rows = []
    config, mjcf = load_vehicle_model('viper_locked')
    for slope in progress((0, 10), 'rover'):
        path = VEHICLES / f'viper_chrono_lunar_slope{slope}.csv'
        theirs = np.genfromtxt(path, delimiter=',', names=True)
        tilt = np.radians(slope)
        gravity = 1.62 * np.array([-np.sin(tilt), 0.0, -np.cos(tilt)])
        grid = SoilGrid(FlatField(), 0.02)
        vehicle = Vehicle('rover', config, mjcf, grid, load_soil('chrono_lunar'), gravity, 'reference')
        vehicle.place_at((-4.0, 0.0, 0.26), (0.0, 0.0, 0.0, 1.0))
        x, spin, sinkage = [], [], []
        for k in range(1, 1001):
            grid.apply(vehicle.evolve(20_000_000, np.full(4, 0.8 * min(k * 0.02, 1.0)), np.zeros(4)))
            vehicle.commit()
            if k % 5 == 0:
                states = vehicle.wheel_states()
                x.append(float(vehicle.body_state().position[0]))
                spin.append(float(np.mean([s.angular_speed for s in states])))
                sinkage.append([s.sinkage_total for s in states])
        depth = np.stack([theirs[f'sink_{wheel}_m'] for wheel in ('LF', 'RF', 'LB', 'RB')], axis=1)
        late = theirs['t_s'] > 1.5
        deeper = np.abs(np.array(sinkage)[late] / depth[late] - 1.0).max() * 100.0
        slip = [
            1.0 - (way[-1] - way[99]) / (0.25 * 0.1 * float(np.sum(speed[100:])))
            for way, speed in ((theirs['x_m'], theirs['omega_radps']), (np.array(x), np.array(spin)))
        ]
        ways = theirs['x_m'][-1] + 4.0, x[-1] + 4.0
        apart = float(np.abs(np.array(x) - theirs['x_m']).max())
        numbers = [*(f'{w:.4f}' for w in ways), f'{apart * 1e3:.2f}', *(f'{s:.4f}' for s in slip), f'{deeper:.2f}']
        rows.append([f'{slope}', *numbers])
    return table(head, rows)


def picture() -> None:
    """Draw drawbar pull over slip: both modes, the closed form, Chrono's points."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2, figsize=(11.0, 8.0), layout='constrained')
    slips = (-0.3, -0.2, -0.1, -0.05, 0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    fine = np.linspace(0.0, 0.75, 40)
    for axes, (soil, load) in progress(zip(grid.flat, CASES, strict=True), 'plot'):
        for mode, style in (('reference', 'C0-'), ('regolith', 'C1-')):
            pulls = [row['drawbar_pull_n'] for row in rolled(soil, load, slips, mode)]
            axes.plot(slips, pulls, style, label=f'{mode} mode')
        for geometry, mark in (('exact', 'kx'), ('bullet', 'r+')):
            points = reference_rows('scm_slip', soil=soil, load_N=f'{load:g}', geometry=geometry)
            if points:
                at = [float(p['slip']) for p in points], [float(p['drawbar_pull_N']) for p in points]
                axes.plot(*at, mark, markersize=9, label=f'Project Chrono, {geometry} rays')
        curve = drawbar_curve(load_soil(f'chrono_{soil}').parameters(), load, fine, RADIUS, WIDTH)
        axes.plot(fine, curve, '--', color='0.4', label='Wong & Reece 1967')
        axes.axhline(0.0, color='0.8', linewidth=0.8, zorder=0)
        axes.set(title=f'{soil}, {load} N', xlabel='slip 1 - v / (ωR)', ylabel='drawbar pull [N]')
        axes.grid(alpha=0.3)
    grid[0, 0].legend()
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


def main() -> None:
    """Write the tables between their marks and draw the plots."""
    deep = slipping()
    tables = {
        'slipping': sinkages(deep),
        'continuum': continuum(),
        'wheels': wheels('exact'),
        'pressing': pressing('exact'),
        'viper': viper(),
        'closed form': closed_form(),
        'wheels, bullet': wheels('bullet'),
        'pressing, bullet': pressing('bullet'),
    }
    text = written(PAGE, tables)
    picture()
    picture_of_sinkage(deep)
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
