# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the import of SDF: frames, axes, joints beside the frames of their links, included models, faults."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

from regolith_files import InputError
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.robot_import import convert, write_folder

ROVER = Path(__file__).parent / 'data' / 'robots' / 'rover.sdf'


def test_sdf_rover_has_its_masses_frames_and_wheels(tmp_path: Path) -> None:
    """Poses are relative to the model, axes to the joint or as stated; the model's own pose does not matter.

    1e-9: the file gives pi / 2 with 16 digits.
    """
    config, mjcf = load_vehicle_model(write_folder(convert(ROVER), tmp_path / 'made'))
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(model)
    data.qpos[3] = 1.0
    mujoco.mj_forward(model, data)
    assert model.body_mass.sum() == pytest.approx(24.5, rel=1e-12)
    center = (
        20.0 * np.array([0.02, 0.0, 0.05]) + 4.0 * np.array([0.0, 0.0, -0.15]) + 0.5 * np.array([0.0, 0.0, 0.4])
    ) / 24.5
    assert data.subtree_com[0] == pytest.approx(center, abs=1e-9)
    assert [wheel.joint for wheel in config.wheels] == [
        f'{a}_{b}_joint' for a in ('front', 'rear') for b in ('left', 'right')
    ]
    for wheel in config.wheels:
        x, y = (0.25 if 'front' in wheel.name else -0.25), (0.3 if 'left' in wheel.name else -0.3)
        assert data.body(wheel.body).xpos == pytest.approx([x, y, -0.15], abs=1e-9)
        assert data.xipos[model.body(wheel.body).id] == pytest.approx([x, y, -0.15], abs=1e-9)
        assert data.xaxis[model.joint(wheel.joint).id] == pytest.approx([0.0, 1.0, 0.0], abs=1e-9)
        assert not model.jnt_limited[model.joint(wheel.joint).id]
    assert data.body('bob/weight').xpos == pytest.approx([0.0, 0.0, 0.4], abs=1e-12)
    assert [model.joint(f'hook_{axis}').type[0] for axis in 'xyz'] == [mujoco.mjtJoint.mjJNT_HINGE] * 3


FAULTS = (
    ('<link name="rear_left">', '<link name="base_link">', 'link base_link: is already defined'),
    ('type="ball"', 'type="gearbox"', "joint hook type = 'gearbox': is not read; allowed: fixed, continuous, "),
    ('<child>front_left</child>', '<child>front</child>', "child = 'front': is no link of the model"),
    ('<xyz expressed_in="__model__">', '<xyz expressed_in="nowhere">', "xyz = 'nowhere': is no frame of the model"),
    ('<uri>pendulum.sdf</uri>', '<uri>https://fuel.example.org/pendulum</uri>', 'is a URL, and URLs are not read'),
    ('<uri>pendulum.sdf</uri>', '<uri>model://pendel</uri>', 'names the model pendel, which is not found'),
    ('<mass>20</mass>', '<mass>heavy</mass>', "mass = 'heavy': is not a finite number"),
    ('<left_joint>front_left_joint<', '<left_joint>front_joint<', 'drives front_joint, which is no joint'),
    ('<model name="sdf_rover">', '<model name="other"/><model name="sdf_rover">', 'has 2 models; allowed: exactly one'),
    ('<velocity>8</velocity>', '', 'has no limit of velocity for its wheel motor'),
)


@pytest.mark.parametrize(('old', 'new', 'expected'), FAULTS, ids=[fault[2][:30] for fault in FAULTS])
def test_sdf_fault_is_one_line(old: str, new: str, expected: str, tmp_path: Path) -> None:
    text = ROVER.read_text()
    assert old in text
    (tmp_path / 'rover.sdf').write_text(text.replace(old, new, 1))
    (tmp_path / 'pendulum.sdf').write_text(ROVER.with_name('pendulum.sdf').read_text())
    with pytest.raises(InputError) as error:
        convert(tmp_path / 'rover.sdf')
    (line,) = str(error.value).splitlines()
    assert re.match(r'.*rover\.sdf:\d+: ', line)
    assert expected in line
