# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Events of a vehicle: rolled over, high-centered, stuck, battery empty. Each is reported once, when it begins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle import Saved, StateField, StateLayout, state_fields

KINDS = ('rolled_over', 'high_centered', 'stuck', 'battery_empty')
ROLLED_OVER, HIGH_CENTERED, STUCK, BATTERY_EMPTY = KINDS
LOADS_SHED = 'loads_shed'
"""Kind of the events of :mod:`regolith_vehicles.agent.energy_use`, which are not in the state of the detector."""
GROUND_TRUTH = 'ground_truth'
"""Source of an event: ground truth."""

LYING = 0.3
"""Upward component of a vehicle's up axis below which the vehicle lies [-]."""
RIGHTED = 0.5
"""Upward component above which the vehicle is upright again [-]."""
LYING_S = 1.0
"""Time for which a vehicle must lie to count as rolled over [s]."""
HULL_SHARE = 0.3
"""Fraction of the weight on the hull above which the vehicle is high-centered [-]."""
FREE_SHARE = 0.1
"""Fraction of the weight on the hull below which the vehicle is no longer high-centered [-]."""
SHARE_S = 0.5
"""Time constant of the averaged fraction [s]; a short contact of the hull with a stone does not count."""
GOING_MPS = 0.05
"""Commanded speed above which a vehicle is expected to move [m/s]."""
STUCK_M = 0.05
"""Distance that a stuck vehicle does not cover within STUCK_NS [m]."""
STUCK_NS = 10_000_000_000
"""Time in which a commanded vehicle must cover STUCK_M [ns]."""

_ENTRY = np.dtype([('t_ns', '<i8'), ('kind', 'u1')])
_NO_ENTRIES = np.zeros(0, _ENTRY)


@dataclass(frozen=True, slots=True)
class Event:
    """Beginning of a condition that is relevant to an operator."""

    t_ns: int
    """Simulated time at the end of the cycle in which it was detected [ns]."""
    kind: str
    """One of KINDS."""
    source: str
    """Source of the data: GROUND_TRUTH."""
    message: str
    """Human-readable description."""


class EventDetector(Saved):
    """Detector of one vehicle's events; a pure function of its state and of the arguments of :meth:`update`."""

    STATE = StateLayout(
        'events',
        *state_fields('d', '_lying_s', '_share', '_anchor_x', '_anchor_y'),
        StateField('_anchor_ns', 'q'),
        StateField('_flags', bytes, (len(KINDS),)),
        StateField('count', 'q'),
        StateField('_entries', _ENTRY, ('count',)),
    )

    def __init__(self) -> None:
        self._lying_s = 0.0
        self._share = 0.0
        self._anchor_x = self._anchor_y = 0.0
        """Position from which the vehicle has not yet moved by STUCK_M [m]."""
        self._anchor_ns = 0
        self._told = dict.fromkeys(KINDS, False)
        self._history: list[tuple[int, str]] = []

    @property
    def history(self) -> list[tuple[int, str]]:
        """Time [ns] and kind of all events so far, in order."""
        return list(self._history)

    @property
    def _flags(self) -> bytes:
        """Whether each of the KINDS is present, one byte each."""
        return bytes(self._told.values())

    @_flags.setter
    def _flags(self, flags: bytes) -> None:
        self._told = dict(zip(KINDS, map(bool, flags)))

    @property
    def _entries(self) -> NDArray[Any]:
        """History as an array."""
        if not self._history:
            return _NO_ENTRIES
        return np.array([(t_ns, KINDS.index(kind)) for t_ns, kind in self._history], _ENTRY)

    @_entries.setter
    def _entries(self, entries: NDArray[Any]) -> None:
        self._history = [(t_ns, KINDS[kind]) for t_ns, kind in entries.tolist()]

    def update(
        self,
        t_ns: int,
        duration: float,
        up: float,
        hull_share: float,
        speed: float,
        x: float,
        y: float,
        empty: bool = False,
    ) -> tuple[Event, ...]:
        """Return the events that began in a cycle.

        Args:
            t_ns: Simulated time at the end of the cycle [ns].
            duration: Duration of the cycle [s].
            up: Upward component of the vehicle's up axis [-].
            hull_share: Fraction of the weight on the hull [-].
            speed: Commanded forward speed [m/s].
            x: Position of the base along x in the world frame [m].
            y: Position of the base along y in the world frame [m].
            empty: Whether the vehicle has a battery and the battery is empty.
        """
        found = []
        self._lying_s = self._lying_s + duration if up < LYING else 0.0
        if self._lying_s >= LYING_S and not self._told[ROLLED_OVER]:
            lean = math.degrees(math.acos(max(up, -1.0)))
            found.append((ROLLED_OVER, f'its up axis is {lean:.0f} deg off the vertical'))
        elif up > RIGHTED:
            self._told[ROLLED_OVER] = False

        self._share += (1.0 - math.exp(-duration / SHARE_S)) * (hull_share - self._share)
        if self._share > HULL_SHARE and up >= LYING and not self._told[HIGH_CENTERED]:
            found.append((HIGH_CENTERED, f'the hull carries {100.0 * self._share:.0f} % of the weight'))
        elif self._share < FREE_SHARE:
            self._told[HIGH_CENTERED] = False

        going = abs(speed) > GOING_MPS
        late = t_ns - self._anchor_ns >= STUCK_NS
        if not going or math.hypot(x - self._anchor_x, y - self._anchor_y) >= STUCK_M:
            self._anchor_x, self._anchor_y, self._anchor_ns = x, y, t_ns
            self._told[STUCK] = self._told[STUCK] and going and late
        elif late and not self._told[STUCK]:
            time = f'{STUCK_NS * 1e-9:.0f} s'
            found.append((STUCK, f'commanded {speed:.2f} m/s, moved less than {STUCK_M} m in {time}'))

        if empty and not self._told[BATTERY_EMPTY]:
            found.append((BATTERY_EMPTY, 'the battery is empty, the motors have no torque'))
        self._told[BATTERY_EMPTY] = self._told[BATTERY_EMPTY] and empty

        for kind, _ in found:
            self._told[kind] = True
            self._history.append((t_ns, kind))
        return tuple(Event(t_ns, kind, GROUND_TRUTH, text) for kind, text in found)
