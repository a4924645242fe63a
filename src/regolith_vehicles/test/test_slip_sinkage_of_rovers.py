# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of slip sinkage: a rover with spinning wheels sinks until its hull carries load, beside the displaced soil."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.ejected_soil import disturbed
from regolith_terrain.excavation.exchange import exchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, HeightField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
BELLY = 4
WEIGHT = 66.0 * 1.62


class Hillside(HeightField):
    """Plane that rises along x."""

    def __init__(self, slope_deg: float) -> None:
        self.grade = math.tan(math.radians(slope_deg))

    def heights(self, x, y):
        return self.grade * np.asarray(x) + 0.0 * np.asarray(y)

    def fingerprint(self):
        return f'hillside {self.grade!r}'


class Digger:
    """A rover with 15 mm grousers on a hillside, and the terrain part of each cycle."""

    def __init__(self, slope_deg: float, **terrain: object) -> None:
        config, mjcf = load_vehicle_model('rassor')
        soil = load_soil('lunar_nominal')
        ground = TerrainConfig(source='flat', soil=soil, **terrain)
        self.grid = SoilGrid(Hillside(slope_deg), 0.02)
        self.diggable, self.loose = DiggableSoil(ground, 1.62), LooseSoil()
        self.vehicle = Vehicle(
            'rover',
            config,
            mjcf,
            self.grid,
            soil,
            1.62,
            displacement=ground.displacement(),
        )
        self.vehicle.place(0.0, 0.0, 0.0)

    def drive(self, seconds: float, speed: float = 0.25) -> tuple[float, float, float]:
        """Return mean sinkage [m] and slip of the wheels at the end, and the hull load share over the last second."""
        targets, belly = self.vehicle.gear.targets(DriveCommand(speed)), []
        for _ in range(round(seconds * 1e9 / CYCLE_NS)):
            records = self.vehicle.evolve(CYCLE_NS, *targets)
            thrown = disturbed(self.grid, records, np.zeros(len(records), np.int16), self.loose, self.diggable)
            if len(thrown[0]) or self.loose.mark.any():
                out = exchange(
                    self.grid, records, np.zeros(len(records), np.int16), {}, self.loose, self.diggable, thrown
                )
                records, self.loose = out.records, self.loose.changed(out.loose)
            self.grid.apply(records)
            self.vehicle.commit()
            belly.append(self.vehicle.step.wrenches.force[BELLY, 2] / WEIGHT)
        wheels = self.vehicle.wheel_states()
        return (
            float(np.mean([w.sinkage_total for w in wheels])),
            float(np.mean([w.slip_ratio for w in wheels])),
            float(np.mean(belly[-50:])),
        )


@pytest.mark.slow
@pytest.mark.seconds
def test_rover_at_full_slip_sinks_until_hull_carries_load() -> None:
    """On 28 degrees it does not move away: the sinkage grows until the hull rests on the soil and the wheels spin.

    The hull is 0.161 m above the ground that the wheels roll on. The wheels are that deep when the hull touches, and
    deeper by its own sinkage of some millimeters. At rest the hull carries the weight, except for 5 % at most on
    wheels that touch the walls of their pits.
    """
    rover = Digger(28.0)
    told = [rover.drive(4.0) for _ in range(8)]
    deep = [sinkage for sinkage, _, _ in told]
    assert deep[:6] == sorted(deep[:6]) and deep[0] < 0.06 and deep[5] > 0.15
    assert all(belly == 0.0 for _, _, belly in told[:4]) and all(slip > 0.85 for _, slip, _ in told)
    assert deep[-1] == pytest.approx(0.161, abs=0.01) and deep[-1] == pytest.approx(deep[-2], abs=1e-3)
    _, _, belly = rover.drive(2.0, 0.0)
    assert belly == pytest.approx(1.0, abs=0.05)
    # Neither the wheels nor the landslides of their heaps made or lost a quantum.
    assert len(rover.loose) and rover.grid.moved_mass() == 0.0


def test_rover_without_slip_sinkage_stays_on_top() -> None:
    """Same hillside without the option: sinkage of at most two centimeters."""
    rover = Digger(28.0, slip_sinkage={'enabled': False})
    sinkage, slip, belly = rover.drive(5.0)
    assert sinkage < 0.02 and slip > 0.5 and belly == 0.0


@pytest.mark.parametrize('model', ['viper', 'rassor', 'rocker_bogie'])
def test_wheels_of_shipped_rovers_carry_soil(model: str) -> None:
    """A wheel that spins without moving throws soil behind it, and makes or loses no quantum of it."""
    config, mjcf = load_vehicle_model(model)
    grid, soil = SoilGrid(FlatField(), 0.02), load_soil('lunar_nominal')
    ground = TerrainConfig(source='flat', soil=soil)
    vehicle = Vehicle('rover', config, mjcf, grid, soil, 1.62, displacement=ground.displacement())
    vehicle.place(0.0, 0.0, 0.0)
    targets, moved = vehicle.gear.targets(DriveCommand(0.15)), 0.0
    for _ in range(50):
        records = vehicle.evolve(CYCLE_NS, *targets)
        moved += float(np.abs(records.mass_kgpm2).sum())
        grid.apply(records)
        vehicle.commit()
    assert moved > 1.0 and grid.moved_mass() == 0.0
