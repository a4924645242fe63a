# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The other process of ``bench comms``: twenty robots that broadcast and listen, until it is killed."""

from __future__ import annotations

import time

import rclpy
from rclpy.node import Node
from regolith_msgs.msg import Datagram, DatagramArray

from regolith_comms.addresses import BROADCAST
from regolith_comms.bench.radios import ROBOTS
from regolith_world.ros import qos
from regolith_world.ros.inbox import Inbox

RATE_HZ, PAYLOAD = 10.0, 100
"""Broadcasts per second of each robot, and their length [byte]."""


def generate_load() -> None:
    """Broadcast as twenty robots, for ever."""
    rclpy.init()
    node = Node('talkers', start_parameter_services=False, enable_rosout=False)
    inbox = Inbox(node)
    speakers = []
    for k in range(ROBOTS):
        name = f'robot_{k:02d}'
        speakers.append(node.create_publisher(Datagram, f'/{name}/comms/tx', qos.STATE))
        inbox.subscribe(DatagramArray, f'/{name}/comms/rx', lambda batch: None, qos.STATE)
    message = Datagram(dst=BROADCAST, data=bytes(PAYLOAD))
    start = time.monotonic()
    for count in range(10**9):
        # Spread over the period, as robots are that know nothing of each other.
        due = start + count / (ROBOTS * RATE_HZ)
        while (rest := due - time.monotonic()) > 0.0:
            inbox.wait(rest)
        speakers[count % ROBOTS].publish(message)


if __name__ == '__main__':
    generate_load()
