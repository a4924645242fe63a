# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Registered participants, besides vehicles and terrain: dust, a co-simulated unit.

An entry point of group ``regolith.participants`` leads to a :class:`ParticipantType`; its name is that of the
participant and of its section in a scenario. Checking, planning, the one-process simulation, world, recorder and
checkpoints use this registry only.
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
from regolith_world.config import ScenarioHead
from regolith_world.cycle.participant import Participant
from regolith_world.cycle.participant_context import ParticipantContext
from regolith_world.cycle.records import CycleResult

GROUP = 'regolith.participants'
GROUND = 'terrain'
"""Participant that owns the soil."""

SectionT = TypeVar('SectionT', bound=Section)
ParticipantT = TypeVar('ParticipantT', bound=Participant)
Progress = Callable[[int, int], None]
"""Progress callback (done, total)."""


class ParticipantType(ABC, Generic[SectionT, ParticipantT]):
    """A kind of participant. Slow imports belong inside the methods: the check of a scenario does without them."""

    section: type[SectionT]
    """Schema of its section."""
    node: tuple[str, str] = ('regolith_world', 'participant_node')
    """Package and executable of its node; the default runs any participant."""
    topics: str = ''
    """``module:factory`` of its topics and services, see :meth:`open_topics`; imported with ROS only. '': none."""

    def resolved(self, section: SectionT, site: ParticipantContext, source: YamlSource) -> SectionT:
        """Return the resolved section: checked against the rest of the scenario, file names absolute.

        Args:
            source: the scenario's file, for messages; the section's key is the participant's name

        Raises:
            InputError: naming file, key, value and what is allowed
        """
        return section

    def prepared(self, section: SectionT, site: ParticipantContext, folder: Path, progress: Progress) -> SectionT:
        """Write the node's data of the ground into a folder of its own; return the section that names it.

        Raises:
            ValueError: if that is impossible
        """
        return section

    def recorded(self, section: SectionT, site: ParticipantContext) -> tuple[str, ...]:
        """Return the recorded topics, as lines ``name|package/msg/Type|qos|publishers``."""
        return ()

    def warm_up(self) -> None:
        """Compile all kernels at set-up, so that the first run starts as fast as the next."""

    @abstractmethod
    def participant(
        self, name: str, section: SectionT, site: ParticipantContext, send_result: Callable[[CycleResult], None]
    ) -> ParticipantT:
        """Return the participant.

        Args:
            send_result: sends its results to the world
        """

    def open_topics(
        self, node: Any, inbox: Any, participant: ParticipantT, later: Callable[[Callable[[], None]], None]
    ) -> None:
        """Make the participant's topics and services, by the factory of :attr:`topics`.

        Args:
            node: ``rclpy.node.Node`` in the world's namespace, named like the participant
            inbox: :class:`regolith_world.ros.inbox.Inbox` for its subscriptions
            later: defers a publication until the cycle leaves time; drops it while the past is replayed
        """
        if self.topics:
            module, _, factory = self.topics.partition(':')
            getattr(import_module(module), factory)(node, inbox, participant, later)


def expected_participants(head: ScenarioHead) -> set[str]:
    """Return the names of all participants that a scenario names, the ground's among them."""
    return {*head.vehicles, GROUND, *(name for name in participant_types() if name in head.sections)}


def participant_types() -> Mapping[str, ParticipantType[Any, Any]]:
    """Return all installed participants, by name, in name order."""
    return load_plugins(GROUP, instance_of(ParticipantType))
