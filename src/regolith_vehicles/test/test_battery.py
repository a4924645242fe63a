# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of batteries, alone and in a rover: discharge, charge and heat."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import PlaneField
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.car import Car
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.powertrain.battery import (
    CURRENT,
    DRAWN,
    RETURNED,
    STORED,
    VOLTAGE,
    battery_summary,
    draw,
    full_charge,
    make_battery,
    max_power,
)
from regolith_vehicles.powertrain.columns import ENGINE_SPEED, ENGINE_TORQUE
from regolith_vehicles.powertrain.config import BatteryConfig, WheelMotorConfig
from regolith_vehicles.powertrain.electric import wheel_motor, wheels_power
from regolith_vehicles.wheels import Wheels

CONFIG = BatteryConfig(energy_wh=10.0, voltage_v=(20.0, 28.0), resistance_ohm=0.1, standby_w=5.0)


def test_battery_supplies_its_energy_minus_resistive_losses() -> None:
    battery, charge = make_battery(CONFIG), full_charge(CONFIG)
    assert (charge[STORED], charge[VOLTAGE]) == (36_000.0, 28.0)
    draw(battery, charge, 95.0, 1.0)
    current = charge[CURRENT]
    assert 28.0 * current - 0.1 * current**2 == pytest.approx(
        100.0, rel=1e-12
    )  # V i - R i^2 = P, standby power included.
    assert charge[VOLTAGE] == pytest.approx(28.0 - 0.1 * current)
    assert charge[DRAWN] == pytest.approx(100.0) and charge[STORED] == pytest.approx(36_000.0 - 28.0 * current)
    # Until it is empty: energy drawn and heat; half of either at the mean voltage.
    heat, middle = 0.1 * current**2, 0.0
    while charge[STORED] > 0.0:
        before = charge[STORED]
        draw(battery, charge, 95.0, 1.0)
        heat += 0.1 * charge[CURRENT] ** 2
        middle = charge[VOLTAGE] if before > 18_000.0 else middle
    assert charge[DRAWN] + heat == pytest.approx(36_000.0, rel=5e-3)  # The last second ends midway.
    assert middle == pytest.approx(24.0 - 0.1 * 100.0 / 23.6, abs=0.02)
    assert max_power(battery, charge) == 0.0
    kept = charge.copy()
    draw(battery, charge, 50.0, 1.0)
    assert (charge[STORED], charge[CURRENT]) == (0.0, 0.0) and charge[DRAWN] == kept[DRAWN]


def test_battery_charges_until_full() -> None:
    config = CONFIG.model_copy(update={'initial_state_of_charge': 0.999, 'standby_w': 0.0})
    battery, charge = make_battery(config), full_charge(config)
    for _ in range(10):
        draw(battery, charge, -20.0, 1.0)
    assert charge[STORED] == 36_000.0 and charge[RETURNED] == pytest.approx(40.0, abs=20.0) and charge[DRAWN] == 0.0
    assert charge[CURRENT] == 0.0


def test_battery_power_is_limited() -> None:
    battery, charge = make_battery(CONFIG), full_charge(CONFIG)
    most = max_power(battery, charge)
    assert most == pytest.approx(28.0**2 / 0.4 - 5.0)
    draw(battery, charge, most, 1e-3)
    assert charge[VOLTAGE] == pytest.approx(14.0, rel=1e-5)  # Half of it is lost inside.


def test_wheel_motors_draw_work_and_losses() -> None:
    config = WheelMotorConfig(gear_ratio=100.0, torque_constant_nmpa=0.05, resistance_ohm=0.4, gear_efficiency=0.8)
    motor = wheel_motor(config)
    # 20 N m at 2 rad/s: 40 W over 0.8, and 20 / (100 x 0.05 x 0.8) = 5 A: 10 W.
    assert wheels_power(motor, np.array([20.0]), np.array([2.0])) == pytest.approx(50.0 + 10.0)
    # When the wheel drives the motor, it returns what gears and heat leave: to another wheel, to the battery, or
    # nowhere.
    assert wheels_power(motor, np.array([-20.0, 20.0]), np.array([2.0, 2.0])) == pytest.approx(-32.0 + 10.0 + 60.0)
    assert wheels_power(motor, np.array([-20.0]), np.array([2.0])) == 0.0
    back = wheel_motor(config.model_copy(update={'regenerates': True}))
    assert wheels_power(back, np.array([-20.0]), np.array([2.0])) == pytest.approx(-32.0 + 10.0)
    assert wheels_power(wheel_motor(None), np.array([20.0, -3.0]), np.array([2.0, 1.0])) == pytest.approx(37.0)


@pytest.mark.parametrize(
    ('changed', 'message'),
    [
        (
            {'voltage_v': (28.0, 20.0)},
            'voltage_v = [28.0, 20.0]: decreases with charge; allowed: an empty and a full voltage, ascending',
        ),
        (
            {'standby_w': 2000.0},
            'standby_w = 2000.0: exceeds the battery power; allowed: below V^2 / 4 R of empty cells, 1000 W',
        ),
        ({'initial_state_of_charge': 0.0}, 'greater than 0'),
        ({'energy_wh': -1.0}, 'greater than 0'),
    ],
)
def test_invalid_battery_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        BatteryConfig.model_validate({**CONFIG.model_dump(), **changed})


CYCLE_NS = 20_000_000


def made(name: str, battery: dict[str, Any], field: Any = None, gravity: float = 1.62, **gear: Any) -> Vehicle:
    """Return a vehicle with a battery on firm ground."""
    config, mjcf = load_vehicle_model(name)
    changed: dict[str, Any] = {'battery': BatteryConfig.model_validate(battery)}
    if gear:
        assert config.running_gear is not None
        own = {**config.running_gear.parameters, **gear}
        changed['running_gear'] = config.running_gear.model_copy(update={'parameters': own})
    grid = SoilGrid(field if field is not None else FlatField(), 1.0, RIGID_TERRAIN_MODEL)
    vehicle = Vehicle(name, config.model_copy(update=changed), mjcf, grid, RigidTerrainConfig(friction=0.8), gravity)
    vehicle.place(0.0, 0.0, 0.0)
    return vehicle


def go(vehicle: Vehicle, command: DriveCommand, cycles: int) -> None:
    for _ in range(cycles):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(command)))
        vehicle.commit()


SMALL = {'energy_wh': 1.0, 'voltage_v': [24.0, 28.0], 'resistance_ohm': 0.1}


def test_rover_uphill_draws_its_potential_energy_from_the_battery() -> None:
    rover = made('viper', {**SMALL, 'energy_wh': 100.0}, PlaneField(np.tan(np.radians(10.0))))
    charge = rover.gear.charge
    assert charge[STORED] == 360_000.0  # Placement draws no energy.
    go(rover, DriveCommand(0.2), 150)
    before, height = charge.copy(), rover.body_state().position[2]
    go(rover, DriveCommand(0.2), 150)
    work = rover.body.mass * 1.62 * (rover.body_state().position[2] - height)
    assert work > 50.0
    # Without losses in motors and gears; wheels that do not sink in hardly slip.
    assert charge[DRAWN] - before[DRAWN] == pytest.approx(work, rel=0.05)
    assert rover.gear.config.battery is not None
    assert battery_summary(rover.gear.config.battery, charge)['state_of_charge'] == pytest.approx(
        charge[STORED] / 360_000.0
    )
    # The charge is part of the state.
    kept = rover.state()
    go(rover, DriveCommand(0.2), 5)
    after = rover.state()
    rover.restore(kept)
    go(rover, DriveCommand(0.2), 5)
    assert rover.state() == after


def test_rover_with_empty_battery_stops() -> None:
    rover = made('viper', {**SMALL, 'energy_wh': 0.01, 'standby_w': 30.0})
    go(rover, DriveCommand(0.2), 25)
    assert rover.body_state().linear_velocity[0] > 0.1
    go(rover, DriveCommand(0.2), 100)
    assert (
        rover.gear.is_empty
        and rover.gear.charge[STORED] == 0.0
        and np.abs(rover.body_state().linear_velocity).max() < 1e-3
    )


@pytest.mark.seconds
def test_electric_truck_draws_power_from_its_battery() -> None:
    """The energy drawn equals the kinetic energy of the truck, except for heat and tire losses, at one gear ratio."""
    electric = {
        'engine': {
            'type': 'electric',
            'full_throttle': [[0.0, 400.0], [400.0, 400.0], [800.0, 200.0], [1000.0, 0.0]],
            'zero_throttle': [[0.0, 0.0], [50.0, -40.0], [1000.0, -40.0]],
            'torque_constant_nmpa': 1.0,
            'resistance_ohm': 0.05,
            'converter_efficiency': 1.0,
        },
        'gearbox': {'gears': [0.25], 'reverse': -0.25, 'upshift_rpm': [], 'downshift_rpm': 100.0},
    }
    truck = made(
        'hmmwv',
        {'energy_wh': 5000.0, 'voltage_v': [380.0, 400.0], 'resistance_ohm': 0.1},
        gravity=9.81,
        powertrains={'electric': electric},
        powertrain='electric',
    )
    assert isinstance(truck.gear, Car)
    charge, state = truck.gear.charge, truck.gear.state

    def pedals(throttle: float, cycles: int) -> tuple[float, float]:
        """Drive the truck; return the work of the motor and the heat of its windings [J]."""
        work = heat = 0.0
        for _ in range(cycles):
            truck.evolve(CYCLE_NS, np.array([0.0, throttle, 0.0]))
            truck.commit()
            work += 0.02 * state[ENGINE_TORQUE] * state[ENGINE_SPEED]
            heat += 0.02 * 0.05 * state[ENGINE_TORQUE] ** 2
        return work, heat

    work, heat = pedals(0.3, 150)
    moving = 0.5 * truck.body.mass * truck.body_state().linear_velocity[0] ** 2
    # Torque and speed are those at the ends of cycles. The wheels slip and the tires roll with losses.
    assert charge[DRAWN] == pytest.approx(work + heat, rel=0.02) and charge[RETURNED] == 0.0
    assert 0.7 * work < moving < 0.85 * work
    # Without throttle the motor generates, less the heat of its windings.
    drawn = charge[DRAWN]
    work, heat = pedals(0.0, 50)
    lost = moving - 0.5 * truck.body.mass * truck.body_state().linear_velocity[0] ** 2
    assert charge[RETURNED] == pytest.approx(-work - heat, rel=0.05) and 0.2 * lost < -work < lost
    assert charge[CURRENT] < 0.0 and charge[DRAWN] - drawn < 0.02 * drawn  # One cycle in which the throttle closes.


@pytest.mark.ros
@pytest.mark.seconds
def test_battery_state_is_published() -> None:
    pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from sensor_msgs.msg import BatteryState

    from regolith_vehicles.ros.battery_topic import BatteryTopic
    from regolith_world.ros import qos

    context = Context()
    rclpy.init(context=context, domain_id=88)
    node = Node('agent', namespace='rover', context=context)
    heard: list[BatteryState] = []
    node.create_subscription(BatteryState, 'battery_state', heard.append, qos.STATE)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    topic, charge = BatteryTopic(node, CONFIG), full_charge(CONFIG)
    draw(make_battery(CONFIG), charge, 95.0, 60.0)

    class Seen:
        def __init__(self, t_ns: int) -> None:
            self.t_ns, self.charge = t_ns, charge

    for k in range(400):
        topic.publish(Seen(5_000_000_000 + k * CYCLE_NS))  # type: ignore[arg-type]
        executor.spin_once(0.02)
        if len(heard) == 2:
            break
    first, second = heard
    assert second.header.stamp.sec == first.header.stamp.sec + 1 and second.header.stamp.nanosec == 0
    assert first.percentage == pytest.approx(charge[STORED] / 36_000.0, rel=1e-6) and first.present
    assert first.capacity == pytest.approx(10.0 / 24.0) and first.charge == pytest.approx(
        first.percentage * first.capacity
    )
    assert first.current == pytest.approx(-charge[CURRENT]) and first.voltage == pytest.approx(charge[VOLTAGE])
    assert first.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    node.destroy_node()
    context.try_shutdown()


@pytest.mark.parametrize(('speed', 'power'), [(0.5, 30.0), (-0.5, 0.0)])
def test_back_driven_joints_do_not_charge_the_battery(
    monkeypatch: pytest.MonkeyPatch, speed: float, power: float
) -> None:
    """A joint actuator draws the power it outputs and returns none while braking."""
    gear = SimpleNamespace(
        _battery=object(),
        charge=None,
        _motor=None,
        _others=np.array([1, 2]),
        faults=None,
        body=SimpleNamespace(wheel_dof=np.array([0])),
    )
    data = SimpleNamespace(
        qfrc_actuator=np.zeros(1),
        actuator_force=np.array([7.0, 60.0, -60.0]),
        actuator_velocity=np.array([9.0, speed, 0.0]),
    )
    taken: list[float] = []
    monkeypatch.setattr('regolith_vehicles.wheels.wheels_power', lambda *_: 0.0)
    monkeypatch.setattr('regolith_vehicles.wheels.draw', lambda battery, charge, power, s: taken.append(power))
    Wheels._take_power(gear, data, np.zeros(1), 0.02)  # type: ignore[arg-type]
    assert taken == [pytest.approx(power)]


@pytest.mark.parametrize(
    ('percentage', 'current', 'status'),
    [
        (1.0, -0.5, 'FULL'),
        (1.0, -5.0, 'DISCHARGING'),
        (0.9995, 5.0, 'CHARGING'),
        (0.9, 0.5, 'CHARGING'),
        (0.9, -0.5, 'DISCHARGING'),
        (0.9, 0.0, 'NOT_CHARGING'),
    ],
)
def test_supply_status_of_a_battery_of_100_ampere_hours(percentage: float, current: float, status: str) -> None:
    """A full battery that supplies motors is not full for long: it discharges."""
    battery_state = pytest.importorskip('sensor_msgs.msg').BatteryState
    from regolith_vehicles.ros.battery_topic import supply_status

    assert supply_status(percentage, current, 100.0) == getattr(battery_state, f'POWER_SUPPLY_STATUS_{status}')
