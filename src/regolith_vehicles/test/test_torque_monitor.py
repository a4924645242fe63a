# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the monitor of joint torques that alternate between their limits."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.torque_monitor import TorqueWatch

CYCLE_NS = 20_000_000


def driven(folder: Path, integrator: str) -> tuple[Vehicle, list[tuple[int, str]]]:
    """Drive a viper with two speed servos on its front left wheel for 1 s; return it and warnings with times [ns].

    Each servo alone is below the limit kv dt = 2 I of the check; together they are beyond it.
    """
    config, shipped = load_vehicle_model('viper')
    text = shipped.read_text().replace('integrator="implicitfast"', f'integrator="{integrator}"')
    name = config.wheels[0].actuator
    servo = re.search(rf'<velocity [^>]*name="{name}"[^>]*/>', text)
    assert servo is not None and 'implicitfast' in shipped.read_text()
    model = mujoco.MjModel.from_xml_path(str(shipped))
    inertia = 1.0 / float(model.dof_invweight0[model.joint(config.wheels[0].joint).dofadr[0]])
    gain = 0.95 * 2.0 * inertia / config.substep_s
    stiff = servo[0].replace('/>', f' kv="{gain:.6g}" forcerange="-100 100"/>')
    text = text.replace(servo[0], stiff + stiff.replace(f'name="{name}"', 'name="second"'))
    mjcf = folder / 'viper.xml'
    mjcf.write_text(text)
    vehicle = Vehicle(
        'rover', config, mjcf, SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL), RigidTerrainConfig(), 1.62
    )
    vehicle.place(0.0, 0.0, 0.0)
    watch, found = TorqueWatch('rover', vehicle.body.model), []
    for k in range(1, 51):
        plan = vehicle.plan(CYCLE_NS, *vehicle.gear.targets(DriveCommand()))
        vehicle.run(plan)
        vehicle.finish(plan)
        found += [(k * CYCLE_NS, each) for each in watch.notice(k * CYCLE_NS, CYCLE_NS, plan.alternation)]
        vehicle.discard() if k % 7 == 0 else vehicle.commit()
    return vehicle, found


def test_torque_that_alternates_between_its_limits_is_named_with_remedies(tmp_path: Path) -> None:
    """Once for each servo, with vehicle, joint and fraction; no warning with the implicit integrator."""
    vehicle, found = driven(tmp_path, 'Euler')
    joint = vehicle.config.wheels[0].joint
    assert len(found) == 2 and all(t_ns <= 1_000_000_000 for t_ns, _ in found)
    assert re.fullmatch(
        rf'rover: joint {joint}: the torque of actuator .* alternates between its limits in (5\d|[6-9]\d|100) % of the'
        r' substeps at 0\.\d\d s; fix: a lower kv \(or kp\), <option integrator="implicitfast"/>, or a shorter substep_s',
        found[0][1],
    )
    assert driven(tmp_path, 'implicitfast')[1] == []


def test_direction_changes_are_not_reported_as_alternation() -> None:
    """Full torque in alternating directions, twice a second, as drivers may command: no warning."""
    config, mjcf = load_vehicle_model('viper')
    vehicle = Vehicle(
        'rover', config, mjcf, SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL), RigidTerrainConfig(), 1.62
    )
    vehicle.place(0.0, 0.0, 0.0)
    watch = TorqueWatch('rover', vehicle.body.model)
    for k in range(1, 51):
        plan = vehicle.plan(CYCLE_NS, *vehicle.gear.targets(DriveCommand(0.5 if k // 12 % 2 else -0.5)))
        vehicle.run(plan)
        vehicle.finish(plan)
        vehicle.commit()
        assert watch.notice(k * CYCLE_NS, CYCLE_NS, plan.alternation) == []


def test_warning_repeats_only_after_calm() -> None:
    """Once while it lasts; again after the mean fell below a tenth; none without a cycle, as after a restore."""
    _, mjcf = load_vehicle_model('viper')
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    watch, all_of, none = TorqueWatch('rover', model), np.ones(model.nu), np.zeros(model.nu)
    one = none.copy()
    one[1] = 1.0
    assert watch.notice(0, 0, None) == []
    told = [len(watch.notice(k * CYCLE_NS, CYCLE_NS, one)) for k in range(100)]
    # 1 - exp(-t / 0.5 s) exceeds one half after ln 2 of 0.5 s, 0.347 s.
    assert sum(told) == 1 and told.index(1) == pytest.approx(0.347 / 0.02, abs=1.0)
    for _ in range(40):  # 0.8 s: the mean is exp(-1.6), 0.2.
        assert watch.notice(0, CYCLE_NS, none) == []
    assert sum(len(watch.notice(0, CYCLE_NS, one)) for _ in range(100)) == 0
    for _ in range(100):
        watch.notice(0, CYCLE_NS, none)
    assert sum(len(watch.notice(0, CYCLE_NS, all_of)) for _ in range(100)) == model.nu
