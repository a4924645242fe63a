# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor sections of a scenario: sensor types, sensors, lighting, stereo.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.config.dust import DustConfig as DustConfig
    from regolith_sensors.config.lighting import LightConfig as LightConfig
    from regolith_sensors.config.lighting import SpotlightConfig as SpotlightConfig
    from regolith_sensors.config.sensor_types import SensorEntry as SensorEntry
    from regolith_sensors.config.sensor_types import all_sensor_types as all_sensor_types
    from regolith_sensors.config.sensors import lossless_streams as lossless_streams
    from regolith_sensors.config.sensors import max_sensor_lag_s as max_sensor_lag_s
    from regolith_sensors.config.sensors import resolved_sensor_entry as resolved_sensor_entry
    from regolith_sensors.config.sensors import scenario_sensors as scenario_sensors
    from regolith_sensors.config.stereo import check_stereo_pair as check_stereo_pair

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'dust': ('DustConfig',),
        'lighting': (
            'LightConfig',
            'SpotlightConfig',
        ),
        'sensor_types': (
            'SensorEntry',
            'all_sensor_types',
        ),
        'sensors': (
            'lossless_streams',
            'max_sensor_lag_s',
            'resolved_sensor_entry',
            'scenario_sensors',
        ),
        'stereo': ('check_stereo_pair',),
    },
)
