# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The motion of a vehicle's base within a cycle, a sample after every substep, for inertial sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MotionSamples:
    """Samples of a motion in the order of time."""

    t_ns: NDArray[np.int64]
    """Simulated time [ns], shape (n,)."""
    position: Floats
    """Positions of the base frame in the world [m], shape (n, 3)."""
    orientation: Floats
    """Its orientations, quaternions (x, y, z, w), shape (n, 4)."""
    linear_velocity: Floats
    """Velocities of its origin in the world [m/s], shape (n, 3)."""
    angular_velocity: Floats
    """Angular velocities in the base frame, as gyroscopes feel them [rad/s], shape (n, 3)."""


def of_cycle(rows: Floats, end_ns: int, dt_ns: int) -> MotionSamples:
    """Return the samples of a committed cycle.

    Args:
        rows: Of :func:`regolith_vehicles.dynamics.substeps.substep_loop`: qpos and qvel of the free joint, shape (n,
            13).
        end_ns: Committed time at its end [ns].
        dt_ns: Its length [ns].
    """
    count = len(rows)
    # Substeps are equally long; the last ends with the cycle.
    t_ns = end_ns - dt_ns + (2 * np.arange(1, count + 1, dtype=np.int64) * dt_ns + count) // (2 * count)
    orientation = rows[:, [4, 5, 6, 3]]
    return MotionSamples(t_ns, rows[:, :3], orientation, rows[:, 7:10], rows[:, 10:13])


def of_state(base: BodyState, t_ns: int) -> MotionSamples:
    """Return a state as the one sample that it is."""
    return MotionSamples(
        np.array([t_ns], dtype=np.int64),
        base.position[None],
        base.orientation[None],
        base.linear_velocity[None],
        base.angular_velocity[None] @ matrix(base.orientation),
    )
