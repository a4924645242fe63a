#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/validation/scm.md: ``./regolith exec python3 tools/validate_scm.py``.

Everything between the marks in that file is computed here, from the reference tables beside the tests.
"""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np

from regolith_terrain.config import load_soil
from regolith_terrain.height_field import FlatField
from regolith_terrain.soil_bin import SoilBin, press, roll
from regolith_terrain.soil_grid import SoilGrid
from regolith_vehicles.config import load_vehicle_model
from regolith_vehicles.vehicle import Vehicle

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'scm.md'
TERRAIN = ROOT / 'src' / 'regolith_terrain' / 'test' / 'data'
VEHICLES = ROOT / 'src' / 'regolith_vehicles' / 'test' / 'data'


def rows(path: Path) -> list[dict[str, str]]:
    """Return a CSV table."""
    with path.open(newline='') as file:
        return list(csv.DictReader(file))


def wheels() -> list[str]:
    """Return the table of the wheel at prescribed slip."""
    head = '| soil | load [N] | slip | drawbar pull [N]: Chrono | reference | regolith '
    lines = [head + '| sinkage [mm]: Chrono | reference | regolith |', '|' + '---|' * 9]
    for row in rows(TERRAIN / 'scm_slip.csv'):
        load, slip = float(row['load_N']), float(row['slip'])
        end = int((0.2 * (1.0 - slip) * 6.0 + 0.6) / 0.01)
        pull, sinkage = [], []
        for mode in ('reference', 'regolith'):
            done = roll(SoilBin(f'chrono_{row["soil"]}', mode=mode, bounds=(-40, end, -15, 16)), load, slip)
            pull.append(f'{done.drawbar_pull:.3f}')
            sinkage.append(f'{done.sinkage * 1e3:.3f}')
        theirs = float(row['drawbar_pull_N']), float(row['axle_sinkage_m']) * 1e3
        cells = [row['soil'], f'{load:g}', f'{slip:g}', f'{theirs[0]:.3f}', *pull, f'{theirs[1]:.3f}', *sinkage]
        lines.append('| ' + ' | '.join(cells) + ' |')
    return lines


def pressing() -> list[str]:
    """Return the table of bodies pressed in, unloaded and loaded again."""
    lines = ['| case | largest load [N] | largest difference of force [N] | of sinkage [nm] |', '|---|---|---|---|']
    table = rows(TERRAIN / 'scm_static.csv')
    for case in sorted({row['case'] for row in table}):
        soil, shape, size, spacing = case.split('_')
        first, second = (float(v) for v in size.split('x'))
        samples = [row for row in table if row['case'] == case]
        peak = max(float(row['load_N']) for row in samples)
        # Chrono fits the spacing to its patch, which was 4 m wide.
        cells = 2.0 * math.ceil(2.0 / float(spacing.removeprefix('d')))
        soil_bin = SoilBin(f'chrono_{soil}', spacing=4.0 / cells, mode='reference')
        soil_bin.parameters[7] = 3e3

        def step(z: float, v: float, b: SoilBin = soil_bin, s: str = shape, m: float = first, n: float = second) -> int:
            if s == 'plate':
                return b.plate((0.0, 0.0, z), m, n, (0.0, 0.0, v))
            return b.wheel((0.0, 0.0, z + m), velocity=(0.0, 0.0, v), radius=m, width=n)

        def load(t: float, p: float = peak) -> float:
            return float(np.interp(t, [0.0, 10.0, 11.0, 13.0, 15.0, 16.0], p * np.array([0, 1, 1, 0.1, 1, 1])))

        done = {round(t, 3): (force, depth) for t, force, depth in press(soil_bin, step, load, 16.0)}
        pairs = [(done[float(row['t_s'])], row) for row in samples]
        force = max(abs(ours[0] - float(row['soil_Fz_N'])) for ours, row in pairs)
        depth = max(abs(ours[1] - float(row['sinkage_m'])) for ours, row in pairs)
        lines.append(f'| `{case}` | {peak:g} | {force:.3f} | {depth * 1e9:.1f} |')
    return lines


def viper() -> list[str]:
    """Return the table of the locked rover over 20 s."""
    head = '| slope [deg] | way [m]: Chrono | ours | largest difference [mm] | mean slip, 10-20 s: Chrono | ours '
    lines = [head + '| largest difference of sinkage [%] |', '|' + '---|' * 7]
    config, mjcf = load_vehicle_model('viper_locked')
    for slope in (0, 10):
        path = VEHICLES / f'viper_chrono_lunar_slope{slope}.csv'
        table = np.genfromtxt(path, delimiter=',', names=True)
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
        theirs = np.stack([table[f'sink_{wheel}_m'] for wheel in ('LF', 'RF', 'LB', 'RB')], axis=1)
        late = table['t_s'] > 1.5
        deeper = np.abs(np.array(sinkage)[late] / theirs[late] - 1.0).max() * 100.0
        slip = [
            1.0 - (way[-1] - way[99]) / (0.25 * 0.1 * float(np.sum(speed[100:])))
            for way, speed in ((table['x_m'], table['omega_radps']), (np.array(x), np.array(spin)))
        ]
        ways = table['x_m'][-1] + 4.0, x[-1] + 4.0
        apart = float(np.abs(np.array(x) - table['x_m']).max())
        numbers = [*(f'{w:.4f}' for w in ways), f'{apart * 1e3:.2f}', *(f'{s:.4f}' for s in slip), f'{deeper:.2f}']
        lines.append(f'| {slope} | ' + ' | '.join(numbers) + ' |')
    return lines


def main() -> None:
    """Put the tables between their marks."""
    text = PAGE.read_text(encoding='utf-8')
    for name, table in (('wheels', wheels()), ('pressing', pressing()), ('viper', viper())):
        mark = re.compile(rf'(<!-- {name} -->\n).*?(<!-- end -->)', re.DOTALL)
        block = '\n'.join(table) + '\n'
        text, count = mark.subn(lambda m, b=block: m[1] + b + m[2], text)
        if count != 1:
            raise SystemExit(f'{PAGE}: mark <!-- {name} --> stands there {count} times; allowed: once')
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
