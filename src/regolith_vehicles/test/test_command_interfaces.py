# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of command interfaces: encoding, validation, timeout and running gears."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import ACKERMANN, PEDALS, TWIST, AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.commands.command_interfaces import joint_rejection, rejection
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import Driver, make_driver
from regolith_vehicles.drivers.config import ExternalDriverConfig
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_world.cycle.records import BodyState

CYCLE_NS = 20_000_000
HERE = BodyState(
    'here', np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3), 1.0, np.zeros(3), np.eye(3)
)
PEDAL = DriveCommand(by=PedalCommand(-0.5, 0.7, 0.0, 1.0))
ANGLE = DriveCommand(by=AckermannCommand(-1.5, 0.2))


def made(model: str) -> Vehicle:
    config, mjcf = load_vehicle_model(model)
    rigid = config.running_gear is not None
    grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), 0.05)
    return Vehicle(model, config, mjcf, grid, RigidTerrainConfig() if rigid else load_soil('lunar_nominal'), 9.81)


@pytest.fixture(scope='module')
def garage() -> dict[str, Vehicle]:
    return {name: made(name) for name in ('viper', 'rassor', 'hmmwv')}


def external(timeout_s: float = 0.5) -> Driver:
    return make_driver(ExternalDriverConfig(timeout_s=timeout_s))


@pytest.mark.parametrize(
    'command', [PEDAL, ANGLE, DriveCommand(by=PedalCommand(), joints={'arm': 0.1}), DriveCommand(0.1, 0.2)]
)
def test_command_is_saved_deterministically_and_restored(command: DriveCommand) -> None:
    assert DriveCommand.load(command.save()) == command
    driver = external()
    driver.receive(0, LiveInput(replace(command, joints={}), command.joints))
    copy = external()
    copy.restore(driver.save())
    for each in (driver, copy):
        assert each.command(100_000_000, HERE) == command


def test_timeout_brakes_for_every_command_interface() -> None:
    """Pedals: no throttle, brake on. Ackermann: zero speed. The steering angle stays."""
    for given, after in (
        (DriveCommand(0.3, 0.1), DriveCommand()),
        (ANGLE, DriveCommand(by=AckermannCommand(0.0, 0.2))),
        (PEDAL, DriveCommand(by=PedalCommand(-0.5, 0.0, 1.0, 1.0))),
    ):
        driver = external()
        driver.receive(CYCLE_NS, LiveInput(given))
        driver.receive(2 * CYCLE_NS, LiveInput())
        assert driver.command(CYCLE_NS + 499_999_999, HERE) == given
        assert driver.command(CYCLE_NS + 500_000_000, HERE) == after


def test_last_command_interface_applies() -> None:
    driver = external()
    for k, given in enumerate((PEDAL, ANGLE, DriveCommand(0.2, 0.0), PEDAL)):
        driver.receive(k * CYCLE_NS, LiveInput(given))
        assert driver.command(k * CYCLE_NS, HERE) == given


def test_ackermann_speed_and_angle_change_at_commanded_rates() -> None:
    """0.5 m/s^2 and 0.2 rad/s for 0.5 s of cycles, continued from a saved state."""
    driver = external(9.0)
    driver.command(0, HERE)
    driver.receive(CYCLE_NS, LiveInput(DriveCommand(by=AckermannCommand(1.0, -0.3, 0.2, 0.5))))
    for k in range(1, 26):
        if k == 10:
            blob, driver = driver.save(), external(9.0)
            driver.restore(blob)
        by = driver.command(k * CYCLE_NS, HERE).by
        assert by is not None and by[:2] == pytest.approx((0.5 * 0.02 * k, -0.2 * 0.02 * k))
    by = driver.command(5_000_000_000, HERE).by
    assert by is not None and by[:2] == (1.0, -0.3)


def test_running_gear_lists_its_command_interfaces(garage: dict[str, Vehicle]) -> None:
    faces = {name: vehicle.gear.faces for name, vehicle in garage.items()}
    assert faces == {'viper': (TWIST, ACKERMANN), 'rassor': (TWIST, ACKERMANN), 'hmmwv': (TWIST, ACKERMANN, PEDALS)}
    assert (
        rejection(PEDAL, garage['viper'].gear)
        == 'driver_inputs: is not supported by this vehicle; allowed: cmd_vel, ackermann_cmd'
    )


@pytest.mark.parametrize(
    ('command', 'words'),
    [
        (DriveCommand(math.nan, 0.0), 'cmd_vel: linear.x is nan; allowed: finite numbers'),
        (DriveCommand(0.0, math.inf), 'cmd_vel: angular.z is inf; allowed: finite numbers'),
        (DriveCommand(by=AckermannCommand(math.inf)), 'ackermann_cmd: drive.speed is inf; allowed: finite numbers'),
        (
            DriveCommand(by=AckermannCommand(1.0, 2.0)),
            'ackermann_cmd: drive.steering_angle is 2.0; allowed: between -1.5708 and 1.5708',
        ),
        (
            DriveCommand(by=AckermannCommand(1.0, 0.0, -1.0)),
            'ackermann_cmd: drive.steering_angle_velocity is -1.0; allowed: finite numbers of at least 0',
        ),
        (DriveCommand(by=PedalCommand(1.01)), 'driver_inputs: steering is 1.01; allowed: -1 to 1'),
        (DriveCommand(by=PedalCommand(0.0, math.nan)), 'driver_inputs: throttle is nan; allowed: 0 to 1'),
        (DriveCommand(by=PedalCommand(0.0, 0.0, -0.1)), 'driver_inputs: braking is -0.1; allowed: 0 to 1'),
        (DriveCommand(by=PedalCommand(0.0, 0.0, 0.0, 7.0)), 'driver_inputs: gear is 7.0; allowed: 0 to 1'),
    ],
)
def test_invalid_command_is_refused_with_its_field(
    garage: dict[str, Vehicle], command: DriveCommand, words: str
) -> None:
    assert rejection(command, garage['hmmwv'].gear) == words


def test_invalid_joint_targets_are_refused_with_their_name(garage: dict[str, Vehicle]) -> None:
    gear = garage['rassor'].gear
    assert not joint_rejection({'arm_front': 0.5, 'drum_rear': -3.0}, gear)
    assert (
        joint_rejection({'arm_front': 9.0}, gear) == 'joint_command: target of arm_front is 9.0; allowed: -1.05 to 0.79'
    )
    assert 'target of drum_rear is nan' in joint_rejection({'drum_rear': math.nan}, gear)
    assert joint_rejection({'arm': 0.0}, gear).startswith("joint_command: name 'arm'; allowed: arm_front, ")
    assert joint_rejection({'arm': 0.0}, garage['viper'].gear) == "joint_command: name 'arm'; allowed: none"


def test_ackermann_angle_sets_the_curvature(garage: dict[str, Vehicle]) -> None:
    """Wheels at the angle d of a bicycle turn the base at v tan(d) / L: bit-identical to the twist of that curve."""
    gear: Any = garage['viper'].gear
    layout = garage['viper'].body.layout
    wheelbase = float(layout.x.max() - layout.x.min())
    assert gear.wheelbase == wheelbase > 0.5
    for speed in (0.4, -0.4):
        same = DriveCommand(speed, speed * math.tan(0.2) / wheelbase)
        by_angle = gear.targets(DriveCommand(by=AckermannCommand(speed, 0.2)))
        assert all(np.array_equal(a, b) for a, b in zip(by_angle, gear.targets(same), strict=True))


def test_car_follows_ackermann_angle_and_reverses_near_rest(garage: dict[str, Vehicle]) -> None:
    gear: Any = garage['hmmwv'].gear
    gear.reset()
    full = math.radians(gear.car.steering.wheel_angle_deg)
    half_left = gear.targets(DriveCommand(by=AckermannCommand(2.0, 0.5 * full)))
    # The linkage follows 90 of its 30 deg in a second.
    assert gear.ramp(0.02, *half_left)[1][0] == pytest.approx(0.06)
    gear.reset()
    steering, throttle, braking, direction = gear.ramp(0.2, *half_left)[1]
    assert steering == pytest.approx(0.5) and throttle > 0.0 == braking and direction == 1.0
    assert gear.ramp(0.02, *gear.targets(DriveCommand(by=AckermannCommand(-2.0, 0.0))))[1][3] == -1.0
    assert gear.ramp(0.2, *gear.targets(PEDAL))[1] == pytest.approx([-0.5, 0.7, 0.0, -1.0])
    gear.command, gear.cruising[0] = np.array([0.0, 0.0, 0.0, 1.0]), 3.0
    assert gear.ramp(0.2, *gear.targets(PEDAL))[1] == pytest.approx([-0.5, 0.7, 0.0, 1.0])
    gear.reset()


def test_pair_of_numbers_is_speed_and_yaw_rate() -> None:
    command = DriveCommand(0.4, -0.1, {'arm': 0.2})
    assert DriveCommand.of(command) is command
    assert DriveCommand.of((0.3, -0.7)) == DriveCommand(0.3, -0.7) == DriveCommand.of(np.array([0.3, -0.7]))
    for given in (None, 0.3, (0.1,), (0.1, 0.2, 0.3), ('a', 'b')):
        assert DriveCommand.of(given) is None
