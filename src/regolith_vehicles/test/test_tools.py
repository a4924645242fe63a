# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tools of a vehicle by themselves."""

from __future__ import annotations

from itertools import product

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.digging.exchange import DiggableGround
from regolith_terrain.soil_grid import SoilGrid
from regolith_terrain.surface import FlatField
from regolith_vehicles.config import load_vehicle_model
from regolith_vehicles.tools import _nearest_axis as nearest_axis
from regolith_vehicles.vehicle import Vehicle


@pytest.mark.parametrize('half_turn', ['1 0 0 0', '0 1 0 0', '0 0 1 0', '0 0 0 1'])
def test_axis_of_a_drums_load_has_no_sign(half_turn: str) -> None:
    """A principal axis that points against the drum's is as near as one along it."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/>'
        f'<inertial pos="0 0 0" mass="1" quat="{half_turn}" diaginertia="3 2 1.5"/></body></worldbody></mujoco>'
    )
    model.body_iquat[1] = [float(x) for x in half_turn.split()]
    for axis in range(3):
        for sign in (1.0, -1.0):
            direction = np.full(3, 0.1)
            direction[axis] = sign
            assert nearest_axis(model, 1, direction / np.linalg.norm(direction)) == axis


@pytest.mark.parametrize('near', list(product([False, True], repeat=2)))
def test_a_tool_that_left_the_ground_has_no_edge_to_cut_on_from(near: tuple[bool, bool]) -> None:
    """Only tools that were near in the cycle before have a place of their edge, or they would cut a strip on return."""
    config, mjcf = load_vehicle_model('rassor')
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.04})
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    vehicle = Vehicle('v', config, mjcf, grid, terrain.soil_map(), 1.62, diggable=DiggableGround(terrain, 1.62))
    tools, found = vehicle.tools, iter(near)
    assert len(tools.names) == 2
    tools._edge[:] = 0.5
    tools.told[:] = 1.0
    tools._is_near = lambda *_: next(found)  # type: ignore[method-assign]
    digging = tools.begin(vehicle.data, grid.window(-60, 61, -60, 61), 0.02)
    assert (digging is not None) == any(near)
    for edge, close in zip(tools._edge, near):
        assert (edge == 0.5).all() if close else np.isnan(edge).all()
