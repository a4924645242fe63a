# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section about sensors: contact sheets, and which topics are not recorded."""

from __future__ import annotations

from regolith_files import Caption, Figure, Heading, ReportSection, Run, Table
from regolith_sensors.config.sensors import scenario_sensors
from regolith_sensors.report.contact_sheet import sensor_sheets, unrecorded_topics

_TITLE, _ORDER = 'What the sensors saw', 10
_NONE = (
    'No vehicle has a sensor. This section shows the images of cameras (`vehicles.NAME.sensors.eye: {model: navcam}`, '
    'see docs/concepts/sensors.md).'
)
_CAPTION = (
    'Images as a display shows them (sRGB), the times simulated; below them, where recorded, depth along the optical '
    'axis (1 to 30 m, logarithmic) and classes (ground pale, rocks orange, vehicles blue, wheels light blue). Point '
    'clouds from above, x ahead to the right.'
)
_LEFT_OUT = (
    'Not recorded: {}. A few preview images of every camera are always recorded; `--set recording.sensors=true` keeps '
    'all images and clouds, `--set recording.sensors=[TOPIC]` some.'
)


def dust_parts(run: Run) -> list[Caption | Table]:
    """Return the mass balance of dust; empty without dust."""
    found = run.summary.get('dust', {})
    if not found:
        return []
    masses = [('thrown up', 'emitted_kg'), ('landed', 'landed_kg'), ('in the air at the end', 'in_flight_kg')]
    rows = [(name, f'{1e3 * found[key]:.4g}') for name, key in masses]
    rows += [(f'on {name}', f'{1e3 * mass:.4g}') for name, mass in sorted(found['on_vehicles_kg'].items())]
    if found['left_out_kg'] > 0.0:
        rows.append(('left out, because max_parcels were in the air', f'{1e3 * found["left_out_kg"]:.4g}'))
    lenses = [(name, f'{through:.4f}') for name, through in sorted(found['lens_transmission'].items())]
    return [Table(('dust', 'mass [g]'), rows), Table(('lens', 'transmission'), lenses)]


def section(run: Run) -> ReportSection:
    """Return the section about sensors."""
    sensors = scenario_sensors(run.scenario)
    if not sensors:
        return ReportSection(_TITLE, (Caption(_NONE),), _ORDER)
    parts: list[Caption | Heading | Figure | Table] = []
    for name, figure in sensor_sheets(run.bag, sensors).items():
        parts += [Heading(name), Figure(figure, f'Data of {name} over the run')]
    parts.append(Caption(_CAPTION))
    missing = unrecorded_topics(run, sensors)
    if missing:
        parts.append(Caption(_LEFT_OUT.format(', '.join(missing))))
    rows = [(topic, str(v['messages']), f'{v["rate_hz"]:.2f}') for topic, v in run.summary.get('sensors', {}).items()]
    parts += dust_parts(run)
    parts.append(Table(('topic', 'messages', 'per simulated second'), rows))
    return ReportSection(_TITLE, parts, _ORDER)
