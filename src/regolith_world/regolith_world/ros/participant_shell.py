# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS shell around a participant: joining, protocol, saving and restoring."""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from regolith_msgs.msg import Cycle as CycleMessage
from regolith_msgs.msg import Evolved as EvolvedMessage
from regolith_msgs.srv import Join, RestoreState, SaveState

from regolith_world.config import WorldConfig
from regolith_world.determinism import arithmetic
from regolith_world.handshake import PROTOCOL
from regolith_world.input_log import Inputs
from regolith_world.participant import Participant, ParticipantFailed
from regolith_world.records import Evolved
from regolith_world.ros import convert, qos, shown_time
from regolith_world.ros.asking import ask
from regolith_world.ros.garbage import freeze_garbage_collector
from regolith_world.ros.inbox import SERVICE_PERIOD_S, Inbox, serve
from regolith_world.ros.leaving import Leaving, run_process
from regolith_world.ros.naming import helper_node
from regolith_world.ros.parameters import declare_run
from regolith_world.ros.patience import Patience, Starting

WORD_S = 5.0
"""Time of waiting before it is reported [wall s]."""


class JoinRefused(RuntimeError):
    """The world refused this participant; the message gives the reason."""


class ParticipantShell:
    """The process of one participant, until the world's STOP.

    :param node: with the participant's own services and observers' topics; spun here
    :param world: topic name of one of the world's topics, ``world('cycle')``
    """

    def __init__(self, node: Node, config: WorldConfig, world: Callable[[str], str]) -> None:
        self.node = node
        self.link = link = helper_node(node, 'link')
        """For the protocol's topics alone."""
        self.nodes = [node, link]
        """All nodes of this process."""
        self.world = world
        self.run_id = declare_run(node)
        self.inbox = Inbox(link, self.run_id)
        self._starting = Starting(link, world('starting'))
        self.muted = False
        """Set while replaying: nothing is sent."""
        self._config = config
        self._evolved = link.create_publisher(EvolvedMessage, world('evolved'), qos.PROTOCOL)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._publishers: list[Any] = [self._evolved]
        self._dropped = False
        self._leaving = Leaving()
        self._participant: Participant | None = None
        self._chaos = random.Random(node.get_name() + node.get_namespace())

    @property
    def participant(self) -> Participant:
        """The participant, once :meth:`attach` was called."""
        assert self._participant is not None
        return self._participant

    def attach(
        self,
        participant: Participant,
        restore: Callable[[bytes, bytes, int], str],
        replay: Callable[[Join.Response], None],
        adopt: Callable[[bytes], None] = lambda soil: None,
    ) -> None:
        """Connect the participant.

        :param restore: ``restore(state, soil, epoch)`` restores a checkpoint and returns its soil hash
        :param replay: repeats the records since then, without sending
        :param adopt: sets terrain's saved ground, for joining in the middle of a run
        """
        self._participant = participant
        self._replay = replay
        self._restore = restore
        self._adopt = adopt
        self._restored: RestoreState.Response | None = None
        self.inbox.subscribe(CycleMessage, self.world('cycle'), self._on_cycle, qos.PROTOCOL)
        self.node.create_service(SaveState, '~/save_state', self._save)
        self.node.create_service(RestoreState, '~/restore_state', self._restore_service)

    def watch(self, publishers: Iterable[Any]) -> None:
        """Add publishers that need a subscriber before the run may start."""
        self._publishers += list(publishers)

    def send_evolved(self, answer: Evolved) -> None:
        """Send an answer; for the participant's ``send_evolved``."""
        if self.muted:
            return
        chaos = self._config.chaos
        if chaos is not None:
            longest = chaos.sleep_max_s.get(answer.name, 0.0)
            if longest > 0.0:
                time.sleep(self._chaos.random() * longest)
            if chaos.drop_evolved_at.get(answer.name) == answer.key.cycle and not self._dropped:
                self._dropped = True
                return
        self.send(self._evolved, convert.evolved_message(answer))

    def send(self, publisher: Any, message: Any) -> None:
        """Publish a message of the protocol with this run's id; twice if the scenario injects duplicates."""
        message.key.run = self.run_id
        publisher.publish(message)
        if self._config.chaos is not None and self._config.chaos.duplicate:
            publisher.publish(message)

    def run(self) -> None:
        """Join, then answer cycles until STOP.

        :raises JoinRefused: if the world refuses this participant
        :raises TimeoutError: if there is no world
        """
        self._join()
        freeze_garbage_collector()
        next_service = 0.0
        while not self._leaving.overdue and not self.participant.stopped:
            self.inbox.wait(0.02)
            now = time.monotonic()
            if now >= next_service:
                next_service = now + SERVICE_PERIOD_S
                serve(self._executor)

    def linger(self, seconds: float) -> None:
        """Answer repeated records after STOP until the world is gone, as it may have missed the last answer."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.inbox.publishers() > 0 and not self._leaving.overdue:
            self.inbox.wait(0.02)

    def _join(self) -> None:
        client = self.node.create_client(Join, self.world('join'))
        self._starting.done()
        patience = Patience(self.node, self.world('starting'), self._config.start_timeout_s)
        next_word = time.monotonic() + WORD_S
        while not self._matched():
            if self._leaving.asked:
                raise KeyboardInterrupt
            if patience.left() < 0.0:
                raise TimeoutError(f'no world within {self._config.start_timeout_s} s; {self._unmatched()}')
            if time.monotonic() > next_word:
                next_word += WORD_S
                self.node.get_logger().info(f'waiting for a world: {self._unmatched()}')
            self._executor.spin_once(timeout_sec=0.02)
        record = self.participant.join_request()
        record.parameters = {'protocol': PROTOCOL, 'arithmetic': arithmetic(os.environ), **record.parameters}
        request = convert.join_message(record)
        request.instance, request.run = secrets.randbits(64), self.run_id
        while True:
            response = ask(self._executor, client, request, patience.left(), lambda: self._leaving.asked)
            if response.result == Join.Response.REFUSED and response.run == self.run_id:
                raise JoinRefused(response.message)
            if response.result == Join.Response.ACCEPTED and response.run == self.run_id:
                break
            # Else our own world is not there yet, or another run's answered first.
            self._executor.spin_once(timeout_sec=0.05)
        if response.state:
            self._restore(bytes(response.state), bytes(response.soil), response.epoch)
            self.muted = True
            self._replay(response)
            self.muted = False
            request.state_hash = self._last_hash(response)
            if request.state_hash != response.expected_hash:
                raise JoinRefused(
                    f'after the replay the state hashes to {request.state_hash[:16]}, '
                    f'the world knew {response.expected_hash[:16]}'
                )
            self.node.get_logger().info(f'rejoined after replaying {len(response.cycles)} cycles')
        else:
            if response.soil:
                self._adopt(bytes(response.soil))
            # The world may have restored it while the answer to its first question was lost.
            if response.epoch >= self.participant.epoch:
                self.participant.forget(response.epoch)

    def _unmatched(self) -> str:
        """Return a description of the missing connections."""
        unheard = [p.topic_name for p in self._publishers if p.get_subscription_count() == 0]
        silent = [f'nobody publishes {self.world("cycle")}'] if self.inbox.publishers() == 0 else []
        return '; '.join(silent + [f'nobody listens to {topic}' for topic in unheard])

    def _last_hash(self, response: Join.Response) -> str:
        answer = self.participant.last_answer
        return answer.state_hash if answer is not None else response.expected_hash

    def _matched(self) -> bool:
        return self.inbox.publishers() > 0 and all(p.get_subscription_count() > 0 for p in self._publishers)

    def _on_cycle(self, message: CycleMessage) -> None:
        shown_time.follow(message.clock_offset_ns)
        self.participant.on_cycle(convert.cycle_record(message))

    def _save(self, request: SaveState.Request, response: SaveState.Response) -> SaveState.Response:
        if request.run != self.run_id:
            response.message = 'this participant belongs to another run'
            return response
        answer = self.participant.last_answer
        response.success = True
        response.state = convert.byte_array(self.participant.save())
        response.state_hash = answer.state_hash if answer is not None else ''
        response.soil_hash = answer.soil_hash if answer is not None else ''
        return response

    def _restore_service(
        self, request: RestoreState.Request, response: RestoreState.Response
    ) -> RestoreState.Response:
        if request.run != self.run_id:
            response.message = 'this participant belongs to another run'
            return response
        if self._restored is not None and request.epoch == self.participant.epoch:
            return self._restored  # asked twice; by now it may have gone on from there
        try:
            response.soil_hash = self._restore(bytes(request.state), bytes(request.soil), request.epoch)
            inputs = bytes(request.inputs)
            self.participant.replay_inputs = Inputs.decode(inputs) if inputs else {}
            response.success = True
            self._restored = response
        except (ValueError, KeyError) as error:
            response.success, response.message = False, str(error)
        return response


class ParticipantNode(Protocol):
    """The interface of a participant's node for :func:`run_participant`."""

    shell: ParticipantShell


def run_participant(build: Callable[[], ParticipantNode]) -> None:
    """Run the process of a participant until the world stops, and exit with a code.

    Code 3: refused, no world, or a failure reported to the world; 1: any other error.
    """

    def run(made: ParticipantNode) -> None:
        made.shell.run()
        made.shell.linger(1.0)

    run_process(build, run, lambda made: made.shell.nodes, refusals=(JoinRefused, TimeoutError, ParticipantFailed))
