# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the energy of vehicles that drop off steps of rigid ground."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from numpy.typing import ArrayLike

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import HeightField, Heights
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model

G = 9.81
CYCLE_NS = 5_000_000


class Step(HeightField):
    """Level ground that drops behind x = 1 m, over one cell of 0.05 m; a drop below 0 is a curb."""

    def __init__(self, drop: float) -> None:
        self.drop = drop

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        across = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))[0]
        return -self.drop * np.clip((across - 1.0) / 0.05, 0.0, 1.0)

    def fingerprint(self) -> str:
        return f'step {self.drop}'


def energy(vehicle: Vehicle) -> float:
    """Return kinetic, potential and joint spring energy [J]."""
    model, data = vehicle.body.model, vehicle.data
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    springs = sum(
        model.jnt_stiffness[k] * float(data.qpos[model.jnt_qposadr[k]] - model.qpos_spring[model.jnt_qposadr[k]]) ** 2
        for k in range(model.njnt)
        if model.jnt_stiffness[k] > 0.0
    )
    height = -float((model.body_mass * (data.xipos @ model.opt.gravity)).sum())
    return height + 0.5 * springs + 0.5 * float(data.qvel @ inertia @ data.qvel)


def gain(model: str, drop: float, heading: float, speed: float, start: float, seconds: float) -> tuple[float, float]:
    """Drive over the edge; return the largest energy gain beyond the motor work, and the fall, over the weight [m].

    Motor power is that at the end of each cycle of 5 ms, times its length.
    """
    config, mjcf = load_vehicle_model(model)
    grid = SoilGrid(Step(drop), 0.05, RIGID_TERRAIN_MODEL)
    vehicle = Vehicle(model, config, mjcf, grid, RigidTerrainConfig(friction=0.8), G)
    vehicle.place(start, 0.0, heading)
    before, work, most, lowest = energy(vehicle), 0.0, 0.0, np.inf
    above = float(vehicle.data.xpos[vehicle.body.base, 2])
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand(speed)))
        vehicle.commit()
        work += float(vehicle.data.qfrc_actuator @ vehicle.data.qvel) * CYCLE_NS * 1e-9
        most = max(most, energy(vehicle) - work - before)
        lowest = min(lowest, float(vehicle.data.xpos[vehicle.body.base, 2]))
    weight = vehicle.body.mass * G
    return most / weight, above - lowest


DRIVES = [
    ('viper', 5.0, 0.0, 1.0, -0.2, 2.5),
    ('rassor', 5.0, 0.0, 1.0, -0.2, 3.5),
    ('hmmwv', 2.0, -1.45, 4.0, -0.3, 3.5),
]
"""Vehicle, drop [m], heading relative to the step [rad], speed [m/s], start [m], time [s]."""
MORE = [
    ('hmmwv', 2.0, 0.8, 3.0, -2.0, 3.5),
    *(
        (model, drop, heading, 1.0, start, 9.0)
        for model, start in (
            ('viper', -1.0),
            ('rassor', -0.5),
            ('rocker_bogie', -1.2),
            ('rocker_bogie_reference', -1.2),
        )
        for drop in (1.0, 2.0, 5.0)
        for heading in (0.0, 0.4, -0.9)
    ),
    *(('rassor', drop, heading, 0.8, 0.3, 8.0) for drop in (1.0, 5.0) for heading in (1.1, 1.3, -1.25)),
    *(('rocker_bogie', drop, heading, 1.0, -0.5, 10.0) for drop in (1.0, 5.0) for heading in (1.1, 1.3, -1.25)),
    *(
        ('hmmwv', drop, heading, 4.0, -2.0, 3.5)
        for drop in (0.3, 1.0, 2.0, 5.0)
        for heading in (0.2, 0.6, 1.0, 1.3, -0.8)
    ),
    *(('hmmwv', drop, heading, 4.0, -0.3, 3.5) for drop in (0.3, 1.0, 5.0) for heading in (1.5, -1.45)),
    *(('hmmwv', drop, heading, 3.0, -2.0, 4.0) for drop in (1.0, 2.0, 5.0) for heading in (0.0, 0.4)),
    *(('hmmwv', drop, -1.2, 3.0, -2.0, 4.0) for drop in (1.0, 5.0)),
    *(('m113', drop, heading, 4.0, -0.5, 4.0) for drop in (1.0, 2.0, 5.0) for heading in (0.0, 0.6)),
]


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('model', 'drop', 'heading', 'speed', 'start', 'seconds'),
    [*DRIVES, *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE)],
)
def test_vehicle_that_drops_off_a_step_gains_no_energy(
    model: str, drop: float, heading: float, speed: float, start: float, seconds: float
) -> None:
    """At most 40 mm of height above the motor work, from 0.3 to 5 m, straight, oblique and almost along the edge.

    The springs of the ground have a potential, dampers and friction only dissipate. What remains is the work of
    motors, summed by 5 ms (up to 7 mm), and rims that pass from one rule of depth to another in a corner (up to 22
    mm).
    """
    gained, fallen = gain(model, drop, heading, speed, start, seconds)
    assert gained < 0.04
    assert fallen > 0.1, 'it did not drop: the test shows nothing'


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('curb', 'heading_deg', 'speed'),
    [
        (0.15, 80.0, 2.0),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (0.15, 70.0, 5.0),
                (0.15, 75.0, 5.0),
                (0.15, 80.0, 5.0),
                (0.25, 78.0, 3.0),
                (0.1, 78.0, 3.0),
                (0.15, 85.0, 5.0),
                (0.15, 60.0, 3.0),
                (0.15, -80.0, 2.0),
            )
        ),
    ],
)
def test_truck_grazing_a_curb_gains_no_energy(curb: float, heading_deg: float, speed: float) -> None:
    """It is pushed aside, or climbs and slows down; bound as above, 0.12 m where one rule changes to the other."""
    heading = math.radians(heading_deg)
    # The front wheel, 1.7 m ahead and 0.9 m to the side of the center, meets the curb after about 0.5 m.
    gained, fallen = gain('hmmwv', -curb, heading, speed, -0.6 - 2.5 * math.cos(heading), 4.0)
    assert gained < (0.12 if heading_deg == 70.0 else 0.04)
    assert fallen < 0.2


@pytest.mark.slow
def test_truck_rolling_over_edge_on_leaning_wheels_gains_little_energy() -> None:
    """Wheels at a camber of 45 degrees cross the edge: 0.13 m of height, from the nearest point in the vertical plane."""
    gained, fallen = gain('hmmwv', 2.0, -1.2, 3.0, -2.0, 4.0)
    assert gained < 0.15
    assert fallen > 1.0
