# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertial units, positioning, and their errors.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.inertial.geodetic_origin import OriginPlace as OriginPlace
    from regolith_sensors.inertial.geodetic_origin import light_with_place as light_with_place
    from regolith_sensors.inertial.geodetic_origin import receiver_with_place as receiver_with_place

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'geodetic_origin': (
            'OriginPlace',
            'light_with_place',
            'receiver_with_place',
        ),
    },
)
