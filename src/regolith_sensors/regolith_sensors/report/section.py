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
    'axis (1 to 30 m, logarithmic) and classes (ground pale, rocks orange, vehicles blue, wheels light blue). Lidars '
    'from above, x ahead to the right.'
)
_LEFT_OUT = (
    'Not recorded: {}. A few preview images of every camera are always recorded; `--set recording.sensors=true` keeps '
    'all images and clouds, `--set recording.sensors=[TOPIC]` some.'
)


def section(run: Run) -> ReportSection:
    """Return the section about sensors."""
    sensors = scenario_sensors(run.scenario)
    if not sensors:
        return ReportSection(_TITLE, (Caption(_NONE),), _ORDER)
    parts: list[Caption | Heading | Figure | Table] = []
    for name, figure in sensor_sheets(run.bag).items():
        parts += [Heading(name), Figure(figure, f'Data of {name} over the run')]
    parts.append(Caption(_CAPTION))
    missing = unrecorded_topics(run, sensors)
    if missing:
        parts.append(Caption(_LEFT_OUT.format(', '.join(missing))))
    rows = [(topic, str(v['messages']), f'{v["rate_hz"]:.2f}') for topic, v in run.summary.get('sensors', {}).items()]
    parts.append(Table(('topic', 'messages', 'per simulated second'), rows))
    return ReportSection(_TITLE, parts, _ORDER)
