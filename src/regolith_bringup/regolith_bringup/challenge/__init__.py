# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Mapping challenge after the Lunar Autonomy Challenge: agents, missions, maps and scores.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_bringup.challenge.autonomous_agent import BACK as BACK
    from regolith_bringup.challenge.autonomous_agent import BACK_LEFT as BACK_LEFT
    from regolith_bringup.challenge.autonomous_agent import BACK_RIGHT as BACK_RIGHT
    from regolith_bringup.challenge.autonomous_agent import FRONT as FRONT
    from regolith_bringup.challenge.autonomous_agent import FRONT_LEFT as FRONT_LEFT
    from regolith_bringup.challenge.autonomous_agent import FRONT_RIGHT as FRONT_RIGHT
    from regolith_bringup.challenge.autonomous_agent import LEFT as LEFT
    from regolith_bringup.challenge.autonomous_agent import RIGHT as RIGHT
    from regolith_bringup.challenge.autonomous_agent import AutonomousAgent as AutonomousAgent
    from regolith_bringup.challenge.autonomous_agent import Transform as Transform
    from regolith_bringup.challenge.autonomous_agent import VelocityControl as VelocityControl
    from regolith_bringup.challenge.geometric_map import GeometricMap as GeometricMap

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'autonomous_agent': (
            'BACK',
            'BACK_LEFT',
            'BACK_RIGHT',
            'FRONT',
            'FRONT_LEFT',
            'FRONT_RIGHT',
            'LEFT',
            'RIGHT',
            'AutonomousAgent',
            'Transform',
            'VelocityControl',
        ),
        'geometric_map': ('GeometricMap',),
    },
)
