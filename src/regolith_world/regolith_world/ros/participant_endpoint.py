# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Endpoint of one participant in a process: it joins, and saves and restores states by services of its node."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.srv import Join, RestoreState, SaveState

from regolith_world.checkpoint.input_log import InputHistory
from regolith_world.cycle.handshake import PROTOCOL
from regolith_world.cycle.participant import Participant
from regolith_world.determinism import arithmetic_fingerprint
from regolith_world.ros import protocol_codec
from regolith_world.ros.message_conversion import byte_array
from regolith_world.ros.service_client import call_service
from regolith_world.ros.service_server import create_service


class JoinError(RuntimeError):
    """The world refused this participant. The message states the reason."""


class ParticipantEndpoint:
    """A participant with its services.

    Args:
        node: Node of the services.
        participant: The participant.
        load_terrain: ``load_terrain(name, terrain_state, epoch)`` loads the saved state of the terrain, on which the
            participant of this name stands.
        run: Id of the run.
        instance: Random token of this process. The world counts processes by it, and uses it to distinguish a repeated
            request from a restarted process.
    """

    def __init__(
        self,
        node: Node,
        participant: Participant,
        load_terrain: Callable[[str, bytes, int], None],
        run: int,
        instance: int,
    ) -> None:
        self.participant = participant
        self._load_terrain, self._run, self._instance = load_terrain, run, instance
        self._restored: RestoreState.Response | None = None
        self.settled = False
        """Whether its state is the one that the world expects.

        A restarted process is at the initial state until it has joined, although its services respond already.
        """
        create_service(node, SaveState, '~/save_state', self._save)
        create_service(node, RestoreState, '~/restore_state', self._restore_service)

    def join(
        self,
        executor: SingleThreadedExecutor,
        client: Any,
        remaining_s: Callable[[], float],
        give_up: Callable[[], bool],
    ) -> Join.Response:
        """Send join requests until the world has decided; return its response: ACCEPTED or REMOVED.

        Args:
            executor: Executor of the client.
            client: Client of the join service.
            remaining_s: Function that returns the remaining time for a response [s].
            give_up: Function that returns whether to stop waiting.

        Raises:
            JoinError: If the world refuses the participant.
        """
        record = self.participant.join_request()
        record.parameters = {
            'protocol': PROTOCOL,
            'arithmetic': arithmetic_fingerprint(os.environ),
            **record.parameters,
        }
        request = protocol_codec.JOIN.to_message(record, run_id=self._run, process_token=self._instance)
        while True:
            response = call_service(executor, client, request, remaining_s(), give_up)
            if response.run_id == self._run and response.result == Join.Response.REFUSED:
                raise JoinError(response.message)
            if response.run_id == self._run and response.result in (Join.Response.ACCEPTED, Join.Response.REMOVED):
                return response
            # The world of this run is not ready, or the world of another run responded first.
            executor.spin_once(timeout_sec=0.05)

    def take(self, response: Join.Response) -> None:
        """Start from a join response of a world that has no earlier state of the participant."""
        if response.soil:
            self._load_terrain(self.participant.name, bytes(response.soil), response.epoch)
            self.participant.start_on_terrain()
        # The world may have restored the participant while the response to its first request was lost.
        if response.epoch >= self.participant.epoch:
            self.participant.set_epoch(response.epoch)
        self.settled = True

    def restore(self, state: bytes, terrain_state: bytes, epoch: int) -> str:
        """Restore a checkpoint and return its soil hash.

        Args:
            state: Saved state of the participant.
            terrain_state: Saved state of the terrain; empty: the participant does not use it.
            epoch: New epoch of records.

        Raises:
            ValueError: If a saved state does not match.
        """
        if terrain_state:
            self._load_terrain(self.participant.name, terrain_state, epoch)
        self.participant.restore(state, epoch)
        return self.participant.soil_hash()

    def check(self, response: Join.Response) -> None:
        """Compare the state after a replay with the one that the world expects.

        Args:
            response: Join response.

        Raises:
            JoinError: If they differ.
        """
        last = self.participant.last_result
        reached = last.state_hash if last is not None else response.expected_hash
        if reached != response.expected_hash:
            raise JoinError(
                f'after the replay the state hash is {reached[:16]}, expected {response.expected_hash[:16]}'
            )
        self.settled = True

    def _save(self, request: SaveState.Request, response: SaveState.Response) -> SaveState.Response:
        if request.run_id != self._run:
            response.message = 'this participant belongs to another run'
            return response
        if not self.settled:
            response.message = 'this participant has not joined yet'
            return response
        last = self.participant.last_result
        response.success = True
        response.state = byte_array(self.participant.save())
        response.state_hash = last.state_hash if last is not None else ''
        response.soil_hash = last.soil_hash if last is not None else ''
        return response

    def _restore_service(self, request: RestoreState.Request, response: RestoreState.Response) -> RestoreState.Response:
        if request.run_id != self._run:
            response.message = 'this participant belongs to another run'
            return response
        if self._restored is not None and request.epoch == self.participant.epoch:
            return self._restored  # a repeated request; the participant may have continued since
        try:
            response.soil_hash = self.restore(bytes(request.state), bytes(request.soil), request.epoch)
            inputs = bytes(request.live_inputs)
            self.participant.replay_inputs = InputHistory.decode(inputs) if inputs else {}
            response.success = self.settled = True
            self._restored = response
        except (ValueError, KeyError) as error:
            response.success, response.message = False, str(error)
        return response
