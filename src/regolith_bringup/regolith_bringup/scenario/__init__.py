# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: schema, reading, validation and resolution of defaults.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_bringup.scenario.library import find_scenarios as find_scenarios
    from regolith_bringup.scenario.loading import load_scenario as load_scenario
    from regolith_bringup.scenario.loading import scenario_file as scenario_file
    from regolith_bringup.scenario.loading import write_resolved as write_resolved
    from regolith_bringup.scenario.schema import RecordingConfig as RecordingConfig
    from regolith_bringup.scenario.schema import ResolvedScenario as ResolvedScenario
    from regolith_bringup.scenario.schema import Scenario as Scenario

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'library': ('find_scenarios',),
        'loading': (
            'load_scenario',
            'scenario_file',
            'write_resolved',
        ),
        'schema': (
            'RecordingConfig',
            'ResolvedScenario',
            'Scenario',
        ),
    },
)
