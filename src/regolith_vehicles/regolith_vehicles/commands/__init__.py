# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands of a vehicle and its command interfaces.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.commands.command import DriveCommand as DriveCommand
    from regolith_vehicles.commands.command_interfaces import COMMAND_TYPES as COMMAND_TYPES
    from regolith_vehicles.commands.command_interfaces import used_command_topics as used_command_topics

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'command': ('DriveCommand',),
        'command_interfaces': (
            'COMMAND_TYPES',
            'used_command_topics',
        ),
    },
)
