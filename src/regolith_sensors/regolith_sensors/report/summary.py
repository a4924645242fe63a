# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor entries of ``summary.json``: messages and rates by topic."""

from __future__ import annotations

from typing import Any

from regolith_files import Run
from regolith_sensors.config.sensors import scenario_sensors

_TYPES = ('Image', 'CompressedImage', 'PointCloud2', 'Imu', 'NavSatFix', 'LaserScan')
"""Message types of sensors; topics of a user's own nodes also count."""


def sensor_summary(run: Run) -> dict[str, Any]:
    """Return ``{TOPIC: {messages, rate_hz}}`` of the recorded sensor topics."""
    published = {name for sensor in scenario_sensors(run.scenario) for name, _ in sensor.topics}
    simulated = run.simulated_s
    return {
        name: {'messages': topic.messages, 'rate_hz': topic.messages / simulated if simulated > 0.0 else 0.0}
        for name, topic in run.recorded.items()
        if name in published or topic.type_name in {f'sensor_msgs/msg/{kind}' for kind in _TYPES}
    }
