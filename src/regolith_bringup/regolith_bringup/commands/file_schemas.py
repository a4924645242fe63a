# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of all configuration files, as pydantic models and as JSON Schema.

The models are those that check the files, so the JSON Schemas and the reference pages cannot differ from them.
Participants, object types, sensor types and experiments of plug-ins are included if the plug-in is installed.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from regolith_files import FileKind, extension_points, instance_of, load_plugins

Models = dict[str, type[BaseModel]]
DIALECT = 'https://json-schema.org/draft/2020-12/schema'


def _scenario() -> Models:
    from regolith_bringup.scenario.schema import Scenario
    from regolith_sensors.config import SensorEntry, SpotlightConfig
    from regolith_world.cycle import participant_types
    from regolith_world.objects import all_object_types

    found: Models = {
        '': Scenario,
        'vehicles.NAME.sensors.NAME': SensorEntry,
        'vehicles.NAME.spotlights.NAME': SpotlightConfig,
        **_soils(),
    }
    found |= {name: kind.section for name, kind in sorted(participant_types().items())}
    return found | {f'objects.NAME (type {name})': kind.section for name, kind in sorted(all_object_types().items())}


def _soils() -> Models:
    """Return the soil parameters of all terrain models: of the default one, of others, and of those of regions only."""
    from regolith_terrain import DEFAULT_TERRAIN_MODEL, TerrainModel

    laws = load_plugins('regolith.terrain_models', instance_of(TerrainModel))
    found: Models = {}
    for name in sorted(laws, key=lambda name: (name != DEFAULT_TERRAIN_MODEL, name)):
        if laws[name].lay_region is None:
            found[f'terrain.soil (model {name})'] = laws[name].config
    return found | {
        f'terrain.regions[].soil (model {name})': law.config for name, law in laws.items() if law.lay_region is not None
    }


def _experiment() -> Models:
    from regolith_bringup.commands.plugins import experiment, experiments

    found = {name: getattr(experiment(name), 'Settings', None) for name in experiments()}
    return {name: model for name, model in sorted(found.items()) if model is not None}


SCENARIO = FileKind('Scenario', 'A scenario defines a run: terrain, vehicles, objects, light.', _scenario)
"""Scenario files."""
EXPERIMENT = FileKind('Experiments', 'Settings of `./regolith experiment NAME`, with `--set`.', _experiment)
"""Settings of experiments."""


def file_kinds() -> dict[str, FileKind]:
    """Return all file kinds by name, in name order."""
    return dict(_file_kinds(tuple(sys.path)))


@cache
def _file_kinds(path: tuple[str, ...]) -> dict[str, FileKind]:
    """Return the loaded file kinds. The result is cached, because every schema and page needs them.

    Args:
        path: Value of ``sys.path``, the key of the cache: a package on a new path may add a kind.
    """
    return load_plugins(extension_points.FILE_KINDS, instance_of(FileKind))


def nested_models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in an annotation."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for part in typing.get_args(annotation):
        if part is not Ellipsis and not isinstance(part, str):
            yield from nested_models(part)


def all_models(kind: str) -> list[tuple[str, type[BaseModel]]]:
    """Return the models of a kind of file, each once, roots first: place in the file, model."""
    found: list[tuple[str, type[BaseModel]]] = []
    waiting = list(file_kinds()[kind].models().items())
    seen: set[type[BaseModel]] = set()
    while waiting:
        place, model = waiting.pop(0)
        if model in seen:
            continue
        seen.add(model)
        found.append((place, model))
        inner = []
        for key, field in model.model_fields.items():
            path = f'{place}.{key}' if place and '(' not in place and not place.startswith('type ') else key
            mark = _container_mark(field.annotation)
            inner += [(f'{path}{mark}', each) for each in nested_models(field.annotation)]
        waiting = [*inner, *waiting]
    return found


def participant_sections(kind: str) -> Models:
    """Return the models of the top-level keys that registered participants add to a kind of file, by key."""
    models = file_kinds()[kind].models() if kind == 'scenario' else {}
    return {key: model for key, model in models.items() if key.isidentifier()}


def _container_mark(annotation: Any) -> str:
    """Return '[]' for a list, '.NAME' for a map, '' for anything else."""
    for each in (annotation, *typing.get_args(annotation)):
        origin = typing.get_origin(each)
        if origin is tuple:
            return '[]'
        if origin is dict:
            return '.NAME'
    return ''


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a kind of file.

    It accepts files as users write them: names of shipped soils instead of parameters, sensors and objects of all
    types. ``./regolith check`` also checks relations between keys.
    """
    roots = file_kinds()[kind].models()
    references, shared = models_json_schema([(model, 'validation') for model in roots.values()])
    place = {name: references[model, 'validation'] for name, model in roots.items()}
    definitions = shared.get('$defs', {})
    head = {
        '$schema': DIALECT,
        'title': f'Regolith {file_kinds()[kind].title.lower()}',
        'description': file_kinds()[kind].about,
    }
    if kind == 'scenario':
        _open_scenario(definitions, place)
    if kind == 'vehicle':
        gear = definitions['RunningGearConfig']['properties']['parameters']
        gear['anyOf'] = [
            place['running_gear.parameters (name car)'],
            place['running_gear.parameters (name tracks)'],
            {},
        ]
    root = place[''] if '' in place else {'anyOf': list(place.values())}
    return {**head, **root, '$defs': definitions}


def _open_scenario(definitions: dict[str, Any], place: Mapping[str, Any]) -> None:
    """Extend the schema of resolved scenarios to scenarios as users write them."""
    scenario = definitions['Scenario']
    scenario['required'] = [key for key in scenario.get('required', []) if key != 'name']
    scenario['additionalProperties'] = False
    scenario['properties'] |= {key: place[key] for key in participant_sections('scenario')}
    objects = [reference for name, reference in place.items() if name.startswith('objects.')]
    scenario['properties']['objects']['additionalProperties'] = {'anyOf': objects}
    vehicle = definitions['VehicleEntry']['properties']
    vehicle['sensors']['additionalProperties'] = place['vehicles.NAME.sensors.NAME']
    vehicle['spotlights']['additionalProperties'] = place['vehicles.NAME.spotlights.NAME']
    soils = [reference for name, reference in place.items() if name.startswith('terrain.soil ')]
    soils.append({'type': 'object'})
    for name in ('TerrainConfig', 'SoilRegionConfig'):
        section = definitions[name]
        about = section['properties']['soil'].get('description', '')
        section['properties']['soil'] = {'anyOf': [{'type': 'string'}, *soils], 'description': about}
        section['required'] = [key for key in section.get('required', []) if key != 'soil']
