# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``terrain`` section of a scenario: soils by name or file, elevation models."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from regolith_files import InputError, KeyPath, YamlSource, allowed_names, validated
from regolith_terrain import DEFAULT_TERRAIN_MODEL, TerrainModel, find_terrain_model, soil_names, terrain_models
from regolith_terrain.lunar import PRESET_LIBRARY, load_preset


def resolve_terrain(source: YamlSource) -> None:
    """Write out the named soils of a scenario and make the path of its elevation model absolute.

    Args:
        source: Scenario file, which is changed.

    Raises:
        InputError: If a soil or file is not valid. The message states file, key, value and allowed values.
    """
    terrain = source.data.get('terrain')
    if not isinstance(terrain, dict):
        return
    _resolve_soil(source, ('terrain',), terrain)
    regions = terrain.get('regions')
    for number, region in enumerate(regions if isinstance(regions, list) else ()):
        if isinstance(region, dict):
            _resolve_soil(source, ('terrain', 'regions', number), region)
    _resolve_presets(terrain, source)
    elevation = terrain.get('source')
    if isinstance(elevation, str) and elevation not in ('procedural', 'flat'):
        names = allowed_names(('procedural', 'flat'), elevation)
        allowed = f'the path of a GeoTIFF, PDS3 label, .npy or tile list (.csv), or one of {names}'
        terrain['source'] = str(source.find_file(('terrain', 'source'), elevation, allowed))


def _resolve_presets(terrain: dict[str, Any], source: YamlSource) -> None:
    """Read ``terrain.preset`` and the preset of ``terrain.detail``, and make their paths absolute."""
    holders: list[tuple[Any, KeyPath]] = [(terrain, ('terrain',)), (terrain.get('detail'), ('terrain', 'detail'))]
    for holder, key in holders:
        if isinstance(holder, dict) and isinstance(holder.get('preset'), str):
            holder['preset'] = PRESET_LIBRARY.resolve((*key, 'preset'), holder['preset'], source)
            load_preset(holder['preset'])


def _resolve_soil(source: YamlSource, key: KeyPath, section: dict[str, Any]) -> None:
    """Replace the soil of the terrain, or of a region, by its values, checked by the terrain model that applies.

    Args:
        source: Scenario file, which is changed.
        key: Key of the section.
        section: Content of the section.
    """
    law, at = law_of(source, key, section), (*key, 'soil')
    if 'soil' not in section:
        return
    soil = section['soil']
    if isinstance(soil, str):
        section['soil'] = soil_values(soil, source, at, law)
    elif isinstance(soil, dict):
        section['soil'] = _checked_soil({'name': 'custom', **soil}, source, at, law, (source, at, soil))
    else:
        allowed = f'a mapping of values, the path of a soil YAML, or one of {allowed_names(soil_names())}'
        raise source.error(at, 'has the wrong type', allowed, soil)


def soil_values(soil: str, source: YamlSource, key: KeyPath, law: TerrainModel) -> dict[str, Any]:
    """Return the values of a soil given by name or file.

    Args:
        soil: Name or file of the soil.
        source: Scenario file.
        key: Key of the soil in ``source``.
        law: Terrain model that defines the parameters.
    """
    inner = YamlSource(law.config.files.find_for_key(key, soil, source), what='a soil')
    return _checked_soil({'name': inner.file.stem, **inner.data}, inner, (), law, (source, key, soil))


def _checked_soil(
    values: dict[str, Any],
    source: YamlSource,
    prefix: KeyPath,
    law: TerrainModel,
    given: tuple[YamlSource, KeyPath, Any],
) -> dict[str, Any]:
    """Return the values of a soil, checked by a terrain model.

    Args:
        values: Values of the soil.
        source: Source of the values.
        prefix: Key of the values in ``source``.
        law: Terrain model.
        given: Scenario file, key of the soil in it, and what it has there.

    Raises:
        InputError: If the values are not valid. If they are a soil of another model, the error is that of the scenario.
    """
    try:
        return validated(law.config, values, source, prefix).model_dump(mode='json')
    except InputError:
        models = {name: find_terrain_model(name) for name in terrain_models()}
        fitting = [name for name, other in models.items() if other is not law and _is_valid(values, other)]
        if not fitting:
            raise
        here = next(name for name, other in models.items() if other is law)
        scenario, key, soil = given
        problem = f'is a soil of the terrain model {" or ".join(fitting)}, but the terrain model here is {here}'
        keys = ', '.join(name for name in law.config.model_fields if name != 'name')
        allowed = f'no soil key for the default soil of {here}, parameters of {here} ({keys}), or model: {fitting[0]}'
        raise scenario.error(key, problem, allowed, soil) from None


def _is_valid(values: dict[str, Any], law: TerrainModel) -> bool:
    try:
        law.config.model_validate(values)
    except ValidationError:
        return False
    return True


def law_of(source: YamlSource, key: KeyPath = ('terrain',), region: dict[str, Any] | None = None) -> TerrainModel:
    """Return the terrain model of a scenario, or of a region in it, for reading its soils.

    Args:
        source: Scenario file.
        key: Key of the section.
        region: Section of a region that may select another terrain model.

    Raises:
        InputError: If the terrain model does not exist.
    """
    terrain = source.data.get('terrain')
    sections = [(('terrain',), terrain), (key, region)]
    named = [(at, part['model']) for at, part in sections if isinstance(part, dict) and part.get('model') is not None]
    at, name = named[-1] if named else (key, DEFAULT_TERRAIN_MODEL)
    try:
        return find_terrain_model(name)
    except (TypeError, ValueError) as error:
        known = terrain_models()
        problem, _, allowed = str(error).partition('; allowed: ')
        if not isinstance(name, str) or name not in known:
            problem, allowed = 'is not a terrain model', f'one of {allowed_names(known, str(name))}'
        raise source.error((*at, 'model'), problem, allowed or 'another terrain model', name) from None
