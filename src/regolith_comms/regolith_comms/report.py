# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radio section of summary and report, and citations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regolith_comms.config import CommsConfig
from regolith_comms.radio_config import load_radio
from regolith_files import Caption, Citations, Figure, ReportSection, Run, Table

_CAPTION = (
    'Lost: from five lost datagrams in a row to the next delivery. For a broadcast every receiver '
    'counts. The columns after delivered are the reasons of drops.'
)


def comms_summary(run: Run) -> dict[str, Any]:
    """Return the numbers of sent, delivered and dropped datagrams, and those of all pairs; zeros without radios."""
    report = run.participant_summaries.get('comms', {})
    return {
        'sent': report.get('sent', 0),
        'delivered': report.get('delivered', 0),
        'dropped': report.get('dropped', {}),
        'links': report.get('links', {}),
    }


def section(run: Run) -> ReportSection | None:
    """Return the report section about radios; None for a run without radios."""
    history = run.participant_summaries.get('comms', {}).get('history', {})
    if not history.get('pairs'):
        return None
    from regolith_comms.plots import link_plot

    comms = run.summary['comms']
    picture = Figure(link_plot(history, comms['links']), 'Fraction of delivered datagrams over time, by pair')
    head = ('datagrams sent', 'delivered', *(reason.replace('_', ' ') for reason in comms['dropped']))
    counts = tuple(f'{n:,}' for n in (comms['sent'], comms['delivered'])) + tuple(map(str, comms['dropped'].values()))
    parts: list[Caption | Figure | Table] = [picture, Caption(_CAPTION), Table(head, [counts])]
    lost = [
        (pair, ', '.join(_interval(*interval) for interval in link['lost_s']))
        for pair, link in comms['links'].items()
        if link['lost_s']
    ]
    if lost:
        parts.append(Table(('link', 'lost during [s]'), lost))
    return ReportSection('Radio', parts, order=20)


def _interval(since: float, until: float | None) -> str:
    return f'{since:.1f} to {"the end" if until is None else f"{until:.1f}"}'


def citations(scenario: Any) -> Citations:
    """Return the citations for the radios of a scenario; empty without radios."""
    config = getattr(scenario, 'comms', None)
    keys = {'subt2022', 'trefethen2014'} if config is not None else set()
    if config is not None and load_radio(config.radio).model == 'visibility_range':
        keys |= {'subtwiki', 'dijkstra1959'} | ({'itu526'} if _made_of_ground(config) else set())
    return Citations(Path(__file__).parent / 'references.bib', sorted(keys))


def _made_of_ground(config: CommsConfig) -> bool:
    """Return whether the tile graph was, or will be, built from the terrain."""
    if config.graph is None:
        return config.tiles is None
    from regolith_comms.links.terrain_graph import MARK

    path = Path(config.graph)
    return path.is_file() and path.read_text(encoding='utf-8', errors='replace')[:200].find(MARK) >= 0
