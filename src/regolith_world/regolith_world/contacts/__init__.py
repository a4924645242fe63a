# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection, time of impact, contact forces.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.contacts.collision_detection import first_overlap as first_overlap

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'collision_detection': ('first_overlap',),
    },
)
