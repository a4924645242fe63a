# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Load process of ``bench comms``: twenty robots that broadcast and receive, until it is terminated."""

from __future__ import annotations

import time

import rclpy
from rclpy.node import Node
from regolith_msgs.msg import Datagram, DatagramArray

from regolith_comms.addresses import BROADCAST
from regolith_comms.bench.radios import ROBOTS
from regolith_world.ros import Inbox, qos

RATE_HZ, PAYLOAD = 10.0, 100
"""Broadcasts of each robot per second, and their payload [B]."""


def generate_load() -> None:
    """Broadcast as twenty robots without end."""
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
        # Spread over the period, as for independent robots.
        due = start + count / (ROBOTS * RATE_HZ)
        while (rest := due - time.monotonic()) > 0.0:
            inbox.wait(rest)
        speakers[count % ROBOTS].publish(message)


if __name__ == '__main__':
    generate_load()
