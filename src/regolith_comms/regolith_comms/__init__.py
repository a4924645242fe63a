# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radio communication: tile graph, propagation, breadcrumbs, datagrams.

The names below are the public interface. They are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_comms.broker import Broker as Broker
    from regolith_comms.config import CommsConfig as CommsConfig
    from regolith_comms.links.link import LinkModel as LinkModel
    from regolith_comms.links.relays import RelayTable as RelayTable
    from regolith_comms.links.relays import relay_table as relay_table
    from regolith_comms.links.tile_list_graph import graph_of_tiles as graph_of_tiles
    from regolith_comms.links.tile_list_graph import grid_of_tiles as grid_of_tiles
    from regolith_comms.links.visibility import TileGraph as TileGraph
    from regolith_comms.links.world_grid import WorldGrid as WorldGrid
    from regolith_comms.radio import bit_error as bit_error
    from regolith_comms.radio import packet_error as packet_error
    from regolith_comms.radio import received_power as received_power
    from regolith_comms.radio import success_probability as success_probability
    from regolith_comms.radio_config import Radio as Radio
    from regolith_comms.radio_config import load_radio as load_radio

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'broker': ('Broker',),
        'config': ('CommsConfig',),
        'links.link': ('LinkModel',),
        'links.relays': (
            'RelayTable',
            'relay_table',
        ),
        'links.tile_list_graph': (
            'graph_of_tiles',
            'grid_of_tiles',
        ),
        'links.visibility': ('TileGraph',),
        'links.world_grid': ('WorldGrid',),
        'radio': (
            'bit_error',
            'packet_error',
            'received_power',
            'success_probability',
        ),
        'radio_config': (
            'Radio',
            'load_radio',
        ),
    },
)
