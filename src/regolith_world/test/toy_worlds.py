# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Small worlds for tests."""

from __future__ import annotations

from typing import Any

from regolith_world.config import WorldConfig
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import make_objects
from regolith_world.world import World


def world(*more: Object, **things: dict[str, Any]) -> World:
    """Return a world of objects given by their scenario entries, and of further objects."""
    return World(WorldConfig(), [*make_objects(things, 1.62), *more])


def run(w: World, seconds: float) -> World:
    """Return a world after it has evolved to a time at which its last cycle ends."""
    while w.t_ns < round(seconds * 1e9):
        w.step(round(seconds * 1e9))
    return w


class Nobody:
    """States of no participants."""

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        return {}

    def restore(self, *states: object) -> None:
        assert states[0] == {}
