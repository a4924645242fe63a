# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the parking brake of wheels."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
TIME_S = 0.1
STILL = np.zeros(4)
Maker = Callable[..., Vehicle]


@pytest.fixture
def make_held(tmp_path: Path) -> Maker:
    """Return a function that builds a viper on a slope, with or without the brake and with or without its integrator."""

    def make(hold: bool, droop: bool = True, slope_deg: float = 15.0) -> Vehicle:
        config, mjcf = load_vehicle_model('viper')
        drive = config.wheel_drive.model_dump(mode='json')
        drive |= {'parking_brake_time_s': TIME_S} if hold else {}
        drive |= {} if droop else {'integral_time_s': None}
        path = tmp_path / 'held.yaml'
        path.write_text(yaml.safe_dump({**config.model_dump(mode='json'), 'mjcf': str(mjcf), 'drive': drive}))
        held, mjcf = load_vehicle_model(path)
        field = PlaneField(math.tan(math.radians(slope_deg)))
        return Vehicle('rover', held, mjcf, SoilGrid(field, 0.02), load_soil('lunar_nominal'), 1.62)

    return make


def _stand(vehicle: Vehicle, cycles: int, dt_ns: int = CYCLE_NS) -> None:
    for _ in range(cycles):
        vehicle.grid.apply(vehicle.evolve(dt_ns, STILL, STILL))
        vehicle.commit()


def _angles(vehicle: Vehicle) -> np.ndarray:
    return np.array(vehicle._data.qpos[vehicle.body.wheel_qpos])


@pytest.mark.parametrize('dt_ns', [CYCLE_NS, 400_000_000])
def test_wheels_return_for_any_cycle_length(make_held: Maker, dt_ns: int) -> None:
    """In free fall an impulse turns the wheels; after 2 s, twenty time constants, they are back at their angles.

    Without the brake the integrator alone lets them turn on, because it controls speeds only and saturates.
    """
    vehicle = make_held(hold=True)
    vehicle.place_at((0.0, 0.0, 500.0), (0.0, 0.0, 0.0, 1.0))
    _stand(vehicle, 1)
    vehicle._data.qvel[vehicle.body.wheel_dof] = 3.0
    start = _angles(vehicle)
    _stand(vehicle, 1)
    strayed = _angles(vehicle) - start
    assert strayed.min() > 1e-4
    _stand(vehicle, round(2e9 / dt_ns), dt_ns)
    assert np.abs(_angles(vehicle) - start).max() < 1e-3 * strayed.max()


def test_load_without_integrator_turns_wheels_by_droop_only(make_held: Maker) -> None:
    """At 15 deg the servos alone let the rover creep at tau / kv; the brake holds it at an angle of T tau / kv."""
    creeping, held = make_held(hold=False, droop=False), make_held(hold=True, droop=False)
    ways, torque = [], 0.0
    for vehicle in (creeping, held):
        vehicle.place_at((0.0, 0.0, 0.245), (0.0, -math.sin(math.radians(7.5)), 0.0, math.cos(math.radians(7.5))))
        _stand(vehicle, 100)
        before = _angles(vehicle)
        _stand(vehicle, 100)
        ways.append(np.abs(_angles(vehicle) - before).max())
        dofs = vehicle.body.wheel_dof
        torque = vehicle._data.qfrc_actuator[dofs]
    assert ways[0] > 0.01 and ways[1] < 1e-4
    time = 0.02 / (1.0 - math.exp(-0.02 / TIME_S))  # Time constant of a controller that acts once a cycle.
    assert held.gear.motors.strayed == pytest.approx(-time * torque / 500.0, rel=0.01)  # type: ignore[attr-defined]


def test_drive_command_releases_the_brake_and_a_stop_applies_it_again(make_held: Maker) -> None:
    """The angles held are those of the stop; any command, even a small one, releases the brake."""
    vehicle = make_held(hold=True)
    vehicle.place(0.0, 0.0, 0.0)
    _stand(vehicle, 10)
    motors = vehicle.gear.motors  # type: ignore[attr-defined]
    vehicle.evolve(CYCLE_NS, np.full(4, 0.01), STILL)
    vehicle.commit()
    assert not motors.strayed.any()
    _stand(vehicle, 50)
    assert motors.strayed.any() and np.abs(motors.strayed).max() < 1e-2


def test_parking_brake_is_part_of_the_state(make_held: Maker) -> None:
    """After a discarded cycle and from a restored state the results are bit-identical."""
    first = make_held(hold=True)
    first.place(0.0, 0.0, 0.0)
    first.apply_impulse((0.0, 0.0, 0.5), (60.0, 0.0, 0.0))
    first.commit()
    _stand(first, 5)
    state, ground = first.state(), first.grid.save()
    first.evolve(CYCLE_NS, np.ones(4), STILL)
    first.discard()
    assert first.state() == state
    _stand(first, 10)
    second = make_held(hold=True)
    second.grid.load(ground)
    second.restore(state)
    _stand(second, 10)
    assert second.state() == first.state() and second.gear.motors.strayed.any()  # type: ignore[attr-defined]
