# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the URDF: names of joint_states and tf, and the kinematic tree of MuJoCo."""

from __future__ import annotations

from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from regolith_vehicles.description.model_config import FramesConfig, VehicleModelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.multibody import Multibody, compile_vehicle, quaternion_to_ros
from regolith_vehicles.visuals.urdf import JointPoses, _origin, frame_joints, link_names, robot_description
from regolith_world.numerics.rotation import matrix, product

ODD = """<mujoco><compiler angle="radian"/><worldbody><body name="hull"><freejoint/><geom size="0.2" mass="5"/>
<body name="arm" pos="0.3 0.1 0.2" euler="0.3 -0.2 0.7"><joint name="lift" axis="0 1 0" pos="0.1 0 -0.05" ref="0.4"/>
<joint name="reach" type="slide" axis="1 0 0" pos="0.02 0.03 0" ref="0.05" limited="true" range="0 0.3"/>
<geom type="capsule" size="0.02 0.1" mass="1"/><body name="plate" pos="0.2 0 0" euler="0 1.2 0"><geom type="box" size=".1 .1 .01" mass="1"/>
<body name="wheel" pos="0 0 -0.3"><joint name="spin" axis="0 1 0"/><geom type="cylinder" size="0.1 0.05" euler="1.5708 0 0" mass="1"/>
</body></body></body></body></worldbody><actuator><velocity name="drive" joint="spin" kv="5" forcerange="-5 5"/></actuator></mujoco>"""


def _viper() -> tuple[VehicleModelConfig, Multibody]:
    config, mjcf = load_vehicle_model('viper')
    return config, compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))


def _odd(tmp_path) -> tuple[VehicleModelConfig, Multibody]:
    """Two joints beside the origin of a body, a body without joints, nonzero reference angles, custom frame names."""
    (tmp_path / 'odd.xml').write_text(ODD)
    wheel = {'name': 'only', 'body': 'wheel', 'joint': 'spin', 'actuator': 'drive', 'radius_m': 0.1, 'width_m': 0.1}
    drive = {'max_wheel_speed_radps': 3.0, 'max_wheel_acceleration_radps2': 2.0}
    frames = {'base': 'trunk', 'odom': 'start'}
    config = VehicleModelConfig.model_validate(
        {'mjcf': 'odd.xml', 'chassis': 'hull', 'wheels': [wheel], 'drive': drive, 'frames': frames}
    )
    return config, compile_vehicle(config, tmp_path / 'odd.xml', (0.0, 0.0, -1.62))


@pytest.mark.parametrize('which', ['viper', 'odd'])
def test_frames_match_mujoco_bodies(which: str, tmp_path) -> None:
    """Chained from the base, the frames match every body at random joint positions; 1e-12 is rounding."""
    config, body = _viper() if which == 'viper' else _odd(tmp_path)
    data = mujoco.MjData(body.model)
    generator = np.random.default_rng(1)
    for _ in range(5):
        data.qpos[:3] = generator.normal(size=3)
        data.qpos[3:7] = generator.normal(size=4)
        data.qpos[body.joint_qpos] = generator.uniform(-0.6, 0.6, size=len(body.joints))
        mujoco.mj_kinematics(body.model, data)
        poses = {config.frames.base: (data.xpos[body.base], quaternion_to_ros(data.xquat[body.base]))}
        joints = frame_joints(config, body)
        for joint, pose in zip(joints, JointPoses(joints).at(data.qpos[body.joint_qpos]), strict=True):
            place, turn = poses[joint.parent]
            poses[joint.child] = place + matrix(turn) @ pose[:3], product(turn, pose[3:])
        for b, link in link_names(config, body).items():
            assert np.allclose(poses[link][0], data.xpos[b], atol=1e-12), link
            assert np.allclose(matrix(poses[link][1]), data.xmat[b].reshape(3, 3), atol=1e-12), link


@pytest.mark.parametrize('which', ['viper', 'odd'])
def test_urdf_file_is_complete(which: str, tmp_path) -> None:
    """One tree, unique names, the joints of the joint states, required elements of each type, masses that add up."""
    config, body = _viper() if which == 'viper' else _odd(tmp_path)
    robot = ElementTree.fromstring(robot_description(config, body, 'rover'))
    assert robot.tag == 'robot' and robot.get('name') == 'rover'
    links = [link.get('name') for link in robot.findall('link')]
    joints = robot.findall('joint')
    names = [joint.get('name') for joint in joints]
    assert len(set(links)) == len(links) and len(set(names)) == len(names)
    children = [joint.find('child').get('link') for joint in joints]
    assert sorted([config.frames.base, *children]) == sorted(links)
    assert all(joint.find('parent').get('link') in links for joint in joints)
    moving = [joint for joint in joints if joint.get('type') != 'fixed']
    assert sorted(joint.get('name') for joint in moving) == sorted(body.joints)
    for joint in moving:
        assert joint.get('type') in ('revolute', 'continuous', 'prismatic')
        assert np.linalg.norm([float(x) for x in joint.find('axis').get('xyz').split()]) == pytest.approx(1.0)
        limit = joint.find('limit')
        assert {'effort', 'velocity'} <= set(limit.keys())
        if joint.get('type') != 'continuous':
            assert float(limit.get('lower')) < float(limit.get('upper'))
    masses = [float(mass.get('value')) for mass in robot.iter('mass')]
    assert sum(masses) == pytest.approx(body.mass, rel=1e-6)
    for geometry in robot.iter('geometry'):
        assert len(geometry) == 1 and geometry[0].tag in ('box', 'cylinder', 'sphere')
    if which == 'viper':
        assert {'front_left_link', 'upright_front_left', 'strut_front_left', 'base_link'} <= set(links)
        drive = next(joint for joint in joints if joint.get('name') == 'spin_front_left')
        assert drive.get('type') == 'continuous' and drive.find('limit').get('effort') == '300'


def test_origins_match_the_frames(tmp_path) -> None:
    """Roll, pitch and yaw about fixed axes, as in URDF, give the rotations of the frames."""
    config, body = _odd(tmp_path)
    robot = ElementTree.fromstring(robot_description(config, body, 'rover'))
    written = {joint.get('name'): joint.find('origin') for joint in robot.findall('joint')}
    for joint in frame_joints(config, body):
        roll, pitch, yaw = (float(x) for x in written[joint.name].get('rpy').split())
        turn = np.eye(3)
        for angle, axis in ((roll, 0), (pitch, 1), (yaw, 2)):
            step = np.zeros(4)
            step[axis], step[3] = np.sin(0.5 * angle), np.cos(0.5 * angle)
            turn = matrix(step) @ turn
        assert np.allclose(turn, matrix(joint.orientation), atol=1e-8)
        assert np.allclose([float(x) for x in written[joint.name].get('xyz').split()], joint.position, atol=1e-8)


def test_frames_of_the_vehicle_file_are_used(tmp_path) -> None:
    """The base link has the name given in the vehicle file."""
    config, body = _viper()
    named = config.model_copy(update={'frames': FramesConfig(base='body')})
    assert link_names(named, body)[body.base] == 'body'
    assert frame_joints(named, body)[0].parent == 'body'
    assert link_names(*_odd(tmp_path))[1] == 'trunk'


def test_mesh_wheels_are_described_as_cylinders() -> None:
    """A viewer of the URDF has no mesh files; each wheel shows its radius and width once."""
    config, mjcf = load_vehicle_model('rocker_bogie')
    body = compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))
    robot = ElementTree.fromstring(robot_description(config, body, 'rover'))
    for wheel in config.wheels:
        shown = robot.findall(f"link[@name='{wheel.name}_link']/visual/geometry/cylinder")
        assert [cylinder.attrib for cylinder in shown] == [{'radius': '0.25', 'length': '0.4'}]


def test_collision_elements_match_the_vehicle_file() -> None:
    """Boxes at full size, capsules as cylinders with caps, each rotated and shifted as in the file."""
    config, body = _viper()
    turned = {'position': (0.1, -0.2, 0.3), 'orientation': (0.0, float(np.sin(0.3)), 0.0, float(np.cos(0.3)))}
    given = [
        {'kind': 'box', 'size': (0.4, 0.3, 0.2), **turned},
        {'kind': 'capsule', 'size': (0.1, 0.5), **turned},
        {'kind': 'sphere', 'size': (0.25,)},
        {'kind': 'capsule', 'size': (0.2, 0.1), 'body': 'upright_front_left'},
    ]
    collision = type(config.collision).model_validate({**config.collision.model_dump(), 'shapes': given})
    robot = ElementTree.fromstring(robot_description(config.model_copy(update={'collision': collision}), body, 'rover'))
    shown = robot.findall("link[@name='base_link']/collision")

    def numbers(element, key):
        return [float(x) for x in element.get(key).split()]

    box, capsule, sphere = shown[:3]
    for each in (box, capsule):
        assert numbers(each.find('origin'), 'xyz') == pytest.approx(turned['position'])
        assert numbers(each.find('origin'), 'rpy') == pytest.approx([0.0, 0.6, 0.0])
    assert numbers(box.find('geometry/box'), 'size') == pytest.approx([0.8, 0.6, 0.4])
    assert numbers(capsule.find('geometry/cylinder'), 'radius') == [0.1]
    assert numbers(capsule.find('geometry/cylinder'), 'length') == pytest.approx([2.0 * (0.5 + 0.1)])
    assert numbers(sphere.find('geometry/sphere'), 'radius') == [0.25]


@pytest.mark.parametrize('pitch', [-90.0, -40.0, 0.0, 90.0])
@pytest.mark.parametrize('roll', [-100.0, 30.0])
def test_origins_at_pitch_of_90_deg_keep_their_roll(pitch: float, roll: float) -> None:
    """At a pitch of 90 degrees, up or down, roll and yaw are about one axis."""
    written = np.radians((roll, pitch, 50.0))
    turn = _turned(*written)
    element = ElementTree.Element('visual')
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    _origin(element, np.zeros(3), quaternion_to_ros(quaternion))
    found = element.find('origin')
    assert found is not None
    assert np.allclose(_turned(*(float(x) for x in found.get('rpy', '').split())), turn, atol=1e-7)


def _turned(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Return the rotation about the fixed axes x, y and z, in that order."""
    turn = np.eye(3)
    for axis, angle in enumerate((roll, pitch, yaw)):
        step = np.zeros(4)
        step[axis], step[3] = np.sin(0.5 * angle), np.cos(0.5 * angle)
        turn = matrix(step) @ turn
    return turn


def test_joint_limits_match_their_actuators() -> None:
    """Position servos have their rate, speed servos their maximum speed; wheels and steering those of their sections."""
    config, mjcf = load_vehicle_model('rassor')
    drum = config.joints['drum_front'].model_copy(update={'limits': (-4.0, 2.0), 'rate': 9.0})
    config = config.model_copy(update={'joints': {**config.joints, 'drum_front': drum}})
    body = compile_vehicle(config, mjcf, (0.0, 0.0, -1.62))
    robot = ElementTree.fromstring(robot_description(config, body, 'digger'))
    found = {joint.get('name'): joint.find('limit') for joint in robot.findall('joint') if joint.get('type') != 'fixed'}
    assert float(found['arm_front'].get('velocity')) == 0.35 and float(found['drum_front'].get('velocity')) == 4.0
    assert float(found['spin_rear_left'].get('velocity')) == config.wheel_drive.max_wheel_speed_radps
    arm = mujoco.mj_name2id(body.model, mujoco.mjtObj.mjOBJ_JOINT, 'arm_front')
    low_high = [float(found['arm_front'].get(end)) for end in ('lower', 'upper')]
    assert low_high == pytest.approx(body.model.jnt_range[arm].tolist(), rel=1e-8)
    motor = mujoco.mj_name2id(body.model, mujoco.mjtObj.mjOBJ_ACTUATOR, 'arm_front')
    assert float(found['arm_front'].get('effort')) == pytest.approx(body.model.actuator_forcerange[motor, 1])
    config, body = _viper()
    robot = ElementTree.fromstring(robot_description(config, body, 'rover'))
    strut = next(joint for joint in robot.findall('joint') if joint.get('name').startswith('steer'))
    assert float(strut.find('limit').get('velocity')) == pytest.approx(
        np.radians(config.steering.max_rate_degps), rel=1e-8
    )
