#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run cases of the DEM campaign and write docs/validation/dem.md from their table.

``tools/validate_dem.py CASE...`` runs cases by name (``all``: each of them, hours on two cores) and puts their rows
into docs/validation/dem.csv. Without a case the page and its plot are made from the existing table. Results do not
depend on the number of threads, times do: ``--threads 1`` for one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from campaign import COST, curve, keep, markdown, rows, timed
from page_markers import written

from regolith_testbeds.dem.climb import ClimbBed, climb
from regolith_testbeds.experiments import angle_of_repose
from regolith_testbeds.slope_climb import WheelRig

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'dem.md'
TABLE = ROOT / 'docs' / 'validation' / 'dem.csv'
PICTURES = ROOT / 'docs' / 'images'
MEASURED = {0: 0.032, 5: 0.052, 10: 0.135, 15: 0.434, 20: 0.756, 25: 0.885}
"""Slip over slope [deg] of a prototype wheel on GRC-1."""
OTHERS = {0: 0.04, 2.5: 0.06, 5: 0.105, 10: 0.21, 15: 0.415, 20: 0.62, 25: 0.72}
"""Slip over slope [deg] of the discrete elements of the same authors."""
RIG = WheelRig(settle_s=0.0, spin_up_s=0.0, drive_s=3.6, averaging_fraction=2.6 / 3.6)
"""Rig whose wheel turns from the start; the first second is left out."""
DENSE = {'packing': 'dense'}
CLUMPS = {'shape': 'clump3', 'rolling_resistance': 0.0}
WHEELS: dict[str, tuple[float, dict[str, Any]]] = {
    **{f'wheel_{slope}': (slope, {}) for slope in (0, 5, 10, 15, 20)},
    'wheel_10_stiff': (10, {'grains': {'youngs_modulus_pa': 8e8}}),
    'wheel_10_clumps': (10, {'grains': CLUMPS, 'bin': DENSE}),
    'wheel_10_dense': (10, {'bin': DENSE}),
}
HEAPS: dict[str, dict[str, Any]] = {
    'heap_0.2': {'friction': 0.2},
    'heap_0.4': {'friction': 0.4},
    'heap_0.6': {'friction': 0.6},
    'heap_0.4_half_stiff': {'friction': 0.4, 'youngs_modulus_pa': 1e9},
    'heap_0.4_moon': {'friction': 0.4, 'gravity_mps2': 1.62},
    'heap_0.4_collapse': {'friction': 0.4, 'release': 'collapse'},
}
COLUMNS = (
    'case',
    'slope_deg',
    'slip',
    'slip_drift',
    'sinkage_m',
    'power_w',
    'angle_deg',
    'height_over_radius',
    'run_out',
    'settled_s',
    'grains',
    'bulk_density_kgpm3',
    'youngs_modulus_pa',
    'step_s',
    'largest_overlap',
    'usual_overlap',
    *COST,
    'curve',
)


def run(case: str, threads: int) -> dict[str, Any]:
    """Return the row of a case."""

    def work(tick: Any) -> dict[str, Any]:
        return _wheel(*WHEELS[case], threads, tick) if case in WHEELS else _heap(HEAPS[case], threads, tick)

    return {**timed(case, work), 'threads': threads, 'command': f'tools/validate_dem.py {case}'}


def _wheel(slope: float, settings: dict[str, Any], threads: int, tick: Any) -> dict[str, Any]:
    bed = ClimbBed.model_validate({**settings, 'threads': threads})
    found = climb(RIG, slope, tick, bed)
    shown = found.track[:: max(1, len(found.track) // 40)]
    return {
        'slope_deg': slope,
        **{key: f'{value:.4g}' for key, value in found._asdict().items() if key in COLUMNS},
        'grains': found.grains,
        'youngs_modulus_pa': bed.grains.youngs_modulus_pa,
        'curve': ' '.join(f'{t:.3f}:{x:.4f}:{z:.4f}' for t, x, z, _ in shown),
    }


def _heap(settings: dict[str, Any], threads: int, tick: Any) -> dict[str, Any]:
    checked = angle_of_repose.Settings.model_validate(
        {**settings, 'friction': (settings['friction'],), 'threads': threads}
    )
    row = angle_of_repose.run(checked, tick)[0]
    return {
        **{key: f'{value:.4g}' for key, value in row.items() if key in COLUMNS and isinstance(value, float)},
        'angle_deg': f'{row["slope_deg"]:.2f}',
        'slope_deg': '',
        'grains': row['elements'],
        'youngs_modulus_pa': checked.youngs_modulus_pa,
        'curve': ' '.join(f'{r:.4f}:{h:.4f}' for r, h in row['profile_m']),
    }


def draw(found: dict[str, dict[str, str]]) -> None:
    """Draw slip over slope, distance and sinkage of the wheel, and the heaps."""
    import matplotlib.pyplot as plt

    figure, (slips, ways, heaps) = plt.subplots(1, 3, figsize=(14.0, 4.2), layout='constrained')
    slips.plot(*zip(*MEASURED.items()), 'ks-', label='measured, GRC-1')
    slips.plot(*zip(*OTHERS.items()), 'o--', color='0.5', label="the authors' DEM")
    plain = [found[c] for c in WHEELS if c in found and c.count('_') == 1]
    at = [float(r['slope_deg']) for r in plain]
    slips.plot(at, [float(r['slip']) for r in plain], 'C0D-', label='ours, spheres')
    for case, mark in (('wheel_10_stiff', 'C1x'), ('wheel_10_clumps', 'C2+'), ('wheel_10_dense', 'C3*')):
        if case in found:
            name = case.rpartition('_')[2]
            slips.plot(float(found[case]['slope_deg']), float(found[case]['slip']), mark, markersize=10, label=name)
    slips.set_xlabel('slope [deg]')
    slips.set_ylabel('slip ratio at the grouser tips')
    for case in WHEELS:
        if case in found:
            time_s, way, sinkage = curve(found[case]).T
            (line,) = ways.plot(time_s, 1e3 * way, label=case)
            ways.plot(time_s, 1e3 * sinkage, ':', color=line.get_color())
    ways.set_xlabel('time [s]')
    ways.set_ylabel('distance; dotted: sinkage of the tips [mm]')
    for case in HEAPS:
        if case in found:
            at, height = curve(found[case]).T
            heaps.plot(1e3 * at, 1e3 * height, 'o-', markersize=3, label=f'{case}: {found[case]["angle_deg"]}°')
    heaps.set_aspect('equal')
    heaps.set_xlabel('distance from the axis [mm]')
    heaps.set_ylabel('height [mm]')
    for axis in (slips, ways, heaps):
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=8)
    figure.savefig(PICTURES / 'validation_dem.png', dpi=90)
    plt.close(figure)


def main() -> None:
    """Run the requested cases, then write page and plot."""
    import matplotlib

    matplotlib.use('Agg')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('cases', nargs='*', metavar='CASE')
    parser.add_argument('--threads', type=int, choices=(1, 2), default=2)
    given = parser.parse_args()
    asked = given.cases
    known = (*WHEELS, *HEAPS)
    unknown = [case for case in asked if case not in (*known, 'all')]
    if unknown:
        sys.exit(f'{unknown[0]}: no such case; allowed: all, {", ".join(known)}')
    for case in known if 'all' in asked else asked:
        keep(TABLE, COLUMNS, known, run(case, given.threads))
    found = rows(TABLE)
    cost = {
        'largest_overlap': 'largest overlap',
        'youngs_modulus_pa': 'E [Pa]',
        'step_s': 'step [s]',
        'grains': 'grains',
        'wall_s': 'wall [s]',
        'processor_s': 'processor [s]',
        'threads': 'threads',
        'commit': 'commit',
    }
    wheel = {
        'case': 'case',
        'slope_deg': 'slope [deg]',
        'slip': 'slip',
        'slip_drift': 'drift of slip',
        'sinkage_m': 'sinkage [m]',
        'power_w': 'power [W]',
        'usual_overlap': '99.9 % of overlaps below',
    }
    heap = {
        'case': 'case',
        'angle_deg': 'flank [deg]',
        'height_over_radius': 'height / radius',
        'run_out': 'run-out / radius',
        'settled_s': 'at rest after [s]',
    }
    tables = {'wheel': markdown(WHEELS, {**wheel, **cost}, found), 'heaps': markdown(HEAPS, {**heap, **cost}, found)}
    text = written(PAGE, tables)
    draw(found)
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
