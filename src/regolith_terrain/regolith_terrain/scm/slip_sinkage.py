# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Slip-sinkage: a slipping wheel carries soil from below to behind, and so sinks in.

The soil between the grousers, and a thin band that shears below them, moves with the rim. It flows backward at

    q = (min(h, s) + min(h_s, s)) v_s   [m^2/s: per meter of width],

with the slip speed v_s at the wheel's foot (omega R - v for a wheel that rolls straight), its greatest depth s in the
terrain as found, the height h of the grousers and the thickness h_s of the band in terms of soil at full speed. The
depth of the plates in the soil follows from their load (:mod:`regolith_terrain.scm.loading`). So per second, each meter
of width loses q below the wheel and gains as much behind it.

The deeper the rim is, the more soil the grousers hold: the loss of a column is proportional to the slope of the rim
above it. After a wheel has passed at slip i, a column has lost

    e = (q / v_s) i / (1 - i) z(x) / z(0)

where the rim is z(x) deep, at x before its foot. That is proportional to the depth of the rim, so the distribution of
pressure below the wheel is that without slip. Below the foot, where the grousers are full, it is Reece's digging depth
of grousers: h i / (1 - i). A wheel that spins in place continues to dig: where soil supports it mostly behind its foot,
the grousers fill in the front half of that contact.

Removed soil lowers ``level_initial`` with ``level``. Pressure is then relative to the new surface. The column keeps its
plastic sinkage and yield pressure, as the soil below is as compact as before. Deposited soil raises both, like heaped
soil of bulldozing. It lands where the rim reaches the surface again, as far behind the foot as the contact extends
ahead, in the mirror image of the hole, but at most BEHIND radii behind the rim. Soil without space under the rim moves
to the lowest column behind with space. The mass of each column changes in whole quanta, at the bulk density of the
losing column. Heaps keep their shape until bulldozing or terrain lets them slump.

A braking wheel carries soil ahead. No soil is carried sideways, as grousers do not hold it. Under bodies other than
wheels, such as the shoes of a track, only the band moves, by a few nodes at a time. Each shoe passes on the soil of the
one before it, and the last one leaves it behind.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import SHAPE_CYLINDER, SHAPE_GROUSERED, STAT_MAX_SINKAGE
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.arrays import Ground, Scratch
from regolith_terrain.scm.constants import (
    BEHIND,
    DENSITY,
    DEPTH,
    ELASTIC,
    FIRST,
    HEIGHT,
    LAST,
    ROW,
    SHEAR_LAYER,
    SHOE_SHIFT,
)
from regolith_world.numerics import kernel

_STILL = 1e-7
"""Slip speed below which no soil is carried [m/s]."""
_ROUNDER = 1.5 * 2.0**52 * MASS_QUANTUM_KGPM2
"""Adding and subtracting this value rounds a mass to whole quanta [kg/m^2]: doubles of this size have a spacing of
one quantum.
"""


@kernel(views_only=True)
def transport_margin(kind: int, size: Floats, spacing: float) -> int:
    """Return the number of nodes around its shadow to which a slipping body carries soil."""
    if kind in (SHAPE_CYLINDER, SHAPE_GROUSERED):
        return int(math.ceil(BEHIND * (size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)) / spacing))
    return SHOE_SHIFT


@kernel(views_only=True)
def transport_soil(
    ground: Ground,
    soils: Floats,
    rules: Floats,
    dt: float,
    kind: int,
    size: Floats,
    center: Floats,
    rotation: Floats,
    velocity: Floats,
    angular_velocity: Floats,
    bounds: tuple[int, int, int, int],
    r0: int,
    c0: int,
    rows: int,
    cols: int,
    n_runs: int,
    scratch: Scratch,
    wrench: Wrench,
) -> None:
    """Carry soil from the nodes loaded by a slipping body to those behind it, for one step.

    Scratch and statistics must be those of the loading.

    Args:
        ground: Window of soil, changed in place.
        soils: Table of soils, shape (m, 9).
        rules: Displacement rules, shape (RULES,).
        dt: Step [s].
        kind: Kind of the shape.
        size: Size of the shape [m], shape (6,).
        center: Origin of the shape, world [m], shape (3,).
        rotation: Rotation of the body, shape (3, 3).
        velocity: Velocity of the origin, world axes [m/s], shape (3,).
        angular_velocity: Angular velocity, world axes [rad/s], shape (3,).
        bounds: Rows and columns (first, end) of the window that may gain soil.
        r0: First row of the scratch's cells in the window.
        c0: First column of the scratch's cells in the window.
        rows: Number of rows of the scratch's cells.
        cols: Number of columns of the scratch's cells.
        n_runs: Number of runs of loaded nodes in the scratch.
        scratch: Work arrays.
        wrench: Wrench with the statistics of the loading.

    Source: reece1965.
    Checked by: test_slip_sinkage.py::test_slip_sinkage_depth_matches_reece,
    test_slip_sinkage.py::test_slip_sinkage_conserves_mass_to_the_quantum.
    """
    runs, spacing = scratch.ints, ground.spacing
    wheel = kind in (SHAPE_CYLINDER, SHAPE_GROUSERED)
    if wheel:
        flow = _under_wheel(
            ground, rules, kind, size, center, rotation, velocity, angular_velocity, wrench.stats[STAT_MAX_SINKAGE]
        )
        # Reciprocal of the radius in nodes, and position of the foot along the flow in cells of the scratch.
        bend, foot = spacing / (size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)), flow[2]
        foot = foot / spacing - (ground.i0 + r0) * flow[0] - (ground.j0 + c0) * flow[1]
    else:
        flow = _under_body(ground, rules, center, velocity, angular_velocity, r0, c0, cols, n_runs, scratch, wrench)
        bend, foot = 0.0, 0.0
    dx, dy, _, flux, drives = flow
    if not flux > _STILL * rules[SHEAR_LAYER]:
        return
    # Extent of the contact along and across the flow.
    rear, front, left, right = -1e300, 1e300, 1e300, -1e300
    for run in range(n_runs):
        row, first, last = runs[run, ROW], runs[run, FIRST], runs[run, LAST]
        a, b = row * dx + first * dy, row * dx + last * dy
        rear, front = max(rear, a, b), min(front, a, b)
        a, b = first * dx - row * dy, last * dx - row * dy
        left, right = min(left, a, b), max(right, a, b)
    # Grousers fill at their entry into the soil, also if the soil supports the wheel mostly behind its foot.
    back = max(0.0, 0.5 * (front + rear) - foot) if drives else 0.0
    foot += back
    total = 0.0
    for run in range(n_runs):
        row, first, last = runs[run, ROW], runs[run, FIRST], runs[run, LAST]
        if wheel:
            # Simpson's rule over the run.
            a, b = row * dx + first * dy, row * dx + last * dy
            ends = _weight((foot - a) * bend) + _weight((foot - b) * bend)
            total += (ends + 4.0 * _weight((foot - 0.5 * (a + b)) * bend)) * (last - first + 1) / 6.0
        else:
            total += last - first + 1
    if total <= 0.0:
        return
    cell = abs(dx) + abs(dy)  # extent of a node's cell
    volume = flux * dt * (right - left + cell) * spacing
    if wheel:
        # As far behind the exit of the rim as before the foot. The image of node (r, c) in a point is (sum - r, sum -
        # c), which maps nodes to nodes without gaps.
        # point is (sum - r, sum - c): nodes for nodes, without gaps.
        ahead = foot - front + 0.5 * cell
        turned, middle = -1, 0.5 * (left + right)
        twice = 2.0 * foot + min(ahead, (1.0 + BEHIND) / bend - ahead - back)
        to_r = int(math.floor(twice * dx - 2.0 * middle * dy + 0.5))
        to_c = int(math.floor(twice * dy + 2.0 * middle * dx + 0.5))
    else:
        turned = 1
        to_r, to_c = int(math.floor(SHOE_SHIFT * dx + 0.5)), int(math.floor(SHOE_SHIFT * dy + 0.5))
        volume *= max(1.0, (rear - front + cell) / (to_r * dx + to_c * dy))  # some soil lands below the shoe itself
    unit = volume / (total * spacing * spacing)
    _move(ground, soils, bounds, r0, c0, rows, cols, n_runs, scratch, dx, dy, foot, bend, unit, turned, to_r, to_c)


@kernel(views_only=True)
def _weight(ahead: float) -> float:
    """Return the slope of a rim at a distance ahead of its foot, in radii, to seventh order."""
    if ahead <= 0.0:
        return 0.0
    square = ahead * ahead
    return ahead * (1.0 + square * (0.5 + square * (0.375 + 0.3125 * square)))


@kernel(views_only=True)
def _under_wheel(
    ground: Ground,
    rules: Floats,
    kind: int,
    size: Floats,
    center: Floats,
    rotation: Floats,
    velocity: Floats,
    angular_velocity: Floats,
    depth: float,
) -> tuple[float, float, float, float, bool]:
    """Return the soil flow under a wheel.

    It consists of the heading (x, y), the position of the foot along it [m], the flow [m^2/s], and whether the wheel
    drives. The foot is the contact point with a plane of the slope of the undisturbed terrain. The flow is the
    thickness of the carried soil times the speed of the foot along the wheel's heading.

    Args:
        ground: Window of soil.
        rules: Displacement rules, shape (RULES,).
        kind: Kind of the shape.
        size: Size of the shape [m], shape (6,).
        center: Origin of the shape, world [m], shape (3,).
        rotation: Rotation of the wheel, shape (3, 3).
        velocity: Velocity of the origin, world axes [m/s], shape (3,).
        angular_velocity: Angular velocity, world axes [rad/s], shape (3,).
        depth: Greatest depth of the wheel in the terrain as found [m].
    """
    spacing, base = ground.spacing, ground.base
    r = int(math.floor(center[0] / spacing + 0.5)) - ground.i0
    c = int(math.floor(center[1] / spacing + 0.5)) - ground.j0
    gx = (base[r + 2, c + 1] - base[r, c + 1]) / (2.0 * spacing)
    gy = (base[r + 1, c + 2] - base[r + 1, c]) / (2.0 * spacing)
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    # Heading: across the axle in the plane of the terrain.
    hx, hy, hz = ay + az * gy, -az * gx - ax, ay * gx - ax * gy
    norm = math.sqrt(hx * hx + hy * hy + hz * hz)
    flat = math.sqrt(hx * hx + hy * hy)
    if norm < 0.1 or flat < 0.1 * norm:  # the wheel lies on its side
        return 1.0, 0.0, 0.0, 0.0, False
    hx, hy, hz, flat = hx / norm, hy / norm, hz / norm, flat / norm
    radius = size[0] + (size[3] if kind == SHAPE_GROUSERED else 0.0)
    # From the center to the foot: axle x heading points down.
    px, py, pz = radius * (ay * hz - az * hy), radius * (az * hx - ax * hz), radius * (ax * hy - ay * hx)
    wx, wy, wz = angular_velocity[0], angular_velocity[1], angular_velocity[2]
    spin = hx * (wy * pz - wz * py) + hy * (wz * px - wx * pz) + hz * (wx * py - wy * px)
    speed = hx * velocity[0] + hy * velocity[1] + hz * velocity[2] + spin
    turn = 1.0 / flat if speed > 0.0 else -1.0 / flat
    dx, dy = hx * turn, hy * turn
    thickness = min(size[3], depth) + min(rules[SHEAR_LAYER], depth)
    return dx, dy, (center[0] + px) * dx + (center[1] + py) * dy, thickness * abs(speed), spin * speed > 0.0


@kernel(views_only=True)
def _under_body(
    ground: Ground,
    rules: Floats,
    center: Floats,
    velocity: Floats,
    angular_velocity: Floats,
    r0: int,
    c0: int,
    cols: int,
    n_runs: int,
    scratch: Scratch,
    wrench: Wrench,
) -> tuple[float, float, float, float, bool]:
    """Return the soil flow under a body other than a wheel: heading (x, y), 0, flow [m^2/s], False.

    It is that of the shear band, at the speed of the body's deepest point.
    """
    runs, depth = scratch.ints, scratch.floats[DEPTH]
    deepest, r, c = -1.0, 0, 0
    for run in range(n_runs):
        row = runs[run, ROW]
        for col in range(runs[run, FIRST], runs[run, LAST] + 1):
            if depth[row * cols + col] > deepest:
                deepest, r, c = depth[row * cols + col], row + r0, col + c0
    px = (ground.i0 + r) * ground.spacing - center[0]
    py = (ground.j0 + c) * ground.spacing - center[1]
    pz = ground.level[r, c] - center[2]
    wx, wy, wz = angular_velocity[0], angular_velocity[1], angular_velocity[2]
    vx = velocity[0] + wy * pz - wz * py
    vy = velocity[1] + wz * px - wx * pz
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0.0:
        return 1.0, 0.0, 0.0, 0.0, False
    return vx / speed, vy / speed, 0.0, speed * min(rules[SHEAR_LAYER], wrench.stats[STAT_MAX_SINKAGE]), False


@kernel(views_only=True)
def _move(
    ground: Ground,
    soils: Floats,
    bounds: tuple[int, int, int, int],
    r0: int,
    c0: int,
    rows: int,
    cols: int,
    n_runs: int,
    scratch: Scratch,
    dx: float,
    dy: float,
    foot: float,
    bend: float,
    unit: float,
    turned: int,
    to_r: int,
    to_c: int,
) -> None:
    """Move ``unit`` [m] times its weight from each column to its target column.

    Soil of column (row, col) of the scratch lands at (to_r + turned row, to_c + turned col). For a body other than a
    wheel ``bend`` is 0, and its columns have equal weights.
    """
    runs, depth, heights = scratch.ints, scratch.floats[DEPTH], scratch.floats[HEIGHT]
    level_initial, level, mass, touched = ground.level_initial, ground.level, ground.mass_kgpm2, ground.touched
    uniform = soils.shape[0] == 1
    density = soils[0, DENSITY]
    first_r, end_r, first_c, end_c = bounds
    for run in range(n_runs):
        row = runs[run, ROW]
        into = to_r + turned * row + r0
        if into < first_r or into >= end_r:
            continue
        # Unsigned: a signed index could count from the end, which Numba would check.
        r, into_r = np.uintp(row + r0), np.uintp(into)
        one, other = turned * (first_c - c0 - to_c), turned * (end_c - 1 - c0 - to_c)
        start, end = max(runs[run, FIRST], min(one, other)), min(runs[run, LAST], max(one, other)) + 1
        ahead, less = (foot - row * dx) * bend, dy * bend
        # Below the wheel itself soil lands only where there is space. A shoe passes it on to the next one.
        below = bend > 0.0 and 0 <= into - r0 < rows
        for col in range(start, end):
            c, into_c = np.uintp(col + c0), np.uintp(to_c + turned * col + c0)
            if not uniform:
                # Rows of NaN belong to other terrain models, to which no soil is moved.
                if math.isnan(soils[ground.region[into_r, into_c], ELASTIC]):
                    continue
                density = soils[ground.region[r, c], DENSITY]
            # At most the depth of the body in the column.
            height = unit * _weight(ahead - less * col) if bend > 0.0 else unit
            here = depth[np.uintp(row * cols + col)]
            if here < height:
                height = here
            if height <= 0.0:  # column behind the foot
                continue
            if below and 0 <= to_c + turned * col < cols:
                room = heights[np.uintp((into - r0) * cols + to_c + turned * col)] - level[into_r, into_c]
                if room < height:
                    here_c = to_c + turned * col + c0
                    way = _room_behind(ground, soils, bounds, r0, c0, rows, cols, heights, dx, dy, into, here_c, height)
                    if way == 0:
                        continue
                    into_r = np.uintp(math.floor(into + way * dx + 0.5))
                    into_c = np.uintp(math.floor(here_c + way * dy + 0.5))
            moved = height * density + _ROUNDER - _ROUNDER
            level_initial[r, c] -= height
            level[r, c] -= height
            mass[r, c] -= moved
            level_initial[into_r, into_c] += height
            level[into_r, into_c] += height
            mass[into_r, into_c] += moved
            touched[into_r, into_c] = True


@kernel(views_only=True)
def _room_behind(
    ground: Ground,
    soils: Floats,
    bounds: tuple[int, int, int, int],
    r0: int,
    c0: int,
    rows: int,
    cols: int,
    heights: Floats,
    dx: float,
    dy: float,
    r: int,
    c: int,
    height: float,
) -> int:
    """Return the number of nodes along the flow to the lowest column with space for a height [m]; 0: none."""
    way, lowest = 0, math.inf
    k = 0
    while True:
        k += 1
        nr, nc = int(math.floor(r + k * dx + 0.5)), int(math.floor(c + k * dy + 0.5))
        if nr < bounds[0] or nr >= bounds[1] or nc < bounds[2] or nc >= bounds[3]:
            return way
        level = ground.level[nr, nc]
        if not level < lowest or math.isnan(soils[ground.region[nr, nc], ELASTIC]):
            continue
        inside = 0 <= nr - r0 < rows and 0 <= nc - c0 < cols
        if not inside or heights[(nr - r0) * cols + nc - c0] - level >= height:
            way, lowest = k, level
