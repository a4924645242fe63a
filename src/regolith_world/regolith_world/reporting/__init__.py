# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report section, plots, view layer and citations of the world.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_world.reporting.attempts import ATTEMPT_KEY_FIELDS as ATTEMPT_KEY_FIELDS
    from regolith_world.reporting.attempts import attempt_keys as attempt_keys
    from regolith_world.reporting.run_result import make_run_result as make_run_result

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'attempts': (
            'ATTEMPT_KEY_FIELDS',
            'attempt_keys',
        ),
        'run_result': ('make_run_result',),
    },
)
