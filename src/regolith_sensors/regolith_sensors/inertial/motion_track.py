# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion of a vehicle's base by substeps, and the readings of an ideal IMU on it."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.inertial.imu import mean_specific_force
from regolith_vehicles.dynamics import MotionSamples
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


class MotionTrack:
    """Recent motion samples of a vehicle's base. Before the first sample the base is at rest."""

    def __init__(self, kept_ns: int = 1_000_000_000) -> None:
        """Start empty. At least ``kept_ns`` [ns] of the past are kept."""
        self._kept_ns = kept_ns
        self._cycles: deque[MotionSamples] = deque()
        self._joined: MotionSamples | None = None

    @property
    def last_ns(self) -> int:
        """Time of the newest sample [ns]; -1 if there is none."""
        return int(self._cycles[-1].t_ns[-1]) if self._cycles else -1

    def add(self, samples: MotionSamples) -> None:
        """Append the samples of a cycle. After a rewind, those of the discarded future are deleted."""
        if not len(samples.t_ns):
            return
        while self._cycles and self._cycles[-1].t_ns[-1] >= samples.t_ns[0]:
            self._cycles.pop()
        self._cycles.append(samples)
        # The cycle before the kept ones remains, because its last sample is their start.
        while len(self._cycles) > 2 and self._cycles[1].t_ns[-1] < samples.t_ns[-1] - self._kept_ns:
            self._cycles.popleft()
        self._joined = None

    def discard_after(self, t_ns: int) -> None:
        """Delete the samples after a time [ns], which belong to a discarded future."""
        while self._cycles and self._cycles[-1].t_ns[-1] > t_ns:
            self._cycles.pop()
        self._joined = None

    def ideal_readings(
        self, t0_ns: int, t1_ns: int, gravity: Floats, position: Floats, orientation: Floats
    ) -> tuple[Floats, Floats]:
        """Return the mean specific force [m/s^2] and angular velocity [rad/s] of a window in a sensor's frame.

        Both follow from the states at the ends of the window. The force follows from the velocity change of the sensor,
        which is exact except for the rotation within the window (second order). The angular velocity follows from the
        rotation itself. Between samples, acceleration and angular velocity are constant, as in the integrator.

        Args:
            t0_ns: Start of the window [ns].
            t1_ns: End of the window [ns], later.
            gravity: Gravity in the world frame [m/s^2], shape (3,).
            position: Position of the sensor in the base frame [m], shape (3,).
            orientation: Orientation of the sensor frame in the base frame, quaternion (x, y, z, w).

        Raises:
            LookupError: If there is no sample.

        Source: titterton2004.
        Checked by: test_motion_track.py::test_imu_with_lever_arm_on_a_rotating_body,
        test_motion_track.py::test_rotation_is_exact_for_any_axis.
        """
        (turn0, velocity0, rate0), (turn1, velocity1, rate1) = self._at(t0_ns), self._at(t1_ns)
        duration = (t1_ns - t0_ns) * 1e-9
        force = mean_specific_force(
            (velocity0, velocity1),
            (rotation.matrix(turn0) @ rate0, rotation.matrix(turn1) @ rate1),
            (turn0, turn1),
            duration,
            gravity,
            position,
        )
        turned = rotation.rotation_vector(rotation.product(turn0 * np.array([-1.0, -1.0, -1.0, 1.0]), turn1))
        to_sensor = rotation.matrix(orientation).T
        return to_sensor @ force, to_sensor @ turned / duration

    def _at(self, t_ns: int) -> tuple[Floats, Floats, Floats]:
        """Return orientation, velocity in the world frame and angular velocity in the base frame at a time."""
        samples = self._all()
        after = min(int(np.searchsorted(samples.t_ns, t_ns)), len(samples.t_ns) - 1)
        before = max(after - 1, 0)
        whole = int(samples.t_ns[after] - samples.t_ns[before])
        share = min(max((t_ns - int(samples.t_ns[before])) / whole, 0.0), 1.0) if whole else 1.0

        def between(values: Floats) -> Floats:
            out: Floats = values[before] + share * (values[after] - values[before]) if share < 1.0 else values[after]
            return out

        turn = samples.orientation[after]
        if share < 1.0:
            turn = rotation.slerp(samples.orientation[before], turn, share)
        return turn, between(samples.linear_velocity), between(samples.angular_velocity)

    def _all(self) -> MotionSamples:
        if not self._cycles:
            raise LookupError('no motion of the vehicle is known')
        if self._joined is None:
            names = MotionSamples.__dataclass_fields__
            self._joined = MotionSamples(*(np.concatenate([getattr(c, name) for c in self._cycles]) for name in names))
        return self._joined
