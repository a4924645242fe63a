# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What the view of a recorded run draws, as rows of a baseline: entity by entity, component by component."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from baseline_texts import said
from baseline_values import Rows, Series

OF_THE_LIBRARY = ('__', 'rerun', 'blueprint')
"""How entities begin that hold properties of the file."""


GROUND = 'world/ground/'
"""How entities begin of which the last state counts, as the end of the run draws whatever waits. Of others it is the first:
which messages of a moving object are drawn depends on the times at which the recorder received them."""


def drawn(run: Path, file: Path) -> Rows:
    """Return the rows of a run's view.

    Args:
        file: to be written for Rerun
    """
    from rerun.chunk import RrdReader

    said(['view', str(run), '--save', str(file)])
    found: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for chunk in RrdReader(file).stream():
        path = str(chunk.entity_path).replace('\\', '').removeprefix('/')
        if path.startswith(OF_THE_LIBRARY):
            continue
        batch = chunk.to_record_batch()
        times = [-1] * len(batch) if chunk.is_static else batch.column('sim_time').cast('int64').to_pylist()
        named = {name.partition(':')[2]: batch.column(name).to_pylist() for name in batch.schema.names if ':' in name}
        for number, t_ns in enumerate(times):
            values = {name: column[number] for name, column in named.items() if column[number] is not None}
            found.setdefault(path, []).append((t_ns, values))
    series = Series()
    for path, rows in sorted(found.items()):
        rows.sort(key=lambda row: row[0])
        states: dict[str, Any] = {}
        for _, values in rows if path.startswith(GROUND) else reversed(rows):
            states.update(values)
        for name, value in sorted(states.items()):
            if not (path.startswith('world/layers/') and name in ('positions', 'strips')):
                _take(series, f'{path} {name}', value)
    return series.rows()


def _take(series: Series, path: str, value: Any) -> None:
    """Take a component: numbers as they are, text as text, of compressed images the number."""
    if isinstance(value, list) and value and isinstance(value[0], (str, dict)):
        series.add(path, ' | '.join(map(str, value)))
        return
    try:
        table = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        series.add(path, type(value).__name__)
        return
    if path.endswith(
        (' colors', ' vertex_colors', ' albedo_factor', ' color')
    ):  # red, green, blue and opacity in one number
        table = (table.astype(np.uint32)[..., None] >> np.array([24, 16, 8, 0], np.uint32)) & 255
    series.add(path, f'{len(value)} images' if path.endswith(' blob') else table)
