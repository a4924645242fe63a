# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of other vehicles: a vehicle stops at their edge, or leaves no ruts in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from regolith_terrain.grid import NodeRecords, OwnedRegion, records_outside
from regolith_vehicles.commands.command import DriveCommand
from regolith_world.cycle import BodyState

AHEAD_S = 1.0
"""Lookahead time, in which a vehicle comes to rest [s]."""


class ForeignRegions:
    """Regions that belong to other vehicles."""

    def __init__(self, vehicle: str, regions: Sequence[OwnedRegion], reach: float, spacing: float) -> None:
        """Store the regions of other vehicles.

        Args:
            vehicle: Name of the vehicle.
            regions: Regions of all vehicles.
            reach: Radius around the vehicle's origin that encloses its running gear [m].
            spacing: Grid spacing of the soil [m].
        """
        others = [region for region in regions if region.vehicle != vehicle]
        self._forbidden = [region for region in others if region.stops_others]
        self._unmarked = [region for region in others if not region.stops_others]
        self._reach, self._spacing = reach, spacing

    def allowed(self, command: DriveCommand, base: BodyState) -> DriveCommand:
        """Return the command, or a stop command near a region that the vehicle must not enter.

        Args:
            command: Command of the driver.
            base: State of the base in the world frame.
        """
        near = self._reach + AHEAD_S * math.hypot(*base.linear_velocity[:2].tolist())
        x, y = base.position[:2].tolist()
        return DriveCommand() if any(region.distance(x, y) < near for region in self._forbidden) else command

    def without(self, records: NodeRecords) -> NodeRecords:
        """Return the records without grid nodes in regions that vehicles may enter without changing them."""
        return records_outside(records, self._unmarked, self._spacing)
