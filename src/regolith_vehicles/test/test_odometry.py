# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of odometry and its covariance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtri

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.height_field_builder import build_height_field
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics import odometry_covariance
from regolith_vehicles.dynamics.kinematics import WheelLayout, wheel_commands
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_vehicles.dynamics.odometry import Odometry, slope_of
from regolith_world.numerics.rotation import yaw

STEP_S = 0.1


def _layout(model: str = 'viper') -> WheelLayout:
    config, mjcf = load_vehicle_model(model)
    return compile_vehicle(config, mjcf, (0.0, 0.0, -1.62)).layout


def _drive(
    layout: WheelLayout,
    config: OdometryConfig,
    linear: float,
    angular: float,
    steps: int,
    slope: tuple[float, float] = (0.0, 0.0),
) -> Odometry:
    odometry = Odometry.start(layout, config)
    speeds, angles = wheel_commands(layout, linear, angular)
    for _ in range(steps):
        odometry.advance(layout, config, speeds * STEP_S, angles, STEP_S, slope)
    return odometry


def _square() -> WheelLayout:
    """Return four wheels at the corners of a rectangle about the base: each has a quarter of the base displacement."""
    x, y = np.array([0.6, 0.6, -0.6, -0.6]), np.array([0.5, -0.5, 0.5, -0.5])
    return WheelLayout(x, y, np.full(4, 0.25), np.ones(4, dtype=bool), 0.6, 4.0)


def test_initial_covariance_follows_from_encoder_ticks() -> None:
    """A tick is uniform, deviation t / sqrt(12): half of it for the mean of four wheels, all of it for a position."""
    config = OdometryConfig(common_slip_stddev=0.03, wheel_slip_stddev=0.05, ticks_per_revolution=100)
    errors = odometry_covariance.initial_covariance(_square(), config)
    tick = 2.0 * math.pi / 100 * 0.25 / math.sqrt(12.0)
    assert np.diag(errors)[:2] == pytest.approx([1.25 * tick**2] * 2)
    lever = math.hypot(0.6, 0.5)
    assert np.diag(errors)[3:] == pytest.approx(
        [0.03**2] * 2 + [0.8**2, 0.06**2] + [(0.06 * lever) ** 2] * 2 + [0.04**2] + [0.05**2] * 8
    )
    assert errors == pytest.approx(np.diag(np.diag(errors)), abs=1e-18)


def test_twist_covariance_adds_common_slip_wheel_slip_and_ticks() -> None:
    """Straight ahead: common errors are a share of the speed; errors of each wheel are half of it and turn the base."""
    layout, speed, still = _square(), 0.4, np.zeros(4)
    fine: dict[str, Any] = {'start_slip_stddev_m': 0.0, 'ticks_per_revolution': 2**31}

    def of(**values: Any) -> np.ndarray:
        config = OdometryConfig.model_validate({'common_slip_stddev': 0.0, 'wheel_slip_stddev': 0.0, **fine, **values})
        return odometry_covariance.twist_covariance(layout, config, np.full(4, speed), still, 0.02)

    assert np.diag(of(common_slip_stddev=0.03)) == pytest.approx([(0.03 * speed) ** 2] * 2 + [0.0], abs=1e-12)
    own = (0.05 * speed) ** 2
    assert np.diag(of(wheel_slip_stddev=0.05)) == pytest.approx(
        [own / 4.0, own / 4.0, own / (4.0 * (0.6**2 + 0.5**2))], rel=1e-6
    )
    # The difference of two readings: twice the variance of one, over the cycle.
    tick = 2.0 * math.pi / 1000 * 0.25 / math.sqrt(6.0) / 0.02
    assert of(ticks_per_revolution=1000)[0, 0] == pytest.approx(tick**2 / 4.0, rel=1e-9)
    both = of(common_slip_stddev=0.03, wheel_slip_stddev=0.05)
    assert np.diag(both) == pytest.approx(
        np.diag(of(common_slip_stddev=0.03)) + np.diag(of(wheel_slip_stddev=0.05)), abs=1e-12
    )


def test_common_slip_is_a_scale_error() -> None:
    """4 m straight ahead with a common slip of 3 % only: 12 cm along and across, to rounding, without turning."""
    config = OdometryConfig(
        common_slip_stddev=0.03, wheel_slip_stddev=0.0, start_slip_stddev_m=0.0, ticks_per_revolution=2**31
    )
    errors = _drive(_layout(), config, 0.4, 0.0, 100).errors
    assert np.sqrt(np.diag(errors)[:3]) == pytest.approx([0.12, 0.12, 0.0], abs=1e-8)


def test_start_slip_is_added_once() -> None:
    """It is complete after some of its own lengths, along the heading only, and never larger."""
    config = OdometryConfig(
        common_slip_stddev=0.0, wheel_slip_stddev=0.0, start_slip_stddev_m=0.03, ticks_per_revolution=2**31
    )
    for steps in (10, 100):
        errors = _drive(_layout(), config, 0.4, 0.0, steps).errors
        assert np.sqrt(np.diag(errors)[:3]) == pytest.approx([0.03, 0.0, 0.0], abs=1e-6)


def test_acceleration_counts_as_a_slope() -> None:
    """Slip per slope only, 0.8: from rest to v it gives 0.8 v^2 / 2g, forward and back alike; after braking it is 0.

    On a circle the error is that of a lateral slope v w / g. To rounding: the integral over steps is exact.
    """
    layout, g = _square(), 1.62
    config = OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        turn_slip=0.0,
        ticks_per_revolution=2**31,
        slope_slip=0.8,
    )

    def run(speeds: list[float], rate: float = 0.0, slope: float = 0.0, gravity: float = g) -> Odometry:
        odometry = Odometry.start(layout, config)
        for speed in speeds:
            wheels, angles = wheel_commands(layout, speed, rate)
            odometry.advance(layout, config, wheels * STEP_S, angles, STEP_S, (0.0, slope), gravity)
        return odometry

    for sign in (1.0, -1.0):
        faster = [sign * 0.05 * k for k in range(1, 9)]
        errors = run(faster).errors
        assert np.sqrt(np.diag(errors)[:3]) == pytest.approx([0.8 * 0.4**2 / (2.0 * g), 0.0, 0.0], abs=1e-8)
        stopped = run(faster + faster[-2::-1] + [0.0]).errors
        assert np.diag(stopped)[:3] == pytest.approx([0.0] * 3, abs=1e-14)
        assert run(faster).twist_errors[0, 0] == pytest.approx((0.8 * 0.5 / g * 0.4) ** 2, rel=1e-6)
        assert np.sqrt(np.diag(run(faster, gravity=0.0).errors)[:3]) == pytest.approx([0.0] * 3, abs=1e-8)
    for rate in (0.1, -0.1):
        # One slow step before, so that both start alike: the turn remains, whose center lies uphill.
        turning, sloping = run([1e-6] + [0.3] * 20, rate), run([1e-6] + [0.3] * 20, rate, 0.3 * rate / g, 0.0)
        off = 0.8 * 0.3**2 / (2.0 * g)
        assert turning.errors[1, 5] == pytest.approx(sloping.errors[1, 5], rel=0.05)
        assert abs(turning.errors[0, 5] - sloping.errors[0, 5] - off * 0.8) < 0.05 * off


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_engine_driven_wheels_do_not_recover_slip_when_slowing_down(sign: float) -> None:
    """Spun up to 0.8 m/s with vibration, then 0.4: the deviation stays that of the highest speed, 0.8 v^2 / 2g.

    From rest or in the other direction it counts again; with servos it would be zero at rest.
    """
    layout, g = replace(_square(), engine=True), 1.62
    config = OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        turn_slip=0.0,
        ticks_per_revolution=2**31,
        slope_slip=0.8,
    )
    odometry, found = Odometry.start(layout, config), []
    size = len(odometry.save())
    up = [0.2, 0.5, 0.4, 0.7, 0.6, 0.8]
    for speed in [*up, 0.5, 0.4, 0.4, 0.45, 0.0, *up, -0.1, -0.8]:
        wheels, angles = wheel_commands(layout, sign * speed, 0.0)
        odometry.advance(layout, config, wheels * STEP_S, angles, STEP_S, (0.0, 0.0), g)
        found.append(math.sqrt(odometry.errors[0, 0]))
        again = Odometry.start(layout, config)
        again.load(odometry.save())
        assert again == odometry and again.save() == odometry.save()
        # Otherwise the state of a vehicle that started in a discarded cycle could not be restored.
        assert len(odometry.save()) == size
    once = 0.8 * 0.8**2 / (2.0 * g)
    assert np.all(np.diff(found[:-2]) >= 0.0)
    assert found[5] == found[10] == pytest.approx(once, abs=1e-8)
    assert found[-3] == pytest.approx(2.0 * once, abs=1e-8)
    # In the other direction the deviation towards the start decreases.
    assert found[-1] == pytest.approx(once, abs=1e-8)


@pytest.mark.slow
@pytest.mark.seconds
@pytest.mark.parametrize(('model', 'seconds'), [('hmmwv', 5.0), ('m113', 3.0)])
def test_distance_deviation_grows_on_straight_drive(model: str, seconds: float) -> None:
    """Vehicles with an engine accelerate to 2 m/s on lunar soil, where their wheels spin up and slow down: never less."""
    config, mjcf = load_vehicle_model(model)
    soil = load_soil('lunar_nominal')
    vehicle = Vehicle(model, config, mjcf, SoilGrid(FlatField(), 0.05), soil, 1.62)
    vehicle.place(0.0, 0.0, 0.0)
    found = []
    for _ in range(round(50 * seconds)):
        vehicle.grid.apply(vehicle.evolve(20_000_000, *vehicle.gear.targets(DriveCommand(2.0, 0.0))))
        vehicle.commit()
        odometry = vehicle.odometry
        assert odometry is not None
        found.append(math.sqrt(odometry.errors[0, 0]))
    assert np.all(np.diff(found) > 0.0)
    assert found[-1] > 0.1


def test_turn_center_deviation_is_a_fraction_of_wheel_distance() -> None:
    """A small rotation in place, both ways: the base shifts by angle times fraction times distance; straight ahead: 0."""
    layout = _square()
    config = OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        slope_slip=0.0,
        turn_slip=0.05,
        ticks_per_revolution=2**31,
        turn_correlation_rad=1e4,
    )
    for rate in (0.1, -0.1):
        odometry = _drive(layout, config, 0.0, rate, 10)
        expected = abs(odometry.yaw) * 0.05 * math.hypot(0.6, 0.5)
        # A tenth of a radian: the chord of the arc is shorter by 0.04 %.
        assert np.sqrt(np.diag(odometry.errors)[:2]) == pytest.approx([expected] * 2, rel=1e-3)
    assert np.sqrt(np.diag(_drive(layout, config, 0.3, 0.0, 10).errors)[:3]) == pytest.approx([0.0] * 3, abs=1e-8)


def test_turn_lag_is_yaw_per_change_of_curvature() -> None:
    """A lag of 0.04 m: 0.02 rad on a curve of 2 m and after a change of side, 0 when straight again.

    For rotation in place the wheel travel counts: the curvature is 1 over their distance from the base. Rest changes
    nothing.
    """
    layout, lever = _square(), math.hypot(0.6, 0.5)
    config = OdometryConfig(
        common_slip_stddev=0.0,
        wheel_slip_stddev=0.0,
        start_slip_stddev_m=0.0,
        slope_slip=0.0,
        turn_slip=0.0,
        ticks_per_revolution=2**31,
        turn_lag_m=0.04,
    )

    def yaw_error(*twists: tuple[float, float]) -> float:
        odometry = Odometry.start(layout, config)
        for linear, angular in twists:
            speeds, angles = wheel_commands(layout, linear, angular)
            for _ in range(3):
                odometry.advance(layout, config, speeds * STEP_S, angles, STEP_S)
        return math.sqrt(max(0.0, odometry.errors[2, 2]))

    for speed in (0.4, -0.4):
        curve = 0.04 * 0.2 / math.hypot(0.4, 0.2 * lever)
        assert yaw_error((speed, 0.2)) == pytest.approx(curve, rel=1e-6)
        assert yaw_error((speed, 0.2), (0.0, 0.0), (speed, 0.2)) == pytest.approx(curve, rel=1e-6)
        assert yaw_error((speed, 0.2), (speed, -0.2)) == pytest.approx(curve, rel=1e-6)
        assert yaw_error((speed, 0.2), (speed, 0.0)) == pytest.approx(0.0, abs=1e-7)
    assert yaw_error((0.0, 0.2)) == pytest.approx(0.04 / lever, rel=1e-6)


@pytest.mark.parametrize('model', ['viper', 'rassor', 'rocker_bogie'])
def test_backward_is_as_uncertain_as_forward(model: str) -> None:
    """Straight and in arcs both ways: equal deviations of x, y and yaw; each slip keeps its own deviation."""
    layout, config = _layout(model), OdometryConfig()
    for rate in (0.0, 0.1, -0.1):
        ahead, back = (_drive(layout, config, speed, speed / 0.3 * rate, 60).errors for speed in (0.3, -0.3))
        assert np.diag(back)[:3] == pytest.approx(np.diag(ahead)[:3], rel=0.05)
        for errors in (ahead, back):
            own = np.diag(errors)[odometry_covariance.OWN :][: 2 * len(layout.x)]
            assert own == pytest.approx(config.wheel_slip_stddev**2, rel=1e-9)


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_errors_grow_with_distance_not_with_time(model: str) -> None:
    """Rest adds nothing; twice the distance adds more, by scale errors twice and by turning; always a covariance."""
    layout, config = _layout(model), OdometryConfig()
    start = Odometry.start(layout, config)
    assert np.linalg.eigvalsh(start.errors[:3, :3]).min() > 0.0
    assert np.diag(start.errors)[:3].max() < 1e-6
    stood = _drive(layout, config, 0.0, 0.0, 100)
    assert np.array_equal(stood.errors, start.errors)
    once, twice = (_drive(layout, config, 0.3, 0.1, n).errors for n in (100, 200))
    for errors in (once, twice):
        assert np.array_equal(errors, errors.T) and np.linalg.eigvalsh(errors).min() > -1e-12
    growth = np.sqrt(np.trace(twice[:2, :2]) / np.trace(once[:2, :2]))
    assert 1.2 < growth < 2.6
    back = Odometry.start(layout, config)
    back.load(stood.save())
    assert np.array_equal(back.errors, stood.errors) and back.save() == stood.save()


def test_linear_propagation_agrees_with_random_slips() -> None:
    """Mean normalized squared pose error of 400 rovers with random slip of the model, in a turn on a slope.

    3 x 400 degrees of freedom: 99.9 % of such means lie within these bounds.
    """
    layout, slope = _layout(), (0.06, -0.03)
    config = OdometryConfig(
        common_slip_stddev=0.03,
        wheel_slip_stddev=0.03,
        slip_correlation_length_m=1.0,
        start_slip_stddev_m=0.0,
        slope_slip=0.4,
        turn_slip=0.05,
        turn_correlation_rad=0.4,
        turn_lag_m=0.1,
    )
    generator = np.random.default_rng(7)
    runs, steps, count = 400, 60, len(layout.x)
    speeds, angles = wheel_commands(layout, 0.4, 0.12)
    rolled = speeds * STEP_S * layout.radius
    common = config.common_slip_stddev * generator.normal(size=(runs, 2))
    down = config.slope_slip * generator.normal(size=runs)
    turning = 0.05 * generator.normal(size=runs)
    shift = odometry_covariance.center_shift(layout, config)
    center = shift * generator.normal(size=(runs, 2))
    own = config.wheel_slip_stddev * generator.normal(size=(runs, count, 2))
    # All of the lag is in the first step.
    bent = 0.12 / math.hypot(0.4, 0.12 * float(np.hypot(layout.x, layout.y).mean()))
    place, heading = np.zeros((runs, 2)), -0.1 * bent * generator.normal(size=runs)
    rows = np.array(
        [
            row
            for x, y, a in zip(layout.x, layout.y, angles)
            for row in (
                (math.cos(a), math.sin(a), math.sin(a) * x - math.cos(a) * y),
                (-math.sin(a), math.cos(a), math.cos(a) * x + math.sin(a) * y),
            )
        ]
    )
    weights = np.linalg.pinv(rows)
    fade = np.exp(-np.abs(rolled) / config.slip_correlation_length_m)[:, None]
    turned = float((np.stack((rolled, 0.0 * rolled), axis=-1).reshape(-1) @ weights.T)[2])
    kept = math.exp(-abs(turned) / 0.4)
    for _ in range(steps):
        slip = common[:, None, :] + own
        contact = np.stack((rolled * (1.0 - slip[..., 0]), -np.abs(rolled) * slip[..., 1]), axis=-1)
        moved = contact.reshape(runs, -1) @ weights.T
        moved[:, :2] -= down[:, None] * np.abs(rolled).mean() * np.array(slope)
        moved[:, 2] -= turning * turned
        moved[:, 0] += center[:, 1] * turned
        moved[:, 1] -= center[:, 0] * turned
        middle = heading + 0.5 * moved[:, 2]
        c, s = np.cos(middle), np.sin(middle)
        place += np.stack((c * moved[:, 0] - s * moved[:, 1], s * moved[:, 0] + c * moved[:, 1]), axis=1)
        heading += moved[:, 2]
        own = fade * own + config.wheel_slip_stddev * np.sqrt(1.0 - fade**2) * generator.normal(size=own.shape)
        center = kept * center + shift * math.sqrt(1.0 - kept**2) * generator.normal(size=(runs, 2))
        turning = kept * turning + 0.05 * math.sqrt(1.0 - kept**2) * generator.normal(size=runs)
    odometry = _drive(layout, config, 0.4, 0.12, steps, slope)
    error = np.column_stack((place - (odometry.x, odometry.y), heading - odometry.yaw))
    nees = np.einsum('ni,ij,nj->n', error, np.linalg.inv(odometry.errors[:3, :3]), error)
    low, high = chdtri(3 * runs, (0.9995, 0.0005)) / runs
    assert low < nees.mean() < high


@pytest.mark.slow
@pytest.mark.seconds
@pytest.mark.parametrize(('seconds', 'grounds'), [(4.0, 10), (5.0, 20), (20.0, 20)])
def test_covariances_are_consistent_with_true_errors(seconds: float, grounds: int) -> None:
    """Over several soils and paths: the mean normalized squared error of the pose is in its 95 % chi-square bounds."""
    config, mjcf = load_vehicle_model('viper')
    soil = load_soil('lunar_nominal')
    values = []
    for seed in range(grounds):
        terrain = TerrainConfig(source='procedural', spacing_m=0.04, soil=soil)
        grid = SoilGrid(build_height_field(terrain, seed), 0.04)
        rover = Vehicle('rover', config, mjcf, grid, soil, 1.62)
        rover.place(0.0, 0.0, 0.3 * seed)
        generator = np.random.default_rng(seed)
        first = rover.body_state()
        heading = yaw(first.orientation)
        for k in range(round(50 * seconds)):
            if k % 150 == 0:
                speeds, angles = wheel_commands(rover.body.layout, 0.3, generator.uniform(-0.1, 0.1))
            grid.apply(rover.evolve(20_000_000, speeds, angles))
            rover.commit()
        last, reckoned = rover.body_state(), rover.odometry
        assert reckoned is not None
        dx, dy = (last.position - first.position)[:2]
        c, s = math.cos(heading), math.sin(heading)
        error = np.array(
            [
                reckoned.x - (c * dx + s * dy),
                reckoned.y - (c * dy - s * dx),
                math.remainder(reckoned.yaw - yaw(last.orientation) + heading, 2.0 * math.pi),
            ]
        )
        values.append(float(error @ np.linalg.solve(reckoned.errors[:3, :3], error)))
    low, high = chdtri(3 * grounds, (0.975, 0.025)) / grounds
    assert low < np.mean(values) < high, sorted(values)


DRIVES = {
    'ahead': (1.0, 0.0, 0.0, 0.0),
    'back': (-1.0, 0.0, 0.0, 0.0),
    'left': (1.0, 1.0, 0.0, 0.0),
    'right': (1.0, -1.0, 0.0, 0.0),
    'back_left': (-1.0, 1.0, 0.0, 0.0),
    'eight': (1.0, 2.0, 0.0, 0.0),
    'spot_left': (0.0, 1.0, 0.0, 0.0),
    'spot_right': (0.0, -1.0, 0.0, 0.0),
    'up': (1.0, 0.0, 0.14, 0.0),
    'across': (1.0, 0.0, 0.0, 0.14),
    'turning_on_slope': (1.0, 1.0, 0.1, 0.1),
}
"""Relative speed and yaw rate, which changes sides halfway where it is 2; slope along x and y."""
FLEET = {
    'viper': (0.3, 0.1),
    'viper_grousered': (0.3, 0.1),
    'viper_locked': (0.3, 0.1),
    'rocker_bogie': (0.3, 0.1),
    'rocker_bogie_reference': (0.3, 0.1),
    'rassor': (0.3, 0.1),
    'hmmwv': (2.0, 0.2),
    'm113': (2.0, 0.2),
}
"""Speed [m/s] and yaw rate [rad/s] of the drives of all shipped vehicles."""


def _nees_of(
    model: str,
    soil_name: str,
    gravity: float,
    seconds: float,
    speed: float,
    rate: float,
    slope: tuple[float, float] = (0.0, 0.0),
    eight: bool = False,
) -> list[float]:
    """Return normalized squared errors of the pose every 2 s of a drive on level soil or under tilted gravity.

    The soil is that of scenarios: wheels with grousers dig in as they slip.

    Args:
        model: Name of the vehicle.
        soil_name: Name of the soil.
        gravity: Gravity [m/s^2].
        seconds: Duration of the drive [s].
        speed: Forward speed [m/s].
        rate: Yaw rate [rad/s].
        slope: Slope along x and y [-].
        eight: Whether the yaw rate changes sides halfway.
    """
    config, mjcf = load_vehicle_model(model)
    soil = load_soil(soil_name)
    weight = -gravity * np.array([*slope, 1.0]) / math.hypot(*slope, 1.0)
    terrain = TerrainConfig(spacing_m=0.05, soil=soil)
    grid = SoilGrid(FlatField(), terrain.spacing_m, terrain.law)
    vehicle = Vehicle(model, config, mjcf, grid, soil, weight, displacement=terrain.displacement())
    vehicle.place(0.0, 0.0, 0.0)
    first, cycles, turned = vehicle.body_state(), round(50 * seconds), 0.0
    before = start = yaw(first.orientation)
    c, s = math.cos(start), math.sin(start)
    values = []
    for k in range(cycles):
        side = -1.0 if eight and k >= cycles // 2 else 1.0
        targets = vehicle.gear.targets(DriveCommand(speed, side * rate))
        vehicle.grid.apply(vehicle.evolve(20_000_000, *targets))
        vehicle.commit()
        now = yaw(vehicle.body_state().orientation)
        turned, before = turned + math.remainder(now - before, 2.0 * math.pi), now
        if (k + 1) % 100 == 0:
            odometry = vehicle.odometry
            assert odometry is not None
            dx, dy = (vehicle.body_state().position - first.position)[:2]
            off = [odometry.x - (c * dx + s * dy), odometry.y - (c * dy - s * dx)]
            error = np.array([*off, math.remainder(odometry.yaw - turned, 2.0 * math.pi)])
            values.append(float(error @ np.linalg.solve(odometry.errors[:3, :3], error)))
    return values


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('model', 'share'),
    [
        ('viper', 0.5),
        pytest.param('rassor', 0.5, marks=pytest.mark.slow),
        *(pytest.param(model, 1.0, marks=pytest.mark.slow) for model in FLEET),
    ],
)
def test_odometry_covers_its_true_errors(model: str, share: float) -> None:
    """NEES of every shipped vehicle: straight, rotation in place, arcs and an eight, both ways, on slopes.

    Every 2 s the mean lies below the 97.5 % bound of chi-square with three degrees of freedom for each drive, and none
    beyond twice that of one drive in a thousand. It is not arbitrarily large either: at the end it is above the 2.5 %
    bound of a third of the drives, since soils with more slip have to be covered by the same values.

    Args:
        model: Name of the vehicle.
        share: Share of the whole drives of 12 s, or 8 s for heavy vehicles.
    """
    heavy = model in ('hmmwv', 'm113')
    drives = [drive for drive in DRIVES if not (heavy and drive.startswith('spot'))]  # Brakes and axles do not turn it.
    count = len(drives)
    (speed, rate), seconds, values = FLEET[model], share * (8.0 if heavy else 12.0), {}
    for drive in drives:
        along, turn, *slope = DRIVES[drive]
        eight = turn == 2.0
        twist = along * speed, (1.0 if eight else turn) * rate
        values[drive] = _nees_of(model, 'lunar_nominal', 1.62, seconds, *twist, (slope[0], slope[1]), eight)
    means = np.mean(list(values.values()), axis=0)
    assert np.all(means < chdtri(3 * count, 0.025) / count), values
    assert np.max(list(values.values())) < 2.0 * chdtri(3, 0.001), values
    assert means[-1] > chdtri(count, 0.975) / count, values


TIGHT = [(0.0, 0.25), (0.0, 0.5), (0.2, 0.4), (0.3, 0.3), (0.3, 0.1)]
"""Speed [m/s] and yaw rate [rad/s]: rotation in place, arcs of 0.5, 1 and 3 m as commanded."""


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('model', 'soil', 'seconds', 'twists'),
    [
        ('rassor', 'lunar_nominal', 4.0, [(0.2, -0.4), (-0.3, 0.3)]),
        *(
            pytest.param(
                model,
                soil,
                12.0,
                [
                    (way * v, side * w)
                    for v, w in TIGHT
                    for way in (1.0, -1.0)
                    for side in (1.0, -1.0)
                    if v or way > 0.0
                ],
                marks=pytest.mark.slow,
            )
            for model in ('rassor', 'viper_locked')
            for soil in ('lunar_nominal', 'dry_sand')
        ),
    ],
)
def test_odometry_of_skid_steering_covers_tight_arcs(
    model: str, soil: str, seconds: float, twists: list[tuple[float, float]]
) -> None:
    """Arcs of 0.5 to 3 m and rotation in place, in all directions; the digger turns up to 60 % less than computed.

    Bounds as in test_odometry_covers_its_true_errors. Drives to both sides are alike except for the grousers, so the
    mean is that of as many drives as there are radii.
    """
    values = [_nees_of(model, soil, 1.62, seconds, *twist) for twist in twists]
    count = len({(abs(v), abs(w)) for v, w in twists})
    means = np.mean(values, axis=0)
    assert np.all(means < chdtri(3 * count, 0.025) / count), values
    assert np.max(values) < 2.0 * chdtri(3, 0.001), values
    assert means[-1] > chdtri(count, 0.975) / count, values


def test_running_gear_without_wheels_or_tracks_has_no_odometry() -> None:
    """None instead of a pose that stays at its start with a covariance of 0; the state is complete without it."""
    config, mjcf = load_vehicle_model('rassor')
    rover = Vehicle('rover', config, mjcf, SoilGrid(FlatField(), 0.05), load_soil('lunar_nominal'), 1.62)
    rover.gear.layout = None
    rover.gear.reset()
    rover.place(0.0, 0.0, 0.0)
    assert rover.odometry is None
    rover.evolve(20_000_000, *rover.gear.targets(DriveCommand(0.2)))
    state = rover.state()
    rover.restore(state)
    assert rover.odometry is None and rover.state() == state


def test_slope_matches_an_inclinometer() -> None:
    """A base pitched up by 10 deg, then rolled right side down: ascent ahead, ascent to the left."""
    turn = np.array([[math.cos(0.2), 0.0, -math.sin(0.2)], [0.0, 1.0, 0.0], [math.sin(0.2), 0.0, math.cos(0.2)]])
    assert slope_of(turn, np.array([0.0, 0.0, -1.6])) == pytest.approx((math.tan(0.2), 0.0))
    roll = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(0.2), -math.sin(0.2)], [0.0, math.sin(0.2), math.cos(0.2)]])
    assert slope_of(roll, np.array([0.0, 0.0, -1.6])) == pytest.approx((0.0, math.tan(0.2)))


def test_turn_center_deviation_affects_both_speeds() -> None:
    """Shifted forward or sideways, the base moves laterally or forward by the yaw rate times the shift, in any turn."""
    layout, still = _square(), np.zeros(4)
    config = OdometryConfig.model_validate(
        {
            'common_slip_stddev': 0.0,
            'wheel_slip_stddev': 0.0,
            'slope_slip': 0.0,
            'turn_slip': 0.2,
            'ticks_per_revolution': 2**31,
        }
    )
    for rate in (0.3, -0.3):
        found = odometry_covariance.twist_covariance(layout, config, np.zeros(4), still, 0.02, rate)
        shift = 0.2 * layout.lever * rate
        assert np.diag(found) == pytest.approx([shift**2, shift**2, (0.2 * rate) ** 2], abs=1e-10)


@pytest.mark.parametrize('yaw', [0.0, 1.2, -2.5])
def test_downhill_slip_does_not_depend_on_heading(yaw: float) -> None:
    """The error is its share of the path times the slope of the ground: the heading changes only the base frame."""
    layout, rise, share = _square(), np.array([0.1, -0.04]), 0.4
    config = OdometryConfig.model_validate(
        {
            'common_slip_stddev': 0.0,
            'wheel_slip_stddev': 0.0,
            'slope_slip': share,
            'turn_slip': 0.0,
            'turn_lag_m': 0.0,
            'ticks_per_revolution': 2**31,
        }
    )
    c, s = math.cos(yaw), math.sin(yaw)
    slope = float(rise @ (c, s)), float(rise @ (-s, c))
    start = odometry_covariance.initial_covariance(layout, config)
    for rolled in (0.3, -0.3):
        found = odometry_covariance.propagate(
            start, layout, config, np.full(4, rolled), np.zeros(4), yaw, (0.0, 0.0), 0.0, slope
        )
        expected = (share * abs(rolled)) ** 2 * np.outer(rise, rise)
        np.testing.assert_allclose(found[:2, :2], expected, atol=1e-12)
