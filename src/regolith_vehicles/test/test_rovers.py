# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the shipped rovers other than viper: mass, rest, driving and saved states."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import HeightField, PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model

CYCLE_NS = 20_000_000
MOON = 1.62
ROVERS = ('rocker_bogie', 'rocker_bogie_reference')
Maker = Callable[..., Vehicle]


@pytest.fixture
def make_rover() -> Maker:
    """Return a function that places a rover on nominal lunar soil: name of the model, slope along its heading [deg]."""

    def make(model: str, slope_deg: float = 0.0, heading: float = 0.0, field: HeightField | None = None) -> Vehicle:
        config, mjcf = load_vehicle_model(model)
        ground = PlaneField(math.tan(math.radians(slope_deg))) if field is None else field
        vehicle = Vehicle('rover', config, mjcf, SoilGrid(ground, 0.02), load_soil('lunar_nominal'), MOON)
        vehicle.place(0.0, 0.0, heading)
        return vehicle

    return make


def _drive(vehicle: Vehicle, seconds: float, linear: float = 0.0, angular: float = 0.0) -> None:
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand(linear, angular))))
        vehicle.commit()


def _load(vehicle: Vehicle) -> NDArray[np.float64]:
    """Return the sum of the ground forces [N], shape (3,)."""
    return np.sum([wheel.force for wheel in vehicle.wheel_states()], axis=0)


def _energy(vehicle: Vehicle) -> float:
    """Return the kinetic energy [J]."""
    model, data = vehicle._model, vehicle._data
    mujoco.mj_makeM(model, data)
    product = np.empty(model.nv)
    mujoco.mj_mulM(model, data, product, data.qvel)
    return 0.5 * float(data.qvel @ product)


def _yaw(vehicle: Vehicle) -> float:
    x, y, z, w = vehicle.body_state().orientation
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _angle(vehicle: Vehicle, joint: str) -> float:
    names, positions, _ = vehicle.joint_states()
    return float(positions[names.index(joint)])


@pytest.mark.parametrize(
    ('model', 'mass', 'middle'),
    [
        # 899 kg: press kit of NASA; center of mass of the file, 0.48 m above the axles.
        ('rocker_bogie', 899.0, (0.062, 0.0, 0.477)),
        # Sum and mean of the bodies of the reference, about its origin on the ground of the design.
        ('rocker_bogie_reference', 830.8969, (-0.0005, 0.0, 0.0663)),
    ],
)
def test_mass_and_center_of_mass_match_the_source(
    make_rover: Maker, model: str, mass: float, middle: tuple[float, ...]
) -> None:
    """0.5 mm is the last digit of the given numbers."""
    vehicle = make_rover(model)
    vehicle.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    state = vehicle.body_state()
    assert state.mass == pytest.approx(mass, abs=1e-6)
    assert state.center_of_mass - (0.0, 0.0, 5.0) == pytest.approx(middle, abs=5e-4)


class Blocks(HeightField):
    """Level ground with a ramp to a block of 0.25 m under the left front wheel, and one of 0.15 m right behind."""

    def heights(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return z [m]; every block rises over 0.2 m."""
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        left = 0.25 * np.clip((x - 0.55) / 0.2, 0.0, 1.0) * (y > 0.0)
        right = 0.15 * np.clip((-0.45 - x) / 0.2, 0.0, 1.0) * (y < 0.0)
        return left + right

    def fingerprint(self) -> str:
        """Return a hash of its name."""
        return hashlib.sha256(b'blocks').hexdigest()


@pytest.mark.parametrize('model', ROVERS)
def test_chassis_pitch_is_the_mean_of_the_rockers(make_rover: Maker, model: str) -> None:
    """On feet of uneven height the angles of the rockers are opposite to 0.05 deg, and the bar follows its links."""
    vehicle = make_rover(model, field=Blocks())
    _drive(vehicle, 0.5)
    left, right = _angle(vehicle, 'rocker_left'), _angle(vehicle, 'rocker_right')
    assert abs(left) > math.radians(3.0)
    assert 0.5 * abs(left + right) < math.radians(0.05)
    assert _angle(vehicle, 'differential_bar') == pytest.approx(-0.2686 / 0.672 * left, abs=math.radians(0.05))
    assert min(wheel.normal_load for wheel in vehicle.wheel_states()) > 0.05 * vehicle.body.mass * MOON


def test_differential_holds_under_large_couple(make_rover: Maker) -> None:
    """A couple on one rocker that would lift the rover off its wheels is still mirrored by the other rocker."""
    vehicle = make_rover('rocker_bogie')
    model, data = vehicle._model, vehicle._data
    data.qfrc_applied[model.joint('rocker_left').dofadr[0]] = 2000.0
    _drive(vehicle, 0.3)
    left, right = _angle(vehicle, 'rocker_left'), _angle(vehicle, 'rocker_right')
    assert abs(left) > math.radians(1.0)
    assert abs(left + right) < 2.0 * math.radians(0.05)


@pytest.mark.parametrize(
    ('slope', 'heading'),
    [*(pytest.param(*each, marks=pytest.mark.slow) for each in ((0.0, 0.3), (15.0, 0.0))), (15.0, 0.5 * math.pi)],
)
def test_ground_supports_the_weight_at_rest(make_rover: Maker, slope: float, heading: float) -> None:
    """An impulse decays; then nothing creeps, and the mean forces of one second equal the weight to 0.1 %."""
    vehicle = make_rover('rocker_bogie', slope, heading)
    vehicle.apply_impulse(vehicle.body_state().center_of_mass, (15.0, 15.0, 15.0))
    energies = [_energy(vehicle)]
    for _ in range(4):
        _drive(vehicle, 0.5)
        energies.append(_energy(vehicle))
    # 1e-6 J of kinetic energy is 0.05 mm/s.
    assert all(after < max(0.5 * before, 1e-6) for before, after in itertools.pairwise(energies))
    start = vehicle.body_state().position
    loads = []
    for _ in range(50):
        _drive(vehicle, 0.02)
        loads.append(_load(vehicle))
    weight = vehicle.body.mass * MOON
    assert np.mean(loads, axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    assert np.linalg.norm(vehicle.body_state().position - start) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize('model', ROVERS)
@pytest.mark.parametrize('slope', [0.0, 15.0])
def test_rover_does_not_creep_in_a_minute(make_rover: Maker, model: str, slope: float) -> None:
    """From 10 to 70 s it creeps by less than a millimeter."""
    vehicle = make_rover(model, slope)
    _drive(vehicle, 10.0)
    start, weight = vehicle.body_state().position, vehicle.body.mass * MOON
    _drive(vehicle, 60.0)
    assert np.linalg.norm(vehicle.body_state().position - start) < 1e-3
    assert _load(vehicle) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)


@pytest.mark.seconds
def test_rover_drives_straight_and_turns_in_place(make_rover: Maker) -> None:
    """Slip reduces speed and yaw rate by a few percent; other motions stay within the effect of slip.

    The middle wheels do not steer and lie on the axis of the base frame, so no wheel slides sideways in place.
    """
    vehicle = make_rover('rocker_bogie')
    _drive(vehicle, 1.0, 0.2)
    start = vehicle.body_state().position
    _drive(vehicle, 2.0, 0.2)
    way = vehicle.body_state().position - start
    assert way[0] == pytest.approx(0.4, rel=0.05) and abs(way[1]) < 1e-6 and abs(_yaw(vehicle)) < 1e-6
    assert vehicle.odometry.x == pytest.approx(vehicle.body_state().position[0], rel=0.05)

    vehicle = make_rover('rocker_bogie')
    _drive(vehicle, 3.0, 0.0, 0.15)  # The front wheels steer by 48 degrees first, at 20 degrees a second.
    yaw, place = _yaw(vehicle), vehicle.body_state().position
    _drive(vehicle, 3.0, 0.0, 0.15)
    assert _yaw(vehicle) - yaw == pytest.approx(0.45, rel=0.1)
    assert np.hypot(*(vehicle.body_state().position - place)[:2]) < 0.02


def test_mirrored_drive_mirrors_the_path(make_rover: Maker) -> None:
    """Right and left are alike: sums over soil nodes in another order give 1e-9 m after two seconds."""
    ends = []
    for side in (1.0, -1.0):
        vehicle = make_rover('rocker_bogie')
        _drive(vehicle, 2.0, 0.2, side * 0.15)
        x, y, z = vehicle.body_state().position
        ends.append((x, side * y, z, side * _yaw(vehicle), vehicle.wheel_states()[0 if side > 0.0 else 1].normal_load))
    assert ends[0][1] > 0.005
    assert ends[0] == pytest.approx(ends[1], rel=1e-6, abs=1e-7)


@pytest.mark.seconds
def test_saved_state_continues_bit_identical(make_rover: Maker) -> None:
    """From a saved state and ground, constraints included, a new rover gives the same result as the first one."""
    first = make_rover('rocker_bogie', field=Blocks())
    _drive(first, 0.4, 0.2, 0.1)
    state, ground = first.state(), first.grid.save()
    _drive(first, 0.4, 0.1, -0.1)
    second = make_rover('rocker_bogie', field=Blocks())
    second.grid.load(ground)
    second.restore(state)
    _drive(second, 0.4, 0.1, -0.1)
    assert second.state() == first.state()
    assert second.grid.soil_hash() == first.grid.soil_hash()
