# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Substep of rigid bodies in contact, for the participant that moves bodies and for vehicles that touch them.

A vehicle calls :func:`place_bodies` before it presses its parts, and the function of :func:`step_function` after that.
Its parts then press bodies as they press other solids, and the bodies receive the opposite forces
(:class:`regolith_terrain.solids.moving_solids.MovingSolids`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.motion import BodyArrays, add_field_wrench, move_body, prepare_body, set_pose
from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import CONTACT_OK
from regolith_terrain.contact.ground_contact import PartPose, Press
from regolith_terrain.contact.kernel_binding import bind_kernels, unbound
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.contact import add_solid_wrench
from regolith_terrain.solids.contact_arrays import SolidContactArrays
from regolith_terrain.solids.polyhedron import Polyhedron
from regolith_terrain.solids.solids import NearbySolids
from regolith_world.numerics import kernel
from regolith_world.objects import FieldRegions

Indices = NDArray[np.int64]

STATUSES = 16
"""A failed step returns the status of the contact plus this number times the row of the body."""

press: Press = unbound
"""Ground contact of bodies, bound by :func:`step_function`."""
step_bodies: Callable[[BodyStep, float], int] = unbound
"""Substep of bodies in contact, bound by :func:`loop_function`."""


class BodyGeometry(NamedTuple):
    """Convex polyhedra of bodies, concatenated, in the frames of the bodies."""

    vertices: Floats
    """Vertices [m], shape (v, 3)."""
    first_vertex: Indices
    """First vertex of each body, and the end, shape (n + 1,); the next two are equivalent."""
    triangles: Indices
    """Corners of the facets, rows of ``vertices``, shape (m, 3)."""
    first_triangle: Indices
    planes: Floats
    """Outward unit normals of the facets, and their distances from the center of mass [m], shape (m, 4)."""
    samples: Floats
    """Points at which boxes are checked [m], shape (k, 3)."""
    first_sample: Indices
    reach: Floats
    """Radius about the center of mass that contains each body [m], shape (n,)."""


_NONE, _START = np.zeros((0, 3)), np.zeros(1, dtype=np.int64)
NO_GEOMETRY = BodyGeometry(
    _NONE, _START, np.zeros((0, 3), dtype=np.int64), _START, np.zeros((0, 4)), _NONE, _START, np.zeros(0)
)
"""Polyhedra of no bodies."""


class BodyStep(NamedTuple):
    """Bodies of a cycle."""

    bodies: BodyArrays
    members: Indices
    """Rows of the bodies to advance, ascending, shape (m,)."""
    share: float
    """Fraction of a substep of the cycle, for mean forces."""
    first_solid: int
    """Index of the first member among the solids near a vehicle; -1: no part can touch a member."""
    first_own: int
    """Index of the first member among ``solids``; -1: no member can touch another one."""
    geometry: BodyGeometry
    """Polyhedra of all bodies."""
    ground: Any
    """Arguments of the ground contact."""
    solids: SolidContactArrays
    """Static solids near the bodies, and the members behind them."""
    fields: FieldRegions
    """Force fields."""
    pose: PartPose
    """Work array."""
    wrench: Wrench
    """Work array."""


def geometry_of(solids: Sequence[Polyhedron], reach: Floats) -> BodyGeometry:
    """Return the polyhedra of bodies as one tuple."""
    first_vertex = np.cumsum([0, *(len(solid.vertices) for solid in solids)])
    normals = [solid.normals for solid in solids]
    away = [
        np.sum(normal * solid.vertices[solid.triangles[:, 0]], axis=1)
        for normal, solid in zip(normals, solids, strict=True)
    ]
    return BodyGeometry(
        np.concatenate([solid.vertices for solid in solids]),
        first_vertex,
        np.concatenate([solid.triangles + k for solid, k in zip(solids, first_vertex, strict=False)]),
        np.cumsum([0, *(len(solid.triangles) for solid in solids)]),
        np.concatenate([np.column_stack(pair) for pair in zip(normals, away, strict=True)]),
        np.concatenate([solid.samples for solid in solids]),
        np.cumsum([0, *(len(solid.samples) for solid in solids)]),
        reach,
    )


def with_bodies(
    near: NearbySolids, geometry: BodyGeometry, members: Sequence[int], numbers: Sequence[int], friction: Floats
) -> NearbySolids:
    """Return solids with bodies behind them; :func:`place_bodies` writes their positions.

    Args:
        near: Static solids.
        geometry: Polyhedra of all bodies.
        members: Rows of the bodies.
        numbers: Number of each of these bodies, unlike those of static solids.
        friction: Coulomb friction coefficient of each of these bodies [-].
    """
    rows = list(members)
    box, floats = np.zeros((len(rows), 6)), {}
    starts = {}
    for name, first in (
        ('vertex', geometry.first_vertex),
        ('triangle', geometry.first_triangle),
        ('sample', geometry.first_sample),
    ):
        before: Indices = getattr(near, f'first_{name}')
        starts[name] = np.concatenate((before, before[-1] + np.cumsum([first[b + 1] - first[b] for b in rows])))
        floats[name] = int(starts[name][-1] - before[-1])
    count = len(near.number)
    corners = [
        geometry.triangles[geometry.first_triangle[b] : geometry.first_triangle[b + 1]]
        - geometry.first_vertex[b]
        + starts['vertex'][count + k]
        for k, b in enumerate(rows)
    ]
    return NearbySolids(
        np.concatenate((near.number, np.array(numbers, dtype=np.int64))),
        np.concatenate((near.box, box)),
        np.concatenate((near.friction, friction)),
        np.concatenate((near.vertices, np.zeros((floats['vertex'], 3)))),
        starts['vertex'],
        np.concatenate((near.triangles, *corners)),
        starts['triangle'],
        np.concatenate((near.planes, np.zeros((floats['triangle'], 4)))),
        np.concatenate((near.samples, np.zeros((floats['sample'], 3)))),
        starts['sample'],
    )


@kernel(views_only=True)
def _moved(points: Floats, start: int, end: int, rotation: Floats, center: Floats, out: Floats, at: int) -> None:
    """Write points of a body in the world."""
    for k in range(end - start):
        x, y, z = points[start + k, 0], points[start + k, 1], points[start + k, 2]
        for a in range(3):
            out[at + k, a] = center[a] + rotation[a, 0] * x + rotation[a, 1] * y + rotation[a, 2] * z


@kernel(views_only=True)
def _place(geometry: BodyGeometry, bodies: BodyArrays, b: int, near: NearbySolids, n: int) -> None:
    """Write the position of a body as a solid."""
    rotation, center, reach = bodies.rotation[b], bodies.position[b], geometry.reach[b]
    for a in range(3):
        near.box[n, a], near.box[n, 3 + a] = center[a] - reach, center[a] + reach
    first, end = geometry.first_vertex[b], geometry.first_vertex[b + 1]
    _moved(geometry.vertices, first, end, rotation, center, near.vertices, near.first_vertex[n])
    first, end = geometry.first_sample[b], geometry.first_sample[b + 1]
    _moved(geometry.samples, first, end, rotation, center, near.samples, near.first_sample[n])
    for t in range(geometry.first_triangle[b + 1] - geometry.first_triangle[b]):
        given, plane = geometry.planes[geometry.first_triangle[b] + t], near.planes[near.first_triangle[n] + t]
        away = given[3]
        for a in range(3):
            plane[a] = rotation[a, 0] * given[0] + rotation[a, 1] * given[1] + rotation[a, 2] * given[2]
            away += plane[a] * center[a]
        plane[3] = away


@kernel(views_only=True)
def place_bodies(arrays: BodyStep, near: NearbySolids) -> None:
    """Write rotations and mobilities of bodies, and their positions as solids, at the start of a substep.

    Args:
        arrays: Bodies of the cycle.
        near: Solids near a vehicle, of which the bodies are the last ones.
    """
    bodies = arrays.bodies
    for m in range(arrays.members.shape[0]):
        b = arrays.members[m]
        prepare_body(bodies, b)
        bodies.touching[b, 1] = bodies.touching[b, 0]
        bodies.touching[b, 0] = 0
        for a in range(3):
            bodies.force[b, a] = bodies.torque[b, a] = 0.0
        if arrays.first_solid >= 0:
            _place(arrays.geometry, bodies, b, near, arrays.first_solid + m)
        if arrays.first_own >= 0:
            _place(arrays.geometry, bodies, b, arrays.solids.near, arrays.first_own + m)


@kernel(views_only=True)
def no_bodies(arrays: Any, step: float) -> int:
    """Advance nothing."""
    return CONTACT_OK


def _step_bodies(arrays: BodyStep, step: float) -> int:
    """Advance all members by a substep; return the status of the ground contact, see STATUSES.

    Call :func:`place_bodies` before. A body that sleeps is advanced once a part or another body touches it. All forces
    are computed before any body moves, so those of a pair are opposite.
    """
    bodies, pose, wrench = arrays.bodies, arrays.pose, arrays.wrench
    count, more = arrays.members.shape[0], True
    for m in range(count):
        bodies.done[arrays.members[m]] = False
    while more:  # a body that wakes may wake others
        more = False
        for k in range(2 * count):  # round bodies first: the shapes of solids are polyhedra
            b = arrays.members[k % count]
            if bodies.done[b] or (k < count and not bodies.round[b]):
                continue
            if not bodies.awake[b]:
                if bodies.touching[b, 0] == 0:
                    continue
                bodies.awake[b] = True
                bodies.contact_force[b, :] = 0.0
            set_pose(bodies, b, pose)
            status: int = press(arrays.ground, step, b, pose, wrench)
            if status != CONTACT_OK:
                return int(status + STATUSES * b)
            if arrays.solids.near.number.shape[0] > 0:
                add_solid_wrench(arrays.solids, step, b, pose, wrench)
            for k in range(3):
                bodies.force[b, k] += wrench.force[k]
                bodies.torque[b, k] += wrench.torque[k]
            bodies.done[b] = more = True
    for m in range(count):
        b = arrays.members[m]
        if not bodies.done[b]:
            continue
        for k in range(3):
            wrench.force[k], wrench.torque[k] = bodies.force[b, k], bodies.torque[b, k]
            bodies.contact_force[b, k] += wrench.force[k] * arrays.share
        add_field_wrench(arrays.fields, bodies, b, step, wrench)
        move_body(bodies, b, wrench, step)
    return CONTACT_OK


@cache
def step_function(press: Press) -> Callable[[BodyStep, float], int]:
    """Return the compiled substep of bodies on a ground contact: ``step(arrays, step)``, see :func:`_step_bodies`."""
    return bind_kernels(_step_bodies, views_only=True, press=press)


def _run(arrays: BodyStep, step: float, count: int) -> int:
    """Advance bodies in contact by ``count`` substeps; return the status of the last one, see STATUSES."""
    for _ in range(count):
        place_bodies(arrays, arrays.solids.near)
        status = step_bodies(arrays, step)
        if status != CONTACT_OK:
            return status
    return CONTACT_OK


@cache
def loop_function(press: Press) -> Callable[[BodyStep, float, int], int]:
    """Return the compiled substeps of bodies on a ground contact: ``run(arrays, step, count)``, see :func:`_run`."""
    return bind_kernels(_run, views_only=True, step_bodies=step_function(press))


@kernel(views_only=True)
def fly(bodies: BodyArrays, b: int, step: float, count: int, fields: FieldRegions, wrench: Wrench) -> None:
    """Advance a body without contact by ``count`` substeps."""
    for k in range(3):
        bodies.contact_force[b, k] = 0.0
    prepare_body(bodies, b)
    for _ in range(count):
        wrench.force[:] = 0.0
        wrench.torque[:] = 0.0
        add_field_wrench(fields, bodies, b, step, wrench)
        move_body(bodies, b, wrench, step)
