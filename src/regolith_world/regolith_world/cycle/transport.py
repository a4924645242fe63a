# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Transport of cycles to participants.

A :class:`Transport` sends a cycle to all participants and returns their results. Within one process it is a function
call (:class:`regolith_world.cycle.participant_group.ParticipantGroup`). Between processes it uses ROS topics
(:mod:`regolith_world.ros.topic_transport`). Participants are the same in both cases.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Protocol

from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.records import Cycle, CycleResult


class ParticipantTimeout(Exception):
    """Some participants did not respond within the timeout."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__('no response from ' + ', '.join(names))
        self.names = tuple(names)


def unresponsive(cycle: Cycle, responded: Container[str]) -> ParticipantTimeout:
    """Return the error for the participants that did not respond.

    Terrain needs every delta before it can respond. So if participants that write soil did not respond, only these are
    named.
    """
    missing = [n for n in cycle.participants if n not in responded]
    writers = [n for n, roles in zip(cycle.participants, cycle.roles) if roles.writes_soil and n in missing]
    return ParticipantTimeout(writers or missing)


def raise_failure(results: Mapping[str, CycleResult]) -> None:
    """Raise ParticipantFailed if a result reports a failure."""
    for result in results.values():
        if result.failure:
            raise ParticipantFailed(result.failure)


class Transport(Protocol):
    """Message exchange between the world and its participants."""

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Send ``cycle`` to all its participants and return their results by name.

        A repeated call with the same record waits for the missing results only.

        Raises:
            ParticipantTimeout: If some participants do not respond in time.
            ParticipantFailed: If a result reports a failure.
        """
        ...
