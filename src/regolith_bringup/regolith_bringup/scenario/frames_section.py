# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ids of all coordinate frames of a scenario: one tree of transforms holds each of them once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree

from regolith_bringup.scenario.schema import Scenario
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_sensors.config.sensors import scenario_sensors
from regolith_vehicles.config import load_vehicle_model

WORLD = 'world'


def check_frames(scenario: Scenario, source: YamlSource) -> None:
    """Refuse two frames with one id, over all vehicles, their parts and their sensors.

    Args:
        scenario: with resolved models and sensors

    Raises:
        InputError: naming the later one, and the owner of the frame
    """
    if not _may_collide(scenario):
        return
    taken = {WORLD: 'the world'}
    for frame, owner, key in (*_of_vehicles(scenario), *_of_sensors(scenario)):
        if frame in taken:
            problem = f'has the frame {frame!r}, which is that of {taken[frame]}, too'
            raise source.error(key, problem, 'another name, or another frame_prefix of the vehicle')
        taken[frame] = owner


def _may_collide(scenario: Scenario) -> bool:
    """Return whether two frames may have one id, as far as the text of the models says; MuJoCo takes long to load."""
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
    """Return all frames a model may have; None: it takes MuJoCo to say, or two of them have one name."""
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
    """Yield the frames of vehicles, the owner of each, and its key."""
    for name, entry in scenario.vehicles.items():
        prefix = f'{name}/' if entry.frame_prefix is None else entry.frame_prefix
        for frame, of in _links(str(entry.model)):
            yield f'{prefix}{frame}', f'{of} of {name}', ('vehicles', name)


@cache
def _links(model: str) -> tuple[tuple[str, str], ...]:
    """Return the frames of a model without their prefix, and what has each."""
    from regolith_vehicles.description.urdf import frame_joints
    from regolith_vehicles.dynamics.multibody import compile_vehicle

    config, mjcf = load_vehicle_model(model)
    joints = frame_joints(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)))
    links = [(joint.child, f'the link {joint.child}') for joint in joints]
    return ((config.frames.base, 'the base'), (config.frames.odom, 'odometry'), *links)


def _of_sensors(scenario: Scenario) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield the frames of sensors, the owner of each, and its key."""
    for sensor in scenario_sensors(scenario):
        for frame in sensor.frames:
            key: KeyPath = ('vehicles', sensor.vehicle, 'sensors', sensor.name)
            yield sensor.frame(frame.suffix), f'sensor {sensor.full_name}', key
