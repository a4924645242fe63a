# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of cars: struts, gearbox, brakes, and an HMMWV at rest and driving."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_files.problems import InputError
from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.car.config import SpringConfig
from regolith_vehicles.car.running_gear import LOCKED_OUT, Car
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.wheel_state import SPIN
from regolith_vehicles.curves import interpolated
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.powertrain.brake import brake
from regolith_vehicles.powertrain.columns import GEAR, THROTTLE

CYCLE_NS = 20_000_000
PARKED = np.array([0.0, 0.0, 1.0])


@pytest.fixture
def make_car() -> Callable[..., Vehicle]:
    """Return a function that builds an HMMWV on firm ground."""

    def make(field: Any = None, gravity: float = 9.81, friction: float = 0.8, **parameters: Any) -> Vehicle:
        config, mjcf = load_vehicle_model('hmmwv')
        assert config.running_gear is not None
        gear = config.running_gear.model_copy(update={'parameters': {**config.running_gear.parameters, **parameters}})
        grid = SoilGrid(field if field is not None else FlatField(), 1.0, RIGID_TERRAIN_MODEL)
        return Vehicle(
            'car',
            config.model_copy(update={'running_gear': gear}),
            mjcf,
            grid,
            RigidTerrainConfig(friction=friction),
            gravity,
        )

    return make


def drive(car: Vehicle, cycles: int, command: Any = PARKED) -> None:
    for _ in range(cycles):
        car.grid.apply(car.evolve(CYCLE_NS, np.asarray(command, float)))
        car.commit()


def roll_at(car: Vehicle, speed: float) -> None:
    """Set the speed of the car, its wheels and shafts [m/s]."""
    car._data.qvel[0] = speed
    car._data.qvel[car.gear.dofs] = speed / 0.465  # type: ignore[attr-defined]
    for shaft in ('driveshaft', 'front_shaft', 'rear_shaft'):
        car._data.joint(shaft).qvel[0] = 5.0 * speed / 0.465
    car.gear.command = np.zeros(4)  # type: ignore[attr-defined]


def test_springs_follow_their_table() -> None:
    spring = SpringConfig(
        actuator='a',
        rest_length_m=0.4,
        force=((0.0, 0.0), (0.1, 1000.0), (0.2, 4000.0)),
        stops_m=(0.25, 0.45),
        stop_force=((0.0, 0.0), (0.1, 500.0)),
    )
    knots = spring.knots()
    # Compressed by 5 cm, 10 cm and 15 cm; extended by 5 cm, and by 10 cm against the stop.
    for length, push in ((0.35, 500.0), (0.3, 1000.0), (0.25, 2500.0), (0.45, -500.0), (0.5, -1000.0 - 250.0)):
        assert interpolated(*knots.T, length) == pytest.approx(push)
    assert interpolated(*knots.T, 0.2) == pytest.approx(4000.0 + 250.0)


def test_brake_holds_up_to_its_torque() -> None:
    """A torque below the brake limit is held; the rest above it accelerates a wheel of 10 kg m^2."""
    for load, expected in ((900.0, 0.0), (1500.0, 500.0 / 10.0)):
        wound_up, speed = 0.0, 0.0
        for _ in range(1000):
            wound_up, held = brake(wound_up, speed, 4000.0, 1000.0, 1e-3)
            speed += 1e-3 * (load + held) / 10.0
        # It slides from a quarter of the full wind-up on, 0.0025 rad, which it reaches within some ms.
        assert speed == pytest.approx(expected, abs=1e-9 if load < 1000.0 else 1.0)
    assert brake(0.005, 1.0, 4000.0, 0.0, 1e-3) == (0.0, 0.0)


@pytest.mark.parametrize('slope', [pytest.param(0.0, marks=pytest.mark.slow), 15.0])
@pytest.mark.seconds
def test_parked_car_does_not_move(make_car: Callable[..., Vehicle], slope: float) -> None:
    """The weight is supported, creep is below 1 mm/min, and the motion has decayed after 10 s."""
    car = make_car(PlaneField(math.tan(math.radians(slope))))
    car.place(0.0, 0.0, 0.0)
    drive(car, 500)
    start, forces, energy = car.body_state().position, [], []
    for _ in range(250):
        drive(car, 1)
        forces.append(car.step.wrenches.force.sum(axis=0))
        energy.append(float(np.abs(car._data.qvel).max()))
    weight = car.body.mass * 9.81
    assert np.mean(forces[-50:], axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    creep = np.linalg.norm(car.body_state().position - start) / (250 * CYCLE_NS * 1e-9)
    assert 60.0 * creep < 1e-3 and max(energy) < 1e-6


@pytest.mark.slow
def test_car_on_soil_sinks_in(make_car: Callable[..., Vehicle]) -> None:
    config, mjcf = load_vehicle_model('hmmwv')
    car = Vehicle('car', config, mjcf, SoilGrid(FlatField(), 0.05), load_soil('lunar_nominal'), 1.62)
    car.place(0.0, 0.0, 0.0)
    drive(car, 50)
    assert car.step.wrenches.force[:, 2].sum() == pytest.approx(car.body.mass * 1.62, rel=1e-3)
    assert (car.gear.table[:, car.gear.columns.index('sinkage_total')] > 0.01).all()


def test_engine_and_brakes_accelerate_and_stop_the_car(make_car: Callable[..., Vehicle]) -> None:
    car = make_car()
    car.place(0.0, 0.0, 0.0)
    drive(car, 150, (0.0, 0.3, 0.0))
    speed = car.body_state().linear_velocity[0]
    assert speed > 2.0 and car.gear.state[GEAR] > 0.0  # type: ignore[attr-defined]
    assert 0.0 < car.statistics.mean_slip < 0.1 and car.statistics.distance == pytest.approx(
        car.body_state().position[0], rel=0.01
    )
    way = car.body_state().position[0]
    drive(car, 200, (0.0, 0.0, 0.6))
    assert abs(car.body_state().linear_velocity[0]) < 1e-3
    # Default tires hold at most 0.8 of the weight; the brakes hold less, 0.6: 20.6 kN over 2.9 t.
    assert car.body_state().position[0] - way == pytest.approx(speed**2 / (2.0 * 20.6 / 2.9), rel=0.25)


def test_locked_differentials_equalize_wheel_speeds(make_car: Callable[..., Vehicle]) -> None:
    for locked, spread in ((False, 0.3), (True, 0.0)):
        car = make_car(differentials_locked=locked)
        car.place(0.0, 0.0, 0.0)
        car.set_rolling_speed(8.0)
        drive(car, 60, (0.3, 0.05, 0.0))
        spins = car.gear.table[:, 0]
        assert np.ptp(spins) > spread if spread else np.ptp(spins) < 1e-3


def test_left_and_right_turns_are_mirror_images(make_car: Callable[..., Vehicle]) -> None:
    ends = []
    for side in (1.0, -1.0):
        car = make_car()
        car.place(0.0, 0.0, 0.0)
        roll_at(car, 8.0)
        drive(car, 100, (0.3 * side, 0.05, 0.0))
        ends.append(car.body_state().position)
    left, right = ends
    assert left[1] > 3.0
    assert right == pytest.approx(left * (1.0, -1.0, 1.0), abs=2e-3)  # The solver handles left constraints first.


def test_car_state_is_complete(make_car: Callable[..., Vehicle]) -> None:
    car = make_car()
    car.place(0.0, 0.0, 0.0)
    drive(car, 60, (0.2, 0.8, 0.0))
    drive(car, 3, (0.2, 0.0, 0.4))
    kept = car.state()
    drive(car, 5, (-0.1, 0.2, 0.1))
    after = car.state()
    car.restore(kept)
    assert car.state() == kept
    drive(car, 5, (-0.1, 0.2, 0.1))
    assert car.state() == after
    again = make_car()
    again.restore(kept)
    drive(again, 5, (-0.1, 0.2, 0.1))
    assert again.state() == after


def test_car_at_rest_is_not_moving(make_car: Callable[..., Vehicle]) -> None:
    """The mean slip of a run counts cycles with a drive command; brakes and a direction are none."""
    car = make_car()
    car.place(0.0, 0.0, 0.0)
    for targets, commanded in (
        ((car.gear.at_rest,), 0.0),
        (car.gear.targets(DriveCommand()), 0.0),
        (car.gear.targets(DriveCommand(2.0)), 1.0),
    ):
        car.evolve(CYCLE_NS, *targets)
        assert car.statistics.commanded == commanded


def test_car_mass_properties_match_the_reference(make_car: Callable[..., Vehicle]) -> None:
    """2573.14 kg; the reference omits the tires of 37.6 kg from its center of mass (0.0511, 0.0002, 0.1811)."""
    car = make_car()
    body, data, model = car.body, car.data, car.body.model
    assert body.mass == pytest.approx(2573.14, abs=0.01)
    car.place_at((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    mass = np.array(model.body_mass)
    moment = mass @ data.xipos - 37.6 * data.xipos[car.gear.bodies].sum(axis=0)  # type: ignore[attr-defined]
    assert moment / (mass.sum() - 4 * 37.6) == pytest.approx((0.0511, 0.0002, 0.1811), abs=2e-4)


def test_driver_inputs_are_limited_in_value_and_rate(make_car: Callable[..., Vehicle]) -> None:
    car = make_car(pedal_time_s=0.5)
    car.place(0.0, 0.0, 0.0)
    drive(car, 1, (-9.0, 9.0, -9.0))
    assert car.gear.command == pytest.approx([-0.04, 0.04, 0.0, 1.0])  # type: ignore[attr-defined]
    drive(car, 40, (-9.0, 9.0, -9.0))
    assert car.gear.command == pytest.approx([-1.0, 1.0, 0.0, 1.0])  # type: ignore[attr-defined]


def test_direction_changes_near_rest_only(make_car: Callable[..., Vehicle]) -> None:
    """A change of direction is refused above the speed LOCKED_OUT and accepted below, in both directions."""
    car = make_car()
    gear = car.gear
    assert isinstance(gear, Car)
    for direction in (1.0, -1.0):
        for speed, taken in ((2.0 * LOCKED_OUT, False), (0.5 * LOCKED_OUT, True)):
            for sign in (1.0, -1.0):
                gear.command = np.array([0.0, 0.0, 0.0, direction])
                gear.cruising[0] = sign * speed
                _, wanted = gear.ramp(0.02, np.array([0.0, 0.2, 0.0, -direction]))
                assert wanted[3] == (-direction if taken else direction), (direction, sign * speed)


@pytest.mark.seconds
def test_twist_is_followed(make_car: Callable[..., Vehicle]) -> None:
    """Forward to the left, stop, and reverse: at the commanded speed and yaw rate."""
    car = make_car()
    car.place(0.0, 0.0, 0.0)

    def state() -> tuple[float, float]:
        along = car._data.qvel[:3] @ car._data.xmat[car.body.base].reshape(3, 3)[:, 0]
        return float(along), float(car.body_state().angular_velocity[2])

    def go(linear: float, angular: float, seconds: float) -> tuple[float, float]:
        for _ in range(round(seconds / 0.02)):
            car.evolve(CYCLE_NS, *car.gear.targets(DriveCommand(linear, angular)))
            car.commit()
        return state()

    # The bicycle model ignores slip angles: 10 % of the yaw rate at 1 m/s^2.
    assert go(4.0, 0.25, 9.0) == pytest.approx((4.0, 0.25), rel=0.1)
    assert go(0.0, 0.0, 5.0) == pytest.approx((0.0, 0.0), abs=1e-3)
    assert go(-1.5, 0.0, 7.0) == pytest.approx((-1.5, 0.0), abs=0.15)
    with pytest.raises(VehicleError, match='targets of joints arm; allowed: none for a car'):
        car.gear.targets(DriveCommand(joints={'arm': 1.0}))
    assert 30.0 < car.gear.top_speed < 60.0


def one(**changed: Any) -> dict[str, Any]:
    """Return parameters with their own powertrain."""
    simple = {
        'engine': {'type': 'map', 'zero_throttle': [[0, 0], [1, 0]], 'full_throttle': [[0, 9], [1, 0]]},
        'gearbox': {'gears': [0.2], 'reverse': -0.2, 'upshift_rpm': [], 'downshift_rpm': 1.0},
    }
    return {'powertrain': 'own', 'powertrains': {'own': {**simple, **changed}}}


def test_traction_limit_depends_on_driven_wheels_only(make_car: Callable[..., Vehicle]) -> None:
    """One wheel of four spins and one of four is not driven: full throttle only if they are the same wheel."""
    gear: Any = make_car().gear
    driven = gear.drive_ratio.copy()
    for idle in range(4):
        for spins in range(4):
            gear.reset()
            gear.drive_ratio = np.where(np.arange(4) == idle, 0.0, driven)
            gear.table[spins, SPIN] = 100.0
            _, command = gear.ramp(0.02, np.array([5.0, 0.0]))
            assert (command[THROTTLE] > 0.0) == (spins == idle)


@pytest.mark.seconds
def test_twist_does_not_spin_the_wheels(make_car: Callable[..., Vehicle]) -> None:
    """In lunar gravity the engine torque is five times what the tires transmit; the controller reduces the throttle."""
    car = make_car(gravity=1.62)
    car.place(0.0, 0.0, 0.0)
    for _ in range(300):
        car.evolve(CYCLE_NS, *car.gear.targets(DriveCommand(1.5, 0.0)))
        car.commit()
    assert car.body_state().linear_velocity[0] == pytest.approx(1.5, abs=0.1)
    assert car.statistics.mean_slip < 0.15


@pytest.mark.parametrize(
    ('changed', 'message'),
    [
        (
            {'driveshaft': 'drivshaft'},
            r'running_gear\.parameters\.driveshaft .*no such actuator in hmmwv\.xml; allowed: steering, driveshaft, ',
        ),
        (
            one(engine={'type': 'map', 'zero_throttle': [[1, 2], [0, 1]], 'full_throttle': [[0, 1], [1, 2]]}),
            'does not ascend; allowed: ',
        ),
        (
            one(gearbox={'gears': [0.2], 'reverse': 0.2, 'upshift_rpm': [], 'downshift_rpm': 1.0}),
            r'reverse = 0\.2: .*allowed: ',
        ),
        (
            one(gearbox={'gears': [0.2], 'reverse': -0.2, 'upshift_rpm': [3.0], 'downshift_rpm': 1.0}),
            r'gearbox\.upshift_rpm = \[3\.0\]: has 1 speeds; allowed: ',
        ),
        (
            one(coupling={'type': 'clutch', 'torque_nm': 9.0, 'engagement_speeds_radps': [0, 0]}),
            "engine.type = 'map': is used with coupling 'clutch'; allowed: ",
        ),
        (
            one(gearbox={'gears': [0.2, 0.4], 'reverse': -0.2, 'upshift_rpm': [900.0], 'downshift_rpm': 9000.0}),
            'downshift_rpm = 9000.0: is out of range; allowed: above 0, below all upshift_rpm',
        ),
        (
            one(engine={'type': 'map', 'zero_throttle': [[0, 5], [1, 0]], 'full_throttle': [[0, 9], [1, 0]]}),
            r'zero_throttle\.0 = \[0, 5\]: is a positive torque without throttle; allowed: torques of at most 0',
        ),
        (
            {'driveshaft': 'steering'},
            "driveshaft = 'steering': is already used by steering.actuator; allowed: unique names",
        ),
        ({'powertrain': 'mop'}, "powertrain = 'mop': is unknown; allowed: one of powertrains, map, shafts"),
        (
            one(
                engine={
                    'type': 'electric',
                    'full_throttle': [[0, 9], [1, 0]],
                    'zero_throttle': [[0, 0], [1, 0]],
                    'torque_constant_nmpa': 1.0,
                    'resistance_ohm': 0.1,
                }
            ),
            r'powertrains\.own: an electric motor requires a battery.*key battery',
        ),
        (
            {'differential_locks': ['lock_fron']},
            r'differential_locks\.0 .*no such equality constraint in hmmwv\.xml; allowed: .*lock_front',
        ),
        ({'wheelz': 3}, 'wheelz = 3: unknown key; allowed: wheels, springs'),
    ],
)
def test_invalid_file_is_refused_with_its_key(
    make_car: Callable[..., Vehicle], changed: dict[str, Any], message: str
) -> None:
    with pytest.raises((VehicleModelError, InputError), match=message):
        make_car(**changed)


@pytest.mark.parametrize(
    ('key', 'at', 'changed', 'message'),
    [
        (
            'springs',
            0,
            {'stops_m': [0.3, 0.15]},
            r'springs\.0\.stops_m = \[0\.3, 0\.15\]: does not ascend; allowed: a shorter and a longer',
        ),
        (
            'springs',
            1,
            {'force': [[0.1, 5.0], [0.2, 6.0]]},
            r'force\.0 = \[0\.1, 5\.0\]: is not the origin; allowed: \[0, 0\]',
        ),
        ('dampers', 0, {'range_m': [0.4, 0.3]}, r'dampers\.0\.range_m = \[0\.4, 0\.3\]: does not ascend; allowed: '),
        ('wheels', 1, {'name': 'front_left'}, "wheels.1.name = 'front_left': is already used by wheels.0.name"),
        (
            'dampers',
            1,
            {'actuator': 'spring_front_left'},
            "dampers.1.actuator = 'spring_front_left': is already used by springs.0.actuator",
        ),
    ],
)
def test_invalid_part_is_refused(
    make_car: Callable[..., Vehicle], key: str, at: int, changed: dict[str, Any], message: str
) -> None:
    config, _ = load_vehicle_model('hmmwv')
    assert config.running_gear is not None
    parts = [dict(part) for part in config.running_gear.parameters[key]]
    parts[at].update(changed)
    with pytest.raises(InputError, match=message):
        make_car(**{key: parts})


def test_car_without_driven_wheels_is_refused(make_car: Callable[..., Vehicle]) -> None:
    config, _ = load_vehicle_model('hmmwv')
    assert config.running_gear is not None
    wheels = [{**wheel, 'drive_ratio': 0.0} for wheel in config.running_gear.parameters['wheels']]
    with pytest.raises(
        InputError, match=r'wheels\.0\.drive_ratio = 0: no wheel is driven; allowed: above 0 for at least one wheel'
    ):
        make_car(wheels=wheels)


def test_unknown_tire_is_refused(make_car: Callable[..., Vehicle]) -> None:
    config, _ = load_vehicle_model('hmmwv')
    assert config.running_gear is not None
    wheels = [dict(wheel) for wheel in config.running_gear.parameters['wheels']]
    wheels[1]['tire'] = 'hmmwv_fialla'
    with pytest.raises(VehicleModelError, match=r'wheels\.1\.tire .*did you mean hmmwv_fiala'):
        make_car(wheels=wheels)


@pytest.mark.parametrize('speed', [6.0, -2.0])
def test_initial_speed_rolls_without_slip(make_car: Callable[..., Vehicle], speed: float) -> None:
    """All wheels turn at v / R and the shafts with them; the car moves along its heading."""
    car = make_car()
    car.place(0.0, 0.0, 0.5)
    car.set_rolling_speed(speed)
    assert isinstance(car.gear, Car)
    assert car.data.qvel[car.gear.dofs] == pytest.approx(speed / car.gear.radius)
    assert car.body_state().linear_velocity[:2] == pytest.approx(
        [speed * np.cos(0.5), speed * np.sin(0.5)], abs=0.02 * abs(speed)
    )
    shafts = [abs(float(car.data.joint(name).qvel[0])) for name in ('driveshaft', 'front_shaft', 'rear_shaft')]
    assert min(shafts) > 2.0 * abs(speed) / 0.465
