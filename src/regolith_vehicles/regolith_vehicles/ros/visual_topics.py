# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Topics of a vehicle's visual description and part poses, for all vehicles and with SynChrono's fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from numpy.typing import NDArray
from rclpy.node import Node
from regolith_msgs import msg as m

from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.ros.state_topic import StateTopic
from regolith_vehicles.ros.visual_messages import description_message
from regolith_vehicles.visuals.visual_description import PartRole
from regolith_world.ros import TemplateField, pose_fields, protocol_codec, qos

_TRACKED = {
    'track_shoes': PartRole.TRACK_SHOE,
    'sprockets': PartRole.SPROCKET,
    'idlers': PartRole.IDLER,
    'road_wheels': PartRole.ROAD_WHEEL,
}
"""Roles of the parts by field of TrackedVehicleState."""
_TRACKED_FILES = (
    'track_shoe',
    'left_sprocket',
    'right_sprocket',
    'left_idler',
    'right_idler',
    'left_road_wheel',
    'right_road_wheel',
)


class VisualTopics:
    """Publishers of ``visual_description`` and ``part_poses``, and of SynChrono's descriptions and states.

    Poses are in the world frame after every commit, and can be drawn or interpolated without other messages. Frames on
    ``/tf`` come from the joints.

    Args:
        node: Node in the vehicle's namespace.
        agent: Agent of the vehicle.
        base_frame: Frame id of the base with its prefix.
    """

    def __init__(self, node: Node, agent: VehicleAgent, base_frame: str) -> None:
        looks = agent.looks
        every = list(range(len(looks.parts)))
        rollers = [roller for roller in agent.vehicle.gear.rollers if roller.role == PartRole.WHEEL]
        names = [part.name for part in looks.parts]
        wheels = [names.index(roller.name) for roller in rollers]
        self._states: list[tuple[StateTopic, NDArray[np.int64]]] = []
        warm = every if agent.model.thermal is not None else []
        everywhere = m.PartPoses(poses=[Pose() for _ in every], temperatures=[0.0] * len(warm))
        epochs = [(everywhere, 'epoch')]
        self.all = self._add(node, 'part_poses', agent.name, everywhere, everywhere.poses, every, epochs)
        base = agent.vehicle.body_state()
        shapes = [protocol_codec.SHAPE.to_message(s) for s in agent.shapes]
        visuals, mass = agent.model.visuals, float(base.mass)
        described: list[tuple[str, Any]] = [
            ('visual_description', description_message(agent.name, looks, base_frame, mass, shapes)),
        ]
        if wheels:
            wheeled = m.WheeledVehicleState(wheels=[Pose() for _ in wheels])
            self._add(node, 'wheeled_state', agent.name, wheeled, [wheeled.chassis, *wheeled.wheels], [0, *wheels])
            on_wheels = m.WheeledVehicleDescription(
                name=agent.name,
                chassis_vis_file=visuals.chassis_vis_file,
                wheel_vis_file=visuals.wheel_vis_file,
                tire_vis_file=visuals.tire_vis_file,
                num_wheels=len(rollers),
                wheel_names=[r.name for r in rollers],
                wheel_radius=[r.radius for r in rollers],
                wheel_width=[r.width for r in rollers],
                shapes=shapes,
                mass=mass,
                model_file=agent.mjcf_path.read_text(),
            )
            described.append(('wheeled_description', on_wheels))
        if looks.family == 'tracked':
            tracked = m.TrackedVehicleState()
            rows, poses = [0], [tracked.chassis]
            description = m.TrackedVehicleDescription(name=agent.name, shapes=shapes, mass=mass)
            description.chassis_vis_file, description.model_file = visuals.chassis_vis_file, agent.mjcf_path.read_text()
            for file in _TRACKED_FILES:
                setattr(description, f'{file}_vis_file', getattr(visuals, f'{file}_vis_file'))
            for field, role in _TRACKED.items():
                setattr(tracked, field, [Pose() for _ in looks.rows(role)])
                setattr(description, f'num_{field}', len(looks.rows(role)))
                rows += looks.rows(role)
                poses += getattr(tracked, field)
            self._add(node, 'tracked_state', agent.name, tracked, poses, rows)
            described.append(('tracked_description', description))
        for topic, message in described:
            message.header.frame_id = base_frame
            node.create_publisher(type(message), topic, qos.LATCHED).publish(message)

    def _add(
        self,
        node: Node,
        topic: str,
        name: str,
        message: Any,
        poses: list[Pose],
        rows: list[int],
        epochs: Sequence[TemplateField] = (),
    ) -> StateTopic:
        """Make the topic of some parts' poses: ``poses`` in the message, at ``rows`` of all poses."""
        message.name, message.header.frame_id = name, 'world'
        warm: list[TemplateField] = [(message, 'temperatures')] if getattr(message, 'temperatures', ()) else []
        made = StateTopic(node, topic, message, warm + [f for each in poses for f in pose_fields(each)], epochs)
        self._states.append((made, np.array(rows, dtype=np.int64)))
        return made

    @property
    def wanted(self) -> bool:
        """Whether poses have subscribers."""
        return any(topic.wanted for topic, _ in self._states)

    def publish(self, snapshot: VehicleState, epoch: int) -> None:
        """Publish the poses of a state committed in an epoch."""
        if snapshot.poses is None:  # no subscribers when the state was captured
            return
        for topic, rows in self._states:
            if topic.wanted:
                values, whole = snapshot.poses[rows].ravel(), topic is self.all
                if whole and snapshot.energy is not None:
                    values = np.concatenate((snapshot.energy.part_k, values))
                topic.publish(snapshot.t_ns, values, (epoch,) if whole else ())
