# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS face of one vehicle: what it tells observers after every commit, and what it listens to."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from regolith_msgs import msg as m
from regolith_world.ros import qos
from regolith_world.ros.convert import pose, quaternion, shape_message, vector3
from regolith_world.ros.inbox import Inbox
from regolith_world.rotation import from_yaw, matrix, product
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from regolith_vehicles.agent import Snapshot, VehicleAgent
from regolith_vehicles.wheel_state import WheelState


class VehicleTopics:
    """Publishers and subscriptions in one vehicle's namespace.

    :param node: in the vehicle's namespace; topic names are relative to it
    :param frame_prefix: before every frame id, e.g. ``amber/``
    :param rate_hz: of the state topics, in simulated time
    """

    def __init__(self, node: Node, agent: VehicleAgent, frame_prefix: str, rate_hz: float) -> None:
        self._agent = agent
        self._world, self._odom, self._base = 'world', f'{frame_prefix}odom', f'{frame_prefix}base_link'
        self._wheel_frames = [f'{frame_prefix}{wheel.name}_link' for wheel in agent.model.wheels]
        self._period_ns = round(1e9 / rate_hz)
        self._last_slot = -1
        self._odometry = node.create_publisher(OdometryMessage, 'odom', qos.STATE)
        self._truth = node.create_publisher(OdometryMessage, 'ground_truth/odom', qos.STATE)
        self._joints = node.create_publisher(JointState, 'joint_states', qos.STATE)
        self._wheels = node.create_publisher(m.WheelStates, 'wheel_states', qos.STATE)
        self._state = node.create_publisher(m.WheeledVehicleState, 'vehicle_state', qos.STATE)
        self._tf = node.create_publisher(TFMessage, 'tf', qos.TF)
        self._description = node.create_publisher(m.WheeledVehicleDescription, 'description', qos.LATCHED)
        self._description.publish(self._describe())

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
        self._publish_truth(snapshot, stamp)
        self._publish_odometry(snapshot, stamp)
        joints = JointState(name=list(snapshot.joint_names))
        joints.header.stamp = stamp
        joints.position = snapshot.joint_positions.tolist()
        joints.velocity = snapshot.joint_velocities.tolist()
        self._joints.publish(joints)
        wheels = m.WheelStates(wheels=[_wheel_message(w) for w in snapshot.wheels])
        wheels.header.stamp, wheels.header.frame_id = stamp, self._world
        self._wheels.publish(wheels)
        state = m.WheeledVehicleState(
            name=self._agent.name,
            chassis=pose(snapshot.base.position, snapshot.base.orientation),
            wheels=[pose(p.position, p.orientation) for p in snapshot.wheel_poses],
        )
        state.header.stamp, state.header.frame_id = stamp, self._world
        self._state.publish(state)

    def _publish_truth(self, snapshot: Snapshot, stamp: Time) -> None:
        base = snapshot.base
        to_body = matrix(base.orientation).T
        truth = OdometryMessage(child_frame_id=self._base)
        truth.header.stamp, truth.header.frame_id = stamp, self._world
        truth.pose.pose = pose(base.position, base.orientation)
        truth.twist.twist.linear = vector3(to_body @ base.linear_velocity)
        truth.twist.twist.angular = vector3(to_body @ base.angular_velocity)
        self._truth.publish(truth)

    def _publish_odometry(self, snapshot: Snapshot, stamp: Time) -> None:
        reckoned = snapshot.odometry
        message = OdometryMessage(child_frame_id=self._base)
        message.header.stamp, message.header.frame_id = stamp, self._odom
        position, turn = np.array([reckoned.x, reckoned.y, 0.0]), from_yaw(reckoned.yaw)
        message.pose.pose = pose(position, turn)
        message.twist.twist.linear = vector3((reckoned.linear_x, reckoned.linear_y, 0.0))
        message.twist.twist.angular.z = float(reckoned.angular)
        self._odometry.publish(message)
        frames = [self._transform(stamp, self._odom, self._base, position, turn)]
        base = snapshot.base
        to_body = matrix(base.orientation).T
        inverse = base.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
        for frame, wheel in zip(self._wheel_frames, snapshot.wheel_poses):
            offset = to_body @ (wheel.position - base.position)
            frames.append(self._transform(stamp, self._base, frame, offset, product(inverse, wheel.orientation)))
        self._tf.publish(TFMessage(transforms=frames))

    @staticmethod
    def _transform(
        stamp: Time, parent: str, child: str, position: np.ndarray, orientation: np.ndarray
    ) -> TransformStamped:
        transform = TransformStamped(child_frame_id=child)
        transform.header.stamp, transform.header.frame_id = stamp, parent
        transform.transform.translation = vector3(position)
        transform.transform.rotation = quaternion(orientation)
        return transform


def _wheel_message(wheel: WheelState) -> m.WheelState:
    return m.WheelState(
        name=wheel.name,
        speed=float(wheel.angular_speed),
        steering_angle=float(wheel.steer_angle),
        slip_ratio=float(wheel.slip_ratio),
        slip_angle=float(wheel.slip_angle),
        sinkage_total=float(wheel.sinkage_total),
        sinkage_incremental=float(wheel.sinkage_incremental),
        normal_load=float(wheel.normal_load),
        drawbar_pull=float(wheel.drawbar_pull),
        force=vector3(wheel.force),
        torque=vector3(wheel.torque),
        loaded_nodes=int(wheel.loaded_nodes),
    )


