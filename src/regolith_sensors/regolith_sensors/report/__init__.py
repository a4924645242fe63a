# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Report, summary and commands of the sensors, from a run's bag.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.report.contact_sheet import display_pixels as display_pixels
    from regolith_sensors.report.image_reader import image_pixels as image_pixels
    from regolith_sensors.report.render_from_bag import replayed_ground as replayed_ground

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'contact_sheet': ('display_pixels',),
        'image_reader': ('image_pixels',),
        'render_from_bag': ('replayed_ground',),
    },
)
