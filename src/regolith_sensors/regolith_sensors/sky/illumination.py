# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Illumination of a site over a period: sunlit share, longest darkness, permanent shadow, visibility of the Earth.

The sun is a disc of uniform brightness behind the horizon of each azimuth of the map, which is linear between them.
Light that terrain scatters is not included.
The level plane turns with the position on the body: a post that is s nearer to the sun sees it s / R higher.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.ephemeris import earth_over, sun_over
from regolith_terrain import MOON_RADIUS_M
from regolith_terrain.horizons import UNIT_RAD, HorizonMap
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Shorts = NDArray[np.int16]

CYCLE_YEARS = 18.6
"""Period of the Moon's node, after which the directions of the sun have repeated [years]."""
_YEAR = timedelta(days=365.25)


@dataclass(frozen=True)
class Site:
    """Place of a horizon map on the Moon."""

    latitude: float
    """Selenographic latitude of the origin [rad]."""
    longitude: float
    """Selenographic longitude of the origin, east positive [rad]."""
    radius_m: float = MOON_RADIUS_M
    """Radius of the body [m]."""


@dataclass(frozen=True)
class Illumination:
    """Layers over the posts of a horizon map, shape (n, m) each."""

    sunlit_share: Floats
    """Mean visible fraction of the sun's disc over the period [-]."""
    longest_dark_h: Floats
    """Longest time without any part of the sun within the period [h]."""
    earth_share: Floats
    """Fraction of the period in which the center of the Earth is above the horizon [-]."""
    permanent_shadow: Flags
    """Whether no part of the sun is ever above the horizon, within CYCLE_YEARS."""


@kernel
def _half_disc(x: float) -> float:
    """Return the area of the upper half of the unit disc from its center to x, in -1 to 1."""
    area: float = 0.5 * (x * math.sqrt(max(0.0, 1.0 - x * x)) + math.asin(x))
    return area


@kernel
def strip_area(x0: float, x1: float, h0: float, h1: float) -> float:
    """Return the area of a strip of the unit disc above a line.

    Where the line crosses the disc, between its roots, this is the integral of sqrt(1 - x^2) - h(x); beside it, that
    of the whole chord if the line runs below, and nothing if it runs above. A level line over the whole disc gives
    pi F with F = 1/2 - (h sqrt(1 - h^2) + asin h) / pi.

    Args:
        x0: Start of the strip [radii].
        x1: Its end, above ``x0`` [radii].
        h0: Height of the line at the start above the center [radii].
        h1: Height at the end [radii].

    Source: mazarico2011.
    Checked by: test_illumination.py::test_fraction_of_the_disc_is_that_of_the_circle_segment.
    """
    slope = (h1 - h0) / (x1 - x0)
    base = h0 - slope * x0
    left, right = max(-1.0, x0), min(1.0, x1)
    if left >= right:
        return 0.0
    middle = 0.5 * (left + right)
    first, second = middle, middle  # the part of the strip in which the line crosses the disc: none
    root = 1.0 + slope * slope - base * base
    if root > 0.0:
        first = min(right, max(left, (-slope * base - math.sqrt(root)) / (1.0 + slope * slope)))
        second = min(right, max(left, (-slope * base + math.sqrt(root)) / (1.0 + slope * slope)))
    area: float = _half_disc(second) - _half_disc(first) - (second - first) * (base + 0.5 * slope * (first + second))
    if first > left and base + slope * left < 0.0:
        area += 2.0 * (_half_disc(first) - _half_disc(left))
    if second < right and base + slope * right < 0.0:
        area += 2.0 * (_half_disc(right) - _half_disc(second))
    return area


@kernel
def disc_fraction(elevations: Shorts, i: int, j: int, first: int, edges: Floats, center: float, radius: float) -> float:
    """Return the visible fraction of a disc above the horizon of a post.

    The horizon is linear between the azimuths of the map, so each interval is a strip of the disc above a line.

    Args:
        elevations: Elevations of the horizon, in units, see ``HorizonMap``.
        i: Row of the post.
        j: Column of the post.
        first: Number of the azimuth at the first edge.
        edges: Azimuths of the map around the disc, from its center [radii], ascending.
        center: Elevation of the center [rad].
        radius: Angular radius of the disc [rad].
    """
    count = len(elevations)
    low, high = math.inf, -math.inf
    for k in range(len(edges)):
        height = (UNIT_RAD * elevations[(first + k) % count, i, j] - center) / radius
        low, high = min(low, height), max(high, height)
    if high <= -1.0:
        return 1.0
    if low >= 1.0:
        return 0.0
    area = 0.0
    for k in range(len(edges) - 1):
        before = (UNIT_RAD * elevations[(first + k) % count, i, j] - center) / radius
        after = (UNIT_RAD * elevations[(first + k + 1) % count, i, j] - center) / radius
        area += strip_area(edges[k], edges[k + 1], before, after)
    return min(1.0, max(0.0, area / math.pi))


@kernel
def _add_light(
    elevations: Shorts,
    first: int,
    edges: Floats,
    elevation: float,
    rise: tuple[float, float],
    place: tuple[float, float, float],
    radius: float,
    step_h: float,
    lit: Floats,
    dark: Floats,
    longest: Floats,
) -> None:
    """Add one time to the sums of all posts.

    Args:
        elevations: Elevations of the horizon, in units, shape (k, n, m).
        first: Number of the azimuth at the first edge.
        edges: Azimuths of the map around the disc, from its center [radii], ascending.
        elevation: Elevation of the sun at the origin [rad].
        rise: Change of the elevation per distance along x and y [rad/m].
        place: x and y of the first post, and the distance of posts [m].
        radius: Angular radius of the sun [rad].
        step_h: Duration [h].
        lit: In/out: sum of visible fractions.
        dark: In/out: present time without sun [h].
        longest: In/out: longest time without sun [h].
    """
    x0, y0, spacing = place
    for i in range(elevations.shape[1]):
        across = elevation + rise[0] * (x0 + i * spacing)
        for j in range(elevations.shape[2]):
            center = across + rise[1] * (y0 + j * spacing)
            fraction = disc_fraction(elevations, i, j, first, edges, center, radius)
            lit[i, j] += fraction
            if fraction > 0.0:
                dark[i, j] = 0.0
            else:
                dark[i, j] += step_h
                longest[i, j] = max(longest[i, j], dark[i, j])


def _edges(azimuth: float, elevation: float, radius: float, count: int) -> tuple[int, Floats]:
    """Return the azimuths of a map around a disc: the number of the first, and all of them from the center [radii].

    A disc whose width is that of the whole circle, close to the zenith, is limited to the circle.

    Args:
        azimuth: Azimuth of the center [rad].
        elevation: Its elevation [rad].
        radius: Angular radius of the disc [rad].
        count: Number of azimuths of the map.
    """
    width = max(math.cos(elevation), radius / math.pi)  # azimuths narrow by the cosine of the elevation
    step = 2.0 * math.pi / count
    first = math.floor((azimuth - radius / width) / step)
    last = math.ceil((azimuth + radius / width) / step)
    numbers = np.arange(first, max(last, first + 1) + 1, dtype=np.float64)
    edges: Floats = (numbers * step - azimuth) * (width / radius)
    return first % count, edges


def compute_illumination(
    horizons: HorizonMap,
    site: Site,
    start: datetime,
    duration: timedelta,
    step: timedelta = timedelta(hours=1),
    progress: Callable[[float], None] = lambda done: None,
) -> Illumination:
    """Return the illumination of the posts of a horizon map over a period.

    Args:
        horizons: The horizons.
        site: Place of the map's origin; x east, y north.
        start: Start of the period, UTC.
        duration: Duration of the period.
        step: Time between the times that are computed.
        progress: Called with the completed fraction.

    Raises:
        ValueError: If the period has no step.

    Source: mazarico2011.
    Checked by: test_illumination.py::test_level_plain_at_the_equator_is_lit_half_of_the_time,
    test_illumination.py::test_bowl_at_the_pole_is_always_dark_within_the_radius_of_the_closed_form.
    """
    count = int(duration / step) if step > timedelta(0) else 0
    if count < 1:
        raise ValueError(f'a period of {duration} in steps of {step}; allowed: at least one step')
    shape = horizons.elevations.shape[1:]
    lit, dark, longest, seen, unused = (np.zeros(shape) for _ in range(5))
    hours = step.total_seconds() / 3600.0
    for n in range(count):
        when = start + n * step
        sun = sun_over(site.latitude, site.longitude, when)
        _add(horizons, site, sun.azimuth, sun.elevation, sun.angular_radius, hours, lit, dark, longest)
        azimuth, elevation = earth_over(site.latitude, site.longitude, when)
        _add(horizons, site, azimuth, elevation, 1e-9, hours, seen, unused, unused)
        if n % 50 == 0:
            progress(n / count)
    shadow = permanent_shadow(horizons, highest_sun(site, start, len(horizons.elevations)))
    return Illumination(lit / count, longest, seen / count, shadow)


def _add(
    horizons: HorizonMap,
    site: Site,
    azimuth: float,
    elevation: float,
    radius: float,
    hours: float,
    lit: Floats,
    dark: Floats,
    longest: Floats,
) -> None:
    """Add one time to the sums of all posts, see ``_add_light``.

    One pass, which also the Earth and :func:`visible_parts` use, takes 0.4 times the time of separate passes.
    """
    first, edges = _edges(azimuth, elevation, radius, len(horizons.elevations))
    rise = math.sin(azimuth) / site.radius_m, math.cos(azimuth) / site.radius_m
    place = horizons.x0, horizons.y0, horizons.spacing
    _add_light(horizons.elevations, first, edges, elevation, rise, place, radius, hours, lit, dark, longest)


def visible_parts(horizons: HorizonMap, site: Site, azimuth: float, elevation: float, radius: float) -> Floats:
    """Return the visible fraction of the sun's disc at all posts, shape (n, m).

    Args:
        horizons: The horizons.
        site: Place of the map's origin.
        azimuth: Azimuth of the sun in the axes of the map, clockwise from +y [rad].
        elevation: Elevation of its center at the origin [rad].
        radius: Angular radius of the sun [rad].
    """
    parts, unused = np.zeros(horizons.elevations.shape[1:]), np.zeros(horizons.elevations.shape[1:])
    _add(horizons, site, azimuth, elevation, radius, 0.0, parts, unused, unused)
    return parts


def highest_sun(site: Site, start: datetime, azimuths: int, step: timedelta = timedelta(hours=2)) -> Floats:
    """Return the highest elevation of the sun's upper limb over CYCLE_YEARS, around each azimuth [rad], shape (k,).

    An azimuth at which the sun never stands has -pi. The sun moves by 1 degree in two hours.

    Args:
        site: The place.
        start: Start of the years, UTC.
        azimuths: Number of azimuths, from north, clockwise.
        step: Time between the times that are computed.
    """
    highest = np.full(azimuths, -math.pi)
    for n in range(int(CYCLE_YEARS * _YEAR / step)):
        sun = sun_over(site.latitude, site.longitude, start + n * step)
        near = round(sun.azimuth / (2.0 * math.pi) * azimuths) % azimuths
        highest[near] = max(highest[near], sun.elevation + sun.angular_radius)
    return highest


def permanent_shadow(horizons: HorizonMap, highest: Floats) -> Flags:
    """Return whether the horizon is above the highest sun at all azimuths, shape (n, m).

    Args:
        horizons: The horizons.
        highest: Highest elevation of the sun's upper limb around each azimuth of the map [rad], shape (k,).
    """
    hidden = np.ones(horizons.elevations.shape[1:], dtype=bool)
    for elevations, most in zip(horizons.elevations, highest.tolist(), strict=True):
        hidden &= elevations * UNIT_RAD >= most
    return hidden


def layer_statistics(layers: Illumination) -> dict[str, float]:
    """Return statistics of the layers."""
    return {
        'sunlit_share_mean': float(layers.sunlit_share.mean()),
        'sunlit_share_highest': float(layers.sunlit_share.max()),
        'longest_dark_h_of_best_post': float(layers.longest_dark_h.min()),
        'earth_share_mean': float(layers.earth_share.mean()),
        'permanent_shadow_share': float(layers.permanent_shadow.mean()),
    }


LAYERS: Sequence[tuple[str, str]] = (
    ('sunlit_share', ''),
    ('longest_dark_h', 'h'),
    ('earth_share', ''),
    ('permanent_shadow', ''),
)
"""Names of the layers, and their units."""
