# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Traction control of wheels.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.traction.config import TractionConfig as TractionConfig
    from regolith_vehicles.traction.traction_control import TractionControl as TractionControl

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': ('TractionConfig',),
        'traction_control': ('TractionControl',),
    },
)
