# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section about excavated soil and height profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from regolith_files import Caption, Figure, ReportSection, Run, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

_LEDGER = (
    'Mass balance of displaced soil: change of the terrain, soil in tools, soil in flight, soil granted in the last'
    ' cycle; and their sum, which is the mass lost or created.'
)


def section(run: Run) -> ReportSection | None:
    """Return the report section about excavation; None for a run without tools and profiles."""
    soil = {name: vehicle['soil'] for name, vehicle in run.summary['vehicles'].items() if vehicle.get('soil')}
    terrain = run.summary['terrain']
    profiles = terrain.get('profiles') or {}
    if not soil and not profiles:
        return None
    parts: list[Caption | Figure | Table] = []
    if profiles:
        parts.append(Figure(profile_picture(profiles), 'Height above undisturbed ground along lines'))
    if soil:
        rows = [(name, f'{s["excavated_kg"]:,.3f}', f'{s["dumped_kg"]:,.3f}') for name, s in sorted(soil.items())]
        parts.append(Table(('vehicle', 'dug [kg]', 'poured [kg]'), rows))
    if soil and terrain['mass_balance']:
        keys = ('ground_kg', 'carried_kg', 'in_flight_kg', 'in_transit_kg')
        book = terrain['mass_balance']
        cells = (*(f'{book[key]:,.6f}' for key in keys), f'{book["error_kg"]:.1e}')
        head = ('ground [kg]', 'carried [kg]', 'in flight [kg]', 'in transit [kg]', 'error [kg]')
        parts += [Table(head, [cells]), Caption(_LEDGER)]
    return ReportSection('Digging', parts, order=15)


def profile_picture(profiles: dict[str, Any]) -> MatplotlibFigure:
    """Return a plot of height profiles, one below the other."""
    from matplotlib.figure import Figure as MatplotlibFigure

    figure = MatplotlibFigure(figsize=(12.0, 2.2 * len(profiles)), layout='constrained')
    axes = figure.subplots(len(profiles), 1, squeeze=False)[:, 0]
    for panel, (name, one) in zip(axes, sorted(profiles.items()), strict=True):
        along = np.arange(len(one['rise_m'])) * one['step_m']
        panel.fill_between(along, one['rise_m'], min(0.0, one['lowest_m']), color='#8a8175', lw=0.0)
        panel.plot(along, one['rise_m'], color='#22262b', lw=1.2)
        panel.axhline(0.0, color='#22262b', lw=0.5, ls=':')
        text = f'{name}: {one["highest_m"]:.3f} m high, {one["above_m2"]:.4f} m\u00b2 above the ground it stands on'
        panel.set_title(text, loc='left', fontsize=10)
        panel.set(xlabel='along [m]', ylabel='rise [m]')
    return figure
