# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors and lights of vehicles in a scenario: validation, resolution, recorded topics."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from regolith_bringup.bag.topics import RecordedTopic
from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource, rounded_text, validated, value_at
from regolith_sensors import LAMP_HOUSING_M
from regolith_sensors.config import (
    SensorEntry,
    SpotlightConfig,
    all_sensor_types,
    check_stereo_pair,
    resolved_sensor_entry,
    scenario_sensors,
)
from regolith_sensors.inertial import OriginPlace, receiver_with_place
from regolith_terrain.crm import machine_memory_gb
from regolith_vehicles import VehicleEntry, load_vehicle_model
from regolith_world import check_name

_TAKEN = (
    'agent',
    'ground_truth',
    'odom',
    'joint_states',
    'wheel_states',
    'wheeled_state',
    'wheeled_description',
    'events',
    'robot_description',
    'visual_description',
    'part_poses',
    'tracked_description',
    'tracked_state',
    'cmd_vel',
    'ackermann_cmd',
    'driver_inputs',
    'joint_command',
    'soil_surfels',
)
"""Reserved names: nodes and topics in the namespace of a vehicle."""
LARGE_FRAME_GB = 2.0
"""Memory of a frame above which ``check`` warns [10^9 B]."""
FAR_M = 10.0
"""Maximum distance of a sensor or light from its vehicle [m]. A larger one indicates a wrong unit or frame."""


def dates_to_text(source: YamlSource) -> None:
    """Convert the time of the sun position to text if YAML parsed it as a date."""
    light = source.data.get('light')
    sun = light.get('sun') if isinstance(light, dict) else None
    if isinstance(sun, dict) and isinstance(sun.get('utc'), datetime):
        sun['utc'] = sun['utc'].isoformat()


def resolved_sensors(
    name: str, entry: VehicleEntry, source: YamlSource, origin: OriginPlace | None = None
) -> dict[str, Any]:
    """Return the resolved ``sensors`` and ``lights`` of a vehicle, with models and rates written out.

    Args:
        name: Name of the vehicle.
        entry: Section of the vehicle.
        source: Scenario file.
        origin: Geodetic position of the world origin, None if unknown.

    Raises:
        InputError: If a sensor or light is not valid. The message states file, key, value and allowed values.
    """
    at: KeyPath = ('vehicles', name, 'sensors')
    entries: dict[str, SensorEntry] = {}
    for sensor, values in entry.sensors.items():
        check_name(sensor, (*at, sensor), source, _TAKEN)
        given = validated(SensorEntry, values if values is not None else {}, source, (*at, sensor))
        found = resolved_sensor_entry(given, source, (*at, sensor))
        if isinstance(found.model, dict) and all_sensor_types()[found.model['type']].placed:
            found = found.model_copy(update={'model': receiver_with_place(found.model, origin, source, (*at, sensor))})
        entries[sensor] = found
    for sensor, checked in entries.items():
        if checked.stereo_with is not None:
            check_stereo_pair(entries, sensor, source, (*at, sensor))
    lights = {}
    for lamp, values in entry.spotlights.items():
        key: KeyPath = ('vehicles', name, 'spotlights', lamp)
        lights[lamp] = validated(SpotlightConfig, values if values is not None else {}, source, key).model_dump(
            mode='json'
        )
    return {'sensors': {s: e.model_dump(mode='json') for s, e in sorted(entries.items())}, 'spotlights': lights}


def recorded_sensor_topics(scenario: Scenario) -> tuple[RecordedTopic, ...]:
    """Return the recorded topics of sensors.

    ``recording.sensors`` selects them: true = all, false = none, a list = these topics (``/VEHICLE/SENSOR/…``) or
    prefixes. The default is all except images and point clouds.
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


def check_frame_memory(scenario: Scenario, source: YamlSource) -> None:
    """Refuse sensors whose frames do not fit into the memory of this machine, and warn of very large ones.

    Args:
        scenario: Resolved scenario with models of sensors written out.
        source: Scenario file, for messages.
    """
    there = machine_memory_gb()
    for sensor in scenario_sensors(scenario):
        need = 1e-9 * getattr(sensor.config, 'frame_bytes', 0)
        if need <= LARGE_FRAME_GB:
            continue
        problem = f'makes frames that take {rounded_text(need)} GB of memory'
        key: KeyPath = ('vehicles', sensor.vehicle, 'sensors', sensor.name, 'model')
        for size in ('width', 'columns'):
            if value_at(source.data, (*key, size)) is not None:
                key = (*key, size)
        value, fix = value_at(source.data, key), 'fewer pixels, beams or rays'
        if need > there:
            raise source.error(key, problem, f'up to {rounded_text(there, 3)} GB on this machine; fix: {fix}', value)
        source.warn(key, problem, fix, value)


def note_dust(scenario: Scenario, source: YamlSource) -> None:
    """Note that dust which no sensor can see is not computed."""
    if scenario.dust is not None and not scenario_sensors(scenario):
        source.warn(('dust',), 'has no effect, because no vehicle has a sensor', 'a sensor that sees it', kind='note')


def check_mounts(scenario: Scenario, source: YamlSource) -> None:
    """Refuse sensors and lights far from their vehicle, and those inside or on a part of it.

    Inside a part, sensors that see are blind. Other sensors are accepted there. Lights are accepted up to HOUSING_M
    deep in a part, which is their housing.

    Args:
        scenario: Resolved scenario with models of vehicles and sensors written out.
        source: Scenario file, for error messages.
    """
    mounts = [
        (sensor.vehicle, ('sensors', sensor.name), sensor.mount, 0.0 if sensor.kind.sees else math.inf)
        for sensor in scenario_sensors(scenario)
    ]
    for name, entry in sorted(scenario.vehicles.items()):
        lamps = {lamp: SpotlightConfig.model_validate(values) for lamp, values in sorted(entry.spotlights.items())}
        mounts += [(name, ('spotlights', lamp), values.mount, LAMP_HOUSING_M) for lamp, values in lamps.items()]
    if not mounts:
        return
    # Imported here because loading MuJoCo takes longer than all other checks.
    from regolith_sensors.scene import MIN_SENSOR_CLEARANCE_M, nearest_part
    from regolith_vehicles import load_visuals
    from regolith_vehicles.visuals import VisualDescription

    shapes: dict[str, VisualDescription] = {}
    for vehicle, path, mount, depth in mounts:
        model = scenario.vehicles[vehicle].model
        if model not in shapes:
            shapes[model] = load_visuals(*load_vehicle_model(model))
        part, apart = nearest_part(shapes[model], mount.position)
        key = ('vehicles', vehicle, *path, 'mount', 'xyz')
        if FAR_M < apart < math.inf:
            problem = f'is {rounded_text(apart, 4)} m from all parts of its own vehicle'
            raise source.error(key, problem, f'a place within {FAR_M:g} m of them', list(mount.xyz))
        # A light may be inside its housing. A sensor that does not see may be anywhere.
        if apart >= MIN_SENSOR_CLEARANCE_M or (depth > 0.0 and apart > -depth):
            continue
        where = f'is {-apart:.3g} m inside' if apart < -MIN_SENSOR_CLEARANCE_M else 'is on the surface of'
        allowed = f'a place at least {MIN_SENSOR_CLEARANCE_M:g} m outside all parts of the vehicle'
        if depth > 0.0:
            allowed += f', or up to {depth:g} m inside'
        raise source.error(key, f'{where} {part!r}, a part of its own vehicle', allowed, list(mount.xyz))
