# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What someone does to the world between two cycles, as it is kept so that the past can be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from regolith_world.objects import Kept
from regolith_world.records import BodyState


@dataclass(frozen=True, slots=True)
class Spawn:
    """An object or a vehicle appears."""

    name: str
    kept: Kept | None = None
    """The object, at whatever time; None: a vehicle."""
    state: bytes = b''
    """The vehicle's own state."""


@dataclass(frozen=True, slots=True)
class Delete:
    """An object or a vehicle disappears."""

    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A body is given pose and velocity."""

    name: str
    body: BodyState


Act = Spawn | Delete | Place
