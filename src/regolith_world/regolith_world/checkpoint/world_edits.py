# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What someone does to the world between two cycles, as it is kept so that the past can be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from regolith_world.cycle.records import BodyState
from regolith_world.objects.object import SavedObject


@dataclass(frozen=True, slots=True)
class SpawnEdit:
    """An object or a vehicle appears."""

    name: str
    kept: SavedObject | None = None
    """The object, at whatever time; None: a vehicle."""
    state: bytes = b''
    """The vehicle's own state."""


@dataclass(frozen=True, slots=True)
class DeleteEdit:
    """An object or a vehicle disappears."""

    name: str


@dataclass(frozen=True, slots=True)
class SetStateEdit:
    """A body is given pose and velocity."""

    name: str
    body: BodyState


Act = SpawnEdit | DeleteEdit | SetStateEdit
