# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of an estimated trajectory: absolute (ATE), relative (RPE), and drift per meter.

All functions take pairs of true and estimated poses, see :mod:`regolith_sensors.trajectories.association`, with the
estimate already aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regolith_sensors.trajectories.association import Pairs
from regolith_sensors.trajectories.poses import Floats, Integers, Trajectory, TrajectoryError
from regolith_world.numerics import rotation

DRIFT_LENGTHS_M = (5.0, 10.0, 20.0, 40.0)
"""Lengths of segments for rovers [m]. The KITTI data set, for cars, has 100 to 800 m."""
DRIFT_STEP = 10
"""Number of frames between the starts of segments."""
NEAREST_TOLERANCE = 0.1
"""Maximum deviation of the path length of a segment of :func:`all_segments`, as a fraction of its length."""


@dataclass(frozen=True)
class Statistics:
    """Statistics of n errors, in their unit."""

    rmse: float
    mean: float
    median: float
    std: float
    """Standard deviation with n in the denominator."""
    max: float
    n: int


def statistics(errors: Floats) -> Statistics:
    """Return the statistics of errors, shape (n,), n at least 1."""
    return Statistics(
        float(np.sqrt(np.mean(errors**2))),
        float(errors.mean()),
        float(np.median(errors)),
        float(errors.std()),
        float(errors.max()),
        len(errors),
    )


def absolute_errors(pairs: Pairs) -> Floats:
    """Return the distances between true and estimated positions [m], shape (n,). Their root mean square is the ATE.

    Source: sturm2012, eq. 6.
    Checked by: test_trajectories.py::test_4_3_errors_equal_those_of_evo.
    """
    return np.asarray(np.linalg.norm(pairs.truth.positions - pairs.estimate.positions, axis=1))


def relative_errors(pairs: Pairs, segments: tuple[Integers, Integers]) -> tuple[Floats, Floats]:
    """Return the translation [m] and the angle [rad] of E = (Q_i^-1 Q_j)^-1 (P_i^-1 P_j), each with shape (m,).

    Args:
        pairs: True and estimated poses Q and P.
        segments: Numbers i and j of the pairs at the start and at the end of each segment, each with shape (m,).

    The angle is computed from the quaternion, which is exact for small angles; acos of the trace is not.

    Source: sturm2012, eq. 2.
    Checked by: test_trajectories.py::test_4_3_errors_equal_those_of_evo.
    """
    true_shift, true_turn = _motions(pairs.truth, *segments)
    shift, turn = _motions(pairs.estimate, *segments)
    error = rotation.products(true_turn * np.array([-1.0, -1.0, -1.0, 1.0]), turn)
    angles = 2.0 * np.arctan2(np.linalg.norm(error[:, :3], axis=1), np.abs(error[:, 3]))
    return np.asarray(np.linalg.norm(shift - true_shift, axis=1)), np.asarray(angles)


def _motions(poses: Trajectory, first: Integers, last: Integers) -> tuple[Floats, Floats]:
    """Return translations [m] and quaternions of the motions between poses, in the frame of the first."""
    steps = poses.positions[last] - poses.positions[first]
    shifts = np.einsum('nji,nj->ni', rotation.matrices(poses.quaternions[first]), steps)
    inverses = poses.quaternions[first] * np.array([-1.0, -1.0, -1.0, 1.0])
    return shifts, rotation.products(inverses, poses.quaternions[last])


# -- segments -------------------------------------------------------------------------------------------------------


def frame_segments(pairs: Pairs, delta: int = 1, *, every: bool = False) -> tuple[Integers, Integers]:
    """Return segments of ``delta`` frames.

    Args:
        pairs: True and estimated poses.
        delta: Length of a segment [frames].
        every: Whether a segment starts at every frame; otherwise each starts at the end of the last one.

    Raises:
        TrajectoryError: If there is no segment.
    """
    if delta < 1:
        raise TrajectoryError(f'segments of {delta} frames; allowed: 1 or more')
    first = np.arange(0, len(pairs) - delta, 1 if every else delta)
    return _segments(first, first + delta, f'{delta} frames', f'{len(pairs)} poses')


def path_segments(pairs: Pairs, delta_m: float) -> tuple[Integers, Integers]:
    """Return consecutive segments of the path of the estimate that reach a length, from its first pose.

    Args:
        pairs: True and estimated poses.
        delta_m: Length of a segment [m].

    Raises:
        TrajectoryError: If there is no segment.
    """
    steps = np.linalg.norm(np.diff(pairs.estimate.positions, axis=0), axis=1)
    ends, length = [0], 0.0
    for k, step in enumerate(steps.tolist()):
        length += step
        if length >= _length(delta_m):
            ends.append(k + 1)
            length = 0.0
    whole = f'a path of {steps.sum():.6g} m'
    return _segments(np.array(ends[:-1], np.int64), np.array(ends[1:], np.int64), f'{delta_m:g} m', whole)


def all_segments(pairs: Pairs, delta_m: float) -> tuple[Integers, Integers]:
    """Return a segment from each pose to the pose at which the path of the estimate is nearest to a length.

    Segments that deviate by more than :data:`NEAREST_TOLERANCE` are left out.

    Args:
        pairs: True and estimated poses.
        delta_m: Length of a segment [m].

    Raises:
        TrajectoryError: If there is no segment.
    """
    along = pairs.estimate.distances
    limit = NEAREST_TOLERANCE * _length(delta_m)
    found = []
    for i in range(len(along) - 1):
        misses = np.abs(along[i + 1 :] - along[i] - delta_m)
        k = int(np.argmin(misses))
        if misses[k] <= limit:
            found.append((i, i + 1 + k))
    first, last = np.array(found, np.int64).reshape(-1, 2).T
    return _segments(first, last, f'{delta_m:g} m', f'a path of {along[-1]:.6g} m')


def _length(delta_m: float) -> float:
    if not 0.0 < delta_m < np.inf:
        raise TrajectoryError(f'segments of {delta_m:g} m; allowed: above 0')
    return delta_m


def _segments(first: Integers, last: Integers, length: str, whole: str) -> tuple[Integers, Integers]:
    if not len(first):
        raise TrajectoryError(f'no segment of {length} in {whole}; allowed: shorter segments or a longer path')
    return first, last


# -- drift ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drift:
    """Mean errors of segments over their length."""

    translation_percent: float
    """Error of the translation over the length [%]."""
    rotation_deg_per_m: float
    """Error of the rotation over the length [deg/m]."""
    segments: int


def drift(pairs: Pairs, lengths_m: Sequence[float] = DRIFT_LENGTHS_M, step: int = DRIFT_STEP) -> dict[float, Drift]:
    """Return the drift per meter for each length of segments, and for all segments with the key 0.

    A segment starts at every ``step``-th frame. It ends at the first frame at which the true path exceeds the length.
    Lengths without a segment are left out.

    Args:
        pairs: True and estimated poses.
        lengths_m: Lengths [m].
        step: Number of frames between starts.

    Raises:
        TrajectoryError: If the true path is shorter than all lengths.

    Source: geiger2012, section 3.2. The lengths are for rovers.
    Checked by: test_trajectories.py::test_4_3_drift_of_a_scaled_straight_path_and_of_a_yaw_rate.
    """
    along = pairs.truth.distances
    starts = np.arange(0, len(pairs), step)
    found: dict[float, tuple[Floats, Floats]] = {}
    for length in sorted({_length(each) for each in lengths_m}):
        ends = np.searchsorted(along, along[starts] + length, side='right')
        kept = ends < len(pairs)
        if kept.any():
            shifts, angles = relative_errors(pairs, (starts[kept], ends[kept]))
            found[length] = 100.0 * shifts / length, np.degrees(angles) / length
    if not found:
        shortest = f'{min(lengths_m, default=0.0):g} m'
        raise TrajectoryError(
            f'no segment of {shortest} in a true path of {along[-1]:.6g} m; allowed: shorter lengths or a longer path'
        )
    parts = {length: [each] for length, each in found.items()} | {0.0: list(found.values())}
    drifts = {}
    for length, several in parts.items():
        shifts, turns = (np.concatenate(columns) for columns in zip(*several, strict=True))
        drifts[length] = Drift(float(shifts.mean()), float(turns.mean()), len(shifts))
    return drifts
