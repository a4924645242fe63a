# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Geometry of a robot's shapes: triangles of mesh files, points, convex hulls, and inertia of a hull."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from regolith_files import InputError, Problem
from regolith_vehicles.description import load_triangles
from regolith_vehicles.robot_import.robot import Shape
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]
Faces = NDArray[np.int64]

_RIM = 48
"""Points around a rim of a cylinder."""
MOST_HULL_POINTS = 200
"""Maximum number of corners of a hull. A hull with more is replaced by its points farthest along as many directions."""


def mesh_parts(path: Path) -> tuple[tuple[Vector, tuple[float, ...] | None], ...]:
    """Return the parts of a mesh file: triangles in the file's unit, shape (k, 3, 3), with their color or None.

    Coordinates of a DAE file are in meters by its unit, with its axes as they are (its ``up_axis`` is not applied, as
    in RViz).

    Raises:
        ValueError: If the file is not a valid mesh.
    """
    return _cached_parts(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _cached_parts(path: Path, _: int) -> tuple[tuple[Vector, tuple[float, ...] | None], ...]:
    if path.suffix.lower() == '.dae':
        return _dae_parts(path)
    return ((load_triangles(path), None),)


def _dae_parts(path: Path) -> tuple[tuple[Vector, tuple[float, ...] | None], ...]:
    try:
        import collada
    except ImportError:
        allowed = 'OBJ, STL or MSH files, or DAE with the package pycollada; fix: pip install pycollada'
        raise ValueError(f'{path}: needs the package pycollada, which is not installed; allowed: {allowed}') from None
    try:
        document = collada.Collada(
            str(path), ignore=[collada.common.DaeUnsupportedError, collada.common.DaeBrokenRefError]
        )
        found = list(document.scene.objects('geometry')) if document.scene is not None else []
        unit = float(document.assetInfo.unitmeter or 1.0)
        parts = [
            part for geometry in found for primitive in geometry.primitives() if (part := _dae_part(primitive, unit))
        ]
    except Exception as error:  # pycollada raises many types for invalid files
        text = ' '.join(str(error).split()) or type(error).__name__
        raise ValueError(f'{path}: is not a DAE file that can be read: {text}; allowed: COLLADA 1.4 or 1.5') from None
    if not parts:
        raise ValueError(f'{path}: has no triangles in its scene; allowed: a <visual_scene> with <instance_geometry>')
    if not all(np.isfinite(part).all() for part, _ in parts):
        raise ValueError(f'{path}: has a coordinate that is not finite; allowed: finite numbers')
    return tuple(parts)


def _dae_part(primitive: Any, unit: float) -> tuple[Vector, tuple[float, ...] | None] | None:
    """Return the triangles [m] and the color of a primitive; None for lines and empty ones."""
    triangles = primitive.triangleset() if hasattr(primitive, 'triangleset') else primitive
    index = getattr(triangles, 'vertex_index', None)
    if index is None or len(index) == 0 or index.shape[-1] != 3:
        return None
    corners = unit * np.asarray(triangles.vertex, dtype=np.float64)[np.asarray(index)]
    diffuse = getattr(getattr(primitive.material, 'effect', None), 'diffuse', None)
    return corners, tuple(float(x) for x in diffuse) if isinstance(diffuse, tuple) and len(diffuse) == 4 else None


def shape_parts(shape: Shape) -> tuple[tuple[Vector, tuple[float, ...] | None], ...]:
    """Return the parts of a mesh shape, scaled [m]; mirrored parts keep their triangles facing outward.

    Raises:
        InputError: If the mesh file is invalid; names the element of the robot file.
    """
    assert shape.mesh is not None
    try:
        parts = mesh_parts(shape.mesh)
    except ValueError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise InputError(Problem(shape.at.where, shape.at.title, problem, allowed)) from None
    scale = np.array(shape.scale)
    order = [0, 1, 2] if math.prod(shape.scale) > 0.0 else [0, 2, 1]
    return tuple(((corners * scale)[:, order], color) for corners, color in parts)


def points(shape: Shape) -> Vector:
    """Return points of a shape in the link's frame, whose convex hull is the shape or, if round, lies inside [m]."""
    if shape.kind == 'mesh':
        corners = np.concatenate([part.reshape(-1, 3) for part, _ in shape_parts(shape)])
        local = np.unique(corners, axis=0)
    elif shape.kind == 'box':
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        local = 0.5 * signs * np.array(shape.size)
    else:
        radius = shape.size[0]
        half = 0.0 if shape.kind == 'sphere' else 0.5 * shape.size[1]
        turn = [2.0 * math.pi * k / _RIM for k in range(_RIM)]
        rim = np.array([[math.cos(a), math.sin(a), 0.0] for a in turn])
        rings = [(1.0, 0.0)]
        if shape.kind != 'cylinder':
            rings = [(math.cos(e), math.sin(e)) for e in (math.pi / 24.0 * k for k in range(12))] + [(0.0, 1.0)]
        up = np.concatenate([radius * (c * rim + [0.0, 0.0, s]) + [0.0, 0.0, half] for c, s in rings])
        local = np.concatenate((up, up * [1.0, 1.0, -1.0]))
    return np.asarray(portable_math.times(local, shape.pose.matrix.T) + shape.pose.position)


def hull(cloud: Vector) -> tuple[Vector, Faces]:
    """Return corners (n, 3) and outward faces (k, 3) of the convex hull of points.

    Raises:
        ValueError: If the points lie in a plane.
    """
    try:
        found = ConvexHull(cloud)
        if len(found.vertices) > MOST_HULL_POINTS:
            center = cloud[found.vertices].mean(axis=0)
            reach = portable_math.times(cloud[found.vertices] - center, _directions(MOST_HULL_POINTS).T)
            kept = np.unique(reach.argmax(axis=0))
            cloud = cloud[found.vertices][kept]
            found = ConvexHull(cloud)
    except QhullError:
        raise ValueError('its points lie in a plane') from None
    used = np.sort(found.vertices)
    corners = cloud[used]
    faces = np.searchsorted(used, found.simplices).astype(np.int64)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return corners, faces


def _directions(count: int) -> Vector:
    """Return unit vectors that are spread evenly over the sphere, shape (count, 3): a Fibonacci lattice."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, (math.pi * (1.0 + math.sqrt(5.0)) * k).tolist()
    x, y = np.array([math.cos(angle) for angle in turn]), np.array([math.sin(angle) for angle in turn])
    return np.stack((np.sqrt(1.0 - z * z) * x, np.sqrt(1.0 - z * z) * y, z), axis=1)


def hull_inertia(shapes: Sequence[Shape], mass: float) -> Vector:
    """Return the inertia of the uniform convex hull of shapes about its center of mass [kg m^2], shape (3, 3).

    Args:
        shapes: Shapes of one link.
        mass: Mass of the hull [kg].
    """
    corners, faces = hull(np.concatenate([points(shape) for shape in shapes]))
    a, b, c = (corners[faces[:, k]] for k in range(3))
    sixfold = (a * np.cross(b, c)).sum(axis=1)
    volume = sixfold.sum() / 6.0
    center = (sixfold[:, None] * (a + b + c)).sum(axis=0) / 24.0 / volume
    three = np.stack((a, b, c), axis=1)
    second = np.einsum('k,kic,ij,kjd->cd', sixfold, three, (np.eye(3) + 1.0) / 120.0, three)
    second -= volume * np.outer(center, center)
    return np.asarray(mass / volume * (np.trace(second) * np.eye(3) - second))


def obj_file(corners: Vector, faces: Faces) -> bytes:
    """Return the content of an OBJ file; corners [m], shape (n, 3), faces (k, 3) from 0."""
    lines = [f'v {x:.9g} {y:.9g} {z:.9g}' for x, y, z in corners.tolist()]
    lines += [f'f {a + 1} {b + 1} {c + 1}' for a, b, c in faces.tolist()]
    return ('\n'.join(lines) + '\n').encode()


def welded(triangles: Vector) -> tuple[Vector, Faces]:
    """Return the distinct corners (n, 3) and the faces (k, 3) of triangles (k, 3, 3), without degenerate ones."""
    corners, index = np.unique(np.round(triangles.reshape(-1, 3), 9), axis=0, return_inverse=True)
    faces = index.reshape(-1, 3).astype(np.int64)
    sound = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    return corners, faces[sound]
