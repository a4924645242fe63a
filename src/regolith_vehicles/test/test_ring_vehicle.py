# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a vehicle on flexible tires."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_files import YamlSource
from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.scm import SCM
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import known_vehicles, load_vehicle_model

CYCLE_NS = 20_000_000


def make_truck(ground: str, name: str = 'hmmwv_flexible') -> Vehicle:
    """Return a truck at rest on flat ground: 'rigid' or 'scm'."""
    config, mjcf = load_vehicle_model(name)
    rigid = ground == 'rigid'
    soil = RigidTerrainConfig() if rigid else load_soil('chrono_lunar')
    truck = Vehicle(
        'truck', config, mjcf, SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL if rigid else SCM), soil, 9.81
    )
    truck.place(0.0, 0.0, 0.0)
    return truck


def drive(truck: Vehicle, cycles: int, speed: float) -> list[bytes]:
    """Drive and return the state after each cycle."""
    states = []
    for _ in range(cycles):
        plan = truck.plan(CYCLE_NS, *truck.gear.targets(DriveCommand(speed)))
        truck.run(plan)
        truck.grid.apply(truck.finish(plan))
        truck.commit()
        states.append(truck.state())
    return states


def test_flexible_truck_differs_only_in_its_tires() -> None:
    """The file is that of the HMMWV with other tires."""
    files = [YamlSource(known_vehicles()[name], what='a vehicle').data for name in ('hmmwv', 'hmmwv_flexible')]
    for data in files:
        del data['description']
        for wheel in data['running_gear']['parameters']['wheels']:
            del wheel['tire']
    assert files[0] == files[1]


@pytest.mark.slow  # the loops of a vehicle on rings are compiled for it
@pytest.mark.parametrize('ground', ['rigid', 'scm'])
def test_flexible_truck_drives_and_repeats(ground: str) -> None:
    """The tires carry the weight (1 %: it still settles), the truck drives, and a restored state repeats its bits."""
    truck = make_truck(ground)
    drive(truck, 25, 0.0)
    assert float(truck.ground_force()[2]) == pytest.approx(truck.body.mass * 9.81, rel=0.01)
    states = drive(truck, 30, 2.0)
    assert float(truck.data.qvel[0]) > 0.5
    again = make_truck(ground)
    drive(again, 25, 0.0)
    assert drive(again, 30, 2.0) == states
    if ground == 'rigid':  # soil is not part of the vehicle's state
        again.restore(states[14])
        assert drive(again, 15, 2.0) == states[15:]
    assert np.isfinite(truck.data.qpos).all()
