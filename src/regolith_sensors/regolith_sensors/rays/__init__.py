# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray tracing of a scene and of the light that rays return.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.rays.registry import DEFAULT_RAY_BACKEND as DEFAULT_RAY_BACKEND
    from regolith_sensors.rays.registry import supports_surfels as supports_surfels

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'registry': (
            'DEFAULT_RAY_BACKEND',
            'supports_surfels',
        ),
    },
)
