# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of faults of vehicles on purpose (section 8 of the specification)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_terrain import FlatField, TerrainConfig
from regolith_terrain.grid import SoilGrid
from regolith_vehicles.agent.fault_use import use_faults
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.faults import KINDS, FaultConfig
from regolith_vehicles.powertrain.battery import DRAWN, STORED

CYCLE_NS = 20_000_000
SPEED = DriveCommand(0.2)


def made(*faults: dict[str, Any], model: str = 'viper', battery: bool = False) -> Vehicle:
    """Return a vehicle at rest on flat rigid ground, which needs little time."""
    config, mjcf = load_vehicle_model(model)
    if battery:
        values = {
            **config.model_dump(),
            'battery': {'energy_wh': 10.0, 'voltage_v': (24.0, 30.0), 'resistance_ohm': 0.05},
        }
        config = VehicleModelConfig.model_validate(values)
    terrain = TerrainConfig.model_validate({'source': 'flat', 'model': 'rigid'})
    grid = SoilGrid(FlatField(), 0.05, terrain.law)
    vehicle = Vehicle(
        'rover', config, mjcf, grid, terrain.soil_map(), 1.62, faults=[FaultConfig.model_validate(f) for f in faults]
    )
    vehicle.place(0.0, 0.0, 0.0)
    return vehicle


def go(vehicle: Vehicle, cycles: int, command: DriveCommand = SPEED, first: int = 0) -> list[str]:
    """Advance by some cycles, and return the kinds of the events of faults."""
    kinds = []
    for k in range(first, first + cycles):
        kinds += [event.kind for event in use_faults(vehicle, k * CYCLE_NS)]
        vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(command))
        vehicle.commit()
    return kinds


def speeds(vehicle: Vehicle) -> list[float]:
    return [wheel.angular_speed for wheel in vehicle.wheel_states()]


def test_8_stuck_wheel_holds_its_angle() -> None:
    vehicle = made({'of': 'wheel/front_left', 'kind': 'stuck', 'time_s': 0.2, 'for_s': 0.2})
    assert go(vehicle, 19) == ['fault_began']
    # MuJoCo's friction is a soft constraint: below 1e-3 of the speed of the others.
    assert abs(speeds(vehicle)[0]) < 1e-3 * speeds(vehicle)[1]
    assert go(vehicle, 30, first=19) == ['fault_ended']
    assert speeds(vehicle)[0] > 0.5 * speeds(vehicle)[1]
    assert vehicle.summary()['faults'] == [{'of': 'wheel/front_left', 'kind': 'stuck', 'began_s': 0.2, 'ended_s': 0.4}]


def test_8_free_wheel_has_no_torque_and_a_weak_one_its_limit() -> None:
    vehicle = made(
        {'of': 'wheel/front_left', 'kind': 'free', 'time_s': 0.0},
        {'of': 'wheel/rear_left', 'kind': 'weak', 'value': 0.001, 'time_s': 0.0},
    )
    limit = vehicle.step._bodies.limits.high[vehicle.body.wheel_actuator]
    go(vehicle, 5)
    forces = vehicle.data.actuator_force[vehicle.body.wheel_actuator]
    assert forces[0] == 0.0 < abs(forces[1])
    assert forces[2] == pytest.approx(0.001 * limit[2], rel=1e-12)  # at the limit, as the rover accelerates


def test_8_friction_is_the_torque_of_the_motor_in_free_fall() -> None:
    vehicle = made({'of': 'wheel/front_left', 'kind': 'friction', 'value': 2.0, 'time_s': 0.0})
    vehicle.place_above_ground(0.0, 0.0, 0.0, 10.0)
    go(vehicle, 60)
    forces = vehicle.data.qfrc_actuator[vehicle.body.wheel_dof]
    # No other load is left at constant speed; the controller has settled to 1 %.
    assert forces[0] == pytest.approx(2.0, rel=0.01)
    assert abs(forces[1]) < 0.02


def test_8_steering_offset_backlash_and_slow_rate() -> None:
    left = DriveCommand(0.2, 0.05)
    healthy = made()
    go(healthy, 60, left)
    offset = made({'of': 'steering/front_left', 'kind': 'offset', 'value': 0.1, 'time_s': 0.0})
    go(offset, 60, left)
    ctrl = [v.data.ctrl[v.body.steer_actuator[0]] for v in (healthy, offset)]
    assert ctrl[1] - ctrl[0] == pytest.approx(0.1, abs=1e-12)
    backlash = made({'of': 'steering/front_left', 'kind': 'backlash', 'value': 0.04, 'time_s': 0.0})
    go(backlash, 60, left)
    assert ctrl[0] - backlash.data.ctrl[backlash.body.steer_actuator[0]] == pytest.approx(0.02, abs=1e-12)
    go(backlash, 60, DriveCommand(0.2, -0.05), 60)  # the play is crossed: now behind on the other side
    go(healthy, 60, DriveCommand(0.2, -0.05), 60)
    difference = backlash.data.ctrl[backlash.body.steer_actuator[0]] - healthy.data.ctrl[healthy.body.steer_actuator[0]]
    assert difference == pytest.approx(0.02, abs=1e-12)
    slow = made({'of': 'wheel/front_left', 'kind': 'slow', 'value': 0.25, 'time_s': 0.0})
    go(slow, 5)
    assert slow.gear.motors.command[0] == pytest.approx(0.25 * slow.gear.motors.command[1], rel=1e-12)


def test_8_encoders_count_a_part_or_nothing() -> None:
    faulty = made(
        {'of': 'encoder/front_left', 'kind': 'frozen', 'time_s': 0.0},
        {'of': 'encoder/front_right', 'kind': 'slips', 'value': 0.25, 'time_s': 0.0},
        {'of': 'encoder/rear_left', 'kind': 'bias', 'value': 0.5, 'time_s': 0.0},
    )
    healthy = made()
    for vehicle in (faulty, healthy):
        go(vehicle, 25)
    np.testing.assert_array_equal(faulty.data.qpos, healthy.data.qpos)  # encoders do not change the motion
    row = [faulty.body.joint_qpos.tolist().index(q) for q in faulty.body.wheel_qpos]
    counted, true = (vehicle.joint_states()[1][row] for vehicle in (faulty, healthy))
    begin = made().joint_states()[1][row]
    np.testing.assert_allclose(
        counted - begin, [0.0, 0.75 * (true - begin)[1], (true - begin)[2] + 0.5 * 0.5, (true - begin)[3]], atol=1e-12
    )
    assert faulty.odometry is not None and healthy.odometry is not None
    assert faulty.odometry.x != healthy.odometry.x


def test_8_battery_loses_cells_and_feeds_a_short_circuit() -> None:
    healthy = made(battery=True)
    faulty = made(
        {'of': 'battery', 'kind': 'cell_lost', 'value': 0.5, 'time_s': 0.1},
        {'of': 'battery', 'kind': 'short', 'value': 50.0, 'time_s': 0.0, 'for_s': 0.1},
        battery=True,
    )
    for vehicle in (healthy, faulty):
        go(vehicle, 5, DriveCommand())
    # 50 W for 0.1 s at the terminals.
    assert faulty.gear.charge[DRAWN] - healthy.gear.charge[DRAWN] == pytest.approx(5.0, rel=1e-9)
    before = float(faulty.gear.charge[STORED])
    go(faulty, 1, DriveCommand(), 5)
    assert faulty.gear.charge[STORED] == pytest.approx(0.5 * before, rel=1e-5)  # less the energy of one cycle


def test_8_drum_jams_and_arm_is_stuck() -> None:
    up = DriveCommand(joints={'arm_front': 0.5, 'drum_front': 2.0})
    vehicle = made(
        {'of': 'joint/arm_front', 'kind': 'stuck', 'time_s': 0.2},
        {'of': 'joint/drum_front', 'kind': 'stuck', 'time_s': 0.2},
        model='rassor',
    )
    go(vehicle, 10, up)
    names, before, _ = vehicle.joint_states()
    go(vehicle, 40, up, 10)
    _, after, rates = vehicle.joint_states()
    arm, drum = names.index('arm_front'), names.index('drum_front')
    assert abs(after[arm] - before[arm]) < 0.02  # the servo yields a little under the weight of the arm
    assert abs(rates[drum]) < 1e-3


def test_8_condition_on_the_state_begins_a_fault() -> None:
    vehicle = made({'of': 'wheel/front_left', 'kind': 'free', 'when': {'distance_above_m': 0.05}})
    first = go(vehicle, 10)
    assert first == [] and go(vehicle, 40, first=10) == ['fault_began']
    began = vehicle.summary()['faults'][0]['began_s']
    assert 0.2 < began < 1.0


def test_8_state_and_replay_over_begin_and_end() -> None:
    faults = [
        {'of': 'wheel/front_left', 'kind': 'stuck', 'time_s': 0.1, 'for_s': 0.1},
        {'of': 'steering/front_left', 'kind': 'backlash', 'value': 0.04, 'time_s': 0.0},
        {'of': 'encoder/rear_left', 'kind': 'slips', 'value': 0.3, 'time_s': 0.05},
    ]
    left = DriveCommand(0.2, 0.05)
    vehicle, states = made(*faults), []
    for k in range(15):
        go(vehicle, 1, left, k)
        states.append(vehicle.state())
    other = made(*faults)
    for start in (2, 7, 12):  # before, within and after the first fault
        other.restore(states[start])
        for k in range(start + 1, 15):
            go(other, 1, left, k)
            assert other.state() == states[k], (start, k)
    healthy = made()
    go(healthy, 15, left)
    assert not np.array_equal(healthy.data.qpos, vehicle.data.qpos)
    # A discarded cycle takes back the begin of a fault.
    other = made(*faults)
    go(other, 5, left)
    assert use_faults(other, 5 * CYCLE_NS)
    other.discard()
    assert [event.kind for event in use_faults(other, 5 * CYCLE_NS)] == ['fault_began']


@pytest.mark.parametrize(
    ('fault', 'message'),
    [
        (
            {'of': 'wheel/front', 'kind': 'stuck', 'time_s': 0.0},
            "faults.0.of = 'wheel/front': does not exist; allowed: .*wheel/front_left",
        ),
        ({'of': 'battery', 'kind': 'short', 'value': 1.0, 'time_s': 0.0}, 'does not exist'),
        ({'of': 'wheel/front_left', 'kind': 'melted', 'time_s': 0.0}, "kind = 'melted': is unknown; allowed: stuck"),
        ({'of': 'encoder/front_left', 'kind': 'stuck', 'time_s': 0.0}, 'cannot have kind stuck; allowed: wheel'),
        ({'of': 'wheel/front_left', 'kind': 'weak', 'value': 1.5, 'time_s': 0.0}, 'allowed: 0 to 1'),
        ({'of': 'wheel/front_left', 'kind': 'free', 'value': 1.5, 'time_s': 0.0}, 'has no value'),
        (
            {'of': 'wheel/front_left', 'kind': 'free'},
            'time_s: is needed without when, and not with it; allowed: time_s or when',
        ),
        ({'of': 'wheel/front_left', 'kind': 'free', 'when': {}}, 'is one of 0 conditions'),
        (
            {'of': 'wheel/front_left', 'kind': 'free', 'when': {'slip_above': {'x': 0.5}}},
            "faults.0.when.slip_above = 'x'",
        ),
    ],
)
def test_8_invalid_fault_is_refused(fault: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(fault)


def test_8_every_kind_has_a_test() -> None:
    text = Path(__file__).read_text(encoding='utf-8')
    panels = ('dark', 'on', 'off')  # in test_vehicle_energy.py
    assert [kind for kind in KINDS if f"'kind': '{kind}'" not in text and kind not in panels] == []
