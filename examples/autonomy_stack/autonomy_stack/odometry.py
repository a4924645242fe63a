# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Odometry: distance from wheels, direction from gyroscopes, and an estimate of slip."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.attitude import Attitude, turn

Vector = NDArray[np.float64]


class Pose(NamedTuple):
    """Pose of the base in the level frame of the start."""

    t_ns: int
    """Time [ns]."""
    place: Vector
    """Position of the origin [m], shape (3,)."""
    rotation: Vector
    """Rotation from the base to the level frame, shape (3, 3)."""


class Odometry:
    """Dead reckoning along the axes of the base, reduced by the measured slip.

    Wheels measure the rolled distance. The traveled distance is smaller by slip. :mod:`autonomy_stack.matching`
    measures the difference and calls :meth:`correct`.
    """

    FORGETS_M = 2.0
    """Rolled distance over which newer estimates of slip replace older ones [m]."""
    KEPT = 200
    """Number of stored poses for late sensor messages."""

    def __init__(self) -> None:
        self.attitude = Attitude()
        self.place: Vector = np.zeros(3)
        self.slip = 0.0
        """Last estimate of slip: fraction of the rolled distance that was not traveled [-]."""
        self.rolled = 0.0
        """Rolled distance in both directions [m]."""
        self._history: deque[Pose] = deque(maxlen=self.KEPT)
        self._since_fix = 0.0

    def roll(self, t_ns: int, ahead: float, left: float) -> None:
        """Advance by the wheel motion of a cycle, ahead and to the left in the base frame [m]."""
        rotation = self.attitude.rotation
        self.place = self.place + rotation @ np.array([(1.0 - self.slip) * ahead, left, 0.0])
        self.rolled += abs(ahead)
        self._since_fix += ahead
        self._history.append(Pose(t_ns, self.place, rotation))

    def at(self, t_ns: int) -> Pose | None:
        """Return the pose at a time, or the next stored one; None: older than all stored poses, or in the future."""
        times = [pose.t_ns for pose in self._history]
        k = bisect_left(times, t_ns)
        if k == len(times) or (k == 0 and times[0] > t_ns):
            return None
        return self._history[k]

    def correct(self, shift: Vector, rotation: Vector) -> None:
        """Correct the present and the stored poses by a match with the map.

        The component of the shift along the path since the last correction is slip.

        Args:
            shift: Correction of the position [m], shape (3,).
            rotation: Correction of the attitude: rotation vector in the level frame [rad], shape (3,).
        """
        ahead = self.attitude.rotation[:, 0]
        if abs(self._since_fix) > 0.02:
            missed = -float(shift @ ahead) / self._since_fix
            gain = min(abs(self._since_fix) / self.FORGETS_M, 1.0)
            self.slip = min(max(self.slip + gain * missed, -0.3), 0.9)
        self._since_fix = 0.0
        turned = turn(rotation)
        self.attitude.rotation = turned @ self.attitude.rotation
        self.place = self.place + shift
        corrected = (Pose(t_ns, place + shift, turned @ before) for t_ns, place, before in self._history)
        self._history = deque(corrected, maxlen=self.KEPT)
