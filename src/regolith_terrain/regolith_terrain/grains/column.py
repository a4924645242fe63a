# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A column of grains in a tube that is drawn up or vanishes: the bench of the angle of repose on grains."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from regolith_terrain.experiments.heaps import Column, Heap
from regolith_terrain.grains.assembly import Assembly
from regolith_terrain.grains.beds import Grains
from regolith_terrain.grains.bodies import Body, plane, tube
from regolith_terrain.grains.packing import attitudes, lattice, settle
from regolith_terrain.records import Floats

_TUBE_FRICTION = 0.1
"""A smooth tube, which takes few grains along."""
_AT_REST = 1e-3
"""Part of the greatest energy of motion."""
_FILLED, _BLOCK_S = 0.35, 0.01


def heap_of_grains(
    column: Column, grains: Grains, count: int, seed: int, threads: int, tick: Callable[[float], None]
) -> Heap:
    """Return the heap that a column of grains leaves.

    :param tick: called with the part that is done
    """
    scale = grains.scales(seed, 'grain', count)
    rim = float(scale.max())

    def inside(places: Floats) -> Floats:
        return np.asarray(np.hypot(places[:, 0], places[:, 1]) < column.radius - 1.05 * rim)

    place = lattice(seed, 'grain', count, rim, inside, 0.0, column.radius)
    material = grains.material()
    tall = float(np.ptp(place[:, 2])) + 2.0 * rim
    # A rough floor holds grains against rolling, too, as a layer of glued ones would.
    rough = material.model_copy(update={'friction': column.floor_friction, 'rolling': column.floor_friction})
    floor = Body((plane((0.0, 0.0, 1.0)),), rough)
    sleek = material.model_copy(update={'friction': _TUBE_FRICTION, 'rolling': 0.0})
    container = Body((tube(column.radius, tall),), sleek, place=(0.0, 0.0, 0.5 * tall))
    a = Assembly(place, scale, material, bodies=[floor, container], gravity=(0.0, 0.0, -column.gravity),
                 shape=grains.clump(), turn=attitudes(seed, 'grain', count), threads=threads)
    fall = math.sqrt(2.0 * column.height / column.gravity)
    slow = 0.02 * math.sqrt(column.gravity * grains.radius_m)
    settle(a, 4.0 * fall, lambda part: tick(_FILLED * part), fast=slow)
    top = _column_height(a.grains.place)
    a.forget_overlap()

    up = top / column.lift if column.lift is not None else 0.0
    if column.lift is not None:
        a.bodies.velocity[1, 2] = column.lift
    else:
        a.put_body(1, (0.0, 0.0, 100.0 * tall))
    seconds = up + 6.0 * math.sqrt(top / column.gravity)
    steps = max(1, round(_BLOCK_S * math.sqrt(9.81 / column.gravity) / a.dt))
    blocks = math.ceil(seconds / (steps * a.dt))
    begin, energies = a.time, []
    for block in range(blocks):
        a.advance(steps)
        energies.append((a.time - begin, a.kinetic_energy))
        tick(_FILLED + (1.0 - _FILLED) * (block + 1) / blocks)
    moving = np.array(energies)
    fast = np.flatnonzero(moving[:, 1] > _AT_REST * moving[:, 1].max())
    solid = a.grains.mass / material.density_kgpm3
    bulk = math.pi * column.radius**2 * top / solid.sum()
    return Heap(
        place=a.grains.place.copy(), volume=solid * bulk, element_m=2.0 * grains.radius_m, column_m=top,
        settled_s=float(moving[fast[-1], 0]), largest_overlap=a.largest_overlap, step_s=a.dt,
    )


def _column_height(place: Floats) -> float:
    """Return the height of an even column from the mean height of its elements [m]."""
    return 2.0 * float(place[:, 2].mean())
