# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the saved state of a vehicle, field by field, and of its reset by placement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, fields

import numpy as np
import pytest

from regolith_vehicles.agent.events import KINDS, EventDetector
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.drivers.builtin import ExternalDriver, PathDriver
from regolith_vehicles.drivers.config import ExternalDriverConfig, PathDriverConfig
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_vehicles.dynamics.kinematics import WheelLayout, wheel_commands
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_vehicles.dynamics.run_statistics import Progress, RunStatistics
from regolith_world.numerics.rotation import from_yaw
from regolith_world.objects.rigid_state import make_rigid_state

CYCLE_NS = 20_000_000
Maker = Callable[..., Vehicle]


def drive(vehicle: Vehicle, cycles: int, linear: float, angular: float, marks: bool = True) -> None:
    speeds, angles = wheel_commands(vehicle.body.layout, linear, angular)
    for _ in range(cycles):
        records = vehicle.evolve(CYCLE_NS, speeds, angles)
        if marks:
            vehicle.grid.apply(records)
        vehicle.commit()


def same(a: object, b: object) -> bool:
    """Return whether values are equal, arrays bit for bit."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and (a == b)


def test_vehicle_state_is_restored_field_by_field(make_vehicle: Maker) -> None:
    """Bodies, motors with their loads, shear, wheel table, odometry with its covariances, statistics: each on its own."""
    one, two = make_vehicle(), make_vehicle()
    one.place(0.3, -0.2, 0.7)
    drive(one, 30, 0.3, 0.12)
    two.place(5.0, 5.0, 0.0)
    drive(two, 3, -0.2, 0.1)
    two.restore(one.state())
    assert two.state() == one.state() == two.committed
    assert one.gear.motors.bias.any() and np.unique(one.gear.motors.command).size > 3
    for name in ('command', 'bias'):
        assert same(getattr(one.gear.motors, name), getattr(two.gear.motors, name)), name
    assert len(one.contact.save()) > 1000 and two.contact.save() == one.contact.save()
    assert np.all(one.gear.table.any(axis=0)[[0, 1, 2, 3, 4, 5, 6, 7, 8]]) and same(one.gear.table, two.gear.table)
    for field in fields(Odometry):
        value = getattr(one.odometry, field.name)
        # Only for the wheels of vehicles with an engine; a rover has none.
        assert np.any(value) or field.name == 'fastest', field.name
        assert same(value, getattr(two.odometry, field.name)), field.name
    assert all(astuple(one.statistics)) and one.statistics == two.statistics
    for a, b in zip((*one.joint_states()[1:], *one.gear_arrays()), (*two.joint_states()[1:], *two.gear_arrays())):
        assert same(a, b)
    first, second = one.body_state(), two.body_state()
    for field in fields(first):
        assert same(getattr(first, field.name), getattr(second, field.name)), field.name
    # A copy is independent: one continues, the other stays.
    before = two.state()
    drive(one, 1, 0.3, 0.0)
    assert two.state() == before


@pytest.mark.parametrize('mode', ['regolith', 'reference'])
def test_placement_resets_the_vehicle_state(make_vehicle: Maker, mode: str) -> None:
    """Earlier motion leaves no trace in shear, motors, tables, odometry, statistics and the continuation."""
    used, fresh = make_vehicle(mode=mode), make_vehicle(mode=mode)
    used.place(0.0, 0.0, 0.5)
    # Nothing is committed to the ground, so that both stand on the same.
    drive(used, 25, 0.3, 0.1, marks=False)
    assert (
        used.contact.save() != fresh.contact.save() and used.gear.motors.bias.any() and used.statistics.distance > 0.0
    )
    position, orientation = [0.1, -0.3, 0.28], from_yaw(0.4)
    for vehicle in (used, fresh):
        vehicle.place_at(position, orientation)
    assert used.state() == fresh.state() == used.committed
    assert used.contact.save() == fresh.contact.save() and used.odometry.distance == 0.0
    np.testing.assert_allclose(used.body_state().position, position, atol=1e-15)
    for vehicle in (used, fresh):
        drive(vehicle, 10, 0.2, -0.1, marks=False)
    assert used.state() == fresh.state()


def four_wheels() -> WheelLayout:
    return WheelLayout(
        np.array([0.6, 0.6, -0.6, -0.6]),
        np.array([0.5, -0.5, 0.5, -0.5]),
        np.full(4, 0.25),
        np.ones(4, dtype=bool),
        0.6,
        4.0,
    )


@pytest.mark.parametrize('angle', [0.0, 0.5, -0.5])
@pytest.mark.parametrize('speed', [1.2, -1.2])
def test_odometry_of_crab_motion_is_exact(angle: float, speed: float) -> None:
    """With all wheels at the same angle the path is straight, oblique, and as long as the wheels roll."""
    layout, config = four_wheels(), OdometryConfig()
    odometry = Odometry.start(layout, config)
    for _ in range(10):
        odometry.advance(layout, config, np.full(4, speed * 0.1), np.full(4, angle), 0.1)
    way = 0.25 * speed
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx(
        (way * math.cos(angle), way * math.sin(angle), 0.0), abs=1e-12
    )
    assert odometry.distance == pytest.approx(abs(way), rel=1e-12)
    assert (odometry.linear_x, odometry.linear_y) == pytest.approx((way * math.cos(angle), way * math.sin(angle)))


def spiral(steps: int, seconds: float = 4.0) -> Odometry:
    """Integrate a path whose yaw rate grows linearly, with the rates at the middle of each step."""
    layout, config = four_wheels(), OdometryConfig()
    odometry, dt = Odometry.start(layout, config), seconds / steps
    for k in range(steps):
        speeds, angles = wheel_commands(layout, 0.4, 0.06 * (k + 0.5) * dt)
        odometry.advance(layout, config, speeds * dt, angles, dt)
    return odometry


def test_odometry_is_exact_on_arcs_and_second_order_on_spirals() -> None:
    """On a clothoid half the step leaves a quarter of the error; an arc is exact for any number of steps."""
    exact = spiral(4096)
    errors = [math.hypot(o.x - exact.x, o.y - exact.y) for o in (spiral(16), spiral(32), spiral(64))]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05) and errors[1] / errors[2] == pytest.approx(
        4.0, rel=0.05
    )
    assert exact.yaw == pytest.approx(0.5 * 0.06 * 16.0) and exact.distance == pytest.approx(1.6)
    layout, config = four_wheels(), OdometryConfig()
    speeds, angles = wheel_commands(layout, 0.3, 0.2)
    for steps in (1, 7):
        odometry = Odometry.start(layout, config)
        for _ in range(steps):
            odometry.advance(layout, config, speeds * 5.0 / steps, angles, 5.0 / steps)
        # Radius 1.5 m, one radian.
        expected = (1.5 * math.sin(1.0), 1.5 * (1.0 - math.cos(1.0)), 1.0)
        assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx(expected, abs=1e-12)


def test_events_are_restored_field_by_field() -> None:
    """A vehicle that has rolled over, is now high-centered and nearly stuck."""
    watch = EventDetector()
    for k in range(80):
        watch.update(k * 20_000_000, 0.02, -0.5 if k < 60 else 0.2, 0.9, 0.3, 0.001 * k, -0.02)
    again = EventDetector()
    again.load(watch.save())
    for name, value in vars(watch).items():
        assert value, name
        assert same(value, getattr(again, name)), name
    assert again.save() == watch.save() and set(watch._told) == set(KINDS)
    assert watch._history and all(isinstance(entry, tuple) for entry in again._history)
    for each in (watch, again):
        each.update(80 * 20_000_000, 0.02, 1.0, 0.0, 0.0, 3.0, 4.0)
    assert again.save() == watch.save()


def test_mean_slip_is_that_over_the_rolled_distance() -> None:
    made = RunStatistics(1.0, 2.0, 3.0, 4.0, 5.0)
    assert made == made.copy() and made.copy() is not made
    assert made.mean_slip == pytest.approx(2.0 / 3.0)


def test_slip_is_averaged_over_rolled_distance() -> None:
    """Two wheels roll at 0.2 and -0.4 m/s, one stands; before the first command only sinkage counts."""
    figures = RunStatistics()
    slips, sinkage = np.array([0.1, 0.5, -1.0]), 0.03
    figures.update(0.5, Progress(False, np.array([0.2, -0.4, 0.0]), slips, sinkage), 0.5)
    assert astuple(figures) == (0.0, 0.0, 0.0, 0.03, 0.0)
    figures.update(0.5, Progress(True, np.array([0.2, -0.4, 0.0]), slips, sinkage), 0.5)
    figures.update(0.25, Progress(False, np.array([0.0, 0.0, 0.0]), slips, 0.01), 0.5)
    assert (
        figures.distance == 0.75 and figures.rolled == pytest.approx(0.15) and figures.mean_slip == pytest.approx(0.3)
    )


def test_drivers_are_restored() -> None:
    path = PathDriverConfig(type='path', waypoints=[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)], speed_mps=0.3, lookahead_m=0.5)
    one, two = PathDriver(path), PathDriver(path)
    base = make_rigid_state('a', [0.8, 0.1, 0.0], 1.0, np.eye(3))
    one.command(0, base)
    two.restore(one.save())
    assert vars(two)['_progress'] == vars(one)['_progress'] == pytest.approx(0.8)
    config = ExternalDriverConfig(type='external', timeout_s=1.0)
    first, second = ExternalDriver(config), ExternalDriver(config)
    first.receive(5_000_000_000, LiveInput(DriveCommand(0.3, -0.2)))
    second.restore(first.save())
    assert second._since_ns == 5_000_000_000 and second._wanted == DriveCommand(0.3, -0.2)
    assert [second.command(t, base) for t in (5_999_999_999, 6_000_000_000)] == [
        DriveCommand(0.3, -0.2),
        DriveCommand(),
    ]
