# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS face of one vehicle: topics it publishes after every commit, and commands it takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose, TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from rclpy.qos import QoSProfile
from regolith_msgs import msg as m
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from regolith_terrain.ros.convert import typed_array
from regolith_vehicles import motion_samples, wheel_state
from regolith_vehicles.agent import Snapshot, VehicleAgent
from regolith_vehicles.edge_watch import EdgeWatch
from regolith_vehicles.encoders import Encoders
from regolith_vehicles.urdf import frame_joints, robot_description
from regolith_world.records import Vector
from regolith_world.ros import qos
from regolith_world.ros.convert import shape_message
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.naming import root_of
from regolith_world.ros.number_template import Field, NumberTemplate, pose, xyz
from regolith_world.ros.parameters import declare
from regolith_world.rotation import matrix

NOTHING_KNOWN = 1e6
"""Variance of components that wheel odometry does not see."""
_PLANAR = (0, 1, 5)

RATE = 'rate of the state topics but vehicle_state, wheel_states and motion_samples, in simulated time [Hz]'


class VehicleTopics:
    """Publishers and subscriptions in one vehicle's namespace.

    Topics without subscribers cost nothing.

    :param node: in the vehicle's namespace; topic names are relative to it
    :param seed: of the scenario: picks the noise of wheel encoders
    """

    def __init__(self, node: Node, agent: VehicleAgent, seed: int) -> None:
        given = agent.entry.frame_prefix
        default = f'{agent.name}/' if given is None else given
        frame_prefix = declare(node, 'frame_prefix', default, 'before every frame id')
        rate_hz = declare(node, 'state_rate_hz', 50.0, RATE)
        self._node, self._agent = node, agent
        assert agent.grid is not None
        self._edge = EdgeWatch(agent.name, agent.grid.height_field)
        self._log = node.get_logger()
        names = agent.model.frames
        self._base, self._odom = f'{frame_prefix}{names.base}', f'{frame_prefix}{names.odom}'
        self._period_ns = round(1e9 / rate_hz)
        self._last_slot = -1
        wheels = agent.model.wheels
        self._wheeled = bool(wheels)
        truth = OdometryMessage(child_frame_id=self._base)
        truth.header.frame_id = 'world'
        twist = truth.twist.twist
        self._truth = _Topic(
            node, 'ground_truth/odom', truth, [*pose(truth.pose.pose), *xyz(twist.linear), *xyz(twist.angular)]
        )
        odometry = OdometryMessage(child_frame_id=self._base)
        odometry.header.frame_id = self._odom
        twist = odometry.twist.twist
        self._odometry = _Topic(
            node, 'odom', odometry,
            [
                *pose(odometry.pose.pose), *xyz(twist.linear), (twist.angular, 'z'), (odometry.pose, 'covariance'),
                (odometry.twist, 'covariance'),
            ],
        )
        joint_names, positions, velocities = agent.vehicle.joint_states()
        self._axles = [joint_names.index(wheel.joint) for wheel in wheels]
        self._encoders: Encoders | None = None
        if agent.entry.encoders is not None:
            self._encoders = Encoders(agent.entry.encoders, seed, agent.name, rate_hz)
        joints = JointState(name=list(joint_names), position=positions.tolist(), velocity=velocities.tolist())
        joints.effort = agent.vehicle.joint_efforts().tolist()
        numbers = [(joints, name) for name in ('position', 'velocity', 'effort')]
        self._joints = _Topic(node, 'joint_states', joints, numbers)
        states = m.WheelStates(wheels=[m.WheelState(name=w.name) for w in wheels])
        states.header.frame_id = 'world'
        numbers = [field for wheel in states.wheels for field in _wheel_fields(wheel)]
        self._wheels = _Topic(node, 'wheel_states', states, numbers, [(w, 'loaded_nodes') for w in states.wheels])
        state = m.WheeledVehicleState(name=agent.name, wheels=[Pose() for _ in wheels])
        state.header.frame_id = 'world'
        self._state = _Topic(
            node, 'vehicle_state', state, [*pose(state.chassis), *(f for wheel in state.wheels for f in pose(wheel))]
        )
        self._tree = frame_joints(agent.model, agent.vehicle.body)
        frames = [self._transform(self._odom, self._base)]
        frames += [self._transform(f'{frame_prefix}{j.parent}', f'{frame_prefix}{j.child}') for j in self._tree]
        parts = [(f.transform.translation, f.transform.rotation) for f in frames]
        numbers = [field for shift, turn in parts for field in (*xyz(shift), *((turn, name) for name in 'xyzw'))]
        stamps = [frame.header.stamp for frame in frames]
        self._tf = _Topic(node, f'{root_of(node)}/tf', TFMessage(transforms=frames), numbers, (), stamps, qos.TF)
        self._motion = node.create_publisher(
            m.MotionSamples, 'motion_samples', qos.STATE, qos_overriding_options=qos.OVERRIDABLE
        )
        self._events = node.create_publisher(m.VehicleEvent, 'events', qos.EVENTS)
        self._static: Any = None
        self._static_told = False
        if agent.entry.odom_in_world:
            self._static = node.create_publisher(TFMessage, f'{root_of(node)}/tf_static', qos.LATCHED)
        urdf = node.create_publisher(String, 'robot_description', qos.LATCHED)
        urdf.publish(String(data=robot_description(agent.model, agent.vehicle.body, agent.name)))
        description = node.create_publisher(m.WheeledVehicleDescription, 'description', qos.LATCHED)
        description.publish(self._describe())

    def followed(self, streams: Iterable[str]) -> list[Any]:
        """Return the publishers of some streams: they must have subscribers before a run with sensors may start.

        :param streams: names of :data:`regolith_vehicles.streams.STREAMS`
        """
        known = {'state': self._state.publisher, 'motion': self._motion, 'wheels': self._wheels.publisher}
        return [known[name] for name in streams]

    def listen(self, inbox: Inbox, link: Node) -> None:
        """Subscribe to ``cmd_vel``, and to ``joint_targets`` if the gear takes some.

        :param link: a node in the vehicle's namespace that is not spun
        """
        stamped = declare(self._node, 'cmd_vel_stamped', False, 'whether cmd_vel is a TwistStamped (after Jazzy)')
        kind: Any = TwistStamped if stamped else Twist
        take = (lambda message: self._command(message.twist)) if stamped else self._command
        inbox.subscribe(kind, 'cmd_vel', take, qos.COMMAND, optional=True, node=link)
        if self._agent.vehicle.gear.joints:
            inbox.subscribe(JointState, 'joint_targets', self._aim, qos.COMMAND, optional=True, node=link)

    def _aim(self, message: JointState) -> None:
        """Take targets of joints: positions, of a message without them velocities, else efforts."""
        values = next((v for v in (message.position, message.velocity, message.effort) if len(v)), ())
        given = dict(zip(message.name, map(float, values), strict=False))
        if len(values) != len(message.name) or not self._agent.on_joint_targets(given):
            known = ', '.join(self._agent.vehicle.gear.joints)
            self._log.warning(
                f'joint_targets {given} ignored; allowed: a finite number for each name, of {known}',
                throttle_duration_sec=1.0,
            )

    def _command(self, twist: Twist) -> None:
        linear, angular = twist.linear.x, twist.angular.z
        if not self._agent.on_command(linear, angular):
            self._log.warning(
                f'cmd_vel of {linear} m/s, {angular} rad/s ignored; allowed: finite numbers', throttle_duration_sec=1.0
            )

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
        """Publish a committed state: poses and wheels always, which sensors interpolate; the rest once per period."""
        self._publish_parts(snapshot)
        self._publish_static()
        for event in snapshot.events:
            message = m.VehicleEvent(kind=event.kind, basis=event.basis, text=event.text)
            message.stamp.sec, message.stamp.nanosec = divmod(event.t_ns, 10**9)
            self._events.publish(message)
            self._log.warning(f'{self._agent.name} {event.kind} at {event.t_ns * 1e-9:.2f} s: {event.text}')
        slot = snapshot.t_ns // self._period_ns
        if slot == self._last_slot:
            return
        self._last_slot = slot
        warning = self._edge.notice(snapshot.t_ns, *snapshot.base.position[:2].tolist())
        if warning:
            self._node.get_logger().warning(warning)
        t_ns, base, reckoned = snapshot.t_ns, snapshot.base, snapshot.odometry
        to_body = matrix(base.orientation).T
        if self._truth.wanted:
            linear, angular = to_body @ base.linear_velocity, to_body @ base.angular_velocity
            self._truth.publish(t_ns, np.concatenate((base.position, base.orientation, linear, angular)))
        half = 0.5 * reckoned.yaw
        planar = (reckoned.x, reckoned.y, 0.0, 0.0, 0.0, math.sin(half), math.cos(half))
        if self._odometry.wanted:
            twist = (reckoned.linear_x, reckoned.linear_y, 0.0, reckoned.angular)
            covariances = planar_covariance(reckoned.errors), planar_covariance(reckoned.twist_errors)
            self._odometry.publish(t_ns, np.concatenate((planar, twist, *covariances)))
        if self._joints.wanted:
            self._joints.publish(t_ns, np.concatenate((*self._counted(snapshot, slot), snapshot.joint_efforts)))
        if self._tf.wanted:
            self._tf.publish(
                t_ns, np.concatenate((planar, *(joint.pose(snapshot.joint_positions) for joint in self._tree)))
            )

    @staticmethod
    def _transform(parent: str, child: str) -> TransformStamped:
        frame = TransformStamped(child_frame_id=child)
        frame.header.frame_id = parent
        return frame

    def _publish_static(self) -> None:
        """Publish the odom frame in the world once, if the scenario asks for it: the base's true pose at the start."""
        if self._static is None or self._static_told:
            return
        self._static_told = True
        start = self._agent.start
        frame = self._transform('world', self._odom)
        shift, turn = frame.transform.translation, frame.transform.rotation
        shift.x, shift.y, shift.z = (float(x) for x in start.position)
        turn.x, turn.y, turn.z, turn.w = (float(x) for x in start.orientation)
        self._static.publish(TFMessage(transforms=[frame]))

    def _counted(self, snapshot: Snapshot, n: int) -> tuple[Vector, Vector]:
        """Return positions and velocities of the joints, those of the wheels as their encoders count."""
        positions, velocities = snapshot.joint_positions, snapshot.joint_velocities
        if self._encoders is not None:
            axles = self._axles
            positions, velocities = positions.copy(), velocities.copy()
            positions[axles], velocities[axles] = self._encoders.sample(n, positions[axles], velocities[axles])
        return positions, velocities

    def _publish_parts(self, snapshot: Snapshot) -> None:
        base, parts = snapshot.base, snapshot.parts
        if self._motion.get_subscription_count():
            self._motion.publish(motion_message(self._agent.name, snapshot))
        if self._wheels.wanted:
            table = parts.table if self._wheeled else np.zeros((0, wheel_state.COLUMNS))
            loaded = table[:, wheel_state.LOADED_NODES].astype(int).tolist()
            self._wheels.publish(snapshot.t_ns, table[:, _WHEEL_COLUMNS].ravel(), loaded)
        if self._state.wanted:
            poses = np.concatenate((parts.positions, parts.orientations), axis=1)[: len(self._agent.model.wheels)]
            self._state.publish(snapshot.t_ns, np.concatenate((base.position, base.orientation, poses.ravel())))


def planar_covariance(errors: Vector) -> Vector:
    """Return the covariance of a message, 36 numbers, from that of x, y and yaw: the first three of ``errors``.

    Wheels tell nothing of z, roll and pitch.
    """
    out = np.diag(np.full(6, NOTHING_KNOWN))
    out[np.ix_(_PLANAR, _PLANAR)] = errors[:3, :3]
    return out.reshape(36)


def motion_message(name: str, snapshot: Snapshot) -> m.MotionSamples:
    """Return the motion of a vehicle in the cycle that led to a state; where none did, the state itself."""
    if snapshot.motion is None:
        samples = motion_samples.of_state(snapshot.base, snapshot.t_ns)
    else:
        samples = motion_samples.of_cycle(snapshot.motion, snapshot.t_ns, snapshot.cycle_ns)
    message = m.MotionSamples(name=name)
    message.header.frame_id = 'world'
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(snapshot.t_ns, 10**9)
    message.t_ns = typed_array('q', samples.t_ns)
    message.position = typed_array('d', samples.position)
    message.orientation = typed_array('d', samples.orientation)
    message.linear_velocity = typed_array('d', samples.linear_velocity)
    message.angular_velocity = typed_array('d', samples.angular_velocity)
    return message


_WHEEL_COLUMNS = [
    wheel_state.SPIN,
    wheel_state.STEER,
    wheel_state.SLIP,
    wheel_state.SLIP_ANGLE,
    wheel_state.SINKAGE_TOTAL,
    wheel_state.SINKAGE_INCREMENTAL,
    wheel_state.NORMAL_LOAD,
    wheel_state.DRAWBAR,
    *range(wheel_state.FORCE, wheel_state.COLUMNS),
]


def _wheel_fields(wheel: m.WheelState) -> list[Field]:
    """Return the float64 fields of a WheelState in the order of ``_WHEEL_COLUMNS``."""
    scalars = (
        'speed',
        'steering_angle',
        'slip_ratio',
        'slip_angle',
        'sinkage_total',
        'sinkage_incremental',
        'normal_load',
        'drawbar_pull',
    )
    return [*((wheel, name) for name in scalars), *xyz(wheel.force), *xyz(wheel.torque)]


class _Topic:
    """A publisher of one kind of state, whose messages differ in their numbers only."""

    def __init__(
        self,
        node: Node,
        topic: str,
        message: Any,
        numbers: list[Field],
        counts: Sequence[Field] = (),
        stamps: Sequence[Any] | None = None,
        profile: QoSProfile = qos.STATE,
    ) -> None:
        stamps = [message.header.stamp] if stamps is None else stamps
        self._template = NumberTemplate(message, numbers, stamps, counts)
        self.publisher = node.create_publisher(type(message), topic, profile, qos_overriding_options=qos.OVERRIDABLE)

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return bool(self.publisher.get_subscription_count())

    def publish(self, t_ns: int, values: Vector | Sequence[float], counts: Sequence[int] = ()) -> None:
        """Send the message with these numbers."""
        self.publisher.publish(self._template.fill(t_ns, values, counts))
