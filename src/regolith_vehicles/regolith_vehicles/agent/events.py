# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Events of a vehicle: rolled over, high-centred, stuck, battery empty. Each is reported once, when it begins."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

KINDS = ('rolled_over', 'high_centered', 'stuck', 'battery_empty')
ROLLED_OVER, HIGH_CENTERED, STUCK, BATTERY_EMPTY = KINDS
GROUND_TRUTH = 'ground_truth'
"""Basis of an event: found from true states."""

LYING = 0.3
"""Upward part of a vehicle's up axis below which it lies [-]."""
RIGHTED = 0.5
"""Upward part above which it stands again [-]."""
LYING_S = 1.0
"""Time for which it must lie to have rolled over [s]."""
HULL_SHARE = 0.3
"""Share of the weight above which a hull that carries it makes the vehicle high-centred [-]."""
FREE_SHARE = 0.1
"""Share below which it stands on its wheels again [-]."""
SHARE_S = 0.5
"""Time constant over which the share is averaged [s]: a hull that strikes a stone once does not rest on it."""
GOING_MPS = 0.05
"""Commanded speed above which a vehicle is meant to get somewhere [m/s]."""
STUCK_M = 0.05
"""Way that a stuck vehicle does not cover within STUCK_NS [m]."""
STUCK_NS = 10_000_000_000
"""Time in which a vehicle under command must cover STUCK_M [ns]."""

_STATE = struct.Struct('<ddddq????q')
_ENTRY = struct.Struct('<qB')


@dataclass(frozen=True, slots=True)
class Event:
    """The beginning of a state that an operator would want to hear of."""

    t_ns: int
    """Simulated time, end of the cycle in which it was found [ns]."""
    kind: str
    """One of KINDS."""
    source: str
    """Data it was found from: GROUND_TRUTH."""
    message: str
    """Description for a person."""


class EventDetector:
    """Detector of one vehicle's events: a pure function of its own state and of the arguments of :meth:`look`."""

    def __init__(self) -> None:
        self._lying_s = 0.0
        self._share = 0.0
        self._anchor = (0.0, 0.0)
        """Place from which the vehicle has not yet moved STUCK_M [m]."""
        self._anchor_ns = 0
        self._told = dict.fromkeys(KINDS, False)
        self._history: list[tuple[int, str]] = []

    @property
    def history(self) -> list[tuple[int, str]]:
        """Time [ns] and kind of all events so far, in order."""
        return list(self._history)

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
            t_ns: Its end [ns].
            duration: [s].
            up: Upward part of the vehicle's up axis.
            hull_share: Part of the weight that the hull carries.
            speed: Commanded forward speed [m/s].
            x: Of the base in the world [m]; so is y.
            empty: Whether it has a battery, and that is empty.
        """
        found = []
        self._lying_s = self._lying_s + duration if up < LYING else 0.0
        if self._lying_s >= LYING_S and not self._told[ROLLED_OVER]:
            lean = math.degrees(math.acos(max(up, -1.0)))
            found.append((ROLLED_OVER, f'its up axis points {lean:.0f} deg off the vertical'))
        elif up > RIGHTED:
            self._told[ROLLED_OVER] = False

        self._share += (1.0 - math.exp(-duration / SHARE_S)) * (hull_share - self._share)
        if self._share > HULL_SHARE and up >= LYING and not self._told[HIGH_CENTERED]:
            found.append((HIGH_CENTERED, f'the hull carries {100.0 * self._share:.0f} % of the weight'))
        elif self._share < FREE_SHARE:
            self._told[HIGH_CENTERED] = False

        going = abs(speed) > GOING_MPS
        late = t_ns - self._anchor_ns >= STUCK_NS
        if not going or math.hypot(x - self._anchor[0], y - self._anchor[1]) >= STUCK_M:
            self._anchor, self._anchor_ns = (x, y), t_ns
            self._told[STUCK] = self._told[STUCK] and going and late
        elif late and not self._told[STUCK]:
            time = f'{STUCK_NS * 1e-9:.0f} s'
            found.append((STUCK, f'told to go at {speed:.2f} m/s, it went less than {STUCK_M} m in {time}'))

        if empty and not self._told[BATTERY_EMPTY]:
            found.append((BATTERY_EMPTY, 'its battery is empty, its motors have no torque'))
        self._told[BATTERY_EMPTY] = self._told[BATTERY_EMPTY] and empty

        for kind, _ in found:
            self._told[kind] = True
            self._history.append((t_ns, kind))
        return tuple(Event(t_ns, kind, GROUND_TRUTH, text) for kind, text in found)

    def save(self) -> bytes:
        """Return the exact state, history included."""
        told = (self._told[kind] for kind in KINDS)
        head = _STATE.pack(self._lying_s, self._share, *self._anchor, self._anchor_ns, *told, len(self._history))
        return head + b''.join(_ENTRY.pack(t_ns, KINDS.index(kind)) for t_ns, kind in self._history)

    @staticmethod
    def load(blob: bytes) -> EventDetector:
        """Return the instance that :meth:`save` wrote."""
        watch = EventDetector()
        watch._lying_s, watch._share, x, y, watch._anchor_ns, *told, count = _STATE.unpack_from(blob)
        watch._anchor = (x, y)
        watch._told = dict(zip(KINDS, told))
        entries = (_ENTRY.unpack_from(blob, _STATE.size + k * _ENTRY.size) for k in range(count))
        watch._history = [(t_ns, KINDS[kind]) for t_ns, kind in entries]
        return watch
