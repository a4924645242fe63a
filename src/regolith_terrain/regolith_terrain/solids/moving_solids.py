# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies among the solids near a vehicle, and the motion of a part relative to one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


class MovingSolids(NamedTuple):
    """Rigid bodies among the solids near a vehicle, and work arrays."""

    row: Indices
    """Row of each solid in the next arrays, -1: it stands fast; shape (solids,). Shape (0,): all stand fast."""
    position: Floats
    """Center of mass [m], shape (n, 3)."""
    velocity: Floats
    """Velocity of the center of mass [m/s], shape (n, 3)."""
    spin: Floats
    """Angular velocity, world axes [rad/s], shape (n, 3)."""
    mobility: Floats
    """Inverse mass and inertia, world axes, shape (n, 6, 6)."""
    force: Floats
    """Input and output: force of the parts on each body [N], shape (n, 3)."""
    torque: Floats
    """Input and output: its torque about the center of mass [N m], shape (n, 3)."""
    touching: Indices
    """Input and output: number of parts that touch each body, in this substep and the last one, shape (n, 2)."""
    done: Flags
    """Whether each body was pressed as a part in this substep, shape (n,); shape (0,): the parts are not bodies. A pair
    of bodies is computed once, by the one that is pressed first."""
    friction: Floats
    """Coulomb friction coefficient of each body as a part [-], shape (n,) or (0,)."""
    damping_ratio: Floats
    """Damping ratio of its contacts, shape (n,) or (0,)."""
    relative: PartPose
    """Work array: pose of a part, and its twist relative to a body."""
    both: Floats
    """Work array: inverse inertia of a part and a body, shape (6, 6)."""


@kernel(views_only=True)
def set_relative(moving: MovingSolids, row: int, inverse: Floats, pose: PartPose) -> None:
    """Write twist and inverse inertia of a part relative to a body.

    The relative velocity of any two points that coincide is that of the part with the twist v - v_b - w_b x r, w - w_b,
    r from the center of mass of the body to the origin of the part. The inverse inertia of the body at the origin of
    the part is that at its center of mass, moved by r; the parts that touch the body share it.

    Args:
        moving: The bodies; the work arrays are written.
        row: Row of the body.
        inverse: Inverse inertia of the part at its origin, shape (6, 6).
        pose: Pose and twist of the part.

    Source: goldstein2002.
    Checked by: test_bodies_parts.py::test_relative_inertia_and_twist_are_those_of_both_bodies.
    """
    relative, both, held = moving.relative, moving.both, moving.mobility[row]
    rx, ry, rz = (
        pose.center[0] - moving.position[row, 0],
        pose.center[1] - moving.position[row, 1],
        pose.center[2] - moving.position[row, 2],
    )
    wx, wy, wz = moving.spin[row, 0], moving.spin[row, 1], moving.spin[row, 2]
    relative.velocity[0] = pose.velocity[0] - moving.velocity[row, 0] - (wy * rz - wz * ry)
    relative.velocity[1] = pose.velocity[1] - moving.velocity[row, 1] - (wz * rx - wx * rz)
    relative.velocity[2] = pose.velocity[2] - moving.velocity[row, 2] - (wx * ry - wy * rx)
    for a in range(3):
        relative.center[a] = pose.center[a]
        relative.angular_velocity[a] = pose.angular_velocity[a] - moving.spin[row, a]
    share = float(max(1, moving.touching[row, 1]))
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        rb, rc = (ry, rz) if a == 0 else (rz, rx) if a == 1 else (rx, ry)
        for j in range(3):
            # Rows of J^-1 S and of S^T J^-1 S with S the matrix of r x.
            e, f = (j + 1) % 3, (j + 2) % 3
            re, rf = (ry, rz) if j == 0 else (rz, rx) if j == 1 else (rx, ry)
            turn = held[3 + a, 3 + e] * rf - held[3 + a, 3 + f] * re
            both[3 + a, 3 + j] = inverse[3 + a, 3 + j] + share * held[3 + a, 3 + j]
            both[3 + a, j] = inverse[3 + a, j] + share * turn
            both[j, 3 + a] = inverse[j, 3 + a] + share * turn
            move = held[a, j]
            move += rc * (held[3 + b, 3 + e] * rf - held[3 + b, 3 + f] * re)
            move -= rb * (held[3 + c, 3 + e] * rf - held[3 + c, 3 + f] * re)
            both[a, j] = inverse[a, j] + share * move
