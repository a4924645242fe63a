# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The QoS of every class of topic, named once."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def _profile(depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability
    )


PROTOCOL = _profile(10)
"""cycle, evolved, terrain/delta, terrain/update."""
CLOCK = _profile(1)
"""/clock: reliable, hence compatible with the best-effort subscriptions of ROS time sources."""
STATE = _profile(10)
"""odom, joint_states, wheel_states, vehicle states."""
TF = _profile(100)
SENSOR = _profile(5)
"""Images, clouds, IMU: best effort loses large messages on default Fast DDS settings."""
COMMAND = _profile(1)
"""cmd_vel and other live inputs: only the newest counts."""
DATAGRAMS = _profile(10_000)
"""comms/tx: a robot may say much at once, and what is lost here was never on the air."""
HISTORY = _profile(1000)
"""For subscribers that must miss nothing while they work for long on one message: sensors."""
DIAGNOSTICS = _profile(10)
LATCHED = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)
"""Descriptions, status, maps: late joiners get the last one."""

OVERRIDABLE = QoSOverridingOptions.with_default_policies()
"""For what observers read: ``qos_overrides.TOPIC.publisher.{depth,history,reliability}`` are parameters of its node.

The protocol's own topics offer none: with anything but their profile a run would lose cycles.
"""
