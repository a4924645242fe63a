# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion samples of a vehicle's base after every substep of a cycle, for inertial sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle import BodyState
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MotionSamples:
    """Samples of a motion in order of time."""

    t_ns: NDArray[np.int64]
    """Simulated time [ns], shape (n,)."""
    position: Floats
    """Positions of the base frame in the world frame [m], shape (n, 3)."""
    orientation: Floats
    """Orientations of the base frame, quaternions (x, y, z, w), shape (n, 4)."""
    linear_velocity: Floats
    """Velocities of the base frame's origin in the world frame [m/s], shape (n, 3)."""
    angular_velocity: Floats
    """Angular velocities in the base frame, as gyroscopes measure them [rad/s], shape (n, 3)."""


def of_cycle(rows: Floats, end_ns: int, dt_ns: int) -> MotionSamples:
    """Return the samples of a committed cycle.

    Args:
        rows: Samples of :func:`regolith_vehicles.dynamics.substeps.substep_loop`: qpos and qvel of the free joint,
            shape (n, 13).
        end_ns: Committed time at the end of the cycle [ns].
        dt_ns: Duration of the cycle [ns].
    """
    count = len(rows)
    # All substeps have the same length; the last ends with the cycle.
    t_ns = end_ns - dt_ns + (2 * np.arange(1, count + 1, dtype=np.int64) * dt_ns + count) // (2 * count)
    orientation = rows[:, [4, 5, 6, 3]]
    return MotionSamples(t_ns, rows[:, :3], orientation, rows[:, 7:10], rows[:, 10:13])


def of_state(base: BodyState, t_ns: int) -> MotionSamples:
    """Return a body state as a single sample."""
    return MotionSamples(
        np.array([t_ns], dtype=np.int64),
        base.position[None],
        base.orientation[None],
        base.linear_velocity[None],
        base.angular_velocity[None] @ rotation.matrix(base.orientation),
    )
