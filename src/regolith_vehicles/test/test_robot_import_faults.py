# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of what other readers of URDF drop or refuse: each fault is handled, or named in one line with file and line."""

from __future__ import annotations

import math
import os
import re
import struct
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import yaml

from regolith_files import InputError
from regolith_vehicles.description.mesh_files import load_triangles
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.robot_import import ImportOptions, convert, write_folder
from regolith_vehicles.robot_import.command import import_robot

BOX = '<geometry><box size="0.6 0.4 0.2"/></geometry>'
ROUND = '<origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.15" length="0.08"/></geometry>'
WHEEL = '<inertial><mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
BASE = '<inertial><mass value="10"/><inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit effort="10" velocity="8"/>'


def cart(extra: str = '', base: str = BASE, limit: str = LIMIT, wheel: str = WHEEL, shapes: str = '') -> str:
    """Return the URDF of a cart with four wheels, one element per line."""
    lines = ['<robot name="cart">', f'<link name="base_link">{base}<collision>{BOX}</collision>{shapes}</link>']
    for name, x, y in (('fl', 0.3, 0.25), ('fr', 0.3, -0.25), ('rl', -0.3, 0.25), ('rr', -0.3, -0.25)):
        lines += [
            f'<link name="{name}">{wheel}<collision>{ROUND}</collision></link>',
            f'<joint name="{name}_joint" type="continuous"><parent link="base_link"/><child link="{name}"/>'
            f'<origin xyz="{x} {y} -0.1"/><axis xyz="0 1 0"/>{limit}</joint>',
        ]
    return '\n'.join([*lines, extra, '</robot>'])


def part(kind: str, inner: str = '', link: str = WHEEL, name: str = 'arm') -> str:
    """Return a further link on a joint above the base."""
    return (
        f'<link name="{name}">{link}</link>\n<joint name="{name}_joint" type="{kind}"><parent link="base_link"/>'
        f'<child link="{name}"/><origin xyz="0 0 0.3"/>{inner}</joint>'
    )


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """Return a function that imports a URDF text and returns the MuJoCo model, the vehicle's content and the notes."""

    def make(text: str, **options: Any) -> tuple[Any, dict[str, Any], tuple[str, ...]]:
        path = tmp_path / 'cart.urdf'
        path.write_text(text)
        vehicle = convert(path, ImportOptions(**options))
        assets = {name: content for name, content in vehicle.files.items() if name.startswith('meshes/')}
        model = mujoco.MjModel.from_xml_string(vehicle.files['cart.xml'].decode(), assets=assets)
        return model, yaml.safe_load(vehicle.files['cart.yaml']), vehicle.notes

    return make


def one_line(made: Any, text: str, **options: Any) -> str:
    """Return the error of an import, which is one line."""
    with pytest.raises(InputError) as error:
        made(text, **options)
    (line,) = str(error.value).splitlines()
    return line


def test_root_and_fixed_links_keep_their_mass(made: Any) -> None:
    """MuJoCo welds the root to the world and drops its mass with all that is fixed to it; here all of it moves freely."""
    text = cart(
        part(
            'fixed',
            link='<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>',
        )
    )
    fused = mujoco.MjModel.from_xml_string(re.sub('<collision>.*?</collision>', '', text))
    model, _, _ = made(text)
    assert (fused.body_mass.sum(), fused.nv) == (8.0, 4)
    assert (model.body_mass.sum(), model.nv) == (21.0, 10)
    assert model.body('arm').mass == 3.0  # fixed links stay bodies, and so frames
    assert model.body('arm').jntnum[0] == 0


def test_joint_types_and_limits_are_kept(made: Any) -> None:
    """Continuous and revolute joints are hinges, prismatic ones slides, planar and spherical ones three joints each."""
    limit = '<axis xyz="0 0 1"/><limit lower="-0.5" upper="0.7" effort="4" velocity="2"/>'
    both = part('revolute', limit) + part('prismatic', limit, name='lift')
    model, content, _ = made(
        cart(both + part('planar', '<axis xyz="0 0 1"/>', name='plate') + part('spherical', name='ball'))
    )
    arm, lift = model.joint('arm_joint'), model.joint('lift_joint')
    assert (arm.type[0], lift.type[0]) == (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    assert arm.range.tolist() == lift.range.tolist() == [-0.5, 0.7]
    assert not model.jnt_limited[model.joint('fl_joint').id]
    slides = [model.joint(f'plate_joint_{axis}') for axis in ('x', 'y')]
    assert [joint.type[0] for joint in slides] == [mujoco.mjtJoint.mjJNT_SLIDE] * 2
    axes = [model.jnt_axis[model.joint(f'ball_joint_{axis}').id].tolist() for axis in 'xyz']
    assert axes == np.eye(3).tolist()
    assert content['joints']['arm_joint'] == {'actuator': 'arm_joint', 'limits': [-0.5, 0.7], 'rate': 2.0}


def test_floating_joint_is_refused(made: Any) -> None:
    line = one_line(made, cart(part('floating')))
    assert line.partition('cart.urdf:')[2].startswith(
        "12: joint arm_joint type = 'floating': leaves a part without connection"
    )
    assert 'fix: import the part as another vehicle' in line


def test_effort_and_velocity_limit_motors(made: Any) -> None:
    """MuJoCo's reader ignores velocity; here it is the maximum speed, and sets the gain of the motor."""
    model, content, _ = made(cart())
    motor = model.actuator('fl_joint')
    assert motor.forcerange.tolist() == [-10.0, 10.0]
    assert model.jnt_actfrcrange[model.joint('fl_joint').id].tolist() == [-10.0, 10.0]
    assert motor.gainprm[0] == pytest.approx(10.0 / 0.8)
    assert content['drive']['max_wheel_speed_radps'] == 8.0


@pytest.mark.parametrize(('limit', 'missing'), [('', 'effort and velocity'), ('<limit effort="3"/>', 'velocity')])
def test_missing_limit_is_refused_with_the_line_to_add(made: Any, limit: str, missing: str) -> None:
    line = one_line(made, cart(limit=limit))
    assert f'cart.urdf:4: joint fl_joint: has no limit of {missing} for its wheel motor; allowed: ' in line
    assert '<limit effort="…" velocity="…"/> in <joint name="fl_joint">' in line
    assert 'fix: --limits fl_joint=EFFORT,VELOCITY' in line
    model, content, _ = made(cart(limit=limit), limits={'f*': (5.0, 2.0), '*': (6.0, 3.0)})
    assert model.actuator('fl_joint').forcerange[1] == 5.0
    assert model.actuator('rl_joint').forcerange[1] == 6.0
    assert content['drive']['max_wheel_speed_radps'] == 2.0


def test_damping_and_friction_are_kept(made: Any) -> None:
    dynamics = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="4" velocity="2"/><dynamics damping="0.3" friction="0.2"/>'
    model, _, _ = made(cart(part('revolute', dynamics)))
    dof = int(model.joint('arm_joint').dofadr[0])
    assert (model.dof_damping[dof], model.dof_frictionloss[dof]) == (0.3, 0.2)


def test_mimic_couples_joints(made: Any) -> None:
    """The follower is at 0.1 - 2 q to the stiffness of the coupling (1e-3 rad with a servo that pushes)."""
    limit = '<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="4" velocity="2"/>'
    follower = part('revolute', f'{limit}<mimic joint="arm_joint" multiplier="-2" offset="0.1"/>', name='follower')
    model, content, _ = made(cart(part('revolute', limit) + follower))
    data = mujoco.MjData(model)
    data.ctrl[model.actuator('arm_joint').id] = 0.4
    model.opt.gravity[:] = 0.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
    place = float(data.joint('arm_joint').qpos[0])
    assert place == pytest.approx(0.4, abs=0.01)
    assert float(data.joint('follower_joint').qpos[0]) == pytest.approx(0.1 - 2.0 * place, abs=1e-3)
    assert list(content['joints']) == ['arm_joint']
    line = one_line(made, cart(part('revolute', f'{limit}<mimic joint="arn_joint"/>')))
    assert "mimic joint = 'arn_joint': is no joint of the robot; allowed: " in line
    assert 'did you mean arm_joint?' in line


@pytest.mark.parametrize(
    'control',
    [
        '<ros2_control name="c" type="system"><joint name="{}"><command_interface name="velocity"/></joint></ros2_control>',
        '<transmission name="{0}_t"><joint name="{0}"><hardwareInterface>hardware_interface/VelocityJointInterface'
        '</hardwareInterface></joint></transmission>',
        '<gazebo><plugin filename="libgazebo_ros_diff_drive.so" name="d"><left_joint>{}</left_joint></plugin></gazebo>',
    ],
)
def test_command_interfaces_name_the_motors(made: Any, control: str) -> None:
    """ros2_control, transmissions and drive plug-ins decide which wheels have a motor; others turn freely."""
    extra = control.format('fl_joint') + control.format('fr_joint').replace('left_joint', 'right_joint').replace(
        '"c"', '"e"'
    )
    model, content, _ = made(cart(extra))
    assert [wheel['joint'] for wheel in content['wheels']] == ['fl_joint', 'fr_joint']
    assert model.nu == 2
    assert {shape['body'] for shape in content['ground_shapes']} == {'base_link', 'rl', 'rr'}
    line = one_line(made, cart(control.format('fi_joint')))
    assert 'fi_joint' in line and 'did you mean' in line


def test_interface_selects_the_kind_of_servo(made: Any) -> None:
    """A joint with a velocity interface has a speed servo although it has limits."""
    limit = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="4" velocity="2"/>'
    names = ['fl_joint', 'fr_joint', 'rl_joint', 'rr_joint', 'arm_joint']
    joints = ''.join(f'<joint name="{name}"><command_interface name="velocity"/></joint>' for name in names)
    _, content, _ = made(
        cart(part('revolute', limit) + f'<ros2_control name="c" type="system">{joints}</ros2_control>')
    )
    assert content['joints']['arm_joint'] == {'actuator': 'arm_joint', 'limits': [-2.0, 2.0], 'rate': 4.0}


def test_visual_shapes_are_kept(made: Any) -> None:
    """MuJoCo's reader drops them by default. A link with visuals is drawn by them, else by its collision shapes."""
    colored = '<visual><geometry><sphere radius="0.1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
    model, _, _ = made(cart(shapes=colored))
    first = model.geom(int(model.body('base_link').geomadr[0]))
    assert (first.type[0], first.size[0], first.rgba.tolist()) == (
        mujoco.mjtGeom.mjGEOM_SPHERE,
        0.1,
        [1.0, 0.0, 0.0, 1.0],
    )
    assert model.body('base_link').geomnum[0] == 1
    assert model.geom(int(model.body('fl_link').geomadr[0])).type[0] == mujoco.mjtGeom.mjGEOM_CYLINDER


@pytest.mark.parametrize(
    ('inertia', 'problem'),
    [
        ('', 'is missing or zero'),
        ('<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>', 'is missing or zero'),
        ('<inertia ixx="1" iyy="-1" izz="1"/>', 'is not positive definite'),
        ('<inertia ixx="1" iyy="1" izz="3"/>', 'belongs to no body'),
    ],
)
def test_impossible_inertia_is_refused_or_computed(made: Any, inertia: str, problem: str) -> None:
    """The inertia of a box is m / 12 (y^2 + z^2) about x, and so on: exact for the hull of a box, to rounding."""
    base = f'<inertial><mass value="10"/>{inertia}</inertial>'
    line = one_line(made, cart(base=base))
    assert 'cart.urdf:2: inertial of base_link: inertia = ' in line
    assert problem in line
    assert 'fix: --inertia-from-geometry computes it from the shapes' in line
    model, _, notes = made(cart(base=base), inertia_from_geometry=True)
    expected = sorted(10.0 / 12.0 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2]))
    assert sorted(model.body('base_link').inertia) == pytest.approx(expected, rel=1e-9)
    assert any('inertia of base_link' in note and problem in note for note in notes)


def test_moving_part_without_mass_is_refused(made: Any) -> None:
    """A part whose fixed link has the mass is accepted, as MuJoCo accepts it."""
    line = one_line(made, cart(part('continuous', '<axis xyz="0 0 1"/>', link='')))
    assert (
        'cart.urdf:11: link arm: moves, but neither it nor a link fixed to it has a mass; allowed: <inertial> with'
        in line
    )
    model, _, _ = made(
        cart(
            part('continuous', '<axis xyz="0 0 1"/>', link='')
            + part('fixed', name='load').replace('<parent link="base_link"/>', '<parent link="arm"/>')
        )
    )
    assert model.body('load').mass == 2.0
    massless = cart(base='')
    assert 'link base_link: has no mass, nor has a link fixed to it' in one_line(made, massless)


def test_unknown_attributes_are_named(made: Any) -> None:
    """One line names a misspelled attribute and the closest one that exists."""
    _, _, notes = made(
        cart(part('fixed', '<dynamic damping="1"/>')).replace('<limit effort="10"', '<limit efort="1" effort="10"')
    )
    limits = [note for note in notes if ': limit efort: is unknown and ignored; allowed: ' in note]
    assert [re.sub('.*cart.urdf:', '', note).partition(':')[0] for note in limits] == ['4', '6', '8', '10']
    assert all(note.endswith('(did you mean effort?)') for note in limits)
    assert any('dynamic: is unknown and ignored' in note and 'did you mean dynamics?' in note for note in notes)


FAULTS = {
    'no XML': ('<robot name="cart"><link', 'cart.urdf:1: is not valid XML: '),
    'no robot': ('<sdf/>x', 'cart.urdf:1: is not valid XML: '),
    'number': (cart().replace('value="10"', 'value="ten"'), "cart.urdf:2: mass value = 'ten': is not a finite number"),
    'vector': (cart().replace('size="0.6 0.4 0.2"', 'size="0.6 0.4"'), 'cart.urdf:2: box size'),
    'link': (cart().replace('<child link="fl"/>', '<child link="fx"/>'), "child link = 'fx': is no link of the robot"),
    'twice': (cart('<link name="fl"/>'), 'cart.urdf:11: link fl: is already defined; allowed: unique names of links'),
    'loose': (cart('<link name="loose"/>'), 'cart.urdf:11: link loose: has no joint to base_link'),
    'parents': (
        cart(part('fixed').replace('<child link="arm"/>', '<child link="fl"/>')),
        "joint arm_joint child = 'fl': is already the child of fl_joint",
    ),
    'type': (cart(part('hinge')), "joint arm_joint type = 'hinge': is no joint type"),
    'axis': (cart().replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', 1), 'joint fl_joint axis: has no length'),
    'no limits': (cart(part('revolute')), 'joint arm_joint: has no limits; allowed: <limit lower="…" upper="…"'),
    'limits': (
        cart(part('revolute', '<limit lower="1" upper="-1" effort="1" velocity="1"/>')),
        'limit lower = 1.0: is not below upper = -1',
    ),
    'negative': (cart(limit='<limit effort="-1" velocity="1"/>'), 'limit effort = -1.0: is negative'),
    'name': (cart(part('fixed', name='an arm')), "link an arm name = 'an arm': is not the id of a frame"),
    'size': (cart().replace('radius="0.15"', 'radius="0"'), 'cylinder = [0.0, 0.08]: has a size of 0 or less'),
    'shape': (cart().replace(BOX, '<geometry/>'), 'cart.urdf:2: geometry: has no shape; allowed: <box>, '),
    'no wheels': (cart().replace('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>'), 'has no driven wheels that are found'),
}


@pytest.mark.parametrize('fault', FAULTS)
def test_fault_is_one_line_and_nothing_is_written(fault: str, made: Any, tmp_path: Path) -> None:
    text, expected = FAULTS[fault]
    line = one_line(made, text)
    assert expected in line
    assert '; allowed: ' in line
    with pytest.raises(InputError):
        import_robot(tmp_path / 'cart.urdf', tmp_path / 'out')
    assert sorted(os.listdir(tmp_path)) == ['cart.urdf']


def test_missing_frame_of_wheels_is_noted(made: Any) -> None:
    """Without a wheel along y the chassis is probably not x ahead; the line is a note, as wheels may be named."""
    text = cart().replace(' -0.1"/>', ' -0.1" rpy="0 0 0.3"/>')
    _, _, notes = made(text, wheels=('fl', 'fr', 'rl', 'rr'))
    assert any('no continuous joint has an axis along y' in note and 'REP 103' in note for note in notes)


def test_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / 'cart.urdf').write_text(cart())
    (tmp_path / 'out').mkdir()
    (tmp_path / 'out' / 'mine.txt').write_text('mine')
    with pytest.raises(InputError, match=r"--out: '.*out': exists and is not empty; allowed: a new folder"):
        import_robot(tmp_path / 'cart.urdf', tmp_path / 'out')
    assert os.listdir(tmp_path / 'out') == ['mine.txt']


def test_wheel_off_the_plane_of_the_others_is_no_wheel(made: Any) -> None:
    """A lowest point 4 cm above that of the others counts, 6 cm do not; a flat shape or a square is no wheel."""
    text = cart()
    for height, count in ((-0.06, 4), (-0.04, 3)):
        _, content, _ = made(text.replace('xyz="0.3 0.25 -0.1"', f'xyz="0.3 0.25 {height}"'))
        assert len(content['wheels']) == count
    square = text.replace(ROUND, '<geometry><box size="0.3 0.08 0.3"/></geometry>', 1)
    assert len(made(square)[1]['wheels']) == 3
    with pytest.raises(InputError, match='link fl: is no wheel: its section has corners'):
        made(square, wheels=('fl', 'fr'))


def test_wheel_beside_the_origin_of_its_link_gets_a_frame_at_its_center(made: Any) -> None:
    """A cylinder 5 cm along the axle: the body of the wheel is at its center, the link's frame stays where it was."""
    text = cart().replace(
        '<origin rpy="1.5707963267948966 0 0"/>', '<origin xyz="0 0.05 0" rpy="1.5707963267948966 0 0"/>', 2
    )
    model, content, _ = made(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert content['wheels'][0]['body'] == 'fl_center_link'
    assert data.body('fl_center_link').xpos == pytest.approx([0.3, 0.3, -0.1])
    assert data.body('fl').xpos == pytest.approx([0.3, 0.25, -0.1])
    assert data.xipos[model.body('fl_center_link').id] == pytest.approx([0.3, 0.25, -0.1])
    beside = cart().replace(
        '<origin rpy="1.5707963267948966 0 0"/>', '<origin xyz="0.02 0 0" rpy="1.5707963267948966 0 0"/>', 1
    )
    with pytest.raises(InputError, match=r'link fl: is no wheel: its center is 0.02 m beside the axis of its joint'):
        made(beside, wheels=('fl',))


def dae(vertices: np.ndarray, faces: np.ndarray) -> str:
    """Return a COLLADA file in millimeters, whose scene moves the mesh by 20 mm along y and mirrors nothing."""
    places = ' '.join(f'{x:.9g}' for x in (1000.0 * vertices - [0.0, 20.0, 0.0]).ravel())
    corners = ' '.join(map(str, faces.ravel()))
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse><color>0.2 0.4 0.6 1</color></diffuse>
</lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="{vertices.size}">{places}</float_array>
<technique_common><accessor source="#a" count="{len(vertices)}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(faces)}" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 20 0</translate><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def prism(corners: int, radius: float, half: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a prism around the y axis: vertices [m], shape (2 n + 2, 3), and outward triangles."""
    turn = 2.0 * math.pi * np.arange(corners) / corners
    rim = radius * np.stack((np.sin(turn), np.zeros(corners), np.cos(turn)), axis=1)
    vertices = np.concatenate((rim - [0, half, 0], rim + [0, half, 0], [[0, -half, 0], [0, half, 0]]))
    k, after, n = np.arange(corners), (np.arange(corners) + 1) % corners, corners
    sides = [np.stack((k, after, after + n), 1), np.stack((k, after + n, k + n), 1)]
    caps = [np.stack((after, k, np.full(n, 2 * n)), 1), np.stack((k + n, after + n, np.full(n, 2 * n + 1)), 1)]
    return vertices, np.concatenate(sides + caps)


def binary_stl(triangles: np.ndarray) -> bytes:
    facets = b''.join(struct.pack('<12fH', 0, 0, 0, *facet.ravel(), 0) for facet in triangles)
    return bytes(80) + struct.pack('<I', len(triangles)) + facets


def meshed(folder: Path) -> Path:
    """Write a package with DAE wheels and an L-shaped STL chassis in millimeters; return the URDF in it."""
    vertices, faces = prism(48, 0.15, 0.04)
    (folder / 'meshes').mkdir(parents=True)
    (folder / 'urdf').mkdir()
    (folder / 'meshes' / 'wheel.dae').write_text(dae(vertices, faces))
    block, _ = prism(4, 1.0, 0.5)
    boxes = [(300.0, 200.0, 50.0, 0.0, 0.0, 0.0), (50.0, 200.0, 200.0, -250.0, 0.0, 250.0)]
    triangles = []
    for hx, hy, hz, x, y, z in boxes:
        turned = block @ np.array([[1, 0, 1], [0, 2, 0], [-1, 0, 1]]) * [hx, hy, hz] + [x, y, z]
        triangles.append(turned[prism(4, 1.0, 0.5)[1]])
    (folder / 'meshes' / 'hull.stl').write_bytes(binary_stl(np.concatenate(triangles)))
    mesh = '<geometry><mesh filename="package://{}/meshes/{}" scale="{}"/></geometry>'
    wheel, hull = (
        mesh.format(folder.name, *about) for about in (('wheel.dae', '1 1 1'), ('hull.stl', '0.001 -0.001 0.001'))
    )
    text = cart(shapes=f'<visual>{hull}</visual>').replace(
        f'<collision>{BOX}</collision>', f'<collision>{hull}</collision>'
    )
    text = text.replace(f'<collision>{ROUND}</collision>', f'<visual>{wheel}</visual><collision>{wheel}</collision>')
    (folder / 'urdf' / 'cart.urdf').write_text(text)
    return folder / 'urdf' / 'cart.urdf'


def test_package_paths_dae_meshes_and_hulls(tmp_path: Path) -> None:
    """package:// is found beside the file; DAE becomes OBJ in meters; a non-convex collision mesh becomes its hull."""
    path = meshed(tmp_path / 'mesh_cart')
    config, mjcf = load_vehicle_model(write_folder(convert(path), tmp_path / 'made'))
    for wheel in config.wheels:
        # 48 corners: the bounding box across the axis is exact, as corners lie on both axes.
        assert (wheel.radius_m, wheel.width_m) == pytest.approx((0.15, 0.08), rel=1e-6)
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    geom = int(model.body(config.wheels[0].body).geomadr[0])
    assert model.geom_rgba[geom] == pytest.approx([0.2, 0.4, 0.6, 1.0])
    assert {path.suffix for path in (mjcf.parent / 'meshes').iterdir()} == {'.obj'}
    (shape,) = config.ground_shapes
    assert shape.mesh is not None
    corners = load_triangles(mjcf.parent / shape.mesh).reshape(-1, 3)
    assert corners.min(axis=0) == pytest.approx([-0.3, -0.2, -0.05], abs=1e-6)
    assert corners.max(axis=0) == pytest.approx([0.3, 0.2, 0.45], abs=1e-6)
    a, b, c = np.moveaxis(load_triangles(mjcf.parent / shape.mesh), 1, 0)
    volume = float(np.einsum('ij,ij->', a, np.cross(b, c))) / 6.0
    # Of the L: section 0.6 x 0.1 below, 0.1 x 0.4 above, and the triangle of 0.5 x 0.4 that closes it, all 0.4 wide.
    assert volume == pytest.approx(0.4 * (0.06 + 0.04 + 0.1), rel=1e-6)
    assert config.collision.shapes[0].size == pytest.approx((0.3, 0.2, 0.25))


def test_missing_package_and_mesh_are_named(tmp_path: Path) -> None:
    path = meshed(tmp_path / 'mesh_cart')
    text = path.read_text()
    path.write_text(text.replace('package://mesh_cart', 'package://other_cart'))
    with pytest.raises(
        InputError,
        match=r"cart.urdf:2: mesh filename = 'package://other_cart/meshes/hull.stl': names the "
        r'package other_cart, which is not found; .*fix: --package other_cart=FOLDER',
    ):
        convert(path)
    assert convert(path, ImportOptions(packages={'other_cart': tmp_path / 'mesh_cart'})).wheels
    path.write_text(
        text.replace(
            '<visual><geometry><mesh filename="package://mesh_cart/meshes/hull',
            '<visual><geometry><mesh filename="package://mesh_cart/meshes/none',
        )
    )
    with pytest.raises(InputError, match=r'no such file.*; fix: --skip-missing-meshes leaves out visual meshes'):
        convert(path)
    assert convert(path, ImportOptions(skip_missing_meshes=True)).wheels
    (tmp_path / 'mesh_cart' / 'meshes' / 'wheel.dae').write_text('<COLLADA>')
    path.write_text(text)
    with pytest.raises(
        InputError, match=r'cart.urdf:3: mesh: .*wheel.dae: is not a DAE file that can be read: .*; allowed: COLLADA'
    ):
        convert(path)


def test_xacro_error_names_the_file(tmp_path: Path) -> None:
    """A package that xacro does not find, a wrong expression, and arguments of a file that has none."""
    path = tmp_path / 'cart.urdf.xacro'
    head = '<robot name="cart" xmlns:xacro="http://ros.org/wiki/xacro">'
    path.write_text(f'{head}<xacro:include filename="$(find nowhere_pkg)/a.xacro"/></robot>')
    with pytest.raises(
        InputError,
        match=r'cart.urdf.xacro: cannot be expanded: package nowhere_pkg not found; '
        r'fix: --package nowhere_pkg=FOLDER',
    ):
        convert(path)
    path.write_text(f'{head}<link name="${{1 + none}}"/></robot>')
    with pytest.raises(InputError, match=r'cannot be expanded: .*none'):
        convert(path)
    path.with_name('cart.urdf').write_text(cart())
    with pytest.raises(InputError, match=r'cart.urdf: has no arguments speed; allowed: arguments of xacro files only'):
        convert(path.with_name('cart.urdf'), ImportOptions(arguments={'speed': '1'}))


def test_ball_caster_rolls_if_named(made: Any) -> None:
    """A named ball gets three hinges, of which the first is the one of rolling ahead; others stay fixed."""
    ball = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
    text = cart(part('fixed', link=WHEEL + ball, name='ball'))
    assert made(text)[0].njnt == 5
    model, _, notes = made(text, ball_casters=('ball',))
    body = model.body('ball')
    axes = model.jnt_axis[int(body.jntadr[0]) : int(body.jntadr[0]) + int(body.jntnum[0])]
    assert axes.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert any('joint ball_joint: is a ball joint, so that ball rolls' in note for note in notes)
    assert "--ball-casters: 'bal': is no link that another one carries; allowed: ball (did you mean ball?)" in one_line(
        made, text, ball_casters=('bal',)
    )
    assert 'link fl: is no ball that can roll; allowed: a link with mass on a fixed joint' in one_line(
        made, text, ball_casters=('fl',)
    )


def test_xacro_arguments_reach_the_robot() -> None:
    robot = Path(__file__).parent / 'data' / 'robots' / 'diff_drive.urdf.xacro'
    made = convert(robot, ImportOptions(arguments={'wheel_radius': '0.2'}, limits={'*': (10.0, 8.0)}))
    assert [wheel['radius_m'] for wheel in yaml.safe_load(made.files['diff_drive.yaml'])['wheels']] == [0.2, 0.2]
