# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawing of objects computed by the world: balls, boxes, platforms, rope segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import rerun as rr

from regolith_bringup.view.draw_terrain import shaded
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed
from regolith_sensors.surfaces import meshes
from regolith_world.cycle import Shape
from regolith_world.objects import object_visuals

CYCLE = '/regolith/cycle'
_COLOR = (196, 168, 120)


class DrawnObjects:
    """Drawer of the bodies of objects.

    Shapes are those of the scenario. A spawned object is drawn as a ball with its mass and inertia.

    Args:
        canvas: Canvas to draw on.
        scenario: Resolved scenario.
        period_ns: Minimum time between two states [ns].
    """

    def __init__(self, canvas: Canvas, scenario: Any, period_ns: int) -> None:
        self._canvas, self._period_ns = canvas, period_ns
        visuals = object_visuals(scenario.objects, scenario.world.gravity_mps2)
        self._shapes = {name: visual.shapes for name, visual in visuals.items()}
        self._others = (*scenario.vehicles,)
        self._drawn: dict[str, bool] = {}
        """Whether each drawn body exists at present, by name."""

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topic with the states of all bodies."""
        return {CYCLE: self._period_ns} if CYCLE in types else {}

    def take(self, message: ViewMessage) -> None:
        """Draw the bodies of a cycle."""
        cycle = message.content
        t_ns = int(cycle.t_ns) + int(cycle.clock_offset_ns)
        others = {*self._others, *cycle.participants}
        bodies = {body.name: body for body in cycle.bodies if body.name.partition('/')[0] not in others}
        for name, body in bodies.items():
            path = path_of('world/objects', name)
            if name not in self._drawn:
                self._canvas.fix(path, _mesh_of(self._shapes.get(name, ()), body))
            self._drawn[name] = True
            p, q = body.pose.position, body.pose.orientation
            self._canvas.put(t_ns, path, placed([p.x, p.y, p.z], [q.x, q.y, q.z, q.w], 1.0))
        for name in [n for n, there in self._drawn.items() if there and n not in bodies]:
            # A removed body is scaled to zero, because a drawn mesh cannot be removed.
            self._drawn[name] = False
            self._canvas.put(t_ns, path_of('world/objects', name), rr.Transform3D(scale=0.0))

    def tick(self, t_ns: int) -> None:
        """Do nothing, because states are drawn immediately."""


def _mesh_of(shapes: Sequence[Shape], body: Any) -> rr.Mesh3D:
    known = [mesh for mesh in map(meshes.of_shape, shapes) if mesh is not None]
    if not known:
        # A homogeneous ball has I = 2/5 m r^2.
        mean = float(np.trace(np.asarray(body.inertia).reshape(3, 3))) / 3.0
        radius = min(max((2.5 * mean / body.mass) ** 0.5, 0.01), 1.0) if body.mass > 0.0 else 0.02
        ball = meshes.icosphere(2)
        known = [meshes.Mesh(radius * ball.vertices, ball.triangles, ball.material)]
    mesh = meshes.joined(known)
    return shaded(mesh.vertices, mesh.triangles, _COLOR)
