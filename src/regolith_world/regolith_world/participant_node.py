# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Node of a registered participant: its section of the scenario, the protocol and its topics."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from regolith_world.config import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle.participant_type import participant_types
from regolith_world.ros.parameters import declare_parameter, declare_scenario
from regolith_world.ros.participant_host import ParticipantHost, run_participant
from regolith_world.ros.shutdown import StartupError


class ParticipantNode:
    """The node of one participant.

    Args:
        name: Name of the participant; '': that of the parameter.
    """

    def __init__(self, name: str = '') -> None:
        self.node = node = Node(name or 'participant')
        scenario_file = declare_scenario(node)
        name = name or declare_parameter(
            node, 'participant', '', 'Name of the participant and of its section in the scenario.'
        )
        known = participant_types()
        if name not in known:
            raise StartupError(
                f'participant: parameter participant is {name!r}; allowed: {", ".join(known) or "(none)"}'
            )
        kind = known[name]
        section = load_section(scenario_file, name, kind.section)
        site = load_section(scenario_file, '', ScenarioHead).site()
        self.shell = host = ParticipantHost(node, load_section(scenario_file, 'world', WorldConfig))
        self.participant = kind.participant(name, section, site, host.group.receive)
        kind.open_topics(node, host.inbox, self.participant, self._unless_muted)
        self.participant.warm_up()
        host.add(self.participant)

    def _unless_muted(self, publish: Callable[[], None]) -> None:
        if not (self.shell.muted or self.participant.silent):
            publish()


def main() -> None:
    """Run a participant."""
    run_participant(ParticipantNode)


if __name__ == '__main__':
    main()
