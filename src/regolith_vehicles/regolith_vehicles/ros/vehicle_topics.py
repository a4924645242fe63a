# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS face of one vehicle: what it tells observers after every commit, and what it listens to."""

from __future__ import annotations

from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from regolith_msgs import msg as m
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from regolith_vehicles import wheel_state
from regolith_vehicles.agent import Snapshot, VehicleAgent
from regolith_world.records import Vector
from regolith_world.ros import qos
from regolith_world.ros.convert import set_pose, set_quaternion, set_xyz, shape_message
from regolith_world.ros.inbox import Inbox
from regolith_world.rotation import from_yaw, matrix, product


class VehicleTopics:
    """Publishers and subscriptions in one vehicle's namespace.

    Nothing is built for a topic that nobody listens to; what is built is built into messages that are kept, because
    making new ones costs more than filling and sending them.

    :param node: in the vehicle's namespace; topic names are relative to it
    :param frame_prefix: before every frame id, e.g. ``amber/``
    :param rate_hz: of the state topics, in simulated time
    """

    def __init__(self, node: Node, agent: VehicleAgent, frame_prefix: str, rate_hz: float) -> None:
        self._agent = agent
        self._base = f'{frame_prefix}base_link'
        self._period_ns = round(1e9 / rate_hz)
        self._last_slot = -1
        wheels = agent.model.wheels
        self._truth = _Topic(node, OdometryMessage(child_frame_id=self._base), 'ground_truth/odom', 'world')
        self._odometry = _Topic(node, OdometryMessage(child_frame_id=self._base), 'odom', f'{frame_prefix}odom')
        self._joints = _Topic(node, JointState(), 'joint_states', '')
        self._wheels = _Topic(
            node, m.WheelStates(wheels=[m.WheelState(name=w.name) for w in wheels]), 'wheel_states', 'world'
        )
        self._state = _Topic(
            node,
            m.WheeledVehicleState(name=agent.name, wheels=[Pose() for _ in wheels]),
            'vehicle_state',
            'world',
        )
        frames = [TransformStamped(child_frame_id=self._base)]
        frames += [TransformStamped(child_frame_id=f'{frame_prefix}{wheel.name}_link') for wheel in wheels]
        for frame in frames:
            frame.header.frame_id = self._base
        frames[0].header.frame_id = f'{frame_prefix}odom'
        self._frames = TFMessage(transforms=frames)
        self._tf = node.create_publisher(TFMessage, 'tf', qos.TF)
        description = node.create_publisher(m.WheeledVehicleDescription, 'description', qos.LATCHED)
        description.publish(self._describe())

    def listen(self, inbox: Inbox, topic: str, stamped: bool) -> None:
        """Take ``cmd_vel`` from ``topic``; ``stamped`` for TwistStamped (distros after Jazzy)."""
        if stamped:
            inbox.subscribe(TwistStamped, topic, lambda t: self._command(t.twist), qos.COMMAND, optional=True)
        else:
            inbox.subscribe(Twist, topic, self._command, qos.COMMAND, optional=True)

    def _command(self, twist: Twist) -> None:
        self._agent.on_command(twist.linear.x, twist.angular.z)

    def _describe(self) -> m.WheeledVehicleDescription:
        agent = self._agent
        description = agent.description()
        wheels = agent.model.wheels
        message = m.WheeledVehicleDescription(
            name=agent.name,
            chassis_vis_file=description.chassis_vis_file,
            wheel_vis_file=description.wheel_vis_file,
            tire_vis_file=description.tire_vis_file,
            num_wheels=int(description.num_wheels),
            wheel_names=[w.name for w in wheels],
            wheel_radius=[float(w.radius_m) for w in wheels],
            wheel_width=[float(w.width_m) for w in wheels],
            shapes=[shape_message(s) for s in agent.shapes],
            mass=float(agent.vehicle.body_state().mass),
            model_file=agent.mjcf_path.read_text(),
        )
        message.header.frame_id = self._base
        return message

    def publish(self, snapshot: Snapshot) -> None:
        """Publish a committed state, at most once per period of simulated time."""
        slot = snapshot.t_ns // self._period_ns
        if slot == self._last_slot:
            return
        self._last_slot = slot
        stamp = Time(sec=int(snapshot.t_ns // 10**9), nanosec=int(snapshot.t_ns % 10**9))
        base = snapshot.base
        to_body = matrix(base.orientation).T
        if self._truth.wanted:
            truth = self._truth.message
            set_pose(truth.pose.pose, base.position, base.orientation)
            set_xyz(truth.twist.twist.linear, to_body @ base.linear_velocity)
            set_xyz(truth.twist.twist.angular, to_body @ base.angular_velocity)
            self._truth.publish(stamp)
        reckoned = snapshot.odometry
        position, turn = np.array([reckoned.x, reckoned.y, 0.0]), from_yaw(reckoned.yaw)
        if self._odometry.wanted:
            odometry = self._odometry.message
            set_pose(odometry.pose.pose, position, turn)
            set_xyz(odometry.twist.twist.linear, (reckoned.linear_x, reckoned.linear_y, 0.0))
            odometry.twist.twist.angular.z = float(reckoned.angular)
            self._odometry.publish(stamp)
        if self._joints.wanted:
            joints = self._joints.message
            joints.name = list(snapshot.joint_names)
            joints.position = snapshot.joint_positions.tolist()
            joints.velocity = snapshot.joint_velocities.tolist()
            self._joints.publish(stamp)
        if self._wheels.wanted:
            for message, wheel in zip(self._wheels.message.wheels, snapshot.wheel_table.tolist()):
                _fill_wheel(message, wheel)
            self._wheels.publish(stamp)
        if self._state.wanted:
            set_pose(self._state.message.chassis, base.position, base.orientation)
            poses = zip(snapshot.wheel_positions.tolist(), snapshot.wheel_orientations.tolist())
            for message, (place, turned) in zip(self._state.message.wheels, poses):
                set_pose(message, place, turned)
            self._state.publish(stamp)
        if self._tf.get_subscription_count():
            self._publish_frames(snapshot, stamp, position, turn, to_body)

    def _publish_frames(self, snapshot: Snapshot, stamp: Time, position: Vector, turn: Vector, to_body: Vector) -> None:
        frames = self._frames.transforms
        _fill_transform(frames[0], stamp, position, turn)
        base = snapshot.base
        inverse = base.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
        offsets = (snapshot.wheel_positions - base.position) @ to_body.T
        for frame, offset, turned in zip(frames[1:], offsets.tolist(), snapshot.wheel_orientations):
            _fill_transform(frame, stamp, offset, product(inverse, turned))
        self._tf.publish(self._frames)


class _Topic:
    """A publisher of one kind of state and the message it fills again and again."""

    def __init__(self, node: Node, message: Any, topic: str, frame: str) -> None:
        self.message = message
        message.header.frame_id = frame
        self._publisher = node.create_publisher(type(message), topic, qos.STATE)

    @property
    def wanted(self) -> bool:
        """Whether anybody listens."""
        return bool(self._publisher.get_subscription_count())

    def publish(self, stamp: Time) -> None:
        """Send the message as it is."""
        self.message.header.stamp = stamp
        self._publisher.publish(self.message)


def _fill_transform(message: TransformStamped, stamp: Time, position: Vector, orientation: Vector) -> None:
    message.header.stamp = stamp
    set_xyz(message.transform.translation, position)
    set_quaternion(message.transform.rotation, orientation)


def _fill_wheel(message: m.WheelState, row: list[float]) -> None:
    """Fill a message from a row of the table of wheel states."""
    message.speed = row[wheel_state.SPIN]
    message.steering_angle = row[wheel_state.STEER]
    message.slip_ratio = row[wheel_state.SLIP]
    message.slip_angle = row[wheel_state.SLIP_ANGLE]
    message.sinkage_total = row[wheel_state.SINKAGE_TOTAL]
    message.sinkage_incremental = row[wheel_state.SINKAGE_INCREMENTAL]
    message.normal_load = row[wheel_state.NORMAL_LOAD]
    message.drawbar_pull = row[wheel_state.DRAWBAR]
    set_xyz(message.force, row[wheel_state.FORCE : wheel_state.TORQUE])
    set_xyz(message.torque, row[wheel_state.TORQUE : wheel_state.COLUMNS])
    message.loaded_nodes = int(row[wheel_state.LOADED_NODES])
