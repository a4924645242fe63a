# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Intersections of shapes: broad phase by boxes, narrow phase by MuJoCo's convex collision functions.

Source of the design: "Simulator Architecture" (2024), chapter Intersection. Distances come from ``mj_geomDistance``
(GJK/EPA, tolerance 1e-6 m), contact points from ``mj_collision`` (exact manifolds for boxes and spheres), ranges of
beams from ``mj_ray``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import BodyState, ShapeKind, Vector
from regolith_world.numerics.portable_math import norm, times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import Intersection, Object, Status

NII_DEPTH = 1e-3
"""Penetration beyond which an intersection is non-infinitesimal [m]."""
TOUCH_DISTANCE = 1e-4
"""Gap or penetration within which two bodies count as touching [m]."""
BROAD_MARGIN = 0.5
"""Maximum gap between bounding boxes of a pair in the narrow phase [m]."""
_FEW = 32
"""Number of boxes up to which comparing all is faster than sorting them."""


_GEOM = {
    ShapeKind.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    ShapeKind.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    ShapeKind.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    ShapeKind.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    ShapeKind.HULL: mujoco.mjtGeom.mjGEOM_MESH,
}


def _wxyz(q: Vector) -> Vector:
    return np.array([q[3], q[0], q[1], q[2]])


class ShapeQueries:
    """Shapes of a set of objects, for distances, contacts and ranges at given states.

    It is rebuilt when objects are spawned or removed. Poses are set per query, so it has no state.
    """

    def __init__(self, objects: Sequence[Object]) -> None:
        spec = mujoco.MjSpec()
        self._solid: dict[str, int] = {}
        self._geoms: dict[str, list[int]] = {}
        count = 0
        for item in objects:
            solids = [s for s in item.shapes if s.kind != ShapeKind.BEAM]
            if not solids:
                continue
            body = spec.worldbody.add_body(name=item.name)
            body.add_freejoint()
            body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
            for k, shape in enumerate(solids):
                mesh = ''
                if shape.kind == ShapeKind.HULL:
                    mesh = f'{item.name} {k}'
                    spec.add_mesh(name=mesh, uservert=shape.vertices.ravel())
                body.add_geom(
                    meshname=mesh,
                    type=_GEOM[shape.kind],
                    size=shape.size,
                    pos=shape.position,
                    quat=_wxyz(shape.orientation),
                    margin=TOUCH_DISTANCE + NII_DEPTH,
                )
            self._solid[item.name] = len(self._solid)
            self._geoms[item.name] = list(range(count, count + len(solids)))
            count += len(solids)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)

    def _place(self, states: Sequence[BodyState]) -> None:
        """Place the given bodies, and all others far apart."""
        qpos = self._data.qpos.reshape(-1, 7)
        qpos[:, :3] = 1e6 + 1e4 * np.arange(len(qpos))[:, None]
        qpos[:, 3:] = [1.0, 0.0, 0.0, 0.0]
        for state in states:
            row = qpos[self._solid[state.name]]
            row[:3] = state.position
            row[3:] = _wxyz(state.orientation)
        mujoco.mj_kinematics(self._model, self._data)

    def distance(self, a: BodyState, b: BodyState, limit: float) -> tuple[float, Vector]:
        """Return the signed distance between two bodies, at most ``limit`` [m], and the closest points (2, 3).

        Source: gilbert1988; todorov2012.
        Checked by: test_intersection.py::test_a_ball_on_the_face_of_a_turned_box,
        test_intersection.py::test_the_nearest_of_several_shapes_counts.
        """
        # Near the origin, so that the solver's absolute tolerance does not depend on the position in the world.
        a, b = _centered(a, b)
        self._place((a, b))
        best, points = limit, np.zeros((2, 3))
        span = np.zeros(6)
        # Nearest bounding spheres first: then most pairs of shapes are skipped.
        first, second = self._geoms[a.name], self._geoms[b.name]
        gap = self._data.geom_xpos[first][:, None] - self._data.geom_xpos[second]
        radius = self._model.geom_rbound
        apart = np.sqrt((gap * gap).sum(axis=2)) - radius[first][:, None] - radius[second]
        for k in np.argsort(apart, axis=None, kind='stable').tolist():
            if apart.flat[k] >= best:
                break
            ga, gb = first[k // len(second)], second[k % len(second)]
            d = float(mujoco.mj_geomDistance(self._model, self._data, ga, gb, best, span))
            if d < best:
                best, points = d, span.reshape(2, 3).copy()
        return best, points

    def contacts(self, a: BodyState, b: BodyState) -> tuple[Vector, Vector, Vector]:
        """Return contact points (n, 3) in the world frame, unit normals (n, 3) from ``a`` to ``b``, and gaps (n,) [m].

        Source: todorov2012.
        Checked by: test_intersection.py::test_boxes_face_to_face_meet_in_a_rectangle,
        test_intersection.py::test_a_ball_on_the_face_of_a_turned_box.
        """
        shift = 0.5 * (a.position + b.position)
        self._place(_centered(a, b))
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        first = self._geoms[a.name]
        count, found = self._data.ncon, self._data.contact
        if not count:
            return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)
        normals = np.array(found.frame).reshape(count, -1)[:, :3]
        normals[~np.isin(found.geom[:, 0], first)] *= -1.0
        return np.array(found.pos).reshape(count, 3) + shift, normals, np.array(found.dist)

    def range_along(self, beam: Object, target: Object) -> float:
        """Return the distance from a beam's origin to the first hit on ``target``, inf beyond the beam's length."""
        shape = beam.shapes[0]
        origin, direction = _ray(beam)
        self._place((target.body,))
        best = np.inf
        for g in self._geoms[target.name]:
            hit = self._ray(g, origin, direction)
            if 0.0 <= hit <= shape.size[0]:
                best = min(best, hit)
        return best

    def _ray(self, g: int, origin: Vector, direction: Vector) -> float:
        """Return the distance to a geom along a ray [m]; negative: it is missed."""
        kind = int(self._model.geom_type[g])
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            return float(mujoco.mj_rayMesh(self._model, self._data, g, origin, direction, None))
        place, turn, size = self._data.geom_xpos[g], self._data.geom_xmat[g], self._model.geom_size[g]
        return float(mujoco.mju_rayGeom(place, turn, size, origin, direction, kind, None))


def _ray(beam: Object) -> tuple[Vector, Vector]:
    """Return origin [m] and direction of a beam in the world frame, each of shape (3,)."""
    shape, body = beam.shapes[0], matrix(beam.body.orientation)
    return beam.body.position + times(body, shape.position), times(body, matrix(shape.orientation))[:, 0]


def _centered(a: BodyState, b: BodyState) -> tuple[BodyState, BodyState]:
    shift = 0.5 * (a.position + b.position)

    def moved(s: BodyState) -> BodyState:
        return BodyState(s.name, s.position - shift, s.orientation, s.linear_velocity, s.angular_velocity)

    return moved(a), moved(b)


def classify(distance: float, contact_count: int) -> Status:
    """Return the class of an intersection from the signed distance [m] and the size of the contact manifold."""
    if distance > TOUCH_DISTANCE:
        return Status.NO_INTERSECTION
    if distance < -NII_DEPTH:
        return Status.NON_INFINITESIMAL_INTERSECTION
    if distance < -TOUCH_DISTANCE:
        return Status.INFINITESIMAL_INTERSECTION
    return Status.COLLISION_SURFACES if contact_count >= 3 else Status.COLLISION_POINTS


def intersect(a: Object, b: Object, geometry: ShapeQueries) -> Intersection:
    """Return the intersection of a close pair at its newest states (``a.name < b.name``)."""
    for beam, other in ((a, b), (b, a)):
        if beam.shapes and beam.shapes[0].kind == ShapeKind.BEAM:
            reach = geometry.range_along(beam, other)
            status = Status.NO_INTERSECTION if np.isinf(reach) else Status.NON_INFINITESIMAL_INTERSECTION
            origin, axis = _ray(beam)
            hit = np.zeros((0, 3)) if np.isinf(reach) else (origin + reach * axis)[None, :]
            return Intersection(a, b, status, reach, hit, axis if beam is a else -axis)
    distance, closest = geometry.distance(a.body, b.body, BROAD_MARGIN)
    if distance > TOUCH_DISTANCE:
        gap = closest[1] - closest[0]
        length = norm(gap)
        normal = gap / length if length > 0.0 else np.zeros(3)
        return Intersection(a, b, Status.NO_INTERSECTION, distance, np.zeros((0, 3)), normal)
    points, normals, gaps = geometry.contacts(a.body, b.body)
    normal = normals[np.argmin(gaps)] if len(gaps) else np.zeros(3)
    return Intersection(a, b, classify(distance, len(points)), distance, points, normal, normals, gaps)


def close_pairs(objects: Sequence[Object], low: Vector, high: Vector) -> list[tuple[int, int]]:
    """Return index pairs (i < j) whose boxes come within BROAD_MARGIN of each other, in ascending order.

    Sweep and prune along the axis of largest spread compares only boxes that overlap there. Few boxes are all compared.

    Args:
        objects: Objects of the boxes.
        low: Minima of the boxes [m], shape (n, 3).
        high: Maxima of the boxes [m], shape (n, 3).

    Source: cohen1995.
    Checked by: test_broad_phase.py::test_the_same_pairs_in_the_same_order.
    """
    count = len(objects)
    if count < 2:
        return []
    first, second = _all_pairs(count) if count <= _FEW else _overlapping(low, high)
    apart = ((low[first] - high[second] > BROAD_MARGIN) | (low[second] - high[first] > BROAD_MARGIN)).any(axis=1)
    return list(zip(first[~apart].tolist(), second[~apart].tolist()))


@cache
def _all_pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs i < j < ``count``, ascending."""
    return np.triu_indices(count, 1)


def _overlapping(low: Vector, high: Vector) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs i < j, ascending, of boxes that may come within BROAD_MARGIN of each other along one axis."""
    # Boxes with unknown bounds overlap all others.
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    axis = int(np.argmax(np.ptp(np.where(np.isfinite(low), low, 0.0), axis=0)))
    order = np.argsort(low[:, axis], kind='stable')
    begins, ends = low[order, axis], high[order, axis]
    # Slightly more than the margin: pairs are tested by differences, which round differently from this sum.
    reach = np.searchsorted(begins, ends + BROAD_MARGIN * (1.0 + 1e-6) + 1e-9 * np.abs(ends), side='right')
    many = np.maximum(reach - np.arange(len(order)) - 1, 0)
    one = np.repeat(np.arange(len(order)), many)
    other = np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many) + one + 1
    a, b = order[one], order[other]
    first, second = np.minimum(a, b), np.maximum(a, b)
    ascending = np.lexsort((second, first))
    return first[ascending], second[ascending]
