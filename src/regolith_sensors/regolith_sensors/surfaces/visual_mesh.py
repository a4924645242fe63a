# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangle mesh of a visual of a vehicle."""

from __future__ import annotations

import numpy as np

from regolith_sensors.surfaces.meshes import Mesh, box, capsule, cylinder, icosphere, wheel
from regolith_vehicles.visuals import Visual


def visual_mesh(visual: Visual, material: int = 0) -> Mesh:
    """Return the mesh of a visual in its own frame.

    Args:
        visual: Shape or mesh of a part of a vehicle.
        material: Row of the material table.

    Raises:
        ValueError: If its shape is unknown.
    """
    size = visual.size
    if visual.mesh is not None:
        triangles = visual.mesh.triangles
        numbers = np.full(len(triangles), material, dtype=np.uint16)
        return Mesh(visual.mesh.vertices.astype(np.float64), triangles, numbers)
    if visual.shape == 'box':
        return box((size[0], size[1], size[2]), material)
    if visual.shape == 'cylinder':
        return cylinder(size[0], size[1], 48, material)
    if visual.shape == 'capsule':
        return capsule(size[0], size[1], 16, material)
    if visual.shape in ('sphere', 'ellipsoid'):
        ball = icosphere(3, material)
        return Mesh(ball.vertices * np.array(size), ball.triangles, ball.material)
    if visual.shape == 'grouser_wheel':
        return wheel(size[0], size[1], (int(size[2]), size[3], size[4]), material)
    allowed = 'box, sphere, ellipsoid, capsule, cylinder, grouser_wheel'
    raise ValueError(f'unknown shape {visual.shape!r} of {visual.name}; allowed: {allowed}')
