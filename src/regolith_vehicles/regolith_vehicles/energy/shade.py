# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shade of points toward the sun: convex bodies that hide its center, and terrain that hides a part of its disc.

Drawn shapes of the vehicle, collision shapes of other vehicles and rocks are sets of planes. Boxes, and polyhedra such
as rocks, are exact, round shapes are prisms or polyhedra around them, and meshes are their bounding boxes.
Everything is computed in double precision by our own loops, so it is the same on every machine.

Checked by: test_shade.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain import MOON_RADIUS_M
from regolith_terrain.solids import Solids
from regolith_world.cycle import Shape, ShapeKind
from regolith_world.numerics import kernel, portable_math, rotation

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

SIDES = 16
"""Number of sides of the prism that stands for a cylinder."""
_STRIDE = 1.06
"""Ratio of successive distances at which terrain is sampled."""
_NEAREST_M = 0.25
"""Distance of the first sample of terrain [m]."""


@dataclass(frozen=True)
class ConvexBodies:
    """Convex bodies as planes: points x inside satisfy n . x <= d."""

    planes: Vector
    """Outward unit normals and d [m], shape (m, 4)."""
    first: Indices
    """First plane of each body, and the end, shape (k + 1,)."""

    @classmethod
    def of(cls, bodies: Sequence[Vector]) -> ConvexBodies:
        """Return bodies, each of shape (m, 4)."""
        first = np.cumsum([0, *(len(body) for body in bodies)]).astype(np.int64)
        return cls(np.concatenate([np.zeros((0, 4)), *bodies]), first)


def moved(planes: Vector, position: Vector, turn: Vector) -> Vector:
    """Return planes of a body at a position [m] with a rotation matrix, shape (m, 4)."""
    normals = portable_math.times(planes[:, :3], turn.T)
    return np.column_stack((normals, planes[:, 3] + _dots(normals, position)))


def _dots(rows: Vector, vector: Vector) -> Vector:
    found: Vector = rows[:, 0] * vector[0] + rows[:, 1] * vector[1] + rows[:, 2] * vector[2]
    return found


def box_planes(half: Sequence[float], center: Sequence[float] = (0.0, 0.0, 0.0)) -> Vector:
    """Return the planes of a box with half lengths [m]."""
    normals = np.concatenate((np.eye(3), -np.eye(3)))
    reach = np.array([*half, *half])
    return np.column_stack((normals, reach + _dots(normals, np.array(center))))


def cylinder_planes(radius: float, half_length: float, axis: int = 2) -> Vector:
    """Return the planes of a prism around a cylinder along an axis."""
    normals = np.zeros((SIDES + 2, 3))
    one, other = (k for k in range(3) if k != axis)
    for k in range(SIDES):
        angle = 2.0 * math.pi * k / SIDES
        normals[k, one], normals[k, other] = math.cos(angle), math.sin(angle)
    normals[SIDES, axis], normals[SIDES + 1, axis] = 1.0, -1.0
    return np.column_stack((normals, np.array([radius] * SIDES + [half_length] * 2)))


def ellipsoid_planes(half: Sequence[float]) -> Vector:
    """Return the planes of a polyhedron around an ellipsoid with semi-axes [m]."""
    found = []
    for i in range(-3, 4):
        for j in range(SIDES if abs(i) < 3 else 1):
            up, around = math.radians(30.0 * i), 2.0 * math.pi * j / SIDES
            found.append([math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up)])
    normals = np.array(found)
    axes = np.array(half)
    scaled = normals * axes
    return np.column_stack((normals, np.sqrt(scaled[:, 0] ** 2 + scaled[:, 1] ** 2 + scaled[:, 2] ** 2)))


def visual_planes(visual: Any) -> Vector:
    """Return the planes of a drawn shape (:class:`regolith_vehicles.visuals.Visual`) in the frame of its part."""
    size = visual.size
    if visual.mesh is not None:
        corners = visual.mesh.vertices.astype(np.float64)
        low, high = corners.min(axis=0), corners.max(axis=0)
        planes = box_planes((0.5 * (high - low)).tolist(), (0.5 * (high + low)).tolist())
    elif visual.shape == 'box':
        planes = box_planes(size[:3])
    elif visual.shape == 'cylinder':
        planes = cylinder_planes(size[0], size[1])
    elif visual.shape == 'capsule':
        planes = cylinder_planes(size[0], size[1] + size[0])
    elif visual.shape == 'grouser_wheel':
        planes = cylinder_planes(size[0], size[1], axis=1)
    else:
        planes = ellipsoid_planes([*size, *size, *size][:3])
    return moved(planes, visual.position, rotation.matrix(visual.orientation))


def shape_planes(shape: Shape) -> Vector:
    """Return the planes of a collision shape in the frame of its body."""
    size = shape.size.tolist()
    if shape.kind == ShapeKind.SPHERE:
        planes = ellipsoid_planes([size[0]] * 3)
    elif shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        planes = cylinder_planes(size[0], size[1] + (size[0] if shape.kind == ShapeKind.CAPSULE else 0.0))
    else:
        planes = box_planes(size)
    return moved(planes, shape.position, rotation.matrix(shape.orientation))


def rocks_toward(solids: Solids, place: Vector, sun: Vector, reach: float) -> list[Vector]:
    """Return the planes of the solids that may hide the sun from a vehicle.

    Args:
        solids: Rocks and static obstacles.
        place: Position of the vehicle [m], shape (3,).
        sun: Unit vector toward the sun.
        reach: Radius of the vehicle [m].
    """
    box = solids.placed.box
    middle = 0.5 * (box[:, :3] + box[:, 3:]) - place
    size = 0.5 * np.sqrt(np.square(box[:, 3:] - box[:, :3]).sum(axis=1)) + reach
    along = middle[:, 0] * sun[0] + middle[:, 1] * sun[1] + middle[:, 2] * sun[2]
    apart = np.square(middle).sum(axis=1) - along * along
    numbers = np.flatnonzero((along > -size) & (apart < size * size)).astype(np.int64)
    if not len(numbers):
        return []
    near = solids.near(numbers)
    ends = near.first_triangle
    return [near.planes[ends[k] : ends[k + 1]] for k in range(len(numbers))]


def sunlit(points: Vector, sun: Vector, bodies: ConvexBodies) -> Vector:
    """Return 1 for points from which no body hides the sun's center, else 0, shape (n,).

    Bodies that contain a point do not hide the sun from it.

    Args:
        points: Points [m], shape (n, 3).
        sun: Unit vector toward the sun.
        bodies: Convex bodies in the frame of the points.
    """
    found = np.ones(len(points))
    _sunlit(np.ascontiguousarray(points), sun, bodies.planes, bodies.first, found)
    return found


@kernel(views_only=True)
def _sunlit(points: Vector, sun: Vector, planes: Vector, first: Indices, found: Vector) -> None:
    """Clip the ray of each point by the planes of each body.

    Source: haines1991.
    Checked by: test_shade.py::test_box_casts_the_shadow_of_geometry.
    """
    for k in range(points.shape[0]):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        for body in range(first.shape[0] - 1):
            enter, leave, inside = 0.0, math.inf, True
            for p in range(first[body], first[body + 1]):
                a, b, c = planes[p, 0], planes[p, 1], planes[p, 2]
                above = a * x + b * y + c * z - planes[p, 3]
                rate = a * sun[0] + b * sun[1] + c * sun[2]
                if above > 0.0:
                    inside = False
                    if rate >= 0.0:
                        leave = -1.0
                        break
                    enter = max(enter, -above / rate)
                elif rate > 0.0:
                    leave = min(leave, -above / rate)
                if enter >= leave:
                    break
            if enter < leave and not inside:
                found[k] = 0.0
                break


def disc_part(x: float) -> float:
    """Return the visible fraction of the sun's disc whose center is x radii above a straight horizon.

    It is the area of a circular segment. Test: test_shade.py::test_disc_over_a_horizon.
    """
    if x <= -1.0 or x >= 1.0:
        return 1.0 if x > 0.0 else 0.0
    return 0.5 + (x * math.sqrt(1.0 - x * x) + math.asin(x)) / math.pi


def terrain_part(
    point: Vector, sun: Vector, radius: float, range_m: float, levels: Callable[[Vector, Vector], Vector]
) -> float:
    """Return the part of the sun's disc that terrain within a range leaves visible, rounded to 1e-6.

    The highest elevation of the terrain toward the sun's center is a straight horizon for the disc.

    Args:
        point: Point [m], shape (3,).
        sun: Unit vector toward the sun.
        radius: Angular radius of the sun [rad].
        range_m: Distance within which terrain counts [m].
        levels: Function that returns heights of the terrain at x and y [m].
    """
    flat = math.hypot(sun[0], sun[1])
    elevation = math.atan2(sun[2], flat)
    if flat < 1e-9:
        return 1.0
    count = math.ceil(math.log(range_m / _NEAREST_M) / math.log(_STRIDE)) + 1
    distance = np.array([_NEAREST_M * _STRIDE**k for k in range(count)])
    heights = levels(point[0] + distance * (sun[0] / flat), point[1] + distance * (sun[1] / flat))
    rise = (heights - point[2] - distance * distance / (2.0 * MOON_RADIUS_M)) / distance
    return round(disc_part((elevation - math.atan(float(rise.max()))) / radius), 6)
