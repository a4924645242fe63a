# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicles in tunnels of tiles: placement under roofs, walls, ramps and floors above other tiles."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import build_height_field
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.static_obstacles import build_solids
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
HEAD = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad\n'
CROSSING = """low_1,Tunnel Tile 5,0,0,-5,0,0,0
ramp_2,Tunnel Tile 6,0,20,-5,0,0,0
high_3,Tunnel Tile 5,0,40,0,0,0,0
bridge_4,Tunnel Tile 5,0,0,0,0,0,1.570796
west_5,Tunnel Tile 5,-20,0,0,0,0,1.570796
"""


def placed(tmp_path: Path, rows: str, x: float, y: float, heading_deg: float) -> Vehicle:
    file = tmp_path / 'world.tiles.csv'
    file.write_text(HEAD + rows)
    terrain = TerrainConfig.model_validate({'source': str(file)})
    ground = build_height_field(terrain, 1)
    config, mjcf = load_vehicle_model('viper')
    solids = build_solids(terrain, 1, ground)
    vehicle = Vehicle('rover', config, mjcf, SoilGrid(ground, 0.05), load_soil('lunar_nominal'), 1.62, solids=solids)
    vehicle.place(x, y, math.radians(heading_deg))
    return vehicle


def drive(vehicle: Vehicle, speed: float, seconds: float) -> tuple[float, float, float]:
    """Drive and return the position of the base [m]."""
    targets = vehicle.gear.targets(DriveCommand(speed))
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *targets))
        vehicle.commit()
    x, y, z = vehicle.body_state().position.tolist()
    return x, y, z


def test_vehicle_is_under_the_roof_and_stops_at_the_end_wall(tmp_path: Path) -> None:
    """The wall is at y = -9.5 m. The front of the rover is 0.8 m ahead of its origin, and its wheels climb a little."""
    vehicle = placed(tmp_path, CROSSING, 0.0, -7.5, -90.0)
    assert vehicle.body_state().position[2] == pytest.approx(-4.78, abs=0.05)
    x, y, z = drive(vehicle, 0.5, 6.0)
    assert -9.0 < y < -8.2 and abs(x) < 0.1 and z < -4.0


def test_vehicle_climbs_the_ramp(tmp_path: Path) -> None:
    """A slope of 1 to 4: after some meters from y = 13 m the base has risen by a quarter of the way."""
    vehicle = placed(tmp_path, CROSSING, 0.0, 13.0, 90.0)
    before = vehicle.body_state().position
    x, y, z = drive(vehicle, 0.4, 6.0)
    assert y - before[1] > 1.0 and abs(x) < 0.1
    assert z - before[2] == pytest.approx(0.25 * (y - before[1]), abs=0.03)


def test_vehicle_crosses_above_another_tunnel(tmp_path: Path) -> None:
    """From the soil of one tile over the floor of the next, which is a solid 5 m above the lower tunnel."""
    vehicle = placed(tmp_path, CROSSING, -11.2, 0.0, 0.0)
    before = vehicle.body_state().position
    x, _, z = drive(vehicle, 0.5, 7.0)
    assert x > -8.5
    assert z == pytest.approx(before[2], abs=0.03)
    vehicle = placed(tmp_path, CROSSING, 0.0, 0.0, 0.0)
    assert vehicle.body_state().position[2] == pytest.approx(before[2], abs=0.03)
