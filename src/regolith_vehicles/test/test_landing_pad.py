# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a rover that drives from soil onto a rigid pad."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
PAD = [[0.75, -2.0], [5.0, -2.0], [5.0, 2.0], [0.75, 2.0]]


@pytest.mark.seconds
def test_rover_drives_from_soil_onto_rigid_pad() -> None:
    """The ground supports its weight, each wheel presses by m g / 12 k, ruts end at the edge; all of it is restored."""
    terrain = TerrainConfig.model_validate({'source': 'flat', 'regions': [{'model': 'rigid', 'polygon': PAD}]})
    config, mjcf = load_vehicle_model('viper')
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    rover = Vehicle('rover', config, mjcf, grid, terrain.soil_map(), 1.62, terrain.scm_mode)
    rover.place(0.0, 0.0, 0.0)

    def drive(seconds: float) -> list[float]:
        rising = []
        for _ in range(round(seconds / (CYCLE_NS * 1e-9))):
            grid.apply(rover.evolve(CYCLE_NS, *rover.gear.targets(DriveCommand(0.3, 0.0))))
            rover.commit()
            rising.append(abs(float(rover.body_state().linear_velocity[2])))
        return rising

    sunk = [wheel.sinkage_total for wheel in rover.wheel_states()]
    drive(2.0)
    front, rear = rover.wheel_states()[:2], rover.wheel_states()[2:]
    assert max(w.sinkage_total for w in front) < 1e-3 < 5e-3 < min(w.sinkage_total for w in rear), sunk
    # With the rear wheels at the edge: the restored run continues like the uninterrupted one.
    drive(1.7)
    kept, ground = rover.state(), grid.save()
    rising = drive(0.6)
    end = rover.state()
    rover.restore(kept)
    grid.load(ground)
    drive(0.6)
    assert rover.state() == end
    rising += drive(2.0)
    wheels = rover.wheel_states()
    weight = rover.body.mass * 1.62
    assert sum(w.normal_load for w in wheels) == pytest.approx(weight, rel=2e-3)
    assert [w.sinkage_total for w in wheels] == pytest.approx([weight / 12 / 2e5] * 4, rel=0.3)
    assert max(rising) < 0.1  # In m/s: raised smoothly, without a jump.
    records = grid.all_records()
    x = records.i * terrain.spacing_m
    assert x.max() < 0.75 and np.abs(records.level).max() > 5e-3
