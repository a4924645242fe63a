# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Alignment of an estimated trajectory with the true one: the transformation S of the estimate before its errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regolith_sensors.trajectories.association import Pairs
from regolith_sensors.trajectories.poses import Floats, Trajectory, TrajectoryError
from regolith_world.numerics import rotation

LINE_TOLERANCE = 1e-12
"""Ratio of the second to the first singular value of the covariance up to which a path is a line: a thickness of about
1e-6 of its length, above the rounding of files with six digits."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Transformation of points p of the estimate: scale R p + translation."""

    scale: float
    quaternion: Floats
    """Unit quaternion (x, y, z, w) of R, shape (4,)."""
    translation: Floats
    """Translation [m], shape (3,)."""

    def applied_to(self, estimate: Trajectory) -> Trajectory:
        """Return the transformed poses. The rotation turns the orientations, too."""
        positions = self.scale * estimate.positions @ rotation.matrix(self.quaternion).T + self.translation
        turns = np.broadcast_to(self.quaternion, estimate.quaternions.shape)
        return Trajectory(estimate.stamps_ns, positions, rotation.products(turns, estimate.quaternions))


def without_alignment(pairs: Pairs) -> Alignment:
    """Return the identity, for an estimate whose start was given."""
    return Alignment(1.0, np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3))


def origin_alignment(pairs: Pairs) -> Alignment:
    """Return the transformation that brings the first estimated pose to the true one, Q_0 P_0^-1."""
    inverse = pairs.estimate.quaternions[0] * np.array([-1.0, -1.0, -1.0, 1.0])
    turn = rotation.product(pairs.truth.quaternions[0], inverse)
    return Alignment(1.0, turn, pairs.truth.positions[0] - rotation.matrix(turn) @ pairs.estimate.positions[0])


def se3_alignment(pairs: Pairs) -> Alignment:
    """Return the rotation and translation of least squares between the positions.

    Raises:
        TrajectoryError: If the positions are in a line, so that no rotation is the best.

    Source: umeyama1991, eq. 34 to 43 with c = 1.
    Checked by: test_trajectories.py::test_4_3_errors_equal_those_of_evo.
    """
    return _umeyama(pairs, scaled=False)


def sim3_alignment(pairs: Pairs) -> Alignment:
    """Return the scale, rotation and translation of least squares between the positions, for one camera.

    Raises:
        TrajectoryError: If the positions are in a line, so that no rotation is the best.

    Source: umeyama1991, eq. 34 to 43.
    Checked by: test_trajectories.py::test_4_3_errors_equal_those_of_evo.
    """
    return _umeyama(pairs, scaled=True)


def yaw_alignment(pairs: Pairs) -> Alignment:
    """Return the rotation about z and the translation of least squares, for estimates that know the vertical.

    Raises:
        TrajectoryError: If the positions do not move horizontally.

    Source: zhang2018, section III.
    Checked by: test_trajectories.py::test_4_3_yaw_alignment_finds_a_turn_about_the_vertical_only.
    """
    q, p = pairs.truth.positions, pairs.estimate.positions
    q_mean, p_mean = q.mean(axis=0), p.mean(axis=0)
    c = (q - q_mean)[:, :2].T @ (p - p_mean)[:, :2]
    spread = np.linalg.norm((q - q_mean)[:, :2]) * np.linalg.norm((p - p_mean)[:, :2])
    cosine, sine = float(c[0, 0] + c[1, 1]), float(c[1, 0] - c[0, 1])
    if math.hypot(cosine, sine) <= math.sqrt(LINE_TOLERANCE) * spread or not spread:
        raise TrajectoryError(
            f'alignment by yaw is not defined: the {len(pairs)} positions do not move horizontally; '
            'allowed: none, origin, or a longer path'
        )
    turn = rotation.from_yaw(math.atan2(sine, cosine))
    return Alignment(1.0, turn, q_mean - rotation.matrix(turn) @ p_mean)


ALIGNMENTS: dict[str, Callable[[Pairs], Alignment]] = {
    'none': without_alignment,
    'origin': origin_alignment,
    'se3': se3_alignment,
    'sim3': sim3_alignment,
    'yaw': yaw_alignment,
}
"""Alignments by name."""


def _umeyama(pairs: Pairs, *, scaled: bool) -> Alignment:
    q, p = pairs.truth.positions, pairs.estimate.positions
    q_mean, p_mean = q.mean(axis=0), p.mean(axis=0)
    covariance = (q - q_mean).T @ (p - p_mean) / len(pairs)
    u, d, vt = np.linalg.svd(covariance)
    if d[1] <= LINE_TOLERANCE * d[0]:
        raise TrajectoryError(
            f'alignment is not defined: the {len(pairs)} positions are in a straight line or a point; '
            'allowed: none, origin, yaw, or a path that turns'
        )
    signs = np.array([1.0, 1.0, 1.0 if np.linalg.det(u) * np.linalg.det(vt) > 0.0 else -1.0])
    turn = (u * signs) @ vt
    scale = float((d * signs).sum() / np.mean(np.sum((p - p_mean) ** 2, axis=1))) if scaled else 1.0
    return Alignment(scale, rotation.from_matrix(turn), q_mean - scale * turn @ p_mean)
