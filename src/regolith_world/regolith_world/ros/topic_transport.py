# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Transport over topics: one ``cycle`` to all participants, one ``cycle_result`` from each process of participants."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.node import Node
from regolith_msgs.msg import Cycle as CycleMessage
from regolith_msgs.msg import CycleResultBatch, TerrainUpdate

from regolith_world.config import WorldConfig
from regolith_world.cycle.records import Cycle, CycleKey, CycleResult
from regolith_world.cycle.transport import raise_failure, unresponsive
from regolith_world.ros import protocol_codec, qos
from regolith_world.ros.inbox import Inbox


class TopicTransport:
    """A :class:`regolith_world.cycle.transport.Transport` over topics.

    Args:
        node: Node of the protocol's topics only, spun here.
        config: Section ``world`` of the scenario.
        serve: Function that serves services, called while waiting.
        run: Id of the run.
    """

    def __init__(self, node: Node, config: WorldConfig, serve: Callable[[], None], run: int) -> None:
        self._run = run
        self._config = config
        self._serve = serve
        self._publisher = node.create_publisher(CycleMessage, 'cycle', qos.PROTOCOL)
        self.inbox = Inbox(node, run)
        """Inbox for further subscriptions of the world."""
        self.inbox.subscribe(CycleResultBatch, 'cycle_result', self._on_results, qos.PROTOCOL, raw=True)
        self.inbox.subscribe(TerrainUpdate, 'terrain/update', self._on_update, qos.PROTOCOL, raw=True)
        self._key: CycleKey | None = None
        self._answers: dict[str, CycleResult] = {}
        self.sent: list[Cycle] = []
        """All records since :meth:`discard_history`, for a participant that joins again."""
        self.updates: list[bytes] = []
        """All terrain updates since then, as bytes of their messages."""
        self.results_by_name: dict[str, list[CycleResult]] = {}
        """All results of each participant since then."""

    def discard_history(self) -> None:
        """Clear the history after a checkpoint."""
        self.sent.clear()
        self.updates.clear()
        self.results_by_name.clear()

    def listeners(self) -> int:
        """Return the number of subscriptions to ``cycle``."""
        return int(self._publisher.get_subscription_count())

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Send a record and return the results, see :meth:`regolith_world.cycle.transport.Transport.exchange`."""
        message = protocol_codec.CYCLE.pack(cycle, run_id=self._run)
        if cycle.key != self._key:
            self._key = cycle.key
            self._answers = {}
            self.sent.append(cycle)
        started = last_sent = time.monotonic()
        served = started
        chaos = self._config.fault_injection
        self._publisher.publish(message)
        if chaos is not None and chaos.duplicate:
            self._publisher.publish(message)
        while len(self._answers) < len(cycle.participants):
            self.inbox.wait(0.02)
            raise_failure(self._answers)
            now = time.monotonic()
            if now - served > 0.05:
                served = now
                self._serve()
            if len(self._answers) == len(cycle.participants):
                break
            if now - last_sent > self._config.resend_period_s:
                last_sent = now
                self._publisher.publish(message)
            if now - started > self._config.participant_timeout_s:
                raise unresponsive(cycle, self._answers)
        return {n: self._answers[n] for n in cycle.participants}

    def _on_results(self, message: bytes) -> None:
        for record in protocol_codec.RESULTS.unpack(message):
            self._take(record)

    def _take(self, record: CycleResult) -> None:
        if record.key != self._key or record.name in self._answers:
            return
        self._answers[record.name] = record
        self.results_by_name.setdefault(record.name, []).append(record)

    def _on_update(self, message: bytes) -> None:
        if self._key is not None and protocol_codec.key_of(message).epoch == self._key.epoch:
            self.updates.append(message)
