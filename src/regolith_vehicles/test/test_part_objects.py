# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicle parts that are separate objects of the world: motion and impulses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_world.cycle.records import VEHICLE_ROLES, Command, Cycle, CycleKey, CycleResult, Impulse, Verdict
from regolith_world.numerics.rotation import matrix

WHEEL, STRUT = 'wheel_front_left', 'strut_rear_right'
CYCLE_NS = 20_000_000


def with_parts(**changes: object) -> tuple[VehicleModelConfig, Path]:
    """Return a VIPER whose front left wheel receives impulses and whose rear right strut accepts attachments."""
    config, mjcf = load_vehicle_model('viper')
    tire = {'kind': 'sphere', 'size': [0.3], 'body': WHEEL}
    collision = config.collision.model_dump() | {'shapes': [*config.collision.model_dump()['shapes'], tire]}
    data = config.model_dump() | {'collision': collision, 'attachment_bodies': [STRUT]} | changes
    return VehicleModelConfig.model_validate(data), Path(mjcf)


@pytest.fixture
def vehicle() -> Vehicle:
    """Return this vehicle at rest on soil."""
    config, mjcf = with_parts()
    soil = load_soil('chrono_lunar')
    made = Vehicle('rover', config, mjcf, SoilGrid(FlatField(), 0.02), soil, gravity=1.62)
    made.place(0.0, 0.0, 0.4)
    return made


def test_part_motion_matches_part_twists(vehicle: Vehicle) -> None:
    """Over one substep of 1 ms positions and attitudes change by the twist at its end times its length.

    For single joints this is exact; for chains of joints to second order: r w^2 dt^2 / 2 = 1e-7 m for 0.1 m at 1
    rad/s.
    """
    for _ in range(20):
        vehicle.evolve(CYCLE_NS, [1.5, 0.5, 1.5, 0.5], [0.2, 0.2, 0.0, 0.0])
        vehicle.commit()
    before = vehicle.part_states()
    assert [b.name for b in before] == [f'rover/{STRUT}', f'rover/{WHEEL}']
    whole = vehicle.body_state()
    assert all(b.mass == whole.mass and np.array_equal(b.inertia, whole.inertia) for b in before)
    dt = 1e-3
    vehicle.evolve(1_000_000, [1.5, 0.5, 1.5, 0.5], [0.2, 0.2, 0.0, 0.0])
    for a, b in zip(before, vehicle.part_states(), strict=True):
        np.testing.assert_allclose(b.position - a.position, b.linear_velocity * dt, atol=1e-7)
        turn = matrix(b.orientation) @ matrix(a.orientation).T
        turned = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        np.testing.assert_allclose(turned, b.angular_velocity * dt, atol=1e-6)
    assert before[1].angular_velocity @ np.array([-np.sin(0.4), np.cos(0.4), 0.0]) > 0.5  # The wheel rolls.


@pytest.mark.parametrize('part', [-1, 0, 1])
def test_impulse_on_part_changes_whole_momentum_and_part_speed(vehicle: Vehicle, part: int) -> None:
    """An impulse on any body changes the momentum of the vehicle by exactly that impulse; the body itself moves most."""
    blow = np.array([3.0, -2.0, 40.0])
    at = vehicle.part_states()[1].position

    def momentum() -> np.ndarray:
        model, data = vehicle._model, vehicle._data
        return np.asarray((model.body_mass[:, None] * _center_velocities(vehicle)).sum(axis=0)) + 0.0 * data.time

    first, base = momentum(), vehicle.body_state().linear_velocity
    wheel = vehicle.part_states()[1].linear_velocity
    vehicle.apply_impulse(at, blow, part)
    np.testing.assert_allclose(momentum() - first, blow, atol=1e-9)
    risen = vehicle.part_states()[1].linear_velocity[2] - wheel[2]
    if part == 1:  # The strut of the wheel yields.
        assert risen > 3.0 * (vehicle.body_state().linear_velocity[2] - base[2]) > 0.0


def _center_velocities(vehicle: Vehicle) -> np.ndarray:
    """Return the velocities of the centers of mass of all bodies [m/s], shape (nbody, 3)."""
    data = vehicle._data
    arm = data.xipos - data.subtree_com[vehicle._bodies.root]
    return np.asarray(data.cvel[:, 3:] + np.cross(data.cvel[:, :3], arm))


def test_agent_lists_parts_and_applies_impulses_on_them() -> None:
    results: list[CycleResult] = []
    config, mjcf = with_parts()
    field, terrain = FlatField(), TerrainConfig(source='flat', soil=load_soil('chrono_lunar'))
    grid = SoilGrid(field, terrain.spacing_m)
    ground = TerrainParticipant(terrain, field, lambda result: None, lambda update: None, grid=grid)
    entry = VehicleEntry.model_validate({'position': [0.0, 0.0]})
    agent = VehicleAgent('amber', entry, config, mjcf, terrain, field, 1.62, results.append, ground.on_delta, grid=grid)
    request = agent.join_request()
    assert request.problem() == '' and request.shape_bodies[-1] == 2
    assert [b.name for b in request.bodies] == ['amber', f'amber/{STRUT}', f'amber/{WHEEL}']
    assert set(request.shape_bodies[:-1]) == {0}

    def evolved(attempt: int, *impulses: Impulse) -> CycleResult:
        verdict = Verdict.DISCARD if attempt else Verdict.NONE
        cycle = Cycle(
            CycleKey(0, 0, attempt),
            0,
            CYCLE_NS,
            verdict,
            Command.EVOLVE,
            ('amber',),
            (VEHICLE_ROLES,),
            impulses=impulses,
        )
        agent.on_cycle(cycle)
        return results[-1]

    quiet = evolved(0)
    at = request.bodies[2].position
    hit = [
        evolved(k + 1, Impulse(*names, at, np.array([0.0, 0.0, 4.0])))
        for k, names in enumerate(((f'amber/{WHEEL}', 'rock'), ('rock', f'amber/{WHEEL}'), ('rock/wheel', 'rock')))
    ]
    height = [result.bodies[2].position[2] - quiet.bodies[2].position[2] for result in hit]
    assert height[0] > 1e-4 > -1e-4 > height[1] and height[2] == 0.0
    assert hit[2].state_hash == quiet.state_hash != hit[0].state_hash
    # Swept bounds contain the shape of the wheel, which extends beyond that of the hull.
    assert quiet.swept_min[2] < at[2] - 0.3


def test_unknown_parts_are_refused() -> None:
    for changes, told in (
        (
            {'attachment_bodies': ['mast']},
            r"attachment_bodies.0 = 'mast': no such body in viper.xml; allowed: base_link, ",
        ),
        (
            {'attachment_bodies': ['world']},
            r"attachment_bodies = 'world': is not below base_link in viper.xml; allowed: base_link, ",
        ),
        (
            {'collision': {'shapes': [{'kind': 'sphere', 'size': [0.1], 'body': 'nose'}]}},
            r"collision.shapes.0.body = 'nose'",
        ),
    ):
        config, mjcf = with_parts(**changes)
        with pytest.raises(VehicleModelError, match=told):
            compile_vehicle(config, mjcf, [0.0, 0.0, -1.62])


def test_chassis_is_excluded_and_parts_are_unique(make_vehicle: Callable[..., Vehicle]) -> None:
    config, _ = with_parts(attachment_bodies=[WHEEL, 'base_link', WHEEL])
    assert config.parts == (WHEEL,)
    assert make_vehicle().part_states() == ()
