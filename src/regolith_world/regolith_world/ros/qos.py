# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""QoS profiles by class of topic."""

from __future__ import annotations

import math

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def _profile(depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability
    )


# A publisher keeps messages that a reader has not acknowledged, up to its depth. So these depths must hold all messages
# until the world notices that a recorder is blocked: see ``ros/backpressure.py``.
PROTOCOL = _profile(1000)
"""cycle, cycle_result, terrain/delta, terrain/update, terrain/committed: one each per participant and cycle."""
CLOCK = _profile(100)
"""/clock: reliable, so compatible with the best-effort subscriptions of ROS time sources."""
STATE = _profile(100)
"""odom, joint_states, wheel_states, vehicle states: at most one per cycle."""
TF = _profile(100)
"""/tf: transforms of all frames."""
COMMAND = _profile(1)
"""cmd_vel and other live inputs: only the newest message counts."""
DATAGRAMS = _profile(10_000)
"""Datagrams of robots: bursts without losses."""
HISTORY = _profile(1000)
"""For subscribers that need every message but process each one slowly: sensors."""
DIAGNOSTICS = _profile(10)
"""/diagnostics: states of nodes."""
LATCHED = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)
"""Descriptions, maps, status: late subscribers get the last message."""
LATCHED_MANY = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)
"""For subscribers to the last message of each of many publishers."""
EVENTS = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)
"""Events of a vehicle: late subscribers get the latest ones."""


def sensor(rate_hz: float) -> QoSProfile:
    """Return the profile of images, clouds and IMU data: a depth of the frames of one simulated second, at least 5.

    Best effort loses large messages with the default settings of Fast DDS.

    Args:
        rate_hz: Rate of the sensor [Hz].
    """
    return _profile(max(5, math.ceil(rate_hz)))


OVERRIDABLE = QoSOverridingOptions.with_default_policies()
"""QoS overrides of observers' topics: parameters ``qos_overrides.TOPIC.publisher.{depth,history,reliability}``.

The protocol's topics offer none, because with a different profile a run would lose cycles.
"""
