#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the tables and the plot of docs/validation/excavation.md: ``make validate``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from page_markers import written

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.excavation.cutting import blade_force, cutting_factors, rupture_angle
from regolith_terrain.excavation.sweep import BLADE, DRAFT, DRUM, make_tools, sweep_drum, sweep_edge
from regolith_testbeds.crm.blade import push_blade, soil_to_cut

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'validation' / 'excavation.md'
PICTURE = ROOT / 'docs' / 'images' / 'validation_digging.png'
DENSITY, COHESION, FRICTION, MOON = 1500.0, 170.0, math.radians(35.0), 1.62
WIDTH, SPACING, STEP, SIDE = 0.5, 0.02, 1e-3, 160


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Return a Markdown table."""
    return [f'| {" | ".join(line)} |' for line in (head, ['---'] * len(head), *rows)]


def equation(
    depth: float, speed: float, rake: float, cohesion: float = COHESION, soil_tool: float | None = None
) -> float:
    """Return the force of the equation against the motion of a blade WIDTH wide [N]."""
    delta = 2.0 / 3.0 * FRICTION if soil_tool is None else soil_tool
    factors = cutting_factors(rake, FRICTION, delta, rupture_angle(rake, FRICTION, delta))
    return WIDTH * blade_force(factors, depth, speed, DENSITY, MOON, cohesion, 0.0, 0.0)[0]


def tools_of(kind: int, rake: float, soil_tool: float, cohesion: float, radius: float = 0.2, width: float = WIDTH):
    """Return one tool over level ground."""
    numbers = np.array([[0.5 * width, radius, 12.0, rake, soil_tool, 0.0, 1e6, 50.0]])
    level = np.zeros((SIDE, SIDE))
    return make_tools(
        np.array([kind]),
        numbers,
        np.array([[0.0, 1.0]]),
        np.array([[1.0, 1.0]]),
        np.zeros(1),
        np.full((1, 2, 3), np.nan),
        np.array([[DENSITY, cohesion, FRICTION]]),
        level,
        level - 10.0,
        np.zeros((SIDE, SIDE), np.uint8),
        -SIDE // 2,
        -SIDE // 2,
        SPACING,
        MOON,
    )


def pushed(depth: float, speed: float, rake: float, cohesion: float, soil_tool: float) -> float:
    """Return the mean force on a blade that is pushed 0.4 m through level soil, with its load removed [N]."""
    tools, pose, force = tools_of(BLADE, rake, soil_tool, cohesion), make_pose(), np.zeros(3)
    pose.velocity[0] = speed
    forces = []
    for n in range(round(0.4 / (speed * STEP))):
        pose.center[:] = -0.2 + n * speed * STEP, 0.0, -depth
        sweep_edge(tools, 0, STEP, pose, force, np.zeros(3))
        tools.telemetry[0, 0] = 0.0
        # Without the creep speed, below which the force is reduced to keep the step stable.
        creep = max(0.005, 2.0 * tools.telemetry[0, DRAFT] * (speed + 0.005) / speed * STEP / 50.0)
        forces.append(-force[0] * (speed + creep) / speed)
    return float(np.mean(forces))


def limits() -> list[str]:
    """Return the table of the sweep's force against Rankine's passive pressure: upright, smooth, no surcharge."""
    passive = math.tan(0.25 * math.pi + 0.5 * FRICTION) ** 2
    rows = []
    for cohesion in (0.0, COHESION):
        for depth in (0.02, 0.05, 0.1, 0.2):
            theirs = WIDTH * (0.5 * DENSITY * MOON * depth**2 * passive + 2.0 * cohesion * depth * math.sqrt(passive))
            ours = equation(depth, 0.0, 0.5 * math.pi, cohesion, 0.0)
            cells = [f'{theirs:.6f}', f'{ours:.6f}', f'{abs(ours / theirs - 1.0):.1e}']
            rows.append([f'{cohesion:g}', f'{depth:g}', *cells])
    return table(['cohesion [Pa]', 'depth [m]', 'Rankine [N]', 'equation [N]', 'difference'], rows)


def swept() -> list[str]:
    """Return the table of a blade pushed through the grid against the equation at its depth and speed."""
    rows = []
    for rake_deg in (30.0, 60.0, 90.0):
        for depth in (0.03, 0.07):
            for speed in (0.1, 0.5):
                rake = math.radians(rake_deg)
                ours = pushed(depth, speed, rake, COHESION, -1.0)
                theirs = equation(depth, speed, rake)
                cells = [f'{theirs:.3f}', f'{ours:.3f}', f'{100.0 * (ours / theirs - 1.0):.2f}']
                rows.append([f'{rake_deg:g}', f'{depth:g}', f'{speed:g}', *cells])
    head = ['rake [deg]', 'depth [m]', 'speed [m/s]', 'equation [N]', 'pushed through the grid [N]', 'difference [%]']
    return table(head, rows)


def particles() -> tuple[list[str], list[tuple[float, float]]]:
    """Return the table of an upright blade in particles, and depth [m] and draft [N] of slow cuts in cohesive soil."""
    rows, cuts = [], []
    cases = (
        (0.0, 0.1, 0.1),
        (0.0, 0.1, 0.5),
        (COHESION, 0.1, 0.1),
        (COHESION, 0.1, 0.5),
        (COHESION, 0.05, 0.1),
        (COHESION, 0.2, 0.1),
    )
    for cohesion, depth, speed in cases:
        soil = soil_to_cut(DENSITY, cohesion, FRICTION, MOON, depth)
        cut = push_blade(soil, depth, speed, MOON, 0.2 * depth)
        usual, rough = (
            equation(depth, speed, 0.5 * math.pi, cohesion, delta) / WIDTH for delta in (2.0 / 3.0 * FRICTION, FRICTION)
        )
        forces = [f'{force:.0f}' for force in (usual, rough, cut.draft)]
        ratios = [f'{cut.draft / usual:.2f}', f'{cut.draft / rough:.2f}']
        rows.append([f'{cohesion:g}', f'{depth:g}', f'{speed:g}', *forces, *ratios])
        if cohesion > 0.0 and speed < 0.2:
            cuts.append((depth, WIDTH * cut.draft))
    head = [
        'cohesion [Pa]',
        'depth [m]',
        'speed [m/s]',
        'equation, 2/3 of 35° [N/m]',
        'equation, 35° [N/m]',
        'particles [N/m]',
        'over the first',
        'over the second',
    ]
    return table(head, rows), cuts


def drum(down: float, spin: float) -> float:
    """Return the power of a drum 0.7 m wide that is lowered at a speed, with a fully developed chip [W]."""
    tools, pose = tools_of(DRUM, math.radians(50.0), -1.0, COHESION, width=0.7), make_pose()
    force, torque, powers = np.zeros(3), np.zeros(3), []
    pose.velocity[2] = -down
    count = round(0.06 / down / STEP)
    for n in range(count):
        pose.center[2] = 0.2 - down * n * STEP
        sweep_drum(tools, 0, STEP, pose, spin, force, torque)
        if n > 0.9 * count:
            powers.append(-torque[1] * spin + force[2] * down)
    return float(np.mean(powers))


def scenario() -> tuple[list[str], Mapping[str, np.ndarray]]:
    """Return the table of ``rassor_dig``, and the profile of its berm."""
    simulation = Simulation(load_scenario('rassor_dig').scenario)
    simulation.run(simulation.scenario.duration_s)
    books = simulation.agents['digger'].vehicle.tools.mass_balance()
    ground = simulation.terrain.summary()['mass_balance']['ground_kg']
    error = math.fsum((ground, books['carried_kg'], books['in_flight_kg'], books['in_transit_kg']))
    x = np.arange(0.0, 4.8, 0.02)
    level = simulation.terrain.grid.levels(x, np.zeros_like(x))
    slope = np.degrees(np.arctan(np.abs(np.diff(level[x > 3.0])).max() / 0.02))
    rows = [
        ['excavated [kg]', f'{books["excavated_kg"]:.3f}'],
        ['dumped [kg]', f'{books["dumped_kg"]:.3f}'],
        ['mass balance error over excavated mass', f'{abs(error) / books["excavated_kg"]:.1e}'],
        ['height of the berm [m]', f'{level.max():.3f}'],
        ['depth of the trench [m]', f'{-level.min():.3f}'],
        ['steepest slope of the berm [deg]', f'{slope:.1f}'],
    ]
    return table(['rassor_dig', 'value'], rows), {'x': x, 'level': level}


def draw(profile: Mapping[str, np.ndarray], cuts: Iterable[tuple[float, float]]) -> None:
    """Draw force against depth and speed, the power of a drum, and the berm.

    Args:
        profile: Profile of the berm: x and level [m].
        cuts: Depth [m] and draft [N] of upright blades in particles.
    """
    import matplotlib.pyplot as plt

    figure, ((a, b), (c, d)) = plt.subplots(2, 2, figsize=(10.0, 7.0), constrained_layout=True)
    depths = np.linspace(0.005, 0.2, 40)
    for rake in (30.0, 60.0, 90.0):
        a.plot(depths, [equation(z, 0.1, math.radians(rake)) for z in depths], label=f'equation, rake {rake:g} deg')
        marks = (0.03, 0.07, 0.12, 0.18)
        a.plot(marks, [pushed(z, 0.1, math.radians(rake), COHESION, -1.0) for z in marks], 'k.')
    a.plot(*np.array(list(cuts)).T, 'C2x', label='particles, rake 90 deg')
    a.set(xlabel='depth [m]', ylabel='force [N]', title='blade 0.5 m wide, lunar_nominal, 0.1 m/s (dots: grid)')
    speeds = np.linspace(0.02, 2.0, 40)
    for depth in (0.03, 0.07, 0.15):
        b.plot(speeds, [equation(depth, v, math.radians(60.0)) for v in speeds], label=f'{depth:g} m deep')
    b.set(xlabel='speed [m/s]', ylabel='force [N]', title='the same at a rake of 60 deg')
    sinking = np.array([0.002, 0.005, 0.01, 0.02, 0.03])
    for spin in (1.0, 2.0, 4.0):
        c.plot(sinking * 1e3, [drum(v, spin) for v in sinking], '.-', label=f'{spin:g} rad/s')
    c.set(xlabel='lowering speed [mm/s]', ylabel='power [W]', title='bucket drum 0.7 m wide, 6 cm deep')
    d.plot(profile['x'], profile['level'])
    d.set(xlabel='x [m]', ylabel='height [m]', title='rassor_dig: trench and berm')
    for axes in (a, b, c):
        axes.legend(fontsize='small')
        axes.grid(alpha=0.3)
    figure.savefig(PICTURE, dpi=80)


def main() -> None:
    """Write the page and the plot."""
    run, profile = scenario()
    dear, cuts = particles()
    draw(profile, cuts)
    parts = {'limits': limits(), 'swept': swept(), 'particles': dear, 'rassor_dig': run}
    PAGE.write_text(written(PAGE, parts), encoding='utf-8')


if __name__ == '__main__':
    main()
