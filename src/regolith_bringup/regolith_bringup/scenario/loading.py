# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading, validation and resolution of scenario files before a run starts.

A *resolved* scenario is complete: soils are written out, file names are absolute, and command line options are
included. Every node of a run reads it, and the run folder contains a copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from regolith_bringup.scenario.body_clearance import check_body_clearance
from regolith_bringup.scenario.constraint_section import check_couplings
from regolith_bringup.scenario.determinism_section import check_determinism
from regolith_bringup.scenario.elevation_model import note_sight, origin_place, resolved_model
from regolith_bringup.scenario.frame_id_checks import check_frames
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.obstacle_section import check_object_mesh, resolve_meshes, terrain_with_obstacles
from regolith_bringup.scenario.participant_sections import check_keys, checked_sections, resolved_sections
from regolith_bringup.scenario.particle_section import check_particles
from regolith_bringup.scenario.rock_free_paths import with_rock_free_paths
from regolith_bringup.scenario.schema import ResolvedScenario, Scenario
from regolith_bringup.scenario.sensors_section import (
    check_frame_memory,
    check_mounts,
    dates_to_text,
    note_dust,
    resolved_sensors,
)
from regolith_bringup.scenario.spawn_clearance import check_spawn_clearance
from regolith_bringup.scenario.terrain_section import law_of, resolve_terrain, soil_values
from regolith_bringup.scenario.topic_checks import check_participant_names, check_recorded, with_barrier_type
from regolith_bringup.scenario.vehicle_section import check_clear, resolved_models
from regolith_files import (
    InputError,
    KeyPath,
    Problem,
    ValueOrigin,
    YamlSource,
    allowed_names,
    parse_yaml_value,
    usable_file,
    validated,
    write_atomically,
)
from regolith_sensors.inertial import light_with_place
from regolith_world import check_name
from regolith_world.numerics import announce_compilation


class Setting(NamedTuple):
    """Value that replaces a value of the scenario file."""

    key: str
    """Dotted key."""
    value: Any
    origin: ValueOrigin


def load_scenario(
    path_or_name: str | Path,
    overrides: Iterable[str | Setting] = (),
    *,
    seed: int | None = None,
    duration_s: float | None = None,
    real_time_factor: str | float | None = None,
    record: bool | None = None,
) -> ResolvedScenario:
    """Read, check and resolve a scenario.

    Args:
        path_or_name: Path of a YAML file, or name of a scenario (see :func:`find_scenarios`).
        overrides: Settings, or command line texts ``a.b=value`` with the value in YAML. Relative file names in these
            texts refer to the working directory.
        seed: Seed that replaces the one of the file.
        duration_s: Simulated duration that replaces the one of the file [s].
        real_time_factor: Real-time factor that replaces the one of the file, a number or 'max'.
        record: Value that replaces ``recording.enabled``.

    Returns:
        Resolved scenario with its file and messages.

    Raises:
        InputError: If the scenario is not valid.
    """
    source = YamlSource(scenario_file(path_or_name), what='a scenario')
    if 'mjcf' in source.data and 'vehicles' not in source.data:
        raise source.error(('mjcf',), 'is a key of a vehicle file', 'a scenario with this file as vehicles.NAME.model')
    for override in overrides:
        _apply(source, override if isinstance(override, Setting) else _setting(override))
    options: tuple[tuple[KeyPath, Any, str], ...] = (
        (('seed',), seed, '--seed'),
        (('duration_s',), duration_s, '--duration'),
        (
            ('real_time_factor',),
            parse_yaml_value(real_time_factor, '--rtf') if isinstance(real_time_factor, str) else real_time_factor,
            '--rtf',
        ),
        (('recording', 'enabled'), record, '--no-record'),
    )
    for path, value, option in options:
        if value is not None:
            source.override(path, value, option if record is value else f'{option} {value}')
    source.data.setdefault('name', source.file.stem)
    resolve_terrain(source)
    resolve_meshes(source)
    dates_to_text(source)
    scenario = _checked(source)
    with announce_compilation():
        return _resolved(scenario, source)


def _resolved(scenario: Scenario, source: YamlSource) -> ResolvedScenario:
    """Return the resolved scenario.

    Args:
        scenario: Scenario with checked keys.
        source: Its file, for messages.

    Raises:
        InputError: If the scenario is not valid.
    """
    scenario = scenario.model_copy(update={'terrain': terrain_with_obstacles(scenario, source)})
    scenario = scenario.model_copy(update={'terrain': resolved_model(scenario, source)})
    check_participant_names(scenario, source)
    scenario = scenario.model_copy(update={'objects': resolved_objects(scenario, source)})
    models = resolved_models(scenario, source)
    scenario = with_barrier_type(scenario, models, source)
    check_clear(scenario, models, source)
    check_couplings(scenario, models, source)
    check_particles(scenario, models, source)
    check_spawn_clearance(scenario, models, source)
    origin = origin_place(scenario)
    sensing = {name: resolved_sensors(name, e, source, origin) for name, e in scenario.vehicles.items()}
    changed: dict[str, Any] = {
        'vehicles': {n: e.model_copy(update={'model': models[n], **sensing[n]}) for n, e in scenario.vehicles.items()},
        'light': light_with_place(scenario.light, origin, source),
    }
    if changed['light'].horizon is not None:
        from regolith_sensors.sky import check_horizon  # loads libraries of elevation models

        check_horizon(changed['light'], source)
    check_recorded(scenario.model_copy(update=changed), source)
    check_mounts(scenario.model_copy(update=changed), source)
    check_frame_memory(scenario.model_copy(update=changed), source)
    note_dust(scenario.model_copy(update=changed), source)
    note_sight(scenario.model_copy(update=changed), source)
    check_frames(scenario.model_copy(update=changed), source)
    check_determinism(scenario, models, source)
    if scenario.terrain.has_rocks and scenario.terrain.clear_paths_of_rocks:
        changed['terrain'] = with_rock_free_paths(scenario.model_copy(update=changed))
    changed |= resolved_sections(scenario.model_copy(update=changed), source)
    check_body_clearance(scenario.model_copy(update=changed), source)
    return ResolvedScenario(scenario.model_copy(update=changed), source.file.resolve(), tuple(source.notices))


def resolved_objects(scenario: Scenario, source: YamlSource) -> dict[str, dict[str, Any]]:
    """Return the entries of the objects section with all values written out.

    Args:
        scenario: Checked scenario.
        source: Scenario file, for error messages.

    Returns:
        Entries by object name.

    Raises:
        InputError: If an entry is not valid. The message states file, key, value and allowed values.
    """
    if not scenario.objects:
        return {}
    # Imported here because loading the kernels takes longer than all other checks.
    from regolith_bringup.scenario.below_ground import check_above_ground, place_of
    from regolith_world.contacts import first_overlap
    from regolith_world.objects import VisualConfig, all_object_types, attachable_bodies

    kinds, found = all_object_types(), {}
    all_made: dict[str, Any] = {}
    needed, there = {}, set(scenario.vehicles)
    for name, entry in scenario.objects.items():
        key: KeyPath = ('objects', name)
        check_name(name, key, source, scenario.vehicles)
        if entry.get('type') not in kinds:
            kind = entry.get('type')
            raise source.error((*key, 'type'), 'is not an object type', allowed_names(kinds, kind), kind)
        kind = kinds[entry['type']]
        section = validated(kind.section, entry, source, key)
        if isinstance(visual := getattr(section, 'visual', None), VisualConfig) and visual.mesh:
            check_object_mesh(name, visual, source)
        try:
            made = kind.make(name, section, np.array([0.0, 0.0, -scenario.world.gravity_mps2]))
        except Exception as error:  # the type may be a plug-in
            reason = ' '.join(str(error).split()) or 'no reason given'
            problem = f'objects of type {entry["type"]!r} ({type(kind).__module__}): {type(error).__name__}: {reason}'
            raise source.error(key, problem, 'values of which its type makes one', entry) from error
        all_made[name] = made
        found[name] = section.model_dump(mode='json')
        needed[key] = made.needs()
        there |= set(attachable_bodies({name: made}))
    if scenario.world.contact != 'none':
        touched = first_overlap([*all_made.values()])
        if touched is not None:
            made, other, depth = touched
            problem = f'is {depth:.3f} m inside {other.name!r} at the start'
            at, value = place_of(made.name, scenario)
            raise source.error(at, problem, 'space for both', value)
    check_above_ground(scenario, all_made, source)
    for key, names in needed.items():
        for missing in (name for name in names if name not in there):
            path = (*key, *(_path_to(missing, found[str(key[1])]) or ()))
            raise source.error(path, 'is not a vehicle or object', allowed_names(sorted(there), missing), missing)
    return found


def _path_to(text: str, value: Any) -> KeyPath | None:
    """Return the path of the first item with this text in a section, or None."""
    if value == text:
        return ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, item in items:
        if (path := _path_to(text, item)) is not None:
            return (key, *path)
    return None


def _checked(source: YamlSource) -> Scenario:
    """Return the scenario after checks of single keys."""
    problems = check_keys(source)
    found, wrong = checked_sections(source)
    problems += wrong
    plain = {key: value for key, value in source.data.items() if key in Scenario.model_fields}
    try:
        scenario = validated(Scenario, plain, source)
    except InputError as error:
        raise InputError([*error.problems, *problems]) from None
    if problems:
        raise InputError(problems)
    return scenario.model_copy(update=found)


def scenario_file(path_or_name: str | Path, base_dir: str | Path = '.') -> Path:
    """Return the file of a scenario given by path or name.

    Args:
        path_or_name: Path of a YAML file, or name of a scenario.
        base_dir: Folder that relative paths refer to, tried before the working directory.

    Raises:
        InputError: If neither a file nor a scenario of this name exists.
    """
    for path in (Path(base_dir) / path_or_name, Path(path_or_name)):
        if os.path.isfile(path):
            return path
    known = find_scenarios()
    if str(path_or_name) in known:
        return known[str(path_or_name)]
    allowed = f'the path of a YAML file, or one of {allowed_names(known, path_or_name)}'
    if os.path.isfile(inside := Path(base_dir) / path_or_name / 'scenario.yaml'):
        allowed = f'the path of a YAML file (did you mean {inside}?)'
    return usable_file(path_or_name, allowed, base_dir, 'no such file or scenario')


def write_resolved(scenario: Scenario, path: str | Path) -> None:
    """Write a resolved scenario, to be read by :func:`regolith_world.config.load_section`."""
    head = '# Resolved scenario: soils written out, file names absolute, command line options included.\n'
    body = yaml.safe_dump(scenario.model_dump(mode='json'), sort_keys=False, allow_unicode=True, width=120)
    write_atomically(Path(path), head + body)


def _setting(text: str) -> Setting:
    key, equals, value = text.partition('=')
    option = f'--set {text}' if len(text) <= 100 else f'--set {text[:99]}…'
    if not equals or not all(part.strip() for part in key.split('.')):
        raise InputError(Problem(option, '', 'is not a setting', 'key=value or section.key=value'))
    return Setting(key, parse_yaml_value(value, option, key), ValueOrigin(option, Path.cwd()))


def _apply(source: YamlSource, setting: Setting) -> None:
    parts = tuple(part.strip() for part in setting.key.split('.'))
    if not all(parts):
        raise InputError(Problem(setting.origin.text, setting.key, 'is not a key', 'key or section.key'))
    if parts[:2] == ('terrain', 'soil') and len(parts) > 2:
        # A single value of a named soil may be changed, so the soil is written out first.
        terrain = source.data.get('terrain')
        if terrain is None or isinstance(terrain, dict):
            soil = (terrain or {}).get('soil', law_of(source).default_soil)
            if isinstance(soil, str):
                at: KeyPath = ('terrain', 'soil')
                source.override(at, soil_values(soil, source, at, law_of(source)), setting.origin)
    source.override(parts, setting.value, setting.origin)
