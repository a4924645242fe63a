# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant types: the extension point for participants other than vehicles and terrain, such as a co-simulated unit.

An entry point of group ``regolith.participants`` is a :class:`ParticipantType`. Its name is that of the participant and
of its section in a scenario. Validation, planning, the one-process simulation, world, recorder and checkpoints use this
registry only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from regolith_files import KeyPath, Section, YamlSource, instance_of, load_plugins
from regolith_world.config import ScenarioHead
from regolith_world.cycle.participant import Participant
from regolith_world.cycle.records import CycleResult, Shape, Vector
from regolith_world.participant_context import ParticipantContext

GROUP = 'regolith.participants'
TERRAIN_NAME = 'terrain'
"""Participant that owns the soil state."""

SectionT = TypeVar('SectionT', bound=Section)
ParticipantT = TypeVar('ParticipantT', bound=Participant)
ProgressCallback = Callable[[int, int], None]
"""Progress callback with arguments (done, total)."""


@dataclass(frozen=True)
class SpawnPlace:
    """Place in the frame of a vehicle's base at which a participant may spawn a body."""

    key: KeyPath
    """Key of the scenario that sets the place."""
    value: Any
    """Value of that key."""
    vehicle: str
    shape: Shape
    position: Vector
    """Center of the shape in the frame of the base [m], shape (3,)."""


class ParticipantType(ABC, Generic[SectionT, ParticipantT]):
    """A type of participant. Do slow imports inside the methods, because scenario validation does not need them."""

    section: type[SectionT]
    """Schema of its section in a scenario."""
    node: tuple[str, str] = ('regolith_world', 'participant_node')
    """Package and executable of its node. The default runs any participant."""
    topics: str = ''
    """``module:factory`` of its topics and services, see :meth:`open_topics`; imported with ROS only; '': none."""

    def resolved(self, section: SectionT, site: ParticipantContext, source: YamlSource) -> SectionT:
        """Return the resolved section: checked against the rest of the scenario, with absolute file names.

        Args:
            section: Section of the scenario.
            site: Context of the participant.
            source: Scenario file, for messages. The key of the section is the participant's name.

        Raises:
            InputError: With file, key, value and what is allowed.
        """
        return section

    def prepared(
        self, section: SectionT, site: ParticipantContext, folder: Path, progress: ProgressCallback
    ) -> SectionT:
        """Write the terrain data that the node needs into a folder; return the section that names the files.

        Args:
            section: Resolved section.
            site: Context of the participant, with terrain.
            folder: Folder for the data of this participant.
            progress: Called with the progress.

        Raises:
            ValueError: If the data cannot be made.
        """
        return section

    def recorded(self, section: SectionT, site: ParticipantContext) -> tuple[str, ...]:
        """Return the topics to record, as lines ``name|package/msg/Type|qos|publishers``."""
        return ()

    def spawn_places(self, section: SectionT, site: ParticipantContext) -> tuple[SpawnPlace, ...]:
        """Return the places at vehicles where the participant may spawn bodies; they must be outside the vehicles."""
        return ()

    def warm_up(self) -> None:
        """Compile all kernels at setup, so that the first run starts as fast as later ones."""

    @abstractmethod
    def participant(
        self, name: str, section: SectionT, site: ParticipantContext, send_result: Callable[[CycleResult], None]
    ) -> ParticipantT:
        """Return the participant.

        Args:
            name: Name of the participant.
            section: Resolved section.
            site: Context of the participant.
            send_result: Function that sends its results to the world.
        """

    def open_topics(
        self, node: Any, inbox: Any, participant: ParticipantT, later: Callable[[Callable[[], None]], None]
    ) -> None:
        """Create the participant's topics and services with the factory of :attr:`topics`.

        Args:
            node: ``rclpy.node.Node`` in the world's namespace with the participant's name.
            inbox: :class:`regolith_world.ros.inbox.Inbox` for its subscriptions.
            participant: The participant.
            later: Function that defers a publication until the cycle leaves time, and drops it during resimulation.
        """
        if self.topics:
            module, _, factory = self.topics.partition(':')
            getattr(import_module(module), factory)(node, inbox, participant, later)


def expected_participants(head: ScenarioHead) -> set[str]:
    """Return the names of all participants of a scenario, including the terrain."""
    return {*head.vehicles, TERRAIN_NAME, *(name for name in participant_types() if name in head.sections)}


def participant_types() -> Mapping[str, ParticipantType[Any, Any]]:
    """Return all installed participant types by name, in name order."""
    return load_plugins(GROUP, instance_of(ParticipantType))
