# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS side of the participants of a process: joining, protocol, main loop."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.msg import Cycle as CycleMessage
from regolith_msgs.msg import CycleResultBatch, TerrainUpdate
from regolith_msgs.srv import Join

from regolith_world.config import WorldConfig
from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import CycleResult
from regolith_world.ros import clock_offset, protocol_codec, qos
from regolith_world.ros.gc_settings import freeze_garbage_collector
from regolith_world.ros.inbox import Inbox, ThrottledExecutor
from regolith_world.ros.naming import helper_node
from regolith_world.ros.parameters import declare_run_id
from regolith_world.ros.participant_endpoint import JoinError, ParticipantEndpoint
from regolith_world.ros.shutdown import ShutdownRequest, run_process
from regolith_world.ros.startup_timeout import StartupNotice, StartupTimeout
from regolith_world.ros.world_monitor import WorldMonitor

WAIT_REPORT_S = 5.0
"""Waiting time before it is reported, wall time [s]."""


class ParticipantHost:
    """Process of one or more participants, until the STOP of the world: joining, protocol, main loop.

    The participants are added to :attr:`group` by :meth:`add`. They receive each record in one message and respond in
    one message.

    Args:
        node: Node of the process, which is spun here. It may be that of a participant.
        config: Section ``world`` of the scenario.
        world_namespace: Namespace of the world's topics; '': that of the node.
        threads: Number of threads for the compiled loops of the participants.
    """

    def __init__(self, node: Node, config: WorldConfig, world_namespace: str = '', threads: int = 1) -> None:
        self.node = node
        self.link = link = helper_node(node, 'link')
        """Node of the protocol's topics only."""
        self.nodes = [node, link]
        """All nodes of this process."""
        self._world_namespace = world_namespace
        self.run_id = declare_run_id(node)
        self._instance = secrets.randbits(64)
        self.inbox = Inbox(link, self.run_id)
        self._starting = StartupNotice(link, self.world('starting'))
        self.muted = False
        """Set during a replay: nothing is sent."""
        self._config = config
        self._results = link.create_publisher(CycleResultBatch, self.world('cycle_result'), qos.PROTOCOL)
        self.executor = SingleThreadedExecutor(context=node.context)
        """Executor of services and observers' topics."""
        self.executor.add_node(node)
        self.group = ParticipantGroup(threads)
        """The participants."""
        self.group.on_results = self._send_results
        self.load_terrain: Callable[[str, bytes, int], None] = lambda name, terrain_state, epoch: None
        """``load_terrain(name, terrain_state, epoch)`` loads a saved state of the terrain for a participant."""
        self.take_update: Callable[[TerrainUpdate], None] = lambda update: None
        """Function of every terrain update since a checkpoint, before a replay."""
        self.on_sent: Callable[[], None] = lambda: None
        """Called after results were sent, to publish the states that the record committed."""
        self._publishers: list[Any] = [self._results]
        self._dropped: set[str] = set()
        self._leaving = ShutdownRequest()
        self._endpoints: list[ParticipantEndpoint] = []
        self._watch = WorldMonitor(node, self.world('starting'))
        self._chaos = random.Random(node.get_name() + node.get_namespace())

    def world(self, topic: str) -> str:
        """Return the name of a topic of the world, as in ``world('cycle')``."""
        return f'{self._world_namespace}/{topic}' if self._world_namespace else topic

    def add(self, participant: Participant, node: Node | None = None) -> ParticipantEndpoint:
        """Add a participant; return its endpoint.

        Args:
            participant: The participant. Its ``send_result`` must be that of :attr:`group`.
            node: Node of its services; None: that of the process.
        """
        self.group.add(participant)
        endpoint = ParticipantEndpoint(
            node or self.node,
            participant,
            lambda *state: self.load_terrain(*state),
            self.run_id,
            self._instance,
        )
        self._endpoints.append(endpoint)
        return endpoint

    def watch(self, publishers: Iterable[Any]) -> None:
        """Add publishers that need a subscriber before the run may start."""
        self._publishers += list(publishers)

    def _send_results(self, results: list[CycleResult]) -> None:
        left = [] if self.muted else self._spared(results)
        if left:
            self.send(self._results, protocol_codec.RESULTS.pack(left, run_id=self.run_id))
        self.on_sent()

    def _spared(self, results: Sequence[CycleResult]) -> list[CycleResult]:
        """Return the results that fault injection does not drop, after the delay that it sets."""
        chaos = self._config.fault_injection
        if chaos is None:
            return list(results)
        longest = max(chaos.max_delay_s.get(result.name, 0.0) for result in results)
        if longest > 0.0:
            time.sleep(self._chaos.random() * longest)
        lost = {result.name for result in results if chaos.drop_result_at.get(result.name) == result.key.cycle}
        lost -= self._dropped
        self._dropped |= lost
        return [result for result in results if result.name not in lost]

    def send(self, publisher: Any, message: bytes) -> None:
        """Publish the bytes of a protocol message, unless muted; twice if fault injection duplicates messages."""
        if self.muted:
            return
        publisher.publish(message)
        if self._config.fault_injection is not None and self._config.fault_injection.duplicate:
            publisher.publish(message)

    def run(self) -> None:
        """Join, then respond to cycles until STOP.

        Raises:
            JoinError: If the world refuses a participant.
            TimeoutError: If there is no world.
        """
        self._watch.follow(self.inbox, self.world('status'))
        # Callbacks run in the order of subscription: inputs precede the record that uses them.
        self.inbox.subscribe(CycleMessage, self.world('cycle'), self._on_cycle, qos.PROTOCOL, raw=True)
        self._join()
        freeze_garbage_collector()
        served = ThrottledExecutor(self.executor)
        while not self._leaving.overdue and not self.group.stopped:
            self.inbox.wait(0.02)
            self._watch.check()
            served()

    def drain(self, seconds: float) -> None:
        """Respond to repeated records after STOP until the world has ended. It may have missed the last result."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.inbox.publishers() > 0 and not self._leaving.overdue:
            self.inbox.wait(0.02)

    def _join(self) -> None:
        client = self.node.create_client(Join, self.world('join'))
        self._starting.done()
        patience = StartupTimeout(self.node, self.world('starting'), self._config.start_timeout_s)
        next_word = time.monotonic() + WAIT_REPORT_S
        while not self._matched():
            if self._leaving.requested:
                raise KeyboardInterrupt
            if patience.left() < 0.0:
                raise TimeoutError(f'no world within {self._config.start_timeout_s} s; {self._unmatched()}')
            if time.monotonic() > next_word:
                next_word += WAIT_REPORT_S
                self.node.get_logger().info(f'waiting for a world: {self._unmatched()}')
            self.executor.spin_once(timeout_sec=0.02)
        responses: dict[str, Join.Response] = {}
        for endpoint in self._endpoints:
            name = endpoint.participant.name
            response = endpoint.join(self.executor, client, patience.left, lambda: self._leaving.requested)
            if response.result == Join.Response.REMOVED:
                if len(self._endpoints) == 1:
                    raise JoinError(response.message)
                endpoint.participant.away = True
                self.node.get_logger().warning(response.message)
            elif response.state:
                responses[name] = response
            else:
                endpoint.take(response)
        if not responses:
            return
        back = [endpoint for endpoint in self._endpoints if endpoint.participant.name in responses]
        for endpoint in back:
            past = responses[endpoint.participant.name]
            endpoint.restore(bytes(past.state), bytes(past.soil), past.epoch)
        self.muted = True
        self._replay(responses)
        self.muted = False
        for endpoint in back:
            endpoint.check(responses[endpoint.participant.name])
        count = max(len(past.cycles) for past in responses.values())
        self.node.get_logger().info(f'rejoined after replaying {count} cycles')

    def _replay(self, pasts: Mapping[str, Join.Response]) -> None:
        """Repeat the records since the checkpoint from which some participants, given by name, were restored."""
        restored = [self.group.participants[name] for name in pasts]
        for participant in restored:
            past_results = map(protocol_codec.RESULT.from_message, pasts[participant.name].results)
            participant.replay_inputs = {past.key.cycle: past.live_inputs for past in past_results}
        longest = max(pasts.values(), key=lambda past: len(past.cycles))
        for update in longest.updates:
            self.take_update(update)
        for cycle in longest.cycles:
            self.group.on_cycle(protocol_codec.CYCLE.from_message(cycle))
        for participant in restored:
            participant.replay_inputs = {}

    def _unmatched(self) -> str:
        """Return a text on the missing connections."""
        unheard = [p.topic_name for p in self._publishers if p.get_subscription_count() == 0]
        silent = [f'no node publishes {self.world("cycle")}'] if self.inbox.publishers() == 0 else []
        return '; '.join(silent + [f'no node subscribes to {topic}' for topic in unheard])

    def _matched(self) -> bool:
        return self.inbox.publishers() > 0 and all(p.get_subscription_count() > 0 for p in self._publishers)

    def _on_cycle(self, message: bytes) -> None:
        self._watch.record_message()
        cycle = protocol_codec.CYCLE.unpack(message)
        clock_offset.set_offset(cycle.clock_offset_ns)
        self.group.on_cycle(cycle)


class HostedNode(Protocol):
    """Interface of a participant's node for :func:`run_participant`."""

    shell: ParticipantHost


def run_participant(build: Callable[[], HostedNode]) -> None:
    """Run the process of a participant until the world stops, and exit with a code.

    Code 3: refused, no world, or a failure reported to the world. Code 1: any other error.

    Args:
        build: Function that returns the node.
    """

    def run(made: HostedNode) -> None:
        made.shell.run()
        made.shell.drain(1.0)

    run_process(build, run, lambda made: made.shell.nodes, refusals=(JoinError, TimeoutError, ParticipantFailed))
