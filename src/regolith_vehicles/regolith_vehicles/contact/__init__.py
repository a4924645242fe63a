# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a vehicle's parts with terrain and obstacles.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.contact import collision_shapes as collision_shapes
    from regolith_vehicles.contact import wheel_state as wheel_state
    from regolith_vehicles.contact.static_obstacles import build_obstacle_map as build_obstacle_map
    from regolith_vehicles.contact.static_obstacles import build_obstacles as build_obstacles
    from regolith_vehicles.contact.static_obstacles import build_solids as build_solids

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'static_obstacles': (
            'build_obstacle_map',
            'build_obstacles',
            'build_solids',
        ),
    },
    modules=('collision_shapes', 'wheel_state'),
)
