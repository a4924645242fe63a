# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of keys that name topics or participants of a scenario."""

from __future__ import annotations

import numpy as np

from regolith_bringup.bag.topics import LINE, RecordedTopic, is_topic, recorded_topics
from regolith_bringup.scenario.participant_sections import sections
from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource, allowed_names
from regolith_sensors.config import scenario_sensors
from regolith_vehicles import load_vehicle_model
from regolith_vehicles.commands import COMMAND_TYPES, used_command_topics
from regolith_world import InputBarrier


def check_participant_names(scenario: Scenario, source: YamlSource) -> None:
    """Refuse injected faults of participants that the scenario does not have."""
    chaos = scenario.world.fault_injection
    if chaos is None:
        return
    known = sorted({*scenario.vehicles, 'terrain', *sections(scenario)})
    for key, names in (('drop_result_at', chaos.drop_result_at), ('max_delay_s', chaos.max_delay_s)):
        for name in (name for name in names if name not in known):
            path: KeyPath = ('world', 'fault_injection', key, name)
            raise source.error(path, 'is not a participant of this scenario', allowed_names(known, name), names[name])


def with_barrier_type(scenario: Scenario, models: dict[str, str], source: YamlSource) -> Scenario:
    """Return the scenario with the message type of its input barrier written out.

    Args:
        scenario: Checked scenario.
        models: Vehicle models, see :func:`regolith_bringup.scenario.vehicle_section.resolved_models`.
        source: Scenario file, for error messages.

    Raises:
        InputError: If the vehicle does not subscribe to the command topic, or if the type is unknown, not installed, or
            not the type of the command topic.
    """
    barrier = scenario.world.input_barrier
    if barrier is None:
        return scenario
    name = _barrier_type(barrier, scenario, models, source)
    _check_type(name, ('world', 'input_barrier', 'type'), source)
    world = scenario.world.model_copy(update={'input_barrier': barrier.model_copy(update={'type': name})})
    return scenario.model_copy(update={'world': world})


def _barrier_type(barrier: InputBarrier, scenario: Scenario, models: dict[str, str], source: YamlSource) -> str:
    """Return the message type of a barrier: as configured, or the type of the command topic."""
    at: KeyPath = ('world', 'input_barrier')
    name = barrier.topic
    if not is_topic(name):
        raise source.error((*at, 'topic'), 'is not a topic', 'an absolute name, e.g. /amber/cmd_vel', name)
    _, vehicle, topic, *more = [*name.split('/'), '']
    own = COMMAND_TYPES.get(topic, ()) if vehicle in scenario.vehicles and more == [''] else ()
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
    """Return the command topics of a vehicle model, without their namespace.

    Args:
        model: Known name, or absolute path.
    """
    from regolith_vehicles import make_running_gear  # imports the kernels of all running gears, which takes long
    from regolith_vehicles.dynamics import compile_vehicle

    config, mjcf = load_vehicle_model(model)
    return used_command_topics(make_running_gear(config, compile_vehicle(config, mjcf, np.zeros(3)), mjcf))


def check_recorded(scenario: Scenario, source: YamlSource) -> None:
    """Refuse topics in ``recording.sensors`` that no sensor publishes, and some topics in ``recording.topics``.

    A sensor topic in ``recording.topics`` is refused: the recorder would not wait for its messages, and some would be
    missing in the bag. A topic that is always recorded keeps its type. Other topics need a type.

    Args:
        scenario: Resolved scenario with sensor models written out.
        source: Scenario file, for error messages.
    """
    names = [name for sensor in scenario_sensors(scenario) for name, _ in sensor.topics]
    always = {topic.name: topic.type_name for topic in recorded_topics(scenario.vehicles)}
    for number, line in enumerate(scenario.recording.topics):
        key: KeyPath = ('recording', 'topics', number)
        topic = line.partition('|')[0]
        if topic in names:
            allowed = f'topics of other nodes; fix: use recording.sensors: [{topic}]'
            raise source.error(key, 'is a topic of a sensor', allowed, line)
        if '|' not in line:
            problem = 'is always recorded' if topic in always else 'is not published by a sensor, and lacks its type'
            raise source.error(key, problem, f"topics of other nodes, '{LINE}'", line)
        type_name = RecordedTopic.parse(line).type_name
        if always.get(topic, type_name) != type_name:
            raise source.error(key, 'is always recorded, with another type', always[topic], line)
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
    """Refuse a message type that is not installed."""
    from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text

    try:
        schema_text(type_name)
    except UnknownTypeError as error:
        allowed = 'package/msg/Type of a message package that is installed'
        raise source.error(key, str(error).partition('; allowed: ')[0], allowed, type_name) from None
