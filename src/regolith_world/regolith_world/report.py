# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The report's part on what the world itself moves: balls, ropes, platforms, and the lines between bodies."""

from __future__ import annotations

from regolith_files.doors import Picture, ReportSection, Run
from regolith_world.object_paths import read_paths
from regolith_world.view_layer import CYCLE


def section(run: Run) -> ReportSection | None:
    """Return the section on objects; None for a run without any that move."""
    topic = run.recorded.get(CYCLE)
    if not run.scenario.objects or topic is None or not topic.messages:
        return None
    paths = read_paths(run, topic.messages)
    from regolith_world.plots import chain_pictures, line_picture, moving_picture

    parts: list[Picture] = []
    if moving := paths.moving():
        about = 'Height over time, and path from above, of the bodies that the world moves'
        parts.append(Picture(moving_picture(paths.time, moving), about))
    for name, positions in paths.chains().items():
        about = f'The shape of {name} from the side, over time'
        parts.append(Picture(chain_pictures(name, paths.time, positions), about))
    if paths.lines:
        parts.append(Picture(line_picture(paths), 'Distance between the ends of cables, springs and rods, over time'))
    return ReportSection('Objects', parts, order=15) if parts else None
