# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS topics, services and actions of vehicles. Only nodes import this package.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_vehicles.ros.vehicle_topics import VehicleTopics as VehicleTopics

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'vehicle_topics': ('VehicleTopics',),
    },
)
