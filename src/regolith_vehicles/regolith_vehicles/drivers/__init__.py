# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Drivers: built-in drivers, tasks, and the interface of plug-ins.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.drivers.builtin import known_drivers as known_drivers
    from regolith_vehicles.drivers.builtin import make_driver as make_driver
    from regolith_vehicles.drivers.live_input import LiveInput as LiveInput
    from regolith_vehicles.drivers.task_config import DigConfig as DigConfig
    from regolith_vehicles.drivers.task_config import DumpConfig as DumpConfig
    from regolith_vehicles.drivers.task_config import ReleaseConfig as ReleaseConfig
    from regolith_vehicles.drivers.task_config import TasksDriverConfig as TasksDriverConfig

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'builtin': (
            'known_drivers',
            'make_driver',
        ),
        'live_input': ('LiveInput',),
        'task_config': (
            'DigConfig',
            'DumpConfig',
            'ReleaseConfig',
            'TasksDriverConfig',
        ),
    },
)
