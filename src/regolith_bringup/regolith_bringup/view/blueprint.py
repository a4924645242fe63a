# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Initial screen layout of a run: the 3D view, with images and plots beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import rerun.blueprint as rrb
from numpy.typing import NDArray

from regolith_bringup.view.draw_plots import CHARGE, POWER, SINKAGE, SLIP, SPEED
from regolith_bringup.view.draw_sensors import IMAGE, PACKED
from regolith_bringup.view.rerun_canvas import TIMELINE, path_of
from regolith_terrain import build_height_field

_SKY = (9, 10, 13)
_IN_SIGHT = (SPEED, SLIP, SINKAGE)
_ENERGY = (CHARGE, POWER)
_MOST_IMAGES = 4
_LEGEND = 4
"""Maximum number of lines of a plot with a legend."""


def blueprint(
    scenario: Any,
    types: Mapping[str, str],
    plotted: Mapping[str, int],
    places: NDArray[np.float64],
    *,
    following: bool = False,
    bare: bool = False,
    plain: bool = False,
) -> rrb.Blueprint:
    """Return the layout.

    Args:
        scenario: Resolved scenario.
        types: Message types of all topics by name.
        plotted: Paths of plotted quantities, with the number of lines of each.
        places: Positions that must be visible [m], shape (n, 2).
        following: Whether to show the newest state as it arrives.
        bare: Whether to hide the panels that only operate the viewer.
        plain: Whether to collapse the time panel, for which Rerun draws four more images until it is stable.
    """
    world = rrb.Spatial3DView(
        origin='world',
        name=scenario.name,
        background=_SKY,
        line_grid=rrb.LineGrid3D(visible=False),
        eye_controls=_eye(scenario, places),
    )
    side = _side(types, plotted)
    layout = rrb.Horizontal(world, side, column_shares=[3, 2]) if side is not None else world
    return rrb.Blueprint(
        layout,
        rrb.BlueprintPanel(state='collapsed'),
        rrb.SelectionPanel(state='collapsed'),
        rrb.TimePanel(
            state='hidden' if plain else 'collapsed',
            timeline=TIMELINE,
            play_state='following' if following else 'playing',
        ),
        rrb.TopPanel(state='hidden' if bare else 'expanded'),
        auto_layout=False,
        auto_views=False,
    )


def _eye(scenario: Any, places: NDArray[np.float64]) -> rrb.EyeControls3D:
    """Return a view point with all positions in view and good contrast in the sunlight."""
    low, high = places.min(axis=0), places.max(axis=0)
    middle, width = 0.5 * (low + high), max(float(np.linalg.norm(high - low)), 5.0)
    sun = scenario.light.sun_at(0)
    to_sun = math.pi / 2.0 - (sun.azimuth if sun is not None else math.radians(315.0))
    aside = to_sun + math.radians(115.0)
    distance = 0.55 * width + 3.0
    height = float(build_height_field(scenario.terrain, scenario.seed).heights(middle[0], middle[1]))
    target = (float(middle[0]), float(middle[1]), height)
    position = (
        target[0] + distance * math.cos(aside),
        target[1] + distance * math.sin(aside),
        height + 0.55 * distance,
    )
    return rrb.EyeControls3D(kind=rrb.Eye3DKind.Orbital, position=position, look_target=target, eye_up=(0.0, 0.0, 1.0))


def _side(types: Mapping[str, str], plotted: Mapping[str, int]) -> Any:
    """Return the panels beside the 3D view, or None if there are none."""
    parts: list[Any] = []
    images = _images(types)
    if images:
        parts.append(rrb.Grid(*images) if len(images) > 1 else images[0])
    wanted = [f'{path_of("plots", q.replace("/", " per "))}' for q in (*_IN_SIGHT, *_ENERGY)]
    plots = [_plot(path, plotted[path]) for path in wanted if path in plotted]
    others = [_plot(path, plotted[path]) for path in sorted(plotted) if path not in wanted]
    if plots:
        parts.append(rrb.Vertical(*plots[:3]))
    more = [*plots[3:], *others]
    texts = [rrb.TextLogView(origin='events', name='events')] if any(t.endswith('/events') for t in types) else []
    if more or texts:
        parts.append(rrb.Tabs(*more, *texts))
    if not parts:
        return None
    shares = [1.0 if isinstance(part, rrb.Tabs) else 2.0 for part in parts]
    return rrb.Vertical(*parts, row_shares=shares) if len(parts) > 1 else parts[0]


def _plot(path: str, lines: int) -> rrb.TimeSeriesView:
    """Return a plot. A legend with many lines would cover it, and the colors are those of the paths."""
    name = path.removeprefix('plots/').replace('\\', '').replace(' per ', '/')
    legend = rrb.PlotLegend(corner=rrb.Corner2D.RightBottom, visible=lines <= _LEGEND)
    return rrb.TimeSeriesView(origin=path, name=name, plot_legend=legend)


def _images(types: Mapping[str, str]) -> list[rrb.Spatial2DView]:
    """Return image panels: images first, then annotations of the same rays."""
    topics = sorted(topic for topic, kind in types.items() if kind in (IMAGE, PACKED))
    whole = [t for t in topics if t.endswith('/image_raw') and t.count('/') == 3]
    known = {t.rpartition('/')[0] for t in whole}
    previews = [t for t in topics if t.endswith('/preview') and t.rpartition('/')[0] not in known]
    truth = [t for t in topics if t.count('/') > 3 and t.split('/')[3] in ('depth', 'semantic')]
    chosen = [*whole, *previews, *truth][:_MOST_IMAGES]
    return [rrb.Spatial2DView(origin=path_of('images', t), name=t.strip('/').replace('/image_raw', '')) for t in chosen]
