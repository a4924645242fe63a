# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Diffusion of the pressure of a fluid between particles, which removes noise."""

from __future__ import annotations

import math

from regolith_terrain.crm.arrays import XX, YY, ZZ, Floats, Material, Neighbors, Rows, Scheme, X, Y, Z
from regolith_terrain.crm.smoothing import slope
from regolith_world.numerics import kernel

DIFFUSION = 0.1
"""Coefficient delta of the diffusion [-]."""


@kernel(views_only=True)
def diffuse_pressure(
    a: int,
    b: int,
    now: Floats,
    new: Floats,
    near: Neighbors,
    rows: Rows,
    dt: float,
    gravity: Floats,
    material: Material,
    scheme: Scheme,
) -> None:
    """Change the pressure of the fluid in ``rows[a:b]`` by diffusion during a step.

    dp_i/dt = 2 delta h c sum_j V (p_i - p_j + rho g.(r_j - r_i)) (dW / dr) / r: hydrostatic pressure does not diffuse.
    Particles on the free surface have none.

    Args:
        a: First index into ``rows``.
        b: End index.
        now: Particles whose pressures diffuse, shape (n, 12).
        new: Input and output: particles after the step.
        near: Neighbor lists.
        rows: Rows of moving fluid.
        dt: Step [s].
        gravity: Gravity [m/s^2], shape (3,).
        material: Parameters of the fluid.
        scheme: Numerical parameters.

    Source: molteni2009; fourtakas2019.
    Checked by: test_crm_fluid.py::test_fluid_at_rest_has_hydrostatic_pressure,
    test_crm_fluid.py::test_pressure_diffuses_toward_hydrostatic.
    """
    length = scheme.length
    support = 4.0 * length * length
    inverse_length = 1.0 / length
    steepness = scheme.steepness
    rate = 2.0 * DIFFUSION * length * scheme.sound_speed * scheme.volume
    gx, gy, gz = material.density * gravity[0], material.density * gravity[1], material.density * gravity[2]
    for k in range(a, b):
        row = rows[k]
        trace = new[row, XX] + new[row, YY] + new[row, ZZ]
        if trace == 0.0:
            continue
        x, y, z = now[row, X], now[row, Y], now[row, Z]
        pressure = -(now[row, XX] + now[row, YY] + now[row, ZZ]) / 3.0
        total = 0.0
        place = near.begin[row]
        column = near.cell[row] // near.height
        level = near.cell[row] - column * near.height
        for run in range(9):
            start = near.first[near.around[column, run] * near.height + level - 1]
            xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
            end = place + 1 + near.offsets[place]
            place += 1
            while place < end:
                other = start + near.offsets[place]
                place += 1
                dx, dy, dz = xr - now[other, X], yr - now[other, Y], z - now[other, Z]
                r2 = dx * dx + dy * dy + dz * dz
                if r2 >= support:
                    continue
                level_other = -(now[other, XX] + now[other, YY] + now[other, ZZ]) / 3.0
                excess = pressure - level_other - (gx * dx + gy * dy + gz * dz)
                total += excess * slope(math.sqrt(r2) * inverse_length, steepness)
        change = max(dt * rate * total, trace / 3.0)  # the pressure is at least 0
        new[row, XX] -= change
        new[row, YY] -= change
        new[row, ZZ] -= change
