# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses and twists of a vehicle's bodies for the world and for drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.dynamics.multibody import composite_inertia, point_velocities, quaternion_to_ros
from regolith_vehicles.running_gear import RunningGear
from regolith_world.cycle import BodyState
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_XYZW = [1, 2, 3, 0]


def vehicle_body_state(name: str, model: Any, data: Any, base: int) -> BodyState:
    """Return pose, twist and composite inertia of the whole vehicle.

    Args:
        name: Name of the vehicle.
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        base: Index of the base frame's body.
    """
    center, inertia = np.empty(3), np.empty((3, 3))
    total = composite_inertia(model.body_mass, model.body_inertia, data.xipos, data.ximat, center, inertia)
    rotation = data.xmat[base].reshape(3, 3)
    return BodyState(
        name=name,
        position=data.xpos[base].copy(),
        orientation=quaternion_to_ros(data.xquat[base]),
        linear_velocity=data.qvel[:3].copy(),
        angular_velocity=portable_math.times(rotation, data.qvel[3:6]),
        mass=float(total),
        center_of_mass=center,
        inertia=inertia,
    )


def part_states(names: Sequence[str], bodies: Indices, data: Any, root: int, whole: BodyState) -> tuple[BodyState, ...]:
    """Return pose and twist of some bodies; mass, center of mass and inertia are those of the whole vehicle.

    Args:
        names: Names of the bodies.
        bodies: Indices of the bodies.
        data: MuJoCo state (mujoco.MjData).
        root: Root body of the vehicle's subtree.
        whole: State of the whole vehicle; the results are named VEHICLE/BODY.
    """
    if not len(bodies):
        return ()
    places = data.xpos[bodies]
    velocities = point_velocities(data.cvel, places, data.subtree_com[root], bodies)
    return tuple(
        BodyState(
            f'{whole.name}/{name}',
            place,
            quaternion_to_ros(data.xquat[b]),
            velocity,
            data.cvel[b, :3].copy(),
            whole.mass,
            whole.center_of_mass,
            whole.inertia,
        )
        for name, b, place, velocity in zip(names, bodies, places, velocities, strict=True)
    )


def force_and_moment(data: Any, whole: BodyState) -> tuple[Vector, Vector]:
    """Return the sum of all applied forces [N] and moments about the center of mass of the vehicle [N m].

    Those of ground, obstacles, tools and fields in the last substep, in world axes. Gravity is not among them, and the
    forces of engines and springs cancel.

    Args:
        data: MuJoCo state (mujoco.MjData).
        whole: State of the whole vehicle.

    Source: goldstein2002.
    Checked by: test_force_and_moment.py::test_a_rover_at_rest_is_carried_by_its_weight,
    test_force_and_moment.py::test_forces_change_the_momentum_of_a_rover.
    """
    force, moment = np.empty(3), np.empty(3)
    _sum_wrenches(data.xfrc_applied, data.xipos, whole.center_of_mass, force, moment)
    return force, moment


@kernel
def _sum_wrenches(applied: Vector, points: Vector, center: Vector, force: Vector, moment: Vector) -> None:
    """Write the sum of the forces at points and of their moments about a center.

    Args:
        applied: Forces and moments, shape (n, 6).
        points: Points of the forces, shape (n, 3).
        center: Point of the sum of moments, shape (3,).
        force: Receives the sum of forces, shape (3,).
        moment: Receives the sum of moments, shape (3,).
    """
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        total, turning, forward, backward = 0.0, 0.0, 0.0, 0.0
        for k in range(len(applied)):
            total += applied[k, a]
            turning += applied[k, 3 + a]
            forward += (points[k, b] - center[b]) * applied[k, c]
            backward += (points[k, c] - center[c]) * applied[k, b]
        force[a] = total
        moment[a] = turning + (forward - backward)


def drawn_poses(bodies: Indices, gear: RunningGear, data: Any) -> Vector:
    """Return the world poses of bodies, then of other parts that the running gear draws, shape (n, 7).

    Positions [m] and quaternions (x, y, z, w).
    """
    count = len(bodies)
    places, turns = gear.drawn_poses(data)
    out = np.empty((count + len(places), 7))
    out[:count, :3] = data.xpos[bodies]
    out[:count, 3:] = data.xquat[bodies][:, _XYZW]
    out[count:, :3], out[count:, 3:] = places, turns
    return out
