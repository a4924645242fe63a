# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of all shipped vehicles at rest on rigid ground, level and at 15 degrees."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
RIGID = {'source': 'flat', 'model': 'rigid', 'soil': {'friction': 0.8}}


def _stand(vehicle: Vehicle, seconds: float) -> np.ndarray:
    """Return the mean force of the ground over this time [N], shape (3,)."""
    forces = []
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand())))
        vehicle.commit()
        forces.append(sum(wheel.force for wheel in vehicle.wheel_states()))
    return np.mean(forces, axis=0)


STANDING = list(
    product(
        ('viper', 'rocker_bogie', 'rocker_bogie_reference', 'rassor'),
        ((0.0, 0.0), (15.0, 0.0), (15.0, 0.5 * math.pi)),
        (1.62, 9.81),
    )
)
QUICK = STANDING[1::5]
"""One of five combinations: each model, slope, heading and gravity."""


@pytest.mark.parametrize(
    ('model', 'slope', 'heading', 'gravity'),
    [
        pytest.param(model, *place, g, marks=[] if (model, place, g) in QUICK else [pytest.mark.slow])
        for model, place, g in STANDING
    ],
)
def test_vehicle_at_rest_does_not_creep_and_ground_supports_its_weight(
    model: str, slope: float, heading: float, gravity: float
) -> None:
    """Two seconds after an impulse nothing moves faster than 0.01 mm/s, which is 0.6 mm/min."""
    terrain = TerrainConfig.model_validate(RIGID)
    grid = SoilGrid(PlaneField(math.tan(math.radians(slope))), terrain.spacing_m, terrain.law)
    config, mjcf = load_vehicle_model(model)
    vehicle = Vehicle('rover', config, mjcf, grid, terrain.soil_map(), gravity, terrain.scm_mode)
    vehicle.place(0.0, 0.0, heading)
    blow = 0.01 * vehicle.body.mass
    vehicle.apply_impulse(vehicle.body_state().center_of_mass, (blow, blow, blow))
    _stand(vehicle, 2.0)
    start, weight = vehicle.body_state().position, vehicle.body.mass * gravity
    force = _stand(vehicle, 1.0)
    assert force == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    assert np.linalg.norm(vehicle.body_state().position - start) < 1e-5
    assert np.abs(vehicle._data.qvel).max() < 1e-4
