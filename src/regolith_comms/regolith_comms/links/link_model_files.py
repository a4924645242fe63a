# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Link model from the files of a scenario."""

from __future__ import annotations

from regolith_comms.config import CommsConfig
from regolith_comms.links.link import LinkModel
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_comms.radio_config import load_radio


def load_model(config: CommsConfig) -> LinkModel:
    """Return the link model of a ``comms`` section with its files.

    Raises:
        ValueError: If a file is missing or invalid, or the radio model requires files that are not given.
    """
    files = (config.graph, config.grid)
    try:
        graph = TileGraph.from_dot(config.graph) if config.graph is not None else None
        grid = WorldGrid.from_dat(config.grid) if config.grid is not None else None
    except OSError as error:
        raise ValueError(f'comms: {error.filename}: {error.strerror}; files given: {files}') from None
    return LinkModel(load_radio(config.radio), graph, grid, config.relay_mode)
