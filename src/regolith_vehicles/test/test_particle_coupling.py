# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of alternating substeps of vehicle and particles, and of the limits of particle regions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.crm.soil import load_particle_soil
from regolith_terrain.grid.node_records import NodeRecords
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.foreign_regions import ForeignRegions
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_world.cycle.records import BodyState

CYCLE_NS = 20_000_000


def test_alternating_substeps_equal_uninterrupted_substeps(make_vehicle: Callable[..., Vehicle]) -> None:
    """Blocks of three substeps and a last one of two: times add up, poses are current, the motion stays the same.

    Controls are interpolated block by block, which rounds differently: 1e-12 after some cycles.
    """
    whole, parted = make_vehicle(), make_vehicle()
    told: list[tuple[float, np.ndarray]] = []

    def advance(duration: float, center: Any, rotation: Any, velocity: Any, spin: Any) -> None:
        data = parted.data
        assert np.array_equal(center[0], data.xpos[parted.body.wheel_body[0]])
        assert np.allclose(rotation[0] @ rotation[0].T, np.eye(3)) and spin.shape == velocity.shape == center.shape
        told.append((duration, center[0].copy()))

    for vehicle in (whole, parted):
        vehicle.place(0.0, 0.0, 0.0)
    parted.contact.max_exposure_s = 0.0033
    parted.contact.advance = advance  # type: ignore[method-assign]
    speeds, angles = wheel_commands(whole.body.layout, 0.3, 0.1)
    for _ in range(10):
        for vehicle in (whole, parted):
            vehicle.grid.apply(vehicle.evolve(CYCLE_NS, speeds, angles))
            vehicle.commit()
    assert len(told) == 70 and [round(1e3 * t) for t, _ in told[:7]] == [3] * 6 + [2]
    assert len({tuple(place) for _, place in told}) == 70
    assert np.abs(whole.data.qpos - parted.data.qpos).max() < 1e-12


def test_soil_failure_ends_the_cycle_with_its_message(make_vehicle: Callable[..., Vehicle]) -> None:
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    vehicle.contact.max_exposure_s = 1.0

    def advance(*_: Any) -> None:
        raise FloatingPointError('soil blew up at 0.1 s')

    vehicle.contact.advance = advance  # type: ignore[method-assign]
    with pytest.raises(VehicleError, match=r'^rover: soil blew up at 0.1 s$'):
        vehicle.evolve(CYCLE_NS, *wheel_commands(vehicle.body.layout, 0.3, 0.0))


def region(**change: Any) -> ParticleRegion:
    values = {
        'name': 'strip',
        'vehicle': 'amber',
        'low': (2.0, -1.0),
        'high': (4.0, 1.0),
        'spacing': 0.1,
        'depth': 0.2,
        'soil': load_particle_soil('lunar_regolith'),
        'stops_others': True,
    }
    return ParticleRegion(**{**values, **change})


def base(x: float, speed: float) -> BodyState:
    return BodyState(
        'b', np.array([x, 0.0, 0.3]), np.array([0.0, 0.0, 0.0, 1.0]), np.array([speed, 0.0, 0.0]), np.zeros(3)
    )


def test_vehicle_stops_before_forbidden_region() -> None:
    """It stops at the distance of one second of travel; it enters its own region and one that allows it."""
    wanted = DriveCommand(0.3, 0.1)
    others = ForeignRegions('basalt', [region()], 0.5, 0.02)
    assert others.allowed(wanted, base(1.1, 0.3)) is wanted
    assert others.allowed(wanted, base(1.3, 0.3)) == DriveCommand()
    assert others.allowed(wanted, base(1.3, 0.0)) is wanted
    for mine in (
        ForeignRegions('amber', [region()], 0.5, 0.02),
        ForeignRegions('basalt', [region(stops_others=False)], 0.5, 0.02),
    ):
        assert mine.allowed(wanted, base(2.0, 0.3)) is wanted


@pytest.mark.parametrize(
    ('x', 'y', 'distance'),
    [
        (1.5, 0.0, 0.5),
        (4.5, 0.0, 0.5),
        (3.0, -1.5, 0.5),
        (3.0, 1.5, 0.5),
        (1.7, -1.4, 0.5),
        (4.3, 1.4, 0.5),
        (1.7, 1.4, 0.5),
        (4.3, -1.4, 0.5),
        (2.1, -0.9, 0.0),
        (3.9, 0.9, 0.0),
    ],
)
def test_region_distance_is_that_of_its_nearest_point(x: float, y: float, distance: float) -> None:
    """On all four sides and at all four corners of 2 x 2 m around (3, 0)."""
    assert region().distance(x, y) == pytest.approx(distance, abs=1e-12)


def test_vehicle_leaves_no_ruts_in_foreign_region() -> None:
    i = np.array([99, 100, 199, 200, 200], np.int32)
    j = np.array([0, 0, 49, 0, 49], np.int32)
    records = NodeRecords.empty()
    records = NodeRecords.from_values(i, j, np.arange(25.0).reshape(5, 5), records.fields)
    assert ForeignRegions('basalt', [region(stops_others=False)], 0.5, 0.02).without(records).i.tolist() == [
        99,
        200,
        200,
    ]
    for all_of_them in (
        ForeignRegions('amber', [region(stops_others=False)], 0.5, 0.02),
        ForeignRegions('b', [region()], 0.5, 0.02),
    ):
        assert all_of_them.without(records) is records
