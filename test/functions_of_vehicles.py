# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of ``regolith_vehicles`` with fixed unequal arguments, for the baseline ``functions``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import PlaneField
from regolith_testbeds.bench_motions import BenchMotion, run_motion
from regolith_testbeds.experiments import tire_rig
from regolith_testbeds.proving_ground import twist_drive
from regolith_testbeds.proving_ground.drive import Drive
from regolith_testbeds.proving_ground.inputs import inputs
from regolith_testbeds.proving_ground.results import results
from regolith_testbeds.proving_ground.settings import MANEUVERS, TRACKED, TWISTS, Settings
from regolith_vehicles import curves
from regolith_vehicles.agent import planned_path
from regolith_vehicles.car import speed_controller as car_cruise
from regolith_vehicles.car.config import SpringConfig
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.contact.collision_shapes import collision_shapes, outlines, shape_bodies
from regolith_vehicles.contact.contact_parts import contact_parts
from regolith_vehicles.description.encoder_config import EncoderConfig
from regolith_vehicles.description.model_config import OdometryConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import make_driver
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_vehicles.dynamics import kinematics, odometry_covariance, placement
from regolith_vehicles.dynamics.encoders import Encoders
from regolith_vehicles.dynamics.joint_servos import JointServos
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.motors import Motors
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_vehicles.dynamics.odometry import Odometry, slope_of
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.dynamics.substeps import actuator_limits
from regolith_vehicles.powertrain import battery, brake, electric
from regolith_vehicles.powertrain.columns import STATES
from regolith_vehicles.powertrain.config import BatteryConfig, PowertrainConfig, WheelMotorConfig
from regolith_vehicles.powertrain.powertrain import driveshaft_torque, make_powertrain
from regolith_vehicles.running_gear_registry import make_running_gear
from regolith_vehicles.tires.tire import Tire, load_tire
from regolith_vehicles.tools import soil_in_flight
from regolith_vehicles.tracks import path
from regolith_vehicles.tracks import speed_controller as track_cruise
from regolith_vehicles.visuals.urdf import robot_description
from regolith_vehicles.visuals.visual_description import visuals_of
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import from_rpy_deg

Calls = Iterator[tuple[str, Any]]
TIRES = ('hmmwv_fiala', 'hmmwv_pac02', 'hmmwv_pac89', 'hmmwv_tmeasy')
VEHICLES = ('viper', 'viper_locked', 'viper_grousered', 'rocker_bogie', 'rassor', 'hmmwv', 'm113')
TURN = np.array(from_rpy_deg((7.0, -11.0, 40.0)))


def base(x: float, y: float, orientation: np.ndarray = TURN) -> BodyState:
    """Return the state of a base at a place."""
    return BodyState('a', np.array([x, y, 0.3]), orientation, np.array([0.4, 0.1, 0.0]), np.array([0.0, 0.1, 0.2]))


def commands() -> Calls:
    yield (
        'interpolated',
        [curves.interpolated(np.array([0.0, 1.0, 3.0]), np.array([2.0, 5.0, -1.0]), x) for x in (-1, 0.4, 1.0, 2.2, 9)],
    )
    yield 'steered', [car_cruise.steered(v, 0.3, now, 3.1, 0.5) for v, now in ((2.0, 1.0), (-2.0, 3.0), (0.1, 0.0))]
    yield 'brakes', [car_cruise.brakes(v, k, i) for v in (0.0, 1.0) for k in (-0.4, 0.1, 0.5) for i in (-0.2, 0.3)]
    yield 'slowed', [car_cruise.slowed(k, i, 0.1) for k in (-0.5, -9.0, 0.2) for i in (-1.2, 0.5)]
    yield 'eased', [car_cruise.traction_limit(spin, 2.0) for spin in (0.1, 0.6, 3.0)]
    yield 'held_back', [car_cruise.held_back(0.4, v, 0.7, 0.2) for v in (-0.3, 0.9)]
    yield (
        'car.cruise',
        [
            car_cruise.speed_control(v, 1.4 * v, now, i, 0.1)
            for v in (0.0, 1.5, -0.8, 9.0)
            for now in (0.1, 1.2, -1.0)
            for i in (-0.3, 0.4)
        ],
    )
    for pivots in (True, False):
        for v, rate in ((0.0, 0.0), (1.2, 0.3), (0.1, -0.6), (-1.0, 0.2), (0.0, 0.4)):
            for now in (0.05, 0.9, -0.7):
                memory = np.array([now, 0.1, 0.4, -0.2])
                made = track_cruise.speed_control(np.array([v, rate]), memory, 0.1, 2.1, pivots)
                yield f'track.cruise.{pivots}.{v}.{rate}.{now}', [*made, *memory]
    given: list[dict[str, Any]] = [
        {'type': 'constant', 'speed_mps': 0.4, 'yaw_rate_radps': -0.1, 'start_s': 1.0, 'end_s': 3.0},
        {'type': 'path', 'waypoints': [(1.0, 0.5), (4.0, 1.0), (5.0, -2.0)], 'speed_mps': 0.3, 'lookahead_m': 0.9},
        {
            'type': 'path',
            'waypoints': [(1.0, 0.5), (4.0, 1.0), (5.0, -2.0)],
            'speed_mps': 0.3,
            'lookahead_m': 1.9,
            'loop': True,
        },
        {
            'type': 'tasks',
            'tasks': [{'type': 'haul', 'goal': (2.0, -1.0)}, {'type': 'haul', 'goal': (0.0, 3.0), 'reverse': True}],
        },
    ]
    for number, values in enumerate(given):
        entry = VehicleEntry.model_validate(
            {'model': 'viper', 'position': (0.5, 0.2), 'heading_deg': 30.0, 'driver': values}
        )
        driver = make_driver(entry.driver)
        driven = []
        for step, (x, y) in enumerate(
            ((0.5, 0.2), (0.9, 0.7), (3.6, 0.8), (4.7, -0.2), (5.0, -1.7), (5.0, -1.98), (2.0, -1.0), (0.0, 2.9))
        ):
            driven.append(driver.command(round(0.7e9 * step), base(x, y)))
        yield f'driver.{number}', [[c.linear, c.angular] for c in driven]
        yield f'given_path.{number}', planned_path.planned_base_path(entry, 20.0)
    live = make_driver(
        VehicleEntry.model_validate(
            {'model': 'viper', 'position': (0.0, 0.0), 'driver': {'type': 'external', 'timeout_s': 0.7}}
        ).driver
    )
    said = []
    for step, by in enumerate(
        (
            AckermannCommand(0.8, 0.4, 0.3, 0.5),
            None,
            AckermannCommand(-0.3, -0.2, 0.0, 0.1),
            PedalCommand(0.2, 0.5, 0.1, 1.0),
            None,
            None,
        )
    ):
        if by is not None:
            live.receive(step * 300_000_000, LiveInput(DriveCommand(by=by), {'arm': 0.1 * step}))
        said.append(live.command(step * 300_000_000, base(0.0, 0.0)))
    yield 'driver.external', said
    yield (
        'command',
        [
            said[0].interface,
            said[0].speed,
            said[3].interface,
            said[3].speed,
            DriveCommand(0.3, 0.1).interface,
            DriveCommand(0.3).speed,
        ],
    )


def wheels() -> Calls:
    layout = WheelLayout(
        np.array([0.7, 0.6, -0.5]),
        np.array([0.4, -0.5, 0.1]),
        np.array([0.2, 0.25, 0.22]),
        np.array([True, True, False]),
        0.6,
        4.0,
    )
    skid = replace(layout, steered=np.zeros(3, dtype=bool))
    tracks = replace(skid, tracks=True)
    yield 'layout', [layout.steers, layout.top_speed, layout.top_yaw_rate, layout.lever, layout.tightest]
    speeds, angles = np.array([1.1, 1.4, 0.9]), np.array([0.3, -0.1, 0.2])
    for name, each in (('steered', layout), ('skid', skid)):
        yield (
            f'wheel_commands.{name}',
            [
                kinematics.wheel_commands(each, v, w)
                for v, w in ((0.3, 0.1), (-0.2, 0.4), (0.0, 0.5), (9.0, 0.3), (0.4, -5.0))
            ],
        )
        yield f'twist_of_wheels.{name}', kinematics.twist_of_wheels(each, speeds, angles)
    config = OdometryConfig(
        wheel_slip_stddev=0.05, common_slip_stddev=0.03, start_slip_stddev_m=0.04, ticks_per_revolution=500
    )
    for name, each in (('steered', layout), ('skid', skid), ('tracks', tracks)):
        reckoning = Odometry.start(each, config)
        for step in range(8):
            reckoning.advance(each, config, speeds * (0.1 if step < 5 else -0.07), angles, 0.1, (0.1, -0.2), 1.62)
        yield f'odometry.{name}', reckoning
    yield 'setting_off', odometry_covariance.start_variance(config, 0.01, 0.05)
    yield (
        'slope_of',
        [slope_of(np.eye(3)[[1, 2, 0]], np.array([0.1, 0.3, -1.6])), slope_of(np.eye(3), np.array([0.1, 0.3, -1.6]))],
    )
    yield (
        'slip_ratio',
        [
            wheel_state.slip_ratio(v, r)
            for v, r in ((0.3, 0.5), (0.5, 0.3), (-0.2, 0.4), (0.2, 0.0), (0.0, 0.0), (3.0, 0.2))
        ],
    )
    heights = np.linspace(0.0, 1.0, 20)[:, None] * 0.3 + np.linspace(0.0, 1.0, 18)[None, :] ** 2 * 0.2
    table, n = np.zeros((2, wheel_state.COLUMNS)), 2
    stats = np.arange(18.0).reshape(2, 9)
    center = np.array([[0.31, 0.42, 0.4], [0.52, 0.2, 0.35]])
    axis = np.array([[0.1, 0.98, 0.17], [-0.3, 0.95, 0.08]])
    wheel_state.measure_wheels(
        heights,
        heights[1:-1, 1:-1] - 0.01 * np.arange(16)[None, :],
        -1,
        2,
        0.05,
        center,
        axis / np.linalg.norm(axis, axis=1)[:, None],
        np.array([[0.2, 0.05, 0.0], [-0.3, 0.1, 0.02]]),
        np.array([1.2, -0.9]),
        np.array([0.1, 0.0]),
        np.array([0.2, 0.25]),
        np.array([0.07, 0.11]),
        np.array([[30.0, 4.0, 90.0], [10.0, -7.0, 60.0]]),
        np.arange(6.0).reshape(n, 3),
        stats,
        table,
    )
    yield 'measure_wheels', [*table, wheel_state.slip_and_sinkage(table)]
    feet = np.array([0.7, 0.6, -0.5, -0.6]), np.array([0.4, -0.5, 0.5, -0.4]), np.array([-0.2, -0.25, -0.2, -0.22])
    bumpy = PlaneField(0.2, -0.1, 0.4)

    def levels(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        made: np.ndarray = bumpy.heights(x, y) + 0.05 * x * y
        return made

    place, turn = placement.pose_on_ground(1.0, -2.0, 0.6, *feet, levels)
    yield 'pose_on_ground', [place, turn, placement.support_depth(place - 0.1, turn, *feet, levels)]
    yield (
        'encoders',
        [
            Encoders(EncoderConfig(ticks_per_revolution=300, jitter_rad=0.01), 5, 'a', 50.0).sample(
                k, 3.0 * speeds, speeds
            )
            for k in (0, 7)
        ],
    )
    parcel = np.array([0.37, 0.31, 0.22, 0.9, 0.5, 0.1, -0.2, 0.8, 0.6, 0.21, 0.09])
    yield 'spread', soil_in_flight.spread(parcel, 0.05)
    falling = soil_in_flight.SoilInFlight()
    falling.drop(0.25, np.array([0.1, 0.2, 0.5]), np.array([0.3, -0.2, 0.4]), np.array([0.6, 0.8]), (0.2, 0.1))
    falling.drop(0.5, np.array([0.4, 0.2, 0.1]), np.array([0.3, -0.2, -0.4]), np.array([0.6, 0.8]), (0.2, 0.1))
    grid = SoilGrid(PlaneField(0.1, 0.05), 0.05)
    yield 'fall', [falling.fall(0.3, np.array([0.0, 0.0, -1.62]), grid), falling.parcels, falling.mass]


def power() -> Calls:
    cell = BatteryConfig(
        energy_wh=50.0, voltage_v=(20.0, 28.0), resistance_ohm=0.2, initial_state_of_charge=0.6, standby_w=3.0
    )
    made, charge = battery.make_battery(cell), battery.full_charge(cell)
    yield 'battery', [made, charge, battery.max_power(made, charge)]
    for watts in (40.0, -60.0, 3.0):
        battery.draw(made, charge, watts, 7.0)
        yield f'draw.{watts}', [charge, battery.battery_summary(cell, charge)]
    for kept in (1.0, made.capacity, 0.0):
        charge[battery.STORED] = kept
        battery.draw(made, charge, -30.0, 2.0)
        yield f'draw.edge.{kept}', charge
    motor = electric.Motor(0.12, 0.3, 0.9)
    yield 'terminal_power', [electric.terminal_power(motor, *at) for at in ((2.0, 30.0), (-2.0, 30.0), (-0.1, 30.0))]
    charge = battery.full_charge(cell)
    yield (
        'fed',
        [electric.available_torque(motor, made, charge, turn, 40.0, 0.1) for turn in (1.0, 90.0, -2.0)] + [charge],
    )
    hub = electric.wheel_motor(
        WheelMotorConfig(
            torque_constant_nmpa=0.1, gear_ratio=80.0, gear_efficiency=0.7, resistance_ohm=0.5, regenerates=True
        )
    )
    yield (
        'wheels_power',
        [electric.wheels_power(hub, np.array(t), np.array([1.0, -0.4])) for t in ((20.0, 5.0), (-40.0, 10.0))]
        + [hub, electric.wheel_motor(None)],
    )
    yield (
        'brake',
        [
            brake.brake(w, v, 300.0, most, 1e-3)
            for w in (0.0, 0.004, -0.02)
            for v in (0.5, -7.0)
            for most in (0.0, 120.0, 300.0)
        ],
    )
    gearbox = {
        'gears': [0.2, 0.4],
        'reverse': -0.25,
        'upshift_rpm': [1500.0],
        'downshift_rpm': 900.0,
        'inertia_kgm2': 0.5,
        'shift_latency_s': 0.005,
    }
    curve, losses = [[0.0, 100.0], [150.0, 140.0], [300.0, 90.0]], [[0.0, 0.0], [300.0, -30.0]]
    engines: dict[str, dict[str, Any]] = {
        'map': {
            'engine': {'type': 'map', 'zero_throttle': losses, 'full_throttle': curve},
            'gearbox': {k: v for k, v in gearbox.items() if k != 'inertia_kgm2'},
        },
        'electric': {
            'engine': {
                'type': 'electric',
                'zero_throttle': losses,
                'full_throttle': curve,
                'torque_constant_nmpa': 1.2,
                'resistance_ohm': 0.05,
                'converter_efficiency': 0.95,
            },
            'gearbox': {k: v for k, v in gearbox.items() if k != 'inertia_kgm2'},
        },
        'converter': {
            'engine': {
                'type': 'shaft',
                'inertia_kgm2': 2.0,
                'full_throttle': curve,
                'losses': losses,
                'idle_radps': 60.0,
            },
            'gearbox': gearbox,
            'coupling': {
                'type': 'converter',
                'capacity_factor': [[0, 10], [0.8, 12], [1, 30]],
                'torque_ratio': [[0, 2.0], [0.8, 1.0], [1, 1.0]],
            },
        },
        'clutch': {
            'engine': {
                'type': 'shaft',
                'inertia_kgm2': 2.0,
                'full_throttle': curve,
                'losses': losses,
                'idle_radps': 60.0,
            },
            'gearbox': gearbox,
            'coupling': {'type': 'clutch', 'torque_nm': 150.0, 'engagement_speeds_radps': (70.0, 110.0)},
        },
    }
    strong = BatteryConfig(energy_wh=900.0, voltage_v=(280.0, 330.0), resistance_ohm=0.5)
    for name, values in engines.items():
        for backwards in (False, True):
            charge = battery.full_charge(strong)
            train = make_powertrain(PowertrainConfig.model_validate(values), strong, charge, 7.0)
            state, out = np.zeros(STATES), []
            for step in range(60):
                shaft = (-1.0 if backwards else 1.0) * (1.2 * step if step < 40 else 60.0 - 1.4 * (step - 40))
                out.append(driveshaft_torque(train, state, 0.8 if step % 20 < 15 else 0.0, backwards, shaft, 2e-3))
            yield f'torque.{name}.{backwards}', [np.array(out), state, charge]
    spring = SpringConfig(
        actuator='a',
        rest_length_m=0.4,
        force=((0.0, 0.0), (0.1, 900.0), (0.2, 2500.0)),
        stops_m=(0.33, 0.52),
        stop_force=((0.0, 0.0), (0.03, 8000.0)),
    )
    yield 'spring.knots', spring.knots()
    pieces = np.zeros((14, path.COLUMNS))
    x, z, r = (
        np.array([1.5, 0.9, 0.1, -0.8, -1.4]),
        np.array([0.1, -0.3, -0.35, -0.3, 0.05]),
        np.array([0.25, 0.3, 0.28, 0.3, 0.22]),
    )
    laid = path.lay_track(x, z, r, 0.15, pieces)
    yield 'lay_band', [laid, pieces, [path.point_on(pieces[k], 0.07) for k in range(laid[0])]]


def tires() -> Calls:
    load, slip = np.array([2500.0, 6000.0])[:, None, None], np.array([-0.4, -0.03, 0.0, 0.08, 0.9])[None, :, None]
    angle, camber = np.array([-0.2, -0.02, 0.0, 0.1])[None, None, :], np.array([0.04, -0.07])[:, None, None]
    for name in TIRES:
        for behavior in ('regolith', 'reference'):
            tire = load_tire(name, behavior)
            yield (
                f'{name}.{behavior}.steady',
                tire.steady_state(load=load, slip=slip, slip_angle=angle, camber=camber, speed=7.0, friction=0.6),
            )
            yield (
                f'{name}.{behavior}.reverse',
                tire.steady_state(load=4000.0, slip=0.1, slip_angle=-0.05, camber=0.03, speed=-3.0),
            )
            yield (
                f'{name}.{behavior}.vertical',
                tire.vertical(height=np.array([0.44, 0.46, 0.5]), speed_z=np.array([-0.3, 0.2, 0.0]), camber=0.05),
            )
            yield f'{name}.{behavior}.depth', tire.depth(np.array([100.0, 3000.0, 9000.0]))
        for kind in (
            'step_slip_angle',
            'ramp',
            'stand_lat_sine',
            'stand_long_sine',
            'stand_spin_sine',
            'pull_lat',
            'pull_long',
        ):
            rolling = load_tire(name).start(load=4500.0, camber=0.03, friction=0.7)
            motion = BenchMotion(kind, 5.0, 0.05, 0.06, 2.0, 0.3, 1.5, 1500.0)  # type: ignore[arg-type]
            yield f'{name}.{kind}', run_motion(rolling, motion, 2e-3, 60)
    config = load_tire('hmmwv_pac02').config
    for side in ('left', 'right'):
        for measured in ('left', 'right'):
            tire = Tire(config.model_copy(update={'side': side, 'measured_side': measured}))
            yield (
                f'pac02.{side}.{measured}',
                tire.steady_state(load=4000.0, slip=0.05, slip_angle=np.array([-0.06, 0.0, 0.06]), camber=0.05),
            )
    settings = tire_rig.Settings()
    yield 'tire_rig.Settings', settings


def looks() -> Calls:
    for name in VEHICLES:
        config, mjcf = load_vehicle_model(name)
        body = compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))
        gear = make_running_gear(config, body, mjcf)
        yield f'looks.{name}', visuals_of(config, body, gear)
        text = robot_description(config, body, name)
        yield (
            f'urdf.{name}',
            [np.array([float(v) for v in re.findall(r'(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])', text)])],
        )
        yield (
            f'layout.{name}',
            [
                body.layout.x,
                body.layout.y,
                body.layout.radius,
                body.layout.steered,
                body.layout.max_steer,
                body.layout.top_speed,
            ],
        )
        yield (
            f'tangible.{name}',
            [
                collision_shapes(config),
                shape_bodies(config),
                [o.bounds(base(0.3, 0.1)) for o in outlines(config) if o.shapes],
            ],
        )
        yield (
            f'gear.{name}',
            [planned_path.running_gear_radius(gear), gear.contact_area, gear.top_speed, gear.support_points],
        )
        yield f'joints.{name}', sorted(config.joints)
        parts = contact_parts(config, body, mjcf, gear.touching)
        yield (
            f'parts.{name}',
            [
                parts.belly,
                parts.layer,
                parts.yielding,
                parts.stiffness,
                parts.reach,
                parts.offset,
                parts.box_middle,
                parts.box_half,
            ],
        )
        limits = actuator_limits(body.model, mujoco.MjData(body.model))
        yield f'limits.{name}', [limits.low, limits.high]
    config, mjcf = load_vehicle_model('rassor')
    body = compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))
    servos, motors, payloads = JointServos(config, body), Motors(config, body), Payloads(config, body)
    goals = servos.goals(dict.fromkeys(servos.names[:2], 0.7))
    _, servos.command = servos.ramp(goals, 0.05)
    servos.goal = goals
    yield (
        'joint_servos',
        [goals, servos.command, servos.goals({servos.names[0]: 9.0}), servos.ramp(np.full(len(goals), 99.0), 50.0)[1]],
    )
    n = len(config.wheels)
    motors.bias, motors.strayed = np.linspace(-0.1, 0.2, n), np.full(len(motors.strayed), 0.03)
    before, after = motors.ramp(np.linspace(-3.0, 9.0, n), np.linspace(-2.0, 0.3, n), 0.1)
    motors.stand(np.full(n, 0.01), np.zeros(n), np.zeros(n))
    motors.correct_droop(np.linspace(0.0, 5.0, n), 0.1)
    yield 'motors', [before, after, motors.returning, motors.controls(after), motors.strayed, motors.bias]
    if payloads.names:
        payloads.load(payloads.names[0], 3.0, (0.1, 0.2, 0.15))
        yield 'payloads', [payloads.table, body.model.body_mass, body.model.body_inertia, body.model.body_subtreemass]


def proving_ground() -> Calls:
    names = (
        't_s',
        'x_m',
        'y_m',
        'z_m',
        'vx_mps',
        'vy_mps',
        'yaw_rate_radps',
        'ay_mps2',
        'roll_deg',
        'pitch_deg',
        'yaw_deg',
        'toe_FL_deg',
        'toe_FR_deg',
        'Fz_FL_N',
        'spring_FL_N',
        'spk_omega_L',
        'spk_omega_R',
        'spk_torque_L_Nm',
        'spk_torque_R_Nm',
        'tension_mean_L_N',
        'tension_mean_R_N',
        'ground_Fx_N',
        'ground_Fz_N',
        'tensioner_len_L_m',
        'tensioner_len_R_m',
        'tensioner_F_L_N',
        'tensioner_F_R_N',
        'arm1_deg',
    )
    t = np.arange(0.0, 8.01, 0.02)
    bent = {name: np.cos((0.3 + 0.07 * k) * t) + 0.1 * k * t for k, name in enumerate(names)}
    bent['t_s'], bent['vx_mps'] = t, 20.0 - 3.1 * np.maximum(t - 4.0, 0.0) + 0.2 * t
    bent['yaw_rate_radps'] = 0.3 * np.clip((t - 4.0) / 0.5, 0.0, 1.0) * (1.0 + 0.1 * np.sin(3.0 * t))
    bent['ay_mps2'] = np.abs(4.5 * t / 8.0) + 0.2
    drive = Drive(names, np.column_stack([bent[name] for name in names]))
    for family, vehicle, known in (
        ('car', 'hmmwv', MANEUVERS),
        ('tracks', 'm113', TRACKED),
        ('twist', 'viper', TWISTS),
    ):
        for maneuver in known:
            s = Settings.model_validate({'vehicle': vehicle, 'maneuver': maneuver})
            yield (
                f'{family}.{maneuver}.settings',
                {k: v for k, v in s.model_dump().items() if isinstance(v, (int, float, bool))},
            )
            if family == 'twist':
                yield (
                    f'{family}.{maneuver}.twist',
                    [
                        list(twist_drive.twist(s.model_copy(update={'nominal_radius_m': 0.2}), at, 0.25))
                        for at in (0.4, 3.0)
                    ],
                )
            else:
                yield (
                    f'{family}.{maneuver}.inputs',
                    [inputs(s, at, speed) for at in (0.3, 1.7, 4.1, 5.6) for speed in (1.0, 12.0)],
                )
            out = (
                drive
                if maneuver != 'accelerate'
                else replace(
                    drive,
                    rows=drive.rows * np.where(np.array(names) == 'vx_mps', -1.0, 1.0)
                    + 25.0 * (np.array(names) == 'vx_mps'),
                )
            )
            yield f'{family}.{maneuver}.figures', results(s, out)


def calls() -> Calls:
    """Return names and results of all calls."""
    for part in (commands, wheels, power, tires, looks, proving_ground):
        for name, value in part():
            yield f'vehicles.{name}', value
