# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain services of nodes with a copy of the soil grid."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from regolith_msgs.srv import GetHeights, GetTerrainState, SetTerrainNodes

from regolith_files import counted_noun
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.ros.protocol_codec import NODES
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.surface_edit import Stamp, combined, heights_edit, stamp_edit
from regolith_world.ros import create_service, request_coordinates, typed_array


def create_height_service(node: Node, grid: SoilGrid) -> None:
    """Create the service ``~/get_heights`` of a node for the committed soil in ``grid``."""

    def respond(request: GetHeights.Request, response: GetHeights.Response) -> GetHeights.Response:
        x, y = request_coordinates('x', request.x), request_coordinates('y', request.y)
        if len(x) != len(y):
            raise ValueError(f'{counted_noun(len(x), "value")} of x and {len(y)} of y; allowed: equal numbers')
        nearest = (np.rint(v / grid.spacing) * grid.spacing for v in (x, y))
        response.height = typed_array('d', grid.levels(x, y))
        response.height_initial = typed_array('d', np.asarray(grid.height_field.heights(*nearest), dtype=np.float64))
        response.success = True
        return response

    create_service(node, GetHeights, '~/get_heights', respond)


def create_state_service(node: Node, authority: TerrainParticipant, run: int) -> None:
    """Create the service ``~/get_state``, which returns every changed node to late observers of a run.

    Args:
        node: Node of the service.
        authority: Participant that owns the soil.
        run: Id of the run.
    """

    def respond(request: GetTerrainState.Request, response: GetTerrainState.Response) -> GetTerrainState.Response:
        grid = authority.grid
        response.run_id = run
        response.epoch, response.t_ns = authority.epoch, authority.t_ns
        response.soil_seq = int(authority.soil_seq)
        response.soil_hash = grid.soil_hash()
        response.spacing = float(grid.spacing)
        response.nodes = NODES.to_message(grid.all_records())
        return response

    create_service(node, GetTerrainState, '~/get_state', respond)


def create_edit_service(node: Node, authority: TerrainParticipant) -> None:
    """Create the service ``~/set_nodes``, which changes the surface at the end of the next cycle.

    Args:
        node: Node of the service.
        authority: Participant that owns the soil.
    """

    def respond(request: SetTerrainNodes.Request, response: SetTerrainNodes.Response) -> SetTerrainNodes.Response:
        spacing = authority.grid.spacing
        parts = []
        if len(request.x) or len(request.y) or len(request.height) or not request.stamp:
            x, y = request_coordinates('x', request.x), request_coordinates('y', request.y)
            height = np.array(request.height, dtype=np.float64)
            parts.append(heights_edit(x, y, height, spacing, relative=request.relative))
        if request.stamp:
            x, y = request_coordinates('center', (request.center_x, request.center_y)).tolist()
            size = request.length, request.depth, request.width, request.yaw
            parts.append(stamp_edit(Stamp(request.stamp, x, y, *size), spacing))
        response.nodes = authority.edit(combined(parts))
        response.success = True
        return response

    create_service(node, SetTerrainNodes, '~/set_nodes', respond)
