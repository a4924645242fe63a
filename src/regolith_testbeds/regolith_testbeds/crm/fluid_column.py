# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Column of fluid behind a dam that holds or is removed, computed by the particles of CRM.

The flow is plane: the bed is periodic across it. x is 0 at the wall behind the column, z at the floor.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from regolith_terrain.crm import Discretization, Fluid, ParticleBed, arrays, boundary_markers
from regolith_terrain.grid import Floats
from regolith_testbeds.resumable_runs import Part, packed, unpacked

VISCOSITY = 0.03
"""Artificial viscosity alpha."""
SHIFTING = 0.5
"""XSPH coefficient."""
_ACROSS = 9
"""Period of the bed in spacings: three cells."""
_TERMS = 40
"""Number of terms of the pressure at the start."""
_BLOCK = 40
"""Number of steps of one advance, after which a sample is taken."""


class Column(NamedTuple):
    """A column of fluid at rest and what happens to it."""

    width: float
    """Width a [m]."""
    height: float
    """Height [m]."""
    at_rest: bool
    """Whether the dam holds."""
    reach: float
    """Front at which the run ends, over the width; no limit for a column at rest."""
    gravity: float
    """Gravity [m/s^2]."""
    longest: float
    """Duration after which the run ends [s]."""


class FluidColumn:
    """A column of fluid, see :class:`regolith_testbeds.resumable_runs.ResumableRun`.

    Each advance begins with new neighbor lists, so a saved state continues bit-identically.
    """

    def __init__(self, column: Column, count: int, fluid: Fluid, workers: int = 1) -> None:
        """Fill the column.

        Args:
            column: Column and its release.
            count: Number of particles across the width.
            fluid: Fluid of the column.
            workers: Number of threads; it does not change the result.
        """
        self.column = column
        spacing = column.width / count
        reach = 1.0 if column.at_rest else column.reach + 0.25
        filled, walls = boundary_markers.channel(
            (0.0, reach * column.width), _ACROSS * spacing, -column.height, spacing, 4.0 * spacing
        )
        settings = Discretization(
            spacing_m=spacing, artificial_viscosity=VISCOSITY, xsph_coefficient=SHIFTING, smoothing_ratio=1.3
        )
        lift = np.array([0.0, 0.0, column.height])
        self.bed = ParticleBed(
            fluid,
            settings,
            (0.0, 0.0, -column.gravity),
            filled[filled[:, 0] < column.width] + lift,
            *boundary_markers.together(walls + lift),
            workers=workers,
            period=(0.0, _ACROSS * spacing),
        )
        self.bed.lay_at_rest(column.height)
        if not column.at_rest:
            self._open()
        self._longest = settings.step(self.bed.material)
        self._steps = 0
        self.front: list[tuple[float, float]] = []
        """Times [s] and positions of the front [m]."""

    def _open(self) -> None:
        """Set the pressure just after the dam is removed, which is 0 on the face of the column.

        It solves Laplace's equation for an incompressible fluid, rho g [H - z - sum_k c_k cos(l_k z) cosh(l_k x) /
        cosh(l_k a)], with l_k = (2 k + 1) pi / 2 H and c_k = 2 / (H l_k^2). Hydrostatic pressure would be released as a
        sound wave instead, with the speed p / (rho c).
        """
        rows, column = self.bed.soil_rows(), self.column
        x, z = self.bed.particles[rows, arrays.X], self.bed.particles[rows, arrays.Z]
        depth = column.height - z
        for k in range(_TERMS):
            rate = (k + 0.5) * math.pi / column.height
            grows = np.exp(rate * (x - column.width)) * (1.0 + np.exp(-2.0 * rate * x))
            grows /= 1.0 + math.exp(-2.0 * rate * column.width)
            depth = depth - 2.0 / (column.height * rate**2) * np.cos(rate * z) * grows
        pressure = self.bed.material.density * column.gravity * np.maximum(depth, 0.0)
        for place in (arrays.XX, arrays.YY, arrays.ZZ):
            self.bed.particles[rows, place] = -pressure

    @property
    def part(self) -> float:
        """Completed fraction."""
        far = self.front[-1][1] / self.column.width if self.front else 0.0
        over = self.bed.t >= self.column.longest or (not self.column.at_rest and far >= self.column.reach)
        return 1.0 if over else min(0.99, self.bed.t / self.column.longest)

    def advance(self, tick: Part) -> None:
        """Advance by some steps, then note the front."""
        bed = self.bed
        bed.sort()
        for _ in range(_BLOCK):
            bed.step(min(self._longest, bed.largest_step()) if self._steps else 0.2 * self._longest)
            self._steps += 1
        x = bed.particles[bed.soil_rows(), arrays.X]
        self.front.append((bed.t, float(x.max()) + 0.5 * bed.scheme.spacing))

    def layers(self) -> Floats:
        """Return depth below the surface [m], mean pressure and hydrostatic pressure [Pa] of layers, shape (n, 3).

        Layers are as thick as particles. Those within the kernel's reach of the surface are left out.
        """
        bed, spacing = self.bed, self.bed.scheme.spacing
        found = bed.particles[bed.soil_rows()]
        height, pressure = found[:, arrays.Z], -found[:, arrays.XX : arrays.ZZ + 1].sum(axis=1) / 3.0
        # The volume is conserved, so the mean height of the particles is half that of the surface.
        top = 2.0 * float(height.mean())
        layer = np.floor(height / spacing).astype(int)
        rows = []
        for k in range(int((top - 2.0 * bed.scheme.length) / spacing)):
            inside = layer == k
            depth = top - float(height[inside].mean())
            rows.append((depth, float(pressure[inside].mean()), bed.material.density * self.column.gravity * depth))
        return np.array(rows)

    def row(self) -> dict[str, Any]:
        """Return the results so far."""
        moving = self.bed.particles[self.bed.soil_rows(), arrays.U : arrays.W + 1]
        return {
            'front': [[round(t, 6), round(x, 6)] for t, x in self.front],
            'layers': self.layers().round(6).tolist() if self.column.at_rest else None,
            'rms_speed_mps': float(np.sqrt(np.einsum('ij,ij->', moving, moving) / len(moving))),
            'simulated_s': self.bed.t,
            'elements': self.bed.soil_count,
            'steps': self._steps,
            'step_s': self._longest,
        }

    def save(self) -> bytes:
        """Return the complete state."""
        return packed(bed=self.bed.save(), steps=self._steps, front=np.array(self.front).reshape(-1, 2))

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another column.
        """
        found = unpacked(saved)
        self._steps, self.front = int(found['steps']), [tuple(row) for row in found['front'].tolist()]
        self.bed.load(found['bed'].tobytes())
