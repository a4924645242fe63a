# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Subsolar and sub-Earth points against a numerical ephemeris."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from regolith_sensors.ephemeris import earth_over, sub_earth_point, subsolar_point
from regolith_terrain import MOON_RADIUS_M

POINTS = (
    # UTC; subsolar latitude, longitude [deg], distance [au]; sub-Earth latitude, longitude [deg], distance [km]:
    # DE421 with its librations, mean-Earth frame.
    (datetime(2024, 1, 1, tzinfo=UTC), (-1.5542, -55.8609, 0.984833), (-4.6846, 0.0407, 404668.0)),
    (datetime(2026, 11, 21, 12, tzinfo=UTC), (-1.5394, 35.3851, 0.989752), (-5.1511, -6.7845, 374687.0)),
    (datetime(2030, 6, 1, tzinfo=UTC), (0.1768, -177.7535, 1.011254), (-1.0508, -0.6147, 406278.0)),
)


@pytest.mark.parametrize(('when', 'sun', 'earth'), POINTS)
def test_subsolar_points_are_those_of_the_reference_ephemeris(
    when: datetime, sun: tuple[float, float, float], earth: tuple[float, float, float]
) -> None:
    latitude, longitude, distance = subsolar_point(when)
    # The physical libration is neglected: 0.04 degrees.
    assert math.degrees(latitude) == pytest.approx(sun[0], abs=0.045)
    assert math.degrees(longitude) == pytest.approx(sun[1], abs=0.045)
    assert distance == pytest.approx(sun[2], abs=9e-5)


@pytest.mark.parametrize(('when', 'sun', 'earth'), POINTS)
def test_sub_earth_points_are_those_of_the_reference_ephemeris(
    when: datetime, sun: tuple[float, float, float], earth: tuple[float, float, float]
) -> None:
    latitude, longitude, distance = sub_earth_point(when)
    # The physical libration, 0.04 degrees, and terms of the series below 0.004 degrees, which add up to 0.02 degrees.
    assert math.degrees(latitude) == pytest.approx(earth[0], abs=0.06)
    assert math.degrees(longitude) == pytest.approx(earth[1], abs=0.06)
    assert distance / 1e3 == pytest.approx(earth[2], abs=100.0)
    assert sub_earth_point(when.replace(tzinfo=None)) == (latitude, longitude, distance)


def test_earth_stands_over_the_sub_earth_point() -> None:
    when = datetime(2026, 11, 21, 12, tzinfo=UTC)
    latitude, longitude, distance = sub_earth_point(when)
    assert earth_over(latitude, longitude, when)[1] == pytest.approx(math.pi / 2, abs=1e-6)
    # A quarter of the Moon's circumference east of it, the Earth is below the western horizon by its parallax.
    azimuth, elevation = earth_over(0.0, longitude + math.pi / 2, when)
    assert math.degrees(azimuth) == pytest.approx(270.0, abs=7.0)
    assert elevation == pytest.approx(-math.atan(MOON_RADIUS_M / distance), abs=1e-3)


def test_librations_have_the_published_ranges() -> None:
    points = [
        sub_earth_point(datetime(2024 + n // 12, 1 + n % 12, 1 + 3 * d, tzinfo=UTC))
        for n in range(120)
        for d in range(9)
    ]
    latitudes, longitudes, distances = zip(*points, strict=True)
    assert math.degrees(max(latitudes)) == pytest.approx(6.86, abs=0.15)
    assert math.degrees(min(latitudes)) == pytest.approx(-6.86, abs=0.15)
    assert math.degrees(max(longitudes)) == pytest.approx(8.0, abs=0.3)
    assert min(distances) / 1e3 == pytest.approx(356921.0, abs=1500.0)
    assert max(distances) / 1e3 == pytest.approx(406406.0, abs=500.0)
