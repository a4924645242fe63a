# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What observers see of objects and of participants' entities, and what they do not know yet."""

from __future__ import annotations

from collections.abc import Iterable

from regolith_world.cycle.records import ObjectVisual
from regolith_world.objects.object import Object


class VisualRegister:
    """Visuals of the present objects and entities. They have no effect on the evolution and are in no hash.

    Checked by: test_visual_register.py.
    """

    def __init__(self) -> None:
        self._all: dict[str, ObjectVisual] = {}
        self._changes: dict[str, ObjectVisual] = {}
        self._first = True
        """Whether there are observers that know nothing, as before the first commit of an epoch."""

    @property
    def all(self) -> tuple[ObjectVisual, ...]:
        """Visuals of everything visible, in name order."""
        return tuple(visual for _, visual in sorted(self._all.items()))

    @property
    def changes(self) -> tuple[ObjectVisual, ...]:
        """Visuals for :attr:`regolith_world.cycle.records.Cycle.visuals`, in name order."""
        if not self._changes and not self._first:
            return ()
        known = {**(self._all if self._first else {}), **self._changes}
        return tuple(visual for _, visual in sorted(known.items()))

    def show(self, visuals: Iterable[ObjectVisual]) -> None:
        """Add or replace visuals. One without shapes and mesh removes the entity from view."""
        for visual in visuals:
            self._changes[visual.name] = visual
            if visual.visible:
                self._all[visual.name] = visual
            else:
                self._all.pop(visual.name, None)

    def show_object(self, item: Object) -> None:
        """Add the visuals of an object and its descendants."""
        self.show(visual for member in item.family() if (visual := member.visual()) is not None)

    def remove(self, names: Iterable[str]) -> None:
        """Remove the visuals of objects that were removed."""
        self.show(ObjectVisual(name) for name in names if name in self._all)

    def repeat(self) -> None:
        """Send everything once more, for a new observer."""
        self._first = True

    def next_commit(self) -> None:
        """Begin the next commit: observers know everything so far."""
        self._changes, self._first = {}, False

    def load(self, visuals: Iterable[ObjectVisual]) -> None:
        """Replace everything by the visuals of a checkpoint; a new epoch begins."""
        self._all = {visual.name: visual for visual in visuals}
        self._changes, self._first = {}, True
