# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Irradiance cache: indirect light of the ground on vehicles, stored on their surface.

The ground lights the shadowed sides of a vehicle. Gathered by rays of each pixel, this light is noisy. Here rays start
from some hundred points of the surface, in the same directions around each normal, and the irradiance is interpolated
in between. It is smooth and a function of the scene alone. There is one diffuse bounce; ground and rocks in shadow get
no indirect light.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from regolith_sensors.arrays import Ints, Single, Singles, Words
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    HIT_U,
    HIT_V,
    ORG_X,
    ORG_Y,
    ORG_Z,
    PRIM,
    Traced,
    intersect16,
    workspace,
)
from regolith_sensors.rays.embree.indirect_light import IndirectMemory, indirect_memory
from regolith_sensors.rays.embree.lighting import BEGIN, DUST, NORMAL, PLACE, TOWARD, direct, open_lane
from regolith_sensors.rays.embree.surface import hit_something, surface_at
from regolith_sensors.surfaces.materials import diffuse_albedo, mixed
from regolith_sensors.surfaces.scene_arrays import SceneArrays
from regolith_sensors.surfaces.table_columns import FACT_LIGHT, FACT_REFERENCE
from regolith_world.numerics import kernel

RAYS = 16
"""Rays from each point: one packet."""
_BAND = 32
_LEAST_PX = 8.0
_ZERO, _ONE, _PI = np.float32(0.0), np.float32(1.0), np.float32(math.pi)
_INV_PI = np.float32(1.0 / math.pi)


def _directions() -> Singles:
    """Return unit directions around +z with cosine density, from Hammersley's points, shape (RAYS, 3)."""
    k = np.arange(RAYS)
    turn = 2.0 * math.pi * np.array([(int(f'{n:0{RAYS.bit_length() - 1}b}'[::-1], 2) + 0.5) / RAYS for n in k])
    part = (k + 0.5) / RAYS
    about = [np.sqrt(part) * np.cos(turn), np.sqrt(part) * np.sin(turn), np.sqrt(1.0 - part)]
    return np.stack(about, axis=1).astype(np.float32)


_ABOUT = _directions()


def surface_light(traced: Traced, light: Lights, view: CameraRays) -> Singles:
    """Return the irradiance of the bands at the nodes of all hulls in view [W/m^2], shape (nodes, 3); 0 for others.

    It is the mean radiance of cosine-distributed rays times pi, interpolated between the gathering points.

    Args:
        traced: Scene with hulls that receive indirect light.
        light: Sun and lamps that light the ground.
        view: View of the camera; hulls outside it, or smaller than eight pixels in it, are left out.

    Source: ward1988; duff2017.
    Checked by: test_irradiance_cache.py::test_shadowed_wall_gets_half_the_light_of_the_plain,
    test_irradiance_cache.py::test_cached_irradiance_agrees_with_rays_per_pixel.
    """
    scene = traced.scene
    out = np.zeros((scene.light_nodes, 3), np.float32)
    if not (light.irradiance[1] > 0.0 or len(light.lamps)):
        return out
    hulls, places, normals = [], [], []
    for hull in scene.hulls.tolist():
        instance, first_point, count = hull[:3]
        points = scene.light_points[first_point : first_point + count]
        transform = scene.transforms[instance]
        where = points[:, :3] @ transform[:, :3].T + transform[:, 3]
        if _in_view(where, view):
            hulls.append(hull)
            places.append(where)
            facing = points[:, 3:] @ scene.frames[instance].reshape(3, 3).T
            normals.append(facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), np.float32(1e-12)))
    if not hulls:
        return out
    found = np.empty((sum(map(len, places)), 3), np.float32)
    arguments = *traced, light, np.concatenate(places), np.concatenate(normals), _ABOUT, found
    run_in_ranges(_gather_band, len(found), _BAND, *arguments)
    first = 0
    for _, _, count, first_node, nodes, first_corner in hulls:
        corners = slice(first_corner, first_corner + nodes)
        shown = out[first_node : first_node + nodes]
        _spread(found[first : first + count], scene.light_near[corners], scene.light_weight[corners], shown)
        first += count
    return out


def _in_view(where: Singles, view: CameraRays) -> bool:
    """Return whether any part of the bounding sphere of some points is in a view, and large enough."""
    middle = 0.5 * (where.min(axis=0) + where.max(axis=0))
    radius = float(np.max(np.linalg.norm(where - middle, axis=1))) + 0.1
    off = (middle - view.position) @ view.rotation
    away = float(np.linalg.norm(off))
    if away <= radius:
        return True
    if 2.0 * radius / away < _LEAST_PX * view.pixel_angle:
        return False
    # The cone of all rays around the axis, widened by the angle of the bounding sphere.
    edge = view.rays[[0, 0, -1, -1], [0, -1, 0, -1], 2]
    widest = math.acos(max(min(float(edge.min()), 1.0), -1.0))
    return math.acos(max(min(float(off[2]) / away, 1.0), -1.0)) < widest + math.asin(radius / away)


def _gather_band(first: int, last: int, *arguments: Any) -> None:
    with workspace() as w:
        _gather(first, last, w.packet, w.words, w.valid, w.arguments, *arguments)


@kernel
def _gather(
    first: int,
    last: int,
    packets: Singles,
    all_words: Words,
    valids: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    light: Lights,
    places: Singles,
    normals: Singles,
    about: Singles,
    out: Singles,
) -> None:
    """Write the irradiance at points."""
    # Radiance above that of white paper in the sun is a caustic, which so few rays would render as a bright spot.
    most = np.full(3, np.inf, np.float32)
    if light.irradiance[1] > _ZERO:
        most = light.irradiance * _INV_PI
    memory = indirect_memory(most)
    _gather_points(
        first, last, packets, all_words, valids, arguments, handle, scene, light, places, normals, about, memory, out
    )


@kernel(views_only=True)
def _gather_points(
    first: int,
    last: int,
    packets: Singles,
    all_words: Words,
    valids: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    light: Lights,
    places: Singles,
    normals: Singles,
    about: Singles,
    memory: IndirectMemory,
    out: Singles,
) -> None:
    """Write the irradiance at points with the given memory."""
    facts, frames, nodes = scene.facts, scene.frames, scene.nodes
    mesh_material, mesh_corners, materials = scene.mesh_material, scene.mesh_corners, scene.materials
    texels, layers, discs = scene.texels, scene.layers, scene.discs
    horizons, relief = scene.horizons, scene.relief
    packet, words, valid = packets[0], all_words[0], valids[0]
    hit, stuff, none, unwanted = memory.hit, memory.material, memory.first, memory.none
    g, light_in, seen, most = memory.geometry, memory.light_in, memory.seen, memory.most
    for n in range(first, last):
        nx, ny, nz = normals[n, 0], normals[n, 1], normals[n, 2]
        # Two axes normal to the surface normal.
        sign = _ONE if nz >= _ZERO else -_ONE
        a = -_ONE / (sign + nz)
        b = nx * ny * a
        ux, uy, uz = _ONE + sign * nx * nx * a, sign * b, -sign * nx
        vx, vy, vz = b, sign + ny * ny * a, -ny
        out[n, 0] = out[n, 1] = out[n, 2] = _ZERO
        for part in range(about.shape[0] // 16):
            for lane in range(16):
                c = about[16 * part + lane]
                packet[ORG_X, lane], packet[ORG_Y, lane], packet[ORG_Z, lane] = places[n, 0], places[n, 1], places[n, 2]
                packet[DIR_X, lane] = c[0] * ux + c[1] * vx + c[2] * nx
                packet[DIR_Y, lane] = c[0] * uy + c[1] * vy + c[2] * ny
                packet[DIR_Z, lane] = c[0] * uz + c[1] * vz + c[2] * nz
                open_lane(packet, words, lane)
                valid[lane] = -1
            intersect16(valid.ctypes.data, handle, packet.ctypes.data, arguments[1].ctypes.data)
            for lane in range(16):
                hit[lane] = hit_something(words, lane)
                if hit[lane]:
                    _, stuff[lane], _, px, py, pz, mx, my, mz, sx, sy, sz, _, _, _, _, _, dust = surface_at(
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
                    g[PLACE, lane], g[PLACE + 1, lane], g[PLACE + 2, lane] = px, py, pz
                    g[NORMAL, lane], g[NORMAL + 1, lane], g[NORMAL + 2, lane] = mx, my, mz
                    g[BEGIN, lane], g[BEGIN + 1, lane], g[BEGIN + 2, lane] = sx, sy, sz
                    g[TOWARD, lane], g[TOWARD + 1, lane] = -packet[DIR_X, lane], -packet[DIR_Y, lane]
                    g[TOWARD + 2, lane] = -packet[DIR_Z, lane]
                    g[DUST, lane] = dust
            # Only the center of the sun is sampled: the mean over the ground hides the borders of shadows.
            direct(
                handle,
                materials,
                layers,
                horizons,
                relief,
                light.direction,
                light.across,
                light.irradiance,
                light.lamps,
                light.far,
                _ZERO,
                _ZERO,
                np.uint64(0),
                1,
                none,
                none,
                none,
                hit,
                stuff,
                g,
                packets[1],
                all_words[1],
                valids[1],
                arguments[1],
                seen,
                unwanted,
                unwanted[0],
                light_in,
            )
            for lane in range(16):
                if hit[lane]:
                    for k in range(3):
                        out[n, k] += min(light_in[k, lane], most[k])
        for k in range(3):
            out[n, k] *= _PI / np.float32(about.shape[0])


@kernel(views_only=True)
def _spread(found: Singles, near: Ints, weight: Singles, out: Singles) -> None:
    """Interpolate the irradiance from points to nodes."""
    for node in range(out.shape[0]):
        for neighbor in range(near.shape[1]):
            point, share = near[node, neighbor], weight[node, neighbor]
            for k in range(3):
                out[node, k] += share * found[point, k]


@kernel(views_only=True, forceinline=True)
def add_surface_light(
    facts: Ints,
    lattice: Ints,
    materials: Singles,
    light: Singles,
    instance: int,
    material: int,
    dust: Single,
    packet: Singles,
    words: Words,
    lane: int,
    out: Singles,
) -> None:
    """Add the reflected part of the light on a lane's hull, of which dust covers a share, to ``out``, shape (3, 16)."""
    first = facts[instance, FACT_LIGHT]
    if first < 0:
        return
    triangle = facts[instance, FACT_REFERENCE] + int(words[PRIM, lane])
    at, pieces = first + lattice[triangle, 0], lattice[triangle, 1]
    u, v = packet[HIT_U, lane] * np.float32(pieces), packet[HIT_V, lane] * np.float32(pieces)
    i, j = min(max(int(u), 0), pieces - 1), min(max(int(v), 0), pieces - 1)
    if i + j > pieces - 1:
        # Rounding at the far side.
        i, j = (i - 1, j) if i > j else (i, j - 1)
    u, v = u - np.float32(i), v - np.float32(j)
    a, b = _node(at, pieces, i + 1, j), _node(at, pieces, i, j + 1)
    if u + v <= _ONE or i + j == pieces - 1:
        c = _node(at, pieces, i, j)
        wa, wb, wc = u, v, _ONE - u - v
    else:
        c = _node(at, pieces, i + 1, j + 1)
        wa, wb, wc = _ONE - v, _ONE - u, u + v - _ONE
    red, green, blue = diffuse_albedo(materials, material)
    if dust > _ZERO:
        of_dust = diffuse_albedo(materials, materials.shape[0] - 1)
        red, green, blue = mixed(red, green, blue, of_dust, dust)
    out[0, lane] += red * _INV_PI * (wa * light[a, 0] + wb * light[b, 0] + wc * light[c, 0])
    out[1, lane] += green * _INV_PI * (wa * light[a, 1] + wb * light[b, 1] + wc * light[c, 1])
    out[2, lane] += blue * _INV_PI * (wa * light[a, 2] + wb * light[b, 2] + wc * light[c, 2])


@kernel(views_only=True, forceinline=True)
def _node(first: int, pieces: int, i: int, j: int) -> int:
    """Return the number of a triangle's node, i along its first side and j along its second."""
    return first + i * (pieces + 1) - i * (i - 1) // 2 + j
