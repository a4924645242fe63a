# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Connection of an observer to the committed soil of a running simulation."""

from __future__ import annotations

import time
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from regolith_msgs.msg import TerrainCommitted
from regolith_msgs.srv import GetTerrainState

from regolith_terrain.updates.committed_soil import COMMITTED_TOPIC, CommittedSoil, SoilCommit, nodes_of
from regolith_world.ros import Inbox, qos

_POLL_S = 0.1
"""Period of :meth:`SoilFollower.poll` for a node without an inbox [wall s]."""
_REPEAT_S = 2.0
"""Time after which a request without a response is repeated [wall s]."""


class SoilFollower:
    """Subscription to ``terrain/committed``, and requests of the complete soil from ``terrain/get_state``.

    Args:
        node: Node of the observer. The caller spins it.
        inbox: Inbox for the subscription. The caller then calls :meth:`poll` several times per second. None: the node
            has the subscription, and a timer that calls :meth:`poll`.
        soil: Soil to update; None: a new one.
        run: Id of the run whose messages count; 0: that of the first message.
        root: Namespace of the run, '' or ``/moon``.
    """

    def __init__(
        self, node: Node, inbox: Inbox | None = None, soil: CommittedSoil | None = None, *, run: int = 0, root: str = ''
    ) -> None:
        self.soil = CommittedSoil() if soil is None else soil
        """Committed soil, to be read with :meth:`~regolith_terrain.updates.CommittedSoil.changes`."""
        self._run = run
        self._client = node.create_client(GetTerrainState, f'{root}/regolith/terrain/get_state')
        self._response: Any = None
        self._repeat_at = 0.0
        topic = f'{root}{COMMITTED_TOPIC}'
        if inbox is not None:
            inbox.subscribe(TerrainCommitted, topic, self._on_message, qos.HISTORY, every_run=True)
        else:
            node.create_subscription(TerrainCommitted, topic, self._on_message, qos.HISTORY)
            node.create_timer(_POLL_S, self.poll, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _is_of_run(self, run_id: int) -> bool:
        self._run = self._run or run_id
        return run_id == self._run

    def _on_message(self, message: TerrainCommitted) -> None:
        if self._is_of_run(message.key.run_id):
            self.soil.take(SoilCommit.of(message))

    def poll(self) -> bool:
        """Request the complete soil where it is needed, without waiting; return whether it has arrived."""
        now, response = time.monotonic(), self._response
        if response is not None and response.done():
            self._response, found = None, response.result()
            if self._is_of_run(found.run_id):
                self.soil.load(found.epoch, found.t_ns, found.soil_seq, nodes_of(found.nodes))
                return True
        elif response is not None and now >= self._repeat_at:
            self._client.remove_pending_request(response)
            self._response = None
        elif response is None and self.soil.lost and self._client.service_is_ready():
            self._response, self._repeat_at = self._client.call_async(GetTerrainState.Request()), now + _REPEAT_S
        return False
