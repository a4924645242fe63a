# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of coordinate frame ids: each id occurs once in the transform tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree

from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource
from regolith_sensors.config import scenario_sensors
from regolith_vehicles import load_vehicle_model

WORLD = 'world'


def check_frames(scenario: Scenario, source: YamlSource) -> None:
    """Refuse two frames with the same id, over all vehicles, their links and their sensors.

    Args:
        scenario: Scenario with resolved models and sensors.
        source: Scenario file, for error messages.

    Raises:
        InputError: If an id occurs twice. The message states the later frame and the owner of the earlier one.
    """
    if not _may_collide(scenario):
        return
    taken = {WORLD: 'the world'}
    for frame, owner, key in (*_of_vehicles(scenario), *_of_sensors(scenario)):
        if frame in taken:
            problem = f'has the frame {frame!r}, which is already the frame of {taken[frame]}'
            raise source.error(key, problem, 'another name, or another frame_prefix of the vehicle')
        taken[frame] = owner


def _may_collide(scenario: Scenario) -> bool:
    """Return whether two frames may have the same id, judging from the text of the models without loading MuJoCo."""
    seen = {WORLD}
    for name, entry in scenario.vehicles.items():
        prefix = f'{name}/' if entry.frame_prefix is None else entry.frame_prefix
        links = _possible_links(str(entry.model))
        frames = {f'{prefix}{link}' for link in links or ()}
        if links is None or seen & frames:
            return True
        seen |= frames
    for frame, _, _ in _of_sensors(scenario):
        if frame in seen:
            return True
        seen.add(frame)
    return False


@cache
def _possible_links(model: str) -> frozenset[str] | None:
    """Return all possible frames of a model, or None if only MuJoCo can list them or two have the same name."""
    config, mjcf = load_vehicle_model(model)
    try:
        root = ElementTree.parse(mjcf).getroot()
    except (ElementTree.ParseError, OSError):
        return None
    if any(root.iter('include')) or any(root.iter('attach')) or any(root.iter('replicate')):
        return None
    bodies = {body.get('name', f'body_{k + 1}') for k, body in enumerate(root.iter('body'))}
    wheels = {f'{wheel.name}_link' for wheel in config.wheels}
    if config.frames.odom in bodies or wheels & bodies or {config.frames.base, config.frames.odom} & wheels:
        return None
    axes = {f'{joint.get("name")}_axis' for joint in root.iter('joint')}
    return frozenset({config.frames.base, config.frames.odom, *bodies, *wheels, *axes})


def _of_vehicles(scenario: Scenario) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield the frames of vehicles, the owner of each frame, and its key."""
    for name, entry in scenario.vehicles.items():
        prefix = f'{name}/' if entry.frame_prefix is None else entry.frame_prefix
        for frame, of in _links(str(entry.model)):
            yield f'{prefix}{frame}', f'{of} of {name}', ('vehicles', name)


@cache
def _links(model: str) -> tuple[tuple[str, str], ...]:
    """Return the frames of a model without their prefix, and the owner of each frame."""
    from regolith_vehicles.dynamics import compile_vehicle
    from regolith_vehicles.visuals import frame_joints

    config, mjcf = load_vehicle_model(model)
    joints = frame_joints(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)))
    links = [(joint.child, f'the link {joint.child}') for joint in joints]
    return ((config.frames.base, 'the base'), (config.frames.odom, 'odometry'), *links)


def _of_sensors(scenario: Scenario) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield the frames of sensors, the owner of each frame, and its key."""
    for sensor in scenario_sensors(scenario):
        for frame in sensor.frames:
            key: KeyPath = ('vehicles', sensor.vehicle, 'sensors', sensor.name)
            yield sensor.frame(frame.suffix), f'sensor {sensor.full_name}', key
