# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracing of lidar rays in packets of 16, with the reflectance toward the sensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Ints, Single, Singles, Words
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    INST,
    ORG_X,
    ORG_Y,
    ORG_Z,
    T_FAR,
    Traced,
    intersect16,
    workspace,
)
from regolith_sensors.rays.embree.lighting import open_lane
from regolith_sensors.rays.embree.surface import hit_something, surface_at
from regolith_sensors.surfaces.materials import reflect
from regolith_sensors.surfaces.scene_arrays import SceneArrays
from regolith_sensors.surfaces.table_columns import FACT_OBJECT
from regolith_world.numerics import kernel

_BAND = 128
_ZERO, _THIRD = np.float32(0.0), np.float32(1.0 / 3.0)


def cast(
    traced: Traced,
    directions: Singles,
    groups: NDArray[np.int32],
    positions: Singles,
    rotations: Singles,
    reach: float,
    spread: float,
) -> tuple[Singles, Singles, NDArray[np.uint16]]:
    """Return range, backscatter and object of rays, see :meth:`regolith_sensors.rays.backend.RayBackend.cast`."""
    count = len(directions)
    distance, back = np.empty(count, np.float32), np.empty(count, np.float32)
    objects = np.empty(count, np.uint16)
    run_in_ranges(
        _cast_band,
        (count + 15) // 16,
        _BAND,
        *traced,
        directions,
        groups,
        positions,
        rotations,
        np.float32(reach),
        np.float32(spread),
        distance,
        back,
        objects,
    )
    return distance, back, objects


def _cast_band(first: int, last: int, *arguments: Any) -> None:
    with workspace() as w:
        _cast(first, last, w.packet, w.words, w.valid, w.arguments, *arguments)


@kernel(views_only=True)
def _cast(
    first: int,
    last: int,
    packets: Singles,
    all_words: Words,
    valids: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    directions: Singles,
    groups: Ints,
    positions: Singles,
    rotations: Singles,
    reach: Single,
    spread: Single,
    distance: Singles,
    back: Singles,
    objects: NDArray[np.uint16],
) -> None:
    facts, frames, nodes = scene.facts, scene.frames, scene.nodes
    mesh_material, mesh_corners, materials = scene.mesh_material, scene.mesh_corners, scene.materials
    texels, layers, discs = scene.texels, scene.layers, scene.discs
    packet, words, valid, loose = packets[0], all_words[0], valids[0], arguments[1]
    count = directions.shape[0]
    for block in range(first, last):
        for lane in range(16):
            n = 16 * block + lane
            valid[lane] = -1 if n < count else 0
            if n >= count:
                continue
            x, y, z, k = directions[n, 0], directions[n, 1], directions[n, 2], groups[n]
            packet[DIR_X, lane] = rotations[k, 0, 0] * x + rotations[k, 0, 1] * y + rotations[k, 0, 2] * z
            packet[DIR_Y, lane] = rotations[k, 1, 0] * x + rotations[k, 1, 1] * y + rotations[k, 1, 2] * z
            packet[DIR_Z, lane] = rotations[k, 2, 0] * x + rotations[k, 2, 1] * y + rotations[k, 2, 2] * z
            packet[ORG_X, lane], packet[ORG_Y, lane] = positions[k, 0], positions[k, 1]
            packet[ORG_Z, lane] = positions[k, 2]
            open_lane(packet, words, lane)
            packet[T_FAR, lane] = reach
        intersect16(valid.ctypes.data, handle, packet.ctypes.data, loose.ctypes.data)
        for lane in range(16):
            n = 16 * block + lane
            if n >= count:
                continue
            if not hit_something(words, lane):
                distance[n], back[n], objects[n] = np.float32(np.inf), _ZERO, 0
                continue
            _, material, bright, _, _, _, nx, ny, nz, _, _, _, _, _, _, _, _, _ = surface_at(
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
                spread,
                True,
            )
            mu = -(nx * packet[DIR_X, lane] + ny * packet[DIR_Y, lane] + nz * packet[DIR_Z, lane])
            red, green, blue = reflect(materials, material, mu, mu, _ZERO)
            distance[n] = packet[T_FAR, lane]
            back[n] = bright * (red + green + blue) * _THIRD
            objects[n] = facts[np.int32(words[INST, lane]), FACT_OBJECT]
