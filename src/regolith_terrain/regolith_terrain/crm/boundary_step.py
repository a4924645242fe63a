# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Walls and bodies in CRM: markers with extrapolated velocity and stress, and soil forces on them.

Markers fill the inside of a wall or body near its surface. Each has the velocity that makes the soil stick to the
surface, u = 2 u_wall - <u>, and the soil stress extrapolated to its position. <> are averages over the nearby soil,
weighted by the kernel. With n from the soil to the marker, at the distance b, the stress is
<sigma> + (t n) I + t_s (x) n + n (x) t_s. Here t = -rho (g - a_wall) b, and t_s is t minus its component along n. The
pressure is that of Adami. The shear term is specific to Regolith; without it, soil on a slope would slide on its floor.
So a surface is as rough as the strength of the soil, and a marker never pulls. A fluid has no shear term.

Source: adami2012.
Checked by: test_crm_rest.py::test_crm_column_at_rest_has_geostatic_stress,
test_crm_rest.py::test_crm_forces_on_bodies_and_soil_are_opposite.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.crm.arrays import (
    FLUID,
    XX,
    XY,
    YY,
    YZ,
    ZX,
    ZZ,
    BoundaryBodies,
    Floats,
    Material,
    Neighbors,
    Rows,
    Scheme,
    U,
    V,
    W,
    X,
    Y,
    Z,
)
from regolith_terrain.crm.smoothing import slope, weight
from regolith_world.numerics import kernel


@kernel(views_only=True)
def place_markers(
    a: int,
    b: int,
    particles: Floats,
    rows: Rows,
    label: Rows,
    body: Rows,
    local: Floats,
    bodies: BoundaryBodies,
    ahead: float,
) -> None:
    """Write positions and wall velocities of the markers in ``rows[a:b]`` for predicted body poses.

    The bodies are extrapolated over ``ahead`` [s].

    Args:
        a: First index into ``rows``.
        b: End index.
        particles: Input and output: particles, shape (n, 12).
        rows: Rows of markers.
        label: Number of the marker in each row, shape (n,).
        body: Body of each marker, by its number, shape (m,).
        local: Position of each marker in its body's frame [m], shape (m, 3).
        bodies: Poses and twists of the bodies.
        ahead: Time after the present poses [s].
    """
    for k in range(a, b):
        row = rows[k]
        number = label[row]
        who = body[number]
        turn, spin = bodies.rotation[who], bodies.spin[who]
        lx, ly, lz = local[number, 0], local[number, 1], local[number, 2]
        rx = turn[0, 0] * lx + turn[0, 1] * ly + turn[0, 2] * lz
        ry = turn[1, 0] * lx + turn[1, 1] * ly + turn[1, 2] * lz
        rz = turn[2, 0] * lx + turn[2, 1] * ly + turn[2, 2] * lz
        u = bodies.velocity[who, 0] + spin[1] * rz - spin[2] * ry
        v = bodies.velocity[who, 1] + spin[2] * rx - spin[0] * rz
        w = bodies.velocity[who, 2] + spin[0] * ry - spin[1] * rx
        particles[row, X] = bodies.center[who, 0] + rx + ahead * u
        particles[row, Y] = bodies.center[who, 1] + ry + ahead * v
        particles[row, Z] = bodies.center[who, 2] + rz + ahead * w
        particles[row, U], particles[row, V], particles[row, W] = u, v, w


@kernel(views_only=True)
def extrapolate_to_markers(
    a: int,
    b: int,
    particles: Floats,
    near: Neighbors,
    rows: Rows,
    label: Rows,
    body: Rows,
    bodies: BoundaryBodies,
    gravity: Floats,
    material: Material,
    scheme: Scheme,
) -> None:
    """Convert wall velocities of the markers in ``rows[a:b]`` to marker velocities, and set their stress.

    Args:
        a: First index into ``rows``.
        b: End index.
        particles: Input and output: particles, shape (n, 12).
        near: Neighbor lists.
        rows: Rows of markers.
        label: Number of the marker in each row, shape (n,).
        body: Body of each marker, by its number, shape (m,).
        bodies: Poses and twists of the bodies.
        gravity: Gravity [m/s^2], shape (3,).
        material: Soil parameters.
        scheme: Numerical parameters.
    """
    length = scheme.length
    support = 4.0 * length * length
    inverse_length = 1.0 / length
    for k in range(a, b):
        row = rows[k]
        x, y, z = particles[row, X], particles[row, Y], particles[row, Z]
        total = su = sv = sw = 0.0
        sxx = syy = szz = sxy = syz = szx = 0.0
        rx = ry = rz = 0.0
        place = near.begin[row]
        column = near.cell[row] // near.height
        level = near.cell[row] - column * near.height
        for run in range(9):
            start = near.first[near.around[column, run] * near.height + level - 1]
            xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
            end = place + 1 + near.offsets[place]
            place += 1
            while place < end:
                other = np.uintp(start + near.offsets[place])
                place += 1
                dx, dy, dz = xr - particles[other, X], yr - particles[other, Y], z - particles[other, Z]
                r2 = dx * dx + dy * dy + dz * dz
                if r2 >= support:
                    continue
                g = weight(math.sqrt(r2) * inverse_length, length)
                total += g
                su += g * particles[other, U]
                sv += g * particles[other, V]
                sw += g * particles[other, W]
                sxx += g * particles[other, XX]
                syy += g * particles[other, YY]
                szz += g * particles[other, ZZ]
                sxy += g * particles[other, XY]
                syz += g * particles[other, YZ]
                szx += g * particles[other, ZX]
                rx += g * dx
                ry += g * dy
                rz += g * dz
        if total > 0.0:
            share = 1.0 / total
            particles[row, U] = 2.0 * particles[row, U] - share * su
            particles[row, V] = 2.0 * particles[row, V] - share * sv
            particles[row, W] = 2.0 * particles[row, W] - share * sw
            # The stress on a layer parallel to the surface increases by -rho (g - a) per meter away from the soil.
            who = bodies.acceleration[body[label[row]]]
            load = material.density * share
            bx, by, bz = load * (who[0] - gravity[0]), load * (who[1] - gravity[1]), load * (who[2] - gravity[2])
            away = math.sqrt(rx * rx + ry * ry + rz * rz)
            inverse = 1.0 / away if away > 1e-3 * total * length else 0.0
            deeper = bx * rx + by * ry + bz * rz
            across = deeper * inverse * inverse
            if material.law == FLUID:
                bx = by = bz = 0.0
            else:
                bx, by, bz = bx - across * rx, by - across * ry, bz - across * rz
            sxx = share * sxx + deeper + 2.0 * bx * rx
            syy = share * syy + deeper + 2.0 * by * ry
            szz = share * szz + deeper + 2.0 * bz * rz
            pull = max((sxx + syy + szz) / 3.0, 0.0)
            particles[row, XX], particles[row, YY], particles[row, ZZ] = sxx - pull, syy - pull, szz - pull
            particles[row, XY] = share * sxy + bx * ry + by * rx
            particles[row, YZ] = share * syz + by * rz + bz * ry
            particles[row, ZX] = share * szx + bz * rx + bx * rz
        else:
            for column in range(XX, ZX + 1):
                particles[row, column] = 0.0


@kernel(views_only=True)
def forces_on_markers(
    a: int,
    b: int,
    particles: Floats,
    near: Neighbors,
    rows: Rows,
    label: Rows,
    material: Material,
    scheme: Scheme,
    force: Floats,
) -> None:
    """Write the force of soil on the markers in ``rows[a:b]``: the reaction to the force of each on the soil.

    Args:
        a: First index into ``rows``.
        b: End index.
        particles: Particles, shape (n, 12).
        near: Neighbor lists.
        rows: Rows of markers.
        label: Number of the marker in each row, shape (n,).
        material: Soil parameters.
        scheme: Numerical parameters.
        force: Output: force by number of the marker [N], shape (m, 3).
    """
    length = scheme.length
    support = 4.0 * length * length
    inverse_length = 1.0 / length
    steepness = scheme.steepness
    softening = 0.01 * length * length
    viscosity = scheme.viscosity * length * scheme.sound_speed * material.density
    square = scheme.volume * scheme.volume
    for k in range(a, b):
        row = rows[k]
        x, y, z = particles[row, X], particles[row, Y], particles[row, Z]
        u, v, w = particles[row, U], particles[row, V], particles[row, W]
        sxx, syy, szz = particles[row, XX], particles[row, YY], particles[row, ZZ]
        sxy, syz, szx = particles[row, XY], particles[row, YZ], particles[row, ZX]
        ax = ay = az = 0.0
        place = near.begin[row]
        column = near.cell[row] // near.height
        level = near.cell[row] - column * near.height
        for run in range(9):
            start = near.first[near.around[column, run] * near.height + level - 1]
            xr, yr = x + near.shift[column, run, 0], y + near.shift[column, run, 1]
            end = place + 1 + near.offsets[place]
            place += 1
            while place < end:
                other = np.uintp(start + near.offsets[place])
                place += 1
                dx, dy, dz = xr - particles[other, X], yr - particles[other, Y], z - particles[other, Z]
                r2 = dx * dx + dy * dy + dz * dz
                if r2 >= support:
                    continue
                f = slope(math.sqrt(r2) * inverse_length, steepness)
                gx, gy, gz = f * dx, f * dy, f * dz
                du, dv, dw = u - particles[other, U], v - particles[other, V], w - particles[other, W]
                push = viscosity * (du * dx + dv * dy + dw * dz) / (r2 + softening)
                txx, tyy, tzz = (
                    sxx + particles[other, XX] + push,
                    syy + particles[other, YY] + push,
                    szz + particles[other, ZZ] + push,
                )
                txy, tyz, tzx = sxy + particles[other, XY], syz + particles[other, YZ], szx + particles[other, ZX]
                ax += txx * gx + txy * gy + tzx * gz
                ay += txy * gx + tyy * gy + tyz * gz
                az += tzx * gx + tyz * gy + tzz * gz
        number = label[row]
        force[number, 0], force[number, 1], force[number, 2] = square * ax, square * ay, square * az


@kernel(views_only=True)
def sum_forces(force: Floats, body: Rows, local: Floats, bodies: BoundaryBodies, total: Floats, torque: Floats) -> None:
    """Write the force [N] and the torque about the center [N m] of each body.

    The sums are in the order of marker numbers.

    Args:
        force: Force on each marker [N], shape (m, 3).
        body: Body of each marker, shape (m,).
        local: Position of each marker in its body's frame [m], shape (m, 3).
        bodies: Poses and twists of the bodies.
        total: Output: force on each body [N], shape (b, 3).
        torque: Output: torque on each body [N m], shape (b, 3).
    """
    total[:] = 0.0
    torque[:] = 0.0
    for number in range(body.shape[0]):
        who = body[number]
        turn = bodies.rotation[who]
        fx, fy, fz = force[number, 0], force[number, 1], force[number, 2]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        lx, ly, lz = local[number, 0], local[number, 1], local[number, 2]
        rx = turn[0, 0] * lx + turn[0, 1] * ly + turn[0, 2] * lz
        ry = turn[1, 0] * lx + turn[1, 1] * ly + turn[1, 2] * lz
        rz = turn[2, 0] * lx + turn[2, 1] * ly + turn[2, 2] * lz
        total[who, 0] += fx
        total[who, 1] += fy
        total[who, 2] += fz
        torque[who, 0] += ry * fz - rz * fy
        torque[who, 1] += rz * fx - rx * fz
        torque[who, 2] += rx * fy - ry * fx
