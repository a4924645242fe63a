# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of a scenario that name topics or participants: checked against those that the scenario has."""

from __future__ import annotations

import numpy as np

from regolith_bringup.bag.topics import LINE, RecordedTopic, is_topic, recorded_topics
from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import allowed_names
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_sensors.config.sensors import scenario_sensors
from regolith_vehicles.commands.command_interfaces import TYPES, taken_topics
from regolith_vehicles.config import load_vehicle_model
from regolith_world.config import InputBarrier


def check_participant_names(scenario: Scenario, source: YamlSource) -> None:
    """Refuse faults for participants that the scenario does not have: they would never occur."""
    chaos = scenario.world.fault_injection
    if chaos is None:
        return
    known = sorted({*scenario.vehicles, 'terrain', *sections(scenario)})
    for key, names in (('drop_result_at', chaos.drop_result_at), ('max_delay_s', chaos.max_delay_s)):
        for name in (name for name in names if name not in known):
            path: KeyPath = ('world', 'fault_injection', key, name)
            raise source.error(path, 'is not a participant of this scenario', allowed_names(known, name), names[name])


def with_barrier_type(scenario: Scenario, models: dict[str, str], source: YamlSource) -> Scenario:
    """Return a scenario with the message type of its barrier written out, which the world reads.

    Args:
        models: as of :func:`regolith_bringup.scenario.vehicle_section.resolved_models`

    Raises:
        InputError: if the topic is a command topic that its vehicle does not subscribe to, or if the type is neither
            given nor known, not installed, or not the one of the vehicle's topic
    """
    barrier = scenario.world.input_barrier
    if barrier is None:
        return scenario
    name = _barrier_type(barrier, scenario, models, source)
    _check_type(name, ('world', 'input_barrier', 'type'), source)
    world = scenario.world.model_copy(update={'input_barrier': barrier.model_copy(update={'type': name})})
    return scenario.model_copy(update={'world': world})


def _barrier_type(barrier: InputBarrier, scenario: Scenario, models: dict[str, str], source: YamlSource) -> str:
    """Return the message type of a barrier: the given one, or that of the vehicle's topic."""
    at: KeyPath = ('world', 'input_barrier')
    name = barrier.topic
    if not is_topic(name):
        raise source.error((*at, 'topic'), 'is no topic', 'an absolute name, e.g. /amber/cmd_vel', name)
    _, vehicle, topic, *more = [*name.split('/'), '']
    own = TYPES.get(topic, ()) if vehicle in scenario.vehicles and more == [''] else ()
    if own or barrier.type is None:
        taken = {each: topics_of_model(model) for each, model in models.items()}
        if topic not in taken.get(vehicle, ()) or not own:
            allowed = allowed_names([f'/{each}/{one}' for each in sorted(taken) for one in taken[each]], name)
            if own:
                raise source.error((*at, 'topic'), f'vehicle {vehicle} does not subscribe to it', allowed, name)
            problem = 'no vehicle subscribes to it, and type is missing'
            raise source.error((*at, 'topic'), problem, f'{allowed}; or another topic with its type', name)
    if own and barrier.type not in (None, *own):
        raise source.error((*at, 'type'), f'is not the type of {name}', ' or '.join(own), barrier.type)
    return barrier.type or own[0]


def topics_of_model(model: str) -> tuple[str, ...]:
    """Return the command topics of vehicles of a model, without their namespace.

    Args:
        model: a known name, or an absolute path
    """
    from regolith_vehicles.dynamics.multibody import compile_vehicle
    from regolith_vehicles.running_gear_registry import (
        make_running_gear,
    )  # brings the kernels of all gears, which take long to load

    config, mjcf = load_vehicle_model(model)
    return taken_topics(make_running_gear(config, compile_vehicle(config, mjcf, np.zeros(3)), mjcf))


def check_recorded(scenario: Scenario, source: YamlSource) -> None:
    """Refuse topics in ``recording.sensors`` that no sensor publishes, and some in ``recording.topics``.

    There, of a topic of a sensor no frame would be awaited, so that some would be missing in the bag; a topic that is
    recorded anyway keeps its type; others need one.

    Args:
        scenario: resolved: models of sensors written out
    """
    names = [name for sensor in scenario_sensors(scenario) for name, _ in sensor.topics]
    always = {topic.name: topic.type_name for topic in recorded_topics(scenario.vehicles)}
    for number, line in enumerate(scenario.recording.topics):
        key: KeyPath = ('recording', 'topics', number)
        topic = line.partition('|')[0]
        if topic in names:
            allowed = f'topics of other nodes here; fix: recording.sensors: [{topic}] records it'
            raise source.error(key, 'is a topic of a sensor', allowed, line)
        if '|' not in line:
            problem = 'is recorded anyway' if topic in always else 'is not published by a sensor, and lacks its type'
            raise source.error(key, problem, f"topics of other nodes, '{LINE}'", line)
        type_name = RecordedTopic.parse(line).type_name
        if always.get(topic, type_name) != type_name:
            raise source.error(key, 'is recorded with another type anyway', always[topic], line)
        _check_type(type_name, key, source)
    wanted = scenario.recording.sensors
    if wanted is None or isinstance(wanted, bool):
        return
    for number, topic in enumerate(wanted):
        if not any(name == topic or name.startswith(topic.rstrip('/') + '/') for name in names):
            raise source.error(
                ('recording', 'sensors', number), 'no sensor publishes it', allowed_names(names, topic), topic
            )


def _check_type(type_name: str, key: KeyPath, source: YamlSource) -> None:
    """Refuse a message type that is not installed, before recorder and world would."""
    from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text

    try:
        schema_text(type_name)
    except UnknownTypeError as error:
        allowed = 'package/msg/Type of a message package that is installed'
        raise source.error(key, str(error).partition('; allowed: ')[0], allowed, type_name) from None
