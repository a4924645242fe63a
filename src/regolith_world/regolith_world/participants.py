# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The door for whoever a cycle waits for besides vehicles and terrain: dust, a co-simulated unit.

An entry point of group ``regolith.participants`` leads to a :class:`ParticipantType`; its name is the participant's and
that of the section a scenario asks for it by. Nobody else needs to name it: checking, planning, the one-process
simulation, world, recorder and checkpoints go through what is registered here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from regolith_files.plugins import instance_of, load_plugins
from regolith_files.section import Section
from regolith_files.yaml_source import YamlSource
from regolith_world.participant import Participant
from regolith_world.records import Evolved
from regolith_world.site import Site

GROUP = 'regolith.participants'

SectionT = TypeVar('SectionT', bound=Section)
ParticipantT = TypeVar('ParticipantT', bound=Participant)
Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""


class ParticipantType(ABC, Generic[SectionT, ParticipantT]):
    """A kind of participant. Import what takes long inside the methods: scenarios are checked without it."""

    section: type[SectionT]
    """Schema of its section."""
    node: tuple[str, str] = ('regolith_world', 'participant_node')
    """Package and executable of its node; the one of the world's package runs any participant."""
    topics: str = ''
    """``module:factory`` of its topics and services, see :meth:`open_topics`; imported where there is ROS. '': none."""

    def resolved(self, section: SectionT, site: Site, source: YamlSource) -> SectionT:
        """Return the section as nodes read it: checked against the rest of the scenario, file names absolute.

        :param source: the scenario's file, for messages; the section stands in it under the participant's name
        :raises InputError: naming file, key, value and what is allowed
        """
        return section

    def prepared(self, section: SectionT, site: Site, folder: Path, progress: Progress) -> SectionT:
        """Write what the node needs of the ground into a folder of its own; return the section that names it.

        :raises ValueError: if it cannot be made
        """
        return section

    def recorded(self, section: SectionT, site: Site) -> tuple[str, ...]:
        """Return the topics that a run records, as lines ``name|package/msg/Type|qos|publishers``."""
        return ()

    def warm_up(self) -> None:
        """Compile every kernel, at set-up, so that the first run starts as fast as the next."""

    @abstractmethod
    def participant(
        self, name: str, section: SectionT, site: Site, send_evolved: Callable[[Evolved], None]
    ) -> ParticipantT:
        """Return the participant.

        :param send_evolved: carries its answers to the world
        """

    def open_topics(
        self, node: Any, inbox: Any, participant: ParticipantT, later: Callable[[Callable[[], None]], None]
    ) -> None:
        """Give the participant its topics and services: call the factory that :attr:`topics` names.

        :param node: ``rclpy.node.Node`` in the world's namespace, called as the participant is
        :param inbox: :class:`regolith_world.ros.inbox.Inbox`, which takes messages from outside
        :param later: has something published once the cycle leaves time for it; nothing while the past is replayed
        """
        if self.topics:
            module, _, factory = self.topics.partition(':')
            getattr(import_module(module), factory)(node, inbox, participant, later)


def participant_types() -> Mapping[str, ParticipantType[Any, Any]]:
    """Return all that are installed, by name, in name order."""
    return load_plugins(GROUP, instance_of(ParticipantType))
