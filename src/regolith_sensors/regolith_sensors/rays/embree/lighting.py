# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light at the hit points of a packet of rays, and its reflection toward the viewer.

Packets have 16 lanes. ``geometry`` describes the points lane by lane: rows PLACE, NORMAL, TOWARD (unit vector to the
viewer), BEGIN (start of rays toward lights) and MEAN (mean normal of the micro-relief), three each, AMOUNT (factor on
the relief's heights, 0 without relief), WIDTH (of the pixel on the surface [m]) and DUST (share of the surface that
dust covers). Dust has the last material, that of the ground. The rows after them are memory for the light of lamps.
Coordinates are relative to the scene origin.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_sensors.arrays import Bools, Ints, Longs, Single, Singles, Words
from regolith_sensors.light import LAMP_AXIS, LAMP_HOUSING_M, LAMP_INNER, LAMP_INTENSITY, LAMP_OUTER, LAMP_PLACE
from regolith_sensors.numerics.fast_math import cos_sin_of_turn
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    GEOM,
    INST,
    MASK,
    ORG_X,
    ORG_Y,
    ORG_Z,
    T_FAR,
    T_NEAR,
    intersect16,
    occluded16,
)
from regolith_sensors.rays.embree.surface import hit_something
from regolith_sensors.surfaces.materials import CONSTANTS, is_hapke, mixed, reflect, tinted
from regolith_sensors.surfaces.shading import hapke_lanes, hapke_of_cosines, haversine
from regolith_sensors.surfaces.soil_relief import Horizons, relief_part
from regolith_world.numerics import kernel
from regolith_world.random import mix_bits

PLACE, NORMAL, TOWARD, BEGIN, MEAN, AMOUNT, WIDTH, DUST = 0, 3, 6, 9, 12, 15, 16, 17
_ANGLES, _FADE, _REFLECTED = 18, 21, 22
GEOMETRY_ROWS = 23

_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_HOUSING = np.float32(LAMP_HOUSING_M)
_LAMP_DISC = np.float32(0.005)
"""Tangent of the angular radius of lamps in shadows of the micro-relief; larger than that of a lamp, so that the
borders are smooth."""
_THIRD = np.float32(1.0 / 3.0)
_INF = np.float32(np.inf)
_PI = np.float32(math.pi)
_NONE = np.uint32(0xFFFFFFFF)
_TO_UNIT = np.float32(2.0**-24)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PER_PIXEL = np.uint64(4096)
_BOUNCES = 2048
_LATTICE_A, _LATTICE_B = np.float32(0.7548776662466927), np.float32(0.5698402909980532)
_STEP_A, _STEP_B = np.uint64(0.7548776662466927 * 2.0**32), np.uint64(0.5698402909980532 * 2.0**32)


@kernel(views_only=True, forceinline=True)
def open_lane(packet: Singles, words: Words, lane: int) -> None:
    """Initialize a ray, except for origin and direction."""
    packet[T_NEAR, lane], packet[T_FAR, lane] = _ZERO, _INF
    words[MASK, lane] = _NONE
    words[GEOM, lane], words[INST, lane] = _NONE, _NONE


@kernel(views_only=True, forceinline=True)
def sample_pair(stream: np.uint64, pixel: int, sample: int) -> tuple[Single, Single]:
    """Return two numbers in [0, 1) for a sample of a pixel: SplitMix64 of the sample's number."""
    word = mix_bits(stream + (np.uint64(pixel) * _PER_PIXEL + np.uint64(sample)) * _GOLDEN)
    return np.float32(word >> np.uint64(40)) * _TO_UNIT, np.float32(word & np.uint64(0xFFFFFF)) * _TO_UNIT


@kernel(views_only=True, forceinline=True)
def _spread(stream: np.uint64, pixel: int, place: int, sample: int, extra: int) -> tuple[Single, Single]:
    """Return the two numbers of a sample of the sun's disc; for a pixel's first sample, a lattice over the image.

    Neighbors along rows, columns and in squares have evenly spaced points, so a mean over them has at most half the
    noise of independent points. The lattice moves from frame to frame. Further samples are independent. A pixel's
    further rays use the first ray's numbers, shifted along a lattice. Together they are evenly spaced: a border that is
    noisy for a single ray is smooth in their mean.

    Args:
        stream: Key of the random stream.
        pixel: Number of the pixel.
        place: Row of the pixel times 2^16 plus its column.
        sample: Number of the sample.
        extra: Number of the ray among those of its pixel.

    Source: roberts2018; cranley1976.
    Checked by: test_adaptive_sampling.py::test_further_rays_halve_the_error_at_edges_and_shadow_borders,
    test_penumbra.py::test_neighboring_pixels_sample_the_whole_disc.
    """
    if sample > 0:
        a, b = sample_pair(stream, pixel, sample)
    else:
        # Integers modulo 2^32, which have no rounding.
        row, column = np.uint64(place >> 16), np.uint64(place & 0xFFFF)
        shift = mix_bits(stream)
        first = (shift >> np.uint64(32)) + _STEP_A * column + _STEP_B * row
        second = shift + _STEP_B * column + _STEP_A * row
        a = np.float32((first >> np.uint64(8)) & np.uint64(0xFFFFFF)) * _TO_UNIT
        b = np.float32((second >> np.uint64(8)) & np.uint64(0xFFFFFF)) * _TO_UNIT
    a, b = a + np.float32(extra) * _LATTICE_A, b + np.float32(extra) * _LATTICE_B
    return a - math.floor(a), b - math.floor(b)


@kernel(views_only=True)
def direct(
    handle: int,
    materials: Singles,
    layers: Singles,
    horizons: Horizons,
    relief: Singles,
    direction: Singles,
    across: Singles,
    irradiance: Singles,
    lamps: Singles,
    far: Singles,
    disc: Single,
    darkening: Single,
    stream: np.uint64,
    samples: int,
    extra: Longs,
    pixels: Longs,
    places: Longs,
    hit: Bools,
    material: Longs,
    geometry: Singles,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    seen: Singles,
    whole: Singles,
    blocked: Singles,
    out: Singles,
) -> None:
    """Write the light of sun and lamps that each hit lane reflects to its viewer [W/m^2/sr] into ``out``, (3, 16).

    Args:
        handle: Address of the scene.
        materials: Table of materials.
        layers: Position, scale and rotation of the layers of the micro-relief.
        horizons: Horizons of the micro-relief.
        relief: Numbers of the micro-relief's shadows; empty without shadows.
        direction: Unit vector toward the sun.
        across: Two unit vectors normal to it, shape (2, 3).
        irradiance: Irradiance of the bands [W/m^2], shape (3,).
        lamps: Table of lamps.
        far: Visible part of the sun above far terrain, see :attr:`.Lights.far`.
        disc: Tangent of the sun's angular radius.
        darkening: Limb darkening coefficient.
        stream: Key of the random stream.
        samples: Rays to the sun's disc per lane.
        pixels: Numbers of the lanes' pixels, shape (16,).
        extra: Number of each lane's ray among those of its pixel, shape (16,).
        places: Rows of the lanes' pixels times 2^16 plus their columns, shape (16,).
        hit: Lanes with a hit, shape (16,).
        material: Materials of the lanes, shape (16,).
        geometry: Hit points of the lanes.
        packet: Memory for shadow rays.
        words: The same memory as integers.
        valid: Memory for the mask of lanes.
        arguments: Arguments of the ray queries.
        seen: Output: visible part of the sun for each lane, shape (16,).
        whole: Output: reflected light of a fully visible sun [W/m^2/sr], shape (3, 16); shape (3, 0) skips it.
        blocked: Output: distance of the nearest object between point and sun [m], 0 without one, shape (16,); shape
            (0,) skips it.
        out: Output: reflected light.

    Source: hapke2012.
    Checked by: test_scene.py::test_level_regolith_has_hapke_radiance,
    test_scene.py::test_adjacent_soils_use_their_own_parameters.
    """
    g = geometry
    any_facing = any_lit = False
    for lane in range(16):
        out[0, lane] = out[1, lane] = out[2, lane] = seen[lane] = _ZERO
        valid[lane] = 0
        if hit[lane] and irradiance[1] > _ZERO and _mu0(g, direction, lane) > _ZERO:
            valid[lane] = -1
            any_facing = True
    if any_facing:
        _sun_seen(
            handle,
            direction,
            across,
            disc,
            darkening,
            stream,
            samples,
            extra,
            pixels,
            places,
            g,
            packet,
            words,
            valid,
            arguments,
            seen,
            blocked,
        )
        if far.shape[0] > 0:
            for lane in range(16):
                if seen[lane] > _ZERO:
                    seen[lane] *= above_far_terrain(far, g[PLACE, lane], g[PLACE + 1, lane])
        for lane in range(16):
            any_lit |= seen[lane] > _ZERO
    wanted = whole.shape[1] > 0
    if any_lit or (wanted and any_facing):
        _sunlit(materials, direction, irradiance, material, g, valid, out)
        if relief.shape[0] > 0:
            for lane in range(16):
                if valid[lane] != 0 and g[AMOUNT, lane] > _ZERO:
                    part = _relief_part(
                        layers, horizons, relief, direction[0], direction[1], direction[2], disc, g, lane
                    )
                    for c in range(3):
                        out[c, lane] *= part
    if wanted:
        for lane in range(16):
            for c in range(3):
                whole[c, lane] = out[c, lane]
    for lane in range(16):
        for c in range(3):
            out[c, lane] = out[c, lane] * seen[lane] if seen[lane] > _ZERO else _ZERO
    if lamps.shape[0] > 0:
        _lamps(
            handle,
            materials,
            layers,
            horizons,
            relief,
            lamps,
            hit,
            material,
            g,
            packet,
            words,
            valid,
            arguments,
            out,
        )


@kernel(views_only=True, forceinline=True)
def above_far_terrain(far: Singles, x: Single, y: Single) -> Single:
    """Return the visible part of the sun above far terrain at a point [m], bilinear; outside it that of its edge."""
    row, col = (x - far[0, 0]) * far[0, 2], (y - far[0, 1]) * far[0, 2]
    row = min(max(row, _ZERO), np.float32(far.shape[0] - 2))
    col = min(max(col, _ZERO), np.float32(far.shape[1] - 1))
    i, j = min(int(row), far.shape[0] - 3), min(int(col), far.shape[1] - 2)
    u, v = row - np.float32(i), col - np.float32(j)
    near = far[1 + i, j] + v * (far[1 + i, j + 1] - far[1 + i, j])
    beyond = far[2 + i, j] + v * (far[2 + i, j + 1] - far[2 + i, j])
    return near + u * (beyond - near)


@kernel(views_only=True)
def _sunlit(
    materials: Singles,
    direction: Singles,
    irradiance: Singles,
    material: Longs,
    g: Singles,
    facing: Ints,
    out: Singles,
) -> None:
    """Write the reflected light of a fully visible sun for lanes that face it; 0 for the others."""
    soil = -1
    for lane in range(16):
        if soil < 0 and facing[lane] != 0 and is_hapke(materials, material[lane]):
            soil = material[lane]
    if soil >= 0:
        # All lanes are computed as if they had this soil, because there is rarely a second one.
        hapke_lanes(g, NORMAL, TOWARD, direction, materials, soil, CONSTANTS, out)
    for lane in range(16):
        if facing[lane] != 0:
            if material[lane] == soil:
                red, green, blue = tinted(materials, soil, out[0, lane])
            else:
                hav = haversine(
                    direction[0], direction[1], direction[2], g[TOWARD, lane], g[TOWARD + 1, lane], g[TOWARD + 2, lane]
                )
                sunward, viewed = _mu0(g, direction, lane), viewing_cosine(g, lane)
                red, green, blue = reflect(materials, material[lane], sunward, viewed, hav)
                if g[DUST, lane] > _ZERO:
                    of_dust = reflect(materials, materials.shape[0] - 1, sunward, viewed, hav)
                    red, green, blue = mixed(red, green, blue, of_dust, g[DUST, lane])
            out[0, lane] = red * irradiance[0]
            out[1, lane] = green * irradiance[1]
            out[2, lane] = blue * irradiance[2]
        else:
            out[0, lane] = out[1, lane] = out[2, lane] = _ZERO


@kernel(views_only=True, forceinline=True)
def _mu0(g: Singles, direction: Singles, lane: int) -> Single:
    """Return the cosine of incidence of light from a direction."""
    return g[NORMAL, lane] * direction[0] + g[NORMAL + 1, lane] * direction[1] + g[NORMAL + 2, lane] * direction[2]


@kernel(views_only=True)
def _relief_part(
    layers: Singles,
    horizons: Horizons,
    relief: Singles,
    x: Single,
    y: Single,
    z: Single,
    disc: Single,
    g: Singles,
    lane: int,
) -> Single:
    """Return the part of a light's disc in direction (x, y, z), of any length, that the micro-relief leaves visible."""
    nx, ny, nz = g[MEAN, lane], g[MEAN + 1, lane], g[MEAN + 2, lane]
    above = nx * x + ny * y + nz * z
    x, y, z = x - above * nx, y - above * ny, z - above * nz
    rise = above / math.sqrt(max(x * x + y * y + z * z, np.float32(1e-12)))
    ax, ay, az = abs(nx), abs(ny), abs(nz)
    # The relief lies on the coordinate plane that is closest to the tangent plane, as in surface.py.
    if az >= ax and az >= ay:
        a, b, ahead, aside, flat = g[PLACE, lane], g[PLACE + 1, lane], x, y, az
    elif ax >= ay:
        a, b, ahead, aside, flat = g[PLACE + 1, lane], g[PLACE + 2, lane], y, z, ax
    else:
        a, b, ahead, aside, flat = g[PLACE, lane], g[PLACE + 2, lane], x, z, ay
    return relief_part(horizons, relief, layers, a, b, ahead, aside, rise, g[AMOUNT, lane] * flat, g[WIDTH, lane], disc)


@kernel(views_only=True, forceinline=True)
def viewing_cosine(g: Singles, lane: int) -> Single:
    """Return the cosine of emission."""
    return (
        g[NORMAL, lane] * g[TOWARD, lane]
        + g[NORMAL + 1, lane] * g[TOWARD + 1, lane]
        + g[NORMAL + 2, lane] * g[TOWARD + 2, lane]
    )


@kernel(views_only=True, forceinline=True)
def _darkened(part: Single, darkening: Single) -> Single:
    """Return the squared radius in a unit disc that contains a given part of its light, by Newton's iteration.

    A disc of brightness 1 - u (1 - sqrt(1 - r^2)) emits (1 - u) r^2 + 2 u / 3 (1 - (1 - r^2)^1.5) of its total 1 - u /
    3 within r.

    Source: milne1921.
    Checked by: test_light_off_axis.py::test_penumbra_of_a_sun_with_limb_darkening.
    """
    whole = part * (_ONE - darkening * _THIRD)
    square = part
    for _ in range(4):
        cosine = math.sqrt(max(_ONE - square, _ZERO))
        light = (_ONE - darkening) * square + _TWO * _THIRD * darkening * (_ONE - cosine * cosine * cosine)
        square -= (light - whole) / (_ONE - darkening + darkening * cosine)
    return min(max(square, _ZERO), _ONE)


@kernel(views_only=True, forceinline=True)
def _sun_seen(
    handle: int,
    direction: Singles,
    across: Singles,
    disc: Single,
    darkening: Single,
    stream: np.uint64,
    samples: int,
    extra: Longs,
    pixels: Longs,
    places: Longs,
    g: Singles,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    seen: Singles,
    blocked: Singles,
) -> None:
    """Add an estimate of the sun's visible part, from each valid lane's start point, to ``seen``.

    Points of the disc are distributed evenly by area, or by brightness if the limb is darkened, so all have equal
    weight.

    Source: milne1921.
    Checked by: test_light_off_axis.py::test_limb_darkening_conserves_irradiance,
    test_light_off_axis.py::test_penumbra_of_a_sun_with_limb_darkening, test_scene.py::test_penumbra_of_an_edge.
    """
    share = _ONE / np.float32(samples)
    measured = blocked.shape[0] > 0
    for lane in range(blocked.shape[0]):
        blocked[lane] = _ZERO
    for sample in range(samples):
        # All lanes are computed, so that the compiler vectorizes the loop; invalid lanes are not traced.
        for lane in range(16):
            part, turn = _spread(stream, pixels[lane], places[lane], sample, extra[lane])
            if darkening > _ZERO:
                part = _darkened(part, darkening)
            radius = disc * math.sqrt(part)
            cos, sin = cos_sin_of_turn(turn)
            a, b = radius * cos, radius * sin
            packet[DIR_X, lane] = direction[0] + a * across[0, 0] + b * across[1, 0]
            packet[DIR_Y, lane] = direction[1] + a * across[0, 1] + b * across[1, 1]
            packet[DIR_Z, lane] = direction[2] + a * across[0, 2] + b * across[1, 2]
        for lane in range(16):
            packet[ORG_X, lane], packet[ORG_Y, lane] = g[BEGIN, lane], g[BEGIN + 1, lane]
            packet[ORG_Z, lane] = g[BEGIN + 2, lane]
            open_lane(packet, words, lane)
        if measured:
            intersect16(valid.ctypes.data, handle, packet.ctypes.data, arguments.ctypes.data)
        else:
            occluded16(valid.ctypes.data, handle, packet.ctypes.data, arguments.ctypes.data)
        for lane in range(16):
            if measured and valid[lane] != 0 and hit_something(words, lane):
                before = blocked[lane]
                blocked[lane] = packet[T_FAR, lane] if before == _ZERO else min(before, packet[T_FAR, lane])
            elif valid[lane] != 0 and packet[T_FAR, lane] > _ZERO:
                seen[lane] += share


@kernel(views_only=True)
def _lamps(
    handle: int,
    materials: Singles,
    layers: Singles,
    horizons: Horizons,
    relief: Singles,
    lamps: Singles,
    hit: Bools,
    material: Longs,
    g: Singles,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    out: Singles,
) -> None:
    """Add the light of all lamps: intensity / distance^2, faded by a squared smooth step between the cones.

    Only lanes that a lamp's light reaches are shaded. The fade is Regolith's own; tests: test_light_off_axis.py and
    test_scene.py.
    """
    angles, fades, r = g[_ANGLES:_FADE], g[_FADE], g[_REFLECTED]
    for lamp in range(lamps.shape[0]):
        some = False
        for lane in range(16):
            valid[lane] = 0
            if hit[lane]:
                fades[lane] = _aim_at_lamp(lamps, lamp, g, lane, angles, packet, words)
                if angles[0, lane] > _ZERO and fades[lane] > _ZERO:
                    valid[lane] = -1
                    some = True
        if not some:
            continue
        occluded16(valid.ctypes.data, handle, packet.ctypes.data, arguments.ctypes.data)
        soil = -1
        for lane in range(16):
            if packet[T_FAR, lane] <= _ZERO:
                valid[lane] = 0
            if soil < 0 and valid[lane] != 0 and is_hapke(materials, material[lane]):
                soil = material[lane]
        if soil >= 0:
            # All lanes are computed as if they had this soil, as for the sun.
            hapke_of_cosines(angles, materials, soil, CONSTANTS, r)
        for lane in range(16):
            if valid[lane] == 0:
                continue
            if material[lane] == soil:
                red, green, blue = tinted(materials, soil, r[lane])
            else:
                sunward, viewed, hav = angles[0, lane], angles[1, lane], angles[2, lane]
                red, green, blue = reflect(materials, material[lane], sunward, viewed, hav)
                if g[DUST, lane] > _ZERO:
                    of_dust = reflect(materials, materials.shape[0] - 1, sunward, viewed, hav)
                    red, green, blue = mixed(red, green, blue, of_dust, g[DUST, lane])
            if relief.shape[0] > 0 and g[AMOUNT, lane] > _ZERO:
                x, y, z = packet[DIR_X, lane], packet[DIR_Y, lane], packet[DIR_Z, lane]
                fades[lane] *= _relief_part(layers, horizons, relief, x, y, z, _LAMP_DISC, g, lane)
            out[0, lane] += red * fades[lane] * lamps[lamp, LAMP_INTENSITY]
            out[1, lane] += green * fades[lane] * lamps[lamp, LAMP_INTENSITY + 1]
            out[2, lane] += blue * fades[lane] * lamps[lamp, LAMP_INTENSITY + 2]


@kernel(views_only=True, forceinline=True)
def _aim_at_lamp(
    lamps: Singles, lamp: int, g: Singles, lane: int, angles: Singles, packet: Singles, words: Words
) -> Single:
    """Write the shadow ray of a lane and the angles of a lamp's light; return its intensity at the point [1/m^2]."""
    dx, dy, dz = lamps[lamp, LAMP_PLACE], lamps[lamp, LAMP_PLACE + 1], lamps[lamp, LAMP_PLACE + 2]
    x, y, z = dx - g[PLACE, lane], dy - g[PLACE + 1, lane], dz - g[PLACE + 2, lane]
    distance2 = max(x * x + y * y + z * z, np.float32(1e-6))
    scale = _ONE / math.sqrt(distance2)
    x, y, z = x * scale, y * scale, z * scale
    cosine = -(x * lamps[lamp, LAMP_AXIS] + y * lamps[lamp, LAMP_AXIS + 1] + z * lamps[lamp, LAMP_AXIS + 2])
    outer = lamps[lamp, LAMP_OUTER]
    step = (cosine - outer) / max(lamps[lamp, LAMP_INNER] - outer, np.float32(1e-6))
    step = min(max(step, _ZERO), _ONE)
    fade = step * step * (np.float32(3.0) - _TWO * step)
    fade = fade * fade / distance2
    angles[0, lane] = g[NORMAL, lane] * x + g[NORMAL + 1, lane] * y + g[NORMAL + 2, lane] * z
    angles[1, lane] = viewing_cosine(g, lane)
    angles[2, lane] = haversine(x, y, z, g[TOWARD, lane], g[TOWARD + 1, lane], g[TOWARD + 2, lane])
    packet[ORG_X, lane], packet[ORG_Y, lane] = g[BEGIN, lane], g[BEGIN + 1, lane]
    packet[ORG_Z, lane] = g[BEGIN + 2, lane]
    packet[DIR_X, lane], packet[DIR_Y, lane] = dx - g[BEGIN, lane], dy - g[BEGIN + 1, lane]
    packet[DIR_Z, lane] = dz - g[BEGIN + 2, lane]
    open_lane(packet, words, lane)
    # A lamp's own housing does not block its light.
    packet[T_FAR, lane] = max(_ONE - _HOUSING * scale, _HOUSING)
    return fade
