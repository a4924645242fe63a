# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicles among boulders, rocks and obstacles: contact, placement and saved states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.contact.arrays import make_wrench
from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.solids.contact import add_solid_wrench
from regolith_terrain.solids.point_force import POINT_DEPTH
from regolith_terrain.solids.polyhedron import convex_hull
from regolith_terrain.solids.rock_shapes import scaled_rock
from regolith_terrain.solids.solids import Solid, Solids
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.static_obstacles import build_solids
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_world.numerics.rotation import from_yaw, matrix

CYCLE_NS = 20_000_000
STEP = 1e-3


def rock(width: float, height: float, x: float, y: float, friction: float = 0.8) -> Solids:
    """Return one rock of a site, with 30 % of its height in the ground."""
    half = 0.5 * height / 0.7
    axes = np.diag([0.5 * width, 0.45 * width, half])
    return Solids([convex_hull(scaled_rock(3)[0])], [Solid(0, np.array([x, y, height - half]), axes, friction)])


def made(model: str, solids: Solids | None, ground: str = 'rigid', gravity: float = 1.62) -> Vehicle:
    config, mjcf = load_vehicle_model(model)
    rigid = ground == 'rigid'
    grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), 0.02)
    soil: Any = RigidTerrainConfig(friction=0.8) if rigid else load_soil(ground)
    return Vehicle('rover', config, mjcf, grid, soil, gravity, solids=solids)


def drive(vehicle: Vehicle, speed: float, seconds: float) -> float:
    """Drive; return the largest depth of any part in a solid at the ends of the cycles [m]."""
    targets, deepest = vehicle.gear.targets(DriveCommand(speed)), 0.0
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *targets))
        vehicle.commit()
        deepest = max(deepest, depth(vehicle))
    return deepest


def depth(vehicle: Vehicle) -> float:
    """Return the largest depth of the vehicle's parts in solids [m]."""
    arrays, *_ = vehicle._solids.arrays(vehicle._model, vehicle._data, STEP)
    arrays = arrays._replace(touched=arrays.touched.copy(), key=arrays.key.copy(), held=arrays.held.copy())
    parts, data, deepest = vehicle._parts, vehicle._data, 0.0
    for part in range(len(parts.names) if len(arrays.near.number) else 0):
        turn = data.xmat[parts.body[part]].reshape(3, 3)
        center = data.xpos[parts.body[part]] + turn @ parts.offset[part]
        add_solid_wrench(
            arrays, STEP, part, PartPose(center, turn @ parts.frame[part], np.zeros(3), np.zeros(3)), make_wrench()
        )
        deepest = max(deepest, *arrays.found[: arrays.touched[part], POINT_DEPTH], 0.0)
    return deepest


@pytest.mark.seconds
@pytest.mark.parametrize('ground', ['rigid', 'lunar_nominal'])
def test_boulder_stops_rover(ground: str) -> None:
    """The hull meets a boulder of 60 cm at 0.3 m/s; the rover stops with its wheels turning."""
    rover = made('viper', rock(0.6, 0.6, 2.0, 0.0), ground)
    rover.place(0.0, 0.0, 0.0)
    assert drive(rover, 0.3, 6.0) < 5e-3
    before = rover.body_state().position[0]
    assert drive(rover, 0.3, 1.0) < 5e-3
    assert 1.0 < before < 1.4 and rover.body_state().position[0] - before < 0.02


@pytest.mark.seconds
@pytest.mark.parametrize('ground', ['rigid', 'lunar_nominal'])
def test_rover_climbs_small_rock(ground: str) -> None:
    """The left wheels drive over a rock 10 cm high; the rover continues as fast as before."""
    rover = made('viper', rock(0.12, 0.1, 1.5, 0.61), ground)
    rover.place(0.0, 0.0, 0.0)
    highest, targets = 0.0, rover.gear.targets(DriveCommand(0.3))
    for _ in range(round(9e9 / CYCLE_NS)):
        rover.grid.apply(rover.evolve(CYCLE_NS, *targets))
        rover.commit()
        highest = max(highest, rover._data.xpos[rover.body.wheel_body[0], 2])
        assert depth(rover) < 5e-3
    assert highest > 0.32
    body = rover.body_state()
    assert body.position[0] > 2.4 and body.linear_velocity[0] == pytest.approx(0.3, rel=0.2)


@pytest.mark.seconds
def test_hull_rests_on_rocks() -> None:
    """A rover placed on boulders between its wheels rests on its hull; the boulders support the weight."""
    heap = [Solid(0, np.array([x, y, 0.4]), np.diag([0.25, 0.25, 0.4]), 0.8) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    rover = made('viper', Solids([convex_hull(scaled_rock(5)[0])], heap))
    rover.place_at((0.0, 0.0, 0.62), from_yaw(0.0))
    drive(rover, 0.0, 4.0)
    assert rover.hull_load_fraction() == pytest.approx(1.0, abs=1e-2)
    assert np.abs(rover.data.qvel[:6]).max() < 1e-3 and depth(rover) < 5e-3
    assert abs(float(matrix(rover.body_state().orientation)[2, 2])) > 0.95


@pytest.mark.seconds
def test_state_on_a_rock_is_restored_bit_identical() -> None:
    """The continuation of a saved state is bit-identical, in the same vehicle and in another one."""
    solids = rock(0.3, 0.15, 1.0, 0.61)
    rover, other = (made('viper', solids, 'lunar_nominal') for _ in range(2))
    rover.place(0.0, 0.0, 0.0)
    assert rover._solids.contact is not None
    while not rover._solids.contact._count.any():
        drive(rover, 0.3, 0.02)
    saved = rover.state()
    targets = rover.gear.targets(DriveCommand(0.3))

    def onwards(vehicle: Vehicle) -> list[bytes]:
        vehicle.restore(saved)
        states = []
        for _ in range(5):
            vehicle.evolve(CYCLE_NS, *targets)
            states.append(vehicle.state())
        return states

    first = onwards(rover)
    assert onwards(rover) == first
    other.grid.load(rover.grid.save())
    assert onwards(other) == first
    assert other._solids.contact is not None
    with pytest.raises(ValueError, match='contacts with solids'):
        other._solids.contact.load(rover._solids.contact.save()[:-9])


@pytest.mark.seconds
def test_distant_solids_do_not_change_the_state() -> None:
    """The states are bit-identical; a rover that left its rock stores no data of it."""
    near, alone = made('viper', rock(0.6, 0.6, 50.0, 0.0), 'lunar_nominal'), made('viper', None, 'lunar_nominal')
    for rover in (near, alone):
        rover.place(0.0, 0.0, 0.3)
        targets = rover.gear.targets(DriveCommand(0.4, 0.1))
        for _ in range(25):
            rover.grid.apply(rover.evolve(CYCLE_NS, *targets))
            rover.commit()
    assert near.data.qpos.tobytes() == alone.data.qpos.tobytes()
    assert near.data.qvel.tobytes() == alone.data.qvel.tobytes()
    assert near.grid.soil_hash() == alone.grid.soil_hash()


def test_vehicle_is_placed_on_top_of_an_obstacle() -> None:
    """The vehicle is not placed inside the obstacle."""
    terrain = {'source': 'flat', 'obstacles': {'pad': {'type': 'box', 'position': [0.0, 0.0], 'size': [4.0, 4.0, 0.5]}}}
    solids = build_solids(TerrainConfig.model_validate(terrain), 1, FlatField())
    rover = made('viper', solids)
    rover.place(0.0, 0.0, 0.0)
    assert rover.body_state().position[2] == pytest.approx(0.75, abs=0.02)


def test_solids_are_identical_in_every_process() -> None:
    """The solids follow from the scenario alone: the same solids, order and numbers."""
    terrain = TerrainConfig.model_validate(
        {
            'preset': 'highland',
            'map_size_m': 20.0,
            'obstacles': {
                'b': {'type': 'wall', 'position': [1.0, 2.0], 'size': [2.0, 0.2, 1.0], 'friction': 0.3},
                'a': {'type': 'ramp', 'position': [5.0, 2.0, 0.5], 'size': [2.0, 1.0, 0.5]},
            },
        }
    )
    one, two = (build_solids(terrain, 4, FlatField()) for _ in range(2))
    assert one is not None and two is not None and len(one) == len(two) > 10
    assert all(np.array_equal(a, b) for a, b in zip(one.placed, two.placed, strict=True))
    assert one.placed.friction[:3].tolist() == [0.8, 0.3, 0.8]
    without = build_solids(terrain.model_copy(update={'rock_collision': False}), 4, FlatField())
    assert without is not None and len(without) == 2


def test_solids_within_reach_by_acceleration_are_included() -> None:
    """In a cycle T from rest, a part moves by at most a T^2 / 2: only solids up to that distance are included."""
    bare = made('viper', None)
    centers = bare._parts.centers(4, bare._data.xpos, bare._data.xmat)
    first = int(centers[:, 0].argmax())
    x, y, z = centers[first]
    ahead = float(bare._parts.reach[first]) + 0.1 + 0.10  # The wheel, half the rock, a gap of 10 cm.
    for acceleration, found in ((25.0, True), (15.0, False)):
        half = np.full(3, 0.1)
        solids = Solids(
            [convex_hull(np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]))],
            [Solid(0, np.array([x + ahead, y, z]), np.diag(half), 0.8)],
        )
        vehicle = made('viper', solids)
        arrays, *_ = vehicle._solids.arrays(vehicle._model, vehicle._data, 0.1, acceleration=acceleration)
        assert bool(len(arrays.near.number)) is found, acceleration
