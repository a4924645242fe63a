# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the import of robots: masses and joints against other readers, wheels, motors, drives on the ground.

Faults of URDF files: ``test_robot_import_faults.py``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation

from regolith_files import InputError
from regolith_terrain import RIGID_TERRAIN_MODEL, RigidTerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.robot_import import ImportOptions, convert, converter, write_folder
from regolith_vehicles.robot_import.robot_files import read_robot_file
from regolith_vehicles.robot_import.xml_elements import Element
from regolith_vehicles.visuals.urdf import link_names

ROBOTS = Path(__file__).parent / 'data' / 'robots'
SIX, DIFF = ROBOTS / 'six_wheeler.urdf', ROBOTS / 'diff_drive.urdf.xacro'
LIMITS = ImportOptions(limits={'*_wheel_joint': (10.0, 8.0)})
CYCLE_NS = 20_000_000
EXACT = 1e-9
"""Required agreement of masses and joints with another reader, relative to kilograms and meters: above rounding only."""


def loaded(folder: Path) -> tuple[Any, Any]:
    """Return model and state, with all joints at zero and the base at the origin, of an imported robot."""
    (mjcf,) = folder.glob('*.xml')
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    return model, at_zero(model)


def at_zero(model: Any) -> Any:
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    data.qpos[3] = 1.0
    mujoco.mj_forward(model, data)
    return data


def without_shapes(element: Element) -> str:
    """Return the text of a URDF without shapes and extensions, which MuJoCo's reader would look for or does not read."""
    if element.tag in ('visual', 'collision', 'gazebo', 'ros2_control', 'transmission', 'material'):
        return ''
    attributes = ''.join(f' {key}="{value}"' for key, value in element.attributes.items())
    return f'<{element.tag}{attributes}>{"".join(map(without_shapes, element.children))}</{element.tag}>'


def by_mujoco(robot: Path, chassis: str) -> tuple[Any, Any]:
    """Return model and state of a URDF as MuJoCo reads it: with a free joint, and nothing fused."""
    text = without_shapes(read_robot_file(robot, {}, {}))
    text = text.replace('</robot>', '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco></robot>')
    spec = mujoco.MjSpec.from_string(text)
    spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    data = at_zero(model)
    place = data.body(chassis).xpos.copy()  # the imported robot has its chassis at the origin
    data.qpos[:3] = -place
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize(('robot', 'options'), [(SIX, None), (DIFF, LIMITS)])
def test_masses_and_joints_equal_mujoco_reader(robot: Path, options: ImportOptions | None, tmp_path: Path) -> None:
    """Each link has the mass, center of mass, inertia and frame, and each joint the axis and limits, as MuJoCo reads it."""
    write_folder(convert(robot, options), tmp_path / 'made')
    ours, data = loaded(tmp_path / 'made')
    theirs, expected = by_mujoco(robot, 'base_link')
    assert ours.body_mass.sum() == pytest.approx(theirs.body_mass.sum(), rel=1e-12)
    names = {theirs.body(b).name for b in range(1, theirs.nbody)} - {'base_footprint'}
    assert len(names) > 5
    for name in sorted(names):
        a, b = theirs.body(name).id, ours.body(name).id
        assert np.allclose(data.xpos[b], expected.xpos[a], atol=EXACT)
        assert np.allclose(data.xmat[b], expected.xmat[a], atol=EXACT)
        holder = b if ours.body_mass[b] > 0.0 else ours.body(f'{name}_link').id if theirs.body_mass[a] > 0.0 else b
        assert ours.body_mass[holder] == theirs.body_mass[a]
        if theirs.body_mass[a] > 0.0:
            assert np.allclose(data.xipos[holder], expected.xipos[a], atol=EXACT)
            tensors = [
                state.ximat[k].reshape(3, 3) @ np.diag(model.body_inertia[k]) @ state.ximat[k].reshape(3, 3).T
                for model, state, k in ((ours, data, holder), (theirs, expected, a))
            ]
            assert np.allclose(*tensors, atol=EXACT)
    joints = {theirs.joint(j).name for j in range(1, theirs.njnt)}
    assert joints == {ours.joint(j).name for j in range(1, ours.njnt)}
    for name in sorted(joints):
        a, b = theirs.joint(name).id, ours.joint(name).id
        sense = 1.0 if data.xaxis[b] @ expected.xaxis[a] > 0.0 else -1.0
        assert np.allclose(data.xaxis[b], sense * expected.xaxis[a], atol=EXACT)
        assert np.allclose(data.xanchor[b], expected.xanchor[a], atol=EXACT)
        assert ours.jnt_limited[b] == theirs.jnt_limited[a]
        assert np.allclose(sorted(sense * ours.jnt_range[b]), theirs.jnt_range[a], atol=EXACT)
        dof, other = int(ours.jnt_dofadr[b]), int(theirs.jnt_dofadr[a])
        assert ours.dof_damping[dof] == theirs.dof_damping[other]
        assert ours.dof_frictionloss[dof] == theirs.dof_frictionloss[other]


def test_masses_and_joints_equal_those_of_the_parser_of_ros(tmp_path: Path) -> None:
    """urdf_parser_py finds the same mass, center of mass, axes and limits."""
    from urdf_parser_py.urdf import URDF

    def matrix(origin: Any) -> np.ndarray:
        pose = np.eye(4)
        if origin is not None:
            pose[:3, :3] = Rotation.from_euler('xyz', origin.rpy or (0.0, 0.0, 0.0)).as_matrix()
            pose[:3, 3] = origin.xyz or (0.0, 0.0, 0.0)
        return pose

    def place(link: str) -> np.ndarray:
        if link == 'base_link' or link not in read.parent_map:
            return np.eye(4)
        joint, parent = read.parent_map[link]
        return place(parent) @ matrix(read.joint_map[joint].origin)

    write_folder(convert(SIX), tmp_path / 'made')
    model, data = loaded(tmp_path / 'made')
    read = URDF.from_xml_string(SIX.read_text(encoding='utf-8'))
    base = np.linalg.inv(place('base_link'))
    mass, moment = 0.0, np.zeros(3)
    for link in read.links:
        if link.inertial is not None:
            pose = base @ place(link.name) @ matrix(link.inertial.origin)
            mass += link.inertial.mass
            moment = moment + link.inertial.mass * pose[:3, 3]
    assert model.body_mass.sum() == pytest.approx(mass, rel=1e-12)
    assert np.allclose(data.subtree_com[0], moment / mass, atol=EXACT)
    moving = [joint for joint in read.joints if joint.type != 'fixed']
    assert len(moving) == model.njnt - 1
    for joint in moving:
        axis = (base @ place(joint.child))[:3, :3] @ joint.axis
        ours = data.xaxis[model.joint(joint.name).id]
        assert abs(axis @ ours) == pytest.approx(1.0, abs=EXACT)
        if joint.type == 'revolute':
            low, high = sorted(np.sign(axis @ ours) * model.jnt_range[model.joint(joint.name).id])
            assert (low, high) == pytest.approx((joint.limit.lower, joint.limit.upper), abs=EXACT)


def test_wheels_steering_and_motors_are_found(tmp_path: Path) -> None:
    """All wheels turn forward and all steering turns to the left at positive commands, however their axes are written."""
    config, mjcf = load_vehicle_model(write_folder(convert(SIX), tmp_path / 'made'))
    model, data = loaded(tmp_path / 'made')
    assert [wheel.name for wheel in config.wheels] == [
        f'{place}_{side}_wheel' for side in ('left', 'right') for place in ('front', 'middle', 'rear')
    ]
    for wheel in config.wheels:
        assert (wheel.radius_m, wheel.width_m) == (0.12, 0.1)
        assert (wheel.steer_joint is None) == wheel.name.startswith('middle')
        assert data.xaxis[model.joint(wheel.joint).id] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
        if wheel.steer_joint is not None:
            assert data.xaxis[model.joint(wheel.steer_joint).id] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    drive = model.actuator('front_left_drive')
    assert drive.forcerange.tolist() == [-12.0, 12.0]
    assert drive.gainprm[0] == pytest.approx(12.0 / (0.1 * 6.0))
    assert config.wheel_drive.max_wheel_speed_radps == 6.0
    assert config.steering.max_angle_deg == pytest.approx(math.degrees(0.9))
    assert config.steering.max_rate_degps == pytest.approx(math.degrees(1.2))
    assert {name: joint.limits for name, joint in config.joints.items()} == {'mast_joint': (-1.5, 1.5)}
    assert config.joints['mast_joint'].rate == 0.8
    assert mjcf.name == 'six_wheeler.xml'


def test_frames_have_the_names_of_the_links(tmp_path: Path) -> None:
    """/tf has each link of the file, also a wheel whose link is not named NAME_link; base_footprint is dropped."""
    from regolith_vehicles.dynamics.multibody import compile_vehicle

    for robot, options in ((SIX, None), (DIFF, LIMITS)):
        config, mjcf = load_vehicle_model(write_folder(convert(robot, options), tmp_path / robot.stem))
        frames = set(link_names(config, compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))).values())
        links = {e.attributes['name'] for e in read_robot_file(robot, {}, {}).all('link')}
        assert links - frames == {'base_footprint'}


def test_vehicle_file_is_equal_in_memory_and_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``model: robot.urdf`` gives the files of the command; a second process finds them in the cache."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    converter._cached.cache_clear()
    made = convert(SIX)
    config, mjcf = load_vehicle_model(SIX)
    assert mjcf.is_relative_to(tmp_path / 'cache')
    assert {p.relative_to(mjcf.parent).as_posix() for p in mjcf.parent.rglob('*') if p.is_file()} == set(made.files)
    assert all((mjcf.parent / name).read_bytes() == content for name, content in made.files.items())
    before = mjcf.stat().st_mtime_ns
    converter._cached.cache_clear()
    again, path = load_vehicle_model(SIX)
    assert (path, path.stat().st_mtime_ns) == (mjcf, before)
    assert again.model_dump() == config.model_dump()


def test_page_names_all_guesses() -> None:
    """The page has the wheels, motors, couplings and guesses, and what was ignored."""
    page = convert(SIX).files['six_wheeler.md'].decode()
    for text in (
        'Mass 51.4 kg',
        '| front_left_wheel | front_left_drive | 0.12 | 0.1 |',
        '| right_rocker_joint | left_rocker_joint | 1 | 0 |',
        '| left_bogie_joint | is suspension or a caster: it carries middle_left_wheel, rear_left_wheel |',
        '| axis of front_right_drive | reversed |',
        'link base_footprint: is only a frame and is dropped; base_link is below it',
    ):
        assert text in page
    separation = '| wheel separation | 0.5 m | from the joints; the drive plug-in has 0.5 m |'
    assert separation in convert(DIFF, LIMITS).files['diff_drive.md'].decode()


@pytest.fixture
def drive(tmp_path: Path) -> Callable[..., tuple[Vehicle, list[Any]]]:
    """Return a function that imports a robot and drives it: options, soil, then (duration [s], speed, yaw rate) each."""

    def make(
        robot: Path, options: ImportOptions | None, soil: Any, *parts: tuple[float, float, float]
    ) -> tuple[Vehicle, list[Any]]:
        config, mjcf = load_vehicle_model(write_folder(convert(robot, options), tmp_path / 'made'))
        rigid = isinstance(soil, RigidTerrainConfig)
        grid = SoilGrid(FlatField(), 0.02, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), 0.02)
        vehicle = Vehicle('robot', config, mjcf, grid, soil, 9.81)
        vehicle.place(0.0, 0.0, 0.0)
        states = []
        for duration, speed, yaw_rate in parts:
            for _ in range(round(duration / 0.02)):
                targets = vehicle.gear.targets(DriveCommand(speed, yaw_rate))
                vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *targets))
                vehicle.commit()
            states.append(vehicle.body_state())
        return vehicle, states

    return make


@pytest.mark.parametrize(('robot', 'options'), [pytest.param(SIX, None, marks=pytest.mark.slow), (DIFF, LIMITS)])
def test_robot_drives_ahead_and_turns_on_rigid_ground(
    robot: Path, options: ImportOptions | None, drive: Callable[..., tuple[Vehicle, list[Any]]]
) -> None:
    """It rests on its wheels, drives 1 m ahead and turns to the left at about the commanded yaw rate.

    5 %: the ramp to the speed, and slip of wheels at constant speed. 15 %: in a turn wheels beside the arc scrub.
    """
    parts = ((0.2, 0.0, 0.0), (2.0, 0.5, 0.0), (0.3, 0.0, 0.0), (1.5, 0.3, 0.3))
    vehicle, (rest, _, ahead, turned) = drive(robot, options, RigidTerrainConfig(), *parts)
    wheels = vehicle.config.wheels
    assert rest.position[2] == pytest.approx(wheels[0].radius_m - vehicle_wheel_height(vehicle), abs=0.02)
    assert ahead.position[0] - rest.position[0] == pytest.approx(1.0, rel=0.05)
    assert abs(ahead.position[1]) < 0.05
    assert turned.angular_velocity[2] == pytest.approx(0.3, rel=0.15)


def vehicle_wheel_height(vehicle: Vehicle) -> float:
    """Return the height of the first wheel's center over the base frame with all joints at zero [m]."""
    data = at_zero(vehicle.body.model)
    return float(data.xpos[vehicle.body.wheel_body[0], 2])


def test_rocker_bogie_stays_on_soil_with_opposite_rockers(drive: Callable[..., tuple[Vehicle, list[Any]]]) -> None:
    """On soil it moves ahead, and the rockers' angles obey the file's mimic to the coupling's stiffness (1e-4 rad)."""
    vehicle, (rest, moved) = drive(SIX, None, load_soil('chrono_hard'), (0.2, 0.0, 0.0), (1.0, 0.4, 0.1))
    assert moved.position[0] - rest.position[0] > 0.1
    left, right = (float(vehicle.data.joint(f'{side}_rocker_joint').qpos[0]) for side in ('left', 'right'))
    assert right == pytest.approx(left, abs=1e-4)


def test_named_wheels_replace_found_ones() -> None:
    """Only the named joints or links are driven; a name that does not exist is refused with a suggestion."""
    made = convert(SIX, ImportOptions(wheels=('middle_left_drive', 'middle_right_wheel_link')))
    assert made.wheels == ('middle_left_drive', 'middle_right_drive')
    shapes = yaml.safe_load(made.files['six_wheeler.yaml'])['ground_shapes']
    assert 'front_left_wheel_link' in {shape['body'] for shape in shapes}
    with pytest.raises(InputError, match=re.escape('did you mean middle_left_drive?')):
        convert(SIX, ImportOptions(wheels=('midle_left_drive',)))
    with pytest.raises(InputError, match=r'six_wheeler.urdf:\d+: joint mast_joint axis: of a wheel is not along y'):
        convert(SIX, ImportOptions(wheels=('mast',)))


def test_differential_option_couples_rockers(tmp_path: Path) -> None:
    """``--differential`` makes the angles about a common axis opposite, for axes that are parallel or opposite."""
    text = SIX.read_text().replace('<mimic joint="left_rocker_joint" multiplier="1"/>', '')
    both = tmp_path / 'plain.urdf'
    both.write_text(text)
    made = convert(both, ImportOptions(differential=('left_rocker_joint', 'right_rocker_joint')))
    assert made.files['six_wheeler.xml'] == convert(SIX).files['six_wheeler.xml']
    with pytest.raises(InputError, match=r"--differential: 'rocker': is no joint that turns; allowed: LEFT,RIGHT of "):
        convert(both, ImportOptions(differential=('rocker', 'right_rocker_joint')))
