# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the sums of forces and moments on a vehicle."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_world.cycle import CycleResult, JoinRequest
from regolith_world.cycle.records import VEHICLE_ROLES, CycleKey
from regolith_world.objects.remote_body import RemoteAgent

CYCLE_NS = 20_000_000
RIGID = {'source': 'flat', 'model': 'rigid', 'soil': {'friction': 0.8}}


def stand(model: str = 'viper') -> Vehicle:
    """Return a rover that has stood on rigid ground for two seconds."""
    terrain = TerrainConfig.model_validate(RIGID)
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    config, mjcf = load_vehicle_model(model)
    vehicle = Vehicle('rover', config, mjcf, grid, terrain.soil_map(), 1.62, terrain.scm_mode)
    vehicle.place(0.0, 0.0, 0.0)
    for _ in range(100):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand())))
        vehicle.commit()
    return vehicle


def momentum(vehicle: Vehicle) -> np.ndarray:
    """Return linear and angular momentum about the center of mass, shape (6,)."""
    mujoco.mj_subtreeVel(vehicle.body.model, vehicle.data)
    root = vehicle._bodies.root
    return np.concatenate((vehicle.body.mass * vehicle.data.subtree_linvel[root], vehicle.data.subtree_angmom[root]))


@pytest.mark.parametrize('model', ['viper', 'rocker_bogie'])
def test_a_rover_at_rest_is_carried_by_its_weight(model: str) -> None:
    """The ground carries the weight, without moment about the center of mass: 1e-4 of weight and of weight by 1 m.

    The suspension still moves by less than 1e-4 m/s after two seconds.
    """
    vehicle = stand(model)
    force, moment = vehicle.force_and_moment()
    weight = vehicle.body.mass * 1.62
    assert force == pytest.approx([0.0, 0.0, weight], abs=1e-4 * weight)
    assert moment == pytest.approx(np.zeros(3), abs=1e-4 * weight)
    assert force == pytest.approx(vehicle.ground_force(), abs=1e-9 * weight)


def test_forces_change_the_momentum_of_a_rover(make_vehicle: Callable[..., Vehicle]) -> None:
    """A rover pushed sideways: the change of momentum in one substep is force and weight, and the moment, times step.

    The Euler method uses the inertia of the start of the substep: a relative error of speed times step over length,
    0.3 m/s x 1 ms / 0.1 m = 3e-3.
    """
    vehicle = stand()
    vehicle.apply_impulse(vehicle.body_state().center_of_mass, (10.0, 0.3 * vehicle.body.mass, 0.0))
    step = int(vehicle.config.substep_s * 1e9)
    before = momentum(vehicle)
    vehicle.evolve(step, *vehicle.gear.targets(DriveCommand()))
    force, moment = vehicle.force_and_moment()
    change = (momentum(vehicle) - before) / (step * 1e-9)
    force = force - (0.0, 0.0, 1.62 * vehicle.body.mass)
    assert np.abs(force[1]) > 10.0 and np.abs(moment).max() > 1.0
    assert change[:3] == pytest.approx(force, abs=3e-3 * np.abs(force).max())
    assert change[3:] == pytest.approx(moment, abs=3e-3 * np.abs(moment).max())


def test_the_world_has_the_forces_of_a_vehicle() -> None:
    """They are those of its last result, and zero after its state was set."""
    vehicle = stand()
    body = vehicle.body_state()
    agent = RemoteAgent(JoinRequest('rover', VEHICLE_ROLES, (), (body,), 2**62, '', '', {}), 0)
    assert [part.tolist() for part in agent.force_and_moment(())] == [[0.0] * 3] * 2
    force, moment = vehicle.force_and_moment()
    result = CycleResult(CycleKey(0, 0, 0), 'rover', 2**62, (body,), force=force, moment=moment)
    agent.take(result, CYCLE_NS)
    assert agent.force_and_moment(())[0] is force and agent.force_and_moment(())[1] is moment
    agent.rewind(CYCLE_NS, (body,), 2**62, '')
    assert not agent.force_and_moment(())[0].any()
