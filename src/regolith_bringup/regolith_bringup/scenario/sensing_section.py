# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensors and lamps of a scenario's vehicles: checking, resolving, recorded topics."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from regolith_bringup.bag.topics import RecordedTopic
from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import one_of
from regolith_files.validation import validated
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_sensors.scenario_config import (
    Lamp,
    SensorEntry,
    check_pair,
    resolved_entry,
    scenario_sensors,
)
from regolith_vehicles.config import VehicleEntry
from regolith_world.names import check_name

_TAKEN = (
    'agent', 'ground_truth', 'odom', 'joint_states', 'wheel_states', 'vehicle_state', 'description', 'events',
    'robot_description', 'parts', 'part_poses', 'tracked_description', 'tracked_state', 'cmd_vel', 'ackermann_cmd',
    'driver_inputs', 'joint_command', 'particles',
)
"""Taken names: nodes and topics in a vehicle's namespace."""


def plain_times(source: YamlSource) -> None:
    """Turn the sun's time into text, if YAML read it as a date."""
    light = source.data.get('light')
    sun = light.get('sun') if isinstance(light, dict) else None
    if isinstance(sun, dict) and isinstance(sun.get('utc'), datetime):
        sun['utc'] = sun['utc'].isoformat()


def resolved_sensing(
    name: str, entry: VehicleEntry, source: YamlSource
) -> dict[str, Any]:
    """Return the resolved ``sensors`` and ``lights`` of a vehicle: models written out, with rates.

    :param name: of the vehicle
    :param entry: its section
    :param source: its file
    :raises InputError: naming file, key, value and what is allowed
    """
    at: KeyPath = ('vehicles', name, 'sensors')
    entries: dict[str, SensorEntry] = {}
    for sensor, values in entry.sensors.items():
        check_name(sensor, (*at, sensor), source, _TAKEN)
        given = validated(SensorEntry, values if values is not None else {}, source, (*at, sensor))
        entries[sensor] = resolved_entry(given, source, (*at, sensor))
    for sensor, checked in entries.items():
        if checked.stereo_with is not None:
            check_pair(entries, sensor, source, (*at, sensor))
    lights = {}
    for lamp, values in entry.lights.items():
        key: KeyPath = ('vehicles', name, 'lights', lamp)
        lights[lamp] = validated(Lamp, values if values is not None else {}, source, key).model_dump(mode='json')
    return {'sensors': {s: e.model_dump(mode='json') for s, e in sorted(entries.items())}, 'lights': lights}


def recorded_sensor_topics(scenario: Scenario) -> tuple[RecordedTopic, ...]:
    """Return the recorded topics of sensors.

    ``recording.sensors``: true: all; false: none; a list: those with these names (``/VEHICLE/SENSOR/…``) or prefixes;
    by default all but images and clouds.
    """
    wanted = scenario.recording.sensors
    found = []
    for sensor in scenario_sensors(scenario):
        for name, output in sensor.topics:
            if wanted is None:
                take = not output.large
            elif isinstance(wanted, bool):
                take = wanted
            else:
                take = any(name == w or name.startswith(w.rstrip('/') + '/') for w in wanted)
            if take:
                found.append(RecordedTopic(name, output.message, 'state', 1))
    return tuple(found)


def check_recorded(scenario: Scenario, source: YamlSource) -> None:
    """Refuse topics in ``recording.sensors`` that no sensor publishes, and in ``recording.topics`` that one does.

    For the latter no frame would be awaited, so that some would be missing in the bag.
    """
    names = [name for sensor in scenario_sensors(scenario) for name, _ in sensor.topics]
    for number, line in enumerate(scenario.recording.topics):
        topic = RecordedTopic.parse(line).name
        if topic in names:
            allowed = f'topics of other nodes here; recording.sensors: [{topic}] records it'
            raise source.error(('recording', 'topics', number), 'is a topic of a sensor', allowed, line)
    wanted = scenario.recording.sensors
    if wanted is None or isinstance(wanted, bool):
        return
    for number, topic in enumerate(wanted):
        if not any(name == topic or name.startswith(topic.rstrip('/') + '/') for name in names):
            raise source.error(
                ('recording', 'sensors', number), 'no sensor publishes it', one_of(names, topic), topic
            )
