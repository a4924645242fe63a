# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section about CRM regions: statistics, cross sections, wheel forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from regolith_files import Caption, Figure, ReportSection, Run, Table
from regolith_terrain.contact.surfel_messages import SURFEL_TOPIC, surfels_record
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.updates.committed_soil import COMMITTED_TOPIC, CommittedSoil, SoilCommit

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

_FIGURES = (
    'The error of the surface is the volume it gained over that of the soil below changed nodes: it should be zero.'
    ' The mass balance is that of the whole terrain.'
)
_LINES = (
    'Heights at the nodes of the soil grid before and after, with enlarged heights: along x through the'
    ' middle of a region, and along y where it is deepest. Dots: particles in motion, where their topic was recorded.'
)
_INK, _SOIL, _DOTS = '#22262b', '#8a8175', '#b5303f'


class SurfaceSection(NamedTuple):
    """Surface of a region along a line."""

    title: str
    along: Floats
    """Positions of the nodes, x or y [m], shape (n,)."""
    before: Floats
    """Initial height [m], shape (n,)."""
    after: Floats
    """Final height [m], shape (n,)."""
    dots: Floats
    """Moving particles near the line: x or y, and height [m], shape (k, 2)."""


def section(run: Run) -> ReportSection | None:
    """Return the report section about CRM regions; None for a run without them."""
    regions = [region for region in run.scenario.terrain.owned_regions() if isinstance(region, ParticleRegion)]
    if not regions:
        return None
    rows = []
    for region in regions:
        told = run.summary['vehicles'].get(region.vehicle, {}).get('particles', {}).get(region.name)
        found = [f'{told[key]:,}' for key in ('particles', 'moving')] if told else [f'{region.soil_count:,}', '\u2013']
        found += [f'{100.0 * told["surface_error"]:.2f}'] if told else ['\u2013']
        found += [f'{1e3 * told[key]:.1f}' for key in ('deepest_m', 'highest_m')] if told else ['\u2013'] * 2
        rows.append((region.name, region.vehicle, f'{1e3 * region.spacing:g}', *found))
    head = ('region', 'vehicle', 'spacing [mm]', 'particles', 'moving at the end', 'error of the surface [%]')
    parts: list[Caption | Figure | Table] = [Table((*head, 'deepest [mm]', 'highest [mm]'), rows)]
    book = run.summary['terrain'].get('mass_balance')
    if book:
        keys = ('ground_kg', 'carried_kg', 'in_flight_kg', 'in_transit_kg')
        heads = ('ground [kg]', 'carried [kg]', 'in flight [kg]', 'in transit [kg]', 'error [kg]')
        parts.append(Table(heads, [(*(f'{book[key]:,.6f}' for key in keys), f'{book["error_kg"]:.1e}')]))
    parts.append(Caption(_FIGURES))
    if COMMITTED_TOPIC in run.recorded:
        grid = ground_at_end(run)
        lines = [line for region in regions for line in cross_sections(region, grid, _last_dots(run, region))]
        parts += [Figure(_lines_picture(lines), 'Cross-sections of regions of particles'), Caption(_LINES)]
    for vehicle in sorted({region.vehicle for region in regions}):
        forces = wheel_forces(run, vehicle)
        if forces is not None:
            parts.append(Figure(_forces_picture(vehicle, *forces), f'Forces of the ground on the wheels of {vehicle}'))
    return ReportSection('Particles', parts, order=14)


def ground_at_end(run: Run) -> SoilGrid:
    """Return the soil at the end of a run, from the committed changes in its recording."""
    terrain = run.scenario.terrain
    grid = SoilGrid(build_height_field(terrain, run.scenario.seed), terrain.spacing_m, terrain.law)
    soil = CommittedSoil(recorded=True)
    for message in run.bag.messages(COMMITTED_TOPIC):
        soil.take(SoilCommit.of(message.content))
        for records in soil.changes().records:
            grid.apply(records)
    return grid


def cross_sections(region: ParticleRegion, grid: SoilGrid, dots: Floats) -> list[SurfaceSection]:
    """Return the surface along x through the middle of a region, and along y where that line is deepest.

    Args:
        region: Region of particles.
        grid: Soil at the end.
        dots: Moving particles [m], shape (k, 3).
    """
    d = grid.spacing
    i0, i1, j0, j1 = region.nodes(d)
    middle = round(0.5 * (region.low[1] + region.high[1]) / d)
    x: Floats = np.arange(i0, i1) * np.float64(d)
    along = _line(f'{region.name}, y = {middle * d:.2f} m', 0, x, np.full(len(x), middle * d), grid, region, dots)
    deepest = float(x[int(np.argmax(along.before - along.after))])
    y: Floats = np.arange(j0, j1) * np.float64(d)
    return [along, _line(f'{region.name}, x = {deepest:.2f} m', 1, y, np.full(len(y), deepest), grid, region, dots)]


def _line(
    title: str, axis: int, along: Floats, across: Floats, grid: SoilGrid, region: ParticleRegion, dots: Floats
) -> SurfaceSection:
    """Return the surface on a line along x (axis 0) or y."""
    x, y = (along, across) if axis == 0 else (across, along)
    near = np.abs(dots[:, 1 - axis] - across[0]) < 0.5 * region.spacing
    return SurfaceSection(title, along, grid.height_field.heights(x, y), grid.levels(x, y), dots[near][:, [axis, 2]])


def _last_dots(run: Run, region: ParticleRegion) -> Floats:
    """Return the moving particles at the end of a recording with their topic, shape (k, 3)."""
    name, last = f'/{region.vehicle}/{SURFEL_TOPIC}', None
    if name in run.recorded:
        for message in run.bag.messages(name):
            last = message.content
    if last is None or not last.width:
        return np.zeros((0, 3))
    place = surfels_record(last)[1].place
    within: Floats = place[((place[:, :2] >= region.low) & (place[:, :2] <= region.high)).all(axis=1)]
    return within


def wheel_forces(run: Run, vehicle: str) -> tuple[tuple[str, ...], Floats, Floats] | None:
    """Return names of wheels, times [s], and loads and drawbar pulls [N], shape (2, n, wheels), if recorded."""
    topic = f'/{vehicle}/wheel_states'
    names: tuple[str, ...] = ()
    times, rows = [], []
    for message in run.bag.messages(topic) if topic in run.recorded else ():
        content = message.content
        names = tuple(wheel.name for wheel in content.wheels)
        times.append(content.header.stamp.sec + 1e-9 * content.header.stamp.nanosec)
        rows.append([[wheel.normal_load for wheel in content.wheels], [wheel.drawbar_pull for wheel in content.wheels]])
    if not names:
        return None
    return names, np.array(times), np.moveaxis(np.array(rows, np.float64), 0, 1)


def _lines_picture(lines: Sequence[SurfaceSection]) -> MatplotlibFigure:
    from matplotlib.figure import Figure as MatplotlibFigure

    figure = MatplotlibFigure(figsize=(12.0, 2.4 * (len(lines) // 2)), layout='constrained')
    panels = figure.subplots(len(lines) // 2, 2, squeeze=False).reshape(-1)
    for k, (panel, line) in enumerate(zip(panels, lines, strict=True)):
        floor = float(min(line.before.min(), line.after.min()))
        panel.fill_between(line.along, 1e3 * line.after, 1e3 * floor, color=_SOIL, lw=0.0)
        panel.plot(line.along, 1e3 * line.before, color=_INK, lw=0.9, ls=':', label='before')
        panel.plot(line.along, 1e3 * line.after, color=_INK, lw=1.3, label='after')
        panel.plot(line.dots[:, 0], 1e3 * line.dots[:, 1], '.', color=_DOTS, ms=3.0)
        panel.set_title(line.title, loc='left', fontsize=10)
        panel.set(xlabel=f'{"xy"[k % 2]} [m]', ylabel='height [mm]')
    panels[0].legend(fontsize=9)
    return figure


def _forces_picture(vehicle: str, names: Sequence[str], times: Floats, forces: Floats) -> MatplotlibFigure:
    from matplotlib.figure import Figure as MatplotlibFigure

    figure = MatplotlibFigure(figsize=(12.0, 3.0), layout='constrained')
    panels = figure.subplots(1, 2)
    for panel, values, title in zip(panels, forces, ('normal load', 'drawbar pull'), strict=True):
        for k, name in enumerate(names):
            panel.plot(times, values[:, k], lw=1.0, ls=('-', '--')[k % 2], label=name)
        # Impacts last one cycle; with their full range other forces would not be visible.
        low, high = np.percentile(values, (1.0, 99.0))
        margin = 0.3 * float(high - low) + 1.0
        panel.set(xlabel='simulated time [s]', ylabel='[N]', ylim=(low - margin, high + margin))
        panel.set_title(f'{vehicle}: {title}', loc='left', fontsize=10)
    panels[0].legend(fontsize=9)
    return figure
