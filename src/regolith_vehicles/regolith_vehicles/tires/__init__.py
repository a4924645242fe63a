# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tires: forces of rigid terrain on a wheel that deforms.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.tires.config import RingConfig as RingConfig
    from regolith_vehicles.tires.tire import RollingTire as RollingTire
    from regolith_vehicles.tires.tire import Tire as Tire
    from regolith_vehicles.tires.tire import load_tire as load_tire

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'config': ('RingConfig',),
        'tire': (
            'RollingTire',
            'Tire',
            'load_tire',
        ),
    },
)
