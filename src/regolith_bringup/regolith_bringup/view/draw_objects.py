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
from regolith_sensors.surfaces import Mesh, meshes
from regolith_world.cycle import Shape, ShapeKind
from regolith_world.numerics import rotation
from regolith_world.objects import make_objects

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
        made = make_objects(scenario.objects, scenario.world.gravity_mps2) if scenario.objects else []
        self._shapes = {item.name: tuple(item.shapes) for root in made for item in root.family()}
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
    known = [mesh for mesh in map(_shape, shapes) if mesh is not None]
    if not known:
        # A homogeneous ball has I = 2/5 m r^2.
        mean = float(np.trace(np.asarray(body.inertia).reshape(3, 3))) / 3.0
        radius = min(max((2.5 * mean / body.mass) ** 0.5, 0.01), 1.0) if body.mass > 0.0 else 0.02
        known = [_scaled(meshes.icosphere(2), (radius,) * 3)]
    mesh = meshes.joined(known)
    return shaded(mesh.vertices, mesh.triangles, _COLOR)


def _shape(shape: Shape) -> Mesh | None:
    """Return the mesh of a shape in the frame of its body, or None for a beam."""
    a, b, c = (float(v) for v in shape.size)
    if shape.kind == ShapeKind.SPHERE:
        own = _scaled(meshes.icosphere(2), (a, a, a))
    elif shape.kind == ShapeKind.BOX:
        own = meshes.box((a, b, c))
    elif shape.kind == ShapeKind.CAPSULE:
        own = meshes.capsule(a, b)
    elif shape.kind == ShapeKind.CYLINDER:
        own = meshes.cylinder(a, b)
    else:
        return None
    return own.moved(shape.position, rotation.matrix(shape.orientation))


def _scaled(mesh: Mesh, size: tuple[float, ...]) -> Mesh:
    return Mesh(mesh.vertices * np.array(size), mesh.triangles, mesh.material)
