# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""States and inertias of homogeneous rigid bodies."""

from __future__ import annotations

import mujoco
import numpy as np

from regolith_world.cycle.records import BodyState, Vector
from regolith_world.numerics.portable_math import times
from regolith_world.numerics.rotation import matrix


def make_rigid_state(
    name: str,
    position: Vector,
    mass: float,
    inertia: Vector,
    *,
    orientation: Vector | None = None,
    linear_velocity: Vector | None = None,
    angular_velocity: Vector | None = None,
) -> BodyState:
    """Return the state of a rigid body whose origin is its center of mass.

    Args:
        name: Name of the body.
        position: Center of mass in the world frame [m], shape (3,).
        mass: Mass of the body [kg].
        inertia: Inertia about the center of mass in body axes [kg m^2], shape (3, 3).
        orientation: Orientation in the world frame, quaternion (x, y, z, w); None: identity.
        linear_velocity: Velocity in the world frame [m/s], shape (3,); None: zero.
        angular_velocity: Angular velocity in the world frame [rad/s], shape (3,); None: zero.

    Raises:
        ValueError: If mass or inertia are not positive.
    """
    if not mass > 0.0 or np.linalg.eigvalsh(inertia)[0] <= 0.0:
        raise ValueError(f'{name}: mass {mass} kg and the eigenvalues of inertia must be positive')
    q = np.array([0.0, 0.0, 0.0, 1.0]) if orientation is None else np.asarray(orientation, dtype=float)
    rotation = matrix(q)
    return BodyState(
        name,
        np.asarray(position, dtype=float),
        q,
        np.zeros(3) if linear_velocity is None else np.asarray(linear_velocity, dtype=float),
        np.zeros(3) if angular_velocity is None else np.asarray(angular_velocity, dtype=float),
        mass,
        np.asarray(position, dtype=float).copy(),
        turned_inertia(rotation, inertia),
    )


def sphere_inertia(mass: float, radius: float) -> Vector:
    """Return the inertia of a homogeneous sphere, 2/5 m r^2 on the diagonal [kg m^2], shape (3, 3).

    Source: goldstein2002.
    Checked by: test_objects.py::test_inertias_of_simple_bodies.
    """
    return np.eye(3) * (0.4 * mass * radius * radius)


def box_inertia(mass: float, half: Vector) -> Vector:
    """Return the inertia of a homogeneous box of half lengths ``half`` [m], m/3 (b^2 + c^2) etc., shape (3, 3).

    Source: goldstein2002.
    Checked by: test_objects.py::test_inertias_of_simple_bodies.
    """
    sx, sy, sz = (float(h) ** 2 for h in half)
    return np.diag([sy + sz, sx + sz, sx + sy]) * (mass / 3.0)


def cylinder_inertia(mass: float, radius: float, half: float) -> Vector:
    """Return the inertia of a homogeneous cylinder about z with this half length [m], shape (3, 3).

    Source: goldstein2002.
    Checked by: test_objects.py::test_inertias_of_simple_bodies.
    """
    across = radius * radius / 4.0 + half * half / 3.0
    return np.diag([across, across, 0.5 * radius * radius]) * mass


def capsule_inertia(mass: float, radius: float, half: float) -> Vector:
    """Return the inertia of a homogeneous capsule about z whose straight part has this half length [m], shape (3, 3).

    The center of mass of each half sphere is 3/8 of the radius beyond the end of the straight part.

    Source: goldstein2002.
    Checked by: test_objects.py::test_inertias_of_simple_bodies.
    """
    straight, ends = 2.0 * half, 4.0 / 3.0 * radius  # volumes over pi R^2
    part = mass * ends / (straight + ends)
    across = part * (0.4 * radius * radius + half * half + 0.75 * half * radius)
    ball = np.diag([across, across, part * 0.4 * radius * radius])
    return ball + cylinder_inertia(mass - part, radius, half)


def turned_inertia(rotation: Vector, inertia: Vector) -> Vector:
    """Return an inertia in rotated axes, R I R^T, shape (3, 3)."""
    return times(times(rotation, inertia), rotation.T)


def hull_properties(points: Vector) -> tuple[Vector, Vector]:
    """Return center of mass [m] and inertia about it per unit of mass [m^2] of the convex hull of points [m].

    MuJoCo computes both, to about seven digits.

    Args:
        points: Points [m], shape (n, 3).

    Raises:
        ValueError: If the points have no volume.

    Source: todorov2012.
    Checked by: test_hulls.py::test_center_of_mass_and_inertia_of_a_hull_are_those_of_a_box.
    """
    spec, convex = mujoco.MjSpec(), mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    spec.add_mesh(name='hull', uservert=np.ascontiguousarray(points).ravel(), inertia=convex)
    spec.worldbody.add_body(name='hull').add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname='hull', density=1.0)
    try:
        model = spec.compile()
    except ValueError:
        raise ValueError('points have no volume; allowed: points of a solid') from None
    turn = matrix(np.roll(model.body_iquat[1], -1))
    inertia: Vector = times(turn * model.body_inertia[1], turn.T) / model.body_mass[1]
    return model.body_ipos[1].copy(), inertia
