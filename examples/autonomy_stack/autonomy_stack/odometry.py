# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the rover is: wheels say how far, gyroscopes say which way, and slip is what the ground took."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autonomy_stack.attitude import Attitude

Vector = NDArray[np.float64]


class Pose(NamedTuple):
    """Where the base is, in the level frame of the start."""

    t_ns: int
    """Time [ns]."""
    place: Vector
    """Its origin [m], shape (3,)."""
    rotation: Vector
    """From the base to the level frame, shape (3, 3)."""


class Odometry:
    """Dead reckoning along the axes of the base, less the slip that others measured.

    Wheels tell how far they rolled. How far the rover came is less by slip, which they cannot know: who can (see
    :mod:`autonomy_stack.matching`) calls :meth:`correct`.
    """

    FORGETS_M = 2.0
    """Way rolled in which an estimate of slip is replaced by newer ones [m]."""
    KEPT = 200
    """Number of poses kept for sensors that come late."""

    def __init__(self) -> None:
        self.attitude = Attitude()
        self.place: Vector = np.zeros(3)
        self.slip = 0.0
        """Share of the rolled way that was not travelled, as last estimated."""
        self.rolled = 0.0
        """Way the wheels rolled, either way [m]."""
        self._history: deque[Pose] = deque(maxlen=self.KEPT)
        self._since_fix = 0.0

    def roll(self, t_ns: int, ahead: float, left: float) -> None:
        """Move on by what the wheels say of a cycle: metres ahead and to the left in the base frame."""
        rotation = self.attitude.rotation
        self.place = self.place + rotation @ np.array([(1.0 - self.slip) * ahead, left, 0.0])
        self.rolled += abs(ahead)
        self._since_fix += ahead
        self._history.append(Pose(t_ns, self.place, rotation))

    def at(self, t_ns: int) -> Pose | None:
        """Return the pose at a time, or the next one kept; None: it is older than all, or still to come."""
        times = [pose.t_ns for pose in self._history]
        k = bisect_left(times, t_ns)
        if k == len(times) or (k == 0 and times[0] > t_ns):
            return None
        return self._history[k]

    def correct(self, shift: Vector) -> None:
        """Move the present and the past by a shift [m], shape (3,): the map says that the rover was there.

        What of it lies along the way since the last time was slip.
        """
        ahead = self.attitude.rotation[:, 0]
        if abs(self._since_fix) > 0.02:
            missed = -float(shift @ ahead) / self._since_fix
            gain = min(abs(self._since_fix) / self.FORGETS_M, 1.0)
            self.slip = min(max(self.slip + gain * missed, -0.3), 0.9)
        self._since_fix = 0.0
        self.place = self.place + shift
        self._history = deque((pose._replace(place=pose.place + shift) for pose in self._history), maxlen=self.KEPT)
