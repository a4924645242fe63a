# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawing of objects computed by the world and of entities of participants: balls, boxes, cables, stations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import rerun as rr

from regolith_bringup.view.draw_terrain import shaded
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.object_markers import coarse_mesh
from regolith_bringup.view.rerun_canvas import Canvas, path_of, placed
from regolith_sensors.scene import ObjectHistory
from regolith_sensors.surfaces import meshes
from regolith_world.cycle import Anchor, ObjectVisual
from regolith_world.objects import object_visuals

CYCLE = '/regolith/cycle'
_COLOR = (196, 168, 120)
_Drawing = tuple[Callable[[], rr.Mesh3D], Sequence[float]]
"""Function that makes a mesh; pose and length along z."""


class DrawnObjects:
    """Drawer of objects of the world and of entities of participants, except those that lie on the terrain.

    A viewer that joins during a run does not know the shapes of objects that were spawned before. It draws them as
    balls with their mass and inertia.

    Args:
        canvas: Canvas to draw on.
        scenario: Resolved scenario.
        period_ns: Minimum time between two states [ns].
    """

    def __init__(self, canvas: Canvas, scenario: Any, period_ns: int) -> None:
        self._canvas, self._period_ns = canvas, period_ns
        self._history = ObjectHistory(object_visuals(scenario.objects, scenario.world.gravity_mps2))
        self._others = (*scenario.vehicles,)
        self._drawn: dict[str, bool] = {}
        """Whether each drawn entity exists at present, by path."""
        self._last_ns: int | None = None

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topic with the states of all bodies; each message may have new visuals."""
        return {CYCLE: 0} if CYCLE in types else {}

    def take(self, message: ViewMessage) -> None:
        """Learn the visuals of a cycle, and draw its bodies if the last drawing is old enough."""
        cycle = message.content
        t_ns = int(cycle.t_ns) + int(cycle.clock_offset_ns)
        self._history.add(cycle)
        if self._last_ns is not None and 0 <= t_ns - self._last_ns < self._period_ns:
            return
        self._last_ns = t_ns
        names = {entity.visual.name for entity in self._history.entities}
        present = {**self._known(cycle.t_ns), **self._unknown(cycle, names)}
        for path, (make, pose) in present.items():
            if path not in self._drawn:
                self._canvas.fix(path, make())
            self._drawn[path] = True
            self._canvas.put(t_ns, path, placed(pose[:3], pose[3:7], [1.0, 1.0, pose[7]]))
        for path in [p for p, there in self._drawn.items() if there and p not in present]:
            # A removed body is scaled to zero, because a drawn mesh cannot be removed.
            self._drawn[path] = False
            self._canvas.put(t_ns, path, rr.Transform3D(scale=0.0))

    def _known(self, t_ns: int) -> dict[str, _Drawing]:
        """Return mesh and pose of the entities whose visuals are known, by path."""
        found: dict[str, _Drawing] = {}
        rows: dict[str, int] = {}
        poses = self._history.all_at(t_ns)
        for row, (visual, _) in enumerate(self._history.entities):
            lives = rows[visual.name] = rows.get(visual.name, -1) + 1
            if visual.anchor != Anchor.GROUND and not np.isnan(poses[row, 0]):
                path = path_of('world/objects', f'{visual.name}/life_{lives + 1}' if lives else visual.name)
                found[path] = (partial(_mesh_of, visual), poses[row].tolist())
        return found

    def _unknown(self, cycle: Any, known: set[str]) -> dict[str, _Drawing]:
        """Return mesh and pose of the bodies whose shapes are not known, by path."""
        others = {*self._others, *cycle.participants}
        found: dict[str, _Drawing] = {}
        for body in cycle.bodies:
            if body.name not in known and body.name.partition('/')[0] not in others:
                p, q = body.pose.position, body.pose.orientation
                pose = [p.x, p.y, p.z, q.x, q.y, q.z, q.w, 1.0]
                found[path_of('world/objects', body.name)] = (partial(_ball_of, body), pose)
        return found

    def tick(self, t_ns: int) -> None:
        """Do nothing, because states are drawn immediately."""


def _mesh_of(visual: ObjectVisual) -> rr.Mesh3D:
    mesh = coarse_mesh(visual)
    return shaded(mesh.vertices, mesh.triangles, _COLOR)


def _ball_of(body: Any) -> rr.Mesh3D:
    # A homogeneous ball has I = 2/5 m r^2.
    mean = float(np.trace(np.asarray(body.inertia).reshape(3, 3))) / 3.0
    radius = min(max((2.5 * mean / body.mass) ** 0.5, 0.01), 1.0) if body.mass > 0.0 else 0.02
    ball = meshes.icosphere(2)
    return shaded(radius * ball.vertices, ball.triangles, _COLOR)
