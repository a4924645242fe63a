# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor entries of ``summary.json``: messages and rates by topic."""

from __future__ import annotations

import json
from typing import Any

from regolith_files import Run
from regolith_sensors.config.sensors import scenario_sensors

DUST_SUMMARY = 'dust_summary.json'
"""File of the sensors node in a run folder."""
_TYPES = ('Image', 'CompressedImage', 'PointCloud2', 'Imu', 'NavSatFix', 'LaserScan')
"""Message types of sensors; topics of a user's own nodes also count."""


def dust_summary(run: Run) -> dict[str, Any]:
    """Return the mass balance of dust and the transmission of lenses; empty without dust or without sensors."""
    file = run.folder / DUST_SUMMARY
    return dict(json.loads(file.read_text())) if file.is_file() else {}


def sensor_summary(run: Run) -> dict[str, Any]:
    """Return ``{TOPIC: {messages, rate_hz}}`` of the recorded sensor topics."""
    published = {name for sensor in scenario_sensors(run.scenario) for name, _ in sensor.topics}
    simulated = run.simulated_s
    return {
        name: {'messages': topic.messages, 'rate_hz': topic.messages / simulated if simulated > 0.0 else 0.0}
        for name, topic in run.recorded.items()
        if name in published or topic.type_name in {f'sensor_msgs/msg/{kind}' for kind in _TYPES}
    }
