# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle dynamics: multibody model, substeps, motors, odometry, placement.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.dynamics.motion_samples import MotionSamples as MotionSamples
    from regolith_vehicles.dynamics.multibody import compile_vehicle as compile_vehicle
    from regolith_vehicles.dynamics.vehicle import Vehicle as Vehicle

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'motion_samples': ('MotionSamples',),
        'multibody': ('compile_vehicle',),
        'vehicle': ('Vehicle',),
    },
)
