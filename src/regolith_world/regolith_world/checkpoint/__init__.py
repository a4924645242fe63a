# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, snapshots, the timeline and the log of inputs and world edits.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.checkpoint import disk_reserve as disk_reserve
    from regolith_world.checkpoint.files import WORLD_BLOB as WORLD_BLOB
    from regolith_world.checkpoint.files import Checkpoint as Checkpoint
    from regolith_world.checkpoint.files import read_checkpoint as read_checkpoint
    from regolith_world.checkpoint.files import resume_hint as resume_hint
    from regolith_world.checkpoint.input_log import InputHistory as InputHistory
    from regolith_world.checkpoint.world_state import WorldState as WorldState

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'files': (
            'Checkpoint',
            'WORLD_BLOB',
            'read_checkpoint',
            'resume_hint',
        ),
        'input_log': ('InputHistory',),
        'world_state': ('WorldState',),
    },
    modules=('disk_reserve',),
)
