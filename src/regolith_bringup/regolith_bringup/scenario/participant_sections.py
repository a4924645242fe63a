# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sections of registered participants in a scenario: validation, resolution, preparation of data."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache
from pathlib import Path
from typing import Any

from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, Problem, Section, YamlSource, allowed_keys, validated
from regolith_vehicles import waypoints_of
from regolith_world import ParticipantContext, StaticObstacles
from regolith_world.cycle import ParticipantType, ProgressCallback, participant_types


def check_keys(source: YamlSource) -> list[Problem]:
    """Return the problems with keys at the root of a scenario. Schema keys and participant names are allowed."""
    known = [*Scenario.model_fields, *participant_types()]
    return [
        source.problem((key,), 'unknown key', allowed_keys(Scenario, str(key), more=participant_types()), value)
        for key, value in source.data.items()
        if key not in known
    ]


def checked_sections(source: YamlSource) -> tuple[dict[str, Section], list[Problem]]:
    """Return the valid participant sections of a scenario, and the problems of all other ones."""
    found: dict[str, Section] = {}
    problems: list[Problem] = []
    for name, kind in participant_types().items():
        if source.data.get(name) is None:
            source.data.pop(name, None)
            continue
        try:
            found[name] = validated(kind.section, source.data[name], source, (name,))
        except InputError as error:
            problems += error.problems
    return found, problems


def sections(scenario: Scenario) -> dict[str, tuple[ParticipantType[Any, Any], Any]]:
    """Return the participants of a scenario other than vehicles and terrain: name -> (type, section)."""
    extra = scenario.model_extra or {}
    return {name: (kind, extra[name]) for name, kind in participant_types().items() if extra.get(name) is not None}


def without_participants(scenario: Scenario) -> Scenario:
    """Return a copy of the scenario with vehicles and terrain only."""
    return scenario.model_copy(update=dict.fromkeys(sections(scenario)))


def participant_context(scenario: Scenario) -> ParticipantContext:
    """Return the scenario's :class:`regolith_world.participant_context.ParticipantContext`."""

    @cache
    def height_field() -> Any:
        from regolith_terrain import build_height_field

        return build_height_field(scenario.terrain, scenario.seed)

    @cache
    def standing() -> StaticObstacles | None:
        from regolith_vehicles.contact import build_obstacle_map

        return build_obstacle_map(scenario.terrain, scenario.seed, height_field())

    places = {name: (entry.position, *waypoints_of(entry.driver).values()) for name, entry in scenario.vehicles.items()}
    tiles = scenario.terrain.source if scenario.terrain.has_tiles else None
    known = {'world': scenario.world, 'terrain': scenario.terrain, 'objects': scenario.objects}
    known |= {name: section for name, (_, section) in sections(scenario).items()}
    return ParticipantContext(scenario.name, scenario.seed, places, height_field, standing, known, tiles=tiles)


def resolved_sections(scenario: Scenario, source: YamlSource) -> dict[str, Section]:
    """Return the resolved sections.

    Args:
        scenario: Scenario with checked keys.
        source: Scenario file, for error messages.

    Raises:
        InputError: If a section is not valid. The message states file, key, value and allowed values.
    """
    site = participant_context(scenario)
    return {name: kind.resolved(section, site, source) for name, (kind, section) in sections(scenario).items()}


def prepared(
    scenario: Scenario,
    folder: Path,
    progress: Callable[[str], ProgressCallback] = lambda name: lambda done, of: None,
    without: Container[str] = (),
) -> Scenario:
    """Write terrain data of the participants into subfolders of the run folder and return the scenario.

    Args:
        scenario: Resolved scenario.
        folder: Run folder.
        progress: Function that returns the progress callback of a participant, by name.
        without: Participants whose data is prepared on another machine.

    Returns:
        Scenario with the paths of the prepared data.

    Raises:
        ValueError: If the data cannot be prepared.
    """
    site = participant_context(scenario)
    changed = {
        name: kind.prepared(section, site, folder / name, progress(name))
        for name, (kind, section) in sections(scenario).items()
        if name not in without
    }
    return scenario.model_copy(update=changed)
