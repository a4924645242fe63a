# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes of simple bodies and of rocks; all are closed, with counterclockwise triangles seen from outside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Singles
from regolith_terrain.solids import convex_hull, rock_shapes
from regolith_world.cycle import Shape, ShapeKind
from regolith_world.numerics import kernel, rotation

DEVIATION_M = 1e-4
"""Largest deviation of facets from a collision shape [m]."""
Triangles = NDArray[np.uint32]
"""Indices of the vertices of triangles, shape (m, 3)."""


@dataclass(frozen=True)
class Mesh:
    """Vertices and triangles, with a material number per triangle."""

    vertices: Floats
    """Positions [m], shape (n, 3)."""
    triangles: Triangles
    """Vertex numbers of the triangles, shape (m, 3)."""
    material: NDArray[np.uint16]
    """Row of the material table of each triangle, shape (m,)."""
    dust: Floats | None = None
    """Share of the surface that dust covers, at the corners of each triangle, shape (m, 3); None: nowhere."""

    def moved(self, position: Floats, turn: Floats) -> Mesh:
        """Return the mesh rotated by a matrix, then translated [m]."""
        return Mesh(self.vertices @ turn.T + position, self.triangles, self.material, self.dust)


def corner_normals(mesh: Mesh, crease: float = math.radians(30.0)) -> Singles:
    """Return the smooth normals at the corners of all triangles, shape (m, 9).

    The normal at a vertex is the mean of its facets' normals, weighted by their areas. Facets that meet at more than
    the crease angle keep an edge between them.

    Args:
        mesh: Mesh.
        crease: Crease angle [rad].

    Source: gouraud1971.
    Checked by: test_adaptive_sampling.py::test_corner_normals_smooth_rounded_bodies_and_keep_edges.
    """
    corners = mesh.vertices[mesh.triangles]
    facets = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(facets, axis=1, keepdims=True)
    # Files repeat the vertex of several facets.
    _, place = np.unique(np.round(mesh.vertices, 6), axis=0, return_inverse=True)
    vertex = place.reshape(-1)[mesh.triangles].ravel()
    order = np.argsort(vertex, kind='stable')
    starts = np.searchsorted(vertex[order], np.arange(int(vertex.max(initial=-1)) + 2))
    out = np.empty((len(vertex), 3))
    _smooth(vertex, order // 3, starts, facets, facets / np.maximum(area, 1e-30), math.cos(crease), out)
    return out.reshape(-1, 9).astype(np.float32)


@kernel
def _smooth(
    vertex: NDArray[np.intp],
    facet_of: NDArray[np.intp],
    starts: NDArray[np.intp],
    weighted: Floats,
    unit: Floats,
    least: float,
    out: Floats,
) -> None:
    """Write the mean normal of the facets around each corner that join its own facet smoothly."""
    for corner in range(vertex.shape[0]):
        own = unit[corner // 3]
        x = y = z = 0.0
        for k in range(starts[vertex[corner]], starts[vertex[corner] + 1]):
            other = facet_of[k]
            if unit[other, 0] * own[0] + unit[other, 1] * own[1] + unit[other, 2] * own[2] >= least:
                x, y, z = x + weighted[other, 0], y + weighted[other, 1], z + weighted[other, 2]
        length = math.sqrt(x * x + y * y + z * z)
        scale = 1.0 / length if length > 0.0 else 0.0
        out[corner, 0], out[corner, 1], out[corner, 2] = x * scale, y * scale, z * scale


def joined(meshes: list[Mesh]) -> Mesh:
    """Return all meshes as one.

    Raises:
        ValueError: If there is none.
    """
    if not meshes:
        raise ValueError('no mesh to join; allowed: one or more')
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    return Mesh(
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.triangles + np.uint32(s) for m, s in zip(meshes, starts)]),
        np.concatenate([m.material for m in meshes]),
        np.concatenate([np.zeros((len(m.triangles), 3)) if m.dust is None else m.dust for m in meshes])
        if any(m.dust is not None for m in meshes)
        else None,
    )


def _mesh(vertices: Floats, triangles: NDArray[np.int64], material: int) -> Mesh:
    return Mesh(vertices, triangles.astype(np.uint32), np.full(len(triangles), material, dtype=np.uint16))


def box(half: tuple[float, float, float], material: int = 0) -> Mesh:
    """Return a box with these half lengths [m], centered at the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return _mesh(corners * np.array(half), triangles, material)


def revolved(profile: list[tuple[float, float]], sides: int = 32, material: int = 0) -> Mesh:
    """Return the solid of revolution of a profile of (radius, z) [m], from bottom to top, about the z axis.

    The profile must begin and end on the axis.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rings = [np.stack([r * np.cos(angle), r * np.sin(angle), np.full(sides, z)], axis=1) for r, z in profile[1:-1]]
    poles = np.array([[0.0, 0.0, profile[0][1]], [0.0, 0.0, profile[-1][1]]])
    vertices = np.concatenate([*rings, poles])
    count, bottom, top = len(rings), len(rings) * sides, len(rings) * sides + 1
    triangles = []
    for n in range(sides):
        following = (n + 1) % sides
        triangles.append((bottom, following, n))
        last = (count - 1) * sides
        triangles.append((top, last + n, last + following))
        for ring in range(count - 1):
            a, b = ring * sides + n, ring * sides + following
            triangles += [(a, b, b + sides), (a, b + sides, a + sides)]
    return _mesh(vertices, np.array(triangles), material)


def cylinder(radius: float, half_length: float, sides: int = 32, material: int = 0) -> Mesh:
    """Return an upright cylinder centered at the origin; lengths in m."""
    profile = [(0.0, -half_length), (radius, -half_length), (radius, half_length), (0.0, half_length)]
    return revolved(profile, sides, material)


def wheel(radius: float, half_width: float, grousers: tuple[int, float, float], material: int = 0) -> Mesh:
    """Return an upright drum with straight grousers across it.

    Args:
        radius: Radius including the grousers [m].
        half_width: Half width of drum and grousers [m].
        grousers: Number of grousers, their height [m] and their thickness [m].
        material: Row of the material table.
    """
    count, height, thickness = grousers
    drum = cylinder(radius - height, half_width, 96, material)
    # The base of a grouser is inside the drum, its edges just inside the rims.
    plate = box((0.5 * (height + 0.004), 0.5 * thickness, 0.999 * half_width), material)
    middle = radius - 0.5 * (height + 0.004)
    plates = []
    for turn in 2.0 * np.pi * np.arange(count) / count:
        c, s = math.cos(turn), math.sin(turn)
        turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        plates.append(plate.moved(np.array([c * middle, s * middle, 0.0]), turned))
    return joined([drum, *plates])


def capsule(radius: float, half_length: float, sides: int = 16, material: int = 0) -> Mesh:
    """Return an upright capsule with a straight part of this half length; lengths in m."""
    turn = np.linspace(0.0, 0.5 * np.pi, sides // 4 + 1)[:-1]
    low = [(radius * math.cos(a), -half_length - radius * math.sin(a)) for a in turn[::-1]]
    high = [(r, -z) for r, z in low[::-1]]
    ends = half_length + radius
    return revolved([(0.0, -ends), *low, *high, (0.0, ends)], sides, material)


def of_shape(shape: Shape, material: int = 0) -> Mesh | None:
    """Return a collision shape as a mesh in the frame of its body; None for a beam.

    Facets of round shapes deviate by at most :data:`DEVIATION_M`, or 0.02 % of the radius.
    """
    a, b, c = (float(v) for v in shape.size)
    sides = min(max(math.ceil(math.pi * math.sqrt(0.5 * a / DEVIATION_M)), 16), 160)
    if shape.kind == ShapeKind.SPHERE:
        # The facets of an icosahedron deviate by 0.206 of the radius, a quarter of that after each subdivision.
        ball = icosphere(min(max(math.ceil(math.log(0.206 * a / DEVIATION_M, 4.0)), 2), 5), material)
        own = Mesh(a * ball.vertices, ball.triangles, ball.material)
    elif shape.kind == ShapeKind.BOX:
        own = box((a, b, c), material)
    elif shape.kind == ShapeKind.CAPSULE:
        own = capsule(a, b, sides, material)
    elif shape.kind == ShapeKind.CYLINDER:
        own = cylinder(a, b, sides, material)
    elif shape.kind == ShapeKind.HULL:
        solid = convex_hull(shape.vertices)
        own = _mesh(solid.vertices, solid.triangles, material)
    else:
        return None
    return own.moved(shape.position, rotation.matrix(shape.orientation))


def icosphere(subdivisions: int, material: int = 0) -> Mesh:
    """Return a unit sphere of 20 x 4^n triangles."""
    return _mesh(*rock_shapes.icosphere(subdivisions), material)


def rock(number: int, subdivisions: int = 3, material: int = 0) -> Mesh:
    """Return an irregular rock of about unit radius; see :func:`regolith_terrain.solids.rock_shapes.rock`."""
    return _mesh(*rock_shapes.rock(number, subdivisions), material)
