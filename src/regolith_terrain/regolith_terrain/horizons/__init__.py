# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Horizons of elevation models.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.horizons.horizon_map import NO_GROUND_M as NO_GROUND_M
    from regolith_terrain.horizons.horizon_map import UNIT_RAD as UNIT_RAD
    from regolith_terrain.horizons.horizon_map import HorizonMap as HorizonMap
    from regolith_terrain.horizons.horizon_map import Posts as Posts
    from regolith_terrain.horizons.horizon_map import make_horizon_map as make_horizon_map
    from regolith_terrain.horizons.model_posts import farthest_m as farthest_m
    from regolith_terrain.horizons.model_posts import posts_around as posts_around

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'horizon_map': ('NO_GROUND_M', 'UNIT_RAD', 'HorizonMap', 'Posts', 'make_horizon_map'),
        'model_posts': ('farthest_m', 'posts_around'),
    },
)
