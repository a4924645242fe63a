# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicle tools."""

from __future__ import annotations

from itertools import product

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.exchange import DiggableSoil
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.tools.vehicle_tools import _nearest_axis as nearest_axis


@pytest.mark.parametrize('half_turn', ['1 0 0 0', '0 1 0 0', '0 0 1 0', '0 0 0 1'])
def test_axis_of_drum_load_has_no_sign(half_turn: str) -> None:
    """A principal axis opposite to the drum axis is as near as one along it."""
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
def test_tool_off_the_ground_has_no_previous_edge(near: tuple[bool, bool]) -> None:
    """Only tools near the ground in the previous cycle have a previous edge, so none cuts a strip on return."""
    config, mjcf = load_vehicle_model('rassor')
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.04})
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    vehicle = Vehicle('v', config, mjcf, grid, terrain.soil_map(), 1.62, diggable=DiggableSoil(terrain, 1.62))
    tools, found = vehicle.tools, iter(near)
    assert len(tools.names) == 2
    tools._edge[:] = 0.5
    tools.told[:] = 1.0
    tools._is_near = lambda *_: next(found)  # type: ignore[method-assign]
    digging = tools.begin(vehicle.data, grid.window(-60, 61, -60, 61), 0.02)
    assert (digging is not None) == any(near)
    for edge, close in zip(tools._edge, near):
        assert (edge == 0.5).all() if close else np.isnan(edge).all()


@pytest.mark.parametrize('heading', [0.0, 2.0, -1.0])
def test_blade_load_lands_ahead_of_its_edge(heading: float) -> None:
    """By half the length of the heap along the x axis of the edge, at any heading of the vehicle."""
    config, mjcf = load_vehicle_model('rassor')
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.04})
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    vehicle = Vehicle('v', config, mjcf, grid, terrain.soil_map(), 1.62, diggable=DiggableSoil(terrain, 1.62))
    tools, data = vehicle.tools, vehicle.data
    data.qpos[3:7] = np.cos(0.5 * heading), 0.0, 0.0, np.sin(0.5 * heading)
    mujoco.mj_forward(vehicle.body.model, data)
    tools._given = tuple(tool.model_copy(update={'kind': 'blade', 'dump_time_s': 1.0}) for tool in tools._given)
    tools._parts.frame[:] = np.eye(3)  # The frame of a drum has the axis of its joint.
    tools._is_clear = lambda *_: True  # type: ignore[method-assign]
    tools._soil[:, 0] = 1000.0
    dropped: list[np.ndarray] = []
    tools.flight.drop = lambda mass, place, *_: dropped.append(place)  # type: ignore[method-assign,assignment]
    centers, _ = tools._poses(data)
    assert tools._pour(data, 0.1) and len(dropped) == 2
    for k, place in enumerate(dropped):
        ahead = data.xmat[tools._parts.body[k]].reshape(3, 3) @ tools._parts.frame[k][:, 0]
        way = (place - centers[k])[:2]
        assert np.hypot(*way) == pytest.approx(tools._pile(k, 1000.0 * 0.04**2), rel=1e-9)
        assert way @ ahead[:2] == pytest.approx(np.hypot(*way) * np.hypot(*ahead[:2]), rel=1e-6)


def test_soil_released_by_particles_is_in_flight() -> None:
    """Two parcels, by their mass and paths; the second one lands on the node below it."""
    config, mjcf = load_vehicle_model('rassor')
    terrain = TerrainConfig.model_validate({'source': 'flat', 'spacing_m': 0.04})
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    vehicle = Vehicle('v', config, mjcf, grid, terrain.soil_map(), 1.62, diggable=DiggableSoil(terrain, 1.62))
    tools, mass = vehicle.tools, 4096 * MASS_QUANTUM_KGPM2
    released = np.array([[mass, 2.0, 0.0, 1.0, 0.5, 0.0, 0.0], [mass, 1.0, 0.4, 0.001, 0.0, 0.0, -1.0]])
    tools.finish(vehicle.data, None, 0.02, released)
    assert tools.mass_balance()['in_flight_kg'] == 2.0 * mass * 0.04**2
    tools.finish(vehicle.data, None, 0.02)
    landed = tools.work.landed
    assert landed is not None and landed.mass.sum() == mass and (landed.i == 25).all() and (landed.j == 10).all()
    assert tools.mass_balance()['in_flight_kg'] == mass * 0.04**2
    assert tools.flight.parcels[0, 1] == pytest.approx(2.0 + 0.5 * 0.02)
