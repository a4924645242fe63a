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
from regolith_world.cycle import Anchor, ObjectVisual
from regolith_world.objects import object_visuals

CYCLE = '/regolith/cycle'
_COLOR = (196, 168, 120)
_Drawing = tuple[Callable[[], rr.Mesh3D], Sequence[float]]
"""Function that makes a mesh; pose and length along z."""


class DrawnObjects:
    """Drawer of objects of the world and of entities of participants, except those that lie on the terrain.

    Args:
        canvas: Canvas to draw on.
        scenario: Resolved scenario.
        period_ns: Minimum time between two states [ns].
    """

    def __init__(self, canvas: Canvas, scenario: Any, period_ns: int) -> None:
        self._canvas, self._period_ns = canvas, period_ns
        self._history = ObjectHistory(object_visuals(scenario.objects, scenario.world.gravity_mps2))
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
        present = self._present(cycle.t_ns)
        for path, (make, pose) in present.items():
            if path not in self._drawn:
                self._canvas.fix(path, make())
            self._drawn[path] = True
            self._canvas.put(t_ns, path, placed(pose[:3], pose[3:7], [1.0, 1.0, pose[7]]))
        for path in [p for p, there in self._drawn.items() if there and p not in present]:
            # A removed body is scaled to zero, because a drawn mesh cannot be removed.
            self._drawn[path] = False
            self._canvas.put(t_ns, path, rr.Transform3D(scale=0.0))

    def _present(self, t_ns: int) -> dict[str, _Drawing]:
        """Return mesh and pose of the present entities, by path."""
        found: dict[str, _Drawing] = {}
        rows: dict[str, int] = {}
        poses = self._history.all_at(t_ns)
        for row, (visual, _) in enumerate(self._history.entities):
            lives = rows[visual.name] = rows.get(visual.name, -1) + 1
            if visual.anchor != Anchor.GROUND and not np.isnan(poses[row, 0]):
                path = path_of('world/objects', f'{visual.name}/life_{lives + 1}' if lives else visual.name)
                found[path] = (partial(_mesh_of, visual), poses[row].tolist())
        return found

    def tick(self, t_ns: int) -> None:
        """Do nothing, because states are drawn immediately."""


def _mesh_of(visual: ObjectVisual) -> rr.Mesh3D:
    mesh = coarse_mesh(visual)
    return shaded(mesh.vertices, mesh.triangles, _COLOR)
