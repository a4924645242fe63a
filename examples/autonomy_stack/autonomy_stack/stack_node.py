# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS node of the stack: ``ros2 run autonomy_stack stack_node --ros-args -r __ns:=/rover -p "goals:=[36.0, 0.0]"``.

Inputs in the namespace of the rover: ``odom``, ``imu/data_raw``, ``lidar/points``; and ``/tf_static`` for the poses of
sensors. Outputs: one ``cmd_vel`` for each ``odom``; ``stack/path``, ``stack/hazards``, ``stack/reached``; and the
transform from ``map`` to the odom frame, which contains the corrections of dead reckoning.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import rclpy
from geometry_msgs.msg import PoseStamped, TransformStamped, Twist
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from numpy.typing import NDArray
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Imu, PointCloud2
from tf2_msgs.msg import TFMessage

from autonomy_stack.clouds import points_of
from autonomy_stack.follower import Driving
from autonomy_stack.frames import matrix, quaternion, to_base
from autonomy_stack.hazards import Limits
from autonomy_stack.inputs import CLOUD, INERTIAL, WHEELS
from autonomy_stack.stack import Command, Mount, Settings, Stack

Vector = NDArray[np.float64]

TICK_S, QUIET_TICKS = 0.2, 5
"""Period of the timer [wall s], and number of periods without messages before a zero command."""
INPUTS = ('odom', 'imu/data_raw', 'lidar/points')
DEEP = QoSProfile(depth=200)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Each of several publishers sends a part of the tree.
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class StackNode(Node):
    """Node that queues inputs and publishes one command for every ``odom``, once all earlier inputs have arrived."""

    def __init__(self) -> None:
        super().__init__('autonomy_stack')
        flat = list(self.declare_parameter('goals', [36.0, 0.0, 0.0, 0.0]).value)
        self._drives = self.declare_parameter('drives', True).value
        if len(flat) % 2:
            raise ValueError(f'goals = {flat}: not pairs; allowed: x1, y1, x2, y2, ... in the frame of the start [m]')
        self._goals = list(zip(flat[::2], flat[1::2])) if self._drives else []
        self._speed = self.declare_parameter('speed', 0.4).value
        self._slope = self.declare_parameter('max_slope_deg', 18.0).value
        self._step = self.declare_parameter('max_step', 0.18).value
        self._imu_hz = self.declare_parameter('imu_hz', 100.0).value
        self._cloud_hz = self.declare_parameter('cloud_hz', 2.0).value
        self._lag_ns = round(self.declare_parameter('lag', 0.04).value * 1e9)
        self._base = self.declare_parameter('base_frame', 'rover/base_link').value
        self._map = self.declare_parameter('map_frame', 'map').value
        self._fixed: dict[str, tuple[str, Vector, Vector]] = {}
        self._sensors = {'imu': '', 'lidar': ''}
        self._waiting: list[Odometry] = []
        self._early: list[tuple[int, int, Any]] = []
        self._stack: Stack | None = None
        self._received_at: Any = None
        self._told = 0
        self._commanded = False
        self._quiet = 0
        self.over = False
        self._commands = self.create_publisher(Twist, 'cmd_vel', 1) if self._drives else None
        self._paths = self.create_publisher(Path, 'stack/path', 1)
        self._grids = self.create_publisher(OccupancyGrid, 'stack/hazards', LATCHED)
        self._arrivals = self.create_publisher(PoseStamped, 'stack/reached', 10)
        self._frames = self.create_publisher(TFMessage, '/tf', 10)
        self.create_subscription(TFMessage, '/tf_static', self._place, STATIC)
        for message_type, topic, callback in zip(
            (Odometry, Imu, PointCloud2), INPUTS, (self._roll, self._feel, self._see)
        ):
            self.create_subscription(message_type, topic, callback, DEEP)
        self.create_timer(TICK_S, self._watch)

    @property
    def done(self) -> bool:
        """Whether all goals were reached."""
        return self._stack is not None and self._stack.done

    # -- in -----------------------------------------------------------------------------------------------------------

    def _place(self, message: TFMessage) -> None:
        for frame in message.transforms:
            t, q = frame.transform.translation, frame.transform.rotation
            self._fixed[frame.child_frame_id] = (
                frame.header.frame_id,
                np.array([t.x, t.y, t.z]),
                matrix(np.array([q.x, q.y, q.z, q.w])),
            )

    def _roll(self, message: Odometry) -> None:
        self._waiting.append(message)
        self._take(_ns(message), WHEELS, (message.twist.twist.linear.x, message.twist.twist.linear.y))

    def _feel(self, message: Imu) -> None:
        self._sensors['imu'] = message.header.frame_id
        rate, force = message.angular_velocity, message.linear_acceleration
        self._take(_ns(message), INERTIAL, (np.array([rate.x, rate.y, rate.z]), np.array([force.x, force.y, force.z])))

    def _see(self, message: PointCloud2) -> None:
        self._sensors['lidar'] = message.header.frame_id
        self._take(_ns(message), CLOUD, points_of(message))

    def _take(self, t_ns: int, kind: int, content: Any) -> None:
        self._received_at = self.get_clock().now()
        self._quiet = 0
        if self._stack is None:
            self._early.append((t_ns, kind, content))
            self._start()
        else:
            self._stack.inputs.add(t_ns, kind, content)
        self._answer()

    def _start(self) -> None:
        """Make the stack once the poses of the sensors are known."""
        lidar, imu = (to_base(self._fixed, self._sensors[name], self._base) for name in ('lidar', 'imu'))
        if lidar is None or imu is None:
            return
        settings = Settings(
            Mount(*lidar),
            Mount(*imu),
            imu_hz=self._imu_hz,
            cloud_hz=self._cloud_hz,
            limits=Limits(slope_deg=self._slope, step_m=self._step),
            driving=Driving(speed_mps=self._speed),
        )
        self._stack = Stack(settings, self._goals)
        first_s = min(t_ns for t_ns, kind, _ in self._early if kind == INERTIAL) * 1e-9
        self.get_logger().info(f'all sensors are known; the first sample of the IMU is of {first_s:.2f} s')
        for entry in self._early:
            self._stack.inputs.add(*entry)

    # -- out ----------------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        """Publish a command for every odometry whose inputs have arrived."""
        while self._stack is not None and self._waiting:
            odometry = self._waiting[0]
            t_ns = max(_ns(odometry) - self._lag_ns, 0)
            command = self._stack.step(t_ns)
            if command is None:
                return
            self._waiting.pop(0)
            self._command(command)
            self._commanded = True
            self._tell(odometry)

    def _command(self, command: Command) -> None:
        """Publish a command, if the stack drives."""
        if self._commands is None:
            return
        twist = Twist()
        twist.linear.x, twist.angular.z = command.speed, command.turning
        self._commands.publish(twist)

    def _tell(self, odometry: Odometry) -> None:
        stack = self._stack
        assert stack is not None
        stamp = odometry.header.stamp
        pose = stack.odometry.at(max(_ns(odometry) - self._lag_ns, 0))
        if pose is not None and self._frames.get_subscription_count():
            q, p = odometry.pose.pose.orientation, odometry.pose.pose.position
            reckoned = matrix(np.array([q.x, q.y, q.z, q.w]))
            rotation = pose.rotation @ reckoned.T
            shift = pose.place - rotation @ np.array([p.x, p.y, p.z])
            frame = TransformStamped(child_frame_id=odometry.header.frame_id)
            frame.header.stamp, frame.header.frame_id = stamp, self._map
            t, turn = frame.transform.translation, frame.transform.rotation
            t.x, t.y, t.z = shift.tolist()
            turn.x, turn.y, turn.z, turn.w = quaternion(rotation).tolist()
            self._frames.publish(TFMessage(transforms=[frame]))
        for place in stack.reached[self._told :]:
            arrival = PoseStamped()
            arrival.header.stamp, arrival.header.frame_id = stamp, self._map
            arrival.pose.position.x, arrival.pose.position.y = place
            self._arrivals.publish(arrival)
            self._told += 1
            self.get_logger().info(f'goal {self._told} of {len(stack.goals)} reached')
        if _ns(odometry) % 1_000_000_000 == 0:
            self._draw(stamp)

    def _draw(self, stamp: Any) -> None:
        """Publish path and hazards for viewers."""
        stack = self._stack
        if stack is None:
            return
        if stack.field is not None and not stack.done and self._paths.get_subscription_count():
            path = Path()
            path.header.stamp, path.header.frame_id = stamp, self._map
            for x, y in stack.field.path(*stack.pose[:2]).tolist():
                point = PoseStamped(header=path.header)
                point.pose.position.x, point.pose.position.y = x, y
                path.poses.append(point)
            self._paths.publish(path)
        if stack.hazards is not None and self._grids.get_subscription_count():
            grid = OccupancyGrid()
            grid.header.stamp, grid.header.frame_id = stamp, self._map
            hazards, info = stack.hazards, grid.info
            known = np.isfinite(hazards.slope)
            info.resolution, (info.width, info.height) = stack.ground.cell, hazards.cost.shape
            info.origin.position.x, info.origin.position.y = stack.corner
            level = np.where(known, np.clip(12.0 * (hazards.cost - 1.0), 0.0, 99.0), -1.0)
            level = np.where(hazards.blocked, 100.0, level)
            # In the message the index of x changes fastest, here that of y.
            grid.data = level.T.astype(np.int8).ravel().tolist()
            self._grids.publish(grid)

    def _connected(self) -> bool:
        """Return whether there are publishers of all inputs, and a subscriber of commands."""
        if self._commands is None or not self._commands.get_subscription_count():
            return False
        return bool(self._fixed) and all(map(self.count_publishers, INPUTS))

    def _watch(self) -> None:
        """Start a waiting world by a zero command; exit after the world's end.

        It follows a second after all sensors are connected, because their first messages would be lost before. If they
        are lost, one more zero command follows for each second without messages.
        """
        if not self._commanded and self._connected():
            self._quiet += 1
            if self._quiet == QUIET_TICKS:
                self._quiet = 0
                self._command(Command())
        if self._received_at is None:
            return
        if (self.get_clock().now() - self._received_at).nanoseconds > 3e9 and self.count_publishers('odom') == 0:
            self.over = True


def _ns(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


def main() -> None:
    """Run the node until the world ends; return exit code 0 if all goals were reached."""
    rclpy.init()
    node = StackNode()
    try:
        while rclpy.ok() and not node.over:
            rclpy.spin_once(node, timeout_sec=0.2)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    done = node.done
    node.destroy_node()
    rclpy.try_shutdown()
    sys.exit(0 if done else 1)


if __name__ == '__main__':
    main()
