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


# A publisher keeps what a reader has not acknowledged, and no more than its depth. So these depths are what may come
# together while the world has not yet noticed that a recorder is held up: see ``ros/backpressure.py``.
PROTOCOL = _profile(1000)
"""cycle, cycle_result, terrain/delta, terrain/update: one of each and participant in a cycle."""
CLOCK = _profile(100)
"""/clock: reliable, hence compatible with the best-effort subscriptions of ROS time sources."""
STATE = _profile(100)
"""odom, joint_states, wheel_states, vehicle states: at most one in a cycle."""
TF = _profile(100)
COMMAND = _profile(1)
"""cmd_vel and other live inputs: only the newest counts."""
DATAGRAMS = _profile(10_000)
"""Datagrams of robots: bursts, of which none may be lost."""
HISTORY = _profile(1000)
"""For subscribers that need every message but work long on one: sensors."""
DIAGNOSTICS = _profile(10)
LATCHED = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)
"""Descriptions, maps, status: late joiners get the last one."""
LATCHED_MANY = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)
"""For subscribers to the last message of each of many publishers."""
EVENTS = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)
"""Events of a vehicle: late joiners get the latest ones."""


def sensor(rate_hz: float) -> QoSProfile:
    """Return the profile of images, clouds, IMU: frames of a simulated second, at least 5.

    Best effort loses large messages on default Fast DDS settings.
    """
    return _profile(max(5, math.ceil(rate_hz)))


OVERRIDABLE = QoSOverridingOptions.with_default_policies()
"""For observers' topics: ``qos_overrides.TOPIC.publisher.{depth,history,reliability}`` are parameters of its node.

The protocol's own topics offer none: with anything but their profile a run would lose cycles.
"""
