# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light that lit surfaces reflect to the hit points of a packet of rays: one diffuse bounce."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Bools, Ints, Longs, Single, Singles, Words
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    ORG_X,
    ORG_Y,
    ORG_Z,
    intersect16,
)
from regolith_sensors.rays.embree.lighting import (
    BEGIN,
    DUST,
    GEOMETRY_ROWS,
    NORMAL,
    PLACE,
    TOWARD,
    direct,
    open_lane,
    sample_pair,
    viewing_cosine,
)
from regolith_sensors.rays.embree.surface import hit_something, surface_at
from regolith_sensors.surfaces.materials import glossy_width, reflect
from regolith_sensors.surfaces.shading import haversine
from regolith_sensors.surfaces.soil_relief import Horizons
from regolith_world.numerics import kernel
from regolith_world.random import mix_bits

_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_PI = np.float32(math.pi)
_BOUNCES, _PER_BOUNCE, _ROULETTE = 2048, 64, 8
"""Numbers of samples: the first one, their distance per bounce, and the bounces before those of the roulette."""


class IndirectMemory(NamedTuple):
    """Memory for the surfaces that a packet of rays from surfaces hits, and their light."""

    hit: Bools
    """Lanes with a hit, shape (16,)."""
    material: Longs
    """Materials of the lanes, shape (16,)."""
    first: Longs
    """Numbers of the lanes' rays among those of their pixels: 0, shape (16,)."""
    geometry: Singles
    """Hit points, shape (GEOMETRY_ROWS, 16)."""
    light_in: Singles
    """Radiance of the lanes' hit points toward the first surface [W/m^2/sr], shape (3, 16)."""
    cosine: Singles
    """Cosine of incidence on the first surface, shape (16,)."""
    none: Singles
    """Outputs that are not wanted, shape (3, 0)."""
    seen: Singles
    """Visible part of the sun at the hit points, shape (16,)."""
    most: Singles
    """Maximum of a lane's radiance [W/m^2/sr], shape (3,)."""
    through: Singles
    """Part of the gathered radiance that reaches the viewer, shape (3, 16)."""


@kernel
def indirect_memory(most: Singles) -> IndirectMemory:
    """Return memory for a maximum of a lane's radiance [W/m^2/sr], shape (3,)."""
    return IndirectMemory(
        np.zeros(16, np.bool_),
        np.zeros(16, np.int64),
        np.zeros(16, np.int64),
        np.zeros((GEOMETRY_ROWS, 16), np.float32),
        np.empty((3, 16), np.float32),
        np.empty(16, np.float32),
        np.empty((3, 0), np.float32),
        np.empty(16, np.float32),
        most,
        np.empty((3, 16), np.float32),
    )


@kernel(views_only=True, forceinline=True)
def _mirrored(
    nx: Single, ny: Single, nz: Single, vx: Single, vy: Single, vz: Single, a: Single, b: Single, width: Single
) -> tuple[Single, Single, Single]:
    """Return the mirror direction of a viewer at a facet drawn from the GGX distribution around a normal.

    Source: walter2007.
    Checked by: test_bounces.py::test_glossy_hull_has_no_bright_spots.
    """
    square = (_ONE - a) / (_ONE + (width * width - _ONE) * a)
    up, aside, angle = math.sqrt(square), math.sqrt(max(_ONE - square, _ZERO)), _TWO * _PI * b
    # Two vectors normal to n, without a special direction (Duff et al. 2017).
    sign = _ONE if nz >= _ZERO else -_ONE
    c = -_ONE / (sign + nz)
    d = nx * ny * c
    p, q = aside * math.cos(angle), aside * math.sin(angle)
    hx = up * nx + p * (_ONE + sign * nx * nx * c) + q * d
    hy = up * ny + p * sign * d + q * (sign + ny * ny * c)
    hz = up * nz - p * sign * nx - q * ny
    twice = _TWO * (vx * hx + vy * hy + vz * hz)
    return twice * hx - vx, twice * hy - vy, twice * hz - vz


@kernel(views_only=True, forceinline=True)
def _mirror_density(mu0: Single, mu: Single, haversine: Single, width: Single) -> Single:
    """Return the density of :func:`_mirrored` per solid angle [1/sr]: D cos(n, h) / (4 cos(v, h))."""
    cos_half = math.sqrt(max(_ONE - haversine, np.float32(1e-8)))
    n_h = min(_HALF * max(mu0 + mu, _ZERO) / cos_half, _ONE)
    spread = n_h * n_h * (width * width - _ONE) + _ONE
    return width * width * n_h / (np.float32(4.0) * _PI * spread * spread * cos_half)


@kernel(views_only=True, forceinline=True)
def _leave(
    materials: Singles,
    surface: int,
    g: Singles,
    stream: np.uint64,
    pixel: int,
    draw: int,
    share: Single,
    memory: IndirectMemory,
    packet: Singles,
    lane: int,
) -> bool:
    """Write the next ray of a path from a surface and the part of its light; return whether the path continues.

    Args:
        materials: Table of materials.
        surface: Material of the surface.
        g: Geometry of the surface.
        stream: Key of the random stream.
        pixel: Number of the pixel.
        draw: Number of the random sample.
        share: Share of a path in the light of the pixel.
        memory: Memory of the paths.
        packet: Rays.
        lane: Lane of the path.
    """
    cosine, through = memory.cosine, memory.through
    a, b = sample_pair(stream, pixel, draw)
    width = glossy_width(materials, surface)
    nx, ny, nz = g[NORMAL, lane], g[NORMAL + 1, lane], g[NORMAL + 2, lane]
    vx, vy, vz = g[TOWARD, lane], g[TOWARD + 1, lane], g[TOWARD + 2, lane]
    if width > _ZERO and a < _HALF:
        x, y, z = _mirrored(nx, ny, nz, vx, vy, vz, _TWO * a, b, width)
        if not nx * x + ny * y + nz * z > _ZERO:
            return False
    else:
        # A point on the unit sphere, added to the normal, has the cosine distribution.
        z, angle = _ONE - _TWO * (_TWO * a - _ONE if width > _ZERO else a), _TWO * _PI * b
        r = math.sqrt(max(_ONE - z * z, _ZERO))
        x, y, z = nx + r * math.cos(angle), ny + r * math.sin(angle), nz + z
        scale = _ONE / math.sqrt(max(x * x + y * y + z * z, np.float32(1e-8)))
        x, y, z = x * scale, y * scale, z * scale
    cosine[lane] = max(nx * x + ny * y + nz * z, np.float32(0.02))
    viewed = viewing_cosine(g, lane)
    hav = haversine(x, y, z, vx, vy, vz)
    red, green, blue = reflect(materials, surface, cosine[lane], viewed, hav)
    packet[ORG_X, lane], packet[ORG_Y, lane], packet[ORG_Z, lane] = (
        g[BEGIN, lane],
        g[BEGIN + 1, lane],
        g[BEGIN + 2, lane],
    )
    packet[DIR_X, lane], packet[DIR_Y, lane], packet[DIR_Z, lane] = x, y, z
    # The cosine is sampled and also contained in r.
    scale = _PI / cosine[lane]
    if width > _ZERO:
        scale = _ONE / (_HALF / scale + _HALF * _mirror_density(cosine[lane], viewed, hav, width))
    if draw < _BOUNCES + _PER_BOUNCE:
        scale *= share
        through[0, lane], through[1, lane], through[2, lane] = scale * red, scale * green, scale * blue
        return True
    chance = min(scale * max(red, green, blue), _ONE)
    luck, _ = sample_pair(stream, pixel, draw + _PER_BOUNCE * _ROULETTE)
    if luck >= chance:
        return False
    scale /= chance
    through[0, lane], through[1, lane] = through[0, lane] * scale * red, through[1, lane] * scale * green
    through[2, lane] = through[2, lane] * scale * blue
    return True


@kernel(views_only=True)
def gather_indirect(
    handle: int,
    facts: Ints,
    frames: Singles,
    nodes: Singles,
    mesh_material: NDArray[np.uint16],
    mesh_corners: Singles,
    materials: Singles,
    texels: Singles,
    layers: Singles,
    horizons: Horizons,
    relief: Singles,
    discs: Singles,
    direction: Singles,
    across: Singles,
    irradiance: Singles,
    lamps: Singles,
    far: Singles,
    disc: Single,
    darkening: Single,
    stream: np.uint64,
    samples: int,
    bounces: int,
    most_bounces: int,
    pixels: Longs,
    places: Longs,
    hit: Bools,
    material: Longs,
    geometry: Singles,
    packets: Singles,
    all_words: Words,
    valids: Ints,
    arguments: Ints,
    memory: IndirectMemory,
    out: Singles,
) -> None:
    """Add the light that lit surfaces reflect via each hit lane to its viewer, over one or more diffuse bounces.

    Directions have the cosine density cos i / pi. From glossy surfaces, half of them are those of the mirror facets of
    their coat instead, and each has the weight of both densities together (Veach & Guibas 1995). A path continues with
    the probability of its reflectance (Russian roulette). Each gathered radiance is limited to that of white paper in
    the sun, which removes caustics. This is Regolith's own choice against bright spots with few rays.

    Source: kajiya1986; arvo1990.
    Checked by: test_bounces.py::test_shadow_of_a_spherical_bowl, test_bounces.py::test_one_bounce_is_unchanged.
    """
    share = _ONE / np.float32(bounces)
    packet, words, valid = packets[0], all_words[0], valids[0]
    again, stuff, first = memory.hit, memory.material, memory.first
    other, light_in, none = memory.geometry, memory.light_in, memory.none
    seen, most, through = memory.seen, memory.most, memory.through
    for sample in range(bounces):
        for bounce in range(most_bounces):
            some = False
            for lane in range(16):
                # The path continues at its last surface.
                goes = hit[lane] if bounce == 0 else again[lane]
                g, surface = (geometry, material[lane]) if bounce == 0 else (other, stuff[lane])
                draw = _BOUNCES + sample + _PER_BOUNCE * bounce
                goes = goes and _leave(materials, surface, g, stream, pixels[lane], draw, share, memory, packet, lane)
                valid[lane] = -1 if goes else 0
                if goes:
                    open_lane(packet, words, lane)
                some |= goes
            if not some:
                break
            intersect16(valid.ctypes.data, handle, packet.ctypes.data, arguments[1].ctypes.data)
            for lane in range(16):
                again[lane] = valid[lane] != 0 and hit_something(words, lane)
                if again[lane]:
                    _, stuff[lane], _, px, py, pz, nx, ny, nz, sx, sy, sz, _, _, _, _, _, dust = surface_at(
                        facts,
                        frames,
                        nodes,
                        mesh_material,
                        mesh_corners,
                        materials,
                        texels,
                        layers,
                        discs,
                        packet,
                        words,
                        lane,
                        _ZERO,
                        False,
                    )
                    other[PLACE, lane], other[PLACE + 1, lane], other[PLACE + 2, lane] = px, py, pz
                    other[NORMAL, lane], other[NORMAL + 1, lane], other[NORMAL + 2, lane] = nx, ny, nz
                    other[BEGIN, lane], other[BEGIN + 1, lane], other[BEGIN + 2, lane] = sx, sy, sz
                    other[TOWARD, lane], other[TOWARD + 1, lane] = -packet[DIR_X, lane], -packet[DIR_Y, lane]
                    other[TOWARD + 2, lane] = -packet[DIR_Z, lane]
                    other[DUST, lane] = dust
            direct(
                handle,
                materials,
                layers,
                horizons,
                relief,
                direction,
                across,
                irradiance,
                lamps,
                far,
                disc,
                darkening,
                mix_bits(stream),
                1,
                first,
                pixels,
                places,
                again,
                stuff,
                other,
                packets[1],
                all_words[1],
                valids[1],
                arguments[1],
                seen,
                none,
                none[0],
                light_in,
            )
            for lane in range(16):
                if again[lane]:
                    for k in range(3):
                        out[k, lane] += through[k, lane] * min(light_in[k, lane], most[k])
