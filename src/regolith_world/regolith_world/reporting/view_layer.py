# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View layer of constraints: cables, springs and rods between bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import ViewLayer, ViewMarks
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.constraints import Constraint
from regolith_world.objects.object_types import make_objects

Floats = NDArray[np.float64]

CYCLE = '/regolith/cycle'
_COLOR = '#ffab70'
_SLACK_POINTS = 13


def layer(scenario: Any) -> ViewLayer | None:
    """Return the layer of a scenario's constraints; None if there are no lines."""
    lines = lines_of(scenario)
    if not lines:
        return None

    def draw(t_ns: int, last: Mapping[str, Any]) -> list[ViewMarks]:
        cycle = last.get(CYCLE)
        if cycle is None:
            return []
        bodies = {body.name: body.pose for body in cycle.bodies}
        marks = []
        for item in lines:
            ends = ends_of(item, cycle.t_ns, bodies)
            if ends is not None:
                near, far = ends
                length = item.line.length_m if item.line is not None else None
                marks.append(ViewMarks(sagging_line(near, far, length), _COLOR, 2.5, joined=True, label=item.name))
        return marks

    return ViewLayer('Cables and rods', draw, {CYCLE: 'regolith_msgs/msg/Cycle'})


def lines_of(scenario: Any) -> list[Constraint]:
    """Return the constraints of a scenario that are lines between two bodies."""
    made = make_objects(scenario.objects, scenario.world.gravity_mps2) if scenario.objects else []
    return [item for item in made if isinstance(item, Constraint) and item.far is not None]


def ends_of(line: Constraint, t_ns: int, poses: Mapping[str, Any]) -> tuple[Floats, Floats] | None:
    """Return both ends of a line at a time [m], each of shape (3,); None if it is released or a body is missing.

    Args:
        line: The line.
        t_ns: Simulated time [ns].
        poses: Poses of bodies by name, as in messages.
    """
    assert line.far is not None
    if t_ns >= line.until_ns or not all(name in poses for name in line.between):
        return None
    return _point(poses[line.between[0]], line.near[0]), _point(poses[line.between[1]], line.far[0])


def sagging_line(near: Floats, far: Floats, length: float | None) -> Floats:
    """Return a line between two points [m], shape (n, 3). A slack line hangs as a parabola.

    A shallow parabola of span L and sag s has a length of about L + 8 s^2 / (3 L).

    Args:
        near: First point [m], shape (3,).
        far: Second point [m], shape (3,).
        length: Length of the line [m]; None: the distance of the points.
    """
    span = float(np.linalg.norm(far - near))
    spare = max(0.0, (length or 0.0) - span)
    sag = (0.375 * spare * span) ** 0.5
    if sag < 1e-3:
        return np.array([near, far])
    share = np.linspace(0.0, 1.0, _SLACK_POINTS)[:, None]
    return np.asarray(near + share * (far - near) - 4.0 * sag * share * (1.0 - share) * np.array([0.0, 0.0, 1.0]))


def _point(pose: Any, own: Floats) -> Floats:
    p, q = pose.position, pose.orientation
    return np.asarray(matrix(np.array([q.x, q.y, q.z, q.w])) @ own + (p.x, p.y, p.z))
