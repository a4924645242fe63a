# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lunar terrain from published statistics of craters, rocks and roughness.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.lunar.field import LunarField as LunarField
    from regolith_terrain.lunar.presets import PRESET_LIBRARY as PRESET_LIBRARY
    from regolith_terrain.lunar.presets import load_preset as load_preset
    from regolith_terrain.lunar.presets import preset_names as preset_names
    from regolith_terrain.lunar.rocks import RockField as RockField
    from regolith_terrain.lunar.rocks import Rocks as Rocks

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'field': ('LunarField',),
        'presets': (
            'PRESET_LIBRARY',
            'load_preset',
            'preset_names',
        ),
        'rocks': (
            'RockField',
            'Rocks',
        ),
    },
)
