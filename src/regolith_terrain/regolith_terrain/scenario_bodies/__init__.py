# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies of a scenario: the participant that moves them, and the checks before a run.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.scenario_bodies.descriptions import DEEPEST_M as DEEPEST_M
    from regolith_terrain.scenario_bodies.descriptions import MOST_BODIES as MOST_BODIES
    from regolith_terrain.scenario_bodies.descriptions import body_configs as body_configs
    from regolith_terrain.scenario_bodies.descriptions import body_shape as body_shape
    from regolith_terrain.scenario_bodies.descriptions import check_bodies as check_bodies
    from regolith_terrain.scenario_bodies.descriptions import compile_bodies as compile_bodies
    from regolith_terrain.scenario_bodies.participant import BodiesParticipant as BodiesParticipant
    from regolith_terrain.scenario_bodies.participant import GroundAccess as GroundAccess
    from regolith_terrain.scenario_bodies.rock_bodies import MovableRock as MovableRock
    from regolith_terrain.scenario_bodies.rock_bodies import movable_numbers as movable_numbers
    from regolith_terrain.scenario_bodies.rock_bodies import movable_rocks as movable_rocks

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'descriptions': (
            'DEEPEST_M',
            'MOST_BODIES',
            'body_configs',
            'body_shape',
            'check_bodies',
            'compile_bodies',
        ),
        'rock_bodies': (
            'MovableRock',
            'movable_numbers',
            'movable_rocks',
        ),
        'participant': (
            'BodiesParticipant',
            'GroundAccess',
        ),
    },
)
