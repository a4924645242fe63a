# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Flexible cylinders on soil: underside of the deflected rim, and pressure of the soil on its points.

The rim is given by its deflections at points (:attr:`regolith_terrain.contact.arrays.Shapes.profile`), linear in
between. Nodes in contact are those below the round cylinder, since a rim that is pressed by the soil moves toward its
axle. A vertical line through a node meets the rim where u, its height above the axle, solves |p(u)| = R - w(angle).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from regolith_terrain.contact.constants import RING_POINTS, RING_START
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.arrays import Ground
from regolith_terrain.scm.constants import (
    ELASTIC,
    EXPONENT,
    HEIGHT,
    RATE,
    SLOPE_X,
    SLOPE_Y,
    STEEPEST,
)
from regolith_terrain.scm.loading import virgin_pressure
from regolith_terrain.scm.patches import upright_part
from regolith_world.numerics import kernel

(
    DX,
    DY,
    TOP,
    UPRIGHT,
    PLASTIC,
    YIELD,
    HEIGHT_ABOVE,
    SOIL,
    BRANCH,
    FIRST,
    SECOND,
    SHARE,
    RISE,
    DEFLECTION,
    NODE_ROWS,
) = range(15)
"""Rows of a list of nodes: position from the axle [m], level_initial above the axle [m], vertical part of the normal,
plastic sinkage [m], yield pressure [Pa], height of the rim above the axle [m], row of the soil table, branch of the
stress law, columns of the points beside the node and fraction of the way between them, rise of the rim with its
deflection [-], deflection at that height [m]."""
_UNKNOWN, _FREE, _ELASTIC, _VIRGIN = -1.0, 0.0, 1.0, 2.0
"""Branches of the stress law."""
_DOWN = 0.1
"""Cosine of the angle from straight down to a point of the rim beyond which the soil does not deflect it."""
_RAY_STEPS = 8
_RAY_END = 1e-3
"""Height by which the last step moves at most [m]; the error after it is its square over the radius."""
_TWO_PI = 2.0 * math.pi


class _Meeting(NamedTuple):
    """Where a vertical line meets the rim."""

    u: float
    """Height above the axle [m]."""
    first: int
    """Column of the point before."""
    second: int
    """Column of the point after."""
    share: float
    """Fraction of the way between them."""
    cosine: float
    """Cosine of the angle."""
    sine: float
    """Sine of the angle."""


@kernel(views_only=True, forceinline=True)
def _meet(
    rim: Floats, start: int, count: int, radius: float, rotation: Floats, dx: float, dy: float, u: float
) -> _Meeting:
    """Return where a vertical line meets the rim, by Newton's method.

    Args:
        rim: Deflections [m].
        start: Column of the first point.
        count: Number of points.
        radius: Radius without deflection [m].
        rotation: Axes of the shape as columns, shape (3, 3).
        dx: Distance of the line from the axle along world x [m].
        dy: Distance of the line from the axle along world y [m].
        u: First estimate of the height above the axle [m].
    """
    x0, z0 = dx * rotation[0, 0] + dy * rotation[1, 0], dx * rotation[0, 2] + dy * rotation[1, 2]
    xu, zu = rotation[2, 0], rotation[2, 2]
    per_radian = count / _TWO_PI
    a = b = start
    share = 0.0
    x, z = x0 + u * xu, z0 + u * zu
    place = math.atan2(z, x) * per_radian
    for _ in range(_RAY_STEPS):
        square = x * x + z * z
        if place < 0.0:
            place += count
        elif place >= count:
            place -= count
        first = min(int(place), count - 1)
        share = place - first
        a, b = start + first, start + (first + 1 if first + 1 < count else 0)
        rise = rim[b] - rim[a]
        r = radius - (rim[a] + share * rise)
        steep = 2.0 * (x * xu + z * zu) + 2.0 * r * rise * per_radian * (x * zu - z * xu) / square
        if steep == 0.0:
            break
        step = (square - r * r) / steep
        u -= step
        x_before, z_before = x, z
        x, z = x0 + u * xu, z0 + u * zu
        if abs(step) < _RAY_END:
            break
        # The angle between both points, by two terms of the arctangent's series: it is small.
        turn = (x_before * z - z_before * x) / (x_before * x + z_before * z)
        place += turn * (1.0 - turn * turn / 3.0) * per_radian
    inverse = 1.0 / math.sqrt(x * x + z * z)
    return _Meeting(u, a, b, share, x * inverse, z * inverse)


@kernel(views_only=True, forceinline=True)
def _outward(
    rim: Floats, start: int, count: int, radius: float, rotation: Floats, at: _Meeting
) -> tuple[float, float, float, float]:
    """Return the outward normal of the rim, with the length of the radius there, and this radius [m].

    The slope is that of the middles of the segments, linear in between: a smooth rim.
    """
    a, b, share = at.first, at.second, at.share
    before = a - 1 if a > start else start + count - 1
    after = b + 1 if b + 1 < start + count else start
    slope = ((1.0 - share) * (rim[b] - rim[before]) + share * (rim[after] - rim[a])) * (0.5 * count / _TWO_PI)
    r = radius - (rim[a] + share * (rim[b] - rim[a]))
    along_x, along_z = r * at.cosine - slope * at.sine, r * at.sine + slope * at.cosine
    return (
        along_x * rotation[0, 0] + along_z * rotation[0, 2],
        along_x * rotation[1, 0] + along_z * rotation[1, 2],
        along_x * rotation[2, 0] + along_z * rotation[2, 2],
        r,
    )


@kernel(views_only=True)
def ring_heights(
    ground: Ground,
    size: Floats,
    profile: Floats,
    center: Floats,
    rotation: Floats,
    r0: int,
    r1: int,
    c0: int,
    c1: int,
    floats: Floats,
) -> None:
    """Change HEIGHT [m] and slopes from those of the round cylinder to those of the rim, and write its RATE [m/s].

    Args:
        ground: Window of soil.
        size: Size of the cylinder.
        profile: Deflections and their rates, see :attr:`regolith_terrain.contact.arrays.Shapes.profile`.
        center: Center of the cylinder [m], shape (3,).
        rotation: Axes of the cylinder as columns, shape (3, 3).
        r0: First row.
        r1: End row.
        c0: First column.
        c1: End column.
        floats: Input and output: float work array.

    Tests: test_ring_soil.py::test_stiff_ring_presses_as_a_cylinder.
    """
    count, start = int(size[RING_POINTS]), int(size[RING_START])
    rim = profile[0]
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    cols = c1 - c0
    for r in range(r0, r1):
        dx = (ground.i0 + r) * ground.spacing - center[0]
        for c in range(c0, c1):
            cell = (r - r0) * cols + c - c0
            floats[RATE, cell] = 0.0
            round_height = floats[HEIGHT, cell]
            # Below the depth at which soil was pressed it presses neither the round cylinder nor the rim above it.
            if not ground.level_initial[r, c] - round_height > ground.sinkage_plastic[r, c]:
                continue
            dy = (ground.j0 + c) * ground.spacing - center[1]
            at = _meet(rim, start, count, size[0], rotation, dx, dy, round_height - center[2])
            aside = dx * ax + dy * ay + at.u * az
            if abs(aside) > size[1]:  # the line enters by an end of the cylinder
                continue
            nx, ny, nz, _ = _outward(rim, start, count, size[0], rotation, at)
            if nz >= 0.0:
                floats[HEIGHT, cell] = math.inf
                continue
            gx, gy = -nx / nz, -ny / nz
            steep = gx * gx + gy * gy
            if steep > STEEPEST * STEEPEST:
                scale = STEEPEST / math.sqrt(steep)
                gx *= scale
                gy *= scale
            floats[HEIGHT, cell], floats[SLOPE_X, cell], floats[SLOPE_Y, cell] = center[2] + at.u, gx, gy
            before, after = profile[1, at.first], profile[1, at.second]
            floats[RATE, cell] = before + at.share * (after - before)


@kernel(views_only=True)
def nodes_below(ground: Ground, soils: Floats, size: Floats, center: Floats, rotation: Floats, nodes: Floats) -> int:
    """List the nodes that a round cylinder presses; return their number.

    Args:
        ground: Window of soil; nodes outside it are left out.
        soils: Table of soils, shape (m, 9).
        size: Size of the cylinder.
        center: Center of the cylinder [m], shape (3,).
        rotation: Axes of the cylinder as columns, shape (3, 3).
        nodes: Output: list of nodes, shape (NODE_ROWS, n).
    """
    radius, half = size[0], size[1]
    ax, ay, az = rotation[0, 1], rotation[1, 1], rotation[2, 1]
    across = 1.0 - az * az
    if across < 0.25:  # it lies on its side
        return 0
    reach_x = radius * math.sqrt(max(0.0, 1.0 - ax * ax)) + half * abs(ax)
    reach_y = radius * math.sqrt(max(0.0, 1.0 - ay * ay)) + half * abs(ay)
    spacing = ground.spacing
    r0 = max(0, int(math.ceil((center[0] - reach_x) / spacing)) - ground.i0)
    r1 = min(ground.level.shape[0], int(math.floor((center[0] + reach_x) / spacing)) - ground.i0 + 1)
    c0 = max(0, int(math.ceil((center[1] - reach_y) / spacing)) - ground.j0)
    c1 = min(ground.level.shape[1], int(math.floor((center[1] + reach_y) / spacing)) - ground.j0 + 1)
    count = 0
    for r in range(r0, r1):
        dx = (ground.i0 + r) * spacing - center[0]
        for c in range(c0, c1):
            dy = (ground.j0 + c) * spacing - center[1]
            q = dx * ax + dy * ay
            root = q * az * q * az - across * (dx * dx + dy * dy - q * q - radius * radius)
            top = ground.level_initial[r, c] - center[2]
            clearance = q * az - across * top
            if not root > 0.0 or (clearance > 0.0 and root < clearance * clearance) or math.isnan(top):
                continue
            u = (q * az - math.sqrt(root)) / across
            row = ground.region[r, c] if soils.shape[0] > 1 else 0
            if abs(q + u * az) > half or u >= top or math.isnan(soils[row, ELASTIC]) or count == nodes.shape[1]:
                continue
            nz = ground.upright[r, c]
            if nz == 0.0:
                nz = upright_part(ground.base, r, c, spacing)
            if (top - u) * nz <= ground.sinkage_plastic[r, c]:
                continue
            nodes[DX, count], nodes[DY, count], nodes[TOP, count], nodes[UPRIGHT, count] = dx, dy, top, nz
            nodes[PLASTIC, count], nodes[YIELD, count] = ground.sinkage_plastic[r, c], ground.sigma_yield[r, c]
            nodes[HEIGHT_ABOVE, count], nodes[SOIL, count], nodes[BRANCH, count] = u, row, _UNKNOWN
            count += 1
    return count


@kernel(views_only=True)
def place_nodes(size: Floats, rim: Floats, rotation: Floats, nodes: Floats, count: int) -> None:
    """Find where nodes meet a deflected rim, and how the rim rises there with its deflection.

    Args:
        size: Size of the cylinder.
        rim: Deflections of the points [m], shape (points,).
        rotation: Axes of the cylinder as columns, shape (3, 3).
        nodes: In/out: list of nodes, see :func:`nodes_below`.
        count: Number of nodes.
    """
    points, radius = int(size[RING_POINTS]), size[0]
    for i in range(count):
        at = _meet(rim, 0, points, radius, rotation, nodes[DX, i], nodes[DY, i], nodes[HEIGHT_ABOVE, i])
        _, _, outward_z, r = _outward(rim, 0, points, radius, rotation, at)
        down = -(at.cosine * rotation[2, 0] + at.sine * rotation[2, 2])
        rise = 0.0
        if down > _DOWN and outward_z < 0.0:
            # From that of flat ground to that of a round rim: beyond, the rim is uneven between two nodes.
            rise = min(max(-r / outward_z, down), 1.0 / down)
        nodes[HEIGHT_ABOVE, i], nodes[DEFLECTION, i], nodes[RISE, i] = at.u, radius - r, rise
        nodes[FIRST, i], nodes[SECOND, i], nodes[SHARE, i] = at.first, at.second, at.share


@kernel(views_only=True)
def ring_load(
    soils: Floats,
    spacing: float,
    rim: Floats,
    nodes: Floats,
    count: int,
    inverse_width: float,
    load: Floats,
    stiffness: Floats,
) -> tuple[int, int]:
    """Add the radial forces of the soil on the points of a rim; return the numbers of nodes that press and change.

    The pressure is that of :func:`regolith_terrain.scm.loading.load_nodes`, without damping and shear. A node acts on
    the two points beside it. The force on a point is the force on the area of the node times the height by which the
    rim there rises with the deflection.

    A node is on one branch of the stress law: free, elastic or virgin. It changes by one branch per call, and its
    pressure follows that branch beyond its ends. Otherwise Newton's method alternates between the virgin branch and no
    contact: the elastic one between them is steeper than both.

    Args:
        soils: Table of soils, shape (m, 9).
        spacing: Grid node spacing [m].
        rim: Deflections of the points [m], shape (points,).
        nodes: In/out: list of nodes, see :func:`place_nodes`.
        count: Number of nodes.
        inverse_width: 1 / b of the contact [1/m].
        load: In/out: forces toward the axle [N], shape (points,).
        stiffness: In/out: decrease of the forces with the deflections [N/m], shape (points,).

    Tests: test_ring_soil.py::test_bekker_table_of_flexible_wheels.
    """
    area = spacing * spacing
    pressing = changed = 0
    for i in range(count):
        a, b, share, rise = int(nodes[FIRST, i]), int(nodes[SECOND, i]), nodes[SHARE, i], nodes[RISE, i]
        soil, nz = soils[int(nodes[SOIL, i])], nodes[UPRIGHT, i]
        more = rim[a] + share * (rim[b] - rim[a]) - nodes[DEFLECTION, i]
        s = (nodes[TOP, i] - nodes[HEIGHT_ABOVE, i] - rise * more) * nz
        sigma, slope = soil[ELASTIC] * (s - nodes[PLASTIC, i]), soil[ELASTIC]
        branch, virgin = _FREE, 0.0
        if sigma > 0.0:
            branch = _ELASTIC
        if s > 0.0:
            virgin = max(virgin_pressure(soil, inverse_width, s), nodes[YIELD, i])
            if sigma > virgin:
                branch = _VIRGIN
        before = nodes[BRANCH, i]
        if before != _UNKNOWN:
            branch = min(max(branch, before - 1.0), before + 1.0)
        if branch != before:
            changed += 1
        nodes[BRANCH, i] = branch
        if branch == _FREE:
            continue
        if branch == _VIRGIN and s > 0.0:
            sigma, slope = virgin, soil[EXPONENT] * virgin / s
        force, hard = area * sigma * rise, area * slope * nz * rise * rise
        load[a] += (1.0 - share) * force
        load[b] += share * force
        stiffness[a] += (1.0 - share) * hard
        stiffness[b] += share * hard
        pressing += 1
    return pressing, changed
