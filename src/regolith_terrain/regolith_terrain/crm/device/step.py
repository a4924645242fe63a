# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps of soil and of markers of walls and bodies on a device, as in ``soil_step`` and ``boundary_step``.

Equations and sources are those of these modules. Each kernel has the name of the compiled loop that it repeats.
"""

# Warp's annotations are values, not types for mypy.
# mypy: ignore-errors

from __future__ import annotations

import warp as wp

from regolith_terrain.crm import soil_step
from regolith_terrain.crm.device.cells import SOIL, column_beside
from regolith_terrain.crm.device.plasticity import CAM_CLAY, return_mapping, slope, weight
from regolith_terrain.crm.device.structs import FOUR, ONE, THREE, TWO, ZERO, Grid, Material, Scheme, kernel, number

BAND = wp.constant(wp.int32(soil_step.BAND))
SPEED = wp.constant(wp.int32(soil_step.SPEED))
ACCELERATION = wp.constant(wp.int32(soil_step.ACCELERATION))
APPROACH = wp.constant(wp.int32(soil_step.APPROACH))
SOFTENING, FLAT, SINGULAR = number(0.01), number(1e-3), number(0.01)

# Columns of bodies: center, rotation row by row, velocity, spin, acceleration.
VELOCITY = wp.constant(wp.int32(12))
SPIN = wp.constant(wp.int32(15))
PUSHED = wp.constant(wp.int32(18))


@wp.func
def three(table: wp.array2d(dtype=wp.float64), row: wp.int32, column: wp.int32):
    """Return three numbers of a row."""
    return wp.vec3d(table[row, column], table[row, column + 1], table[row, column + 2])


@wp.func
def put(table: wp.array2d(dtype=wp.float64), row: wp.int32, column: wp.int32, value: wp.vec3d):
    """Write three numbers of a row."""
    table[row, column] = value[0]
    table[row, column + 1] = value[1]
    table[row, column + 2] = value[2]


@wp.func
def times(s: wp.vec3d, t: wp.vec3d, g: wp.vec3d):
    """Return a stress (xx, yy, zz and xy, yz, zx) times a vector."""
    return wp.vec3d(
        s[0] * g[0] + t[0] * g[1] + t[2] * g[2],
        t[0] * g[0] + s[1] * g[1] + t[1] * g[2],
        t[2] * g[0] + t[1] * g[1] + s[2] * g[2],
    )


@wp.func
def finite(value: wp.float64):
    """Return a number, or infinity for NaN, so the maximum shows it."""
    if wp.isfinite(value):
        return value
    return wp.float64(wp.inf)


@kernel
def place_markers(
    particles: wp.array2d(dtype=wp.float64),
    rows: wp.array(dtype=wp.int32),
    label: wp.array(dtype=wp.int32),
    body: wp.array(dtype=wp.int32),
    local: wp.array2d(dtype=wp.float64),
    bodies: wp.array2d(dtype=wp.float64),
    ahead: wp.float64,
):
    """Write positions and wall velocities of markers."""
    row = rows[wp.tid()]
    mark = label[row]
    who = body[mark]
    place = three(local, mark, 0)
    r = wp.vec3d(
        wp.dot(three(bodies, who, 3), place), wp.dot(three(bodies, who, 6), place), wp.dot(three(bodies, who, 9), place)
    )
    velocity = three(bodies, who, VELOCITY) + wp.cross(three(bodies, who, SPIN), r)
    put(particles, row, 0, three(bodies, who, 0) + r + ahead * velocity)
    put(particles, row, 3, velocity)


@kernel
def carry_on(
    particles: wp.array2d(dtype=wp.float64),
    kind: wp.array(dtype=wp.uint8),
    cell: wp.array(dtype=wp.int32),
    first: wp.array(dtype=wp.int32),
    grid: Grid,
    rows: wp.array(dtype=wp.int32),
    label: wp.array(dtype=wp.int32),
    body: wp.array(dtype=wp.int32),
    bodies: wp.array2d(dtype=wp.float64),
    gravity: wp.vec3d,
    material: Material,
    scheme: Scheme,
):
    """Convert wall velocities of markers to marker velocities, and set their stress."""
    row = rows[wp.tid()]
    length = scheme.length
    support = FOUR * length * length
    inverse_length = ONE / length
    place = three(particles, row, 0)
    total = wp.float64(0.0)
    velocity = wp.vec3d()
    s = wp.vec3d()
    t = wp.vec3d()
    r = wp.vec3d()
    column = cell[row] // grid.nz
    level = cell[row] - column * grid.nz
    for run in range(9):
        beside, shift_x, shift_y = column_beside(grid, column, run)
        center = beside * grid.nz + level
        shifted = wp.vec3d(place[0] + shift_x, place[1] + shift_y, place[2])
        for other in range(first[wp.max(center - 1, 0)], first[center + 2]):
            d = shifted - three(particles, other, 0)
            r2 = wp.dot(d, d)
            if r2 < support and kind[other] == SOIL:
                g = weight(wp.sqrt(r2) * inverse_length, length)
                total += g
                velocity += g * three(particles, other, 3)
                s += g * three(particles, other, 6)
                t += g * three(particles, other, 9)
                r += g * d
    if total > ZERO:
        share = ONE / total
        put(particles, row, 3, TWO * three(particles, row, 3) - share * velocity)
        b = (material.density * share) * (three(bodies, body[label[row]], PUSHED) - gravity)
        away = wp.length(r)
        inverse = wp.float64(0.0)
        if away > FLAT * total * length:
            inverse = ONE / away
        deeper = wp.dot(b, r)
        b = b - (deeper * inverse * inverse) * r
        s = share * s + wp.vec3d(deeper, deeper, deeper) + TWO * wp.cw_mul(b, r)
        pull = wp.max((s[0] + s[1] + s[2]) / THREE, ZERO)
        put(particles, row, 6, s - wp.vec3d(pull, pull, pull))
        put(
            particles,
            row,
            9,
            share * t + wp.vec3d(b[0] * r[1] + b[1] * r[0], b[1] * r[2] + b[2] * r[1], b[2] * r[0] + b[0] * r[2]),
        )
    else:
        put(particles, row, 6, wp.vec3d())
        put(particles, row, 9, wp.vec3d())


@kernel
def forces_on_markers(
    particles: wp.array2d(dtype=wp.float64),
    kind: wp.array(dtype=wp.uint8),
    cell: wp.array(dtype=wp.int32),
    first: wp.array(dtype=wp.int32),
    grid: Grid,
    rows: wp.array(dtype=wp.int32),
    label: wp.array(dtype=wp.int32),
    material: Material,
    scheme: Scheme,
    force: wp.array2d(dtype=wp.float64),
):
    """Write the force of soil on markers by their numbers [N]."""
    row = rows[wp.tid()]
    length = scheme.length
    support = FOUR * length * length
    inverse_length = ONE / length
    softening = SOFTENING * length * length
    viscosity = scheme.viscosity * length * scheme.sound_speed * material.density
    place = three(particles, row, 0)
    velocity = three(particles, row, 3)
    s = three(particles, row, 6)
    t = three(particles, row, 9)
    total = wp.vec3d()
    column = cell[row] // grid.nz
    level = cell[row] - column * grid.nz
    for run in range(9):
        beside, shift_x, shift_y = column_beside(grid, column, run)
        center = beside * grid.nz + level
        shifted = wp.vec3d(place[0] + shift_x, place[1] + shift_y, place[2])
        for other in range(first[wp.max(center - 1, 0)], first[center + 2]):
            d = shifted - three(particles, other, 0)
            r2 = wp.dot(d, d)
            if r2 < support and kind[other] == SOIL:
                g = slope(wp.sqrt(r2) * inverse_length, scheme.steepness) * d
                push = viscosity * wp.dot(velocity - three(particles, other, 3), d) / (r2 + softening)
                both = s + three(particles, other, 6) + wp.vec3d(push, push, push)
                total += times(both, t + three(particles, other, 9), g)
    put(force, label[row], 0, (scheme.volume * scheme.volume) * total)


@wp.func
def corrected(gradient: wp.mat33d, m: wp.vec3d, n: wp.vec3d, volume: wp.float64):
    """Return a sum of gradients times the inverse of M (xx, yy, zz and xy, yz, zx), or V if M is singular."""
    cxx = m[1] * m[2] - n[1] * n[1]
    cxy = n[1] * n[2] - n[0] * m[2]
    cxz = n[0] * n[1] - m[1] * n[2]
    det = m[0] * cxx + n[0] * cxy + n[2] * cxz
    if volume * volume * volume * wp.abs(det) > SINGULAR:
        cyy = m[0] * m[2] - n[2] * n[2]
        cyz = n[0] * n[2] - m[0] * n[1]
        czz = m[0] * m[1] - n[0] * n[0]
        return gradient * ((ONE / det) * wp.mat33d(cxx, cxy, cxz, cxy, cyy, cyz, cxz, cyz, czz))
    return volume * gradient


@kernel
def advance_soil(
    old: wp.array2d(dtype=wp.float64),
    now: wp.array2d(dtype=wp.float64),
    out: wp.array2d(dtype=wp.float64),
    old_memory: wp.array2d(dtype=wp.float64),
    new_memory: wp.array2d(dtype=wp.float64),
    kind: wp.array(dtype=wp.uint8),
    cell: wp.array(dtype=wp.int32),
    first: wp.array(dtype=wp.int32),
    grid: Grid,
    rows: wp.array(dtype=wp.int32),
    dt: wp.float64,
    gravity: wp.vec3d,
    material: Material,
    scheme: Scheme,
    limits: wp.array2d(dtype=wp.float64),
):
    """Write soil after a step: ``old`` plus dt times the rates of ``now``."""
    k = wp.tid()
    row = rows[k]
    length = scheme.length
    support = FOUR * length * length
    inverse_length = ONE / length
    softening = SOFTENING * length * length
    viscosity = scheme.viscosity * length * scheme.sound_speed * material.density
    mean = scheme.shifting * scheme.volume
    place = three(now, row, 0)
    velocity = three(now, row, 3)
    s = three(now, row, 6)
    t = three(now, row, 9)
    a = wp.vec3d()
    gradient = wp.mat33d()
    m = wp.vec3d()
    n = wp.vec3d()
    p = wp.vec3d()
    top_approach = wp.float64(0.0)
    column = cell[row] // grid.nz
    level = cell[row] - column * grid.nz
    for run in range(9):
        beside, shift_x, shift_y = column_beside(grid, column, run)
        center = beside * grid.nz + level
        shifted = wp.vec3d(place[0] + shift_x, place[1] + shift_y, place[2])
        for other in range(first[wp.max(center - 1, 0)], first[center + 2]):
            d = shifted - three(now, other, 0)
            r2 = wp.dot(d, d)
            if r2 < support and other != row:
                q = wp.sqrt(r2) * inverse_length
                g = slope(q, scheme.steepness) * d
                faster = velocity - three(now, other, 3)
                approach = wp.dot(faster, d) / (r2 + softening)
                top_approach = wp.max(top_approach, wp.abs(approach))
                push = viscosity * approach
                both = s + three(now, other, 6) + wp.vec3d(push, push, push)
                a += times(both, t + three(now, other, 9), g)
                gradient -= wp.outer(faster, g)
                m -= wp.cw_mul(d, g)
                if scheme.corrected:
                    n -= wp.vec3d(d[0] * g[1], d[1] * g[2], d[2] * g[0])
                if mean > ZERO and kind[other] == SOIL:
                    p -= weight(q, length) * faster
    open_to_space = scheme.volume * (m[0] + m[1] + m[2]) < scheme.surface
    if scheme.corrected:
        gradient = corrected(gradient, m, n, scheme.volume)
    else:
        gradient = scheme.volume * gradient
    a = (scheme.volume / material.density) * a + gravity
    drift = velocity + mean * p
    put(out, row, 0, three(old, row, 0) + dt * drift)
    after = three(old, row, 3) + dt * a
    put(out, row, 3, after)
    if open_to_space:
        put(out, row, 6, wp.vec3d())
        put(out, row, 9, wp.vec3d())
    else:
        borne = wp.float64(0.0)
        specific = wp.float64(0.0)
        if material.law == CAM_CLAY:
            borne = old_memory[row, 0]
            specific = old_memory[row, 1]
        new_s, new_t, new_borne, new_specific = return_mapping(
            s, t, three(old, row, 6), three(old, row, 9), gradient, borne, specific, dt, material
        )
        put(out, row, 6, new_s)
        put(out, row, 9, new_t)
        if material.law == CAM_CLAY:
            new_memory[row, 0] = new_borne
            new_memory[row, 1] = new_specific
    # The maximum does not depend on the order.
    band = k // BAND
    wp.atomic_max(limits, band, SPEED, finite(wp.sqrt(wp.max(wp.dot(after, after), wp.dot(drift, drift)))))
    wp.atomic_max(limits, band, ACCELERATION, finite(wp.length(a)))
    wp.atomic_max(limits, band, APPROACH, finite(length * top_approach))
