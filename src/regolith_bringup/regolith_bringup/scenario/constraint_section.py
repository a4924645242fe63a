# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of the cables and joints of a scenario in its initial state."""

from __future__ import annotations

from regolith_bringup.scenario.participant_sections import without_participants
from regolith_bringup.scenario.schema import Scenario
from regolith_files import YamlSource


def check_couplings(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse constraints that cannot hold in the initial state.

    The rules are those of :mod:`regolith_world.objects.constraint_checks`. Vehicles connected by a constraint are
    placed on the terrain, as in a run. Other vehicles are left out.

    Args:
        scenario: Checked scenario.
        models: Vehicle models, see :func:`regolith_bringup.scenario.vehicle_section.resolved_models`.
        source: Scenario file, for error messages.

    Raises:
        InputError: If a constraint cannot hold. The message states the constraint, its key and the allowed values.
    """
    held = {name for entry in scenario.objects.values() for name in entry.get('between', ())}
    if not held:
        return
    from regolith_bringup.scenario.in_process_simulation import InProcessSimulation
    from regolith_world.objects import impossible_constraint

    vehicles = {
        name: entry.model_copy(update={'model': models[name], 'sensors': {}})
        for name, entry in scenario.vehicles.items()
        if name in held
    }
    # Intersections are found by other checks. This check needs no determinism level and no pinned environment.
    world = scenario.world.model_copy(update={'determinism': None, 'contact': 'none'})
    made = InProcessSimulation(without_participants(scenario).model_copy(update={'vehicles': vehicles, 'world': world}))
    made.world.hold()
    if found := impossible_constraint(made.world.objects):
        raise source.error(('objects', found.name, *found.key), found.problem, found.allowed, found.value)
