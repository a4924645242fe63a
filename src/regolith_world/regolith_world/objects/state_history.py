# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""State histories of objects, committed and tentative.

Source of the design: "Simulator Architecture" (2024), chapter State management. The newest state of an object is
tentative until the world commits the cycle. A discarded attempt deletes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from regolith_world.cycle.records import BodyState, Vector
from regolith_world.numerics.portable_math import times
from regolith_world.numerics.rotation import matrix, product, slerp

StateT = TypeVar('StateT')


class StateManager(Generic[StateT]):
    """History of pairs ``(t, state)`` of one object, oldest first.

    Args:
        interpolate: ``interpolate(a, b, fraction)`` between two neighboring states; None: no states between recorded
            times.
        keep: Maximum number of states kept.
    """

    def __init__(self, interpolate: Callable[[StateT, StateT, float], StateT] | None = None, keep: int = 64) -> None:
        self._interpolate = interpolate
        self._keep = max(2, keep)
        self._times: list[int] = []
        self._states: list[StateT] = []
        self._constraints: list[Callable[[StateT], StateT]] = []
        self.held = False
        """Whether the newest state is also that of all later times, until :meth:`resume`."""

    def __len__(self) -> int:
        return len(self._times)

    def constrain(self, projection: Callable[[StateT], StateT]) -> None:
        """Constrain all later states. ``projection`` returns the nearest state that satisfies the constraint."""
        self._constraints.append(projection)

    def new_state(self, t_ns: int, state: StateT) -> StateT:
        """Append a state, projected onto the constraints, and return it.

        Args:
            t_ns: Time of the state [ns].
            state: The state.

        Raises:
            ValueError: If ``t_ns`` is not later than the newest state.
        """
        if self._times and t_ns <= self._times[-1]:
            raise ValueError(f'new_state at {t_ns} ns is not after the newest state at {self._times[-1]} ns')
        for projection in self._constraints:
            state = projection(state)
        self._times.append(t_ns)
        self._states.append(state)
        if len(self._times) > self._keep:
            del self._times[0], self._states[0]
        return state

    def resume(self, t_ns: int) -> None:
        """End :attr:`held`: the newest state is that of all times up to ``t_ns`` [ns]."""
        self.held = False
        if t_ns > self._times[-1]:
            self.new_state(t_ns, self._states[-1])

    def delay(self, by_ns: int) -> None:
        """Shift all recorded times by a duration [ns]."""
        self._times = [t_ns + by_ns for t_ns in self._times]

    def delete_state(self, from_end: int = 0) -> None:
        """Delete one state counted from the end.

        Args:
            from_end: 0 for the newest state, -1 for the one before it.

        Raises:
            IndexError: If there is no such state.
        """
        if from_end > 0 or -from_end >= len(self._times):
            raise IndexError(f'delete_state({from_end}): allowed are 0 to {1 - len(self._times)}')
        index = len(self._times) - 1 + from_end
        del self._times[index], self._states[index]

    @property
    def newest(self) -> StateT:
        """State at the latest time, committed or tentative."""
        return self._states[-1]

    @property
    def newest_time_ns(self) -> int:
        """Time of :attr:`newest` [ns]."""
        return self._times[-1]

    @property
    def unchanged(self) -> bool:
        """Whether the newest state is the same object as the previous one."""
        return len(self._states) > 1 and self._states[-1] is self._states[-2]

    @property
    def last_step_ns(self) -> int:
        """Time from the previous state to :attr:`newest` [ns]; 0 if there is no previous state."""
        return self._times[-1] - self._times[-2] if len(self._times) > 1 else 0

    def get_state(self, t_ns: int) -> StateT:
        """Return the state at a time: exact if recorded, otherwise interpolated between its neighbors.

        Args:
            t_ns: Time [ns].

        Raises:
            LookupError: Outside the recorded span, or between states that cannot be interpolated.
        """
        if self.held and t_ns > self._times[-1]:
            return self._states[-1]
        if not self._times or not self._times[0] <= t_ns <= self._times[-1]:
            span = f'{self._times[0]} to {self._times[-1]} ns' if self._times else 'nothing'
            raise LookupError(f'no state at {t_ns} ns; recorded: {span}')
        right = bisect_right(self._times, t_ns)
        if self._times[right - 1] == t_ns:
            return self._states[right - 1]
        if self._interpolate is None:
            raise LookupError(f'no state at {t_ns} ns, and these states cannot be interpolated')
        t0, t1 = self._times[right - 1], self._times[right]
        return self._interpolate(self._states[right - 1], self._states[right], (t_ns - t0) / (t1 - t0))

    def around(self, t_ns: int) -> list[tuple[int, StateT]]:
        """Return time and state recorded at ``t_ns``, or those of its two neighbors.

        Args:
            t_ns: Time [ns].

        Raises:
            LookupError: Outside the recorded span.
        """
        state = self.get_state(t_ns)
        if t_ns > self._times[-1]:
            return [(t_ns, state)]
        right = bisect_right(self._times, t_ns)
        return list(zip(self._times, self._states))[right - 1 : right + (self._times[right - 1] != t_ns)]

    def clear(self) -> None:
        """Delete all states. The constraints remain."""
        self._times.clear()
        self._states.clear()
        self.held = False


def interpolate_body(a: BodyState, b: BodyState, fraction: float) -> BodyState:
    """Return the state of a body between two others: linear interpolation, slerp for the orientation.

    Args:
        a: First state.
        b: Second state.
        fraction: Fraction of the time from ``a`` to ``b``, 0 to 1.
    """

    def mix(x: Vector, y: Vector) -> Vector:
        return x + fraction * (y - x)

    return replace(
        a,
        position=mix(a.position, b.position),
        orientation=slerp(a.orientation, b.orientation, fraction),
        linear_velocity=mix(a.linear_velocity, b.linear_velocity),
        angular_velocity=mix(a.angular_velocity, b.angular_velocity),
        center_of_mass=mix(a.center_of_mass, b.center_of_mass),
        inertia=mix(a.inertia, b.inertia),
    )


def rigidly_attached(state: BodyState, before: BodyState, after: BodyState) -> BodyState:
    """Return a state moved as if rigidly attached to a body that moves from one state to another."""
    turn = times(matrix(after.orientation), matrix(before.orientation).T)
    back = before.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
    return BodyState(
        state.name,
        after.position + times(turn, state.position - before.position),
        product(product(after.orientation, back), state.orientation),
        after.linear_velocity,
        after.angular_velocity,
    )
