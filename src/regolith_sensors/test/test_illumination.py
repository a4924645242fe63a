# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Illumination of sites whose light is known in closed form."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from regolith_sensors.ephemeris import subsolar_point
from regolith_sensors.sky.illumination import (
    Site,
    compute_illumination,
    highest_sun,
    permanent_shadow,
    strip_area,
    visible_parts,
)
from regolith_terrain.horizons import HorizonMap, Posts, make_horizon_map

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
MONTH = timedelta(days=29.53059)


def level(degrees: float = 0.0, azimuths: int = 36) -> HorizonMap:
    return HorizonMap(np.full((azimuths, 2, 3), round(100 * degrees), dtype=np.int16), 0.0, 0.0, 10.0)


def test_fraction_of_the_disc_is_that_of_the_circle_segment() -> None:
    for x, expected in ((-0.9, 0.01869), (-0.5, 0.1955), (0.0, 0.5), (0.5, 0.8045), (0.9, 0.98131)):
        whole = strip_area(-1.5, 1.5, -x, -x) / math.pi
        assert whole == pytest.approx(expected, abs=1e-5)
        # A diameter at any slope has the same segment above it; the line is x off along its normal.
        for slope in (0.3, -2.0):
            off = x * math.hypot(1.0, slope)
            assert strip_area(-1.5, 1.5, -off - 1.5 * slope, -off + 1.5 * slope) / math.pi == pytest.approx(whole)
    assert strip_area(-2.0, 2.0, -1.0, -1.0) == pytest.approx(math.pi) and strip_area(-2.0, 2.0, 1.0, 1.0) == 0.0
    assert strip_area(1.0, 2.0, -5.0, -5.0) == 0.0 and strip_area(-2.0, -1.0, -5.0, -5.0) == 0.0


def test_fraction_above_a_broken_horizon_is_that_of_its_columns() -> None:
    azimuth, elevation, radius = 0.3, 0.02, math.radians(0.2665)
    rng = np.random.default_rng(3)
    for azimuths in (360, 1440):
        heights = np.round(2.0 + 60.0 * rng.standard_normal((azimuths, 4, 5))).astype(np.int16) + 115
        found = visible_parts(HorizonMap(heights, 0.0, 0.0, 1e-3), Site(0.0, 0.0), azimuth, elevation, radius)
        x = (np.arange(20000) + 0.5) / 10000.0 - 1.0
        place = (azimuth + x * radius / math.cos(elevation)) / (2.0 * math.pi) * azimuths
        low = place.astype(int)
        share = (place - low)[:, None, None]
        lines = np.radians(0.01 * ((1.0 - share) * heights[low] + share * heights[low + 1]))
        half = np.sqrt(1.0 - x * x)[:, None, None]
        columns = np.clip(half - (lines - elevation) / radius, 0.0, 2.0 * half)
        # Midpoints of 20000 columns: 1e-6 of the disc.
        assert found == pytest.approx(columns.sum(0) / 10000.0 / math.pi, abs=2e-6)
        assert (found > 0.0).any() and (found < 1.0).any()


def test_sun_that_passes_a_cliff_fades_over_its_whole_width() -> None:
    """A horizon that rises from -90 to 90 degrees within 0.1 degrees hides the disc column by column."""
    radius, step = math.radians(0.2665), math.radians(0.1)
    heights = np.full((3600, 1, 1), -9000, dtype=np.int16)
    heights[450:1000] = 9000
    cliff = HorizonMap(heights, 0.0, 0.0, 1.0)
    edge = 449.5 * step
    for x in (-1.3, -0.8, -0.3, 0.0, 0.4, 0.9, 1.3):
        found = float(visible_parts(cliff, Site(0.0, 0.0), edge + x * radius, 0.0, radius)[0, 0])
        inside = min(1.0, max(-1.0, -x))
        expected = 0.5 + (inside * math.sqrt(1.0 - inside**2) + math.asin(inside)) / math.pi
        # The rise crosses the disc's height within 0.003 of its 0.1 degrees.
        assert found == pytest.approx(expected, abs=2e-3)


def test_level_plain_at_the_equator_is_lit_half_of_the_time() -> None:
    found = compute_illumination(level(), Site(0.0, 0.3), START, 12 * MONTH, timedelta(hours=3))
    # Months differ from their mean by up to 7 h, twelve of them by less: 0.001 of the year.
    assert np.abs(found.sunlit_share - 0.5).max() < 2e-3
    # A night of half a month less the time in which the disc sets and rises, 1 h; months vary by 7 h.
    assert np.abs(found.longest_dark_h - 0.5 * MONTH.total_seconds() / 3600.0).max() < 8.0
    assert (found.earth_share == 1.0).all() and not found.permanent_shadow.any()


def test_far_side_never_sees_the_earth_and_the_limb_sees_it_by_libration() -> None:
    far = compute_illumination(level(), Site(0.0, math.pi), START, MONTH, timedelta(hours=12))
    limb = compute_illumination(level(), Site(0.0, math.pi / 2), START, 12 * MONTH, timedelta(hours=12))
    assert (far.earth_share == 0.0).all()
    # The parallax lowers the Earth by 0.25 degrees of the libration's amplitude of 6 to 8 degrees.
    assert np.abs(limb.earth_share - 0.5).max() < 0.04


def test_horizon_takes_the_light_below_it() -> None:
    # At the equator the sun rises along the vertical: a horizon of 30 degrees takes a third of the day.
    found = compute_illumination(level(30.0), Site(math.radians(-1.5), 0.3), START, 12 * MONTH, timedelta(hours=3))
    assert np.abs(found.sunlit_share - 120.0 / 360.0).max() < 3e-3


def test_posts_nearer_to_the_sun_see_it_higher() -> None:
    # Two posts 30 km apart along the sun's direction: the level planes differ by 0.99 degrees.
    _, longitude, _ = subsolar_point(START)
    place = Site(0.0, longitude - math.pi / 2)  # the sun rises in the east
    wide = HorizonMap(np.zeros((36, 3, 1), dtype=np.int16), -30000.0, 0.0, 30000.0)
    found = compute_illumination(wide, place, START, timedelta(hours=1))
    assert found.sunlit_share[0, 0] == 0.0 and found.sunlit_share[2, 0] == 1.0
    assert 0.0 < found.sunlit_share[1, 0] < 1.0


@pytest.mark.parametrize(('depth', 'share', 'area'), [(0.2, 0.919, 0.845), (0.1, 0.838, 0.702)])
def test_bowl_at_the_pole_is_always_dark_within_the_radius_of_the_closed_form(
    depth: float, share: float, area: float
) -> None:
    """z = d ((2 r / D)^2 - 1), sun up to e_m at all azimuths: dark within r < (1 - tan(e_m) D / (2 d)) D / 2."""
    count, spacing = 201, 1.0
    x = (np.arange(count) - 100) * spacing
    radius = np.hypot(x[:, None], x[None])
    width = 160.0
    posts = Posts(depth * width * np.minimum(0.0, (2.0 * radius / width) ** 2 - 1.0), x[0], x[0], spacing)
    horizons = make_horizon_map(posts, 180, threads=2)
    dark = permanent_shadow(horizons, np.full(180, math.radians(1.86)))
    inside = radius < width / 2.0
    # Half a post of the radius, and 0.1 degrees of the horizon (5 % of the sun's elevation).
    found = radius[dark].max() / (width / 2.0)
    assert found == pytest.approx(share, abs=0.5 / 80.0 + 0.006)
    assert dark[inside].mean() == pytest.approx(area, abs=0.02)
    assert dark[radius < 0.97 * share * width / 2.0].all()


def test_highest_sun_at_the_pole_and_at_middle_latitude() -> None:
    pole = highest_sun(Site(-math.pi / 2, 0.0), START, 36)
    # 1.586 degrees of the subsolar latitude and 0.27 of the disc, at all azimuths.
    assert np.degrees(pole).min() > 1.7 and np.degrees(pole).max() == pytest.approx(1.86, abs=0.05)
    north = highest_sun(Site(math.pi / 4, 0.0), START, 36)
    assert math.degrees(north[18]) == pytest.approx(45.0 + 1.86, abs=0.1)  # at noon in the south
    assert math.degrees(north[0]) == pytest.approx(-45.0 + 1.86, abs=0.1)  # at midnight in the north


def test_period_without_a_step_is_refused() -> None:
    for duration, step in ((timedelta(0), timedelta(hours=1)), (MONTH, timedelta(0))):
        with pytest.raises(ValueError, match='allowed: at least one step'):
            compute_illumination(level(), Site(0.0, 0.0), START, duration, step)
