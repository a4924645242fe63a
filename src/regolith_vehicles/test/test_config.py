# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicle files and driver sections of scenarios."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

from regolith_files.problems import InputError
from regolith_terrain.contact.ground_contact import StepLimit, spring_limit
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_config import FramesConfig
from regolith_vehicles.description.model_files import VehicleModelError, known_vehicles, load_vehicle_model
from regolith_vehicles.description.payload_config import PayloadConfig
from regolith_vehicles.drivers.config import DriverConfig
from regolith_vehicles.dynamics.model_checks import check_servos, check_substep
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_vehicles.dynamics.substeps import actuator_limits


def test_built_in_vehicles_load() -> None:
    """Every vehicle of the package loads and compiles."""
    rovers = {
        'rassor',
        'rassor_scoops',
        'rocker_bogie',
        'rocker_bogie_reference',
        'viper',
        'viper_grousered',
        'viper_locked',
        'viper_solar',
    }
    assert rovers | {'ipex', 'hmmwv', 'hmmwv_flexible', 'lander', 'm113'} == set(known_vehicles())
    for name in ('viper', 'viper_locked'):
        config, mjcf = load_vehicle_model(name)
        assert compile_vehicle(config, mjcf, (0.0, 0.0, -1.62)).mass == pytest.approx(434.92, abs=1e-9)


def _write(folder: Path, change: dict[str, object]) -> Path:
    config, mjcf = load_vehicle_model('viper_locked')
    content = {**config.model_dump(mode='json'), 'mjcf': str(mjcf), **change}
    path = folder / 'own.yaml'
    path.write_text(yaml.safe_dump(content))
    return path


def test_own_vehicle_by_relative_path(tmp_path: Path) -> None:
    """A path is relative to the folder of the scenario."""
    _write(tmp_path, {'substep_s': 5e-4})
    config, _ = load_vehicle_model('own.yaml', tmp_path)
    assert config.substep_s == 5e-4


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'wheeels': 1}, ['own.yaml', 'wheeels', 'wheels']),
        ({'substep_s': -1.0}, ['own.yaml', 'substep_s', '-1.0', 'greater than 0']),
        ({'substep_s': float('nan')}, ['own.yaml', 'substep_s', 'nan']),
        ({'mjcf': 'nowhere.xml'}, ['own.yaml', 'mjcf', 'nowhere.xml']),
        ({'wheels': []}, ['own.yaml', 'wheels = []: is missing', 'running_gear']),
        ({'drive': {'max_wheel_speed_radps': 3.0}}, ['own.yaml', 'drive.max_wheel_acceleration_radps2', 'is missing']),
        ({'collision': {'shapes': [{'kind': 'cone', 'size': [1.0]}]}}, ['collision.shapes.0.kind', 'cone', 'cylinder']),
    ],
)
def test_broken_vehicle_file(tmp_path: Path, change: dict[str, object], words: list[str]) -> None:
    """The message names the problem and the allowed values."""
    with pytest.raises(InputError) as caught:
        load_vehicle_model(_write(tmp_path, change))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_unknown_vehicle_lists_known_ones(tmp_path: Path) -> None:
    """The error for a misspelled name lists the existing names."""
    with pytest.raises(
        InputError,
        match=r'vipr.*of hmmwv, hmmwv_flexible, ipex, lander, m113, rassor, rassor_scoops, rocker_bogie, .*viper, viper_grousered, viper_locked, viper_solar \(did you mean viper',
    ):
        load_vehicle_model('vipr', tmp_path)


@pytest.mark.parametrize('text', ['', '[1, 2', 'just text'])
def test_file_without_mapping_is_refused(tmp_path: Path, text: str) -> None:
    """Empty files, broken YAML and plain text are refused with the file name."""
    path = tmp_path / 'bad.yaml'
    path.write_text(text)
    with pytest.raises(InputError, match=r'bad.yaml'):
        load_vehicle_model(path)


def test_name_missing_in_mjcf(tmp_path: Path) -> None:
    """The error for a joint that the MJCF file lacks lists the existing joints."""
    config, mjcf = load_vehicle_model('viper_locked')
    wheel = config.wheels[0].model_copy(update={'joint': 'spin_fl'})
    broken = config.model_copy(update={'wheels': (wheel, *config.wheels[1:])})
    with pytest.raises(VehicleModelError, match=r'wheels.front_left.joint.*spin_fl.*spin_front_left'):
        compile_vehicle(broken, mjcf, (0.0, 0.0, -1.62))


def ground(elastic: float, damping: float) -> Callable[[float, float], StepLimit]:
    """Return the step limit of a soil with elastic unloading stiffness E and damping R."""
    return partial(spring_limit, elastic=elastic, damping=damping)


def test_substep_limit() -> None:
    """VIPER passes at 1 ms on the reference soils; the limit is the smaller of the two formulas."""
    config, _ = load_vehicle_model('viper')
    area = 4 * 3**0.5 * 0.25 * 0.30
    assert check_substep(config, 434.92, ground(2e8, 3e4), area) == pytest.approx(2.0 * (434.92 / (2e8 * area)) ** 0.5)
    assert check_substep(config, 434.92, ground(2e8, 4e5), area) == pytest.approx(434.92 / (4e5 * area))
    with pytest.raises(VehicleModelError, match=r'substep_s.*0.001.*434.9 kg.*2e\+09'):
        check_substep(config, 434.92, ground(2e9, 3e4), area)


@pytest.mark.parametrize(
    'change', [{'mass_scale': -1.0}, {'position': [0.0]}, {'heading_deg': float('nan')}, {'color': 'red'}]
)
def test_broken_entry(change: dict[str, object]) -> None:
    """Values of a vehicle entry of a scenario have bounds."""
    VehicleEntry.model_validate({'position': [0.0, 0.0]})
    with pytest.raises(ValidationError):
        VehicleEntry.model_validate({'position': [0.0, 0.0], **change})


def test_driver_is_chosen_by_type() -> None:
    """The type decides which keys a driver has."""
    adapter: TypeAdapter[DriverConfig] = TypeAdapter(DriverConfig)
    assert adapter.validate_python({'type': 'external'}).type == 'external'
    with pytest.raises(ValidationError, match='constant'):
        adapter.validate_python({'type': 'autopilot'})
    with pytest.raises(ValidationError, match='equals the previous waypoint'):
        adapter.validate_python({'type': 'path', 'waypoints': [[0, 0], [0, 0]], 'speed_mps': 1.0})


@pytest.mark.parametrize(
    ('old', 'new', 'words'),
    [
        ('integrator="implicitfast"', 'integrator="RK4"', r'changed.xml.*integrator.*RK4.*implicitfast'),
        (
            '<freejoint name="root"/>',
            '',
            r"viper_locked.yaml: chassis = 'base_link': has no free joint in changed.xml; allowed: a body with <freejoint/>",
        ),
        (
            'type="hinge" axis="0 1 0"',
            'type="slide" axis="0 1 0"',
            r'viper_locked.yaml: wheels.front_left.joint.*is not a hinge in changed.xml; allowed: a hinge',
        ),
        ('<mujoco ', '<mujocco ', r'changed.xml.*an MJCF file that MuJoCo compiles'),
    ],
)
def test_unusable_mjcf(tmp_path: Path, old: str, new: str, words: str) -> None:
    """What MuJoCo or the integrator cannot use is refused with the file that contains the key."""
    config, mjcf = load_vehicle_model('viper_locked')
    text = mjcf.read_text()
    assert old in text
    path = tmp_path / 'changed.xml'
    path.write_text(text.replace(old, new))
    with pytest.raises(VehicleModelError, match=words):
        compile_vehicle(config, path, (0.0, 0.0, -1.62))


@pytest.mark.parametrize('name', ['a b', '/odom', 'odom/', 'a\nb', ''])
def test_frame_ids_are_valid_in_tf2(name: str) -> None:
    for field in ('base', 'odom'):
        with pytest.raises(ValidationError, match=r'frame id|at least 1'):
            FramesConfig.model_validate({field: name})
    bad_prefix = name in ('a b', '/odom', 'a\nb')
    with pytest.raises(ValidationError, match='frame id') if bad_prefix else nullcontext():
        VehicleEntry.model_validate({'position': [0.0, 0.0], 'frame_prefix': name})
    assert FramesConfig.model_validate({'base': 'rover/base-link.2'}).base == 'rover/base-link.2'


@pytest.mark.parametrize(('share', 'refused'), [(0.98, False), (1.02, True)])
def test_speed_servo_too_stiff_for_the_euler_integrator_is_refused(tmp_path: Path, share: float, refused: bool) -> None:
    """The limit kv dt = 2 I, from both sides, for a wheel on a heavy hull; none with an implicit integrator.

    MuJoCo agrees on both sides: without a limit on its force the speed decays, or grows beyond its start.
    """
    inertia, step = 0.05, 1e-3
    gain = share * 2.0 * inertia / step
    mjcf = tmp_path / 'cart.xml'
    text = """<mujoco><option integrator="{}" timestep="0.001" gravity="0 0 0"><flag contact="disable"/></option>
      <worldbody><body name="base_link"><freejoint/><geom type="box" size="1 1 1" mass="1e6"/>
      <body name="w"><joint name="w" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.03 0.05 0.03"/></body></body></worldbody>
      <actuator><velocity name="w" joint="w" kv="{}"/></actuator></mujoco>"""
    mjcf.write_text(text.format('Euler', gain))
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(model)
    data.qvel[6] = 1.0
    mujoco.mj_step(model, data, 200)
    assert (abs(data.qvel[6]) > 1.0) == refused
    if not refused:
        check_servos(model, step, mjcf)
        return
    with pytest.raises(VehicleModelError, match=r'cart.xml: actuator w kv = .*at most 100, .*0.05 kg m.*implicitfast'):
        check_servos(model, step, mjcf)
    check_servos(model, 0.9 * step, mjcf)
    mjcf.write_text(text.format('implicitfast', gain))
    check_servos(mujoco.MjModel.from_xml_path(str(mjcf)), step, mjcf)


@pytest.mark.parametrize(
    ('moments', 'mass', 'allowed'),
    [
        ((1.0, 2.0, 3.0), 1.0, True),
        ((3.0, 1.0, 2.0), 1.0, True),
        ((1.0, 2.0, 3.01), 1.0, False),
        ((1.0, 1.0, 1.0), 0.0, False),
        ((0.0, 2.0, 2.0), 1.0, True),
        ((-0.1, 2.0, 2.0), 1.0, False),
        ((0.0, 0.0, 0.0), 0.0, True),
    ],
)
def test_payload_moments_of_inertia_are_validated(
    moments: tuple[float, float, float], mass: float, allowed: bool
) -> None:
    """The largest moment of a flat plate is the sum of the other two, which is the limit."""
    given = {'body': 'a', 'capacity_kg': 2.0, 'mass_kg': mass, 'inertia_kgm2': moments}
    if allowed:
        assert PayloadConfig.model_validate(given).inertia_kgm2 == moments
    else:
        with pytest.raises(ValueError, match='none above the sum of the other two'):
            PayloadConfig.model_validate(given)


def test_actuator_limits_are_those_of_actuator_and_joint() -> None:
    """The limit is the narrower of the actuator range and the joint range over the gear ratio, or none."""
    model = mujoco.MjModel.from_xml_string("""
    <mujoco><worldbody>
      <body><joint name="a" type="hinge" actuatorfrclimited="true" actuatorfrcrange="-30 20"/><geom size="0.1"/>
        <body pos="1 0 0"><joint name="b" type="hinge"/><geom size="0.1"/></body></body>
    </worldbody><actuator>
      <motor joint="b"/><motor joint="b" forcelimited="true" forcerange="-7 5"/>
      <motor joint="a" gear="-2"/><motor joint="a" gear="-2" forcelimited="true" forcerange="-4 90"/>
    </actuator></mujoco>""")
    limits = actuator_limits(model, mujoco.MjData(model))
    assert limits.low.tolist() == [-np.inf, -7.0, -10.0, -4.0]
    assert limits.high.tolist() == [np.inf, 5.0, 15.0, 15.0]
