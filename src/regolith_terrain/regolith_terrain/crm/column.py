# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A column of soil in a tube that is drawn up or vanishes: the bench of the angle of repose on a continuum."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from regolith_terrain.crm import markers
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.bed import Bed
from regolith_terrain.crm.soil import Discretisation, ParticleSoil
from regolith_terrain.experiments.heaps import Column, Heap

STIFFNESS = 450.0
"""Young's modulus over the pressure under the column: it is compressed by a fifth of a per cent, and falls alike under
any gravity."""
_DENSITY = 1500.0
_AT_REST = 1e-3
"""Part of the greatest energy of motion."""
_CHECKED = 20
"""Steps between two looks at the energy."""


def soil_of(column: Column, friction: float) -> ParticleSoil:
    """Return the soil of a column: without cohesion, 1500 kg/m^3, as stiff as its height and gravity ask for."""
    stiffness = STIFFNESS * _DENSITY * column.gravity * column.height
    return ParticleSoil(name='column', density_kgpm3=_DENSITY, youngs_modulus_pa=stiffness, friction=friction)


def heap_of_soil(
    column: Column, friction: float, count: int, workers: int, tick: Callable[[float], None], viscosity: float = 0.2
) -> Heap:
    """Return the heap that a column of soil leaves. The floor is as rough as the soil is strong, and so is the tube.

    :param count: of particles, about
    :param workers: threads; the outcome is the same
    :param tick: called with the part that is done
    :param viscosity: artificial, alpha
    """
    spacing = (math.pi * column.radius**2 * column.height / count) ** (1.0 / 3.0)
    side = 2.0 * math.ceil(column.radius / spacing) * spacing
    filled = markers.lattice((-0.5 * side, -0.5 * side, 0.0), (0.5 * side, 0.5 * side, column.height), spacing)
    filled = filled[np.hypot(filled[:, 0], filled[:, 1]) < column.radius]
    tall = float(filled[:, 2].max()) + 0.5 * spacing
    # Further than Lube et al. (2004) have seen columns run.
    far = column.radius * (1.0 + 2.5 * max(1.0, tall / column.radius)) + 4.0 * spacing
    half = math.ceil(far / spacing) * spacing
    floor = markers.floor((-half, -half, 0.0), (half, half, 0.0), spacing)
    floor = floor[np.hypot(floor[:, 0], floor[:, 1]) < far]
    tube = _tube(column.radius, tall + 2.0 * spacing, spacing) if column.lift is not None else np.zeros((0, 3))
    body = np.repeat(np.array([0, 1], np.int32), (len(floor), len(tube)))
    settings = Discretisation(spacing_m=spacing, viscosity=viscosity)
    soil = soil_of(column, friction)
    bed = Bed(soil, settings, (0.0, 0.0, -column.gravity), filled, np.concatenate((floor, tube)), body, workers=workers)
    bed.lay_at_rest(tall)
    up = tall / column.lift if column.lift is not None else 0.0
    seconds = up + 12.0 * math.sqrt(tall / column.gravity)
    if column.lift is not None:
        bed.bodies.velocity[1, 2] = column.lift
    longest = settings.step(bed.material)
    most = energy = 0.0
    steps = 0
    while bed.t < seconds:
        dt = min(longest, bed.largest_step()) if steps else 0.2 * longest
        bed.step(dt)
        bed.bodies.center[1:, 2] += dt * bed.bodies.velocity[1:, 2]
        steps += 1
        if steps % _CHECKED == 0:
            moving = bed.particles[bed.soil_rows(), 3:6]
            energy = float(np.einsum('ij,ij->', moving, moving))
            most = max(most, energy)
            tick(min(1.0, bed.t / seconds))
            if bed.t > up + math.sqrt(tall / column.gravity) and energy < _AT_REST * most:
                break
    tick(1.0)
    place = bed.particles[bed.soil_rows(), :3].copy()
    volume = np.full(len(place), spacing**3)
    return Heap(place, volume, spacing, tall, bed.t, None, longest)


def _tube(radius: float, height: float, spacing: float) -> Floats:
    """Return markers of a tube about z, from the floor up [m], shape (n, 3)."""
    z = (np.arange(round(height / spacing)) + 0.5) * spacing
    rings = []
    for layer in range(markers.LAYERS):
        r = radius + (layer + 0.5) * spacing
        count = round(2.0 * math.pi * r / spacing)
        turn = 2.0 * math.pi * np.arange(count) / count
        ring = np.stack((r * np.cos(turn), r * np.sin(turn), np.zeros(count)), axis=1)
        rings.append((ring[:, None, :] + z[None, :, None] * np.array([0.0, 0.0, 1.0])).reshape(-1, 3))
    return np.concatenate(rings)
