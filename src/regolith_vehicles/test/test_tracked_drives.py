# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tracked vehicles on slopes, and of the stopping distance of heavy vehicles after the last command."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import make_driver
from regolith_vehicles.drivers.config import ExternalDriverConfig
from regolith_vehicles.drivers.live_input import LiveInput

G = 9.81
CYCLE_NS = 20_000_000


def made(model: str, gravity: Any = G) -> Vehicle:
    config, mjcf = load_vehicle_model(model)
    return Vehicle(
        model, config, mjcf, SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL), RigidTerrainConfig(friction=0.8), gravity
    )


def cycle(vehicle: Vehicle, command: DriveCommand) -> None:
    vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(command)))
    vehicle.commit()


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('model', 'speed', 'slope_deg', 'farthest'),
    [
        ('hmmwv', 5.0, 0.0, 9.0),
        *(
            pytest.param(*more, marks=pytest.mark.slow)
            for more in (
                ('m113', 1.0, -15.0, 2.5),
                ('m113', 2.0, 0.0, 4.0),
                ('m113', -1.0, 0.0, 2.0),
                ('hmmwv', 2.0, -15.0, 5.0),
            )
        ),
    ],
)
def test_timeout_stops_heavy_vehicles(model: str, speed: float, slope_deg: float, farthest: float) -> None:
    """The command holds for its timeout, v T; then the brakes stop the vehicle, in reverse and downhill, too."""
    tilt = math.radians(slope_deg)
    vehicle = made(model, gravity=(-G * math.sin(tilt), 0.0, -G * math.cos(tilt)))
    vehicle.place(0.0, 0.0, 0.0)
    driver = make_driver(ExternalDriverConfig(timeout_s=0.5))
    t_ns = 0
    while t_ns < 5_000_000_000:
        driver.receive(t_ns, LiveInput(DriveCommand(speed)))
        cycle(vehicle, driver.command(t_ns, vehicle.body_state()))
        t_ns += CYCLE_NS
    start, reached = vehicle.body_state().position, float(vehicle.data.qvel[0])
    assert reached == pytest.approx(speed, rel=0.2)
    places = []
    for _ in range(250):
        cycle(vehicle, driver.command(t_ns, vehicle.body_state()))
        t_ns += CYCLE_NS
        places.append(vehicle.body_state().position[0])
    way = math.copysign(1.0, speed) * (vehicle.body_state().position[0] - start[0])
    assert 0.5 * abs(reached) < way < farthest
    # It stands, though its hull still pitches on lightly damped springs.
    assert abs(np.mean(places[-50:]) - np.mean(places[-100:-50])) < 0.02


@pytest.mark.seconds
@pytest.mark.parametrize('slope_deg', [5.0, -15.0])
@pytest.mark.slow
def test_tracked_vehicle_keeps_its_speed_on_a_slope(slope_deg: float) -> None:
    """Up to the engine limit, 445 N m / 0.24 / 0.5 at 0.245 m: 15 kN of 111 kN, 7.8 degrees; down 15 by its brakes."""
    tilt = math.radians(slope_deg)
    tank = made('m113', gravity=(-G * math.sin(tilt), 0.0, -G * math.cos(tilt)))
    tank.place(0.0, 0.0, 0.0)
    for _ in range(500):
        cycle(tank, DriveCommand(1.0))
    seen = []
    for _ in range(50):
        cycle(tank, DriveCommand(1.0))
        seen.append(tank.data.qvel[0])
    assert np.mean(seen) == pytest.approx(1.0, abs=0.15)
    assert abs(tank.body_state().position[1]) < 0.5
