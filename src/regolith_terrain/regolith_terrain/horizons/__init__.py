# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Horizons of elevation models.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.horizons.horizon_map import BELOW as BELOW
    from regolith_terrain.horizons.horizon_map import UNIT_RAD as UNIT_RAD
    from regolith_terrain.horizons.horizon_map import HorizonMap as HorizonMap
    from regolith_terrain.horizons.horizon_map import Posts as Posts
    from regolith_terrain.horizons.horizon_map import make_horizon_map as make_horizon_map
    from regolith_terrain.horizons.model_posts import model_posts as model_posts

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'horizon_map': ('BELOW', 'UNIT_RAD', 'HorizonMap', 'Posts', 'make_horizon_map'),
        'model_posts': ('model_posts',),
    },
)
