# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of force fields that act on vehicles."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.multibody import momentum
from regolith_world.config import WorldConfig
from regolith_world.cycle.records import Command, Cycle, FieldRecord
from regolith_world.objects.object_types import make_objects
from regolith_world.world import World

CYCLE_NS = 20_000_000
RIGID = {'source': 'flat', 'model': 'rigid', 'soil': {'friction': 0.8}}
G = 1.62


def field(size: float = 100.0, **more: Any) -> FieldRecord:
    """Return the record of a box around the origin."""
    shapes = [{'kind': 'box', 'size_m': [size, size, size]}]
    (made,) = make_objects({'f': {'type': 'force_field', 'position': [0, 0, 0], 'shapes': shapes, **more}}, G)
    record: FieldRecord = made.field_record()  # type: ignore[attr-defined]
    return record


def rover(gravity: float = G, height: float | None = None, model: str = 'viper') -> Vehicle:
    """Return a rover on rigid ground, or at a height above it."""
    terrain = TerrainConfig.model_validate(RIGID)
    config, mjcf = load_vehicle_model(model)
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    made = Vehicle('rover', config, mjcf, grid, terrain.soil_map(), gravity, terrain.scm_mode)
    if height is None:
        made.place(0.0, 0.0, 0.0)
    else:
        made.place_above_ground(0.0, 0.0, 0.0, height)
    return made


def go(made: Vehicle, seconds: float, *fields: FieldRecord) -> Vehicle:
    """Evolve a vehicle at rest under fields."""
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        made.step.set_fields(fields)
        made.grid.apply(made.evolve(CYCLE_NS, *made.gear.targets(DriveCommand())))
        made.commit()
    return made


def velocity(made: Vehicle) -> np.ndarray:
    """Return the velocity of the center of mass [m/s], shape (3,)."""
    return momentum(made.body.model, made.data, np.zeros(3))[0] / made.body.mass


@pytest.mark.parametrize('model', ['viper', 'rocker_bogie', 'rassor'])
def test_a_field_against_gravity_lets_a_rover_float(model: str) -> None:
    """With -g it hovers above the ground: 1e-9 m/s after 1 s. Out of the field it falls."""
    made = rover(height=1.0, model=model)
    start = made.body_state().position
    go(made, 1.0, field(acceleration_mps2=[0.0, 0.0, G]))
    assert velocity(made) == pytest.approx(np.zeros(3), abs=1e-9)
    assert made.body_state().position == pytest.approx(start, abs=1e-9)
    force, moment = made.force_and_moment()
    assert force == pytest.approx([0.0, 0.0, G * made.body.mass], rel=1e-9, abs=1e-9)
    assert moment == pytest.approx(np.zeros(3), abs=1e-9 * G * made.body.mass)
    go(made, 0.5)
    assert velocity(made)[2] == pytest.approx(-0.5 * G, rel=1e-9) and not made.data.xfrc_applied.any()


def test_half_of_gravity_halves_the_wheel_loads() -> None:
    """A rover dropped in a field of g/2 upward has the loads of one under g/2, to 1e-9 of its weight, and half of g."""
    up = field(acceleration_mps2=[0.0, 0.0, 0.5 * G])
    inside, light = go(rover(height=0.02), 1.5, up), go(rover(0.5 * G, height=0.02), 1.5)
    loads = [np.array([wheel.force for wheel in made.wheel_states()]) for made in (inside, light)]
    weight = inside.body.mass * G
    assert loads[0] == pytest.approx(loads[1], abs=1e-9 * weight)
    rest = go(rover(), 1.0)
    go(rest, 6.0, up)
    assert sum(wheel.force[2] for wheel in rest.wheel_states()) == pytest.approx(0.5 * weight, rel=1e-6)
    assert rest.ground_force()[2] == pytest.approx(0.5 * weight, rel=1e-6)


def test_drag_slows_a_rover_as_the_exponential() -> None:
    """v = v0 exp(-c t) with wheels off the ground: to c^3 h^2 t / 12 of the trapezoidal rule, 1e-8, and rounding."""
    made, c = rover(0.0, height=1.0), 0.5
    made.apply_impulse(made.body_state().center_of_mass, (0.3 * made.body.mass, 0.0, 0.0))
    start = velocity(made)
    go(made, 1.0, field(drag_per_s=c))
    error = c**3 * made.config.substep_s**2 / 12.0
    assert np.linalg.norm(velocity(made)) == pytest.approx(np.linalg.norm(start) * math.exp(-c), rel=2.0 * error + 1e-9)


def test_a_rover_in_a_repulsive_region_swings_as_a_spring_does() -> None:
    """All centers of mass within a cylinder's flat end: acceleration k times depth, so v = -w d sin(w t), w^2 = k."""
    made, k = rover(0.0, height=10.0), 0.04
    flat = {'kind': 'cylinder', 'size_m': [100.0, 50.0], 'position': [0.0, 0.0, -50.0]}
    (region,) = make_objects(
        {'f': {'type': 'force_field', 'position': [0, 0, 20.0], 'shapes': [flat], 'repulsion_per_s2': k}}, G
    )
    record = region.field_record()  # type: ignore[attr-defined]
    mujoco.mj_comPos(made.body.model, made.data)
    depth = 20.0 - made.body_state().center_of_mass[2]
    go(made, 2.0, record)
    w = math.sqrt(k)
    # Semi-implicit Euler with 1 ms: relative error of half a step times the rate.
    assert velocity(made)[2] == pytest.approx(w * depth * math.sin(2.0 * w), rel=1e-3)


def test_the_world_sends_its_fields_in_every_cycle() -> None:
    """In name order, as long as they exist."""
    shape = [{'kind': 'sphere', 'size_m': [2.0]}]
    entry = {'type': 'force_field', 'position': [1.0, 2.0, 3.0], 'shapes': shape, 'drag_per_s': 0.25}
    w = World(WorldConfig(), make_objects({'b': entry, 'a': {**entry, 'acceleration_mps2': [0, 0, 1]}}, G))
    sent: Cycle = w._record(Command.EVOLVE, 1)
    assert [each.name for each in sent.fields] == ['a', 'b'] and sent.fields[1].drag_per_s == 0.25
    assert sent.fields[0].acceleration.tolist() == [0.0, 0.0, 1.0] and sent.fields[0].position.tolist() == [1, 2, 3]
    w.remove('a')
    assert [each.name for each in w._record(Command.EVOLVE, 1).fields] == ['b']
