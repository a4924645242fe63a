# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the comms node with twenty broadcasting robots; ``python3 -m`` prints its results as JSON.

It covers all work of the node: datagrams over topics from and to another process, conversion of cycles and results
from and to messages, link tables.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.msg import CycleResultBatch

from regolith_comms.bench.radios import ROBOTS, lattice
from regolith_comms.comms_participant import CommsParticipant
from regolith_comms.config import CommsConfig
from regolith_comms.links.link import LinkModel
from regolith_comms.radio_config import load_radio
from regolith_comms.ros.radio_topics import RadioTopics
from regolith_world.cycle import BodyState, Command, Cycle, CycleKey, Roles, Verdict
from regolith_world.ros import (
    SERVICE_PERIOD_S,
    Inbox,
    protocol_codec,
    qos,
    run_process,
    spin_ready,
)

STEP_S = 0.02
WARM_S, MEASURED_S = 1.0, 5.0
NAMES = tuple(f'robot_{k:02d}' for k in range(ROBOTS))


class RadioNode:
    """Comms node, and the world's part of the protocol."""

    def __init__(self) -> None:
        """Make the node and compile its kernels."""
        self.node, self.link = Node('comms', namespace='regolith'), Node('comms_link', start_parameter_services=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._inbox = Inbox(self.link)
        evolved = self.link.create_publisher(CycleResultBatch, 'cycle_result', qos.PROTOCOL)
        config = CommsConfig.model_validate({'beacon_period_s': 0.0})
        self.authority = CommsParticipant(
            config,
            LinkModel(load_radio(config.radio), *lattice()),
            1,
            NAMES,
            lambda result: evolved.publish(protocol_codec.RESULTS.pack([result])),
            {},
        )
        RadioTopics(self.node, self._inbox, self.authority, lambda publish: publish())
        self.authority.warm_up()
        self._drive = _Drive(NAMES)

    def wait_for_talkers(self, talkers: subprocess.Popen[bytes]) -> None:
        """Wait until all robots are connected.

        Raises:
            TimeoutError: If they do not connect.
        """
        until = time.monotonic() + 30.0
        topics = [f'/{name}/comms' for name in NAMES]
        while not all(self.node.count_publishers(f'{t}/tx') and self.node.count_subscribers(f'{t}/rx') for t in topics):
            if time.monotonic() > until or talkers.poll() is not None:
                raise TimeoutError('the broadcasting robots did not start')
            time.sleep(0.05)
        time.sleep(0.5)

    def play(self, seconds: float) -> float:
        """Process cycles in real time for ``seconds``, and return the processor time used [s]."""
        busy = time.process_time()
        until = time.monotonic() + seconds
        due = next_service = time.monotonic()
        while time.monotonic() < until:
            self.authority.on_cycle(self._drive.next_cycle())
            if time.monotonic() >= next_service:
                next_service = time.monotonic() + SERVICE_PERIOD_S
                spin_ready(self._executor)
            due += STEP_S
            while (rest := due - time.monotonic()) > 0.0:
                self._inbox.wait(rest)
            self._inbox.deliver()
        return time.process_time() - busy


class _Drive:
    """World's part of the protocol: consecutive cycles, with all robots at rest in a square of 100 m."""

    def __init__(self, names: tuple[str, ...]) -> None:
        places = np.random.default_rng(4).uniform(-50.0, 50.0, (len(names), 3)) * [1.0, 1.0, 0.0]
        still = np.zeros(3)
        self._bodies = tuple(
            BodyState(n, p, np.array([0.0, 0.0, 0.0, 1.0]), still, still, 1.0) for n, p in zip(names, places)
        )
        self._cycle = 0

    def next_cycle(self) -> Cycle:
        """Return the next cycle, as read from its message."""
        verdict = Verdict.COMMIT if self._cycle else Verdict.NONE
        dt_ns = round(STEP_S * 1e9)
        key = CycleKey(0, self._cycle, 0)
        record = Cycle(key, self._cycle * dt_ns, dt_ns, verdict, Command.EVOLVE, ('comms',), (Roles(),), self._bodies)
        self._cycle += 1
        cycle: Cycle = protocol_codec.CYCLE.unpack(protocol_codec.CYCLE.pack(record))
        return cycle


def measure(radios: RadioNode) -> None:
    """Print the node's processor time per second in real time, and the deliveries per second."""
    talkers = subprocess.Popen([sys.executable, '-m', 'regolith_comms.bench.load_node'], stdin=subprocess.DEVNULL)
    try:
        radios.wait_for_talkers(talkers)
        radios.play(WARM_S)
        before = radios.authority.broker.delivered
        busy = radios.play(MEASURED_S)
        delivered = radios.authority.broker.delivered - before
    finally:
        talkers.kill()
        talkers.wait()
    print(json.dumps({'node_core_fraction': busy / MEASURED_S, 'node_delivered_per_s': delivered / MEASURED_S}))


if __name__ == '__main__':
    run_process(RadioNode, measure, lambda made: (made.node, made.link))
