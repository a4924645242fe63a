# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the world as coarse triangles for viewers of ``visualization_msgs``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.scene import ObjectHistory, object_mesh
from regolith_sensors.surfaces import meshes
from regolith_world.cycle import Anchor, ObjectVisual, Shape, ShapeKind
from regolith_world.numerics import rotation
from regolith_world.objects import object_visuals

Floats = NDArray[np.float64]

_MOST_TRIANGLES = 2000
"""Number of triangles of a mesh file above which its collision shapes are drawn: each corner is transmitted."""


class ObjectMarkers:
    """Objects of the world and entities of participants at the last commit, except those that lie on the terrain.

    Args:
        scenario: Resolved scenario.
    """

    def __init__(self, scenario: Any) -> None:
        self._history = ObjectHistory(object_visuals(scenario.objects, scenario.world.gravity_mps2))
        self._corners: dict[int, tuple[ObjectVisual, Floats]] = {}
        self.fresh = False
        """Whether a cycle arrived since the last call of :meth:`corners`."""

    def take(self, cycle: Any) -> None:
        """Process a regolith_msgs/Cycle; each one may have new visuals."""
        self._history.add(cycle)
        self.fresh = True

    def corners(self) -> dict[str, Floats]:
        """Return the corners of the triangles of everything that is there, by name, world frame [m], shape (n, 3)."""
        self.fresh = False
        if self._history.last_ns < 0:
            return {}
        poses, found = self._history.all_at(self._history.last_ns), {}
        for row, (visual, _) in enumerate(self._history.entities):
            if visual.anchor == Anchor.GROUND or np.isnan(poses[row, 0]):
                continue
            if row not in self._corners or self._corners[row][0] is not visual:
                mesh = coarse_mesh(visual)
                self._corners[row] = visual, mesh.vertices[mesh.triangles.reshape(-1)]
            own = self._corners[row][1] * (1.0, 1.0, poses[row, 7])
            found[visual.name] = own @ rotation.matrix(poses[row, 3:7]).T + poses[row, :3]
        return found


def coarse_mesh(visual: ObjectVisual) -> meshes.Mesh:
    """Return the mesh of a visual with few triangles."""
    if visual.anchor == Anchor.LINE:
        return object_mesh(visual)
    if visual.mesh and len((made := object_mesh(visual)).triangles) <= _MOST_TRIANGLES:
        return made
    shapes = [mesh for shape in visual.shapes if (mesh := _coarse_shape(shape)) is not None]
    return meshes.joined(shapes) if shapes else object_mesh(replace(visual, mesh=''))


def _coarse_shape(shape: Shape) -> meshes.Mesh | None:
    radius, half = float(shape.size[0]), float(shape.size[1])
    if shape.kind == ShapeKind.SPHERE:
        ball = meshes.icosphere(2)
        own = meshes.Mesh(radius * ball.vertices, ball.triangles, ball.material)
    elif shape.kind == ShapeKind.CAPSULE:
        own = meshes.capsule(radius, half, 8)
    elif shape.kind == ShapeKind.CYLINDER:
        own = meshes.cylinder(radius, half, 16)
    else:
        return meshes.of_shape(shape)
    return own.moved(shape.position, rotation.matrix(shape.orientation))
