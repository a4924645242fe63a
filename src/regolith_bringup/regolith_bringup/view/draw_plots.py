# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of quantities over time: speed, slip, sinkage, energy, telemetry; events as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import rerun as rr

from regolith_bringup.view.colors import color_of, faded
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of

_PERIOD_NS = 100_000_000
SPEED, SLIP, SINKAGE, CHARGE, POWER = 'speed m/s', 'slip', 'sinkage mm', 'charge %', 'power W'
EVENTS = 'events'


class DrawnPlots:
    """Drawer of the plots of all vehicles: entities ``plots/QUANTITY/VEHICLE`` with one line per wheel or part."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._kinds: dict[str, str] = {}
        self._named: dict[str, int] = {}
        """Number of lines by entity path."""

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics with quantities, and those with events."""
        wanted = {
            'nav_msgs/msg/Odometry': ('ground_truth/odom',),
            'regolith_msgs/msg/WheelStates': ('wheel_states',),
            'regolith_msgs/msg/RunningGearState': ('running_gear_state',),
            'sensor_msgs/msg/BatteryState': ('battery_state',),
            'regolith_msgs/msg/VehicleEvent': (EVENTS,),
        }
        found = {
            topic: 0 if topic.endswith(EVENTS) else _PERIOD_NS
            for topic, kind in types.items()
            if topic.partition('/')[2].partition('/')[2] in wanted.get(kind, ())
        }
        self._kinds |= {topic: types[topic].rpartition('/')[2] for topic in found}
        return found

    def take(self, message: ViewMessage) -> None:
        """Draw the quantities of a message."""
        name, kind, content, t_ns = (
            message.topic.split('/')[1],
            self._kinds[message.topic],
            message.content,
            message.stamp_ns,
        )
        if kind == 'Odometry':
            self._plot(SPEED, name, t_ns, [content.twist.twist.linear.x])
        elif kind == 'WheelStates':
            wheels = [w.name for w in content.wheels]
            self._plot(SLIP, name, t_ns, [w.slip_ratio for w in content.wheels], wheels)
            self._plot(SINKAGE, name, t_ns, [1e3 * w.sinkage_total for w in content.wheels], wheels)
        elif kind == 'RunningGearState':
            for q in content.quantities:
                label = f'{q.name} {q.unit}'.strip()
                self._plot(SLIP if label == 'slip ratio' else label, name, t_ns, list(q.values), list(q.parts))
        elif kind == 'BatteryState':
            self._plot(CHARGE, name, t_ns, [100.0 * content.percentage])
            self._plot(POWER, name, t_ns, [-content.voltage * content.current])
        else:
            words = f'{name}: {content.message}' if content.message else f'{name}: {content.kind}'
            self._canvas.put(t_ns, 'events', rr.TextLog(words, level=rr.TextLogLevel.WARN))

    def tick(self, t_ns: int) -> None:
        """Do nothing, because all messages are drawn immediately."""

    def _plot(self, quantity: str, name: str, t_ns: int, values: Sequence[Any], parts: Sequence[str] = ()) -> None:
        if not len(values):
            return
        path = path_of('plots', quantity.replace('/', ' per '), name)
        if path not in self._named:
            self._named[path] = len(values)
            color, count = color_of(name), len(values)
            names = [f'{name} {part}'.strip() for part in parts] if len(parts) == count else [name] * count
            colors = [faded(color, k, count) for k in range(count)]
            self._canvas.fix(path, rr.SeriesLines(names=names, colors=colors, widths=[1.5] * count))
        self._canvas.put(t_ns, path, rr.Scalars(values))

    def quantities(self) -> dict[str, int]:
        """Return the paths of all plotted quantities, with the number of lines of each."""
        found: Counter[str] = Counter()
        for path, lines in self._named.items():
            found[path.rpartition('/')[0]] += lines
        return dict(sorted(found.items()))
