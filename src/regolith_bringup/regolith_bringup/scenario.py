# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: their schema, and how one is read, checked whole and resolved before anything starts.

A *resolved* scenario stands by itself: soils are written out, file names are absolute, the command line's wishes are
in it. It is what every node of a run reads, and what a run folder keeps.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field

from regolith_bringup.comms_section import resolved_comms
from regolith_bringup.given_paths import kept_off_paths
from regolith_bringup.library import find_scenarios
from regolith_bringup.problems import Problem, ScenarioError, one_of, shown
from regolith_bringup.recorder import write_atomically
from regolith_bringup.sensing_section import check_recorded, plain_times, resolved_sensing
from regolith_bringup.topics import RecordedTopic, is_topic
from regolith_bringup.validation import validated
from regolith_bringup.vehicle_section import resolved_models
from regolith_bringup.yaml_source import KeyPath, YamlSource, parse_value
from regolith_comms.config import CommsConfig
from regolith_sensors.scenario_config import LightConfig
from regolith_terrain.config import SoilConfig, TerrainConfig, load_soil, soil_names
from regolith_vehicles.config import PathDriverConfig, VehicleEntry
from regolith_world.config import SHORTEST_S, Section, WorldConfig
from regolith_world.paths import resolved

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'comms', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Taken by nodes, participants and topics of ours and of ROS 2."""

LONGEST_NAME = 60
"""Letters of a vehicle's, sensor's or station's name: ROS 2 takes topics of 240 or so, and a topic may hold three."""


def _ros_name(name: str) -> str:
    if len(name) > LONGEST_NAME or not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', name):
        raise ValueError(
            f'{shown(name)} cannot be a ROS 2 name; allowed: letters, digits and single underscores, a letter '
            f'first, at most {LONGEST_NAME} of them'
        )
    if name in RESERVED_NAMES:
        raise ValueError(f'{name!r} is taken; allowed: any name but {", ".join(RESERVED_NAMES)}')
    return name


def _folder_name(name: str) -> str:
    if not name.isprintable() or '/' in name or name.startswith('.') or len(name.encode()) > 200:
        raise ValueError(
            f'{shown(name)} cannot name a run folder; allowed: up to 200 bytes of printable text without "/", '
            'no dot first'
        )
    return name


def _topic_line(line: str) -> str:
    try:
        return RecordedTopic.parse(line).line()
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f'topics: {shown(line)}: ')) from None


VehicleName = Annotated[str, AfterValidator(_ros_name)]


class RecordingConfig(Section):
    """What goes into the bag."""

    enabled: bool = Field(True, description='whether a bag is written')
    topics: tuple[Annotated[str, AfterValidator(_topic_line)], ...] = Field(
        (), description="further topics, each '/name|package/msg/Type' (and '|state', '|latched' or '|sensor')"
    )
    sensors: bool | tuple[str, ...] | None = Field(
        None, description='true: all that sensors publish; false: nothing; a list: these topics; null: all but images'
    )


class Scenario(Section):
    """One run: a world, its ground, what drives on it, what is recorded."""

    name: Annotated[str, AfterValidator(_folder_name)] = Field(
        min_length=1, description='of the run in reports; the file name if left out'
    )
    description: str = Field('', description='one line for ./regolith scenarios')
    duration_s: float = Field(30.0, ge=SHORTEST_S, le=1e7, description='simulated time [s]')
    seed: int = Field(0, ge=0, lt=2**63, description='of everything random')
    speed: Annotated[float, Field(ge=1e-3, le=1e6)] | Literal['max'] = Field(
        'max', description='cap on simulated seconds per wall second; 1.0 is real time'
    )
    world: WorldConfig = Field(default_factory=lambda: WorldConfig.model_validate({}))
    terrain: TerrainConfig = Field(default_factory=lambda: TerrainConfig.model_validate({}))
    vehicles: dict[VehicleName, VehicleEntry] = Field(default_factory=dict, description='name -> vehicle')
    light: LightConfig = Field(default_factory=lambda: LightConfig.model_validate({}))
    comms: CommsConfig | None = Field(None, description='radios; none: nobody talks')
    recording: RecordingConfig = Field(default_factory=lambda: RecordingConfig.model_validate({}))


@dataclass(frozen=True)
class ResolvedScenario:
    """A scenario that was found, read and checked."""

    scenario: Scenario
    file: Path
    """Where it came from, absolute."""


def load_scenario(
    path_or_name: str | Path,
    overrides: Iterable[str] = (),
    *,
    seed: int | None = None,
    duration_s: float | None = None,
    speed: str | float | None = None,
    record: bool | None = None,
) -> ResolvedScenario:
    """Read, check and resolve a scenario.

    :param path_or_name: a YAML file, or the name of a scenario that ships (see :func:`find_scenarios`)
    :param overrides: ``a.b=value`` with the value in YAML; relative file names in them start at the working directory
    :param seed: if given, replaces the file's
    :param duration_s: if given, replaces the file's [s]
    :param speed: if given, replaces the file's: a number or 'max'
    :param record: if given, replaces ``recording.enabled``
    :raises ScenarioError: if anything at all is wrong with it
    """
    source = YamlSource(scenario_file(path_or_name))
    for override in overrides:
        _apply(source, override)
    options: tuple[tuple[KeyPath, Any, str], ...] = (
        (('seed',), seed, '--seed'),
        (('duration_s',), duration_s, '--duration'),
        (('speed',), parse_value(speed, '--speed') if isinstance(speed, str) else speed, '--speed'),
        (('recording', 'enabled'), record, '--no-record'),
    )
    for path, value, option in options:
        if value is not None:
            source.override(path, value, option if record is value else f'{option} {value}')
    source.data.setdefault('name', source.file.stem)
    _resolve_terrain(source)
    plain_times(source)
    scenario = validated(Scenario, source.data, source)
    _check_raster(scenario, source)
    _check_types(scenario, source)
    models = resolved_models(scenario, source)
    sensing = {name: resolved_sensing(name, e, source, _ros_name) for name, e in scenario.vehicles.items()}
    changed: dict[str, Any] = {
        'vehicles': {
            n: e.model_copy(update={'model': models[n], **sensing[n]}) for n, e in scenario.vehicles.items()
        }
    }
    check_recorded(scenario.model_copy(update=changed), source)
    if scenario.terrain.has_rocks and scenario.terrain.rocks_off_paths:
        changed['terrain'] = kept_off_paths(scenario.model_copy(update=changed))
    if scenario.comms is not None:
        changed['comms'] = resolved_comms(scenario, source, _ros_name)
    return ResolvedScenario(scenario.model_copy(update=changed), source.file.resolve())


def scenario_file(path_or_name: str | Path) -> Path:
    """Return the file of a scenario given by path or by the name of one that ships.

    :raises ScenarioError: if there is neither
    """
    path = Path(path_or_name)
    if os.path.isfile(path):
        return path
    known = find_scenarios()
    if str(path_or_name) in known:
        return known[str(path_or_name)]
    allowed = f'the path of a YAML file, or one of {one_of(known, path_or_name)}'
    raise ScenarioError(Problem(str(path_or_name), 'scenario', 'no such file or scenario', allowed))


def write_resolved(scenario: Scenario, path: str | Path) -> None:
    """Write a resolved scenario, which :func:`regolith_world.config.load_section` reads section by section."""
    head = '# A scenario as resolved: soils written out, file names absolute, options of the command line included.\n'
    body = yaml.safe_dump(scenario.model_dump(mode='json'), sort_keys=False, allow_unicode=True, width=120)
    write_atomically(Path(path), head + body)


def _apply(source: YamlSource, override: str) -> None:
    key, equals, text = override.partition('=')
    option = f'--set {override}' if len(override) <= 100 else f'--set {override[:99]}…'
    parts = tuple(part.strip() for part in key.split('.'))
    if not equals or not all(parts):
        raise ScenarioError(Problem(option, '', 'is not a setting', 'key=value or section.key=value'))
    value = parse_value(text, option, key)
    if parts[:2] == ('terrain', 'soil') and len(parts) > 2:
        # One value of a named soil may be changed: the soil is written out first.
        terrain = source.data.get('terrain')
        if terrain is None or isinstance(terrain, dict):
            soil = (terrain or {}).get('soil', 'lunar_nominal')
            if isinstance(soil, str):
                source.override(('terrain', 'soil'), _soil_values(soil, source), option)
    source.override(parts, value, option)


def _resolve_terrain(source: YamlSource) -> None:
    terrain = source.data.get('terrain')
    if not isinstance(terrain, dict):
        return
    if 'soil' in terrain:
        soil = terrain['soil']
        if isinstance(soil, str):
            terrain['soil'] = _soil_values(soil, source)
        elif isinstance(soil, dict):
            terrain['soil'] = _checked_soil({'name': 'custom', **soil}, source, ('terrain', 'soil'))
        else:
            allowed = f'a mapping of values, the path of a soil YAML, or one of {one_of(soil_names())}'
            raise source.error(('terrain', 'soil'), 'has the wrong type', allowed, soil)
    regions = terrain.get('regions')
    for number, region in enumerate(regions if isinstance(regions, list) else ()):
        if isinstance(region, dict) and isinstance(region.get('soil'), str):
            region['soil'] = _soil_values(region['soil'], source, ('terrain', 'regions', number, 'soil'))
    ground = terrain.get('source')
    if isinstance(ground, str) and ground not in ('procedural', 'flat'):
        path = resolved(source.base_dir(('terrain', 'source')) / ground)
        if not os.path.isfile(path):
            allowed = f"the path of a GeoTIFF, PDS3 label or .npy, or one of {one_of(('procedural', 'flat'), ground)}"
            raise source.error(('terrain', 'source'), f'no such file ({path})', allowed, ground)
        terrain['source'] = str(path)


def _soil_values(soil: str, source: YamlSource, key: KeyPath = ('terrain', 'soil')) -> dict[str, Any]:
    """Return the values of a soil given by name or by file."""
    if soil in soil_names():
        return load_soil(soil).model_dump(mode='json')
    path = resolved(source.base_dir(key) / soil)
    if not os.path.isfile(path):
        allowed = f'a mapping of values, the path of a soil YAML, or one of {one_of(soil_names(), soil)}'
        raise source.error(key, f'no such soil and no such file ({path})', allowed, soil)
    inner = YamlSource(path, what='a soil')
    return _checked_soil({'name': path.stem, **inner.data}, inner, ())


def _checked_soil(values: dict[str, Any], source: YamlSource, prefix: KeyPath) -> dict[str, Any]:
    return validated(SoilConfig, values, source, prefix).model_dump(mode='json')


def _check_raster(scenario: Scenario, source: YamlSource) -> None:
    """Open an imported ground now: a projection in degrees or a hole in it must not show in the middle of a run."""
    if scenario.terrain.source in ('procedural', 'flat'):
        return
    from regolith_terrain.height_field import build_height_field

    try:
        field = build_height_field(scenario.terrain, scenario.seed)
    except (ValueError, OSError) as error:
        where, value = ('terrain', 'source'), scenario.terrain.source
        problem, _, allowed = str(error).partition('; allowed: ')
        allowed = allowed or 'heights in metres on a metric grid'
        raise source.error(where, problem, allowed, value) from None
    assert field.extent is not None
    west, east, south, north = field.extent
    for key, (x, y) in _places(scenario):
        if not field.holds(x, y):
            allowed = f'x from {west:.6g} to {east:.6g} m, y from {south:.6g} to {north:.6g} m'
            raise source.error(key, 'lies outside the elevation model', allowed, [x, y])


def _places(scenario: Scenario) -> Iterator[tuple[KeyPath, tuple[float, float]]]:
    """Yield the places on the ground that a scenario names, and where it does."""
    for name, entry in scenario.vehicles.items():
        yield ('vehicles', name, 'position'), entry.position
        if isinstance(entry.driver, PathDriverConfig):
            for number, point in enumerate(entry.driver.waypoints):
                yield ('vehicles', name, 'driver', 'waypoints', number), point
    for name, place in (scenario.comms.stations if scenario.comms is not None else {}).items():
        yield ('comms', 'stations', name), (place[0], place[1])


def _check_types(scenario: Scenario, source: YamlSource) -> None:
    """Refuse message types that are not installed: recorder and world would find out when they start."""
    from regolith_bringup.message_definitions import UnknownTypeError, schema_text

    wanted: list[tuple[KeyPath, str]] = [
        (('recording', 'topics', number), RecordedTopic.parse(line).type_name)
        for number, line in enumerate(scenario.recording.topics)
    ]
    barrier = scenario.world.input_barrier
    if barrier is not None:
        if not is_topic(barrier.topic):
            allowed = 'an absolute name, e.g. /amber/cmd_vel'
            raise source.error(('world', 'input_barrier', 'topic'), 'is no topic', allowed, barrier.topic)
        wanted.append((('world', 'input_barrier', 'type'), barrier.type))
    for key, type_name in wanted:
        try:
            schema_text(type_name)
        except UnknownTypeError as error:
            allowed = 'package/msg/Type of a message package that is installed'
            raise source.error(key, str(error).partition('; allowed: ')[0], allowed, type_name) from None
