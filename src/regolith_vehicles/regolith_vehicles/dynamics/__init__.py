# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle dynamics: multibody model, substeps, motors, odometry, placement.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.dynamics.errors import VehicleError as VehicleError
    from regolith_vehicles.dynamics.kinematics import wheel_commands as wheel_commands
    from regolith_vehicles.dynamics.motion_samples import MotionSamples as MotionSamples
    from regolith_vehicles.dynamics.multibody import compile_vehicle as compile_vehicle
    from regolith_vehicles.dynamics.multibody import point_velocities as point_velocities
    from regolith_vehicles.dynamics.run_statistics import Progress as Progress

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'errors': ('VehicleError',),
        'kinematics': ('wheel_commands',),
        'motion_samples': ('MotionSamples',),
        'multibody': (
            'compile_vehicle',
            'point_velocities',
        ),
        'run_statistics': ('Progress',),
    },
)
