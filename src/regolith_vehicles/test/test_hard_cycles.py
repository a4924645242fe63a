# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of cycles with large part accelerations, which are repeated with a wider soil window."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import ArrayLike

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, HeightField, Heights
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.agent.vehicle_step import VehicleStep
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.dynamics.errors import VehicleError, check_cycle

CYCLE_NS = 20_000_000
G = 9.81
FACES = {
    'twist': lambda sign: DriveCommand(1.0, 0.1 * sign),
    'ackermann': lambda sign: DriveCommand(by=AckermannCommand(1.0, 0.4 * sign)),
    'pedals': lambda sign: DriveCommand(by=PedalCommand(0.7 * sign, 0.2, 0.0, False)),
}


def truck(spacing: float = 0.04, **steering: Any) -> Vehicle:
    """Return the shipped truck at rest on lunar soil.

    Args:
        spacing: Spacing of the soil grid [m].
        steering: Keys of its section ``steering`` to change.
    """
    config, mjcf = load_vehicle_model('hmmwv')
    assert config.running_gear is not None
    parameters = config.running_gear.parameters
    parameters = {**parameters, 'steering': {**parameters['steering'], **steering}}
    gear = config.running_gear.model_copy(update={'parameters': parameters})
    config = config.model_copy(update={'running_gear': gear})
    made = Vehicle('truck', config, mjcf, SoilGrid(FlatField(), spacing), load_soil('lunar_nominal'), 1.62)
    made.place(0.0, 0.0, 0.0)
    return made


def weave(vehicle: Vehicle, cycles: int, command: Callable[[float], DriveCommand], every: int = 25) -> list[float]:
    """Drive with a command that changes sides after each ``every`` cycles; return the angles of the linkage [rad]."""
    angles = [float(vehicle.data.joint('pitman_arm').qpos[0])]
    for k in range(cycles):
        wanted = command(1.0 if k // every % 2 == 0 else -1.0)
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(wanted)))
        vehicle.commit()
        angles.append(float(vehicle.data.joint('pitman_arm').qpos[0]))
    return angles


@pytest.mark.seconds
@pytest.mark.parametrize('face', FACES)
def test_truck_whose_steering_changes_side_on_soil_drives_on(face: str) -> None:
    """The linkage follows at the rate of its file for every command interface, and moves to both sides."""
    vehicle = truck()
    angles = weave(vehicle, 150, FACES[face])
    # The servo lags behind its command by some ms: the mean rate of the joint in a cycle may exceed that of the
    # command by 5 %.
    assert np.abs(np.diff(angles)).max() < 1.05 * math.radians(90.0) * CYCLE_NS * 1e-9
    assert max(angles) > 0.05 and min(angles) < -0.05
    assert 0.5 < vehicle.body_state().position[0] < 6.0


@pytest.mark.seconds
def test_cycle_with_acceleration_beyond_its_window_is_repeated_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A linkage without a rate limit: the result is bit-identical to that with a wide soil window from the start."""
    used: list[float] = []
    plan = VehicleStep.plan

    def noting(self: VehicleStep, start: bytes, dt_ns: int, targets: Any, *acceleration: float) -> Any:
        used.extend(acceleration)
        return plan(self, start, dt_ns, targets, *acceleration)

    monkeypatch.setattr(VehicleStep, 'plan', noting)
    vehicle = truck(0.02, max_rate_degps=None)
    weave(vehicle, 105, FACES['ackermann'], 50)
    assert used, 'no cycle was repeated: the test shows nothing'
    wide = truck(0.02, max_rate_degps=None)
    monkeypatch.setattr(VehicleStep, 'plan', lambda *args: plan(*args[:4], substeps.WIDER_ACCELERATIONS[0]))
    weave(wide, 105, FACES['ackermann'], 50)
    assert vehicle.state() == wide.state()
    assert vehicle.grid.soil_hash() == wide.grid.soil_hash()


def test_only_an_unstable_simulation_ends_a_run() -> None:
    """A part leaves even the widest window: the error names vehicle, part, limit and remedy."""
    with pytest.raises(VehicleError, match=r'^truck: .*unstable: wheel b .* 10000 m/s\^2; fix: .*substep_s'):
        check_cycle(substeps.LEFT_WINDOW + 1, 'truck', None, _Quiet(), ('wheel a', 'wheel b'))


class Step(HeightField):
    """Level ground that drops behind x = 3 m, within 0.5 m, as between two posts of an elevation model."""

    def __init__(self, drop: float) -> None:
        self.drop = drop

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        across = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))[0]
        return -self.drop * np.clip((across - 3.0) / 0.5, 0.0, 1.0)

    def fingerprint(self) -> str:
        return hashlib.sha256(f'step {self.drop}'.encode()).hexdigest()


def energy(vehicle: Vehicle) -> float:
    """Return the kinetic and potential energy [J]."""
    model, data = vehicle.body.model, vehicle.data
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    height = -float((model.body_mass * (data.xipos @ model.opt.gravity)).sum())
    return height + 0.5 * float(data.qvel @ inertia @ data.qvel)


def off_the_step(field: HeightField, spacing: float, cycles: int) -> tuple[list[float], Vehicle]:
    """Let the truck roll over an edge at 3 m/s, pedals released; return its energies [J] and the truck."""
    config, mjcf = load_vehicle_model('hmmwv')
    made = Vehicle(
        'truck', config, mjcf, SoilGrid(field, spacing, RIGID_TERRAIN_MODEL), RigidTerrainConfig(friction=0.8), G
    )
    made.place(0.0, 0.0, 0.0)
    made.set_rolling_speed(3.0)
    energies = [energy(made)]
    for _ in range(cycles):
        made.grid.apply(made.evolve(CYCLE_NS, *made.gear.targets(DriveCommand(by=PedalCommand()))))
        made.commit()
        energies.append(energy(made))
    return energies, made


@pytest.mark.seconds
@pytest.mark.slow
@pytest.mark.parametrize('drop', [1.0, 2.0, 5.0])
def test_truck_that_drops_off_a_step_gains_no_energy(drop: float) -> None:
    """Without drive the energy never exceeds that at the start and ends lower, on a fine and a coarse grid.

    At the start the springs hold 1 kJ more than in the air, which a bounce may return: 1 % of the weight of the truck
    times 4 m.
    """
    mass = 2573.0
    ends = []
    for spacing in (0.05, 0.5):
        energies, made = off_the_step(Step(drop), spacing, 200)
        assert max(energies) <= energies[0] + 0.01 * mass * G * 4.0
        assert energies[-1] < energies[0] - 0.8 * mass * G * drop
        ends.append(made.body_state().position)
    # The ground is the same to rounding on both grids, and so is the drop.
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)


@pytest.mark.seconds
@pytest.mark.parametrize('drop', [1.0, 2.0])
def test_truck_drops_off_an_elevation_model(tmp_path: Path, drop: float) -> None:
    """Posts 0.5 m apart, smooth ground between them: no energy above that at the start, except that of the springs."""
    posts = np.zeros((121, 121))
    posts[:, 66:] = -drop
    np.save(tmp_path / 'drop.npy', posts)
    terrain = TerrainConfig(source=str(tmp_path / 'drop.npy'), post_spacing_m=0.5, detail='none', model='rigid')
    energies, made = off_the_step(build_height_field(terrain, 0), 0.05, 200)
    assert max(energies) <= energies[0] + 0.01 * 2573.0 * G * 4.0
    # It rolls without drive, so the last axle may stay above; the front is beyond the edge in any case.
    assert made.body_state().position[0] > 1.5


class _Quiet:
    """Stand-in for MuJoCo data without warnings."""

    class warning:
        number = np.zeros(8)
