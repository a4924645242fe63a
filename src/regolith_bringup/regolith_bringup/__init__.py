# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The user interface: scenario files, the command line, supervisor, recorder, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regolith_files.moved import moved

if TYPE_CHECKING:
    from regolith_bringup.run.simulation import Simulation

__all__ = ['Simulation']

moved(__name__, {
    'problems': 'regolith_files.problems', 'yaml_source': 'regolith_files.yaml_source',
    'validation': 'regolith_files.validation',
    'sensing_section': 'scenario.sensing_section', 'vehicle_section': 'scenario.vehicle_section',
    'given_paths': 'scenario.given_paths', 'library': 'scenario.library',
    'plan': 'run.plan', 'processes': 'run.processes', 'supervisor': 'run.supervisor',
    'status_listener': 'run.status_listener', 'middleware': 'run.middleware', 'shared_memory': 'run.shared_memory',
    'launch_adapter': 'run.launch_adapter', 'launched_run': 'run.launched_run', 'run_folder': 'run.run_folder',
    'summary': 'run.summary', 'simulation': 'run.simulation', 'doctor': 'run.doctor', 'aftermath': 'run.aftermath',
    'outcome': 'run.outcome', 'graph': 'run.graph', 'recorder': 'bag.recorder', 'recover': 'bag.recover',
    'message_definitions': 'bag.message_definitions', 'losses': 'bag.losses', 'topics': 'bag.topics',
    'bag_reading': 'bag.reading', 'run_data': 'report.run_data', 'plots': 'report.plots',
    'ground_map': 'report.ground_map', 'sensor_sheet': 'regolith_sensors.report.sheet',
    'frames': 'regolith_sensors.report.frames', 'stereo_errors': 'regolith_sensors.labels.stereo_errors',
    'dataset_export': 'regolith_sensors.labels.dataset_export', 'seeing_commands': 'regolith_sensors.commands',
    'terrain_commands': 'commands.terrain', 'terrain_files': 'commands.terrain_files',
    'progress': 'commands.progress', 'extensions': 'commands.extensions',
})


def __getattr__(name: str) -> Any:
    """Return :class:`regolith_bringup.run.simulation.Simulation`, imported on first use with all its kernels."""
    if name != 'Simulation':
        raise AttributeError(name)
    from regolith_world import kernel_cache

    kernel_cache.ensure()
    from regolith_bringup.run.simulation import Simulation

    return Simulation
