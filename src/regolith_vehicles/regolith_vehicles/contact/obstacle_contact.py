# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a vehicle's parts with static obstacles and rocks: candidates in a cycle, and effective inertia."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import make_pose, make_wrench
from regolith_terrain.solids import (
    NO_SOLIDS,
    POINT_DEPTH,
    SolidContact,
    SolidContactArrays,
    Solids,
    add_solid_wrench,
    solids_within,
)
from regolith_vehicles.contact.assigned_bodies import AssignedBodies, NearBodies
from regolith_vehicles.contact.contact_parts import PartSet
from regolith_vehicles.dynamics import substeps
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


class ObstacleContact:
    """Contact of one vehicle's parts with solids; without solids it does nothing and has no state."""

    def __init__(
        self,
        solids: Solids | None,
        parts: PartSet,
        bodies: substeps.BodyArrays,
        assigned: AssignedBodies | None = None,
    ) -> None:
        """Create the contact without any touching part.

        Args:
            solids: Rocks and static obstacles; None: none exist.
            parts: Parts of the vehicle.
            bodies: MuJoCo's structures for the loop.
            assigned: Rigid bodies that the vehicle computes; None: the scenario has none.
        """
        nothing = solids is None and assigned is None
        self.contact = None if nothing else SolidContact(solids, parts.shapes, parts.reach, parts.stiffness)
        self._assigned = assigned
        self._parts, self._bodies = parts, bodies
        self._com = bodies.subtree_com[bodies.root]

    def arrays(
        self,
        model: Any,
        data: Any,
        duration: float,
        own: tuple[Vector, Vector] | None = None,
        acceleration: float = substeps.MARGIN_ACCELERATION,
    ) -> tuple[SolidContactArrays, bool, NearBodies | None]:
        """Return the solids near any part in a cycle, whether the hull can touch one, and the bodies to advance.

        Args:
            model: MuJoCo model (mujoco.MjModel).
            data: MuJoCo state (mujoco.MjData) at the start of the cycle.
            duration: Duration of the cycle [s].
            own: Centers [m] and velocities [m/s] of the running gear's parts if they are not fixed to their bodies.
            acceleration: Maximum acceleration within the cycle [m/s^2].
        """
        if self.contact is None:
            return NO_SOLIDS, False, None
        parts, bodies, solids = self._parts, self._bodies, self.contact.solids
        slack = 0.5 * acceleration * duration**2
        balls = _balls(
            parts.body, parts.offset, parts.reach, bodies.xpos, bodies.xmat, bodies.cvel, self._com, slack, duration
        )
        if own is not None:
            speeds = np.minimum(np.linalg.norm(own[1], axis=1), substeps.TOP_SPEED)
            balls[: parts.gear, :3] = own[0]
            balls[: parts.gear, 3] = parts.reach[: parts.gear] + slack + speeds * duration
        numbers, met = np.zeros(0, dtype=np.int64), np.zeros(len(balls), dtype=bool)
        if solids is not None:
            numbers, met = solids_within(solids.cells, solids.placed.box, balls)
        near = None if self._assigned is None else self._assigned.near(balls, duration, acceleration)
        if near is not None:
            met |= near.met
        if not met.any():
            self.contact.part()
            return NO_SOLIDS, False, near
        beside = bool(met[parts.gear :].any())
        if not beside:
            self.contact.part(parts.gear)
        inverse = _inverse(model, data, parts.body, balls[:, :3], met)
        inverse[:, :3, :3] += parts.yielding[:, None, None] * np.eye(3)
        moving = None if near is None or self._assigned is None else partial(self._assigned.as_solids, near)
        return self.contact.arrays(numbers, inverse, moving), beside, near

    def deepest(self, model: Any, data: Any, own: tuple[Vector, Vector] | None = None) -> float:
        """Return the maximum penetration of a body-fixed part in a solid now [m]; contacts are reset."""
        arrays, _, _ = self.arrays(model, data, 0.0, own)
        if self.contact is None or arrays is NO_SOLIDS:
            return 0.0
        parts, pose, wrench, found = self._parts, make_pose(), make_wrench(), 0.0
        centers = parts.centers(len(parts.names), data.xpos, data.xmat)
        for k in range(0 if own is None else parts.gear, len(parts.names)):
            pose.center[:] = centers[k]
            pose.rotation[:] = portable_math.times(data.xmat[parts.body[k]].reshape(3, 3), parts.frame[k])
            add_solid_wrench(arrays, 1e-3, k, pose, wrench)
            found = max(found, float(arrays.found[: arrays.touched[k], POINT_DEPTH].max(initial=0.0)))
        self.contact.part()
        return found

    def levels(self, ground: Callable[[Vector, Vector], Vector], x: Vector, y: Vector) -> Vector:
        """Return the heights of the ground or of solids on it at positions [m]."""
        levels = ground(x, y)
        solids = None if self.contact is None else self.contact.solids
        return levels if solids is None else solids.tops(x, y, levels)

    def reset(self) -> None:
        """Reset all contacts."""
        if self.contact is not None:
            self.contact.part()


@kernel
def _balls(
    body: Indices,
    offset: Vector,
    reach: Vector,
    place: Vector,
    turn: Vector,
    cvel: Vector,
    com: Vector,
    slack: float,
    dt: float,
) -> Vector:
    """Return bounding spheres of the parts over a cycle: x, y, z, radius [m], shape (n, 4)."""
    out = np.empty((body.shape[0], 4))
    for k in range(body.shape[0]):
        b = body[k]
        for a in range(3):
            out[k, a] = place[b, a] + (
                turn[b, 3 * a] * offset[k, 0] + turn[b, 3 * a + 1] * offset[k, 1] + turn[b, 3 * a + 2] * offset[k, 2]
            )
        square = 0.0
        for a in range(3):
            m, n = (a + 1) % 3, (a + 2) % 3
            v = cvel[b, 3 + a] + (cvel[b, m] * (out[k, n] - com[n]) - cvel[b, n] * (out[k, m] - com[m]))
            square += v * v
        out[k, 3] = reach[k] + slack + min(math.sqrt(square), substeps.TOP_SPEED) * dt
    return out


def _inverse(model: Any, data: Any, body: Indices, centers: Vector, met: NDArray[np.bool_]) -> Vector:
    """Return the inverse inertia of the whole vehicle at parts' origins, from force and torque to acceleration.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        body: Body of each part, shape (n,).
        centers: Origins of the parts [m], shape (n, 3).
        met: Whether each part can touch a solid; parts of one body share its inertia, the others get zeros.

    Returns:
        Inverse inertia, world axes, shape (n, 6, 6).
    """
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    out = np.zeros((len(body), 6, 6))
    jacobian, solved = np.empty((6, model.nv)), np.empty((6, model.nv))
    shift = np.eye(6)
    for b in sorted(set(body[met].tolist())):
        mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], data.xpos[b], b)
        mujoco.mj_solveM(model, data, solved, jacobian)
        at_body = portable_math.times(jacobian, solved.T)
        members = np.flatnonzero((body == b) & met).tolist()
        for k in members:
            x, y, z = centers[k] - data.xpos[b]
            shift[:3, 3:] = ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))
            out[k] = len(members) * portable_math.times(portable_math.times(shift, at_body), shift.T)
    return out
