# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of one vehicle: topics published after every commit, and command subscriptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TransformStamped, Twist, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from regolith_msgs import msg as m
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from regolith_files import counted_noun
from regolith_terrain.ros import create_height_service
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.terrain_bounds import TerrainBoundsMonitor
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.commands.command import ACKERMANN, PEDALS, TWIST, AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.commands.command_interfaces import JOINTS, TOPICS
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.drivers.dig_goals import DigGoalDriver
from regolith_vehicles.dynamics import motion_samples
from regolith_vehicles.dynamics.encoders import Encoders
from regolith_vehicles.dynamics.torque_monitor import TorqueWatch
from regolith_vehicles.ros.battery_topic import BatteryTopic
from regolith_vehicles.ros.energy_topics import EnergyTopics
from regolith_vehicles.ros.marker_topic import MarkerTopic
from regolith_vehicles.ros.release_service import create_release_service
from regolith_vehicles.ros.state_topic import StateTopic
from regolith_vehicles.ros.surfel_topic import SurfelTopic
from regolith_vehicles.ros.visual_topics import VisualTopics
from regolith_vehicles.running_gear_registry import topics_without_values
from regolith_vehicles.visuals.urdf import JointPoses, frame_joints, robot_description
from regolith_vehicles.visuals.visual_description import PartRole
from regolith_world.cycle import Vector
from regolith_world.numerics import rotation
from regolith_world.ros import (
    Inbox,
    TemplateField,
    clock_ns,
    declare_parameter,
    helper_node,
    pose_fields,
    qos,
    root_namespace,
    stamp,
    typed_array,
    xyz_fields,
)

if TYPE_CHECKING:
    from regolith_vehicles.ros.dig_action import DigAction

NOTHING_KNOWN = 1e6
"""Variance of components that wheel odometry does not measure."""
_UNKNOWN = np.diag(np.full(6, NOTHING_KNOWN))
_KNOWN = np.ix_((0, 1, 5), (0, 1, 5))
"""Rows and columns of x, y and yaw."""

RATE = (
    'Rate of the state topics except part_poses, wheeled_state, wheel_states, motion_samples and soil_surfels, in'
    ' simulated time [Hz].'
)


class VehicleTopics:
    """Publishers and subscriptions in one vehicle's namespace.

    Topics without subscribers cost nothing.

    Args:
        node: Node in the vehicle's namespace; topic names are relative to it.
        agent: Agent of the vehicle.
        seed: Seed of the scenario, for the noise of wheel encoders.
        inbox: Inbox of the process, which receives the commands.
        link: Node for the subscriptions of commands, which is not spun; None: a new one.
    """

    def __init__(self, node: Node, agent: VehicleAgent, seed: int, inbox: Inbox, link: Node | None = None) -> None:
        given = agent.entry.frame_prefix
        default = f'{agent.name}/' if given is None else given
        frame_prefix = declare_parameter(node, 'frame_prefix', default, 'Prefix of every frame id.')
        rate_hz = declare_parameter(node, 'state_rate_hz', 50.0, RATE)
        self._node, self._agent = node, agent
        self._edge = TerrainBoundsMonitor(agent.name, agent.grid.height_field)
        self._torques = TorqueWatch(agent.name, agent.vehicle.body.model)
        self._log = node.get_logger()
        names = agent.model.frames
        self._base, self._odom = f'{frame_prefix}{names.base}', f'{frame_prefix}{names.odom}'
        self._period_ns = round(1e9 / rate_hz)
        self._last_slot = -1
        wheels = agent.model.wheels
        gear = agent.vehicle.gear
        absent = topics_without_values(gear)
        truth = OdometryMessage(child_frame_id=self._base)
        truth.header.frame_id = 'world'
        twist = truth.twist.twist
        self._truth = StateTopic(
            node,
            'ground_truth/odom',
            truth,
            [*pose_fields(truth.pose.pose), *xyz_fields(twist.linear), *xyz_fields(twist.angular)],
        )
        self._odometry: StateTopic | None = None
        if 'odom' not in absent:
            odometry = OdometryMessage(child_frame_id=self._base)
            odometry.header.frame_id = self._odom
            twist = odometry.twist.twist
            numbers = [*pose_fields(odometry.pose.pose), *xyz_fields(twist.linear), (twist.angular, 'z')]
            numbers += [(odometry.pose, 'covariance'), (odometry.twist, 'covariance')]
            self._odometry = StateTopic(node, 'odom', odometry, numbers)
        joint_names, positions, velocities = agent.vehicle.joint_states()
        self._axles = [joint_names.index(wheel.joint) for wheel in wheels]
        self._encoders: Encoders | None = None
        if agent.entry.encoders is not None:
            self._encoders = Encoders(agent.entry.encoders, seed, agent.name, rate_hz)
        joints = JointState(name=list(joint_names), position=positions.tolist(), velocity=velocities.tolist())
        joints.effort = agent.vehicle.joint_efforts().tolist()
        numbers = [(joints, name) for name in ('position', 'velocity', 'effort')]
        self._joints = StateTopic(node, 'joint_states', joints, numbers)
        self._wheels: StateTopic | None = None
        if 'wheel_states' not in absent:
            rolling = [roller.name for roller in gear.rollers if roller.role == PartRole.WHEEL]
            states = m.WheelStates(wheels=[m.WheelState(name=name) for name in rolling])
            states.header.frame_id = 'world'
            numbers = [field for wheel in states.wheels for field in _wheel_fields(wheel)]
            counts = [(wheel, 'contact_nodes') for wheel in states.wheels]
            self._wheels = StateTopic(node, 'wheel_states', states, numbers, counts)
        self._gear: StateTopic | None = None
        quantities = (*gear.quantities, *agent.vehicle.tools.quantities)
        if quantities:
            told = m.RunningGearState(name=agent.name)
            told.header.frame_id = self._base
            told.quantities = [
                m.RunningGearQuantity(name=q.name, unit=q.unit, parts=list(q.parts), values=[0.0] * len(q.parts))
                for q in quantities
            ]
            self._gear = StateTopic(node, 'running_gear_state', told, [(q, 'values') for q in told.quantities])
        self._dig: DigAction | None = None
        self._parts = VisualTopics(node, agent, self._base)
        self._markers = MarkerTopic(node, agent.name, agent.looks, self._base)
        self._battery = BatteryTopic(node, agent.model.battery)
        self._energy = EnergyTopics(node, agent.model)
        self._particles = SurfelTopic(node, agent)
        agent.discs_wanted = lambda: self._particles.wanted
        agent.poses_wanted = lambda: self._parts.wanted or self._markers.wanted
        tree = frame_joints(agent.model, agent.vehicle.body)
        self._frames = JointPoses(tree)
        # Without odometry the frame has no parent.
        frames = [] if gear.odometry is None else [self._transform(self._odom, self._base)]
        frames += [self._transform(f'{frame_prefix}{j.parent}', f'{frame_prefix}{j.child}') for j in tree]
        parts = [(f.transform.translation, f.transform.rotation) for f in frames]
        numbers = [field for shift, turn in parts for field in (*xyz_fields(shift), *((turn, name) for name in 'xyzw'))]
        stamps = [frame.header.stamp for frame in frames]
        self._tf = StateTopic(
            node, f'{root_namespace(node)}/tf', TFMessage(transforms=frames), numbers, (), stamps, qos.TF
        )
        self._motion = node.create_publisher(
            m.MotionSamples, 'motion_samples', qos.STATE, qos_overriding_options=qos.OVERRIDABLE
        )
        self._events = node.create_publisher(m.VehicleEvent, 'events', qos.EVENTS)
        self._static: Any = None
        self._static_told = False
        if agent.entry.publish_world_to_odom:
            self._static = node.create_publisher(TFMessage, f'{root_namespace(node)}/tf_static', qos.LATCHED)
        urdf = node.create_publisher(String, 'robot_description', qos.LATCHED)
        urdf.publish(String(data=robot_description(agent.model, agent.vehicle.body, agent.name)))
        create_height_service(node, agent.grid)
        if agent.model.dispensers:
            create_release_service(node, agent)
        link = link or helper_node(node, 'link')
        self.nodes = [node, link]
        """Nodes of the vehicle."""
        self._listen(inbox, link)

    def followed(self, streams: Iterable[str]) -> list[Any]:
        """Return the publishers of some streams, which must have subscribers before a run with sensors can start.

        Args:
            streams: Names of :data:`regolith_vehicles.agent.state_streams.STREAMS`.
        """
        known = {
            'state': self._parts.all.publisher,
            'motion': self._motion,
            'wheels': None if self._wheels is None else self._wheels.publisher,
            'particles': self._particles.publisher,
        }
        return [known[name] for name in streams]

    def _listen(self, inbox: Inbox, link: Node) -> None:
        """Subscribe to the topics of the running gear's command interfaces.

        See :mod:`regolith_vehicles.commands.command_interfaces`.
        """
        readers: dict[str, dict[Any, Callable[[Any], DriveCommand]]] = {
            TWIST: {Twist: twist_command, TwistStamped: lambda message: twist_command(message.twist)},
            ACKERMANN: {AckermannDriveStamped: ackermann_command},
            PEDALS: {m.DriverInputs: pedals_command},
        }
        gear = self._agent.vehicle.gear
        for face, topic in TOPICS.items():
            if face in gear.faces:
                taken = {kind: partial(self._drive, read) for kind, read in readers[face].items()}
                inbox.subscribe_any(taken, topic, qos.COMMAND, node=link)
        if isinstance(self._agent.driver, DigGoalDriver):
            from regolith_vehicles.ros.dig_action import (
                DigAction,
            )  # few vehicles need actions, which are slow to import

            self._dig = DigAction(self._node, self._agent, self._agent.driver)
        if gear.joints:
            inbox.subscribe(JointState, JOINTS, self._aim, qos.COMMAND, optional=True, node=link)

    def _drive(self, read: Callable[[Any], DriveCommand], message: Any) -> None:
        self._refuse(self._agent.inputs.set_command(read(message)))

    def _aim(self, message: JointState) -> None:
        """Process joint targets: positions; in a message without them velocities, else efforts."""
        fields = {name: getattr(message, name) for name in ('position', 'velocity', 'effort')}
        name, values = next(((n, v) for n, v in fields.items() if len(v)), ('position', ()))
        if len(values) != len(message.name):
            found = counted_noun(len(values), 'number')
            problem = f'{JOINTS}: {name} has {found}; allowed: one for each name, {len(message.name)}'
        else:
            problem = self._agent.inputs.set_joint_targets(dict(zip(message.name, map(float, values))))
        self._refuse(problem)

    def _refuse(self, problem: str) -> None:
        """Warn of an ignored message, if there is a problem."""
        if problem:
            self._log.warning(f'{self._agent.name} ignores a message on {problem}', throttle_duration_sec=1.0)

    def publish(self, snapshot: VehicleState) -> None:
        """Publish a committed state: topics for sensors always, the others once per period."""
        self._publish_parts(snapshot)
        self._publish_static()
        if self._dig is not None:
            self._dig.update(snapshot)
        for event in snapshot.events:
            message = m.VehicleEvent(
                stamp=stamp(event.t_ns), kind=event.kind, source=event.source, message=event.message
            )
            self._events.publish(message)
            self._log.warning(f'{self._agent.name} {event.kind} at {event.t_ns * 1e-9:.2f} s: {event.message}')
        for warning in self._torques.notice(snapshot.t_ns, snapshot.cycle_ns, snapshot.alternation):
            self._log.warning(warning)
        slot = snapshot.t_ns // self._period_ns
        if slot == self._last_slot:
            return
        self._last_slot = slot
        warning = self._edge.notice(snapshot.t_ns, *snapshot.base.position[:2].tolist())
        if warning:
            self._node.get_logger().warning(warning)
        t_ns, base, computed = snapshot.t_ns, snapshot.base, snapshot.odometry
        to_body = rotation.matrix(base.orientation).T
        if self._truth.wanted:
            linear, angular = to_body @ base.linear_velocity, to_body @ base.angular_velocity
            self._truth.publish(t_ns, np.concatenate((base.position, base.orientation, linear, angular)))
        planar: tuple[float, ...] = ()
        if computed is not None:
            half = 0.5 * computed.yaw
            planar = (computed.x, computed.y, 0.0, 0.0, 0.0, math.sin(half), math.cos(half))
        if computed is not None and self._odometry is not None and self._odometry.wanted:
            twist = (computed.linear_x, computed.linear_y, 0.0, computed.angular)
            covariances = planar_covariance(computed.errors), planar_covariance(computed.twist_errors)
            self._odometry.publish(t_ns, np.concatenate((planar, twist, *covariances)))
        if self._joints.wanted:
            self._joints.publish(t_ns, np.concatenate((*self._counted(snapshot, slot), snapshot.joint_efforts)))
        self._battery.publish(snapshot)
        self._energy.publish(snapshot)
        if self._gear is not None and self._gear.wanted:
            self._gear.publish(t_ns, snapshot.telemetry)
        if self._tf.wanted:
            self._tf.publish(t_ns, np.concatenate((planar, self._frames.at(snapshot.joint_positions).ravel())))

    @staticmethod
    def _transform(parent: str, child: str) -> TransformStamped:
        frame = TransformStamped(child_frame_id=child)
        frame.header.frame_id = parent
        return frame

    def _publish_static(self) -> None:
        """Publish the odom frame in the world frame once, if the scenario requests it.

        It is the initial true pose of the base.
        """
        if self._static is None or self._static_told:
            return
        self._static_told = True
        start = self._agent.start
        frame = self._transform('world', self._odom)
        shift, turn = frame.transform.translation, frame.transform.rotation
        shift.x, shift.y, shift.z = (float(x) for x in start.position)
        turn.x, turn.y, turn.z, turn.w = (float(x) for x in start.orientation)
        self._static.publish(TFMessage(transforms=[frame]))

    def _counted(self, snapshot: VehicleState, n: int) -> tuple[Vector, Vector]:
        """Return positions and velocities of the joints, with encoder readings for the wheels."""
        positions, velocities = snapshot.joint_positions, snapshot.joint_velocities
        if self._encoders is not None:
            axles = self._axles
            positions, velocities = positions.copy(), velocities.copy()
            positions[axles], velocities[axles] = self._encoders.sample(n, positions[axles], velocities[axles])
        return positions, velocities

    def _publish_parts(self, snapshot: VehicleState) -> None:
        self._parts.publish(snapshot, self._agent.epoch)
        self._markers.publish(snapshot)
        self._particles.publish(snapshot)
        if self._motion.get_subscription_count():
            self._motion.publish(motion_message(self._agent.name, snapshot, self._agent.epoch))
        if self._wheels is not None and self._wheels.wanted:
            table = snapshot.parts.table
            loaded = table[:, wheel_state.LOADED_NODES].astype(int).tolist()
            self._wheels.publish(snapshot.t_ns, table[:, _WHEEL_COLUMNS].ravel(), loaded)


def twist_command(twist: Twist) -> DriveCommand:
    """Return the command of a Twist."""
    return DriveCommand(twist.linear.x, twist.angular.z)


def ackermann_command(message: Any) -> DriveCommand:
    """Return the command of an AckermannDriveStamped; its jerk is ignored."""
    drive = message.drive
    numbers = drive.speed, drive.steering_angle, drive.steering_angle_velocity, drive.acceleration
    return DriveCommand(by=AckermannCommand(*map(float, numbers)))


def pedals_command(message: m.DriverInputs) -> DriveCommand:
    """Return the command of a DriverInputs."""
    return DriveCommand(by=PedalCommand(message.steering, message.throttle, message.braking, float(message.gear)))


def planar_covariance(errors: Vector) -> Vector:
    """Return a message's covariance, 36 numbers, from that of x, y and yaw: the first three rows of ``errors``.

    Wheels do not measure z, roll and pitch.
    """
    out = _UNKNOWN.copy()
    out[_KNOWN] = errors[:3, :3]
    return out.ravel()


def motion_message(name: str, snapshot: VehicleState, epoch: int = 0) -> m.MotionSamples:
    """Return the motion of a vehicle in the cycle that led to a state; the state itself if there was no cycle."""
    if snapshot.motion is None:
        samples = motion_samples.of_state(snapshot.base, snapshot.t_ns)
    else:
        samples = motion_samples.of_cycle(snapshot.motion, snapshot.t_ns, snapshot.cycle_ns)
    message = m.MotionSamples(name=name, epoch=epoch)
    message.header.frame_id = 'world'
    message.header.stamp = stamp(snapshot.t_ns)
    message.t_ns = typed_array('q', clock_ns(samples.t_ns))
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


def _wheel_fields(wheel: m.WheelState) -> list[TemplateField]:
    """Return the float64 fields of a WheelState in the order of ``_WHEEL_COLUMNS``."""
    scalars = (
        'angular_velocity',
        'steering_angle',
        'slip_ratio',
        'slip_angle',
        'sinkage_total',
        'sinkage_incremental',
        'normal_load',
        'drawbar_pull',
    )
    return [*((wheel, name) for name in scalars), *xyz_fields(wheel.force), *xyz_fields(wheel.torque)]
