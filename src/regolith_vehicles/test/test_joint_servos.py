# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of joint servos and payloads of the digger."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField, PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.visuals.urdf import robot_description

CYCLE_NS = 20_000_000
MOON = 1.62
Maker = Callable[..., Vehicle]


@pytest.fixture
def make_digger() -> Maker:
    """Return a function that places the digger on nominal lunar soil with a slope along its heading [deg]."""

    def make(slope_deg: float = 0.0) -> Vehicle:
        config, mjcf = load_vehicle_model('rassor')
        field = PlaneField(math.tan(math.radians(slope_deg))) if slope_deg else FlatField()
        vehicle = Vehicle('digger', config, mjcf, SoilGrid(field, 0.02), load_soil('lunar_nominal'), MOON)
        vehicle.place(0.0, 0.0, 0.0)
        return vehicle

    return make


def _run(vehicle: Vehicle, seconds: float, linear: float = 0.0, angular: float = 0.0, **joints: float) -> None:
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand(linear, angular, joints))))
        vehicle.commit()


def _joint(vehicle: Vehicle, name: str) -> tuple[float, float]:
    names, positions, velocities = vehicle.joint_states()
    k = names.index(name)
    return float(positions[k]), float(velocities[k])


def _loads(vehicle: Vehicle) -> np.ndarray:
    return np.array([wheel.force[2] for wheel in vehicle.wheel_states()])


def test_arms_reach_their_angles_at_their_rate_and_hold_them(make_digger: Maker) -> None:
    """0.5 deg covers the servo droop under a drum (14 N m of 4000 N m/rad are 0.2); targets hold without commands."""
    vehicle = make_digger()
    _run(vehicle, 0.5, arm_front=0.6, arm_rear=-0.2)
    commanded = vehicle.gear.servos.command  # type: ignore[attr-defined]
    assert commanded[:2] == pytest.approx([0.35 * 0.5, -0.35 * 0.5])
    _run(vehicle, 2.5)
    assert _joint(vehicle, 'arm_front')[0] == pytest.approx(0.6, abs=math.radians(0.5))
    assert _joint(vehicle, 'arm_rear')[0] == pytest.approx(-0.2, abs=math.radians(0.5))
    _run(vehicle, 0.02, arm_front=9.0)
    assert vehicle.gear.servos.ramp(vehicle.gear.servos.goal, 60.0)[1][0] == 0.79  # type: ignore[attr-defined]


def test_drums_rotate_oppositely_until_commands_stop(make_digger: Maker) -> None:
    """Equal targets turn the drums in opposite directions in the world; unlike arms, drums stop when targets cease."""
    vehicle = make_digger()
    _run(vehicle, 1.5, drum_front=2.0, drum_rear=2.0)
    data, model = vehicle._data, vehicle._model
    spins = [float(data.cvel[model.body(f'drum_{end}').id, 1]) for end in ('front', 'rear')]
    assert spins == pytest.approx([2.0, -2.0], rel=0.01)
    _run(vehicle, 1.5)
    assert abs(_joint(vehicle, 'drum_front')[1]) < 1e-3 and abs(_joint(vehicle, 'drum_rear')[1]) < 1e-3


def test_payload_of_a_drum_loads_the_wheels(make_digger: Maker) -> None:
    """30 kg at lever x change the loads as on a beam: m g in total, its moment about the axles in the difference."""
    vehicle = make_digger()
    _run(vehicle, 1.0)
    before = _loads(vehicle)
    assert before.sum() == pytest.approx(66.0 * MOON, rel=1e-4)
    vehicle.set_payload('drum_front', 30.0, (0.6, 0.6, 0.6))
    assert vehicle.body.mass == pytest.approx(96.0) and vehicle.body_state().mass == pytest.approx(96.0)
    _run(vehicle, 3.0)
    more = _loads(vehicle) - before
    assert more.sum() == pytest.approx(30.0 * MOON, rel=1e-3)
    base, drum = (vehicle._data.xpos[vehicle._model.body(name).id, 0] for name in ('base_link', 'drum_front'))
    # The wheels are 0.58 m apart; the soil pressure under a loaded wheel moves forward or back by some millimeters.
    lever = (more[:2].sum() - more[2:].sum()) * 0.29 / (30.0 * MOON)
    assert lever == pytest.approx(drum - base, rel=0.03)


def test_the_payload_is_part_of_the_state(make_digger: Maker) -> None:
    """A discarded payload is gone; after a restore all states are bit-identical; placement empties the drums."""
    vehicle = make_digger()
    empty = vehicle.state()
    vehicle.set_payload('drum_rear', 20.0, (0.4, 0.4, 0.4))
    assert vehicle.state() != empty
    vehicle.discard()
    assert vehicle.state() == empty and vehicle.body.mass == pytest.approx(66.0)
    vehicle.set_payload('drum_rear', 20.0, (0.4, 0.4, 0.4))
    vehicle.set_payload('drum_front', 7.0, (0.1, 0.1, 0.1))
    _run(vehicle, 0.3, 0.1, arm_front=0.5, drum_rear=1.0)
    state, ground = vehicle.state(), vehicle.grid.save()
    _run(vehicle, 0.3, 0.1, drum_rear=1.0)
    other = make_digger()
    other.grid.load(ground)
    other.restore(state)
    constants = [other._model.body_subtreemass, other._model.dof_invweight0, other._model.dof_M0]
    assert all(
        np.array_equal(a, b)
        for a, b in zip(
            constants,
            [vehicle._model.body_subtreemass, vehicle._model.dof_invweight0, vehicle._model.dof_M0],
            strict=True,
        )
    )
    _run(other, 0.3, 0.1, drum_rear=1.0)
    assert other.state() == vehicle.state()
    other.place_at((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
    assert other.body.mass == pytest.approx(66.0)


def test_payload_inertia_affects_the_motion(make_digger: Maker) -> None:
    """In free fall a torque accelerates a loaded drum by I / (I + I_p) of what it accelerates an empty one."""
    speeds = []
    for moment in (0.0, 0.5):
        vehicle = make_digger()
        vehicle.place_at((0.0, 0.0, 50.0), (0.0, 0.0, 0.0, 1.0))
        if moment:
            vehicle.set_payload('drum_front', 20.0, (moment, moment, moment))
        model, data = vehicle._model, vehicle._data
        dof = model.joint('drum_front').dofadr[0]
        model.actuator_gainprm[:, 0] = model.actuator_biasprm[:, 1] = model.actuator_biasprm[:, 2] = 0.0
        mujoco.mj_forward(model, data)
        data.qvel[:] = 0.0
        data.qfrc_applied[dof] = 1.0
        mujoco.mj_step1(model, data)
        mujoco.mj_step2(model, data)
        speeds.append(float(data.qvel[dof] - data.qvel[model.joint('arm_front').dofadr[0]]))
    # Drum 0.20 kg m^2 and motor 0.2 behind its gear; body and arm yield a little.
    assert speeds[1] / speeds[0] == pytest.approx(0.4 / 0.9, rel=0.1)


@pytest.mark.parametrize(
    ('name', 'mass', 'inertia', 'words'),
    [
        ('drum', 1.0, (0.0, 0.0, 0.0), 'drum_front, drum_rear'),
        ('drum_rear', 41.0, (0.1, 0.1, 0.1), 'capacity_kg'),
        ('drum_rear', -1.0, (0.0, 0.0, 0.0), 'greater than or equal to 0'),
        ('drum_rear', float('nan'), (0.0, 0.0, 0.0), 'finite|capacity'),
        ('drum_rear', 1.0, (0.1, 0.1, 0.3), 'sum of the other'),
    ],
)
def test_invalid_payload_is_refused(
    make_digger: Maker, name: str, mass: float, inertia: tuple[float, ...], words: str
) -> None:
    """An impossible payload is refused, and the state stays unchanged."""
    vehicle = make_digger()
    before = vehicle.state()
    with pytest.raises(ValueError, match=words):
        vehicle.set_payload(name, mass, inertia)
    assert vehicle.state() == before


def test_unknown_joints_are_refused_and_urdf_has_joint_limits(make_digger: Maker) -> None:
    """A driver of another package that names an unknown joint gets an error with the existing ones."""
    vehicle = make_digger()
    assert vehicle.gear.joints == ('arm_front', 'arm_rear', 'drum_front', 'drum_rear')
    with pytest.raises(VehicleError, match=r'bucket.*arm_front, arm_rear, drum_front, drum_rear'):
        vehicle.gear.targets(DriveCommand(0.0, 0.0, {'bucket': 1.0}))
    urdf = robot_description(vehicle.config, vehicle.body, 'digger')
    assert 'velocity="0.35" lower="-1.08210414"' in urdf and 'effort="60" velocity="3"' in urdf


def test_digger_stands_on_slope_drives_and_turns_in_place(make_digger: Maker) -> None:
    """At 15 deg it does not creep, even with lowered arms; on flat ground it turns by skidding."""
    vehicle = make_digger(15.0)
    _run(vehicle, 1.5, arm_front=-0.3, arm_rear=-0.3)
    start = vehicle.body_state().position
    _run(vehicle, 1.0)
    assert np.linalg.norm(vehicle.body_state().position - start) < 1e-5
    load = np.sum([wheel.force for wheel in vehicle.wheel_states()], axis=0)
    assert load == pytest.approx([0.0, 0.0, 66.0 * MOON], abs=1e-3 * 66.0 * MOON)
    vehicle = make_digger()
    _run(vehicle, 2.0, 0.2)
    place = vehicle.body_state().position
    assert place[0] > 0.28 and abs(place[1]) < 1e-6
    _run(vehicle, 1.0)
    place = vehicle.body_state().position
    _run(vehicle, 3.0, 0.0, 0.3)
    turn = 2.0 * math.atan2(*vehicle.body_state().orientation[2:])
    assert 0.3 < turn < 0.9 and np.hypot(*(vehicle.body_state().position - place)[:2]) < 0.02
