# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of particles that belong to other vehicles: a vehicle stops at their edge, or leaves no marks in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.grid.node_records import NodeRecords
from regolith_vehicles.commands.command import DriveCommand
from regolith_world.cycle.records import BodyState

AHEAD_S = 1.0
"""Time for which a vehicle looks ahead: in it, it comes to rest [s]."""


class ForeignRegions:
    """The regions that are not a vehicle's own."""

    def __init__(self, vehicle: str, regions: Sequence[ParticleRegion], reach: float, spacing: float) -> None:
        """Keep them in mind.

        Args:
            reach: Radius about the vehicle's origin that holds its running gear [m].
            spacing: Of the soil grid's nodes [m].
        """
        others = [region for region in regions if region.vehicle != vehicle]
        self._forbidden = [region for region in others if region.stops_others]
        self._unmarked = [region for region in others if not region.stops_others]
        self._reach, self._spacing = reach, spacing

    def allowed(self, command: DriveCommand, base: BodyState) -> DriveCommand:
        """Return the command, or one to stand still where a region is near that may not be entered.

        Args:
            base: The vehicle's, in the world.
        """
        near = self._reach + AHEAD_S * math.hypot(*base.linear_velocity[:2].tolist())
        x, y = base.position[:2].tolist()
        return DriveCommand() if any(region.distance(x, y) < near for region in self._forbidden) else command

    def without(self, records: NodeRecords) -> NodeRecords:
        """Return records without nodes in regions that may be entered, where others leave no marks."""
        for region in self._unmarked:
            within = region.owned(records.i, records.j, self._spacing)
            if within.any():
                records = records.where(~within)
        return records
