# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section on objects computed by the world: bodies, ropes, platforms and the lines between bodies."""

from __future__ import annotations

from regolith_files import Figure, ReportSection, Run
from regolith_world.reporting.trajectories import read_trajectories
from regolith_world.reporting.view_layer import CYCLE


def section(run: Run) -> ReportSection | None:
    """Return the section on objects; None for a run without moving objects."""
    topic = run.recorded.get(CYCLE)
    if topic is None or not topic.messages:
        return None
    paths = read_trajectories(run)
    from regolith_world.reporting.plots import chain_plots, line_plot, motion_plot

    parts: list[Figure] = []
    if moving := paths.moving():
        about = 'Height over time, and path from above, of the bodies that the world moves'
        parts.append(Figure(motion_plot(paths.time, moving), about))
    for name, positions in paths.chains().items():
        about = f'The shape of {name} from the side, over time'
        parts.append(Figure(chain_plots(name, paths.time, positions), about))
    if paths.lines:
        parts.append(Figure(line_plot(paths), 'Distance between the ends of cables, springs and rods, over time'))
    return ReportSection('Objects', parts, order=15) if parts else None
