# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of rigid bodies: contact shape, mass properties and contact points.

The origin of a body is its center of mass. The axis of capsules and cylinders is z, as in URDF and SDF.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regolith_terrain.bodies import mass_properties
from regolith_terrain.bodies.mass_properties import MassProperties
from regolith_terrain.contact import shapes as contact_shapes
from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.grid.node_records import Floats, Indices
from regolith_terrain.solids.polyhedron import Polyhedron, convex_hull
from regolith_world.numerics import portable_math

KINDS = ('sphere', 'box', 'capsule', 'cylinder', 'hull')
"""Kinds of shapes."""
RIM_CORNERS = 32
"""Corners of the polygon that a vehicle's parts touch as the rim of a cylinder."""


class ContactPoints(NamedTuple):
    """Points of bodies at which springs act, and the area of soil that each represents; those of a body are adjacent.

    Springs at points are the contact with rigid terrain, and with soil whose grid is too coarse for the body. A
    cylinder has four points on either rim, which turn with its tilt and not with its rotation: the lowest, and those a
    quarter and half a turn from it. Their places here are not used.
    """

    place: Floats
    """Centers of the spheres whose lowest points are the contact points, body axes [m], shape (k, 3)."""
    radius: Floats
    """Radii of these spheres; 0: the point itself [m], shape (k,)."""
    area: Floats
    """Flat area of each point [m^2], shape (k,)."""
    length: Floats
    """Length of the part of a cylinder with the radius of each point [m], shape (k,)."""
    ball: Floats
    """Share of a sphere with the radius of each point [-], shape (k,)."""
    first: Indices
    """First point of each body, and the end, shape (n + 1,)."""


@dataclass(frozen=True)
class BodyShape:
    """Shape of a rigid body about its center of mass."""

    kind: str
    """sphere, box, capsule, cylinder or hull."""
    contact: Shapes
    """Contact shape: one row."""
    properties: MassProperties
    """Volume and inertia; :attr:`MassProperties.center` is the center of mass in the frame in which a hull was given.
    """
    points: ContactPoints
    """Contact points."""
    half_width: float
    """Half of the smallest width [m]."""
    footprint: float
    """Half of the smaller side of the face on which the body rests at best [m]; the radius of a round body."""
    given: Floats
    """Values from which :func:`make_shape` makes it: sizes [m], shape (1, 3), or vertices of a hull [m], shape (k, 3).
    """
    upright: bool = False
    """Whether the axis of the contact shape, y, is the z axis of the body."""

    @cached_property
    def solid(self) -> Polyhedron:
        """Polyhedron about the center of mass that a vehicle's parts touch.

        Spheres, capsules and cylinders are polyhedra within them: up to 2 % of the radius less.
        """
        size: list[float] = self.contact.size[0].tolist()
        if self.kind in ('box', 'hull'):
            return convex_hull(self.points.place)
        if self.kind == 'cylinder':
            angle = np.linspace(0.0, 2.0 * math.pi, RIM_CORNERS, endpoint=False)
            x, y = (size[0] * portable_math.each(function, angle) for function in (math.cos, math.sin))
            rim = np.column_stack((x, y, np.zeros(RIM_CORNERS)))
            return convex_hull(np.concatenate((rim - (0.0, 0.0, size[1]), rim + (0.0, 0.0, size[1]))))
        ball = size[0] * _directions()
        ends = [0.0] if self.kind == 'sphere' else [-size[1], size[1]]
        return convex_hull(np.concatenate([ball + (0.0, 0.0, end) for end in ends]))

    @property
    def reach(self) -> float:
        """Radius about the center of mass that contains the shape [m]."""
        return contact_shapes.reach(self.contact)

    @property
    def shadow_area(self) -> float:
        """Largest area that the shape can press with [m^2]: its largest face, or its shadow."""
        size: list[float] = self.contact.size[0].tolist()
        if self.kind in ('box', 'hull'):
            return 4.0 * max(size[0] * size[1], size[1] * size[2], size[0] * size[2])
        round_area = math.pi * size[0] * size[0]
        beside = 4.0 * size[0] * size[1]
        if self.kind == 'cylinder':
            return max(round_area, beside)
        return round_area + beside

    @property
    def ploughs(self) -> bool:
        """Whether the shape has steep faces that push soil ahead."""
        return self.kind in ('box', 'hull')


def _directions() -> Floats:
    """Return 162 directions: the vertices of an icosahedron whose edges are halved twice, shape (162, 3)."""
    golden = 0.5 * (1.0 + math.sqrt(5.0))
    found = np.array(
        [p for a, b in itertools.product((-1.0, 1.0), (-golden, golden)) for p in ((0, a, b), (a, b, 0), (b, 0, a))],
        dtype=np.float64,
    )
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    for _ in range(2):
        hull = convex_hull(found).triangles
        edges = np.unique(np.sort(np.concatenate([hull[:, [0, 1]], hull[:, [1, 2]], hull[:, [0, 2]]]), axis=1), axis=0)
        middles = found[edges[:, 0]] + found[edges[:, 1]]
        found = np.concatenate((found, middles / np.linalg.norm(middles, axis=1, keepdims=True)))
    return found


def sphere(radius: float) -> BodyShape:
    """Return a sphere [m]."""
    points = _points(np.zeros((1, 3)), radius, ball=1.0)
    contact, properties = contact_shapes.sphere(radius), mass_properties.sphere_properties(radius)
    return BodyShape('sphere', contact, properties, points, radius, radius, _sizes(radius))


def box(half: ArrayLike) -> BodyShape:
    """Return a box with these half lengths [m], shape (3,)."""
    h = np.asarray(half, dtype=np.float64)
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * h
    areas = sorted((float(h[0] * h[1]), float(h[1] * h[2]), float(h[0] * h[2])))
    points = _points(corners, 0.0, area=areas[-1])  # four corners carry a face
    contact = contact_shapes.box(*(2.0 * h).tolist())
    properties = mass_properties.box_properties(h)
    return BodyShape('box', contact, properties, points, *_smaller(h), h[None, :])


def capsule(radius: float, half: float) -> BodyShape:
    """Return a capsule whose straight part has this half length [m]."""
    ends = np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])
    points = _points(ends, radius, length=half, ball=0.5)
    contact = contact_shapes.capsule(radius, 2.0 * half)
    properties = mass_properties.capsule_properties(radius, half)
    return BodyShape('capsule', contact, properties, points, radius, radius, _sizes(radius, half), upright=True)


def cylinder(radius: float, half: float) -> BodyShape:
    """Return a cylinder with this half length [m]."""
    points = _points(np.zeros((8, 3)), 0.0, area=0.25 * math.pi * radius * radius)
    contact = contact_shapes.cylinder(radius, 2.0 * half)
    properties = mass_properties.cylinder_properties(radius, half)
    given = _sizes(radius, half)
    return BodyShape('cylinder', contact, properties, points, min(radius, half), radius, given, upright=True)


def hull(points: ArrayLike) -> BodyShape:
    """Return the convex hull of points [m], shape (n, 3), with at most 64 triangles.

    Raises:
        ValueError: If the points have no volume.
    """
    solid = mass_properties.reduced_hull(points)
    properties = mass_properties.polyhedron_properties(solid.vertices, solid.triangles)
    vertices = solid.vertices - properties.center
    contact = contact_shapes.mesh(vertices[solid.triangles])
    extent = np.ptp(vertices, axis=0)
    # A facet of average size rests on three vertices.
    edges = vertices[solid.triangles]
    facets = 0.5 * np.linalg.norm(np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]), axis=1)
    springs = _points(vertices, 0.0, area=float(facets.mean()) / 3.0)
    given = np.array(points, dtype=np.float64)
    return BodyShape('hull', contact, properties, springs, *_smaller(0.5 * extent), given)


def make_shape(kind: str, given: ArrayLike) -> BodyShape:
    """Return a shape from :attr:`BodyShape.kind` and :attr:`BodyShape.given`.

    Raises:
        ValueError: If there is no such kind, or the points of a hull have no volume.
    """
    if kind not in KINDS:
        raise ValueError(f'shape {kind!r}; allowed: {", ".join(KINDS)}')
    values = np.asarray(given, dtype=np.float64).reshape(-1, 3)
    if kind == 'hull':
        return hull(values)
    size: list[float] = values[0].tolist()
    if kind == 'box':
        return box(size)
    return sphere(size[0]) if kind == 'sphere' else (capsule if kind == 'capsule' else cylinder)(size[0], size[1])


def join_points(points: Sequence[ContactPoints]) -> ContactPoints:
    """Return the points of several bodies as one tuple, in this order."""
    place, radius, area, length, ball, _ = (np.concatenate(column) for column in zip(*points, strict=True))
    return ContactPoints(place, radius, area, length, ball, np.cumsum([0, *(len(each.radius) for each in points)]))


def _smaller(half: Floats) -> tuple[float, float]:
    low, middle, _ = np.sort(half).tolist()
    return low, middle


def _sizes(radius: float, half: float = 0.0) -> Floats:
    return np.array([[radius, half, 0.0]])


def _points(place: Floats, radius: float, area: float = 0.0, length: float = 0.0, ball: float = 0.0) -> ContactPoints:
    rows = np.ones(len(place))
    return ContactPoints(place, radius * rows, area * rows, length * rows, ball * rows, np.array([0, len(place)]))
