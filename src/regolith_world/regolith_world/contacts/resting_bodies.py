# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies at rest, which cycles leave out, and what others need to know of them.

A body that a participant moves is at rest if it has not moved in a cycle (:attr:`Object.at_rest`). It then costs
nothing until it moves again. The results are those of a world that computes everything in each cycle.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regolith_world.cycle.records import BodyState, Vector
from regolith_world.objects.object import Object


class RestingBodies:
    """The bodies at rest, by name. They have no children."""

    def __init__(self, objects: Mapping[str, Object]) -> None:
        """Find the bodies at rest among root objects, by name."""
        self.items: list[Object] = []
        """The bodies, by name."""
        self.others: list[Object] = []
        """All other root objects, by name."""
        self.states: tuple[BodyState, ...] = ()
        """Their states."""
        self.hashes: dict[str, str] = {}
        """Hash of the state of each body."""
        self.low: Vector = np.zeros((0, 3))
        """Minima of their boxes [m], shape (n, 3)."""
        self.high: Vector = np.zeros((0, 3))
        """Maxima of their boxes [m], shape (n, 3)."""
        self._found: list[Object] = []
        self._present: list[Object] = []
        self._held: list[bool] = []
        self.update(objects)

    def update(self, objects: Mapping[str, Object]) -> None:
        """Find the bodies at rest among root objects, by name, once more."""
        present = list(objects.values())
        held = [item.states.held for item in present]
        if present == self._present and held == self._held:
            return
        self._present, self._held = present, held
        found = [item for item, still in zip(present, held) if still]
        self.others = sorted((item for item, still in zip(present, held) if not still), key=_name)
        # Other states come with other members: a body that moves is not at rest, until the end of a cycle.
        if found == self._found:
            return
        self._found = found
        self.items = sorted(found, key=_name)
        self.states = tuple(item.body for item in self.items)
        self.hashes = {item.name: item.state_hash() for item in self.items}
        boxes = np.array([item.box(item.body) for item in self.items]).reshape(-1, 2, 3)
        self.low, self.high = boxes[:, 0], boxes[:, 1]


def _name(item: Object) -> str:
    return item.name
