#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the curve of docs/validation/performance.md from a benchmark result, docs/validation/performance.json.

./regolith bench cycle-rate --json > docs/validation/performance.json
./regolith exec python3 tools/draw_scale.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent.parent / 'docs'
CURVES = {
    'one_process': ('called as functions in one process', '#0072b2', 'o'),
    'four_processes': ('in four processes', '#d55e00', 's'),
    'many_processes': ('each in a separate process', '#7f7f7f', '^'),
}


def draw(told: dict[str, Any]) -> Figure:
    """Return cycles per second over the number of agents."""
    figure = Figure(figsize=(7.0, 4.0), layout='constrained')
    axes = figure.subplots()
    for key, (label, color, marker) in CURVES.items():
        rates = {int(n): rate for n, rate in told[key].items()}
        axes.plot([*rates], [*rates.values()], color=color, marker=marker, label=label)
    axes.axhline(50.0, color='#999999', lw=0.8, ls=':')
    axes.text(1.0, 53.0, 'real time at a maximum step size of 20 ms', size=8, color='#666666')
    axes.set(xscale='log', yscale='log', xlabel='idle agents', ylabel='cycles per second')
    axes.set_title(f'{told["cores"]} cores, machine_score {told["machine_score"]:.0f}', size=9)
    numbers = [int(n) for n in told['one_process']]
    axes.set_xticks(numbers, [str(n) for n in numbers])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=9)
    return figure


if __name__ == '__main__':
    draw(json.loads((DOCS / 'validation' / 'performance.json').read_text())).savefig(
        DOCS / 'images' / 'scale.png', dpi=110
    )
