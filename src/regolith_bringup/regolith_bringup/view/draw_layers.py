# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View layers of packages, drawn as entities ``world/layers/NAME``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import rerun as rr

from regolith_bringup.view.layers import Layers
from regolith_bringup.view.message import LATEST, ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas, path_of
from regolith_files import ViewMarks


class DrawnLayers:
    """Drawer of the layers of a scenario.

    Args:
        canvas: Canvas to draw on.
        layers: Layers of the scenario.
        period_ns: Minimum time between two states of a layer [ns].
    """

    def __init__(self, canvas: Canvas, layers: Layers, period_ns: int) -> None:
        self._canvas, self._layers, self._period_ns = canvas, layers, period_ns
        self._next_ns = -1
        self._shown: set[str] = set()

    def meet(self, types: Mapping[str, str]) -> Mapping[str, int]:
        """Return the topics of the layers, of which only the last message counts."""
        return dict.fromkeys(self._layers.meet(types), LATEST)

    def take(self, message: ViewMessage) -> None:
        """Store a message."""
        self._layers.take(message)

    def tick(self, t_ns: int) -> None:
        """Draw the layers with new messages, once per period."""
        if t_ns < self._next_ns:
            return
        self._next_ns = (t_ns // self._period_ns + 1) * self._period_ns
        for name, marks in self._layers.marks(t_ns).items():
            points = [m for m in marks if not m.joined]
            lines = [m for m in marks if m.joined]
            self._draw(t_ns, path_of('world/layers', name, 'points'), _points(points))
            self._draw(t_ns, path_of('world/layers', name, 'lines'), _lines(lines))

    def _draw(self, t_ns: int, path: str, drawn: rr.Points3D | rr.LineStrips3D | None) -> None:
        if drawn is not None:
            self._shown.add(path)
            self._canvas.put(t_ns, path, drawn)
        elif path in self._shown:
            self._shown.remove(path)
            self._canvas.put(t_ns, path, rr.Clear(recursive=False))


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _points(marks: list[ViewMarks]) -> rr.Points3D | None:
    tables = [np.asarray(m.points, dtype=np.float64).reshape(-1, 3) for m in marks]
    counts = [len(table) for table in tables]
    if not sum(counts):
        return None
    radii = [0.5 * m.size for m, count in zip(marks, counts, strict=True) for _ in range(count)]
    labels = [m.label if k == count - 1 else '' for m, count in zip(marks, counts, strict=True) for k in range(count)]
    colors = [_rgb(m.color) for m, count in zip(marks, counts, strict=True) for _ in range(count)]
    return rr.Points3D(
        np.concatenate(tables),
        colors=colors,
        radii=rr.Radius.ui_points(radii),
        labels=labels if any(labels) else None,
        show_labels=any(labels),
    )


def _lines(marks: list[ViewMarks]) -> rr.LineStrips3D | None:
    long = [m for m in marks if len(m.points) > 1]
    if not long:
        return None
    labels = [m.label for m in long]
    return rr.LineStrips3D(
        [np.asarray(m.points, dtype=np.float64) for m in long],
        colors=[_rgb(m.color) for m in long],
        radii=rr.Radius.ui_points([0.5 * m.size for m in long]),
        labels=labels if any(labels) else None,
        show_labels=any(labels),
    )
