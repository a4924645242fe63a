# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracked vehicles: bands of shoes around sprockets, road wheels and idlers, with drive, brakes and steering.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.tracks.running_gear import Tracks as Tracks

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'running_gear': ('Tracks',),
    },
)
