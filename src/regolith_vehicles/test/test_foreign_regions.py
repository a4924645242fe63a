# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the stop before particle regions of other vehicles."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.foreign_regions import AHEAD_S, ForeignRegions
from regolith_world.cycle.records import BodyState


@pytest.mark.parametrize('direction', [0.0, 0.5 * math.pi, math.pi, -0.5 * math.pi, 0.8])
def test_vehicle_stops_as_far_ahead_as_it_moves_in_any_direction(direction: float) -> None:
    """The margin is the radius of the gear plus the travel in AHEAD_S; at rest, or for its own region, there is none."""
    ahead = 3.0 * np.array([math.cos(direction), math.sin(direction), 0.0])
    region = SimpleNamespace(
        vehicle='other', stops_others=True, distance=lambda x, y: math.hypot(x - ahead[0], y - ahead[1])
    )
    drive, reach = DriveCommand(0.5), 1.0

    def allowed(speed: float, name: str = 'rover') -> DriveCommand:
        velocity = speed * ahead / 3.0
        base = BodyState('rover', np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), velocity, np.zeros(3))
        return ForeignRegions(name, [region], reach, 0.05).allowed(drive, base)  # type: ignore[list-item]

    limit = (3.0 - reach) / AHEAD_S
    assert allowed(0.0) == drive and allowed(0.99 * limit) == drive
    assert allowed(1.01 * limit) == DriveCommand()
    assert allowed(1.01 * limit, 'other') == drive
