#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Run cases of the CRM campaign and write docs/validation/crm.md from their table.

``tools/validate_crm.py CASE...`` runs cases by name (``all``: each of them, hours on two cores) and puts their rows
into docs/validation/crm.csv. Without a case the page and its plot are made from the existing table. Each case is an
experiment that can be repeated: its command is in the table. Results do not depend on the number of threads, times do.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from campaign import COST, ROOT, curve, keep, markdown, packed_curve, rows, timed
from page_markers import written

from regolith_testbeds.experiments import angle_of_repose, bucket_drum, cratering, plate_sinkage, wheel_rig

PAGE = ROOT / 'docs' / 'validation' / 'crm.md'
TABLE = ROOT / 'docs' / 'validation' / 'crm.csv'
PICTURE = ROOT / 'docs' / 'images' / 'validation_crm.png'
EXPERIMENTS: dict[str, Any] = {
    'angle-of-repose': angle_of_repose,
    'cratering': cratering,
    'plate-sinkage': plate_sinkage,
    'wheel-rig': wheel_rig,
    'bucket-drum': bucket_drum,
}
FRICTION = 0.58
"""Friction coefficient of the columns: 30 degrees."""
MOON = {'gravity_mps2': 1.62}


def _column(ratio: float, **more: Any) -> tuple[str, dict[str, Any]]:
    count = round(10600 * ratio)  # fifteen particles across the radius
    return 'angle-of-repose', {
        'release': 'collapse',
        'radius_m': 0.1,
        'height_m': round(0.1 * ratio, 6),
        'friction': FRICTION,
        'element_count': count,
        **more,
    }


def _heap(friction: float, **more: Any) -> tuple[str, dict[str, Any]]:
    return 'angle-of-repose', {'radius_m': 0.15, 'height_m': 0.3, 'friction': friction, 'element_count': 8000, **more}


def _plate(diameter: float, **more: Any) -> tuple[str, dict[str, Any]]:
    # Seven particles across, and once ten. The speed is low, because the acoustic impedance adds rho c v: 1.2 kPa on
    # Earth, where the limit of the smaller disc is 18 kPa, and 0.2 kPa of 3 kPa on the Moon. At this speed viscosity
    # adds no load either, and damps noise.
    return 'plate-sinkage', {
        'shape': 'disc',
        'a_m': 0.5 * diameter,
        'load_n': 1e6,
        'particle_soil': 'grc1_bevameter',
        'spacing_m': round(diameter / 7.0, 6),
        'max_depth_m': round(0.05 * diameter, 6),
        'speed_mps': 0.01,
        **more,
    }


COLUMNS = {
    **{f'column_{a:g}': _column(a) for a in (0.5, 1.0, 2.0, 3.0)},
    'column_1_coarse': _column(1.0, element_count=3160),
    'column_1_moon': _column(1.0, **MOON),
}
HEAPS = {'heap_0.38': _heap(0.3819), 'heap_0.6': _heap(0.6), 'heap_0.38_moon': _heap(0.3819, **MOON, lift_mps=0.1219)}
CRATERS = {
    f'ball_{density}_{drop:g}': ('cratering', {'ball_density_kgpm3': density, 'drop_height_m': drop})
    for density in (700, 2200)
    for drop in (0.05, 0.1, 0.2)
}
PLATES = {
    'plate_0.10': _plate(0.10),
    'plate_0.19': _plate(0.19),
    'plate_0.10_fine': _plate(0.10, spacing_m=0.01),
    **{f'plate_{d:.2f}_moon': _plate(d, **MOON, speed_mps=0.002) for d in (0.10, 0.19)},
}
WHEELS = {f'wheel_{slope}': ('wheel-rig', {'slope_deg': slope}) for slope in (0, 5, 10, 15, 20, 25)} | {
    f'wheel_{slope}_coarse': ('wheel-rig', {'slope_deg': slope, 'spacing_m': 0.02}) for slope in (5, 10, 15, 20, 25)
}
DRUMS = {f'drum_{cohesion}': ('bucket-drum', {'cohesion_pa': float(cohesion)}) for cohesion in (0, 170)}
CASES: dict[str, tuple[str, dict[str, Any]]] = {**COLUMNS, **HEAPS, **CRATERS, **PLATES, **WHEELS, **DRUMS}
MEASURED = {0: 0.032, 5: 0.052, 10: 0.135, 15: 0.434, 20: 0.756, 25: 0.885}
"""Slip over slope [deg] of a prototype wheel on GRC-1."""
OTHERS = {0: 0.04, 2.5: 0.06, 5: 0.105, 10: 0.21, 15: 0.415, 20: 0.62, 25: 0.72}
"""Slip over slope [deg] of the discrete elements of the same authors."""
FIGURES = (
    'slope_deg',
    'flank_deg',
    'height_over_radius',
    'peak_over_radius',
    'run_out',
    'settled_s',
    'drop_height_m',
    'ball_density_kgpm3',
    'depth_m',
    'uehara_depth_m',
    'knee_pa',
    'terzaghi_pa',
    'slip',
    'slip_drift',
    'sinkage_m',
    'power_w',
    'torque_nm_per_m',
    'lips_torque_nm_per_m',
    'gathered_kg_per_m',
    'swept_kg_per_m',
    'elements',
    'steps',
    'step_s',
)
KEPT = ('case', *FIGURES, *COST, 'curve')


def run(case: str, threads: int) -> dict[str, Any]:
    """Return the row of a case."""
    name, given = CASES[case]
    asked = {'terrain_model': 'crm', **given}

    def work(tick: Any) -> dict[str, Any]:
        settings = EXPERIMENTS[name].Settings.model_validate({**asked, 'threads': threads, 'device': 'cpu'})
        found = EXPERIMENTS[name].run(settings, tick)[0]
        if found['incomplete']:
            sys.exit(f'{case}: stopped; its row stays as it was')
        if name == 'angle-of-repose':
            found['flank_deg'] = found.pop('slope_deg')
            if given.get('release') != 'collapse':
                del found['peak_over_radius']  # a particle that sticks to the tube
        points = found.get('profile_m') or found.get('curve') or []
        figures = {
            key: f'{value:.4g}' if isinstance(value, float) else value
            for key, value in found.items()
            if key in FIGURES and value is not None
        }
        return {**figures, 'curve': packed_curve(points)}

    command = ' '.join(f'--set {key}={value}' for key, value in asked.items())
    return {**timed(case, work), 'threads': threads, 'command': f'./regolith experiment {name} {command}'}


def lube(ratio: float) -> tuple[float, float]:
    """Return measured run-out and final height over the radius, for columns of a ratio of height to radius.

    Lube et al. (2004): 1.24 a below a = 1.7, 1.6 sqrt(a) above; height min(a, 0.88 a^(1/6)).
    """
    return 1.24 * ratio if ratio < 1.7 else 1.6 * ratio**0.5, min(ratio, 0.88 * ratio ** (1.0 / 6.0))


def columns(found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the rows of columns, with the measured values and the ratio of the results to them."""
    known = {}
    for case, (_, given) in COLUMNS.items():
        if case in found:
            out, height = lube(given['height_m'] / given['radius_m'])
            row = found[case]
            known[case] = {
                **row,
                'measured': f'{out:.2f}, {height:.2f}',
                'ours': f'{row["run_out"]}, {row["peak_over_radius"]}',
                'part': f'{float(row["run_out"]) / out:.2f}, {float(row["peak_over_radius"]) / height:.2f}',
            }
    return known


def drums(found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the rows of drums, with the results of the grid for smooth and for rough lips."""
    known = {}
    for case, (_, given) in DRUMS.items():
        if case in found:
            row, said = found[case], []
            for angle in (2.0 / 3.0 * 35.0, 35.0):
                settings = bucket_drum.Settings.model_validate({**given, 'soil_tool_friction_deg': angle})
                said.append(bucket_drum.run(settings, lambda done, total: None)[0]['torque_nm_per_m'])
            lips = float(row['lips_torque_nm_per_m'])
            known[case] = {
                **row,
                'equation': ', '.join(f'{v:.2f}' for v in said),
                'part': ', '.join(f'{lips / v:.2f}' for v in said),
                'gathered': f'{row["gathered_kg_per_m"]} of {row["swept_kg_per_m"]}',
            }
    return known


def draw(found: dict[str, dict[str, str]]) -> None:
    """Draw heaps, craters, plates and slip over slope."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12.0, 8.0), layout='constrained')
    (heaps, craters), (plates, slips) = axes
    for case in (*COLUMNS, *HEAPS):
        if case in found:
            at, height = curve(found[case]).T
            radius = CASES[case][1]['radius_m']
            heaps.plot(at / radius, height / radius, label=case)
    heaps.set_aspect('equal')
    heaps.set_xlabel('distance from the axis over the radius')
    heaps.set_ylabel('height over the radius')
    for density, color in ((700, 'C0'), (2200, 'C1')):
        known = [found[c] for c in CRATERS if c in found and c.startswith(f'ball_{density}_')]
        drop = [float(r['drop_height_m']) for r in known]
        craters.loglog(drop, [1e3 * float(r['depth_m']) for r in known], f'{color}o-', label=f'{density} kg/m³')
        craters.loglog(drop, [1e3 * float(r['uehara_depth_m']) for r in known], f'{color}--')
    craters.set_xlabel('drop [m]')
    craters.set_ylabel('depth [mm]; dashed: Uehara et al.')
    for number, case in enumerate(PLATES):
        if case in found:
            depth, force = curve(found[case]).T
            given = CASES[case][1]
            area = 3.14159 * given['a_m'] ** 2
            scale = float(found[case]['terzaghi_pa'])
            plates.plot(depth / given['a_m'] / 2.0, force / area / scale, f'C{number}', label=case)
    plates.axhline(1.0, ls='--', color='0.5')
    plates.set_xlabel('sinkage over the diameter')
    plates.set_ylabel("pressure over Terzaghi's limit")
    slips.plot(*zip(*MEASURED.items()), 'ks-', label='measured, GRC-1')
    slips.plot(*zip(*OTHERS.items()), 'o--', color='0.5', label="the authors' DEM")
    grid = wheel_rig.Settings.model_validate({'slope_deg': tuple(float(s) for s in range(0, 26, 5))})
    climbs = wheel_rig.run(grid, lambda done, total: None)
    slips.plot([r['slope_deg'] for r in climbs], [r['slip'] for r in climbs], 'C2^-', label='ours, grid (SCM)')
    for coarse, mark in ((False, 'C0D-'), (True, 'C1x:')):
        known = [found[c] for c in WHEELS if c in found and c.endswith('coarse') == coarse]
        if known:
            name = 'ours, 20 mm' if coarse else 'ours, 9 mm'
            slips.plot([float(r['slope_deg']) for r in known], [float(r['slip']) for r in known], mark, label=name)
    slips.set_xlabel('slope [deg]')
    slips.set_ylabel('slip ratio at the grouser tips')
    for axis in (heaps, craters, plates, slips):
        axis.grid(alpha=0.3)
        if axis is heaps:  # only this plot has space above it
            axis.legend(fontsize=8, ncols=3, loc='lower center', bbox_to_anchor=(0.5, 1.05))
        elif axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=8)
    figure.savefig(PICTURE, dpi=90)
    plt.close(figure)


def main() -> None:
    """Run the requested cases, then write page and plot."""
    import matplotlib

    matplotlib.use('Agg')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('cases', nargs='*', metavar='CASE')
    parser.add_argument('--threads', type=int, choices=(1, 2), default=2)
    given = parser.parse_args()
    unknown = [case for case in given.cases if case not in (*CASES, 'all')]
    if unknown:
        sys.exit(f'{unknown[0]}: no such case; allowed: all, {", ".join(CASES)}')
    for case in CASES if 'all' in given.cases else given.cases:
        keep(TABLE, KEPT, CASES, run(case, given.threads))
    found = rows(TABLE)
    cost = {
        'elements': 'particles',
        'step_s': 'step [s]',
        'processor_s': 'processor [s]',
        'wall_s': 'wall [s]',
        'threads': 'threads',
        'commit': 'commit',
    }
    column = {
        'case': 'case',
        'ours': 'run-out, height',
        'measured': 'measured',
        'part': 'ratio',
        'settled_s': 'at rest after [s]',
    }
    heap = {'case': 'case', 'flank_deg': 'flank [deg]', 'height_over_radius': 'height / radius'}
    crater = {'case': 'case', 'depth_m': 'depth [m]', 'uehara_depth_m': 'measured [m]'}
    plate = {'case': 'case', 'knee_pa': 'knee [Pa]', 'terzaghi_pa': 'Terzaghi [Pa]'}
    wheel = {
        'case': 'case',
        'slope_deg': 'slope [deg]',
        'slip': 'slip',
        'slip_drift': 'drift of slip',
        'sinkage_m': 'sinkage [m]',
        'power_w': 'power [W]',
    }
    turned = {
        'case': 'case',
        'torque_nm_per_m': 'torque [N m/m]',
        'lips_torque_nm_per_m': 'of the lips [N m/m]',
        'equation': 'grid, 2/3 of 35°, 35°',
        'part': 'lips over grid',
        'gathered': 'gathered [kg/m]',
    }
    text = written(
        PAGE,
        {
            'columns': markdown(COLUMNS, {**column, **cost}, columns(found)),
            'heaps': markdown(HEAPS, {**heap, **cost}, found),
            'craters': markdown(CRATERS, {**crater, **cost}, found),
            'plates': markdown(PLATES, {**plate, **cost}, found),
            'wheels': markdown(WHEELS, {**wheel, **cost}, found),
            'drums': markdown(DRUMS, {**turned, **cost}, drums(found)),
        },
    )
    draw(found)
    PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
