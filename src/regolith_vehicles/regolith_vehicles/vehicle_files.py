# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of vehicle files."""

from __future__ import annotations

from pydantic import BaseModel

from regolith_files import FileKind
from regolith_vehicles.description.model_config import VehicleModelConfig


def _file_models() -> dict[str, type[BaseModel]]:
    from regolith_vehicles.car.config import CarConfig
    from regolith_vehicles.feet import FeetConfig
    from regolith_vehicles.tracks.config import TracksConfig

    gear = 'running_gear.parameters'
    return {
        '': VehicleModelConfig,
        f'{gear} (name car)': CarConfig,
        f'{gear} (name feet)': FeetConfig,
        f'{gear} (name tracks)': TracksConfig,
    }


FILE_KIND = FileKind(
    'Vehicle', 'A vehicle file describes the running gear, joints and tools of an MJCF model.', _file_models
)
"""Vehicle files."""
