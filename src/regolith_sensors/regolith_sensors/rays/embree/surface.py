# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Surface at a ray's hit: position, normals, material and brightness, in compiled loops."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Ints, Single, Singles, Words
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    GEOM,
    HIT_U,
    HIT_V,
    INST,
    NG_X,
    NG_Y,
    NG_Z,
    ORG_X,
    ORG_Y,
    ORG_Z,
    PRIM,
    T_FAR,
)
from regolith_sensors.surfaces.materials import FACETS, MICRO
from regolith_sensors.surfaces.mesh_detail import CORNER_DUST, CORNER_PLACES, PER_HALF, bulge, fracture, spotted
from regolith_sensors.surfaces.micro_relief import micro_at
from regolith_sensors.surfaces.table_columns import (
    DISC_BEND,
    DISC_PLACE,
    DISC_RADIUS,
    DISCS,
    FACT_KIND,
    FACT_MATERIAL,
    FACT_REFERENCE,
    MESH,
    TERRAIN,
)
from regolith_sensors.surfaces.terrain_tiles import CELLS
from regolith_world.numerics import kernel

Hit = tuple[
    int,
    int,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
    Single,
]
"""Surface at a hit, see :func:`surface_at`."""

_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_NONE = np.uint32(0xFFFFFFFF)
_LEAST = np.float32(0.02)
# Shadow rays start this far above the surface: a constant, and a part of the coordinates to cover their rounding.
_LIFT, _LIFT_PART = np.float32(2e-4), np.float32(3e-6)
# Shadow rays from a disc start higher by this part of its radius, because rims of flat discs stand out of the surface.
_OVER = np.float32(0.15)
_NODES = CELLS + 1


@kernel(views_only=True, forceinline=True)
def hit_something(words: Words, lane: int) -> bool:
    """Return whether the ray of a lane hit a surface."""
    return bool(words[GEOM, lane] != _NONE)


@kernel(views_only=True, forceinline=True)
def _unit(x: Single, y: Single, z: Single) -> tuple[Single, Single, Single]:
    scale = _ONE / math.sqrt(max(x * x + y * y + z * z, np.float32(1e-30)))
    return x * scale, y * scale, z * scale


@kernel(views_only=True, forceinline=True)
def surface_at(
    facts: Ints,
    frames: Singles,
    nodes: Singles,
    mesh_material: NDArray[np.uint16],
    mesh_corners: Singles,
    materials: Singles,
    texels: Singles,
    layers: Singles,
    discs: Singles,
    packet: Singles,
    words: Words,
    lane: int,
    pixel_angle: Single,
    detailed: bool,
) -> Hit:
    """Return a hit's surface.

    It has the values (instance, material, brightness, position x 3, normal x 3, start x 3, mean normal x 3, amount of
    the micro-relief, width of the pixel on it [m], share of the surface that dust covers).

    The normal faces the viewer. It is smooth on ground and rounded bodies, and perturbed by the micro-relief; the mean
    normal is not. Rays
    toward lights leave from ``start``, slightly above the position. On the ground ``start`` lies above the smooth
    surface of the normals, because flat cells would shadow themselves at low sun.

    The arrays are separate arguments, because a tuple of them would be copied for every hit.

    Args:
        facts: Table of instances, columns FACT_*.
        frames: Tile corners and normal matrices of the instances.
        nodes: Nodes of all tiles, shape (n, 4).
        mesh_material: Material of every triangle.
        mesh_corners: Corners of every triangle.
        materials: Table of materials.
        texels: Tile of the micro-relief.
        layers: Position, scale and rotation of its layers.
        discs: Table of discs.
        packet: Traced packet.
        words: The same memory as integers.
        lane: Lane of the ray.
        pixel_angle: Width of a pixel as seen from the ray's origin [rad].
        detailed: Whether the micro-relief, facets of rocks and spots of dust are applied.

    Source: hanika2021.
    Checked by: test_scene.py::test_penumbra_of_an_edge, test_scene.py::test_level_regolith_has_hapke_radiance.
    """
    t = packet[T_FAR, lane]
    dx, dy, dz = packet[DIR_X, lane], packet[DIR_Y, lane], packet[DIR_Z, lane]
    x, y, z = packet[ORG_X, lane] + t * dx, packet[ORG_Y, lane] + t * dy, packet[ORG_Z, lane] + t * dz
    instance = int(words[INST, lane])
    gx, gy, gz = packet[NG_X, lane], packet[NG_Y, lane], packet[NG_Z, lane]
    bright, rough, rise, over, dust = _ONE, _ONE, _ZERO, _ZERO, _ZERO
    if facts[instance, FACT_KIND] == TERRAIN:
        material = facts[instance, FACT_MATERIAL]
        gx, gy, gz = _unit(gx, gy, gz)
        nx, ny, nz, rise, rough = _ground(facts, frames, nodes, instance, x, y, z)
    elif facts[instance, FACT_KIND] == DISCS:
        material = facts[instance, FACT_MATERIAL]
        gx, gy, gz = _unit(gx, gy, gz)
        disc = int(words[PRIM, lane])
        nx, ny, nz = _on_disc(discs, disc, x, y, z, gx, gy, gz)
        over = _OVER * discs[disc, DISC_RADIUS]
    else:
        m, n = frames, instance
        triangle = facts[instance, FACT_REFERENCE] + int(words[PRIM, lane])
        material = np.int32(mesh_material[triangle])
        gx, gy, gz = _unit(
            m[n, 0] * gx + m[n, 1] * gy + m[n, 2] * gz,
            m[n, 3] * gx + m[n, 4] * gy + m[n, 5] * gz,
            m[n, 6] * gx + m[n, 7] * gy + m[n, 8] * gz,
        )
        c, u, v = mesh_corners[triangle], packet[HIT_U, lane], packet[HIT_V, lane]
        w = _ONE - u - v
        sx, sy, sz = w * c[0] + u * c[3] + v * c[6], w * c[1] + u * c[4] + v * c[7], w * c[2] + u * c[5] + v * c[8]
        nx, ny, nz = _unit(
            m[n, 0] * sx + m[n, 1] * sy + m[n, 2] * sz,
            m[n, 3] * sx + m[n, 4] * sy + m[n, 5] * sz,
            m[n, 6] * sx + m[n, 7] * sy + m[n, 8] * sz,
        )
        k = CORNER_PLACES
        px, py = w * c[k] + u * c[k + 3] + v * c[k + 6], w * c[k + 1] + u * c[k + 4] + v * c[k + 7]
        pz = w * c[k + 2] + u * c[k + 5] + v * c[k + 8]
        dust = w * c[CORNER_DUST] + u * c[CORNER_DUST + 1] + v * c[CORNER_DUST + 2]
        over = bulge(c, m[n], u, v, px, py, pz)
        if detailed and materials[material, FACETS] > _ZERO:
            sx, sy, sz = (
                m[n, 0] * sx + m[n, 1] * sy + m[n, 2] * sz,
                m[n, 3] * sx + m[n, 4] * sy + m[n, 5] * sz,
                m[n, 6] * sx + m[n, 7] * sy + m[n, 8] * sz,
            )
            # Normals grow by the inverse of the scale.
            per_scale = math.sqrt(max(sx * sx + sy * sy + sz * sz, np.float32(1e-12)))
            k = PER_HALF
            ex, ey, ez = fracture(c[k] * px, c[k] * py, c[k] * pz, t * pixel_angle * c[k] * per_scale)
            tilt = materials[material, FACETS] / per_scale
            nx, ny, nz = _unit(
                nx + tilt * (m[n, 0] * ex + m[n, 1] * ey + m[n, 2] * ez),
                ny + tilt * (m[n, 3] * ex + m[n, 4] * ey + m[n, 5] * ez),
                nz + tilt * (m[n, 6] * ex + m[n, 7] * ey + m[n, 8] * ez),
            )
        if detailed and dust > _ZERO:
            dust = spotted(dust, px, py, pz, t * pixel_angle)
    if gx * dx + gy * dy + gz * dz > _ZERO:
        gx, gy, gz = -gx, -gy, -gz
    if facts[instance, FACT_KIND] != TERRAIN and gx * nx + gy * ny + gz * nz < _ZERO:
        nx, ny, nz = -nx, -ny, -nz
        over = _ZERO if facts[instance, FACT_KIND] == MESH else over
    amount, footprint = _ZERO, _ZERO
    mean_x, mean_y, mean_z = nx, ny, nz
    if detailed and materials[material, MICRO] * rough > _ZERO:
        amount = materials[material, MICRO] * rough
        toward = max(abs(nx * dx + ny * dy + nz * dz), np.float32(0.05))
        footprint = t * pixel_angle / math.sqrt(toward)
        nx, ny, nz, shade = _bent(texels, layers, x, y, z, nx, ny, nz, amount, footprint)
        bright += materials[material, MICRO] * shade
    facing = -(nx * dx + ny * dy + nz * dz)
    if facing < _LEAST:
        # Only smoothing or the micro-relief turns the normal away: it is rotated until it just faces the viewer.
        push = _LEAST - facing
        nx, ny, nz = _unit(nx - push * dx, ny - push * dy, nz - push * dz)
    lift = _LIFT + _LIFT_PART * (abs(x) + abs(y) + abs(z) + t) + over
    start_x, start_y, start_z = x + lift * gx, y + lift * gy, z + lift * gz + rise
    return (
        instance,
        material,
        bright,
        x,
        y,
        z,
        nx,
        ny,
        nz,
        start_x,
        start_y,
        start_z,
        mean_x,
        mean_y,
        mean_z,
        amount,
        footprint,
        dust,
    )


@kernel(views_only=True, forceinline=True)
def _ground(
    facts: Ints, frames: Singles, nodes: Singles, instance: int, x: Single, y: Single, z: Single
) -> tuple[Single, Single, Single, Single, Single]:
    """Return the smooth normal, the smooth surface's height above the flat cell, and the roughness."""
    cell = frames[instance, 3]
    u = min(max((x - frames[instance, 0]) / cell, _ZERO), np.float32(CELLS))
    v = min(max((y - frames[instance, 1]) / cell, _ZERO), np.float32(CELLS))
    i, j = min(int(u), CELLS - 1), min(int(v), CELLS - 1)
    du, dv = u - np.float32(i), v - np.float32(j)
    height = z - frames[instance, 2]
    # Unsigned, so that no index is checked for negative values.
    node = np.uint32((facts[instance, FACT_REFERENCE] * _NODES + i) * _NODES + j)
    sx = sy = rough = rise = _ZERO
    for a in range(2):
        for b in range(2):
            weight = (du if a else _ONE - du) * (dv if b else _ONE - dv)
            n = node + np.uint32(a * _NODES + b)
            slope_x, slope_y = nodes[n, 1], nodes[n, 2]
            sx += weight * slope_x
            sy += weight * slope_y
            rough += weight * nodes[n, 3]
            tangent = nodes[n, 0]
            tangent += cell * ((du - np.float32(a)) * slope_x + (dv - np.float32(b)) * slope_y)
            rise += weight * max(tangent - height, _ZERO)
    nx, ny, nz = _unit(-sx, -sy, _ONE)
    return nx, ny, nz, min(rise, cell), rough


@kernel(views_only=True, forceinline=True)
def _on_disc(
    discs: Singles, disc: int, x: Single, y: Single, z: Single, gx: Single, gy: Single, gz: Single
) -> tuple[Single, Single, Single]:
    """Return the normal of the curved surface that a disc represents.

    Args:
        discs: Table of discs.
        disc: Number of the disc.
        x: Coordinate x of the hit [m].
        y: Coordinate y of the hit [m].
        z: Coordinate z of the hit [m].
        gx: Component x of the disc's normal.
        gy: Component y of the disc's normal.
        gz: Component z of the disc's normal.
    """
    dx, dy, dz = x - discs[disc, DISC_PLACE], y - discs[disc, DISC_PLACE + 1], z - discs[disc, DISC_PLACE + 2]
    xx, yy, zz = discs[disc, DISC_BEND], discs[disc, DISC_BEND + 1], discs[disc, DISC_BEND + 2]
    xy, yz, zx = discs[disc, DISC_BEND + 3], discs[disc, DISC_BEND + 4], discs[disc, DISC_BEND + 5]
    nx, ny, nz = _unit(
        gx + xx * dx + xy * dy + zx * dz, gy + xy * dx + yy * dy + yz * dz, gz + zx * dx + yz * dy + zz * dz
    )
    return nx, ny, nz


@kernel(views_only=True, forceinline=True)
def _bent(
    texels: Singles,
    layers: Singles,
    x: Single,
    y: Single,
    z: Single,
    nx: Single,
    ny: Single,
    nz: Single,
    amount: Single,
    footprint: Single,
) -> tuple[Single, Single, Single, Single]:
    """Return the normal perturbed by the micro-relief, and the relative brightness minus 1.

    The relief lies on the coordinate plane that is closest to the tangent plane.
    """
    ax, ay, az = abs(nx), abs(ny), abs(nz)
    if az >= ax and az >= ay:
        sx, sy, shade = micro_at(texels, layers, x, y, footprint)
        nx, ny, nz = _unit(nx - amount * sx * az, ny - amount * sy * az, nz)
    elif ax >= ay:
        sy, sz, shade = micro_at(texels, layers, y, z, footprint)
        nx, ny, nz = _unit(nx, ny - amount * sy * ax, nz - amount * sz * ax)
    else:
        sx, sz, shade = micro_at(texels, layers, x, z, footprint)
        nx, ny, nz = _unit(nx - amount * sx * ay, ny, nz - amount * sz * ay)
    return nx, ny, nz, shade
