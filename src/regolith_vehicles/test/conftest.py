# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the vehicle tests: search path and a maker of vehicles on soil."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model

sys.path.insert(0, str(Path(__file__).parent))  # shoe_chain

CYCLE_NS = 20_000_000


@pytest.fixture
def make_vehicle() -> Callable[..., Vehicle]:
    """Return a function that builds a vehicle on its own lunar soil (name of the model, then options)."""

    def make(model: str = 'viper', field: Any = None, soil: str = 'chrono_lunar', **options: Any) -> Vehicle:
        config, mjcf = load_vehicle_model(model)
        grid = SoilGrid(field if field is not None else FlatField(), 0.02)
        options = {'gravity': 1.62, 'mode': 'regolith', **options}
        return Vehicle('rover', config, mjcf, grid, load_soil(soil), **options)

    return make
