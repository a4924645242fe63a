# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beds and columns of grains: placed apart with random sizes and attitudes, then let fall and come to rest."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from regolith_terrain.dem.assembly import Assembly
from regolith_terrain.dem.materials import GrainMaterial
from regolith_terrain.grid.node_records import Floats
from regolith_world.random.keyed_generator import generator

_JITTER = 0.02
"""Of a grain's radius: how far places of the lattice are disturbed, so that nothing balances."""
_SPREAD = 1.04
"""Distance of places of the lattice over the largest extent of a grain."""


def sizes(seed: int, name: str, count: int, mean: float, spread: float) -> Floats:
    """Return sizes evenly distributed over mean (1 - spread) to mean (1 + spread) [m], shape (count,)."""
    drawn: Floats = mean * (1.0 + spread * (2.0 * generator(seed, name, 'size', 0).random(count) - 1.0))
    return drawn


def attitudes(seed: int, name: str, count: int) -> Floats:
    """Return quaternions (x, y, z, w) evenly distributed over all attitudes, shape (count, 4)."""
    drawn = generator(seed, name, 'attitude', 0).normal(size=(count, 4))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def lattice(
    seed: int,
    name: str,
    count: int,
    largest: float,
    allowed: Callable[[Floats], Floats],
    z: float = 0.0,
    extent: float = 1.0,
) -> Floats:
    """Return places of grains that do not touch, layer upon layer of a hexagonal lattice, shape (count, 3).

    They are ordered by blocks, so that what lies near lies near in memory.

    Args:
        largest: Radius that holds the largest grain [m].
        allowed: Function of places on a layer (x, y) [m], shape (k, 2), to whether grains may lie there.
        z: Floor [m].
        extent: Half the side of the square that the layers may fill [m].
    """
    pitch = 2.0 * largest * _SPREAD
    reach = int(math.ceil(extent / pitch)) + 1
    rows = np.arange(-2 * reach, 2 * reach + 1)
    columns, lines = np.meshgrid(np.arange(-reach, reach + 1), rows, indexing='ij')
    plane = np.stack(((columns + 0.5 * (lines % 2)) * pitch, lines * pitch * math.sqrt(0.75)), axis=-1).reshape(-1, 2)
    layers: list[Floats] = []
    total, level = 0, 0
    while total < count:
        shifted = plane + (0.0 if level % 2 == 0 else 0.5 * pitch, 0.0 if level % 2 == 0 else pitch / math.sqrt(12.0))
        kept = shifted[np.asarray(allowed(shifted), dtype=bool)]
        if len(kept) == 0:
            raise ValueError(f'no room for grains of {largest:g} m; allowed: smaller grains, a larger container')
        heights = np.full(len(kept), z + largest * _SPREAD + level * pitch * math.sqrt(2.0 / 3.0))
        layers.append(np.column_stack((kept, heights)))
        total += len(kept)
        level += 1
    places = np.concatenate(layers)[:count]
    places += _JITTER * largest * (2.0 * generator(seed, name, 'place', 0).random(places.shape) - 1.0)
    block = np.floor(places / (4.0 * pitch)).astype(np.int64)
    return np.ascontiguousarray(places[np.lexsort((block[:, 2], block[:, 1], block[:, 0]))])


def smooth(material: GrainMaterial) -> GrainMaterial:
    """Return a material to pack densely with: no friction, no rolling resistance, dull impacts."""
    return material.model_copy(update={'friction': 0.0, 'rolling_resistance': 0.0, 'restitution': 0.1, 'cohesion': 0.0})


def settle(
    assembly: Assembly,
    seconds: float,
    tick: Callable[[float], None] = lambda part: None,
    fast: float = 0.0,
    every: int = 100,
) -> float:
    """Step until the mean speed of grains is below ``fast``, or for so long; return the mean speed [m/s].

    Args:
        seconds: At most [s].
        tick: Called with the part of that time that is over.
        fast: Mean speed of grains at rest [m/s]; 0: all the time.
    """
    steps = math.ceil(seconds / assembly.dt)
    speed = math.inf
    for done in range(0, steps, every):
        assembly.advance(min(every, steps - done))
        motion = assembly.grains.motion[assembly.grains.active != 0, :3]
        speed = float(np.sqrt(np.square(motion).sum(axis=1)).mean())
        tick(min(1.0, (done + every) / steps))
        if speed < fast and done > 0.1 * steps:
            break
    return speed


def stiffen(assembly: Assembly, material: GrainMaterial, seconds: float) -> None:
    """Raise Young's modulus to that of a material by factors of 1.5, each held for so long [s]; then take its friction.

    What grains are pressed together by their weight would fly apart, were they hardened at once.
    """
    soft = assembly.material
    modulus = soft.youngs_modulus_pa
    while modulus < material.youngs_modulus_pa:
        modulus = min(1.5 * modulus, material.youngs_modulus_pa)
        assembly.soften(soft.model_copy(update={'youngs_modulus_pa': modulus}))
        assembly.advance(math.ceil(seconds / assembly.dt))
    assembly.soften(material)
