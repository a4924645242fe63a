# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses at committed times, with interpolation between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


class PoseTrack:
    """Poses of a vehicle's parts, or of the world's objects, at committed times."""

    def __init__(self, parts: Sequence[str], kept_ns: int = 2_000_000_000) -> None:
        """Create a track without states.

        Args:
            parts: Names of the parts, the base first.
            kept_ns: Age to which states are kept [ns]; longer than the span of any frame.
        """
        self.parts = tuple(parts)
        self._kept_ns = kept_ns
        self._times: list[int] = []
        self._poses: list[Floats] = []

    @property
    def last_ns(self) -> int:
        """Return the time of the newest state [ns]; -1 without states."""
        return self._times[-1] if self._times else -1

    def add(self, t_ns: int, poses: Floats) -> None:
        """Append a state; after a rewind, states of the abandoned future are discarded.

        Args:
            t_ns: Committed time [ns].
            poses: Position (x, y, z) [m] and quaternion (x, y, z, w) of each part, world frame, shape (parts, 7);
                NaN for absent parts. Further columns are interpolated linearly. The number of parts may grow.
        """
        known = bisect_left(self._times, t_ns)
        del self._times[known:], self._poses[known:]
        self._times.append(t_ns)
        self._poses.append(poses)
        old = bisect_right(self._times, t_ns - self._kept_ns) - 1
        if old > 64:
            del self._times[:old], self._poses[:old]

    def discard_after(self, t_ns: int) -> None:
        """Discard the states after a time [ns], which belong to an abandoned future."""
        known = bisect_right(self._times, t_ns)
        del self._times[known:], self._poses[known:]

    def between(self, after_ns: int, until_ns: int) -> list[tuple[int, Floats]]:
        """Return the states after a time, up to another time [ns]: committed time [ns] and poses."""
        first, last = bisect_right(self._times, after_ns), bisect_right(self._times, until_ns)
        return list(zip(self._times[first:last], self._poses[first:last]))

    def at(self, t_ns: ArrayLike, part: int = 0) -> tuple[Floats, Floats]:
        """Return positions (n, 3) [m] and quaternions (n, 4) of a part at times [ns]; the nearest state outside.

        Positions are interpolated linearly, orientations on the great arc
        (:func:`regolith_world.numerics.rotation.slerp`).

        Args:
            t_ns: Times [ns].
            part: Index of the part.

        Raises:
            LookupError: If there is no state.
        """
        if not self._times:
            raise LookupError('the vehicle has no state')
        times = np.atleast_1d(np.asarray(t_ns, dtype=np.int64))
        known = np.array(self._times, dtype=np.int64)
        after = np.clip(np.searchsorted(known, times, side='left'), 0, len(known) - 1)
        before = np.maximum(after - 1, 0)
        span = np.maximum(known[after] - known[before], 1)
        share = np.clip((times - known[before]) / span, 0.0, 1.0)
        share = np.where(after == before, 1.0, share)[:, None]
        first = np.array([self._poses[k][part] for k in before])
        last = np.array([self._poses[k][part] for k in after])
        # At the time of a state the result is bit-identical to that state.
        exact = share == 1.0
        position = np.where(exact, last[:, :3], first[:, :3] + share * (last[:, :3] - first[:, :3]))
        return position, np.where(exact, last[:, 3:7], rotation.slerp(first[:, 3:7], last[:, 3:7], share))

    def all_at(self, t_ns: int) -> Floats:
        """Return the poses of all parts at a time [ns], as :meth:`at` does, shape (parts, 7 or more)."""
        if not self._times:
            raise LookupError('the vehicle has no state')
        after = min(bisect_left(self._times, t_ns), len(self._times) - 1)
        before = max(after - 1, 0)
        first, last = self._poses[before], self._poses[after]
        span = max(self._times[after] - self._times[before], 1)
        share = 1.0 if after == before else min(max((t_ns - self._times[before]) / span, 0.0), 1.0)
        if share == 1.0:
            return last
        if len(first) < len(last):  # there are more objects than before
            first = np.concatenate((first, np.full((len(last) - len(first), last.shape[1]), np.nan)))
        poses = first + share * (last - first)
        poses[:, 3:7] = rotation.slerp(first[:, 3:7], last[:, 3:7], np.full((len(first), 1), share))
        # A part that is absent (NaN) in one of the states was spawned or removed at the later one.
        return np.where(np.isnan(last), first, poses)
