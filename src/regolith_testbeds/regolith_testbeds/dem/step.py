# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One step of DEM: contact forces, their sums and motion, as kernels over ranges for threads.

Velocities are at half steps (leapfrog): v += a dt, then x += v dt.
"""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.clump_rotation import spin_clump
from regolith_testbeds.dem.contact import MEMORY, contact_force
from regolith_testbeds.dem.parts import distance
from regolith_testbeds.dem.state import BodyArrays, GrainArrays, Pairs, PartPairs
from regolith_world.numerics import kernel

MEASURES = 3
MOVED, OVERLAP, TOUCHING = range(MEASURES)
"""Measures of a thread: largest squared displacement of its balls since the last build of the lists [m^2], largest
overlap over the smaller radius since the last reset, contacts in the last step."""


@kernel(views_only=True)
def press(
    low: int,
    high: int,
    grains: GrainArrays,
    pairs: Pairs,
    part_pairs: PartPairs,
    bodies: BodyArrays,
    laws: Floats,
    dt: float,
    measures: Floats,
) -> None:
    """Compute the force of each contact whose first ball is in low <= i < high.

    Args:
        low: First ball.
        high: End ball.
        grains: Arrays of the grains.
        pairs: Pairs of balls.
        part_pairs: Pairs of balls and parts.
        bodies: Arrays of the bodies.
        laws: Contact laws between grains, then of grains with each body, shape (1 + b, 8).
        dt: Step [s].
        measures: Input and output: measures of this thread, shape (3,).
    """
    per = grains.offset.shape[0]
    worst, touching = measures[OVERLAP], 0
    ball, place, motion, load = grains.ball, grains.place, grains.motion, grains.load
    for i in range(low, high):
        g = i // per
        x, y, z, radius = ball[i, 0], ball[i, 1], ball[i, 2], ball[i, 3]
        frozen = grains.active[g] == 0
        fx = fy = fz = tx = ty = tz = 0.0
        for p in range(pairs.start[i], pairs.start[i + 1]):
            j = pairs.other[p]
            h = j // per
            if frozen and grains.active[h] == 0:
                continue
            dx, dy, dz = x - ball[j, 0], y - ball[j, 1], z - ball[j, 2]
            square = dx * dx + dy * dy + dz * dz
            both = radius + ball[j, 3]
            if square >= both * both:
                if pairs.touching[p] != 0:
                    pairs.touching[p] = 0
                    for column in range(MEMORY):
                        pairs.slip[p, column] = 0.0
                continue
            far = np.sqrt(square)
            nx, ny, nz = dx / far, dy / far, dz / far
            overlap = both - far
            arm = radius - 0.5 * overlap
            # From the centers of mass to the contact in the middle of the overlap.
            ax, ay, az = x - arm * nx - place[g, 0], y - arm * ny - place[g, 1], z - arm * nz - place[g, 2]
            bx, by, bz = x - arm * nx - place[h, 0], y - arm * ny - place[h, 1], z - arm * nz - place[h, 2]
            wx, wy, wz = motion[g, 3], motion[g, 4], motion[g, 5]
            ox, oy, oz = motion[h, 3], motion[h, 4], motion[h, 5]
            vx = motion[g, 0] + wy * az - wz * ay - motion[h, 0] - (oy * bz - oz * by)
            vy = motion[g, 1] + wz * ax - wx * az - motion[h, 1] - (oz * bx - ox * bz)
            vz = motion[g, 2] + wx * ay - wy * ax - motion[h, 2] - (ox * by - oy * bx)
            small = min(radius, ball[j, 3])
            mine, theirs = grains.mass[g], grains.mass[h]
            px, py, pz, cx, cy, cz = contact_force(
                laws[0],
                radius * ball[j, 3] / both,
                mine * theirs / (mine + theirs),
                small,
                min(mine, theirs),
                overlap,
                nx,
                ny,
                nz,
                vx,
                vy,
                vz,
                wx - ox,
                wy - oy,
                wz - oz,
                pairs.slip,
                p,
                dt,
            )
            pairs.touching[p] = 1
            touching += 1
            worst = max(worst, overlap / small)
            fx, fy, fz = fx + px, fy + py, fz + pz
            tx, ty, tz = tx + ay * pz - az * py + cx, ty + az * px - ax * pz + cy, tz + ax * py - ay * px + cz
            pairs.reaction[p, 0] = -px
            pairs.reaction[p, 1] = -py
            pairs.reaction[p, 2] = -pz
            pairs.reaction[p, 3] = -(by * pz - bz * py) - cx
            pairs.reaction[p, 4] = -(bz * px - bx * pz) - cy
            pairs.reaction[p, 5] = -(bx * py - by * px) - cz
        if frozen:
            continue
        for p in range(part_pairs.start[i], part_pairs.start[i + 1]):
            q = part_pairs.part[p]
            away, nx, ny, nz = distance(bodies, q, x, y, z)
            overlap = radius - away
            if overlap <= 0.0:
                if part_pairs.touching[p] != 0:
                    part_pairs.touching[p] = 0
                    for column in range(MEMORY):
                        part_pairs.slip[p, column] = 0.0
                continue
            b = bodies.part_body[q]
            ax, ay, az = x - away * nx - place[g, 0], y - away * ny - place[g, 1], z - away * nz - place[g, 2]
            bx = x - away * nx - bodies.place[b, 0]
            by = y - away * ny - bodies.place[b, 1]
            bz = z - away * nz - bodies.place[b, 2]
            wx, wy, wz = motion[g, 3], motion[g, 4], motion[g, 5]
            ox, oy, oz = bodies.spin[b, 0], bodies.spin[b, 1], bodies.spin[b, 2]
            vx = motion[g, 0] + wy * az - wz * ay - bodies.velocity[b, 0] - (oy * bz - oz * by)
            vy = motion[g, 1] + wz * ax - wx * az - bodies.velocity[b, 1] - (oz * bx - ox * bz)
            vz = motion[g, 2] + wx * ay - wy * ax - bodies.velocity[b, 2] - (ox * by - oy * bx)
            mine = grains.mass[g]
            px, py, pz, cx, cy, cz = contact_force(
                laws[1 + b],
                radius,
                mine,
                radius,
                mine,
                overlap,
                nx,
                ny,
                nz,
                vx,
                vy,
                vz,
                wx - ox,
                wy - oy,
                wz - oz,
                part_pairs.slip,
                p,
                dt,
            )
            part_pairs.touching[p] = 1
            touching += 1
            worst = max(worst, overlap / radius)
            fx, fy, fz = fx + px, fy + py, fz + pz
            tx, ty, tz = tx + ay * pz - az * py + cx, ty + az * px - ax * pz + cy, tz + ax * py - ay * px + cz
            part_pairs.reaction[p, 0] = -px
            part_pairs.reaction[p, 1] = -py
            part_pairs.reaction[p, 2] = -pz
            part_pairs.reaction[p, 3] = -(by * pz - bz * py) - cx
            part_pairs.reaction[p, 4] = -(bz * px - bx * pz) - cy
            part_pairs.reaction[p, 5] = -(bx * py - by * px) - cz
        load[i, 0] = fx
        load[i, 1] = fy
        load[i, 2] = fz
        load[i, 3] = tx
        load[i, 4] = ty
        load[i, 5] = tz
    measures[OVERLAP] = worst
    measures[TOUCHING] = touching


@kernel(views_only=True)
def move(low: int, high: int, grains: GrainArrays, pairs: Pairs, gravity: Floats, dt: float, measures: Floats) -> None:
    """Sum the forces on each grain in low <= g < high, move it, and place its balls."""
    per = grains.offset.shape[0]
    ball, place, motion, built = grains.ball, grains.place, grains.motion, grains.built
    furthest = 0.0
    for g in range(low, high):
        if grains.active[g] == 0:
            continue
        fx = fy = fz = tx = ty = tz = 0.0
        for i in range(g * per, (g + 1) * per):
            fx, fy, fz = fx + grains.load[i, 0], fy + grains.load[i, 1], fz + grains.load[i, 2]
            tx, ty, tz = tx + grains.load[i, 3], ty + grains.load[i, 4], tz + grains.load[i, 5]
            for k in range(pairs.back_start[i], pairs.back_start[i + 1]):
                p = pairs.back[k]
                if pairs.touching[p] != 0:
                    fx, fy, fz = fx + pairs.reaction[p, 0], fy + pairs.reaction[p, 1], fz + pairs.reaction[p, 2]
                    tx, ty, tz = tx + pairs.reaction[p, 3], ty + pairs.reaction[p, 4], tz + pairs.reaction[p, 5]
        quick = dt / grains.mass[g]
        motion[g, 0] += fx * quick + gravity[0] * dt
        motion[g, 1] += fy * quick + gravity[1] * dt
        motion[g, 2] += fz * quick + gravity[2] * dt
        for axis in range(3):
            place[g, axis] += motion[g, axis] * dt
        if per == 1:
            spin = dt / grains.inertia[g, 0]
            motion[g, 3] += tx * spin
            motion[g, 4] += ty * spin
            motion[g, 5] += tz * spin
            for axis in range(3):
                ball[g, axis] = place[g, axis]
        else:
            spin_clump(grains.turn, grains.inertia, motion, g, tx, ty, tz, dt)
            set_balls(grains, g)
        for i in range(g * per, (g + 1) * per):
            dx, dy, dz = ball[i, 0] - built[i, 0], ball[i, 1] - built[i, 1], ball[i, 2] - built[i, 2]
            furthest = max(furthest, dx * dx + dy * dy + dz * dz)
    measures[MOVED] = furthest


@kernel(views_only=True)
def set_balls(grains: GrainArrays, g: int) -> None:
    """Place the balls of a clump."""
    per = grains.offset.shape[0]
    x, y, z, w = grains.turn[g, 0], grains.turn[g, 1], grains.turn[g, 2], grains.turn[g, 3]
    scale = grains.scale[g]
    for k in range(per):
        a, b, c = scale * grains.offset[k, 0], scale * grains.offset[k, 1], scale * grains.offset[k, 2]
        # v + 2 q x (q x v + w v)
        ux, uy, uz = y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c
        i = g * per + k
        grains.ball[i, 0] = grains.place[g, 0] + a + 2.0 * (y * uz - z * uy)
        grains.ball[i, 1] = grains.place[g, 1] + b + 2.0 * (z * ux - x * uz)
        grains.ball[i, 2] = grains.place[g, 2] + c + 2.0 * (x * uy - y * ux)


@kernel(views_only=True)
def set_all_balls(grains: GrainArrays) -> None:
    """Place the balls of all clumps."""
    for g in range(grains.place.shape[0]):
        set_balls(grains, g)


@kernel(views_only=True)
def move_bodies(bodies: BodyArrays, part_pairs: PartPairs, gravity: Floats, dt: float) -> float:
    """Sum the forces on each body, move it and its parts; return the largest displacement of a body point [m]."""
    for b in range(bodies.place.shape[0]):
        for axis in range(6):
            bodies.wrench[b, axis] = 0.0
    for p in range(part_pairs.part.shape[0]):
        if part_pairs.touching[p] != 0:
            b = bodies.part_body[part_pairs.part[p]]
            for axis in range(6):
                bodies.wrench[b, axis] += part_pairs.reaction[p, axis]
    longest = 0.0
    for b in range(bodies.place.shape[0]):
        fast = 0.0
        for axis in range(3):
            if bodies.mobility[b, axis] > 0.0:
                pull = bodies.wrench[b, axis] * bodies.mobility[b, axis] + gravity[axis]
                bodies.velocity[b, axis] += pull * dt
            bodies.place[b, axis] += bodies.velocity[b, axis] * dt
            fast += bodies.velocity[b, axis] ** 2
        spin = np.sqrt(bodies.spin[b, 0] ** 2 + bodies.spin[b, 1] ** 2 + bodies.spin[b, 2] ** 2)
        if spin > 0.0:
            _turn_body(bodies, b, spin, dt)
        for axis in range(6):
            bodies.impulse[b, axis] += bodies.wrench[b, axis] * dt
        longest = max(longest, (np.sqrt(fast) + spin * bodies.reach[b]) * dt)
    if longest > 0.0:
        place_parts(bodies)
    return longest


@kernel(views_only=True)
def _turn_body(bodies: BodyArrays, b: int, spin: float, dt: float) -> None:
    """Rotate a body by its spin with Rodrigues' formula on each column, and normalize the columns."""
    x, y, z = bodies.spin[b, 0] / spin, bodies.spin[b, 1] / spin, bodies.spin[b, 2] / spin
    c, s = np.cos(spin * dt), np.sin(spin * dt)
    axes = bodies.axes
    for k in range(3):
        a0, a1, a2 = axes[b, k], axes[b, 3 + k], axes[b, 6 + k]
        along = (x * a0 + y * a1 + z * a2) * (1.0 - c)
        b0 = a0 * c + (y * a2 - z * a1) * s + x * along
        b1 = a1 * c + (z * a0 - x * a2) * s + y * along
        b2 = a2 * c + (x * a1 - y * a0) * s + z * along
        length = np.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
        axes[b, k] = b0 / length
        axes[b, 3 + k] = b1 / length
        axes[b, 6 + k] = b2 / length


@kernel(views_only=True)
def place_parts(bodies: BodyArrays) -> None:
    """Place the parts of all bodies in the world."""
    for q in range(bodies.part_body.shape[0]):
        b = bodies.part_body[q]
        for row in range(3):
            r0, r1, r2 = bodies.axes[b, 3 * row], bodies.axes[b, 3 * row + 1], bodies.axes[b, 3 * row + 2]
            at = bodies.part_place
            bodies.world_place[q, row] = bodies.place[b, row] + r0 * at[q, 0] + r1 * at[q, 1] + r2 * at[q, 2]
            for column in range(3):
                a = bodies.part_axes
                bodies.world_axes[q, 3 * row + column] = (
                    r0 * a[q, column] + r1 * a[q, 3 + column] + r2 * a[q, 6 + column]
                )


@kernel(views_only=True)
def run_steps(
    steps: int,
    grains: GrainArrays,
    pairs: Pairs,
    part_pairs: PartPairs,
    bodies: BodyArrays,
    laws: Floats,
    gravity: Floats,
    dt: float,
    skin: float,
    way: float,
    measures: Floats,
) -> tuple[int, float]:
    """Advance until a pair list may be outdated; return the number of steps and displacements [m].

    Args:
        steps: Largest number of steps.
        grains: Arrays of the grains.
        pairs: Pairs of balls.
        part_pairs: Pairs of balls and parts.
        bodies: Arrays of the bodies.
        laws: Contact laws, shape (1 + b, 8).
        gravity: Gravity [m/s^2], shape (3,).
        dt: Step [s].
        skin: Largest distance of listed pairs [m].
        way: Displacement of bodies since the last build of the lists [m].
        measures: Measures of the thread, shape (3,).
    """
    n = grains.place.shape[0]
    balls = grains.ball.shape[0]
    for done in range(steps):
        press(0, balls, grains, pairs, part_pairs, bodies, laws, dt, measures)
        move(0, n, grains, pairs, gravity, dt, measures)
        way += move_bodies(bodies, part_pairs, gravity, dt)
        if outdated(np.sqrt(measures[MOVED]), way, skin):
            return done + 1, way
    return steps, way


@kernel(views_only=True)
def outdated(moved: float, way: float, skin: float) -> bool:
    """Return whether a pair may have approached by more than the skin [m] since the last build."""
    return not (2.0 * moved < skin and moved + way < skin)
