# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of running gear telemetry."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.contact.wheel_state import slip_ratio
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.tracks.running_gear import LOAD, SINKAGE, TRAVEL, Tracks

CYCLE_NS = 20_000_000


@pytest.mark.seconds
def test_telemetry_values_match_side_and_quantity() -> None:
    """A tank turns left: its right band is the faster one, and the pads support its weight."""
    config, mjcf = load_vehicle_model('m113')
    ground = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL)
    vehicle = Vehicle('m113', config, mjcf, ground, RigidTerrainConfig(friction=0.8), 9.81)
    vehicle.place(0.0, 0.0, 0.0)
    gear = vehicle.gear
    assert isinstance(gear, Tracks)
    for _ in range(60):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, np.array([0.05, 0.6, 0.0])))
        vehicle.commit()
    told = gear.telemetry()
    parts = [(q.name, part) for q in gear.quantities for part in q.parts]
    assert len(told) == len(parts) and {q.unit for q in gear.quantities} == {'m', '', 'N', 'Pa'}
    value = dict(zip(parts, told.tolist(), strict=True))
    pads = sum(pad.length_m * pad.width_m for pad in gear.tracks.shoe.pads)
    body = vehicle.body_state()
    turn = np.array([-1.0, 1.0]) * 0.5 * gear.gauge * body.angular_velocity[2]
    weight = 0.0
    for side, first, count, ahead in zip(('left', 'right'), gear.band.first, gear.shoes, turn, strict=True):
        shoes = gear.table[first : first + count]
        bearing = shoes[:, LOAD] > 0.0
        assert value['ground pressure', f'{side}, mean'] == pytest.approx(shoes[bearing, LOAD].mean() / pads)
        assert value['ground pressure', f'{side}, highest'] == pytest.approx(shoes[:, LOAD].max() / pads)
        assert value['sinkage', f'{side}, deepest'] == shoes[:, SINKAGE].max()
        weight += value['ground pressure', f'{side}, mean'] * pads * bearing.sum()
        band, speed = shoes[0, TRAVEL], np.hypot(*body.linear_velocity[:2]) + ahead
        assert value['slip ratio', side] == pytest.approx(slip_ratio(float(speed), float(band)), abs=0.02)
    assert weight == pytest.approx(body.mass * 9.81, rel=0.1)
    ends = [(side, end) for side in ('left', 'right') for end in ('at the sprocket', 'at the idler')]
    assert [value['band tension', f'{side}, {end}'] for side, end in ends] == gear.state.tension.ravel().tolist()
    assert (
        gear.table[gear.band.first[1], TRAVEL] > gear.table[0, TRAVEL] > 0.5 and min(gear.state.tension.ravel()) > 0.0
    )


def test_wheels_have_no_telemetry() -> None:
    config, mjcf = load_vehicle_model('viper')
    gear = Vehicle(
        'viper', config, mjcf, SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL), RigidTerrainConfig(), 1.62
    ).gear
    assert gear.quantities == () and gear.telemetry().shape == (0,)
