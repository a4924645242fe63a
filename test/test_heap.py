# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a truck that shoves a heap of rocks."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from harness import vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.contacts import body_assignment

LAYERS = (4, 5), (4, 4), (3, 4), (2, 1)
GRAVITY = 1.62
SPEED = 3.0


def heap(center: float) -> dict[str, Any]:
    """Return 50 rocks of 0.2 to 0.3 m above each other, about x = ``center`` [m]."""
    random = np.random.default_rng(3)
    rocks: dict[str, Any] = {}
    for layer, (rows, columns) in enumerate(LAYERS):
        for i, j in np.ndindex(rows, columns):
            radius = random.uniform(0.10, 0.15)
            points = random.normal(size=(14, 3))
            points *= radius / np.linalg.norm(points, axis=1)[:, None]
            shift = random.uniform(-0.01, 0.01, 2)
            place = 0.29 * (np.array((i, j)) - 0.5 * (np.array((rows, columns)) - 1.0)) + shift
            rocks[f'rock_{len(rocks):02d}'] = {
                'type': 'rigid_body',
                'position': [center + float(place[0]), float(place[1]), 0.16 + 0.31 * layer],
                'mass_kg': round(2900.0 * 0.7 * 4.0 / 3.0 * math.pi * radius**3, 3),
                'shape': {'kind': 'hull', 'points_m': points.round(4).tolist()},
            }
    return rocks


def energy_of_rocks(made: Simulation) -> float:
    """Return the kinetic and potential energy of all rocks [J]."""
    total = 0.0
    for name, item in made.world.objects.items():
        if name.startswith('rock_'):
            b = item.body
            spin = 0.5 * float(b.angular_velocity @ b.inertia @ b.angular_velocity)
            total += 0.5 * b.mass * float(b.linear_velocity @ b.linear_velocity) + spin
            total += b.mass * GRAVITY * float(b.position[2])
    return total


def energy_of_truck(made: Simulation) -> float:
    """Return the kinetic and potential energy of the truck, with that of its springs [J]."""
    truck: Any = made.agents['truck'].vehicle
    data = copy.copy(truck._data)
    mujoco.mj_forward(truck._model, data)
    mujoco.mj_energyPos(truck._model, data)
    mujoco.mj_energyVel(truck._model, data)
    return float(data.energy.sum())


def truck_and_heap(folder: Path, model: str) -> Simulation:
    """Return the simulation of a truck whose motor stops just before it reaches a heap."""
    truck = {**vehicle(-5.0, 0.0, type='constant', speed_mps=SPEED, end_s=5.0), 'model': 'hmmwv'}
    terrain = {'source': 'flat', 'map_size_m': 60.0, 'model': model}
    terrain |= {} if model == 'scm' else {'soil': {'friction': 0.8}}
    sections = {'terrain': terrain, 'objects': heap(7.5), 'bodies': {}}
    return Simulation(load_scenario(write_scenario(folder, {'truck': truck}, **sections)).scenario)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize('model', ['scm', 'rigid'])
def test_row_9_truck_shoves_a_heap_of_fifty_rocks_and_no_energy_appears(tmp_path: Path, model: str) -> None:
    """The heap collapses, then the truck brakes through it at 3 m/s.

    Springs of contacts and soil give back what they have stored: the sum grows by less than 0.1 % of the fall.
    With the truck it grows by less than 0.3 % of its energy. The truck itself regains up to 10 J in a cycle. How much of
    it is the idling engine and how much the springs of the tires was not separated.
    """
    made = truck_and_heap(tmp_path, model)
    start = energy_of_rocks(made)
    lowest = start
    while made.world.t_ns < 4_800_000_000:
        made.world.step(4_800_000_000)
        now = energy_of_rocks(made)
        assert now <= lowest + 1e-3 * start
        lowest = min(lowest, now)
    made.run(5.0)
    state = made.agents['truck'].vehicle.body_state()
    assert np.linalg.norm(state.linear_velocity) > 0.9 * SPEED
    lowest = total = energy_of_rocks(made) + energy_of_truck(made)
    rocks = [item for name, item in made.world.objects.items() if name.startswith('rock_')]
    before = np.array([item.body.position for item in rocks])
    fastest, assigned = 0.0, 0
    while made.world.t_ns < 8_000_000_000:
        made.world.step(8_000_000_000)
        now = energy_of_rocks(made) + energy_of_truck(made)
        assert now <= lowest + 3e-3 * abs(total)
        lowest = min(lowest, now)
        fastest = max(fastest, *(float(np.linalg.norm(item.body.linear_velocity)) for item in rocks))
        assigned = max(assigned, sum(item.moved_by == 'truck' for item in rocks))
    moved = np.linalg.norm(np.array([item.body.position for item in rocks]) - before, axis=1)
    assert (moved > 0.1).sum() > 5
    # A heavy body gives a light one at most twice its speed in an elastic impact.
    assert fastest < 2.0 * SPEED
    assert 10 < assigned <= body_assignment.MOST_ASSIGNED
    assert made.world.bodies_over_limit == 0
    assert made.world.forced_cycles == 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_row_9_vehicle_computes_at_most_its_limit_of_bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_assignment, 'MOST_ASSIGNED', 12)
    made = truck_and_heap(tmp_path, 'rigid')
    most = 0
    while made.world.t_ns < 6_200_000_000:
        made.world.step(6_200_000_000)
        most = max(most, sum(item.moved_by == 'truck' for item in made.world.objects.values()))
    assert most == 12
    assert made.world.bodies_over_limit > 100
