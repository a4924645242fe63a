# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""HTML report of a run: one file with results and plots."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from regolith_bringup.plugin_calls import report_sections
from regolith_bringup.report.provenance import read_provenance
from regolith_bringup.report.run_data import RunData, read_run
from regolith_bringup.report.summary import FinishedRun
from regolith_files import Caption, Figure, Heading, ReportSection, Table, write_atomically

if TYPE_CHECKING:
    from regolith_bringup.report.page_figures import PageFigures


_CODE = re.compile('`([^`]*)`')
_NOTHING = '\u2013'
_TIMES = '\u00d7'
_BOOKS = {
    'ground_kg': 'added to the ground',
    'carried_kg': 'carried',
    'in_flight_kg': 'in flight',
    'in_transit_kg': 'in transit',
    'error_kg': 'total, zero if mass is conserved',
    'edited_kg': 'added by edits from outside, beside the above',
}
_GEAR = 'Measurements of running gears, and speed, over time'


def write_report(run_dir: str | Path) -> Path:
    """Write ``report.html`` into a run folder and return its path.

    Args:
        run_dir: Run folder with ``scenario.yaml`` and a bag. The bag replaces results that the world did not write.

    Raises:
        regolith_bringup.bag.recover.RecoverError: If there is no bag.
        NoRecordingError: If neither the world nor the bag provides results.
    """
    # Importing matplotlib takes half a second, so it is imported only here.
    from regolith_bringup.report import plots
    from regolith_bringup.report.page_figures import PageFigures

    run_dir = Path(run_dir)
    path = run_dir / 'report.html'
    finished = FinishedRun(run_dir)
    run = read_run(run_dir, finished.bag)
    summary = finished.summary
    templates = resources.files('regolith_bringup') / 'templates'
    template = Template((templates / 'report.html').read_text(encoding='utf-8'))
    figures = PageFigures(path)
    colors = {name: plots.color_of(run, name) for name in run.tracks}
    text = template.substitute(
        style=(templates / 'style.css').read_text(encoding='utf-8'),
        title=as_text(run.scenario.name),
        description=as_text(' '.join([run.scenario.description or 'A run of Regolith.', *_ended_early(summary)])),
        tiles=_tiles(summary),
        track_map=figures.show(plots.track_map(run), 'tracks', 'Tracks of the vehicles over the shaded terrain'),
        rut_sections=_rut_sections(run, figures),
        gear_histories=''.join(figures.show(f, 'running gear', _GEAR) for f in plots.gear_histories(run)),
        energy=_energy(run, figures),
        sections=''.join(_section(section, figures) for section in report_sections(finished)),
        cycle_timing=figures.show(plots.cycle_timing(run), 'cycles', 'Length of the cycles and real-time factor'),
        vehicles=_vehicles(run, summary, colors),
        events=_events(summary),
        ground=_ground(summary),
        topics=as_table(('topic', 'messages'), ((name, str(count)) for name, count in run.topics.items())),
        state_hash=as_text(summary.get('state_hash') or 'none'),
        again=as_text(f'./regolith run {shlex.quote(str(run_dir.resolve() / "scenario.yaml"))}'),
        provenance=as_table(
            ('made with', 'version'), [map(as_text, item) for item in read_provenance(run_dir).items()]
        ),
        scenario=as_text((run_dir / 'scenario.yaml').read_text(encoding='utf-8')),
    )
    write_atomically(path, text)
    return path


def _rut_sections(run: RunData, figures: PageFigures) -> str:
    """Return the section on rut cross-sections, '' if no vehicle moved."""
    from regolith_bringup.report import plots
    from regolith_bringup.report.rut_sections import rut_sections

    if not (sections := rut_sections(run)):
        return ''
    shown = figures.show(plots.rut_sections(run, sections), 'rut sections', 'Terrain across each track')
    caption = 'Terrain across each track, at half its length. Changes by later tracks are included.'
    return f'<section><h2>Cross-sections of ruts</h2>{shown}<p class="caption">{caption}</p></section>'


def _energy(run: RunData, figures: PageFigures) -> str:
    """Return the section on batteries, '' without batteries."""
    from regolith_bringup.report import plots

    if (figure := plots.energy(run)) is None:
        return ''
    return f'<section><h2>Energy</h2>{figures.show(figure, "energy", "Charge and power of the batteries")}</section>'


def as_text(value: object) -> str:
    """Return a value as HTML text."""
    return html.escape(str(value))


def _number(value: Any, digits: int, scale: float = 1.0, unit: str = '') -> str:
    """Return a number as text for a table, a dash for None."""
    if value is None:
        return _NOTHING
    text = f'{value * scale:,.{digits}f}' if isinstance(value, float) else f'{int(value * scale):,}'
    return f'{text} {unit}'.strip()


def _tiles(summary: dict[str, Any]) -> str:
    tiles: tuple[tuple[str, str], ...] = (
        ('simulated', _number(_float(summary['simulated_s']), 1, unit='s')),
        ('real-time factor', _number(_float(summary['real_time_factor']), 2, unit=_TIMES)),
        ('cycles', _number(summary['cycles'], 0)),
        ('discarded, forced', f'{_number(summary["discarded_cycles"], 0)}, {_number(summary["forced_cycles"], 0)}'),
        ('processes', as_text(summary['processes'])),
    )
    if punctual := summary.get('real_time'):
        tiles += (
            ('missed deadlines', _number(punctual['deadline_misses'], 0)),
            ('lateness, 99th percentile', _number(punctual['jitter_p99_s'], 2, 1e3, 'ms')),
        )
    return ''.join(f'<div><b>{value}</b><span>{name}</span></div>' for name, value in tiles)


def _ended_early(summary: dict[str, Any]) -> list[str]:
    early = [f'It ended early: {summary["failure"]}.'] if summary.get('failure') else []
    dropped = summary.get('dropped_participants', {})
    return early + [f'The run continued without {name}: {why}.' for name, why in dropped.items()]


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def html_page(title: str, verdict: str, sections: Iterable[tuple[str, str]], footer: str) -> str:
    """Return a page of sections.

    Args:
        title: Title, as HTML.
        verdict: Text below it, as HTML.
        sections: Headings, and contents as HTML.
        footer: Last line.
    """
    templates = resources.files('regolith_bringup') / 'templates'
    return Template((templates / 'page.html').read_text(encoding='utf-8')).substitute(
        title=title,
        style=(templates / 'style.css').read_text(encoding='utf-8'),
        verdict=verdict,
        sections='\n'.join(f'<section><h2>{heading}</h2>{content}</section>' for heading, content in sections),
        footer=footer,
    )


def as_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return an HTML table of cells that contain HTML."""
    body = ''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in rows)
    return '<table><tr>' + ''.join(f'<th>{cell}</th>' for cell in head) + f'</tr>{body}</table>'


def _vehicles(run: RunData, summary: dict[str, Any], colors: dict[str, str]) -> str:
    rows = []
    for name, v in summary['vehicles'].items():
        position = (v['final_pose'] or {}).get('position')
        place = _NOTHING if position is None else ', '.join(f'{c:.2f}' for c in position)
        rows.append(
            (
                f'<span class="dot" style="background:{colors.get(name, "#888")}"></span>{as_text(name)}',
                _number(_float(v['distance_m']), 2, unit='m'),
                _number(_float(v['mean_slip']), 1, 100.0, '%'),
                _number(_float(v['max_sinkage_m']), 1, 1e3, 'mm'),
                place,
                as_text(run.scenario.vehicles[name].driver.type) if name in run.scenario.vehicles else _NOTHING,
                _battery(v.get('battery')),
            )
        )
    head = ('vehicle', 'distance', 'mean slip', 'largest sinkage', 'ends at x, y, z [m]', 'driver', 'battery')
    columns = len(head) if any(v.get('battery') for v in summary['vehicles'].values()) else len(head) - 1
    return as_table(head[:columns], [row[:columns] for row in rows])


def _battery(figures: dict[str, Any] | None) -> str:
    """Return the state of charge, and the energy used less the energy returned."""
    if figures is None:
        return _NOTHING
    used = _number(figures['drawn_wh'] - figures['returned_wh'], 2, unit='W h')
    return f'{_number(figures["state_of_charge"], 1, 100.0, "%")}, {used} used'


def _events(summary: dict[str, Any]) -> str:
    """Return the events of the vehicles as a table, '' without events."""
    events = summary.get('events')
    if not events:
        return ''
    rows = [
        (f'{e["t_s"]:.2f}', *map(as_text, (e['vehicle'], e['kind'].replace('_', ' '), e['source']))) for e in events
    ]
    return f'<h3>Events</h3>{as_table(("at [s]", "vehicle", "event", "source"), rows)}'


def _section(section: ReportSection, figures: PageFigures) -> str:
    """Return the HTML of a section of a package."""
    parts = ''.join(_part(part, section.title, figures) for part in section.parts)
    return f'<section><h2>{as_text(section.title)}</h2>{parts}</section>\n'


def _part(part: Caption | Heading | Figure | Table, title: str, figures: PageFigures) -> str:
    match part:
        case Heading(text):
            return f'<h3>{as_text(text)}</h3>'
        case Figure(figure, about):
            return figures.show(figure, title, about)
        case Table(head, rows):
            cells = [[as_text(cell) for cell in row] for row in rows]
            return f'<div class="scroll">{as_table([as_text(cell) for cell in head], cells)}</div>'
        case Caption(text):
            shown = _CODE.sub(r'<code>\1</code>', as_text(text))
            return f'<p class="caption">{shown}</p>'


def _ground(summary: dict[str, Any]) -> str:
    terrain, bag = summary['terrain'], summary['bag']
    found = as_table(
        ('soil nodes changed', 'deepest rut', 'conflicts merged', 'messages recorded', 'messages lost'),
        [
            (
                _number(terrain['modified_nodes'], 0),
                _number(_float(terrain['max_rut_depth_m']), 1, 1e3, 'mm'),
                _number(terrain['conflicts'], 0),
                _number(bag['messages'], 0),
                _number(bag['lost'], 0),
            )
        ],
    )
    if books := terrain.get('mass_balance'):
        rows = [(words, f'{books[key]:+.6g} kg') for key, words in _BOOKS.items()]
        found += as_table(('soil that was moved', 'mass'), rows)
    return found
