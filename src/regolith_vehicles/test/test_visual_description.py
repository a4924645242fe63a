# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of visual descriptions: parts of bodies, drawn running gear parts, and message encoding."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from regolith_vehicles.description.model_files import known_vehicles, load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals
from regolith_vehicles.visuals.visual_description import (
    DrawnPart,
    MovingPart,
    PartRole,
    TriangleMesh,
    Visual,
    VisualDescription,
    VisualMaterial,
)
from regolith_world.numerics.rotation import matrix

SHOES = 127
RUBBER = VisualMaterial('rubber', (0.02, 0.02, 0.02), 0.9)


@pytest.mark.parametrize('model', ['viper', 'rocker_bogie', 'rassor', 'hmmwv'])
def test_drawn_geoms_match_mujoco_poses(model: str) -> None:
    """Every geom is in exactly one part, at its pose for any joint positions; wheels have their names and roles."""
    config, mjcf = load_vehicle_model(model)
    looks = load_visuals(config, mjcf)
    physics = mujoco.MjModel.from_xml_path(str(mjcf))
    data = mujoco.MjData(physics)
    data.qpos[7:] += np.random.default_rng(1).uniform(-0.3, 0.3, physics.nq - 7)
    mujoco.mj_kinematics(physics, data)
    drawn = []
    for body, part in zip(looks.bodies, looks.parts, strict=True):
        frame = data.xmat[body].reshape(3, 3)
        drawn += [
            (*np.round(data.xpos[body] + frame @ v.position, 9), *np.round(frame @ matrix(v.orientation)[:, 2], 9))
            for v in part.visuals
        ]
    seen = [g for g in range(physics.ngeom) if physics.geom_rgba[g, 3] > 0.0]
    there = [(*np.round(data.geom_xpos[g], 9), *np.round(data.geom_xmat[g].reshape(3, 3)[:, 2], 9)) for g in seen]
    np.testing.assert_allclose(sorted(drawn), sorted(there), atol=1e-8)
    wheels = [part.name for part in looks.parts if part.role == PartRole.WHEEL]
    assert len(wheels) == (6 if model == 'rocker_bogie' else 4) and 'front_left' in wheels
    assert looks.parts[0].name == 'base_link' and looks.parts[0].parent == '' and looks.family == 'wheeled'
    names = [part.name for part in looks.parts]
    assert len(set(names)) == len(names) and all(names.index(p.parent) < k for k, p in enumerate(looks.parts) if k)


def like(one: VisualDescription, other: VisualDescription) -> bool:
    def plain(looks: VisualDescription) -> list[Any]:
        return [
            (
                p.name,
                p.parent,
                p.role,
                p.frame,
                p.position.tolist(),
                p.orientation.tolist(),
                [
                    (
                        v.shape,
                        v.size,
                        v.paint,
                        v.position.tolist(),
                        v.orientation.tolist(),
                        v.mesh and (v.mesh.name, v.mesh.vertices.tolist(), v.mesh.triangles.tolist()),
                    )
                    for v in p.visuals
                ],
            )
            for p in looks.parts
        ]

    return plain(one) == plain(other)


def tracked() -> VisualDescription:
    """Return the visual description of a hull with a track: 127 shoes that share a mesh and a bolt, and wheels."""
    plate = TriangleMesh('plate', np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.uint32))
    shoe = (
        Visual(mesh=plate, paint=RUBBER, name='pad'),
        Visual('box', (0.01, 0.02, 0.03), paint=RUBBER, position=np.array([0.0, 0.0, 0.1]), name='bolt'),
    )
    disc = (Visual('cylinder', (0.3, 0.1), name='disc'),)
    parts = [MovingPart('hull', '', PartRole.BODY, (Visual('box', (2.0, 1.0, 0.5), name='box'),), 'base_link')]
    parts += [
        MovingPart(n, 'hull', r, disc, n)
        for n, r in (
            ('sprocket', PartRole.SPROCKET),
            ('idler', PartRole.IDLER),
            ('road_0', PartRole.ROAD_WHEEL),
            ('road_1', PartRole.ROAD_WHEEL),
        )
    ]
    shoes = [DrawnPart(f'shoe_{k}', PartRole.TRACK_SHOE, shoe) for k in range(SHOES)]
    return VisualDescription(tuple(parts + [MovingPart(d.name, '', d.role, d.visuals) for d in shoes]))


def message_of(looks: VisualDescription) -> Any:
    pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')
    from regolith_vehicles.ros.visual_messages import description_message

    return description_message('any', looks, 'any/base_link', 1.0)


@pytest.mark.parametrize('model', [*sorted(known_vehicles()), 'tracked'])
def test_description_message_is_complete(model: str) -> None:
    from regolith_vehicles.visuals.visual_messages import visuals_from_message

    looks = tracked() if model == 'tracked' else load_visuals(*load_vehicle_model(model))
    message = message_of(looks)
    told = visuals_from_message(message)
    assert like(told, looks)
    assert sum(part.moving for part in message.parts) == len(looks.parts)
    if model == 'tracked':
        assert message.family == told.family == 'tracked' and len(message.meshes) == 1
        assert len({id(part.visuals) for part in told.parts if part.role == PartRole.TRACK_SHOE}) == 1
        assert told.rows(PartRole.ROAD_WHEEL) == [3, 4]


def test_incomplete_description_is_refused() -> None:
    from regolith_vehicles.visuals.visual_messages import visuals_from_message

    message = message_of(tracked())
    message.materials = []
    with pytest.raises(ValueError, match="description of any: 'bare' is not defined"):
        visuals_from_message(message)


def test_poses_are_read_from_serialized_messages() -> None:
    """The serialized template is the message that ROS decodes, and is read without decoding, for any name length."""
    pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')
    from geometry_msgs.msg import Pose
    from rclpy.serialization import deserialize_message
    from regolith_msgs.msg import PartPoses

    from regolith_vehicles.visuals.visual_messages import poses_from_message, state_poses, state_values
    from regolith_world.ros.message_template import MessageTemplate, pose_fields

    for name in ('a', 'amber', 'basalts', 'obsidian'):
        message = PartPoses(name=name, poses=[Pose() for _ in range(SHOES)])
        message.header.frame_id = 'world'
        numbers = [f for each in message.poses for f in pose_fields(each)]
        template = MessageTemplate(message, numbers, [message.header.stamp], [(message, 'epoch')])
        poses = np.random.default_rng(2).normal(size=(SHOES, 7))
        raw = template.fill(12_345_678_901, poses.ravel(), (3,))
        t_ns, epoch, back = state_poses(raw)
        assert (t_ns, epoch) == (12_345_678_901, 3) and np.array_equal(back, poses)
        assert np.array_equal(poses_from_message(deserialize_message(raw, PartPoses)), poses)
        assert state_values(raw)[3].size == 0
        message.temperatures = [0.0] * SHOES
        template = MessageTemplate(message, [(message, 'temperatures'), *numbers], [message.header.stamp])
        warm = np.random.default_rng(3).uniform(100.0, 400.0, SHOES)
        raw = template.fill(12_345_678_901, np.concatenate((warm, poses.ravel())))
        assert np.array_equal(state_values(raw)[3], warm) and np.array_equal(state_poses(raw)[2], poses)
