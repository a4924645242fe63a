# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation tools of a vehicle.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.tools.dig_check import idle_drums as idle_drums

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'dig_check': ('idle_drums',),
    },
)
