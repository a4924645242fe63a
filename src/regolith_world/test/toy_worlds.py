# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Worlds of a few things, for tests."""

from __future__ import annotations

from typing import Any

from regolith_world.config import WorldConfig
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import make_objects
from regolith_world.world import World


def world(*more: Object, **things: dict[str, Any]) -> World:
    """Return a world of things by their entries in a scenario, and of further objects."""
    return World(WorldConfig(), [*make_objects(things, 1.62), *more])


def run(w: World, seconds: float) -> World:
    """Return a world once it has evolved to a time, where its last cycle ends."""
    while w.t_ns < round(seconds * 1e9):
        w.step(round(seconds * 1e9))
    return w


class Nobody:
    """A populace of none."""

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        return {}

    def restore(self, *states: object) -> None:
        assert states[0] == {}
