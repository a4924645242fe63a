#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plot the energy of scenario polar_day over twelve hours: ``./regolith exec python3 tools/make_polar_day_plot.py``.

The vehicles are parked, so only their energy advances, by 10 s at a time, from the start of the scenario.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from regolith_bringup.run.simulation import Simulation

IMAGE = Path(__file__).resolve().parents[1] / 'docs' / 'images' / 'polar_day.png'
HOURS, STEP_NS = 12.0, 10_000_000_000
NODES = {'box': 'box', 'left': 'left panel', 'wheels': 'wheels'}
STYLES = {'amber': '-', 'basalt': '--'}


def main() -> None:
    """Write the plot."""
    simulation = Simulation.load('polar_day')
    simulation.run(0.4)  # both vehicles are at rest
    vehicles = {name: simulation.agents[name].vehicle for name in STYLES}
    states = [vehicle.body_state() for vehicle in vehicles.values()]
    rows: dict[str, list[list[float]]] = {name: [] for name in vehicles}
    nodes: list[str] = []
    for n in range(1, round(HOURS * 3.6e12) // STEP_NS + 1):
        for name, vehicle in vehicles.items():
            poses = vehicle.drawn_poses(simulation.agents[name].looks.bodies)
            energy = vehicle.energy
            assert energy is not None and energy.nodes is not None and vehicle.config.battery is not None
            energy.advance(n * STEP_NS, STEP_NS, vehicle, poses, False, states)
            found, nodes = energy.observed(), list(energy.nodes.names)
            powers = float(found.panel_power.sum()), float(found.load_power.sum())
            rows[name].append([*powers, found.state_of_charge, *found.temperatures])
    hours = np.arange(1, len(rows['amber']) + 1) * STEP_NS / 3.6e12
    figure = Figure(figsize=(10.0, 3.2))
    power, charge, heat = figure.subplots(1, 3)
    for name, style in STYLES.items():
        values = np.array(rows[name])
        power.plot(hours, values[:, 0], f'C{list(STYLES).index(name)}{style}', label=f'{name}, panels')
        charge.plot(hours, 100.0 * values[:, 2], f'C{list(STYLES).index(name)}{style}', label=name)
        for k, (node, label) in enumerate(NODES.items()):
            heat.plot(hours, values[:, 3 + nodes.index(node)], f'C{k}{style}', label=label if name == 'amber' else None)
    power.plot(hours, np.array(rows['amber'])[:, 1], 'k:', label='loads, each')
    power.set_ylabel('power [W]')
    charge.set_ylabel('state of charge [%]')
    heat.set_ylabel('temperature [K]')
    for axes in (power, charge, heat):
        axes.axvline(2.0, color='0.6', linewidth=0.8)
        axes.set_xlabel('time [h]')
        axes.grid(alpha=0.3)
    power.legend(fontsize=7)
    charge.legend(fontsize=7)
    heat.set_ylim(130.0, 420.0)
    heat.legend(fontsize=7, loc='upper center', ncols=3)
    figure.tight_layout()
    figure.savefig(IMAGE, dpi=90)
    lit, left = np.array(rows['amber'])[:, 0], np.array(rows['amber'])[:, 3 + nodes.index('left')]
    hot = int(np.argmax(left[: len(left) // 4]))
    print(f'{IMAGE}: amber has {lit[0]:.0f} W at first, none from {hours[np.argmin(lit > 0.0)]:.2f} h on')
    cold = hours[np.argmax(left < 180.0)]
    print(f'left panel of amber: {left[hot]:.0f} K at {hours[hot]:.2f} h, below 180 K from {cold:.2f} h on')


if __name__ == '__main__':
    main()
