# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a vehicle on soil: equilibrium, motors, and exact restoring of earlier states."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from regolith_terrain.contact import Wrench
from regolith_terrain.scm import body_wrench
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.dynamics.kinematics import wheel_commands

CYCLE_NS = 20_000_000
Maker = Callable[..., Vehicle]


def _drive(vehicle: Vehicle, cycles: int, linear: float = 0.3, angular: float = 0.0, dt_ns: int = CYCLE_NS) -> None:
    speeds, angles = wheel_commands(vehicle.body.layout, linear, angular)
    for _ in range(cycles):
        vehicle.grid.apply(vehicle.evolve(dt_ns, speeds, angles))
        vehicle.commit()


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_soil_supports_the_settled_weight(make_vehicle: Maker, model: str) -> None:
    """After 3 s at rest the soil supports the weight; 1e-3 of it is due to the remaining motion.

    Along the ground the rover may still oscillate on the soil by a few mm/s.
    """
    vehicle = make_vehicle(model)
    vehicle.place(0.0, 0.0, 0.3)
    _drive(vehicle, 150, 0.0)
    states = vehicle.wheel_states()
    assert sum(s.normal_load for s in states) == pytest.approx(434.92 * 1.62, rel=1e-3)
    velocity = vehicle.body_state().linear_velocity
    assert abs(velocity[2]) < 1e-3 and np.abs(velocity[:2]).max() < 5e-3
    assert all(0.0 < s.sinkage_total < 0.03 and s.slip_ratio == 0.0 and s.contact_nodes > 0 for s in states)


def test_compiled_loop_equals_python_loop(make_vehicle: Maker) -> None:
    """The loop that calls C functions of MuJoCo is bit-identical to the same steps in Python."""
    vehicle, twin = make_vehicle(), make_vehicle()
    for v in (vehicle, twin):
        v.place(0.0, 0.0, 0.0)
        _drive(v, 15, 0.3, 0.1)
    speeds, angles = wheel_commands(vehicle.body.layout, 0.3, 0.1)
    records = vehicle.evolve(CYCLE_NS, speeds, angles)

    body, model, data = twin.body, twin._model, twin._data
    window = twin.step.soil_window(4, 0.02)
    contact = twin.contact.arrays(window, 4)
    begin, end = (twin.gear.motors.controls(c) for c in twin.gear.motors.ramp(speeds, angles, 0.02))
    step = 20_000_000 * 1e-9 / 20
    model.opt.timestep = step
    for k in range(20):
        data.ctrl[twin.gear.motors.actuators] = begin + (end - begin) * ((k + 1) / 20)
        mujoco.mj_step1(model, data)
        for w in range(4):
            b = body.wheel_body[w]
            velocity = data.cvel[b, 3:] + np.cross(data.cvel[b, :3], data.xpos[b] - data.subtree_com[body.base])
            rotation = data.xmat[b].reshape(3, 3) @ twin._parts.frame[w]
            status = body_wrench(
                contact.ground,
                contact.soils,
                contact.rules,
                contact.mode,
                step,
                contact.shapes,
                w,
                data.xpos[b],
                rotation,
                velocity,
                data.cvel[b, :3],
                contact.shear[w],
                contact.scratch,
                Wrench(twin.step.wrenches.force[w], twin.step.wrenches.torque[w], twin.step.wrenches.stats[w]),
            )
            assert status == 0
            data.xfrc_applied[b, :3] = twin.step.wrenches.force[w]
            lever = np.cross(data.xpos[b] - data.xipos[b], twin.step.wrenches.force[w])
            data.xfrc_applied[b, 3:] = twin.step.wrenches.torque[w] + lever
        mujoco.mj_step2(model, data)
    assert data.qpos.tobytes() == vehicle._data.qpos.tobytes()
    assert data.qvel.tobytes() == vehicle._data.qvel.tobytes()
    assert window.changed().equals(records)


def test_discard_restores_bit_identical_state(make_vehicle: Maker) -> None:
    """A discarded cycle leaves no trace, neither in the state nor in the following cycles."""
    vehicle, twin = make_vehicle(), make_vehicle()
    for v in (vehicle, twin):
        v.place(0.0, 0.0, 0.0)
        _drive(v, 20, 0.3, 0.1)
    before = vehicle.state()
    vehicle.apply_impulse((0.5, 0.2, 0.4), (20.0, -50.0, 10.0))
    vehicle.evolve(13_700_001, np.full(4, 2.0), np.full(4, 0.2))
    assert vehicle.state() != before
    vehicle.discard()
    assert vehicle.state() == before
    _drive(vehicle, 20, 0.25, -0.05)
    _drive(twin, 20, 0.25, -0.05)
    assert vehicle.state() == twin.state()
    assert vehicle.grid.soil_hash() == twin.grid.soil_hash()


@pytest.mark.parametrize('mode', ['regolith', 'reference'])
def test_restore_continues_bit_identical(make_vehicle: Maker, mode: str) -> None:
    """From a saved state and ground a new vehicle ends in the same state as the first one."""
    first = make_vehicle(mode=mode)
    first.place(0.0, 0.0, 0.0)
    _drive(first, 25, 0.3, 0.1)
    state, ground = first.state(), first.grid.save()
    _drive(first, 25, 0.2, -0.1)

    second = make_vehicle(mode=mode)
    second.grid.load(ground)
    second.restore(state)
    _drive(second, 25, 0.2, -0.1)
    assert second.state() == first.state()
    assert second.grid.soil_hash() == first.grid.soil_hash()
    assert second.wheel_states()[0].slip_ratio == first.wheel_states()[0].slip_ratio


_IN_A_PROCESS = """
import hashlib, sys
import numpy as np
from regolith_terrain.config import load_soil
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_vehicles.agent.vehicle import Vehicle
config, mjcf = load_vehicle_model('viper')
vehicle = Vehicle('rover', config, mjcf, SoilGrid(FlatField(), 0.02), load_soil('chrono_lunar'), 1.62)
state, ground = (bytes.fromhex(line) for line in sys.stdin.read().split())
vehicle.grid.load(ground)
vehicle.restore(state)
speeds, angles = wheel_commands(vehicle.body.layout, 0.2, -0.1)
for _ in range(25):
    vehicle.grid.apply(vehicle.evolve(20_000_000, speeds, angles))
    vehicle.commit()
print(hashlib.sha256(vehicle.state()).hexdigest(), vehicle.grid.soil_hash())
"""


@pytest.mark.slow
def test_another_process_continues_bit_identical(make_vehicle: Maker) -> None:
    """A checkpoint continued by a new process ends in the same state."""
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    _drive(vehicle, 25, 0.3, 0.1)
    lines = vehicle.state().hex() + '\n' + vehicle.grid.save().hex()
    _drive(vehicle, 25, 0.2, -0.1)
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, '-c', _IN_A_PROCESS], input=lines, capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == [hashlib.sha256(vehicle.state()).hexdigest(), vehicle.grid.soil_hash()]


def test_foreign_state_is_refused(make_vehicle: Maker) -> None:
    """The state of another model is refused."""
    with pytest.raises(ValueError, match=r"saved state of a vehicle of this model .*'sizes': .*; allowed: "):
        make_vehicle('viper').restore(make_vehicle('viper_locked').state())


def test_motors_hold_commanded_speed(make_vehicle: Maker) -> None:
    """In motion the mean wheel speed equals the commanded one: the controller compensates the droop under load.

    1 % is the rest of 300 N m / 500 N m s of servo range after fifteen time constants, with a load that still changes.
    """
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    _drive(vehicle, 100, 0.2)
    speeds = [s.angular_speed for s in vehicle.wheel_states()]
    assert speeds == pytest.approx([0.8] * 4, rel=0.01)


def test_commands_respect_the_limits(make_vehicle: Maker) -> None:
    """Acceleration, speed and steering rate of one cycle are those of the configuration."""
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    begin, end = vehicle.gear.motors.ramp(np.full(4, 100.0), np.full(4, 1.0), 0.02)
    assert np.allclose(end - begin, [2.0 * 0.02] * 4 + [np.radians(30.0) * 0.02] * 4, rtol=1e-12)
    _, end = vehicle.gear.motors.ramp(np.full(4, 100.0), np.full(4, 1.0), 100.0)
    assert np.allclose(end, [3.14159265] * 4 + [np.radians(30.0)] * 4, rtol=1e-9)


def test_rear_wheels_sink_less_into_ruts(make_vehicle: Maker) -> None:
    """In the ruts of the front wheels the rear wheels dig less than the front ones did.

    Before that, and always at the front, incremental and total sinkage agree: there is no rut ahead.
    """
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    _drive(vehicle, 20, 0.5)
    for s in vehicle.wheel_states():
        assert s.sinkage_incremental == pytest.approx(s.sinkage_total, abs=1e-12)
    _drive(vehicle, 200, 0.5)
    front, _, rear, _ = vehicle.wheel_states()
    assert front.sinkage_incremental == pytest.approx(front.sinkage_total, abs=1e-12)
    assert rear.sinkage_total > front.sinkage_total
    assert 0.0 < rear.sinkage_incremental < 0.7 * front.sinkage_total


def test_hard_soil_and_light_wheels_are_stable(make_vehicle: Maker) -> None:
    """The sprung vehicle on the stiffest reference soil (E = 4e8 Pa/m) drives at 1 ms without chatter."""
    vehicle = make_vehicle(soil='chrono_lete')
    vehicle.place(0.0, 0.0, 0.0)
    _drive(vehicle, 100, 0.3)
    loads = []
    for _ in range(50):
        _drive(vehicle, 1, 0.3)
        loads.append(sum(s.normal_load for s in vehicle.wheel_states()))
    # Driving over 2 cm nodes makes the load ripple; a chattering wheel would leave the ground between steps.
    assert np.mean(loads) == pytest.approx(434.92 * 1.62, rel=0.1)
    assert abs(vehicle.body_state().linear_velocity[2]) < 0.02
