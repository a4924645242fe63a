# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios, command line, launch files, recording and reports of Regolith.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_bringup.bag.reading import Bag as Bag
    from regolith_bringup.bag.topics import recorded_topics as recorded_topics
    from regolith_bringup.commands.file_schemas import json_schema as json_schema
    from regolith_bringup.run.simulation import Simulation as Simulation
    from regolith_bringup.scenario.library import find_scenarios as find_scenarios
    from regolith_bringup.scenario.loading import load_scenario as load_scenario
    from regolith_bringup.scenario.schema import ResolvedScenario as ResolvedScenario
    from regolith_bringup.scenario.schema import Scenario as Scenario

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'bag.reading': ('Bag',),
        'bag.topics': ('recorded_topics',),
        'commands.file_schemas': ('json_schema',),
        'run.simulation': ('Simulation',),
        'scenario.library': ('find_scenarios',),
        'scenario.loading': ('load_scenario',),
        'scenario.schema': (
            'ResolvedScenario',
            'Scenario',
        ),
    },
)
