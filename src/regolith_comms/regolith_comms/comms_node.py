# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The radios as a node: takes what robots send, decides what arrives, hands it over."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.srv import Join

from regolith_comms.authority import CommsAuthority
from regolith_comms.broker import Delivery
from regolith_comms.config import CommsConfig
from regolith_comms.model_files import load_model
from regolith_comms.ros.radio_topics import RadioTopics
from regolith_world.config import Head, WorldConfig, load_section
from regolith_world.records import Cycle
from regolith_world.ros.convert import cycle_record, evolved_record
from regolith_world.ros.parameters import declare_scenario
from regolith_world.ros.participant_shell import ParticipantShell, run_participant


class CommsNode:
    """Topics and services around :class:`~regolith_comms.authority.CommsAuthority`."""

    def __init__(self) -> None:
        self.node = Node('comms')
        node = self.node
        scenario_file = declare_scenario(node)
        head = load_section(scenario_file, '', Head)
        config = load_section(scenario_file, 'comms', CommsConfig)
        world_config = load_section(scenario_file, 'world', WorldConfig)
        self.shell = ParticipantShell(node, world_config, lambda name: name)
        self.authority = CommsAuthority(
            config, load_model(config), head.seed, tuple(head.vehicles), self.shell.send_evolved, {}, self._publish
        )
        self.topics = RadioTopics(node, self.shell.inbox, self.authority)
        self.authority.on_committed = self._after_commit
        self.authority.warm_up()
        self.shell.attach(self.authority, self._restore, self._replay)

    def _publish(self, deliveries: list[Delivery]) -> None:
        if not self.shell.muted:
            self.topics.publish(deliveries)

    def _after_commit(self, cycle: Cycle) -> None:
        if not self.shell.muted:
            self.topics.after_commit(cycle)

    def _restore(self, state: bytes, soil: bytes, epoch: int) -> str:
        self.authority.restore(state, epoch)
        self.topics.open_all()
        return ''

    def _replay(self, past: Join.Response) -> None:
        self.authority.replay_inputs = {a.key.cycle: bytes(a.live_inputs) for a in map(evolved_record, past.answers)}
        for cycle in map(cycle_record, past.cycles):
            self.authority.on_cycle(cycle)
        self.authority.replay_inputs = {}
        self.authority.complaints = []  # told when it happened


def main() -> None:
    """Run the comms node."""
    run_participant(CommsNode)


if __name__ == '__main__':
    main()
