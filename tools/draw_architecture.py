#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/architecture.svg: packages, import directions, and one cycle."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

matplotlib.rcParams['svg.hashsalt'] = 'regolith'

INK, PALE, LINE = '#22262b', '#f3f1ec', '#8a8178'
ROOMS = {
    # name: (x, y, width, contents, color)
    'files': (0.0, 0.0, 2.5, 'YAML · schemas · errors\nplug-ins · libraries', '#e4e0d8'),
    'world': (3.0, 0.0, 2.5, 'cycle · objects · contacts\nparticipants · protocol', '#d9e2ea'),
    'terrain': (6.0, 0.0, 2.5, 'height fields · soil grid\nterrain models · merge', '#e8dcc3'),
    'vehicles': (9.0, 0.0, 2.5, 'multibody · wheels on soil\ndrivers · agent', '#e9d3cb'),
    'sensors': (12.0, 0.0, 2.5, 'scene · rays · camera\nlidar · inertial · labels', '#dfe5d3'),
    'testbeds': (15.0, -1.75, 2.5, 'experiments · benches\nproving ground · grains', '#efe3cf'),
    'bringup': (15.0, 0.0, 2.5, 'scenario · run · bag\nreport · commands', '#e4e0d8'),
    'comms': (6.0, -1.75, 2.5, 'tile graph · links · broker\n(a registered participant)', '#e2d9e8'),
    'msgs': (3.0, -1.75, 2.5, 'every interface', '#ffffff'),
}
ARROWS = (
    ('world', 'files'),
    ('terrain', 'world'),
    ('vehicles', 'terrain'),
    ('sensors', 'vehicles'),
    ('bringup', 'sensors'),
    ('bringup', 'testbeds'),
    ('testbeds', 'vehicles'),
    ('comms', 'world'),
    ('world', 'msgs'),
)
DOORS = {
    'world': 'participants · objects',
    'terrain': 'terrain models · soils · presets',
    'comms': 'radios',
    'vehicles': 'vehicles · drivers\nrunning gears',
    'sensors': 'sensors · models\nray back ends',
    'bringup': 'scenarios · commands\nreport · summary · bench',
}
LANES = ('world', 'agents', 'terrain', 'others', 'observers')
HIGH = 1.05
Point = tuple[float, float]


def room(axes: Axes, name: str) -> None:
    """Draw a package and its extension points."""
    x, y, wide, text, color = ROOMS[name]
    axes.add_patch(FancyBboxPatch((x, y), wide, HIGH, boxstyle='round,pad=0.04', fc=color, ec=LINE, lw=1.0))
    axes.text(x + 0.12, y + HIGH - 0.16, f'regolith_{name}', weight='bold', va='top', size=10.5, color=INK)
    axes.text(x + 0.12, y + 0.58, text, va='top', size=7.4, color=INK, linespacing=1.35)
    if name in DOORS:
        above = name != 'comms'
        where = y + HIGH + 0.13 if above else y - 0.13
        side = 'bottom' if above else 'top'
        axes.text(x + 0.12, where, DOORS[name], va=side, size=7.8, color='#9a4a1c', style='italic')


def arrow(axes: Axes, start: Point, end: Point, color: str = INK, alpha: float = 1.0) -> None:
    """Draw an arrow."""
    shape = {'arrowstyle': '-|>', 'mutation_scale': 11, 'lw': 1.1, 'shrinkA': 0, 'shrinkB': 0}
    axes.add_patch(FancyArrowPatch(start, end, color=color, alpha=alpha, **shape))


def imports(axes: Axes) -> None:
    """Draw the imports between packages."""
    for user, used in ARROWS:
        (x0, y0, w0, *_), (x1, y1, w1, *_) = ROOMS[user], ROOMS[used]
        if y0 == y1:
            arrow(axes, (x0 - 0.06, y0 + HIGH / 2), (x1 + w1 + 0.06, y1 + HIGH / 2))
        elif x0 == x1:
            arrow(axes, (x0 + w0 / 2, y0 - 0.06), (x1 + w1 / 2, y1 + HIGH + 0.06))
        else:
            arrow(axes, (x0 - 0.02, y0 + HIGH), (x1 + w1 - 0.25, y1 - 0.06))


def cycle(axes: Axes) -> None:
    """Draw the messages of one cycle, from left to right."""
    top, step, left, right = -3.55, 0.62, 1.5, 17.3
    axes.text(0.0, top + 1.0, 'One cycle, from committed time t to t + Δt', weight='bold', size=10.5, color=INK)
    y = {name: top - k * step for k, name in enumerate(LANES)}
    for name in LANES:
        axes.plot([left, right], [y[name]] * 2, color=LINE, lw=0.8, zorder=0)
        axes.text(left - 0.15, y[name], name, ha='right', va='center', size=9, color=INK)

    def tell(x: float, source: str, goals: tuple[str, ...], text: str, lean: float = 0.5) -> None:
        for goal in goals:
            arrow(axes, (x, y[source]), (x + lean, y[goal]), color='#3b5b7a')
        axes.text(x, top + 0.2, text, size=8, color='#3b5b7a', ha='center', va='bottom')

    def work(x: float, wide: float, lane: str, text: str) -> None:
        box = FancyBboxPatch((x, y[lane] - 0.17), wide, 0.34, boxstyle='round,pad=0.02', fc=PALE, ec=LINE, lw=0.9)
        axes.add_patch(box)
        axes.text(x + wide / 2, y[lane], text, ha='center', va='center', size=7.8, color=INK)

    tell(2.0, 'world', ('agents', 'terrain', 'others'), 'cycle: verdict on the last\nattempt, EVOLVE, all inputs')
    work(2.75, 3.0, 'agents', 'substeps: multibody + soil')
    work(2.75, 3.0, 'others', 'evolve on committed inputs')
    arrow(axes, (5.85, y['agents']), (6.4, y['terrain']), color='#8a5a1c')
    axes.text(6.25, y['agents'] - 0.22, 'terrain/delta', size=7.8, color='#8a5a1c', ha='left')
    work(6.5, 2.1, 'terrain', 'merge, in name order')
    arrow(axes, (8.6, y['terrain']), (9.1, y['agents']), color='#8a5a1c')
    axes.text(8.75, y['terrain'] - 0.25, 'terrain/update (held until the verdict)', size=7.8, color='#8a5a1c')
    for lane, x in (('agents', 9.35), ('terrain', 8.6), ('others', 9.0)):
        arrow(axes, (x, y[lane]), (10.1, y['world'] - 0.02), color='#3b5b7a', alpha=0.6)
    told = 'cycle_result: tentative\nstate, hash, next Δt'
    axes.text(10.0, top + 0.2, told, size=8, color='#3b5b7a', ha='center', va='bottom')
    work(10.4, 2.5, 'world', 'intersect, decide, contacts')
    tell(13.2, 'world', ('agents', 'terrain', 'others'), 'COMMIT (or DISCARD\nand a shorter Δt)')
    arrow(axes, (14.1, y['agents']), (14.6, y['observers']), color='#5a7a3b')
    work(14.7, 2.5, 'observers', 'sensors, recorder, user')
    axes.text(14.55, y['agents'] - 0.24, 'odom, tf, states: committed only', size=7.8, color='#5a7a3b', ha='left')


def main(out: Path) -> None:
    """Write the drawing."""
    figure = Figure(figsize=(14.0, 6.4))
    axes = figure.subplots()
    for name in ROOMS:
        room(axes, name)
    imports(axes)
    cycle(axes)
    legend = 'arrows: imports\nslanted: entry points, group regolith.…'
    axes.text(8.9, -1.45, legend, size=8.5, color=INK, va='center')
    axes.set(xlim=(-0.3, 17.8), ylim=(-6.5, 1.9))
    axes.axis('off')
    figure.savefig(out, bbox_inches='tight', metadata={'Date': None} if out.suffix == '.svg' else None, dpi=110)


if __name__ == '__main__':
    here = Path(__file__).resolve().parent.parent
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else here / 'docs/images/architecture.svg')
