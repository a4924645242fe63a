# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of a report, as matplotlib objects without global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Polygon, Rectangle

from regolith_bringup.report.page_figures import MOST_POINTS, decimated
from regolith_bringup.report.run_data import SLIP, Array, History, RunData, VehicleTrack
from regolith_bringup.report.rut_sections import RutSection
from regolith_bringup.report.terrain_map import (
    TerrainMap,
    crossing,
    driven_bounds,
    obstacle_outlines,
    region_outlines,
    rock_ellipses,
    site_bounds,
    terrain_map,
)

# Distinguishable with color vision deficiency (Okabe and Ito 2008), and on gray terrain.
COLORS = ('#e69f00', '#0072b2', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#f0e442')
_INK = '#22262b'
_GRID = '#d9dde2'
_SOLID = '#8c7b6b'
_ROCK = '#5b5f66'
_RUTS = LinearSegmentedColormap.from_list('ruts', ['#f6d7a8', '#e8894a', '#b5303f', '#5b1147'])
_MOON = LinearSegmentedColormap.from_list('moon', ['#26282b', '#6d6f72', '#a9abad', '#e6e6e4'])
_SMOOTH = 9
"""Number of states over which slip is averaged."""
_SHOWN_AS = {'m': (1e3, 'mm'), 'N': (1e-3, 'kN'), 'Pa': (1e-3, 'kPa'), '': (1.0, '-')}
"""Factor and unit used in plots, by unit of the quantity. Other units are unchanged."""
_DASHES = ('-', '--', ':', '-.')


def color_of(run: RunData, name: str) -> str:
    """Return the color of a vehicle, which is the same in all plots."""
    return COLORS[sorted(run.tracks).index(name) % len(COLORS)]


def track_map(run: RunData) -> Figure:
    """Return the tracks of all vehicles on shaded terrain, with colored ruts, an enlarged crossing, and the site."""
    bounds = driven_bounds(run)
    terrain = terrain_map(run, bounds)
    wide, high = bounds[1] - bounds[0], bounds[3] - bounds[2]
    where = _zoom_center(run)
    side = 0.0 if where is None else min(2.4, 0.5 * max(wide, high))
    figure = Figure(figsize=(12.0, float(np.clip(7.6 * high / wide + 1.2, 4.2, 13.0))), layout='constrained')
    panels: dict[str, Axes] = figure.subplot_mosaic(
        [['main', 'site']] if where is None else [['main', 'inset'], ['main', 'site']], width_ratios=(2.2, 1.0)
    )
    main = panels['main']
    _draw_site(panels['site'], run, bounds)
    depth = terrain.rut_depth * 1e3
    largest = float(np.nanmax(depth)) if np.isfinite(depth).any() else 1.0
    top = max(largest, 0.1)
    _draw_ground(main, terrain, top)
    outlines = obstacle_outlines(run)
    _draw_standing(main, run, bounds, outlines)
    for ground_there, outline in region_outlines(run):
        main.add_patch(Polygon(outline, closed=True, fill=False, ec='white', lw=1.4, ls='--'))
        at = np.clip(outline.min(axis=0), (bounds[0], bounds[2]), None) + 0.01 * (wide + high)
        main.text(float(at[0]), float(at[1]), f'{ground_there} ground', color='white', fontsize=9, clip_on=True)
    for name, track in sorted(run.tracks.items()):
        _draw_track(main, track, color_of(run, name))
    main.set(xlim=bounds[:2], ylim=bounds[2:], xlabel='x, east [m]', ylabel='y, north [m]')
    if main.get_legend_handles_labels()[0]:
        main.legend(loc='best', framealpha=0.9, facecolor='white', edgecolor=_GRID)
    if where is not None:
        inset = panels['inset']
        box = (where[0] - side / 2, where[0] + side / 2, where[1] - side / 2, where[1] + side / 2)
        main.add_patch(Rectangle((box[0], box[2]), side, side, fill=False, ec='white', lw=1.4))
        _draw_ground(inset, terrain_map(run, box), top)
        _draw_standing(inset, run, box, outlines)
        for name, track in sorted(run.tracks.items()):
            x, y = track.position[:, :2].T
            inset.plot(x, y, color=color_of(run, name), lw=1.0, alpha=0.8, label=name)
        inset.set(xlim=box[:2], ylim=box[2:], title='Enlarged', xlabel='x [m]')
        for spine in inset.spines.values():
            spine.set(visible=True, color=_INK, lw=1.2)
    bar = figure.colorbar(_depth_scale(top), ax=main, location='bottom', shrink=0.6, aspect=40, pad=0.02)
    bar.set_label('rut depth [mm]')
    bar.outline.set_visible(False)
    return figure


def gear_histories(run: RunData) -> list[Figure]:
    """Return the telemetry of running gears over time: one plot for all vehicles with the same quantities."""
    families: dict[tuple[str, ...], list[VehicleTrack]] = {}
    for _, track in sorted(run.tracks.items()):
        families.setdefault(tuple(history.name for history in track.histories), []).append(track)
    return [_family(run, tracks) for _, tracks in sorted(families.items(), key=lambda item: item[1][0].name)]


def _family(run: RunData, tracks: list[VehicleTrack]) -> Figure:
    """Return the histories and speeds of vehicles with the same quantities, one column per vehicle."""
    rows = len(tracks[0].histories) + 1
    figure = Figure(figsize=(12.0, min(3.0 * rows, 12.0)), layout='constrained')
    axes = figure.subplots(rows, len(tracks), sharex=True, sharey='row', squeeze=False)
    for column, track in enumerate(tracks):
        color = color_of(run, track.name)
        styled(*axes[:, column])
        axes[0, column].set_title(track.name, loc='left', fontweight='bold', color=color)
        for history, panel in zip(track.histories, axes[:-1, column], strict=True):
            scale, _ = _SHOWN_AS.get(history.unit, (1.0, ''))
            for k, (part, values) in enumerate(zip(history.parts, history.values.T, strict=True)):
                line: dict[str, Any] = {'ls': _DASHES[k % 4], 'lw': 1.1, 'color': color, 'alpha': 0.55 + 0.45 * (k < 2)}
                shown = _smooth(values) if history.name == SLIP else values * scale
                panel.plot(*decimated(history.time, shown), label=part, **line)
            if history.name == SLIP:
                panel.axhline(0.0, color=_INK, lw=0.6)
            if panel is axes[0, column] or history.parts != track.histories[0].parts:
                panel.legend(fontsize=8, ncols=2, framealpha=0.9, edgecolor=_GRID)
        axes[-1, column].plot(*decimated(track.time, track.speed), color=color, lw=1.4, label=track.name)
        axes[-1, column].set_xlabel('simulated time [s]')
    for history, panel in zip(tracks[0].histories, axes[:-1, 0], strict=True):
        label = f'{history.name}, mean of {_SMOOTH}' if history.name == SLIP else history.name
        panel.set_ylabel(f'{label} [{_SHOWN_AS.get(history.unit, (1.0, history.unit))[1]}]')
        if history.name == SLIP:
            _frame_slips(panel, [h for track in tracks for h in track.histories if h.name == SLIP])
        else:
            panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    axes[-1, 0].set_ylabel('forward speed [m/s]')
    axes[-1, 0].set_ylim(bottom=min(0.0, axes[-1, 0].get_ylim()[0]))
    return figure


def rut_sections(run: RunData, sections: Sequence[RutSection]) -> Figure:
    """Return the terrain across the track of each vehicle, before and after."""
    rows = -(-len(sections) // 2)
    figure = Figure(figsize=(12.0, 2.9 * rows), layout='constrained')
    panels = figure.subplots(rows, min(2, len(sections)), squeeze=False).ravel()
    for panel in panels[len(sections) :]:
        panel.set_visible(False)
    for panel, section in zip(panels, sections):
        styled(panel)
        color = color_of(run, section.name)
        level = float(section.undisturbed[len(section.across) // 2])
        before, after = 1e3 * (section.undisturbed - level), 1e3 * (section.final - level)
        panel.fill_between(section.across, before, after, color=color, alpha=0.25, lw=0.0)
        panel.plot(section.across, before, color=_INK, lw=1.0, ls='--', label='before')
        panel.plot(section.across, after, color=color, lw=1.6, label='after')
        # Avoids -0.0 for small negative numbers.
        x, y = (round(float(each), 1) + 0.0 for each in section.at)
        where = f'{section.traveled:.1f} m along, at ({x:.1f}, {y:.1f}) m'
        panel.set_title(f'{section.name}, {where}', loc='left', fontsize=10, color=color)
        panel.set(xlabel='across the track, to its left [m]', ylabel='height [mm]')
        panel.legend(fontsize=8, framealpha=0.9, edgecolor=_GRID)
    return figure


def energy(run: RunData) -> Figure | None:
    """Return state of charge and power of the batteries over time, None without batteries."""
    charges = {name: track.charge for name, track in sorted(run.tracks.items()) if track.charge is not None}
    if not charges:
        return None
    figure = Figure(figsize=(12.0, 3.4), layout='constrained')
    share, power = figure.subplots(1, 2)
    styled(share, power)
    for name, charge in charges.items():
        share.plot(*decimated(charge.time, 100.0 * charge.share), color=color_of(run, name), lw=1.4, label=name)
        power.plot(*decimated(charge.time, charge.power), color=color_of(run, name), lw=1.1, label=name)
    share.set(xlabel='simulated time [s]', ylabel='charge [%]', title='Charge')
    power.set(xlabel='simulated time [s]', ylabel='power drawn [W]', title='Power')
    power.set_ylim(bottom=min(0.0, power.get_ylim()[0]))
    share.legend(fontsize=8, framealpha=0.9, edgecolor=_GRID)
    return figure


def _frame_slips(panel: Axes, histories: list[History]) -> None:
    """Limit the range of slip plots. At rest, slip is near 1 for an instant and would dominate the plot."""
    slips = [_smooth(values) for history in histories for values in history.values.T if len(values)]
    if slips:
        low, high = np.percentile(np.concatenate(slips), (1.0, 97.0))
        margin = max(0.03, 0.4 * float(high - low))
        panel.set_ylim(max(float(low) - margin, -1.0), min(float(high) + margin, 1.0))


def cycle_timing(run: RunData) -> Figure:
    """Return the length of the cycles, with discarded ones marked, and the real-time factor."""
    figure = Figure(figsize=(12.0, 3.6), layout='constrained')
    lengths, speeds = figure.subplots(1, 2)
    styled(lengths, speeds)
    c = run.cycles
    done = c.committed
    committed = decimated(c.time[done], c.length[done] * 1e3)
    lengths.plot(*committed, '.', ms=3, color='#4c6a8a', label='committed')
    lengths.plot(c.time[~done], c.length[~done] * 1e3, 'x', ms=5, color='#b5303f', label=f'discarded: {(~done).sum()}')
    lengths.set(xlabel='simulated time [s]', ylabel='cycle length [ms]', title='Cycles')
    lengths.set_ylim(bottom=0.0)
    lengths.legend(framealpha=0.9, edgecolor=_GRID)
    if done.sum() > 2:
        time, wall = c.time[done], c.wall[done]
        grid = np.linspace(wall[0], wall[-1], int(np.clip(len(wall) // 10, 3, 120)))
        at = np.interp(grid, wall, time)
        rate = np.diff(at) / np.maximum(np.diff(grid), 1e-9)
        speeds.step(at[1:], rate, where='pre', color='#4c6a8a', lw=1.3, label='now')
        mean = (time[-1] - time[0]) / max(wall[-1] - wall[0], 1e-9)
        speeds.axhline(mean, color='#b5303f', lw=1.0, ls='--', label=f'mean {mean:.2f}')
        speeds.axhline(1.0, color=_INK, lw=0.8, ls=':', label='real time')
        speeds.legend(framealpha=0.9, edgecolor=_GRID)
    speeds.set(xlabel='simulated time [s]', ylabel='simulated s per wall s', title='Speed')
    speeds.set_ylim(bottom=0.0)
    return figure


def _zoom_center(run: RunData) -> tuple[float, float] | None:
    where = crossing(run)
    if where is None and len(run.changed_terrain.i):
        moved = [t for _, t in sorted(run.tracks.items()) if t.distance > 0.5]
        if moved:
            x, y = moved[0].position[len(moved[0].time) // 2, :2]
            where = (float(x), float(y))
    return where


def _draw_ground(axes: Axes, terrain: TerrainMap, top_mm: float) -> None:
    untouched = terrain.shade[np.isnan(terrain.rut_depth)]
    # The walls of ruts would use all contrast. Level terrain must not be stretched to noise.
    low, high = np.percentile(untouched if untouched.size else terrain.shade, (0.5, 99.5))
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), 0.05)
    area: dict[str, Any] = {'extent': terrain.extent, 'origin': 'lower'}
    axes.imshow(terrain.shade, cmap=_MOON, vmin=middle - half, vmax=middle + half, interpolation='bilinear', **area)
    if np.isfinite(top_mm):
        depth = np.ma.masked_less(np.ma.masked_invalid(terrain.rut_depth * 1e3), 0.02 * top_mm)
        axes.imshow(depth, cmap=_RUTS, vmin=0.0, vmax=top_mm, alpha=0.85, interpolation='nearest', **area)
    axes.set_aspect('equal')
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_site(axes: Axes, run: RunData, driven: tuple[float, float, float, float]) -> None:
    """Draw the driven area on the map of the whole site."""
    bounds = site_bounds(run)
    _draw_ground(axes, terrain_map(run, bounds, max_pixels=500), top_mm=np.inf)
    west, east, south, north = driven
    if east - west > 0.05 * (bounds[1] - bounds[0]):
        axes.add_patch(Rectangle((west, south), east - west, north - south, fill=False, ec=COLORS[0], lw=1.6))
    else:
        axes.plot(0.5 * (west + east), 0.5 * (south + north), '+', ms=14, mew=2.2, color=COLORS[0])
    axes.set(xlim=bounds[:2], ylim=bounds[2:], title=f'Site, {bounds[1] - bounds[0]:.0f} m', xlabel='x [m]')


def _draw_standing(
    axes: Axes, run: RunData, bounds: tuple[float, float, float, float], outlines: Sequence[Any]
) -> None:
    """Draw obstacles, and rocks that are wide enough to be visible on the map."""
    least = max(0.1, 0.006 * max(bounds[1] - bounds[0], bounds[3] - bounds[2]))
    rocks = [Ellipse((x, y), a, b, angle=np.degrees(yaw)) for x, y, a, b, yaw in rock_ellipses(run, bounds, least)]
    axes.add_collection(PatchCollection(rocks, facecolors=_ROCK, edgecolors=_INK, linewidths=0.6))
    for outline in outlines:
        axes.add_patch(Polygon(outline, closed=True, fc=_SOLID, ec=_INK, lw=1.2, alpha=0.75))


def _depth_scale(top_mm: float) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(0.0, top_mm), _RUTS)


def _draw_track(axes: Axes, track: VehicleTrack, color: str) -> None:
    if not len(track.time):
        return
    x, y = track.position[:, 0], track.position[:, 1]
    # A path has points every 10 ms, most of which are not visible.
    some = slice(None, None, max(1, len(x) // MOST_POINTS))
    halo = [patheffects.Stroke(linewidth=3.2, foreground='white', alpha=0.7), patheffects.Normal()]
    axes.plot(x[some], y[some], color=color, lw=1.8, label=f'{track.name}, {track.distance:.1f} m', path_effects=halo)
    axes.plot(x[0], y[0], 'o', ms=7, mfc='white', mec=color, mew=2)
    qx, qy, qz, qw = track.orientation[-1]
    heading = np.arctan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))
    axes.plot(x[-1], y[-1], marker=(3, 0, np.degrees(heading) - 90.0), ms=13, mfc=color, mec='white', mew=1.4)


def _smooth(values: Array, width: int = _SMOOTH) -> Array:
    """Return a running mean, over shorter windows at the ends."""
    if len(values) < width:
        return values
    kernel = np.ones(width)
    result: Array = np.convolve(values, kernel, 'same') / np.convolve(np.ones(len(values)), kernel, 'same')
    return result


def styled(*axes: Axes) -> None:
    """Apply the common style of all plots to axes."""
    for a in axes:
        a.grid(True, color=_GRID, lw=0.7)
        a.set_axisbelow(True)
        a.ticklabel_format(useOffset=False)
        for side in ('top', 'right'):
            a.spines[side].set_visible(False)
