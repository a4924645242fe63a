# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of grains: random sizes and orientations, initial lattice, settling."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.materials import GrainMaterial
from regolith_world.random import generator

_JITTER = 0.02
"""Random displacement of lattice positions over the grain radius, so no grain stays balanced."""
_SPREAD = 1.04
"""Distance of lattice positions over the largest extent of a grain."""


def sizes(seed: int, name: str, count: int, mean: float, spread: float) -> Floats:
    """Return sizes uniformly distributed over mean (1 - spread) to mean (1 + spread) [m], shape (count,)."""
    drawn: Floats = mean * (1.0 + spread * (2.0 * generator(seed, name, 'size', 0).random(count) - 1.0))
    return drawn


def attitudes(seed: int, name: str, count: int) -> Floats:
    """Return quaternions (x, y, z, w) uniformly distributed over all orientations, shape (count, 4)."""
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
    """Return positions of grains without contact, in layers of a hexagonal lattice, shape (count, 3).

    They are ordered by blocks, so neighbors are close in memory.

    Args:
        seed: Seed of the random displacements.
        name: Name in the key of the random stream.
        count: Number of grains.
        largest: Radius that encloses the largest grain [m].
        allowed: Function of positions on a layer (x, y) [m], shape (k, 2), that returns whether grains may be there.
        z: Height of the floor [m].
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
            raise ValueError(f'no space for grains of {largest:g} m; allowed: smaller grains or a larger container')
        heights = np.full(len(kept), z + largest * _SPREAD + level * pitch * math.sqrt(2.0 / 3.0))
        layers.append(np.column_stack((kept, heights)))
        total += len(kept)
        level += 1
    places = np.concatenate(layers)[:count]
    places += _JITTER * largest * (2.0 * generator(seed, name, 'place', 0).random(places.shape) - 1.0)
    block = np.floor(places / (4.0 * pitch)).astype(np.int64)
    return np.ascontiguousarray(places[np.lexsort((block[:, 2], block[:, 1], block[:, 0]))])


def smooth(material: GrainMaterial) -> GrainMaterial:
    """Return a material for dense packing: no friction, no rolling resistance, low restitution."""
    return material.model_copy(update={'friction': 0.0, 'rolling_resistance': 0.0, 'restitution': 0.1, 'cohesion': 0.0})


def settle(
    assembly: Assembly,
    seconds: float,
    tick: Callable[[float], None] = lambda part: None,
    fast: float = 0.0,
    every: int = 100,
) -> float:
    """Step until the mean speed of grains is below ``fast``, or for a given time; return the mean speed [m/s].

    Args:
        assembly: Assembly to step.
        seconds: Longest simulated time [s].
        tick: Progress callback with the completed fraction.
        fast: Mean speed of grains at rest [m/s]; 0: use the full time.
        every: Number of steps between checks.
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
    """Raise Young's modulus to that of a material in steps of a factor 1.5; then set its friction.

    Each value is kept for a time [s]. Grains compressed by their weight would fly apart with a sudden change.
    """
    soft = assembly.material
    modulus = soft.youngs_modulus_pa
    while modulus < material.youngs_modulus_pa:
        modulus = min(1.5 * modulus, material.youngs_modulus_pa)
        assembly.soften(soft.model_copy(update={'youngs_modulus_pa': modulus}))
        assembly.advance(math.ceil(seconds / assembly.dt))
    assembly.soften(material)
