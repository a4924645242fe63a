# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""World edits: changes of the world between two cycles, as logged for resimulation."""

from __future__ import annotations

from dataclasses import dataclass, field

from regolith_world.cycle.records import BodyState
from regolith_world.objects.object import Appearance, SavedObject


@dataclass(frozen=True, slots=True)
class SpawnEdit:
    """Spawning of an object or vehicle."""

    name: str
    kept: SavedObject | None = None
    """The object at any time; None: a vehicle."""
    state: bytes = b''
    """State of the vehicle."""
    appearance: Appearance = field(default_factory=Appearance)
    """Appearance of the object."""


@dataclass(frozen=True, slots=True)
class DeleteEdit:
    """Deletion of an object or vehicle."""

    name: str


@dataclass(frozen=True, slots=True)
class SetStateEdit:
    """Setting of pose and velocity of a body."""

    name: str
    body: BodyState


Act = SpawnEdit | DeleteEdit | SetStateEdit
