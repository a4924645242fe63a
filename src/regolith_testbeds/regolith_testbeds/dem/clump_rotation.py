# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotation of a clump: angular momentum is integrated, spin follows from it and the orientation."""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid import Floats
from regolith_world.numerics import kernel

_SMALL = 1e-4
"""Half angle below which sine and cosine use the first terms of their series [rad]."""

Three = tuple[float, float, float]


@kernel(views_only=True)
def spin_clump(
    turn: Floats, inertia: Floats, motion: Floats, g: int, tx: float, ty: float, tz: float, dt: float
) -> None:
    """Change the angular momentum of grain g by a moment [N m] and rotate it for a step by the midpoint rule.

    Args:
        turn: Input and output: orientations, shape (n, 4).
        inertia: Principal moments of inertia [kg m^2], shape (n, 3).
        motion: Input and output: velocities and spins, of which spins are updated, shape (n, 6).
        g: Number of the grain.
        tx: Moment about world x [N m].
        ty: Moment about world y [N m].
        tz: Moment about world z [N m].
        dt: Step [s].

    Source: hairer2006, section VII.5.
    Checked by: test_grain_clumps.py::test_free_clump_conserves_angular_momentum_and_energy.
    """
    lx, ly, lz = _scaled(turn, g, motion[g, 3], motion[g, 4], motion[g, 5], inertia[g, 0], inertia[g, 1], inertia[g, 2])
    lx, ly, lz = lx + tx * dt, ly + ty * dt, lz + tz * dt
    a, b, c = 1.0 / inertia[g, 0], 1.0 / inertia[g, 1], 1.0 / inertia[g, 2]
    x, y, z, w = turn[g, 0], turn[g, 1], turn[g, 2], turn[g, 3]
    wx, wy, wz = _scaled(turn, g, lx, ly, lz, a, b, c)
    _turn(turn, g, wx, wy, wz, 0.5 * dt)
    wx, wy, wz = _scaled(turn, g, lx, ly, lz, a, b, c)
    turn[g, 0] = x
    turn[g, 1] = y
    turn[g, 2] = z
    turn[g, 3] = w
    _turn(turn, g, wx, wy, wz, dt)
    wx, wy, wz = _scaled(turn, g, lx, ly, lz, a, b, c)
    motion[g, 3] = wx
    motion[g, 4] = wy
    motion[g, 5] = wz


@kernel(views_only=True)
def _scaled(turn: Floats, g: int, vx: float, vy: float, vz: float, a: float, b: float, c: float) -> Three:
    """Return a world vector after multiplication of its components along the principal axes."""
    x, y, z, w = turn[g, 0], turn[g, 1], turn[g, 2], turn[g, 3]
    # To principal axes: v - 2 q x (w v - q x v) ...
    ux, uy, uz = w * vx - (y * vz - z * vy), w * vy - (z * vx - x * vz), w * vz - (x * vy - y * vx)
    px, py, pz = vx - 2.0 * (y * uz - z * uy), vy - 2.0 * (z * ux - x * uz), vz - 2.0 * (x * uy - y * ux)
    px, py, pz = a * px, b * py, c * pz
    # ... and back: v + 2 q x (w v + q x v).
    ux, uy, uz = w * px + (y * pz - z * py), w * py + (z * px - x * pz), w * pz + (x * py - y * px)
    return px + 2.0 * (y * uz - z * uy), py + 2.0 * (z * ux - x * uz), pz + 2.0 * (x * uy - y * ux)


@kernel(views_only=True)
def _turn(turn: Floats, g: int, wx: float, wy: float, wz: float, dt: float) -> None:
    """Rotate an orientation by a spin in world axes."""
    speed = np.sqrt(wx * wx + wy * wy + wz * wz)
    half = 0.5 * speed * dt
    if half < _SMALL:  # the next terms are below rounding
        s, c = 0.5 * dt * (1.0 - half * half / 6.0), 1.0 - 0.5 * half * half
    else:
        s, c = np.sin(half) / speed, np.cos(half)
    a, b, d = wx * s, wy * s, wz * s
    x, y, z, w = turn[g, 0], turn[g, 1], turn[g, 2], turn[g, 3]
    qx = c * x + a * w + b * z - d * y
    qy = c * y - a * z + b * w + d * x
    qz = c * z + a * y - b * x + d * w
    qw = c * w - a * x - b * y - d * z
    size = 1.0 / np.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    turn[g, 0] = qx * size
    turn[g, 1] = qy * size
    turn[g, 2] = qz * size
    turn[g, 3] = qw * size
