# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact shapes: cylinders, grousered wheels, boxes, triangle meshes, spheres and capsules."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.constants import (
    RING_POINTS,
    RING_START,
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_GROUSERED,
    SHAPE_MESH,
    SHAPE_SPHERE,
    SPHERE_RADIUS,
)
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import portable_math

_CLUSTER = 24
_RINGS, _SECTORS = 4, 24
"""Numbers of rings and sectors of triangles of a cap."""


def cylinder(radius: float, width: float, count: int = 0, height: float = 0.0, thickness: float = 0.0) -> Shapes:
    """Return a solid cylinder about y [m].

    With grousers, plates within its radius that are not modeled individually, it carries soil as they do when it slips.

    Args:
        radius: Radius of the cylinder [m].
        width: Width of the cylinder [m].
        count: Number of grousers; 0: a smooth rim.
        height: Height of the grousers [m], less than the radius.
        thickness: Thickness of the grousers [m], less than the diameter of their drum.

    Raises:
        ValueError: If a value is invalid. The message names it.
    """
    _positive(radius=radius, width=width)
    if count:
        _possible_grousers(radius, count, height, thickness)
    return _one(
        SHAPE_CYLINDER, (radius, 0.5 * width, float(count), height, thickness) if count else (radius, 0.5 * width)
    )


def flexible_cylinder(radius: float, width: float, points: int) -> Shapes:
    """Return a cylinder about y [m] whose radius differs along its rim; see :attr:`Shapes.profile`.

    SCM touches the deflected rim. All other contacts touch the undeflected cylinder.

    Args:
        radius: Radius without deflection [m].
        width: Width of the cylinder [m].
        points: Number of evenly spaced points of the rim, >= 3.

    Raises:
        ValueError: If a value is invalid. The message names it.
    """
    _positive(radius=radius, width=width)
    if points < 3:
        raise ValueError(f'points {points!r}; allowed: >= 3')
    size = (radius, 0.5 * width, 0.0, 0.0, 0.0, float(points), 0.0)
    return _one(SHAPE_CYLINDER, size)._replace(profile=np.zeros((2, points)))


def grousered_wheel(radius: float, width: float, count: int, height: float, thickness: float) -> Shapes:
    """Return a drum about y with straight grousers: plates along the axle with the width of the drum, the first along
    x.

    Rays are cast at the nodes: a grouser thinner than the spacing is hit only at the nodes below it. So its area is
    right on average over a rotation, not at each instant.

    Args:
        radius: Radius of the grouser tips [m].
        width: Width of the drum [m].
        count: Number of evenly spaced grousers, >= 1.
        height: Height of the grousers above the drum [m], less than the radius.
        thickness: Thickness of the grousers [m], less than the drum's diameter.

    Raises:
        ValueError: If a value is invalid. The message names it.
    """
    _positive(radius=radius, width=width)
    _possible_grousers(radius, count, height, thickness)
    return _one(SHAPE_GROUSERED, (radius - height, 0.5 * width, float(count), height, thickness))


def _possible_grousers(radius: float, count: int, height: float, thickness: float) -> None:
    """Reject grousers that do not fit on a drum within this radius."""
    _positive(height=height, thickness=thickness, count=count)
    if not height < radius:
        raise ValueError(f'height {height!r} m of the grousers; allowed: below the radius {radius!r} m')
    if not thickness < 2.0 * (radius - height):
        raise ValueError(f'thickness {thickness!r} m of the grousers; allowed: below {2.0 * (radius - height)!r} m')


def box(length: float, width: float, height: float) -> Shapes:
    """Return a box centered at the origin with these sides along x, y and z [m], for a track shoe or a plate."""
    _positive(length=length, width=width, height=height)
    return _one(SHAPE_BOX, (0.5 * length, 0.5 * width, 0.5 * height))


def sphere(radius: float) -> Shapes:
    """Return a sphere about the origin with this radius [m]."""
    _positive(radius=radius)
    return _one(SHAPE_SPHERE, (radius,))


def capsule(radius: float, length: float) -> Shapes:
    """Return a capsule about y: a cylinder of this radius and length with a half sphere on each end [m]."""
    _positive(radius=radius, length=length)
    return _one(SHAPE_CAPSULE, (radius, 0.5 * length))


def mesh(corners: ArrayLike) -> Shapes:
    """Return a triangle mesh whose lower envelope is in contact; it need not be closed or convex.

    Args:
        corners: Corners of the triangles, either winding [m], shape (k, 3, 3).

    Raises:
        ValueError: If there are no triangles or they are not finite.
    """
    triangles = np.array(corners, dtype=np.float64)
    if triangles.ndim != 3 or triangles.shape[1:] != (3, 3) or len(triangles) == 0 or not np.isfinite(triangles).all():
        raise ValueError(f'mesh of shape {triangles.shape}; allowed: finite corners of shape (k, 3, 3), k > 0')
    order: list[np.ndarray] = []
    _split(np.arange(len(triangles)), triangles.mean(axis=1), order)
    ends = np.cumsum([0, *(len(part) for part in order)])
    triangles = triangles[np.concatenate(order)]
    spheres = np.array([_ball(triangles[a:b].reshape(-1, 3)) for a, b in itertools.pairwise(ends)])
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    return Shapes(
        kind=np.array([SHAPE_MESH], dtype=np.int32),
        size=np.concatenate((0.5 * (high - low), 0.5 * (high + low), [0.0]))[None, :],
        clusters=np.array([[0, len(order)]], dtype=np.int32),
        sphere=spheres,
        triangles=np.stack((ends[:-1], ends[1:]), axis=1).astype(np.int32),
        corners=np.ascontiguousarray(triangles.reshape(-1, 9)),
        profile=np.zeros((2, 0)),
    )


def cap(radius: float, depth: float) -> Shapes:
    """Return a spherical cap with its top down, about the center of its rim.

    Soil touches the triangles of :func:`cap_triangles`, rigid terrain the sphere.

    Args:
        radius: Radius of the rim [m].
        depth: Depth of the lowest point below the rim, at most the radius [m].

    Raises:
        ValueError: If a value is invalid. The message names it.
    """
    _positive(radius=radius, depth=depth)
    if depth > radius:
        raise ValueError(f'depth {depth!r} m of a cap; allowed: up to its radius {radius!r} m')
    made = mesh(cap_triangles(radius, depth))
    made.size[0, SPHERE_RADIUS] = _sphere_radius(radius, depth)
    return made


def cap_triangles(radius: float, depth: float) -> Floats:
    """Return the triangles of a spherical cap with its top down, about the center of its rim [m], shape (k, 3, 3).

    Args:
        radius: Radius of the rim [m].
        depth: Depth of the lowest point below the rim [m].
    """
    sphere = _sphere_radius(radius, depth)
    ring = radius * np.arange(_RINGS + 1) / _RINGS
    height = sphere - depth - np.sqrt(np.maximum(sphere * sphere - ring * ring, 0.0))
    angle = 2.0 * math.pi * np.arange(_SECTORS + 1) / _SECTORS
    points = np.stack(
        (
            ring[:, None] * portable_math.each(math.cos, angle),
            ring[:, None] * portable_math.each(math.sin, angle),
            np.broadcast_to(height[:, None], (_RINGS + 1, _SECTORS + 1)),
        ),
        axis=2,
    )
    inner, outer = points[:-1], points[1:]
    first = np.stack((inner[:, :-1], outer[:, :-1], outer[:, 1:]), axis=2).reshape(-1, 3, 3)
    second = np.stack((inner[1:, :-1], outer[1:, 1:], inner[1:, 1:]), axis=2).reshape(-1, 3, 3)
    return np.concatenate((first, second))


def _sphere_radius(radius: float, depth: float) -> float:
    """Return the radius of the sphere of a cap, (a^2 + d^2) / (2 d) with radius a of the rim and depth d [m]."""
    return (radius * radius + depth * depth) / (2.0 * depth)


def join_shapes(shapes: Sequence[Shapes]) -> Shapes:
    """Return several shapes as one, in this order."""
    cluster_start = np.cumsum([0, *(len(s.sphere) for s in shapes)])
    triangle_start = np.cumsum([0, *(len(s.corners) for s in shapes)])
    profile_start = np.cumsum([0, *(s.profile.shape[1] for s in shapes)])
    sizes = [s.size.copy() for s in shapes]
    for shape, size, start in zip(shapes, sizes, profile_start):
        size[(shape.kind == SHAPE_CYLINDER) & (size[:, RING_POINTS] > 0.0), RING_START] += start
    return Shapes(
        kind=np.concatenate([s.kind for s in shapes]),
        size=np.concatenate(sizes),
        clusters=np.concatenate([s.clusters + k for s, k in zip(shapes, cluster_start)]).astype(np.int32),
        sphere=np.concatenate([s.sphere for s in shapes]),
        triangles=np.concatenate([s.triangles + k for s, k in zip(shapes, triangle_start)]).astype(np.int32),
        corners=np.concatenate([s.corners for s in shapes]),
        profile=np.concatenate([s.profile for s in shapes], axis=1),
    )


def reach(shapes: Shapes) -> float:
    """Return the radius about the origin [m] that contains every shape in any orientation."""
    radii = []
    for kind, size in zip(shapes.kind, shapes.size, strict=True):
        if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
            radii.append(math.hypot(size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0), size[1]))
        elif kind in (SHAPE_SPHERE, SHAPE_CAPSULE):
            radii.append(size[0] + size[1])
        else:
            radii.append(portable_math.norm(np.abs(size[:3]) + (np.abs(size[3:6]) if kind == SHAPE_MESH else 0.0)))
    return max(radii)


def _one(kind: int, size: Sequence[float]) -> Shapes:
    """Return one shape without triangles."""
    full = np.zeros((1, 7))
    full[0, : len(size)] = size
    none = np.zeros((0, 2), dtype=np.int32)
    return Shapes(
        np.array([kind], dtype=np.int32),
        full,
        np.zeros((1, 2), np.int32),
        np.zeros((0, 4)),
        none,
        np.zeros((0, 9)),
        np.zeros((2, 0)),
    )


def _positive(**values: float) -> None:
    """Reject values that are not positive and finite, by name."""
    for name, value in values.items():
        if not (value > 0.0 and math.isfinite(value)):
            raise ValueError(f'{name} {value!r}; allowed: > 0')


def _split(members: np.ndarray, centers: Floats, out: list[np.ndarray]) -> None:
    """Append clusters of at most _CLUSTER triangles, by halving along the longest extent."""
    if len(members) <= _CLUSTER:
        out.append(members)
        return
    place = centers[members]
    order = members[np.argsort(place[:, int(np.argmax(np.ptp(place, axis=0)))], kind='stable')]
    _split(order[: len(order) // 2], centers, out)
    _split(order[len(order) // 2 :], centers, out)


def _ball(points: Floats) -> Floats:
    """Return center and radius of a sphere that contains points [m], shape (4,)."""
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return np.append(center, np.linalg.norm(points - center, axis=1).max())
