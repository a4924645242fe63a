# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of the terrain: message conversion, topics, services. Only nodes import it.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.ros import protocol_codec as protocol_codec
    from regolith_terrain.ros.map_topics import MapTopics as MapTopics
    from regolith_terrain.ros.services import create_edit_service as create_edit_service
    from regolith_terrain.ros.services import create_height_service as create_height_service
    from regolith_terrain.ros.services import create_state_service as create_state_service
    from regolith_terrain.ros.soil_follower import SoilFollower as SoilFollower

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'map_topics': ('MapTopics',),
        'services': (
            'create_edit_service',
            'create_height_service',
            'create_state_service',
        ),
        'soil_follower': ('SoilFollower',),
    },
    modules=('protocol_codec',),
)
