# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Association of the poses of an estimate with true poses by time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regolith_sensors.trajectories.poses import Integers, Trajectory, TrajectoryError, seconds_text
from regolith_world.numerics import rotation

TUM_DIFFERENCE_NS = 20_000_000
"""Maximum difference of associated stamps in the tool of the TUM data set, exclusive [ns]."""
EVO_DIFFERENCE_NS = 10_000_000
"""Maximum difference of associated stamps in evo, inclusive [ns]."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Poses of truth and estimate, pair by pair."""

    truth: Trajectory
    estimate: Trajectory
    dropped: int
    """Number of poses of the estimate without a true pose."""

    def __len__(self) -> int:
        return len(self.estimate)


def interpolated(truth: Trajectory, estimate: Trajectory) -> Pairs:
    """Return the pairs at the stamps of the estimate; truth is interpolated linearly and by slerp.

    Poses of the estimate before the first or after the last true pose are dropped.

    Raises:
        TrajectoryError: If no pose is left.
    """
    t = truth.stamps_ns
    kept = np.flatnonzero((estimate.stamps_ns >= t[0]) & (estimate.stamps_ns <= t[-1]))
    if not len(kept):
        raise _no_overlap(truth, estimate, 'stamps of the estimate within those of ground truth')
    at = estimate.stamps_ns[kept]
    before = np.clip(np.searchsorted(t, at, side='right') - 1, 0, max(len(t) - 2, 0))
    after = np.minimum(before + 1, len(t) - 1)
    share = ((at - t[before]) / np.maximum(t[after] - t[before], 1))[:, None]
    places = truth.positions[before] + share * (truth.positions[after] - truth.positions[before])
    # An exact stamp keeps the exact pose.
    places = np.where(share == 1.0, truth.positions[after], places)
    turns = rotation.slerp(truth.quaternions[before], truth.quaternions[after], share)
    return Pairs(Trajectory(at, places, turns), estimate.chosen(kept), len(estimate) - len(kept))


def tum_pairs(truth: Trajectory, estimate: Trajectory, difference_ns: int = TUM_DIFFERENCE_NS) -> Pairs:
    """Return one-to-one pairs as the tool of the TUM data set finds them: all pairs by rising difference of stamps.

    Args:
        truth: True poses.
        estimate: Estimated poses.
        difference_ns: Limit of the difference, exclusive [ns].

    Raises:
        TrajectoryError: If there is no pair.
    """
    a, b = truth.stamps_ns, estimate.stamps_ns
    first = np.searchsorted(a, b - difference_ns, side='right')
    counts = np.searchsorted(a, b + difference_ns, side='left') - first
    of_estimate = np.repeat(np.arange(len(b)), counts)
    of_truth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - first, counts)
    order = np.lexsort((b[of_estimate], a[of_truth], np.abs(a[of_truth] - b[of_estimate])))
    free_truth, free_estimate = np.ones(len(a), bool), np.ones(len(b), bool)
    found = []
    for i, j in zip(of_truth[order].tolist(), of_estimate[order].tolist(), strict=True):
        if free_truth[i] and free_estimate[j]:
            free_truth[i] = free_estimate[j] = False
            found.append((i, j))
    if not found:
        raise _no_overlap(truth, estimate, f'stamps less than {difference_ns * 1e-9:g} s apart')
    return _pairs(truth, estimate, *np.array(sorted(found)).T)


def evo_pairs(truth: Trajectory, estimate: Trajectory, difference_ns: int = EVO_DIFFERENCE_NS) -> Pairs:
    """Return the pairs that evo finds: for each pose of the shorter trajectory the nearest of the longer one.

    A pose of the longer trajectory may be in several pairs. Of equally long ones the estimate counts as the shorter.

    Args:
        truth: True poses.
        estimate: Estimated poses.
        difference_ns: Maximum difference, inclusive [ns].

    Raises:
        TrajectoryError: If there is no pair.
    """
    swapped = len(truth) < len(estimate)
    short, long = (truth.stamps_ns, estimate.stamps_ns) if swapped else (estimate.stamps_ns, truth.stamps_ns)
    after = np.clip(np.searchsorted(long, short), 0, len(long) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(long[before] - short) <= np.abs(long[after] - short), before, after)
    kept = np.flatnonzero(np.abs(long[nearest] - short) <= difference_ns)
    if not len(kept):
        raise _no_overlap(truth, estimate, f'stamps at most {difference_ns * 1e-9:g} s apart')
    return _pairs(truth, estimate, *((kept, nearest[kept]) if swapped else (nearest[kept], kept)))


def _pairs(truth: Trajectory, estimate: Trajectory, of_truth: Integers, of_estimate: Integers) -> Pairs:
    return Pairs(truth.chosen(of_truth), estimate.chosen(of_estimate), len(estimate) - len(np.unique(of_estimate)))


def _no_overlap(truth: Trajectory, estimate: Trajectory, allowed: str) -> TrajectoryError:
    stamps = (truth.stamps_ns, estimate.stamps_ns)
    ranges = [f'{seconds_text(int(t[0]))} to {seconds_text(int(t[-1]))} s' for t in stamps]
    return TrajectoryError(f'no pair of poses: truth from {ranges[0]}, estimate from {ranges[1]}; allowed: {allowed}')
