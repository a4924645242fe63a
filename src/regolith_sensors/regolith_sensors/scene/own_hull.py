# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Distance of a sensor from the visible parts of its own vehicle, to reject sensors inside or on the hull.

Parts have their pose at zero joint angles. Distances are exact for boxes, cylinders, capsules, spheres and meshes. That
of an ellipsoid is the relative distance times its shortest half axis, a lower bound.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.visuals import TriangleMesh, Visual, VisualDescription
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

MIN_SENSOR_CLEARANCE_M = 1e-3
"""Minimum distance of a sensor from a surface of its own vehicle [m]: rounding makes hits of rays that start nearer
unreliable."""


def nearest_part(looks: VisualDescription, place: Floats) -> tuple[str, float]:
    """Return the name of the nearest visual and the distance to its surface [m], negative inside.

    Args:
        looks: Visual description of the vehicle.
        place: Position in the base frame [m], shape (3,).

    Returns:
        An empty name and an infinite distance if the vehicle has no visual.
    """
    poses: dict[str, tuple[Floats, Floats]] = {}
    found: list[tuple[float, str]] = []
    for number, part in enumerate(looks.parts):
        if number and part.parent not in poses:
            continue  # moves freely, as the shoes of a track
        around, turned = poses[part.parent] if number else (np.zeros(3), np.eye(3))
        at, turn = around + turned @ part.position, turned @ rotation.matrix(part.orientation)
        poses[part.name] = (at, turn)
        local = turn.T @ (place - at)
        for visual in part.visuals:
            inner = rotation.matrix(visual.orientation).T @ (local - visual.position)
            found.append((distance(visual, inner), visual.name or part.name))
    least = min(found, default=(math.inf, ''))
    return least[1], least[0]


def distance(visual: Visual, place: Floats) -> float:
    """Return the distance from a position in a visual's own frame to its surface [m], negative inside."""
    if visual.mesh is not None:
        return _mesh_distance(visual.mesh, place)
    size = visual.size
    if visual.shape == 'box':
        return _outside(np.abs(place) - np.array(size))
    if visual.shape in ('cylinder', 'grouser_wheel'):
        return _outside(np.array([math.hypot(place[0], place[1]) - size[0], abs(place[2]) - size[1]]))
    if visual.shape == 'capsule':
        along = max(abs(float(place[2])) - size[1], 0.0)
        return math.hypot(float(place[0]), float(place[1]), along) - size[0]
    half = np.broadcast_to(np.array(size, dtype=np.float64), (3,)) if len(size) == 1 else np.array(size)
    return (float(np.linalg.norm(place / half)) - 1.0) * float(half.min())


def _outside(beyond: Floats) -> float:
    """Return the distance from the excess beyond each pair of faces; negative if inside all."""
    return float(np.linalg.norm(np.maximum(beyond, 0.0)) + min(float(beyond.max()), 0.0))


def _mesh_distance(mesh: TriangleMesh, place: Floats) -> float:
    """Return the distance to the triangles, negative inside a closed surface.

    The solid angles of the triangles, seen from a position inside a closed surface, sum to 4 pi.

    Source: vanoosterom1983.
    Checked by: test_own_hull.py::test_distances_to_shapes_and_meshes_agree.
    """
    corners = mesh.vertices.astype(np.float64)[mesh.triangles.astype(np.int64)] - place
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = np.einsum('ij,ij->i', a, np.cross(b, c))
    below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    inside = abs(2.0 * np.arctan2(volume, below).sum()) > 2.0 * math.pi
    nearest = float(np.sqrt(_squared_distances(a, b, c).min()))
    return -nearest if inside else nearest


def _squared_distances(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the squared distances of triangles from the origin [m^2], corners of shape (n, 3)."""
    normal = np.cross(b - a, c - a)
    area = np.maximum((normal * normal).sum(1), 1e-300)
    over = (normal * a).sum(1)
    foot = normal * (over / area)[:, None]
    sides = [(np.cross(q - p, foot - p) * normal).sum(1) for p, q in ((a, b), (b, c), (c, a))]
    within = (sides[0] >= 0.0) & (sides[1] >= 0.0) & (sides[2] >= 0.0)
    edges = []
    for p, q in ((a, b), (b, c), (c, a)):
        d = q - p
        t = np.clip(-(p * d).sum(1) / np.maximum((d * d).sum(1), 1e-300), 0.0, 1.0)
        edges.append(((p + t[:, None] * d) ** 2).sum(1))
    out: Floats = np.where(within, over**2 / area, np.minimum(np.minimum(edges[0], edges[1]), edges[2]))
    return out
