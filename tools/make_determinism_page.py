#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/concepts/determinism.md: every scenario that ships.

Run again and as other processors would run it.

Takes some twenty minutes on two cores: fourteen runs of each scenario, seven of them pinned as ``cross_machine`` pins
them. Scenarios may be named; the rows of the others stay.
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
    'ball_throwing_robot': 8.0,  # the ball has struck ground, wall and robot
    'berm': 10.0,  # the drums dig
    'comms_ridge': 10.0,  # a breadcrumb falls at 8 s
    'convoy': 3.0,
    'garage': 3.0,  # all drive, the truck into the soil
    'lander': 2.0,  # the clamp carries amber
    'lidar_traverse': 3.0,
    'rassor_dig': 10.0,
    'rope': 3.0,  # the whip is struck
    'rut_following': 10.0,  # the second is in the ruts of the first
    'stereo_traverse': 3.0,
    'tow': 11.0,  # the cable is taut
    'traverse_polar': 4.0,
    'two_rovers': 6.0,  # basalt is in amber's ruts
    'wheel_crm': 2.0,  # the front wheels are in particles from 1.3 s on
}
"""Simulated time of each scenario [s], long enough for what is its own to happen."""
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
    """Return what ``./regolith verify`` finds.

    Args:
        options: further ones of its
    """
    duration = ['--duration', str(SIMULATED_S[scenario])]
    command = [sys.executable, '-m', 'regolith_bringup', 'verify', scenario, *duration, *options, '--json']
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if not done.stdout:
        raise SystemExit(f'{scenario}: verify ended with {done.returncode}')
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def differences(found: dict[str, Any]) -> dict[str, str]:
    """Return the first differences in words by name of the comparison, '' where there is none."""
    out = {}
    for each in found['comparisons']:
        one = each['difference']
        out[each['name']] = '' if one is None else f'cycle {one["cycle"]}: {one["name"]}, {one["field"]}'
    return out


def row(scenario: str, environment: dict[str, str] | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the first differences by name of the comparison: as processors are, and with all pinned."""
    loose = verified(scenario, '--cpu-variants', environment=environment)
    firm = verified(scenario, '--set', 'world.determinism=cross_machine', environment=environment)
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
    # Read last: the page may have been written at meanwhile.
    before, rest = PAGE.read_text(encoding='utf-8').split(BEGIN)
    table, after = rest.split(END)
    rows = {part.split('`')[1]: part for part in table.splitlines() if part.startswith('| `')} | made
    head = f'| scenario | s | {" | ".join(COLUMNS.values())} | pinned, all of these |\n'
    head += '|---' * (len(COLUMNS) + 3) + '|\n'
    body = ''.join(f'{rows[name]}\n' for name in sorted(SIMULATED_S))
    PAGE.write_text(f'{before}{BEGIN}\n\n{head}{body}\n{END}{after}', encoding='utf-8')


if __name__ == '__main__':
    main()
