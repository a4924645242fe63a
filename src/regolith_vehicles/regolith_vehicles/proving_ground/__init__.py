# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Proving ground: one vehicle on level or sloping ground, prescribed driver inputs, and its motion as a table.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.proving_ground.drive import make_proving_vehicle as make_proving_vehicle

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'drive': ('make_proving_vehicle',),
    },
)
