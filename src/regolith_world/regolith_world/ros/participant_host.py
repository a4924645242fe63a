# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS node around the participants of a process, usually one: joining, protocol, main loop."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.msg import Cycle as CycleMessage
from regolith_msgs.msg import CycleResult as EvolvedMessage
from regolith_msgs.msg import CycleResultBatch
from regolith_msgs.srv import Join

from regolith_world.config import WorldConfig
from regolith_world.cycle.participant import Participant, ParticipantFailed
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import Cycle, CycleResult
from regolith_world.ros import clock_offset, qos, record_codec
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
    """Process of a participant, or of all participants of a group (``group``), until the STOP of the world.

    ``node`` has the participant's services and observers' topics and is spun here. ``config`` is the section ``world``
    of the scenario. ``world`` returns the name of a topic of the world, as in ``world('cycle')``.
    """

    def __init__(self, node: Node, config: WorldConfig, world: Callable[[str], str], *, group: bool = False) -> None:
        self.node = node
        self.link = link = helper_node(node, 'link')
        """Node of the protocol's topics only."""
        self.nodes = [node, link]
        """All nodes of this process."""
        self.world = world
        self.run_id = declare_run_id(node)
        self._instance = secrets.randbits(64)
        self.inbox = Inbox(link, self.run_id)
        self._starting = StartupNotice(link, world('starting'))
        self.muted = False
        """Set during a replay: nothing is sent."""
        self._config = config
        kind, topic = (CycleResultBatch, 'cycle_result_batch') if group else (EvolvedMessage, 'cycle_result')
        self._results = link.create_publisher(kind, world(topic), qos.PROTOCOL)
        self.executor = SingleThreadedExecutor(context=node.context)
        """Executor of services and observers' topics."""
        self.executor.add_node(node)
        self._publishers: list[Any] = [self._results]
        self._dropped: set[str] = set()
        self._leaving = ShutdownRequest()
        self._endpoints: list[ParticipantEndpoint] = []
        self._on_record: Callable[[Cycle], None] = lambda cycle: None
        self._watch = WorldMonitor(node.get_logger().warning)
        self._replay: Callable[[Mapping[str, Join.Response]], None] = lambda past: None
        self._chaos = random.Random(node.get_name() + node.get_namespace())

    def attach(
        self,
        participant: Participant,
        restore: Callable[[bytes, bytes, int], str],
        replay: Callable[[Join.Response], None],
        adopt: Callable[[bytes], None] = lambda soil: None,
    ) -> ParticipantEndpoint:
        """Connect the participant; return its endpoint.

        Args:
            participant: The participant.
            restore: See :class:`regolith_world.ros.participant_endpoint.ParticipantEndpoint`.
            replay: Function that repeats the records since then, without sending.
            adopt: See :class:`regolith_world.ros.participant_endpoint.ParticipantEndpoint`.
        """
        self._endpoints = [self.make_endpoint(self.node, participant, restore, adopt)]
        self._replay = lambda past: replay(past[participant.name])
        self._subscribe_to_cycles(participant.on_cycle)
        return self._endpoints[0]

    def make_endpoint(
        self,
        node: Node,
        participant: Participant,
        restore: Callable[[bytes, bytes, int], str],
        adopt: Callable[[bytes], None],
    ) -> ParticipantEndpoint:
        """Return the endpoint of one participant in this process."""
        return ParticipantEndpoint(node, participant, restore, adopt, self.run_id, self._instance)

    def attach_group(
        self,
        group: ParticipantGroup,
        endpoints: Sequence[ParticipantEndpoint],
        replay: Callable[[Mapping[str, Join.Response]], None],
    ) -> None:
        """Connect the participants of a group, which respond together.

        ``endpoints`` are their endpoints. ``replay`` repeats the records since the checkpoint from which some
        participants, given by name, were restored.
        """
        self._endpoints, self._replay = list(endpoints), replay
        self._subscribe_to_cycles(group.on_cycle)

    def _subscribe_to_cycles(self, on_record: Callable[[Cycle], None]) -> None:
        self._on_record = on_record
        self._watch.follow(self.inbox, self.world('status'))
        self.inbox.subscribe(CycleMessage, self.world('cycle'), self._on_cycle, qos.PROTOCOL, raw=True)

    def watch(self, publishers: Iterable[Any]) -> None:
        """Add publishers that need a subscriber before the run may start."""
        self._publishers += list(publishers)

    def send_result(self, result: CycleResult) -> None:
        """Send a result. It is the participant's ``send_result``."""
        if not self.muted and self._spared([result]):
            self.send(self._results, record_codec.cycle_result_bytes(result, self.run_id))

    def send_batch(self, results: Sequence[CycleResult]) -> None:
        """Send the results of a participant group."""
        left = [] if self.muted else self._spared(results)
        if left:
            self.send(self._results, record_codec.cycle_result_batch_bytes(left, self.run_id))

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
        """Publish the bytes of a protocol message; twice if fault injection duplicates messages."""
        publisher.publish(message)
        if self._config.fault_injection is not None and self._config.fault_injection.duplicate:
            publisher.publish(message)

    def run(self) -> None:
        """Join, then respond to cycles until STOP.

        Raises:
            JoinError: If the world refuses a participant.
            TimeoutError: If there is no world.
        """
        self._join()
        freeze_garbage_collector()
        served = ThrottledExecutor(self.executor)
        while not self._leaving.overdue and not all(endpoint.participant.stopped for endpoint in self._endpoints):
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

    def _unmatched(self) -> str:
        """Return a text on the missing connections."""
        unheard = [p.topic_name for p in self._publishers if p.get_subscription_count() == 0]
        silent = [f'no node publishes {self.world("cycle")}'] if self.inbox.publishers() == 0 else []
        return '; '.join(silent + [f'no node subscribes to {topic}' for topic in unheard])

    def _matched(self) -> bool:
        return self.inbox.publishers() > 0 and all(p.get_subscription_count() > 0 for p in self._publishers)

    def _on_cycle(self, message: bytes) -> None:
        self._watch.record_message()
        cycle = record_codec.cycle_record(message)
        clock_offset.set_offset(cycle.clock_offset_ns)
        self._on_record(cycle)


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
