# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light of bright sources that the lens reflects and scatters onto the sensor, also from outside the image.

Ghosts follow from the surfaces of a lens by paraxial matrices: for each pair of surfaces that reflect, the ghost is an
image of the aperture. Veiling glare is scatter by the angle from the source. A list of spots chosen by eye is the
fallback for cameras whose lens is unknown.

Heights h and slopes u of rays are written (h, u). Reflections are unfolded, so that light always goes ahead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.flare import FlareConfig, LensSurfaceConfig, focal_length
from regolith_sensors.light import LAMP_HOUSING_M, Spotlight, Sun
from regolith_sensors.numerics.lens_matrices import reflection, refraction, space
from regolith_sensors.rays.backend import RayBackend

Floats = NDArray[np.float64]
_DISC_RAYS = 32
"""Number of rays to the sun's disc."""
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
_REACH_M = 1e5
"""Distance to which surfaces hide the sun [m]."""


class Source(NamedTuple):
    """A bright source, small against the field of view."""

    direction: Floats
    """Unit vector toward it in the optical frame (x right, y down, z ahead), shape (3,)."""
    irradiance: Floats
    """Irradiance of the bands at the lens, normal to its rays [W/m^2], shape (3,)."""


def bright_sources(
    scene: RayBackend,
    origin: Floats,
    place: Floats,
    turn: Floats,
    sun: Sun | None,
    lamps: Sequence[Spotlight],
    hood_deg: float,
) -> list[Source]:
    """Return the sun and the lamps that shine into a lens, as far as nothing hides them.

    Args:
        scene: Committed scene.
        origin: Origin of its coordinates in the world frame [m], shape (3,).
        place: Position of the lens [m], shape (3,).
        turn: Rotation from the optical frame to the world frame, shape (3, 3).
        sun: The sun; None at night.
        lamps: Lamps that are on.
        hood_deg: Angle from the axis beyond which no light enters [deg].
    """
    found, least = [], math.cos(math.radians(hood_deg))
    if sun is not None and (sun.direction @ turn)[2] > least:
        n = np.arange(_DISC_RAYS)
        radius, angle = math.tan(sun.angular_radius) * np.sqrt((n + 0.5) / _DISC_RAYS), _GOLDEN_ANGLE * n
        first = np.cross(sun.direction, np.eye(3)[int(np.argmin(np.abs(sun.direction)))])
        first /= np.linalg.norm(first)
        ways = sun.direction + radius[:, None] * (
            np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(sun.direction, first)
        )
        seen = float(np.mean(np.isinf(_ranges(scene, place - origin, ways))))
        if sun.far is not None:
            seen *= sun.far.at(place)
        if seen > 0.0:
            found.append(Source(sun.direction @ turn, seen * sun.irradiance))
    for lamp in lamps:
        way = lamp.position - place
        distance = float(np.linalg.norm(way))
        light = lamp.irradiance_at(place)
        if distance < 1e-3 or not light.any() or (way @ turn)[2] <= least * distance:
            continue
        if _ranges(scene, place - origin, way[None, :])[0] >= distance - LAMP_HOUSING_M:
            found.append(Source(way @ turn / distance, light))
    return found


def _ranges(scene: RayBackend, place: Floats, ways: Floats) -> Floats:
    """Return the distance of the first surface along each way from a place of the scene [m]."""
    unit = (ways / np.linalg.norm(ways, axis=1, keepdims=True)).astype(np.float32)
    groups = np.zeros(len(unit), np.int32)
    at, turn = place[None, :].astype(np.float32), np.eye(3, dtype=np.float32)[None, :, :]
    return scene.cast(unit, groups, at, turn, _REACH_M, 1e-3)[0].astype(np.float64)


class Ghost(NamedTuple):
    """Paraxial image of the aperture by two reflections, in one band."""

    first: int
    """Number of the surface that reflects first."""
    second: int
    """Number of the surface that reflects second, closer to the scene."""
    a: float
    """Size of the ghost relative to the aperture [-]."""
    b: float
    """Distance of its center from the axis per slope of the light [m]."""
    share: float
    """Product of both reflectances."""
    heights: Floats
    """For each surface of its path, the height of a ray per height and per slope of the light, shape (k, 2)."""
    rims: Floats
    """Radius of the rim of each of these surfaces [m], shape (k,)."""


def lens_ghosts(surfaces: Sequence[LensSurfaceConfig], sensor_m: float, band: int = 1) -> list[Ghost]:
    """Return the ghosts of all pairs of surfaces: p surfaces have p (p - 1) / 2.

    Args:
        surfaces: Surfaces from the scene to the sensor.
        sensor_m: Distance from the last surface to the sensor [m].
        band: Number of the band: 0 red, 1 green, 2 blue.

    Source: hullin2011; lee2013.
    Checked by: test_flare.py::test_check_lens, test_flare.py::test_ghost_equals_an_exact_trace.
    """
    n = [1.0, *(surface.index[band] for surface in surfaces)]
    gaps = [*(surface.distance_m for surface in surfaces[:-1]), sensor_m]
    found = []
    for i in range(1, len(surfaces)):
        for j in range(i):
            m, heights, rims = np.eye(2), [], []

            def pass_on(surface: int, matrix: Floats, gap: float) -> None:
                nonlocal m
                heights.append(m[0].copy())  # noqa: B023  used at once
                rims.append(surfaces[surface].rim_m)  # noqa: B023
                m = space(gap) @ matrix @ m

            for k in range(i):
                pass_on(k, refraction(n[k], n[k + 1], surfaces[k].radius_m), gaps[k])
            pass_on(i, reflection(surfaces[i].radius_m), gaps[i - 1])
            for k in range(i - 1, j, -1):
                pass_on(k, refraction(n[k + 1], n[k], -surfaces[k].radius_m), gaps[k - 1])
            pass_on(j, reflection(-surfaces[j].radius_m), gaps[j])
            for k in range(j + 1, len(surfaces)):
                pass_on(k, refraction(n[k], n[k + 1], surfaces[k].radius_m), gaps[k])
            share = surfaces[i].reflectance * surfaces[j].reflectance
            found.append(Ghost(i, j, float(m[0, 0]), float(m[0, 1]), share, np.array(heights), np.array(rims)))
    return found


def aperture_area(diameter_m: float, blades: int) -> float:
    """Return the area of an aperture: a circle, or the polygon of its blades within it [m^2]."""
    if blades == 0:
        return 0.25 * math.pi * diameter_m**2
    return 0.125 * blades * diameter_m**2 * math.sin(2.0 * math.pi / blades)


def _in_aperture(x: Floats, y: Floats, radius: float, blades: int) -> NDArray[np.bool_]:
    """Return whether points of the aperture's plane are open."""
    if blades == 0:
        inside: NDArray[np.bool_] = x * x + y * y <= radius * radius
        return inside
    inner = radius * math.cos(math.pi / blades)
    angles = 2.0 * math.pi * np.arange(blades) / blades
    open_ = np.ones(x.shape, dtype=bool)
    for turn in angles:
        open_ &= x * math.cos(turn) + y * math.sin(turn) <= inner
    return open_


def ghost_irradiance(
    flare: FlareConfig,
    sources: Sequence[Source],
    x: Floats,
    y: Floats,
    f_number: float,
    transmission: float,
) -> Floats:
    """Return the irradiance of the sensor by the ghosts of all sources [W/m^2], shape (height, width, 3).

    A ghost has the flux E cos(theta) A R_i R_j T of the aperture's area A and is evenly bright. Rims cut it.

    Args:
        flare: Settings with the surfaces of the lens.
        sources: Bright sources in front of the lens.
        x: Positions of the pixels to the right of the axis, as the image is shown [m], shape (width,).
        y: Positions of the pixels below the axis [m], shape (height,).
        f_number: F-number.
        transmission: Transmission of the lens.

    Source: hullin2011; lee2013.
    Checked by: test_flare.py::test_flux_of_a_ghost, test_flare.py::test_ghost_moves_with_the_image,
    test_flare.py::test_ghosts_of_two_sources_add_up.
    """
    out = np.zeros((len(y), len(x), 3))
    focal, back = focal_length(flare.lens)
    diameter = focal / f_number
    area = aperture_area(diameter, flare.blades)
    for band in range(3):
        for ghost in lens_ghosts(flare.lens, back, band):
            for source in sources:
                slope = source.direction[:2] / source.direction[2]
                # The image is shown upside down, so that slopes and positions have the signs of directions.
                across, down = (x - ghost.b * slope[0]) / ghost.a, (y - ghost.b * slope[1]) / ghost.a
                near_x, near_y = np.abs(across) <= 0.5 * diameter, np.abs(down) <= 0.5 * diameter
                if not (near_x.any() and near_y.any()):
                    continue
                u, v = np.broadcast_arrays(across[None, near_x], down[near_y, None])
                seen = _in_aperture(u, v, 0.5 * diameter, flare.blades)
                for (per_height, per_slope), rim in zip(ghost.heights, ghost.rims, strict=True):
                    h, w = per_height * u + per_slope * slope[0], per_height * v + per_slope * slope[1]
                    seen &= h * h + w * w <= rim * rim
                flux = source.irradiance[band] * source.direction[2] * area * ghost.share * transmission
                out[np.ix_(near_y, near_x, [band])] += (seen * (flux / (ghost.a**2 * area)))[:, :, None]
    return out


def spot_irradiance(
    flare: FlareConfig, sources: Sequence[Source], x: Floats, y: Floats, focal_m: float, f_number: float
) -> Floats:
    """Return the irradiance of the sensor by the spots chosen by eye [W/m^2], shape (height, width, 3).

    The arguments are those of :func:`ghost_irradiance`, and the focal length [m].

    Source: hullin2011.
    Checked by: test_flare.py::test_spots_have_their_share_and_place.
    """
    out = np.zeros((len(y), len(x), 3))
    area, wide = 0.25 * math.pi * (focal_m / f_number) ** 2, float(x[-1] - x[0])
    for spot in flare.spots:
        radius = 0.5 * spot.size * wide
        for source in sources:
            center = spot.along * focal_m * source.direction[:2] / source.direction[2]
            inside = (x[None, :] - center[0]) ** 2 + (y[:, None] - center[1]) ** 2 <= radius * radius
            flux = source.irradiance * source.direction[2] * area * spot.share * np.array(spot.tint)
            out += inside[:, :, None] * (flux / (math.pi * radius * radius))
    return out


def veil(flare: FlareConfig, sources: Sequence[Source], rays: NDArray[np.float32]) -> Floats:
    """Return the radiance that scatter in the lens adds to the pixels [W/m^2/sr], shape (height, width, 3).

    L = E cos(theta) s(psi) with Harvey's form s = s0 (1 + (psi / psi0)^2)^-m of the angle psi from the source. Over all
    angles of a plane it scatters the given share, s0 = share (m - 1) / (pi psi0^2).

    Args:
        flare: Settings with the veil.
        sources: Bright sources in front of the lens.
        rays: Unit directions of the pixels, shape (height, width, 3).

    Source: harvey1976.
    Checked by: test_flare.py::test_veil_scatters_its_share, test_flare.py::test_veil_of_a_sun_outside_the_image.
    """
    out = np.zeros(rays.shape)
    width = math.radians(flare.veil_angle_deg)
    peak = flare.veil_share * (flare.veil_power - 1.0) / (math.pi * width**2)
    for source in sources:
        apart = np.arccos(np.clip(rays @ source.direction.astype(np.float32), -1.0, 1.0)).astype(np.float64)
        scattered = peak * (1.0 + (apart / width) ** 2) ** -flare.veil_power
        out += scattered[:, :, None] * source.irradiance * source.direction[2]
    return out
