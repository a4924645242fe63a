# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: schema, reading, validation and resolution of defaults."""

from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario, scenario_file, write_resolved
from regolith_bringup.scenario.schema import RecordingConfig, ResolvedScenario, Scenario
from regolith_files.problems import InputError, Problem

__all__ = [
    'InputError',
    'Problem',
    'RecordingConfig',
    'ResolvedScenario',
    'Scenario',
    'find_scenarios',
    'load_scenario',
    'scenario_file',
    'write_resolved',
]
