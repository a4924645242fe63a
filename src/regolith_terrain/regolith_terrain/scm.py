# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil contact model: the wrench a rigid wheel or plate gets from yielding ground, and the rut it leaves.

A height-map form of Bekker pressure and Janosi-Hanamoto shear (Krenn & Hirzinger 2009, "SCM: a soil contact model for
multi-body system simulations"; Serban, Taves & Zhou 2023). Every node below the body carries pressure along the normal
of the undisturbed ground and shear against the sliding direction. Two modes:

``MODE_REFERENCE`` does what Project Chrono's SCMTerrain does (with exact geometry), so that results can be compared.

``MODE_REGOLITH`` (default) differs where the reference has known weaknesses:

1. Contact patches consist of loaded nodes only (the reference counts all nodes with the body up to 0.1 m above them),
   and the hull runs round their cells, not through their centres; so b in k_c / b is that of the contact.
2. Shear belongs to (wheel, node) and is forgotten when the wheel leaves the node; the reference never forgets, so a
   second wheel in a rut starts with fully mobilised shear.
3. Shear is a vector: the mobilised fraction m of the shear strength obeys dm = (d - m) |v| dt / K, d being the unit
   vector against sliding. For steady sliding that is Janosi-Hanamoto's 1 - exp(-j / K) exactly; on reversal it unwinds
   over a distance of order K (Dahl 1968), and a body at rest on a slope stays at rest. A term in dm / dt damps it
   there. The reference jumps with the sign of any sliding velocity.
4. Damping never makes the soil pull.
5. The area of a node on a slope is spacing^2 / cos(slope).
6. Yielding never lowers the yield pressure or the plastic set, whatever becomes of b, so no cycle of loading yields
   energy.
7. There is no window of heights outside which a body is not felt.

In both modes pressure acts along the ground's normal, not the wheel's: compaction resistance is felt as a torque, not
as a drag (Krenn's choice). Bulldozing is not modelled: ``mass_remainder`` stays as it is.

All kernels are in this one file because numba's cache on disk does not notice changes in files a kernel calls into.
Arrays of one window (see :class:`regolith_terrain.soil_grid.SoilWindow`) are written in place; nothing is allocated.
"""

from __future__ import annotations

import math

from numba import njit

from regolith_terrain.scratch import Scratch as Scratch
from regolith_terrain.scratch import make_scratch as make_scratch

MODE_REFERENCE = 0
MODE_REGOLITH = 1
MODES = {'reference': MODE_REFERENCE, 'regolith': MODE_REGOLITH}

SHEAR_RELAXATION_S = 0.2
"""Of the mobilised shear in MODE_REGOLITH [s]: damps the rocking of a parked vehicle on its shear springs.

An engineering choice: enough to bring a rover of 435 kg to rest against what the vertical pressure, which has no
potential, puts into its rocking. It fades until nothing is left of it at CREEP_SPEED.
"""
CREEP_SPEED = 0.02
"""[m/s]."""

OK = 0
LEFT_WINDOW = 1
"""The body's shadow (with one node of margin) reaches beyond the window: nothing was computed."""
SCRATCH_TOO_SMALL = 2

STAT_LOADED_NODES = 0
STAT_LOADED_AREA = 1
"""[m^2]"""
STAT_MAX_SINKAGE = 2
"""Along the normal, below level_initial, of loaded nodes [m]."""
STAT_MEAN_PRESSURE = 3
"""[Pa]"""
STAT_INVERSE_WIDTH = 4
"""1 / b of the patch with most nodes [1/m]."""
STAT_PATCHES = 5
STAT_HIT_NODES = 6
STAT_COUNT = 7

# Reference mode: the ray of a node starts this far below its level and ends this far above.
_RAY_BELOW = 0.4
_RAY_ABOVE = 0.1
_MISS = -1e300
"""Marks a node the body is not over, or (regolith mode) does not load."""
# Columns of the integer scratch: runs (row, first and last column, first run of the patch), two chains of vertices.
_ROW, _FIRST, _LAST, _PATCH, _LOW_R, _LOW_C, _UP_R, _UP_C = range(8)
# Below this hull area the reference drops the cohesive term [m^2].
_MIN_HULL_AREA = 1e-6


@njit(cache=True, nogil=True, error_model='numpy')
def cylinder_wrench(  # type: ignore[no-untyped-def]
    base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil,
    radius, half_width, center, axis, velocity, angular_velocity, dt, mode, shear, scratch_float, scratch_int, force,
    torque, stats,
):  # fmt: skip
    """Press a solid cylinder into the soil for one step.

    :param base: undisturbed heights with a one-node border [m], shape (ni + 2, nj + 2)
    :param normal: in/out, of the undisturbed ground, zero where not yet needed, shape (ni, nj, 3)
    :param level_initial: in/out [m], shape (ni, nj), as the next four
    :param level: in/out [m]
    :param sinkage_plastic: in/out [m]
    :param sigma_yield: in/out [Pa]
    :param touched: out, set where a node was loaded
    :param i0: index of the window's first row; node (r, c) lies at x = (i0 + r) spacing, y = (j0 + c) spacing
    :param j0: index of the window's first column
    :param spacing: of the nodes [m]
    :param soil: k_phi, k_c, n, c, tan(phi), K, E, R (:meth:`regolith_terrain.config.SoilConfig.parameters`), shape (8,)
    :param radius: [m]
    :param half_width: half the cylinder's length [m]
    :param center: of the cylinder, world [m], shape (3,)
    :param axis: unit vector along the cylinder's axis, world, either sign, shape (3,)
    :param velocity: of the centre, world axes [m/s], shape (3,)
    :param angular_velocity: of the body, world axes [rad/s], shape (3,)
    :param dt: step [s]
    :param mode: MODE_REFERENCE or MODE_REGOLITH
    :param shear: in/out, shape (ni, nj, 2); regolith mode: mobilised fraction of the shear strength (x, y) of *this*
        wheel; reference mode: (sliding path [m], unused), one array for all wheels of a vehicle
    :param scratch_float: see :func:`make_scratch`
    :param scratch_int: see :func:`make_scratch`
    :param force: out, on the cylinder, world axes [N], shape (3,)
    :param torque: out, about the centre, world axes [N m], shape (3,)
    :param stats: out, shape (STAT_COUNT,)
    :return: OK, LEFT_WINDOW or SCRATCH_TOO_SMALL
    """
    ax, ay, az = axis[0], axis[1], axis[2]
    # Half extents of the shadow: a disc of this radius seen edge-on spans R sqrt(1 - a^2), the axis adds w |a|.
    reach_x = radius * math.sqrt(max(0.0, 1.0 - ax * ax)) + half_width * abs(ax)
    reach_y = radius * math.sqrt(max(0.0, 1.0 - ay * ay)) + half_width * abs(ay)
    status, r0, r1, c0, c1 = _rectangle(
        center, reach_x, reach_y, i0, j0, spacing, mode, level, scratch_int, force, torque, stats
    )
    if status != OK:
        return status
    cx, cy, cz = center[0], center[1], center[2]
    cols = c1 - c0
    depth = scratch_float[0]
    # A vertical line through the node meets the cylinder where (u = z - cz, q = horizontal part of the axial
    # coordinate) |q + u az| <= w and (1 - az^2) u^2 - 2 q az u + dx^2 + dy^2 - q^2 <= R^2; the soil feels the lower
    # end.
    across = 1.0 - az * az
    inverse_across = 1.0 / across if across > 1e-12 else 0.0
    tilted = abs(az) > 1e-12
    inverse_az = 1.0 / az if tilted else 0.0
    for r in range(r0, r1):
        dx = (i0 + r) * spacing - cx
        for c in range(c0, c1):
            cell = (r - r0) * cols + c - c0
            depth[cell] = _MISS
            dy = (j0 + c) * spacing - cy
            q = dx * ax + dy * ay
            rest = dx * dx + dy * dy - q * q - radius * radius
            if across > 1e-12:
                root = q * az * q * az - across * rest
                if root < 0.0:
                    continue
                # Most nodes lie too far below the barrel; squaring finds them without the square root.
                limit = level_initial[r, c] if mode == MODE_REGOLITH else level[r, c] + _RAY_ABOVE
                clearance = q * az - across * (limit - cz)
                if clearance > 0.0 and root < clearance * clearance:
                    continue
                root = math.sqrt(root)
                lower = (q * az - root) * inverse_across
                upper = (q * az + root) * inverse_across
            else:
                if rest > 0.0:
                    continue
                lower = -math.inf
                upper = math.inf
            if tilted:
                end_a = (-half_width - q) * inverse_az
                end_b = (half_width - q) * inverse_az
                lower = max(lower, min(end_a, end_b))
                upper = min(upper, max(end_a, end_b))
                if lower > upper:
                    continue
            elif abs(q) > half_width:
                continue
            height = cz + lower
            if height < level_initial[r, c] or mode == MODE_REFERENCE:
                nz = normal[r, c, 2]
                if nz == 0.0:
                    nz = _find_normal(base, normal, r, c, spacing)
                depth[cell] = _penetration(
                    height, level_initial[r, c], level[r, c], sinkage_plastic[r, c], nz, mode
                )
    _load(
        base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil, center,
        velocity, angular_velocity, dt, mode == MODE_REGOLITH, shear, r0, r1, c0, c1, scratch_float, scratch_int, force,
        torque, stats,
    )  # fmt: skip
    return OK


@njit(cache=True, nogil=True, error_model='numpy')
def plate_wrench(  # type: ignore[no-untyped-def]
    base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil,
    half_length, half_width, center, velocity, angular_velocity, dt, mode, shear, scratch_float, scratch_int, force,
    torque, stats,
):  # fmt: skip
    """Press a level rectangular plate, its sides along x and y, into the soil for one step.

    The arguments are those of :func:`cylinder_wrench`, except:

    :param half_length: half the side along x [m]
    :param half_width: half the side along y [m]
    :param center: centre of the plate's lower face [m], shape (3,); the torque is about it
    """
    status, r0, r1, c0, c1 = _rectangle(
        center, half_length, half_width, i0, j0, spacing, mode, level, scratch_int, force, torque, stats
    )
    if status != OK:
        return status
    cols = c1 - c0
    depth = scratch_float[0]
    for r in range(r0, r1):
        dx = abs((i0 + r) * spacing - center[0])
        for c in range(c0, c1):
            dy = abs((j0 + c) * spacing - center[1])
            cell = (r - r0) * cols + c - c0
            depth[cell] = _MISS
            if dx <= half_length and dy <= half_width:
                nz = normal[r, c, 2]
                if nz == 0.0:
                    nz = _find_normal(base, normal, r, c, spacing)
                depth[cell] = _penetration(
                    center[2], level_initial[r, c], level[r, c], sinkage_plastic[r, c], nz, mode
                )
    _load(
        base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil, center,
        velocity, angular_velocity, dt, mode == MODE_REGOLITH, shear, r0, r1, c0, c1, scratch_float, scratch_int, force,
        torque, stats,
    )  # fmt: skip
    return OK


@njit(cache=True, nogil=True, error_model='numpy')
def _rectangle(  # type: ignore[no-untyped-def]
    center, reach_x, reach_y, i0, j0, spacing, mode, level, scratch_int, force, torque, stats
):
    """Clear the outputs; return (status, first row, end row, first column, end column) of the body's shadow."""
    force[:] = 0.0
    torque[:] = 0.0
    stats[:] = 0.0
    # One node more on each side: there regolith mode forgets the shear of nodes the body has just left.
    margin = 1 if mode == MODE_REGOLITH else 0
    r0 = int(math.ceil((center[0] - reach_x) / spacing)) - margin - i0
    r1 = int(math.floor((center[0] + reach_x) / spacing)) + margin - i0 + 1
    c0 = int(math.ceil((center[1] - reach_y) / spacing)) - margin - j0
    c1 = int(math.floor((center[1] + reach_y) / spacing)) + margin - j0 + 1
    status = OK
    if r0 < 0 or c0 < 0 or r1 > level.shape[0] or c1 > level.shape[1]:
        status = LEFT_WINDOW
    elif (r1 - r0) * (c1 - c0) > scratch_int.shape[0]:
        status = SCRATCH_TOO_SMALL
    return status, r0, r1, c0, c1


@njit(cache=True, nogil=True, error_model='numpy')
def _penetration(height, level_initial, level, sinkage_plastic, nz, mode):  # type: ignore[no-untyped-def]
    """Return how far a body whose underside is at ``height`` lies below level_initial, along the normal, or _MISS.

    ``nz`` is the normal's vertical part. Reference mode keeps every node whose ray hits (negative: body above the
    ground), regolith mode only nodes that will carry load. Scalars only: passing arrays would cost more than the sum.
    """
    if mode == MODE_REFERENCE:
        if height < level - _RAY_BELOW or height > level + _RAY_ABOVE:
            return _MISS
    elif height >= level_initial:
        return _MISS
    depth = (level_initial - height) * nz
    return _MISS if mode == MODE_REGOLITH and depth <= sinkage_plastic else depth


@njit(cache=True, nogil=True, error_model='numpy')
def _find_normal(base, normal, r, c, spacing):  # type: ignore[no-untyped-def]
    """Fill in the normal of a node from central differences of the undisturbed heights; return its vertical part."""
    gx = base[r, c + 1] - base[r + 2, c + 1]
    gy = base[r + 1, c] - base[r + 1, c + 2]
    if gx == 0.0 and gy == 0.0:
        normal[r, c, 2] = 1.0
    else:
        norm = 1.0 / math.sqrt(gx * gx + gy * gy + 4.0 * spacing * spacing)
        normal[r, c, 0], normal[r, c, 1], normal[r, c, 2] = gx * norm, gy * norm, 2.0 * spacing * norm
    return normal[r, c, 2]


@njit(cache=True, nogil=True, error_model='numpy')
def _load(  # type: ignore[no-untyped-def]
    base, normal, level_initial, level, sinkage_plastic, sigma_yield, touched, i0, j0, spacing, soil, center,
    velocity, angular_velocity, dt, regolith, shear, r0, r1, c0, c1, scratch_float, scratch_int, force, torque, stats,
):  # fmt: skip
    """Group the hit nodes of rows r0..r1-1, columns c0..c1-1 into patches and load them.

    Row 0 of ``scratch_float`` holds the penetration of each node of that rectangle, or _MISS.
    """
    depth, stiffness, runs = scratch_float[0], scratch_float[1], scratch_int
    cols = c1 - c0
    n_runs, hits = _find_runs(depth, r0, r1, cols, runs)
    stats[STAT_HIT_NODES] = hits
    if regolith:
        for r in range(r0, r1):
            for c in range(c0, c1):
                if depth[(r - r0) * cols + c - c0] == _MISS:
                    shear[r, c, 0] = 0.0
                    shear[r, c, 1] = 0.0
    if n_runs == 0:
        return

    k_phi, k_c, exponent, cohesion = soil[0], soil[1], soil[2], soil[3]
    tan_phi, janosi, elastic, damping = soil[4], soil[5], soil[6], soil[7]
    largest = 0
    for run in range(n_runs):
        if runs[run, _PATCH] == run:
            nodes, inverse_width = _inverse_width(runs, n_runs, run, spacing, regolith)
            stiffness[run] = k_phi + k_c * inverse_width
            stats[STAT_PATCHES] += 1.0
            if nodes > largest:
                largest = nodes
                stats[STAT_INVERSE_WIDTH] = inverse_width

    cell_area = spacing * spacing
    relaxation = SHEAR_RELAXATION_S / dt
    wx, wy, wz = angular_velocity[0], angular_velocity[1], angular_velocity[2]
    loaded = 0
    area_sum = 0.0
    pressure_sum = 0.0
    deepest = 0.0
    fx = fy = fz = tx = ty = tz = 0.0
    for run in range(n_runs):
        row = runs[run, _ROW]
        r = row + r0
        px = (i0 + r) * spacing - center[0]
        bearing = stiffness[runs[run, _PATCH]]
        for col in range(runs[run, _FIRST], runs[run, _LAST] + 1):
            s = depth[row * cols + col]
            c = col + c0
            trial = elastic * (s - sinkage_plastic[r, c])
            if trial < 0.0:
                continue
            nx, ny, nz = normal[r, c, 0], normal[r, c, 1], normal[r, c, 2]
            py = (j0 + c) * spacing - center[1]
            pz = level[r, c] - center[2]
            vx = velocity[0] + wy * pz - wz * py
            vy = velocity[1] + wz * px - wx * pz
            vz = velocity[2] + wx * py - wy * px
            vn = vx * nx + vy * ny + vz * nz
            vx -= vn * nx
            vy -= vn * ny
            vz -= vn * nz
            speed = math.sqrt(vx * vx + vy * vy + vz * vz)
            touched[r, c] = True
            level[r, c] = level_initial[r, c] - s / nz

            sigma = trial
            if trial > sigma_yield[r, c]:
                virgin = bearing * (s if exponent == 1.0 else s**exponent)
                if regolith:
                    virgin = min(trial, max(virgin, sigma_yield[r, c]))
                sigma = virgin
                sigma_yield[r, c] = sigma
                sinkage_plastic[r, c] = s - sigma / elastic
            sigma -= vn * damping
            area = cell_area
            if regolith:
                sigma = max(sigma, 0.0)
                area = cell_area / nz
            strength = cohesion + sigma * tan_phi

            if regolith:
                fade = math.exp(-speed * dt / janosi)
                mx = shear[r, c, 0] * fade
                my = shear[r, c, 1] * fade
                if speed > 0.0:
                    gain = (1.0 - fade) / speed
                    mx -= vx * gain
                    my -= vy * gain
                ux, uy = mx, my
                if speed < CREEP_SPEED:
                    # Internal friction near rest, as in LuGre: a stress in the rate of m (Olsson & Astrom 1996).
                    rate = relaxation * (1.0 - speed / CREEP_SPEED)
                    ux += rate * (mx - shear[r, c, 0])
                    uy += rate * (my - shear[r, c, 1])
                    excess = ux * ux + uy * uy
                    if excess > 1.0:
                        excess = 1.0 / math.sqrt(excess)
                        ux *= excess
                        uy *= excess
                shear[r, c, 0] = mx
                shear[r, c, 1] = my
                # The third component follows from it lying in the tangent plane.
                uz = -(nx * ux + ny * uy) / nz
                hx, hy, hz = strength * ux, strength * uy, strength * uz
            else:
                shear[r, c, 0] += speed * dt
                tau = strength * (1.0 - math.exp(-shear[r, c, 0] / janosi))
                scale = -tau / speed if speed > 0.0 else 0.0
                hx, hy, hz = scale * vx, scale * vy, scale * vz

            ex = area * (sigma * nx + hx)
            ey = area * (sigma * ny + hy)
            ez = area * (sigma * nz + hz)
            fx += ex
            fy += ey
            fz += ez
            tx += py * ez - pz * ey
            ty += pz * ex - px * ez
            tz += px * ey - py * ex
            loaded += 1
            area_sum += area
            pressure_sum += sigma * area
            deepest = max(deepest, s)
    force[0], force[1], force[2] = fx, fy, fz
    torque[0], torque[1], torque[2] = tx, ty, tz
    stats[STAT_LOADED_NODES] = loaded
    stats[STAT_LOADED_AREA] = area_sum
    stats[STAT_MAX_SINKAGE] = deepest
    if loaded > 0:
        stats[STAT_MEAN_PRESSURE] = pressure_sum / area_sum


@njit(cache=True, nogil=True, error_model='numpy')
def _find_runs(depth, r0, r1, cols, runs):  # type: ignore[no-untyped-def]
    """List the runs of hit nodes row by row, joining those that touch across rows (4-neighbourhood).

    Afterwards every run's parent is the first run of its patch. Returns (number of runs, number of hit nodes).
    """
    n = 0
    hits = 0
    previous_first = 0
    previous_end = 0
    for row in range(r1 - r0):
        row_first = n
        c = 0
        while c < cols:
            if depth[row * cols + c] == _MISS:
                c += 1
                continue
            start = c
            while c < cols and depth[row * cols + c] != _MISS:
                c += 1
            runs[n, _ROW] = row
            runs[n, _FIRST] = start
            runs[n, _LAST] = c - 1
            runs[n, _PATCH] = n
            hits += c - start
            n += 1
        for run in range(row_first, n):
            for other in range(previous_first, previous_end):
                if runs[other, _FIRST] <= runs[run, _LAST] and runs[other, _LAST] >= runs[run, _FIRST]:
                    a = _root(runs, run)
                    b = _root(runs, other)
                    runs[max(a, b), _PATCH] = min(a, b)
        previous_first, previous_end = row_first, n
    for run in range(n):
        runs[run, _PATCH] = _root(runs, run)
    return n, hits


@njit(cache=True, nogil=True, error_model='numpy')
def _root(runs, run):  # type: ignore[no-untyped-def]
    while runs[run, _PATCH] != run:
        run = runs[run, _PATCH]
    return run


@njit(cache=True, nogil=True, error_model='numpy')
def _inverse_width(runs, n_runs, patch, spacing, whole_cells):  # type: ignore[no-untyped-def]
    """Return (number of nodes, 1 / b) of a patch, where 1 / b = hull perimeter / (2 hull area).

    The hull's two chains (over the first and the last node of each row) grow by Andrew's monotone-chain rule; rows
    come sorted, so no sort is needed, and on integers no rounding. With ``whole_cells`` the hull is that of the nodes'
    cells: the Minkowski sum with a square of side a, whose perimeter is P + 4 a and whose area is A + a (extent along
    x + extent along y) + a^2.
    """
    nodes = 0
    low = up = 0
    row_low = row_up = 0
    row = -1
    min_c = max_c = 0
    run = patch
    while run <= n_runs:
        mine = run < n_runs and runs[run, _PATCH] == patch
        if run == n_runs or (mine and runs[run, _ROW] != row):
            if row >= 0:
                low = _push(runs, low, row, row_low, _LOW_R, 1)
                up = _push(runs, up, row, row_up, _UP_R, -1)
            if run == n_runs:
                break
            if row < 0:
                min_c, max_c = runs[run, _FIRST], runs[run, _LAST]
            row = runs[run, _ROW]
            row_low, row_up = runs[run, _FIRST], runs[run, _LAST]
        if mine:
            nodes += runs[run, _LAST] - runs[run, _FIRST] + 1
            row_low = min(row_low, runs[run, _FIRST])
            row_up = max(row_up, runs[run, _LAST])
            min_c = min(min_c, runs[run, _FIRST])
            max_c = max(max_c, runs[run, _LAST])
        run += 1
    perimeter = float(runs[0, _UP_C] - runs[0, _LOW_C] + runs[up - 1, _UP_C] - runs[low - 1, _LOW_C])
    twice_area = 0
    for k in range(1, low):
        dr = runs[k, _LOW_R] - runs[k - 1, _LOW_R]
        dc = runs[k, _LOW_C] - runs[k - 1, _LOW_C]
        perimeter += math.sqrt(dr * dr + dc * dc)
        twice_area -= dr * (runs[k, _LOW_C] + runs[k - 1, _LOW_C])
    for k in range(1, up):
        dr = runs[k, _UP_R] - runs[k - 1, _UP_R]
        dc = runs[k, _UP_C] - runs[k - 1, _UP_C]
        perimeter += math.sqrt(dr * dr + dc * dc)
        twice_area += dr * (runs[k, _UP_C] + runs[k - 1, _UP_C])
    area = 0.5 * twice_area
    if whole_cells:
        extents = float(runs[low - 1, _LOW_R] - runs[0, _LOW_R] + max_c - min_c)
        perimeter += 4.0
        area += extents + 1.0
    perimeter *= spacing
    area *= spacing * spacing
    return nodes, (perimeter / (2.0 * area) if area >= _MIN_HULL_AREA else 0.0)


@njit(cache=True, nogil=True, error_model='numpy')
def _push(runs, size, r, c, column, side):  # type: ignore[no-untyped-def]
    """Add vertex (r, c) to a chain of ``size`` vertices, dropping those inside; return the new size."""
    while size >= 2:
        ar, ac = runs[size - 2, column], runs[size - 2, column + 1]
        br, bc = runs[size - 1, column], runs[size - 1, column + 1]
        if side * ((br - ar) * (c - ac) - (bc - ac) * (r - ar)) > 0:
            break
        size -= 1
    runs[size, column] = r
    runs[size, column + 1] = c
    return size + 1
