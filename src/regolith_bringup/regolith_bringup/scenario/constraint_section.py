# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cables and joints of a scenario, checked with what they hold where it begins."""

from __future__ import annotations

from regolith_bringup.scenario.participant_sections import without_participants
from regolith_bringup.scenario.schema import Scenario
from regolith_files.yaml_source import YamlSource
from regolith_world.numerics.kernel_cache import announce_compilation


def check_couplings(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse couplings that cannot hold from the start, as :mod:`regolith_world.objects.constraint_checks` has it.

    Vehicles that are held are placed on the ground, as in a run; the others are left out.

    Args:
        models: as of :func:`regolith_bringup.scenario.vehicle_section.resolved_models`

    Raises:
        InputError: naming the coupling, its key, the error and what is allowed
    """
    held = {name for entry in scenario.objects.values() for name in entry.get('between', ())}
    if not held:
        return
    from regolith_bringup.run.in_process_simulation import InProcessSimulation
    from regolith_world.objects.constraint_checks import impossible

    vehicles = {
        name: entry.model_copy(update={'model': models[name], 'sensors': {}})
        for name, entry in scenario.vehicles.items()
        if name in held
    }
    # Overlaps are found by other checks. A check promises nothing, and need not have been started pinned.
    world = scenario.world.model_copy(update={'determinism': None, 'contact': 'none'})
    with announce_compilation():
        made = InProcessSimulation(
            without_participants(scenario).model_copy(update={'vehicles': vehicles, 'world': world})
        )
        made.world.hold()
    if found := impossible(made.world.objects):
        raise source.error(('objects', found.name, *found.key), found.problem, found.allowed, found.value)
