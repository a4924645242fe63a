# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of a simulation in this process, without ROS.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.in_process.scene import InProcessScene as InProcessScene

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'scene': ('InProcessScene',),
    },
)
