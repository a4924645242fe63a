# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: stamped poses of one frame in another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.numerics import rotation

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNIT_TOLERANCE = 1e-3
"""Maximum deviation of the norm of a quaternion from 1. Files with four digits deviate by up to 1e-4."""


class TrajectoryError(ValueError):
    """Error for trajectories that have no valid poses, or for which an error is not defined."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses of one frame in a reference frame, in order of time. :func:`trajectory` makes it from checked values."""

    stamps_ns: Integers
    """Times [ns], increasing, shape (n,)."""
    positions: Floats
    """Positions in the reference frame [m], shape (n, 3)."""
    quaternions: Floats
    """Unit quaternions (x, y, z, w) from the frame to the reference frame, shape (n, 4)."""

    def __len__(self) -> int:
        return len(self.stamps_ns)

    @property
    def rotations(self) -> Floats:
        """Return the rotation matrices from the frame to the reference frame, shape (n, 3, 3)."""
        return rotation.matrices(self.quaternions)

    @property
    def distances(self) -> Floats:
        """Return the path length from the first pose to each pose [m], shape (n,)."""
        steps = np.linalg.norm(np.diff(self.positions, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def chosen(self, numbers: ArrayLike) -> Trajectory:
        """Return the poses with some numbers, which may repeat, shape (m,)."""
        at = np.asarray(numbers, dtype=np.int64)
        return Trajectory(self.stamps_ns[at], self.positions[at], self.quaternions[at])

    def of_frame(self, position: ArrayLike, quaternion: ArrayLike) -> Trajectory:
        """Return the trajectory of a frame that is fixed to this one.

        Args:
            position: Position of that frame in this one [m], shape (3,).
            quaternion: Unit quaternion (x, y, z, w) from that frame to this one, shape (4,).
        """
        offset, turn = np.asarray(position, dtype=np.float64), np.asarray(quaternion, dtype=np.float64)
        turns = np.broadcast_to(turn, self.quaternions.shape)
        return Trajectory(
            self.stamps_ns, self.positions + self.rotations @ offset, rotation.products(self.quaternions, turns)
        )


def trajectory(
    stamps_ns: ArrayLike, positions: ArrayLike, quaternions: ArrayLike, place: Callable[[int], str] = 'pose {}'.format
) -> Trajectory:
    """Return a trajectory of checked poses, with quaternions of norm 1.

    Args:
        stamps_ns: Times [ns], increasing, shape (n,).
        positions: Positions [m], shape (n, 3).
        quaternions: Quaternions (x, y, z, w) of norm 1 up to :data:`UNIT_TOLERANCE`, shape (n, 4).
        place: Function of the number of a pose that names it in an error, e.g. by file and line.

    Raises:
        TrajectoryError: Names the first pose that is not finite, not a unit quaternion, or not after the last one.
    """
    stamps = np.asarray(stamps_ns, dtype=np.int64).reshape(-1)
    p = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    q = np.asarray(quaternions, dtype=np.float64).reshape(-1, 4)
    if not len(stamps) == len(p) == len(q):
        raise TrajectoryError(f'{len(stamps)} stamps, {len(p)} positions and {len(q)} quaternions; allowed: as many')
    if not len(stamps):
        raise TrajectoryError('has no poses; allowed: one pose or more')
    finite = np.isfinite(p).all(axis=1) & np.isfinite(q).all(axis=1)
    if not finite.all():
        raise TrajectoryError(f'{place(int(np.argmin(finite)))}: is not finite; allowed: finite numbers')
    norms = np.linalg.norm(q, axis=1)
    unit = np.abs(norms - 1.0) <= UNIT_TOLERANCE
    if not unit.all():
        k = int(np.argmin(unit))
        allowed = f'norm 1 up to {UNIT_TOLERANCE:g}'
        raise TrajectoryError(f'{place(k)}: quaternion {q[k].tolist()} has norm {norms[k]:.6g}; allowed: {allowed}')
    after = np.diff(stamps) > 0
    if not after.all():
        k = int(np.argmin(after)) + 1
        same = 'repeats the stamp' if stamps[k] == stamps[k - 1] else 'is before the stamp'
        text = f'{place(k)}: {seconds_text(int(stamps[k]))} s {same} of the pose before'
        raise TrajectoryError(f'{text}; allowed: increasing stamps')
    return Trajectory(stamps, p, q / norms[:, None])


def seconds_text(stamp_ns: int) -> str:
    """Return a time in seconds with nine decimals, exactly.

    Args:
        stamp_ns: Time [ns].
    """
    sign = '-' if stamp_ns < 0 else ''
    return f'{sign}{abs(stamp_ns) // 10**9}.{abs(stamp_ns) % 10**9:09d}'


def inverse_pose(position: ArrayLike, quaternion: ArrayLike) -> tuple[Floats, Floats]:
    """Return position and quaternion of the inverse of a pose.

    Args:
        position: Position of a frame in its parent [m], shape (3,).
        quaternion: Unit quaternion (x, y, z, w) from the frame to its parent, shape (4,).
    """
    back = np.asarray(quaternion, dtype=np.float64) * np.array([-1.0, -1.0, -1.0, 1.0])
    return -rotation.matrix(back) @ np.asarray(position, dtype=np.float64), back
