# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation tools that sweep soil columns: requested soil and force of blade, bucket and drum.

A *blade* or a *bucket* cuts with a straight edge. Columns whose nodes the edge passes in forward motion lose the soil
above its path. A *bucket drum* is a cylinder with rows of scoops. A pass takes all soil inside the circle of their
lips, and there are ``lips`` passes over each column per revolution. Substeps are short compared to a pass, so in each
of them a column loses the fraction of a pass by which the drum turns. With this feed a drum cuts the chip depth of a
real one: the advance between two passes.

The fill curve defines which fraction of swept soil enters the tool. The rest stays in place. Nothing here changes the
terrain: the entering soil is stored as requested height, with the lowest path of the tool above each node, and terrain
grants it (:mod:`regolith_terrain.excavation.exchange`). No tool digs below bedrock.

The force is that of the earthmoving equation (:mod:`regolith_terrain.excavation.cutting`). On an edge it acts strip by
strip, at the depth of the surface in front, with the soil pushed by a blade as surcharge. On a drum it acts on the lips
in the soil, averaged over a revolution, at the depth of the chip. It opposes the motion and decreases below a creep
speed, which keeps the explicit force stable at the substep. A drum also turns against the soil carried by its lips. The
soil slides down the cut face in front of them to below the axle, with the soil's friction, and is raised to the height
of the axle, where it slides inside. Soil tumbling inside needs no power.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.excavation.cutting import (
    LEAST_FRICTION_RAD,
    STEEPEST_RAD,
    blade_force,
    cutting_factors,
    rupture_angle,
)
from regolith_terrain.grid.node_records import Floats
from regolith_world.numerics import kernel

BLADE, BUCKET, DRUM = range(3)
"""Kinds of tools."""
KINDS = {'blade': BLADE, 'bucket': BUCKET, 'drum': DRUM}
"""Kinds of tools by name."""

HALF_WIDTH, RADIUS, LIPS, RAKE, SOIL_TOOL, ADHESION, CAPACITY, MASS, TOOL_COLUMNS = range(9)
"""Columns of a tool's parameters, and their number."""
DENSITY, COHESION, FRICTION, SOIL_COLUMNS = range(4)
"""Columns of a soil's parameters, and their number; a tool does not cut soil without density."""
HELD, DEPTH, DRAFT, TELEMETRY_COLUMNS = range(4)
"""Columns of a tool's telemetry of a cycle, and their number: mass in the tool, depth of cut, force."""

CREEP_MPS = 0.005
"""Smallest creep speed, above which the cutting force is near its full value [m/s]."""
_LEAST_CHORD = 0.2
"""Smallest chord over a drum's radius: in columns near the rim, an increasing part of the rim is in the column."""
_FLATTEST_RAD = math.radians(5.0)


class ToolArrays(NamedTuple):
    """Tools of a vehicle in one cycle and their soil; n tools, a window of (ni, nj) nodes."""

    kind: NDArray[np.int64]
    """Kind of each tool, BLADE, BUCKET or DRUM, shape (n,)."""
    numbers: Floats
    """Half width and radius [m], lips that pass a column per revolution, rake and soil-tool friction angle [rad]
    (negative: two thirds of that of the soil), adhesion [Pa], capacity [kg], smallest mass moved by the force [kg];
    shape (n, TOOL_COLUMNS)."""
    fill: Floats
    """Fill levels of the fill curve, 0 to 1, ascending, shape (n, m)."""
    share: Floats
    """Fraction of swept soil that enters at each fill level, shape (n, m)."""
    telemetry: Floats
    """Input and output, shape (n, TELEMETRY_COLUMNS): mass in the tool including requests [kg], mean depth of the cut
    [m] and force against the motion [N] in the last substep."""
    edge: Floats
    """Input and output: left and right end of the edge in the previous substep [m], shape (n, 2, 3); NaN before the
    first.
    """
    soils: Floats
    """Density [kg/m^3], cohesion [Pa] and friction angle [rad] of each soil, shape (k, SOIL_COLUMNS)."""
    level: Floats
    """Height of the surface [m], shape (ni, nj)."""
    bedrock: Floats
    """Height below which no tool digs [m], shape (ni, nj)."""
    region: NDArray[np.uint8]
    """Row of the soil table at each node, shape (ni, nj)."""
    requested: Floats
    """Input and output: height requested by each tool [m], and their sum in the last layer, shape (n + 1, ni, nj)."""
    path: Floats
    """Input and output: lowest path of each tool above a node [m], shape (n, ni, nj)."""
    i0: int
    """Index of the window's first row; node (r, c) is at x = (i0 + r) spacing."""
    j0: int
    """Index of the window's first column."""
    spacing: float
    """Grid node spacing [m]."""
    gravity: float
    """Gravity [m/s^2]."""


@kernel(views_only=True)
def fill_fraction(fill: Floats, share: Floats, tool: int, level: float) -> float:
    """Return the fraction of swept soil that enters a tool at a fill level.

    It is constant beyond the ends of the curve.
    """
    enters: float = share[tool, 0]
    for k in range(1, fill.shape[1]):
        if level <= fill[tool, k - 1]:
            break
        part = min(1.0, (level - fill[tool, k - 1]) / (fill[tool, k] - fill[tool, k - 1]))
        enters = share[tool, k - 1] + part * (share[tool, k] - share[tool, k - 1])
    return enters


@kernel(views_only=True)
def _ask(tools: ToolArrays, k: int, r: int, c: int, swept: float, path: float) -> None:
    """Request a swept height [m] of a column for a tool, not below its path [m]."""
    capacity = tools.numbers[k, CAPACITY]
    mass = tools.soils[tools.region[r, c], DENSITY] * tools.spacing * tools.spacing  # of a column of 1 m height
    held = tools.telemetry[k, HELD]
    height = swept * fill_fraction(tools.fill, tools.share, k, held / capacity)
    height = min(height, (capacity - held) / mass)
    if height <= 0.0:
        return
    tools.telemetry[k, HELD] = held + height * mass
    tools.requested[k, r, c] += height
    tools.requested[tools.requested.shape[0] - 1, r, c] += height
    tools.path[k, r, c] = min(tools.path[k, r, c], path)


@kernel(views_only=True)
def _span(tools: ToolArrays, low: float, high: float, first: int, count: int) -> tuple[int, int]:
    """Return the range of rows or columns of the window between two coordinates [m]: first and end."""
    begin = max(0, int(math.ceil(low / tools.spacing)) - first)
    return begin, min(count, int(math.floor(high / tools.spacing)) - first + 1)


@kernel(views_only=True)
def _height(tools: ToolArrays, r: int, c: int) -> float:
    """Return the height of a column minus the height requested by tools [m]."""
    left: float = tools.level[r, c] - tools.requested[tools.requested.shape[0] - 1, r, c]
    return left


@kernel(views_only=True)
def sweep_edge(tools: ToolArrays, k: int, step: float, pose: PartPose, force: Floats, torque: Floats) -> None:
    """Sweep from the edge's previous position to the present one; write the force on the tool.

    Args:
        tools: Tools and soil.
        k: Number of the tool, a BLADE or a BUCKET.
        step: Substep [s].
        pose: Pose of the middle of its edge: y along the edge to the left, x ahead.
        force: Output: force, world axes [N], shape (3,).
        torque: Output: torque about the pose's origin [N m], shape (3,).

    Source: reece1964; mckyes1985.
    Checked by: test_sweep.py::test_tool_edge_removes_soil_above_its_path,
    test_sweep.py::test_blade_force_matches_the_earthmoving_equation.
    """
    force[:] = 0.0
    torque[:] = 0.0
    tools.telemetry[k, DEPTH] = tools.telemetry[k, DRAFT] = 0.0
    half, spacing, edge, turn = tools.numbers[k, HALF_WIDTH], tools.spacing, tools.edge, pose.rotation
    mx, my, mz = pose.center[0], pose.center[1], pose.center[2]
    flat = math.sqrt(turn[0, 1] ** 2 + turn[1, 1] ** 2)
    if not flat > 0.2:
        edge[k, 0, 0] = np.nan  # the edge is upright: it cuts nothing
        return
    ex, ey, rise = turn[0, 1] / flat, turn[1, 1] / flat, turn[2, 1] / flat
    reach = half * flat
    had = not np.isnan(edge[k, 0, 0])
    ox = 0.5 * (edge[k, 0, 0] + edge[k, 1, 0])
    oy = 0.5 * (edge[k, 0, 1] + edge[k, 1, 1])
    fx, fy = edge[k, 0, 0] - edge[k, 1, 0], edge[k, 0, 1] - edge[k, 1, 1]
    for side in range(2):
        sign = 1.0 - 2.0 * side
        for a in range(3):
            edge[k, side, a] = pose.center[a] + sign * half * turn[a, 1]
    if had:
        # Both poses are computed from the stored ends, so a node on the line is on the same side of it both times.
        nx, ny = 0.5 * (edge[k, 0, 0] + edge[k, 1, 0]), 0.5 * (edge[k, 0, 1] + edge[k, 1, 1])
        tx, ty = edge[k, 0, 0] - edge[k, 1, 0], edge[k, 0, 1] - edge[k, 1, 1]
        wide_x, wide_y = abs(ex) * reach + spacing, abs(ey) * reach + spacing
        r0, r1 = _span(tools, min(mx, ox) - wide_x, max(mx, ox) + wide_x, tools.i0, tools.level.shape[0])
        c0, c1 = _span(tools, min(my, oy) - wide_y, max(my, oy) + wide_y, tools.j0, tools.level.shape[1])
        for r in range(r0, r1):
            x = (tools.i0 + r) * spacing
            for c in range(c0, c1):
                y = (tools.j0 + c) * spacing
                along = (x - mx) * ex + (y - my) * ey
                # Ahead of the previous edge and no longer ahead of the present one: each node is passed once.
                if abs(along) > reach or (x - nx) * ty - (y - ny) * tx > 0.0 or (x - ox) * fy - (y - oy) * fx <= 0.0:
                    continue
                path = max(mz + along * rise, tools.bedrock[r, c])
                swept = _height(tools, r, c) - path
                if swept > 0.0 and tools.soils[tools.region[r, c], DENSITY] > 0.0:
                    _ask(tools, k, r, c, swept, path)
    ahead = pose.velocity[0] * ey - pose.velocity[1] * ex
    if ahead <= 0.0:
        return
    count = max(1, int(math.ceil(2.0 * reach / spacing)))
    strip = 2.0 * reach / count
    rake = min(max(tools.numbers[k, RAKE] - math.asin(min(1.0, max(-1.0, turn[2, 0]))), _FLATTEST_RAD), STEEPEST_RAD)
    against_sum = down_sum = moment = 0.0
    for n in range(count):
        along = -reach + (n + 0.5) * strip
        x, y = mx + along * ex + 0.5 * spacing * ey, my + along * ey - 0.5 * spacing * ex
        r, c = int(math.floor(x / spacing + 0.5)) - tools.i0, int(math.floor(y / spacing + 0.5)) - tools.j0
        if not (0 <= r < tools.level.shape[0] and 0 <= c < tools.level.shape[1]):
            continue
        depth = _height(tools, r, c) - max(mz + along * rise, tools.bedrock[r, c])
        row = tools.region[r, c]
        density = tools.soils[row, DENSITY]
        if not (depth > 0.0 and density > 0.0):
            continue
        friction = max(tools.soils[row, FRICTION], LEAST_FRICTION_RAD)
        soil_tool = tools.numbers[k, SOIL_TOOL]
        if soil_tool < 0.0:
            soil_tool = 2.0 / 3.0 * friction
        steep = min(rake, STEEPEST_RAD - friction - soil_tool)
        beta = rupture_angle(steep, friction, soil_tool)
        factors = cutting_factors(steep, friction, soil_tool, beta)
        surcharge = 0.0
        if tools.kind[k] == BLADE:  # pushed soil lies on the wedge
            top = depth * (factors.cot_rake + 1.0 / math.tan(beta))
            surcharge = max(0.0, tools.telemetry[k, HELD]) * tools.gravity / (2.0 * reach * max(top, spacing))
        against, down = blade_force(
            factors,
            depth,
            ahead,
            density,
            tools.gravity,
            tools.soils[row, COHESION],
            surcharge,
            tools.numbers[k, ADHESION],
        )
        against_sum += against * strip
        down_sum += down * strip
        moment += against * strip * along
        tools.telemetry[k, DEPTH] += depth / count
    if against_sum <= 0.0:
        return
    creep = max(CREEP_MPS, 2.0 * against_sum * step / tools.numbers[k, MASS])
    full = ahead / (ahead + creep)
    tools.telemetry[k, DRAFT] = against_sum * full
    force[0], force[1], force[2] = -against_sum * full * ey, against_sum * full * ex, -down_sum * full
    # Strips further along the edge turn the tool about the vertical.
    torque[2] = moment * full


@kernel(views_only=True)
def sweep_drum(
    tools: ToolArrays, k: int, step: float, pose: PartPose, spin: float, force: Floats, torque: Floats
) -> None:
    """Sweep the soil inside a drum's circle of lips for a substep; write the force on the drum.

    Args:
        tools: Tools and soil.
        k: Number of the tool, a DRUM.
        step: Substep [s].
        pose: Pose of the middle of the drum, y along the axle.
        spin: Rotation rate about +y [rad/s]; scoops where positive.
        force: Output: force, world axes [N], shape (3,).
        torque: Output: torque about the pose's origin [N m], shape (3,).

    Source: reece1964; mckyes1985.
    Checked by: test_sweep.py::test_turning_drum_removes_its_circular_segment,
    test_sweep.py::test_drum_chip_thickness_follows_its_advance,
    test_bucket_drum.py::test_drum_power_matches_cutting_and_lifting.
    """
    force[:] = 0.0
    torque[:] = 0.0
    tools.telemetry[k, DEPTH] = tools.telemetry[k, DRAFT] = 0.0
    numbers, spacing, turn = tools.numbers, tools.spacing, pose.rotation
    radius = numbers[k, RADIUS]
    level = math.sqrt(turn[0, 1] ** 2 + turn[1, 1] ** 2)
    if not (spin > 0.0 and level > 0.2):
        return
    ax, ay, rise = turn[0, 1] / level, turn[1, 1] / level, turn[2, 1] / level
    reach = numbers[k, HALF_WIDTH] * level
    cx, cy, cz = pose.center[0], pose.center[1], pose.center[2]
    wide_x, wide_y = abs(ax) * reach + abs(ay) * radius, abs(ay) * reach + abs(ax) * radius
    r0, r1 = _span(tools, cx - wide_x, cx + wide_x, tools.i0, tools.level.shape[0])
    c0, c1 = _span(tools, cy - wide_y, cy + wide_y, tools.j0, tools.level.shape[1])
    passes = numbers[k, LIPS] * spin / (2.0 * math.pi)
    part = min(1.0, passes * step)
    row_of_factors = -1
    rake = numbers[k, RAKE]
    factors = cutting_factors(0.5 * math.pi, 0.5, 0.0, 0.5)
    engaged = depths = carrying = friction = 0.0
    for r in range(r0, r1):
        x = (tools.i0 + r) * spacing - cx
        for c in range(c0, c1):
            y = (tools.j0 + c) * spacing - cy
            along, ahead = x * ax + y * ay, x * ay - y * ax
            if abs(along) > reach or abs(ahead) >= radius:
                continue
            chord = math.sqrt(radius * radius - ahead * ahead)
            path = max(cz + along * rise - chord / level, tools.bedrock[r, c])
            inside = min(_height(tools, r, c) - path, chord)
            row = tools.region[r, c]
            if not (inside > 0.0 and tools.soils[row, DENSITY] > 0.0):
                continue
            if row != row_of_factors:
                row_of_factors = row
                friction = max(tools.soils[row, FRICTION], LEAST_FRICTION_RAD)
                soil_tool = numbers[k, SOIL_TOOL] if numbers[k, SOIL_TOOL] >= 0.0 else 2.0 / 3.0 * friction
                steep = min(rake, STEEPEST_RAD - friction - soil_tool)
                factors = cutting_factors(steep, friction, soil_tool, rupture_angle(steep, friction, soil_tool))
            upright = chord / radius
            # Number of lips in this column, averaged over a revolution, and the soil that one of them cuts.
            lips = numbers[k, LIPS] * spacing / (2.0 * math.pi * max(chord, _LEAST_CHORD * radius))
            # Motion of a lip here: of the axle and about it.
            vx = pose.velocity[0] - spin * chord * ay
            vy = pose.velocity[1] + spin * chord * ax
            vz = pose.velocity[2] - spin * ahead
            speed = math.sqrt(vx * vx + vy * vy + vz * vz)
            against, into = blade_force(
                factors,
                inside * upright,
                speed,
                tools.soils[row, DENSITY],
                tools.gravity,
                tools.soils[row, COHESION],
                0.0,
                numbers[k, ADHESION],
            )
            width = lips * spacing
            creep = max(CREEP_MPS, 2.0 * against * width * step / numbers[k, MASS])
            hold, draw = against * width / (speed + creep), into * width * speed / (speed + creep)
            out = ahead / radius
            gx = -hold * vx + draw * out * ay
            gy = -hold * vy - draw * out * ax
            gz = -hold * vz - draw * upright
            force[0] += gx
            force[1] += gy
            force[2] += gz
            px, py, pz = along * ax + ahead * ay, along * ay - ahead * ax, path - cz
            torque[0] += py * gz - pz * gy
            torque[1] += pz * gx - px * gz
            torque[2] += px * gy - py * gx
            engaged += 1.0
            depths += inside * upright
            held = tools.telemetry[k, HELD]
            _ask(tools, k, r, c, inside * part, path)
            # Along the circle, the soil's weight presses on the face over the distance it moves ahead or back.
            raised = max(0.0, cz - path - 0.5 * inside) + math.tan(friction) * max(0.0, ahead)
            carrying += (tools.telemetry[k, HELD] - held) * tools.gravity * raised
    if carrying > 0.0:
        couple = carrying / (step * (spin + CREEP_MPS / radius))
        for a in range(3):
            torque[a] -= couple * turn[a, 1]
    if engaged > 0.0:
        tools.telemetry[k, DEPTH] = depths / engaged
        tools.telemetry[k, DRAFT] = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)


def make_tools(
    kind: NDArray[np.int64],
    numbers: Floats,
    fill: Floats,
    share: Floats,
    held: Floats,
    edge: Floats,
    soils: Floats,
    level: Floats,
    bedrock: Floats,
    region: NDArray[np.uint8],
    i0: int,
    j0: int,
    spacing: float,
    gravity: float,
) -> ToolArrays:
    """Return tools before a cycle, without requests; arguments are fields of :class:`ToolArrays`.

    Args:
        kind: Kind of each tool.
        numbers: Parameters of each tool.
        fill: Fill levels of the fill curve.
        share: Fractions of swept soil that enter.
        held: Mass in each tool [kg], shape (n,).
        edge: Ends of the edge in the previous substep [m].
        soils: Table of soils.
        level: Height of the surface [m].
        bedrock: Height below which no tool digs [m].
        region: Row of the soil table at each node.
        i0: Index of the window's first row.
        j0: Index of the window's first column.
        spacing: Grid node spacing [m].
        gravity: Gravity [m/s^2].
    """
    n = len(kind)
    told = np.zeros((n, TELEMETRY_COLUMNS))
    told[:, HELD] = held
    return ToolArrays(
        kind,
        numbers,
        fill,
        share,
        told,
        edge,
        soils,
        level,
        bedrock,
        region,
        np.zeros((n + 1, *level.shape)),
        np.full((n, *level.shape), np.inf),
        i0,
        j0,
        spacing,
        gravity,
    )
