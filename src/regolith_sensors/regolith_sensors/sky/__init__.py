# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sun and Earth in the sky of a place, and the light that its horizon leaves.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.sky.far_terrain import check_horizon as check_horizon
    from regolith_sensors.sky.far_terrain import far_model as far_model
    from regolith_sensors.sky.illumination import LAYERS as LAYERS
    from regolith_sensors.sky.illumination import Illumination as Illumination
    from regolith_sensors.sky.illumination import Site as Site
    from regolith_sensors.sky.illumination import compute_illumination as compute_illumination
    from regolith_sensors.sky.illumination import layer_statistics as layer_statistics

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'far_terrain': ('check_horizon', 'far_model'),
        'illumination': ('LAYERS', 'Illumination', 'Site', 'compute_illumination', 'layer_statistics'),
    },
)
