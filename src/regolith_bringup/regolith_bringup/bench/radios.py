# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What radios cost: a new breadcrumb, one attempt, and the node with twenty robots that all talk to all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from regolith_comms.attempts import CapacityWindows, attempt
from regolith_comms.authority import CommsAuthority
from regolith_comms.broker import BROADCAST
from regolith_comms.config import CommsConfig
from regolith_comms.dot_file import Edge, Tile
from regolith_comms.link import LinkModel
from regolith_comms.radio import load_radio
from regolith_comms.relays import relay_table
from regolith_comms.visibility import TileGraph
from regolith_comms.world_grid import RECORD, WorldGrid
from regolith_world.records import BodyState, Command, Cycle, CycleKey, ParticipantKind, Verdict

TILES, BREADCRUMBS = 1000, 30
BATCH = 10_000
ROBOTS, RATE_HZ, PAYLOAD = 20, 10.0, 100
HEARTBEAT_S = 0.02


def comms() -> dict[str, Any]:
    """Measure radios.

    :return: ``relay_recompute_ms`` for 1000 tiles and 30 breadcrumbs, ``attempt_us`` per attempt in a batch of 10^4
        (least of several), ``node_core_share``, processor time per simulated second of the node's work for 20 robots
        that broadcast 100 bytes at 10 Hz, and ``node_delivered_per_s``, what arrived meanwhile
    """
    return {
        'relay_recompute_ms': 1e3 * relay_recompute_s(),
        'attempt_us': 1e6 * attempt_s(),
        **node_load(),
        'cores': os.cpu_count(),
    }


def _world(tiles: int) -> tuple[TileGraph, WorldGrid]:
    """Return a lattice of tiles, 30 m each, with a cost between neighbours drawn as SubT has them."""
    rng = np.random.default_rng(1)
    side = int(np.ceil(np.sqrt(tiles)))
    names = [Tile(k, 'terrain', f'tile_{k}') for k in range(tiles)]
    edges = [
        Edge(k, other, float(rng.choice([1.0, 3.0, 6.0])))
        for k in range(tiles)
        for other in ((k + 1) if (k + 1) % side else tiles, k + side)
        if other < tiles
    ]
    x, y, z = np.meshgrid(np.arange(-100, 100), np.arange(-100, 100), np.arange(3), indexing='ij')
    records = np.zeros(x.size, dtype=RECORD)
    records['x'], records['y'], records['z'] = x.ravel(), y.ravel(), z.ravel()
    records['id'] = ((x + 100) // 30 * side + (y + 100) // 30).ravel()
    return TileGraph(names, edges), WorldGrid(records)


def relay_recompute_s(repeats: int = 15) -> float:
    """Return the time of the table that a new breadcrumb makes necessary [s]; of the direct costs there is one."""
    graph, _ = _world(TILES)
    rng = np.random.default_rng(2)
    best = np.inf
    len(graph.costs)
    for _ in range(repeats):
        relays = rng.choice(TILES, BREADCRUMBS, replace=False).tolist()
        start = time.perf_counter()
        relay_table(graph, relays)
        best = min(best, time.perf_counter() - start)
    return float(best)


def attempt_s(repeats: int = 15) -> float:
    """Return the time of one attempt in a batch, links looked up and power drawn [s]."""
    radio = load_radio('subt_competition')
    model = LinkModel(radio, *_world(TILES))
    rng = np.random.default_rng(3)
    places = rng.uniform((-90.0, -90.0, 0.0), (90.0, 90.0, 2.0), (ROBOTS, 3))
    crumbs = rng.uniform((-90.0, -90.0, 0.0), (90.0, 90.0, 2.0), (6, 3))
    model.place_breadcrumbs((f'b{k}', place) for k, place in enumerate(crumbs))
    tx, rx = rng.integers(0, ROBOTS, BATCH), rng.integers(0, ROBOTS, BATCH)
    best = np.inf
    for k in range(repeats):
        windows = CapacityWindows(ROBOTS)
        start = time.perf_counter()
        links = model.between(places[tx], places[rx])
        attempt(
            windows, radio, np.uint64(7), 0, tx, rx, np.full(BATCH, 20), links.mean_dbm, links.variance_db2,
            tx * ROBOTS + rx, np.arange(BATCH) + k,
        )  # fmt: skip
        best = min(best, time.perf_counter() - start)
    return float(best) / BATCH


def node_load(simulated_s: float = 5.0) -> dict[str, float]:
    """Return the processor time of the node's work per simulated second, at real time, and what arrived per second.

    Everything the node does is in it: datagrams come in over topics from another process and go out to it, each cycle
    and answer is converted from and to its message, tables of links go out.
    """
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.signals import SignalHandlerOptions
    from regolith_msgs.msg import Evolved

    from regolith_comms.ros.radio_topics import RadioTopics
    from regolith_world.ros import convert, qos
    from regolith_world.ros.inbox import SERVICE_PERIOD_S, Inbox, serve

    domain = str(20 + os.getpid() % 81)
    own = {'ROS_DOMAIN_ID': domain, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    os.environ.update(own)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    talkers = subprocess.Popen([sys.executable, '-m', 'regolith_bringup.bench.talkers'], stdin=subprocess.DEVNULL)
    try:
        node, link = Node('comms', namespace='regolith'), Node('comms_link', start_parameter_services=False)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        inbox = Inbox(link)
        evolved = link.create_publisher(Evolved, 'evolved', qos.PROTOCOL)
        names = tuple(f'robot_{k:02d}' for k in range(ROBOTS))
        config = CommsConfig.model_validate({'beacon_period_s': 0.0})
        model = LinkModel(load_radio(config.radio), *_world(TILES))
        authority = CommsAuthority(
            config, model, 1, names, lambda answer: evolved.publish(convert.evolved_message(answer)), {}
        )
        topics = RadioTopics(node, inbox, authority)
        authority.on_arrival = topics.publish
        authority.on_committed = lambda cycle: topics.after_commit(cycle)
        authority.warm_up()
        drive = _Drive(names)
        _wait_for_talkers(node, names, talkers)

        def play(seconds: float) -> float:
            busy = time.process_time()
            until = time.monotonic() + seconds
            due = next_service = time.monotonic()
            while time.monotonic() < until:
                authority.on_cycle(convert.cycle_record(drive.next_message()))
                if time.monotonic() >= next_service:
                    next_service = time.monotonic() + SERVICE_PERIOD_S
                    serve(executor)
                due += HEARTBEAT_S
                while (rest := due - time.monotonic()) > 0.0:
                    inbox.wait(rest)
                inbox.deliver()
            return time.process_time() - busy

        play(1.0)
        before = authority.broker.delivered
        busy = play(simulated_s)
        return {
            'node_core_share': busy / simulated_s,
            'node_delivered_per_s': (authority.broker.delivered - before) / simulated_s,
        }
    finally:
        talkers.kill()
        talkers.wait()
        rclpy.try_shutdown()


class _Drive:
    """The world's side: cycle after cycle, all robots standing in a square of 100 m."""

    def __init__(self, names: tuple[str, ...]) -> None:
        places = np.random.default_rng(4).uniform(-50.0, 50.0, (len(names), 3)) * [1.0, 1.0, 0.0]
        still = np.zeros(3)
        self._bodies = tuple(
            BodyState(n, p, np.array([0.0, 0.0, 0.0, 1.0]), still, still, 1.0) for n, p in zip(names, places)
        )
        self._cycle = 0

    def next_message(self) -> Any:
        """Return the record of the next cycle, as it travels."""
        from regolith_world.ros import convert

        verdict = Verdict.COMMIT if self._cycle else Verdict.NONE
        dt_ns = round(HEARTBEAT_S * 1e9)
        key = CycleKey(0, self._cycle, 0)
        record = Cycle(
            key, self._cycle * dt_ns, dt_ns, verdict, Command.EVOLVE, ('comms',), (ParticipantKind.COMMS,), self._bodies
        )
        self._cycle += 1
        return convert.cycle_message(record)


def _wait_for_talkers(node: Any, names: tuple[str, ...], talkers: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30.0
    topics = [f'/{name}/comms' for name in names]
    while not all(node.count_publishers(f'{t}/tx') and node.count_subscribers(f'{t}/rx') for t in topics):
        if time.monotonic() > until or talkers.poll() is not None:
            raise RuntimeError('bench comms: the robots that talk did not start')
        time.sleep(0.05)
    time.sleep(0.5)


def talk() -> None:
    """Broadcast as twenty robots and hear what comes; ends when killed."""
    import rclpy
    from rclpy.node import Node
    from regolith_msgs.msg import Datagram, Datagrams

    from regolith_world.ros import qos
    from regolith_world.ros.inbox import Inbox

    rclpy.init()
    node = Node('talkers', start_parameter_services=False, enable_rosout=False)
    inbox = Inbox(node)
    speakers = []
    for k in range(ROBOTS):
        name = f'robot_{k:02d}'
        speakers.append(node.create_publisher(Datagram, f'/{name}/comms/tx', qos.STATE))
        inbox.subscribe(Datagrams, f'/{name}/comms/rx', lambda batch: None, qos.STATE)
    message = Datagram(dst=BROADCAST, data=bytes(PAYLOAD))
    start = time.monotonic()
    for count in range(10**9):
        # Spread over the period, as robots are that know nothing of each other.
        due = start + count / (ROBOTS * RATE_HZ)
        while (rest := due - time.monotonic()) > 0.0:
            inbox.wait(rest)
        speakers[count % ROBOTS].publish(message)
