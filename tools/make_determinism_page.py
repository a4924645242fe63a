#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the table of docs/concepts/determinism.md: all shipped scenarios, repeated and with emulated processors.

This takes some twenty minutes on two cores: fourteen runs of each scenario, seven of them with the variables of level
``cross_machine``. With scenario names as arguments, only their rows are updated.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'concepts' / 'determinism.md'
SIMULATED_S = {
    'ball_throwing_robot': 8.0,  # the ball has hit ground, wall and robot
    'berm': 10.0,  # the drums dig
    'comms_ridge': 10.0,  # a breadcrumb falls at 8 s
    'convoy': 3.0,
    'crater_rim_night': 3.0,
    'dusty_convoy': 3.0,
    'hmmwv_flexible': 4.0,  # from rigid ground into sand
    'garage': 3.0,  # all vehicles drive, the truck on soil
    'lac_final': 1.0,
    'lac_lite': 1.0,
    'lac_qualifier': 1.0,
    'lander': 2.0,  # the clamp carries amber
    'lidar_traverse': 3.0,
    'polar_day': 3.0,
    'rassor_crm': 4.0,  # the front wheels and a drum are in particles
    'rassor_dig': 10.0,
    'rope': 3.0,  # the whip is hit
    'rut_following': 10.0,  # the second vehicle is in the ruts of the first
    'stereo_traverse': 3.0,
    'tow': 11.0,  # the cable is taut
    'traverse_polar': 4.0,
    'tunnel': 3.0,
    'boulder_field': 3.0,
    'lander_site': 3.0,
    'two_rovers': 6.0,  # basalt is in amber's ruts
    'viper_crm_rocks': 3.2,  # a wheel pushes a rock in particles from 2.9 s on
    'wheel_crm': 2.0,  # the front wheels are in particles from 1.3 s on
}
"""Simulated time of each scenario [s], long enough for its characteristic events."""
_PARKED = 'driver={type: constant, speed_mps: 0.0}'
PINNED_SETTINGS = {
    'crater_rim_night': (f'vehicles.second.{_PARKED}',),
    'polar_day': (f'vehicles.amber.{_PARKED}', f'vehicles.basalt.{_PARKED}'),
}
"""Further settings of the runs with pinned variables, whose level excludes external drivers."""
COLUMNS = {
    'again': 'again',
    'one': 'in one process',
    'generic': 'generic kernels',
    'blas': 'BLAS',
    'numpy': 'NumPy',
    'c_library': 'C library',
}
"""Comparisons by name, in the order of the table."""
BEGIN, END = '<!-- table: tools/make_determinism_page.py -->', '<!-- end of table -->'


def verified(scenario: str, *options: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the result of ``./regolith verify``.

    Args:
        scenario: Name of the scenario.
        *options: Further command line options.
        environment: Environment variables of the process; None: those of this process.
    """
    duration = ['--duration', str(SIMULATED_S[scenario])]
    command = [sys.executable, '-m', 'regolith_bringup', 'verify', scenario, *duration, *options, '--json']
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if not done.stdout:
        raise SystemExit(f'{scenario}: verify ended with {done.returncode}')
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def differences(found: dict[str, Any]) -> dict[str, str]:
    """Return the first differences as text by name of the comparison, '' where there is none."""
    out = {}
    for each in found['comparisons']:
        one = each['difference']
        out[each['name']] = '' if one is None else f'cycle {one["cycle"]}: {one["name"]}, {one["field"]}'
    return out


def row(scenario: str, environment: dict[str, str] | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the first differences by name of the comparison: without and with pinned variables."""
    loose = verified(scenario, '--cpu-variants', environment=environment)
    settings = ('world.determinism=cross_machine', *PINNED_SETTINGS.get(scenario, ()))
    pinned = [option for setting in settings for option in ('--set', setting)]
    firm = verified(scenario, *pinned, environment=environment)
    return differences(loose), differences(firm)


def line(scenario: str, loose: dict[str, str], firm: dict[str, str]) -> str:
    """Return a row of the table."""
    cells = [loose[name] or 'same' for name in COLUMNS]
    worst = next((f'{name}: {found}' for name, found in firm.items() if found), 'same')
    return f'| `{scenario}` | {SIMULATED_S[scenario]:g} | {" | ".join(cells)} | {worst} |'


def main() -> None:
    """Write the table."""
    os.chdir(ROOT)
    made = {}
    for scenario in sys.argv[1:] or list(SIMULATED_S):
        made[scenario] = line(scenario, *row(scenario))
        print(made[scenario], flush=True)
    # Read last, because the page may have been edited during the runs.
    before, rest = PAGE.read_text(encoding='utf-8').split(BEGIN)
    table, after = rest.split(END)
    rows = {part.split('`')[1]: part for part in table.splitlines() if part.startswith('| `')} | made
    head = f'| scenario | s | {" | ".join(COLUMNS.values())} | pinned, all of these |\n'
    head += '|---' * (len(COLUMNS) + 3) + '|\n'
    body = ''.join(f'{rows[name]}\n' for name in sorted(SIMULATED_S))
    PAGE.write_text(f'{before}{BEGIN}\n\n{head}{body}\n{END}{after}', encoding='utf-8')


if __name__ == '__main__':
    main()
