# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""State of each wheel on the ground: slip, sinkage, forces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import STAT_LOADED_NODES
from regolith_vehicles.dynamics.run_statistics import SLOW
from regolith_world.numerics import kernel

Vector = NDArray[np.float64]

SPIN, STEER, SLIP, SLIP_ANGLE, SINKAGE_TOTAL, SINKAGE_INCREMENTAL, NORMAL_LOAD, DRAWBAR, LOADED_NODES = range(9)
FORCE, TORQUE, COLUMNS = 9, 12, 15
"""Columns of the table from :func:`measure_wheels`; force and torque have three each."""
NAMES = (
    'angular_speed',
    'steer_angle',
    'slip_ratio',
    'slip_angle',
    'sinkage_total',
    'sinkage_incremental',
    'normal_load',
    'drawbar_pull',
    'contact_nodes',
    'force_x',
    'force_y',
    'force_z',
    'torque_x',
    'torque_y',
    'torque_z',
)
"""Names of the columns; their meanings are in :class:`WheelState`."""


@dataclass(frozen=True, slots=True)
class WheelState:
    """State of one wheel at the end of a cycle."""

    name: str
    angular_speed: float
    """Angular speed of the wheel relative to its carrier [rad/s]."""
    steer_angle: float
    """Steering angle [rad], positive to the left."""
    slip_ratio: float
    """Slip ratio s = 1 - v / (omega R), with the speed v of the wheel center along its heading.

    See :func:`slip_ratio`. The same formula applies to braking (v > omega R gives s < 0). The value is clipped to [-1,
    1]. 1 means spinning in place or sliding backward with forward rotation, -1 a locked wheel that is dragged. 0 if
    both speeds are below 1 cm/s.
    """
    slip_angle: float
    """Slip angle from the wheel's heading line to the velocity of its center [rad], positive to the left; 0 at rest."""
    sinkage_total: float
    """Depth of the wheel's lowest point below the undisturbed ground, along the ground's normal [m].

    The undisturbed ground is averaged over the wheel's width. Negative values are clearance.
    """
    sinkage_incremental: float
    """Depth below the present ground just ahead of the wheel, including ruts, along the same normal [m]."""
    normal_load: float
    """Soil force along the undisturbed ground's normal [N]."""
    force: Vector
    """Force of the soil on the wheel, world axes [N], shape (3,)."""
    torque: Vector
    """Torque of the soil about the wheel center, world axes [N m], shape (3,)."""
    drawbar_pull: float
    """Drawbar pull: net soil force along the wheel's heading [N]."""
    contact_nodes: int
    """Number of loaded grid nodes."""

    @staticmethod
    def from_row(name: str, row: Vector) -> WheelState:
        """Return the state from a row of the table."""
        return WheelState(
            name=name,
            angular_speed=float(row[SPIN]),
            steer_angle=float(row[STEER]),
            slip_ratio=float(row[SLIP]),
            slip_angle=float(row[SLIP_ANGLE]),
            sinkage_total=float(row[SINKAGE_TOTAL]),
            sinkage_incremental=float(row[SINKAGE_INCREMENTAL]),
            normal_load=float(row[NORMAL_LOAD]),
            force=row[FORCE:TORQUE].copy(),
            torque=row[TORQUE:COLUMNS].copy(),
            drawbar_pull=float(row[DRAWBAR]),
            contact_nodes=int(row[LOADED_NODES]),
        )


def slip_and_sinkage(table: Vector) -> tuple[Vector, float]:
    """Return the slip ratios of wheels, shape (n,), and the maximum total sinkage [m], from their table."""
    return table[:, SLIP], float(table[:, SINKAGE_TOTAL].max())


@kernel
def slip_ratio(speed: float, rolling: float) -> float:
    """Return the slip ratio s = 1 - v / (omega R) of a wheel; see :attr:`WheelState.slip_ratio`.

    Args:
        speed: Speed v of the wheel center along its heading [m/s].
        rolling: Rim speed omega R [m/s].

    Source: wong2008, eq. 2.5.
    Checked by: test_wheel_measures.py::test_slip_ratio_matches_wong.
    """
    if abs(rolling) < SLOW:
        return 0.0 if abs(speed) < SLOW else -1.0
    return min(max(1.0 - speed / rolling, -1.0), 1.0)


@kernel
def _interpolated(heights: Vector, row: float, col: float) -> float:
    """Return the bilinear height at fractional indices, clamped to the array."""
    ni, nj = heights.shape
    row = min(max(row, 0.0), ni - 1.000001)
    col = min(max(col, 0.0), nj - 1.000001)
    r, c = int(row), int(col)
    u, v = row - r, col - c
    near = (1.0 - v) * heights[r, c] + v * heights[r, c + 1]
    far = (1.0 - v) * heights[r + 1, c] + v * heights[r + 1, c + 1]
    height: float = (1.0 - u) * near + u * far
    return height


@kernel
def measure_wheels(
    base: Vector,
    level: Vector,
    i0: int,
    j0: int,
    spacing: float,
    center: Vector,
    axis: Vector,
    velocity: Vector,
    spin: Vector,
    steer: Vector,
    radius: Vector,
    half_width: Vector,
    force: Vector,
    torque: Vector,
    stats: Vector,
    table: Vector,
) -> None:
    """Fill the table of wheel states from the soil window at the end of a cycle.

    The measurement of sinkage is Regolith's own; ``test_wheel_measures.py`` compares it with planes in closed form.

    Args:
        base: Undisturbed heights with a one-node border [m], shape (ni + 2, nj + 2).
        level: Present heights [m], shape (ni, nj).
        i0: Index of the window's first grid node along x.
        j0: Index of the window's first grid node along y.
        spacing: Grid spacing [m].
        center: Centers of the wheels in the world frame [m], shape (n, 3).
        axis: Unit vectors of the axles, shape (n, 3).
        velocity: Velocities of the wheel centers [m/s], shape (n, 3).
        spin: Wheel speeds [rad/s], shape (n,).
        steer: Steering angles [rad], shape (n,).
        radius: Radii of the wheels [m], shape (n,).
        half_width: Half widths of the wheels [m], shape (n,).
        force: Forces of the soil [N], shape (n, 3).
        torque: Torques of the soil about the wheel centers [N m], shape (n, 3).
        stats: Contact statistics of each wheel, shape (n, STAT_COUNT).
        table: Out: table of wheel states, shape (n, COLUMNS).
    """
    ni, nj = level.shape
    for w in range(center.shape[0]):
        x, y, z = center[w, 0], center[w, 1], center[w, 2]
        row = int(min(max(math.floor(x / spacing + 0.5) - i0, 0), ni - 1))
        col = int(min(max(math.floor(y / spacing + 0.5) - j0, 0), nj - 1))
        slope_x = (base[row + 2, col + 1] - base[row, col + 1]) / (2.0 * spacing)
        slope_y = (base[row + 1, col + 2] - base[row + 1, col]) / (2.0 * spacing)
        nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
        nx, ny = -slope_x * nz, -slope_y * nz
        ax, ay, az = axis[w, 0], axis[w, 1], axis[w, 2]
        # Heading: across the axle in the tangent plane, forward for a wheel whose axle points left.
        hx, hy, hz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
        norm = math.sqrt(hx * hx + hy * hy + hz * hz)
        if norm < 1e-9:  # lying on its side, without a heading
            hx, hy, hz, norm = 1.0, 0.0, 0.0, 1.0
        hx, hy, hz = hx / norm, hy / norm, hz / norm
        lx, ly, lz = ny * hz - nz * hy, nz * hx - nx * hz, nx * hy - ny * hx
        along = velocity[w, 0] * hx + velocity[w, 1] * hy + velocity[w, 2] * hz
        across = velocity[w, 0] * lx + velocity[w, 1] * ly + velocity[w, 2] * lz
        rolling = spin[w] * radius[w]

        # Average the ground over the wheel's width; a single node would reflect the relief's roughness.
        lanes = int(half_width[w] / spacing)
        ground = 0.0
        for lane in range(-lanes, lanes + 1):
            ground += _interpolated(base, x / spacing + lane * lx - i0 + 1.0, y / spacing + lane * ly - j0 + 1.0)
        ground /= 2 * lanes + 1
        tilt = ax * nx + ay * ny + az * nz
        reach = radius[w] * math.sqrt(max(0.0, 1.0 - tilt * tilt)) + half_width[w] * abs(tilt)
        total = (ground - z) * nz + reach

        # Just outside the contact in the direction of motion, averaged over the wheel's width.
        deep = min(max(total, 0.0), radius[w])
        ahead = math.sqrt(deep * (2.0 * radius[w] - deep)) + 1.5 * spacing
        if (along if abs(along) >= SLOW else rolling) < 0.0:
            ahead = -ahead
        change = 0.0
        for lane in range(-lanes, lanes + 1):
            r = int(min(max(math.floor((x + ahead * hx + lane * spacing * lx) / spacing + 0.5) - i0, 0), ni - 1))
            c = int(min(max(math.floor((y + ahead * hy + lane * spacing * ly) / spacing + 0.5) - j0, 0), nj - 1))
            change += level[r, c] - base[r + 1, c + 1]
        change /= 2 * lanes + 1

        table[w, SPIN] = spin[w]
        table[w, STEER] = steer[w]
        table[w, SLIP] = slip_ratio(along, rolling)
        standing = along * along + across * across < SLOW * SLOW
        table[w, SLIP_ANGLE] = 0.0 if standing else math.atan2(across, abs(along))
        table[w, SINKAGE_TOTAL] = total
        table[w, SINKAGE_INCREMENTAL] = total + change * nz
        table[w, NORMAL_LOAD] = force[w, 0] * nx + force[w, 1] * ny + force[w, 2] * nz
        table[w, DRAWBAR] = force[w, 0] * hx + force[w, 1] * hy + force[w, 2] * hz
        table[w, LOADED_NODES] = stats[w, STAT_LOADED_NODES]
        for k in range(3):
            table[w, FORCE + k] = force[w, k]
            table[w, TORQUE + k] = torque[w, k]
